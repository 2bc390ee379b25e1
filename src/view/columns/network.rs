use super::read::{at, below, items, text, text_below};
use super::services::load_balancer;
use super::{Cell, Column, Object, Resource, Source};

const GROUP: &str = "networking.k8s.io";

/// What is of networks beside services.
pub(super) static KINDS: [Resource; 5] = [
    Resource::of("Ingresses", "Ingress", "ingresses", GROUP, "v1", &INGRESSES),
    Resource::of("IngressClasses", "IngressClass", "ingressclasses", GROUP, "v1", &INGRESS_CLASSES),
    Resource::of("NetworkPolicies", "NetworkPolicy", "networkpolicies", GROUP, "v1", &NETWORK_POLICIES),
    Resource::of("IPAddresses", "IPAddress", "ipaddresses", GROUP, "v1", &IP_ADDRESSES),
    Resource::of("ServiceCIDRs", "ServiceCIDR", "servicecidrs", GROUP, "v1", &SERVICE_CIDRS),
];

static INGRESSES: [Column; 7] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("CLASS", Source::By(class), "The class whose controller serves it"),
    Column::of("HOSTS", Source::By(hosts), "The hosts that its rules are for"),
    Column::of("ADDRESS", Source::By(address), "Addresses or names of the load balancer"),
    Column::of("PORTS", Source::By(ports), "Ports it listens on"),
    Column::AGE,
];

static INGRESS_CLASSES: [Column; 4] = [
    Column::of("NAME", Source::By(class_name), "Its name, and whether it is the default"),
    Column::of("CONTROLLER", Source::Text("spec.controller"), "The controller that serves its ingresses"),
    Column::of("PARAMETERS", Source::By(parameters), "An object with further settings"),
    Column::AGE,
];

static NETWORK_POLICIES: [Column; 4] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("POD-SELECTOR", Source::Selector("spec.podSelector"), "The labels of the pods it is for"),
    Column::AGE,
];

static IP_ADDRESSES: [Column; 2] =
    [Column::NAME, Column::of("PARENTREF", Source::By(parent), "The object that has the address")];

static SERVICE_CIDRS: [Column; 3] = [
    Column::NAME,
    Column::of("CIDRS", Source::Joined("spec.cidrs"), "Ranges that services get their addresses from"),
    Column::AGE,
];

fn class(ingress: &Object) -> Cell {
    Cell::Text(at(ingress, "spec.ingressClassName").and_then(|it| it.as_str()).map(|it| it.as_ref().into()))
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `formatHosts`)
fn hosts(ingress: &Object) -> Cell {
    let (mut hosts, mut has_more) = (Vec::new(), false);
    for rule in items(ingress, "spec.rules") {
        has_more |= hosts.len() == 3;
        let host = text_below(rule, "host");
        if !has_more && !host.is_empty() {
            hosts.push(host);
        }
    }
    let more = items(ingress, "spec.rules").count().saturating_sub(3);
    Cell::exact(&match hosts.join(",") {
        joined if joined.is_empty() => "*".into(),
        joined if has_more => format!("{joined} + {more} more..."),
        joined => joined,
    })
}

fn address(ingress: &Object) -> Cell {
    Cell::exact(&load_balancer(ingress))
}

fn ports(ingress: &Object) -> Cell {
    Cell::exact(if items(ingress, "spec.tls").next().is_some() { "80, 443" } else { "80" })
}

fn class_name(class: &Object) -> Cell {
    default_name(class, &["ingressclass.kubernetes.io/is-default-class"])
}

/// The name, with a note if one of the annotations says that the object is the default.
pub(super) fn default_name(object: &Object, annotations: &[&str]) -> Cell {
    let is_default = annotations.iter().any(|it| object.annotation(it).as_deref() == Some("true"));
    Cell::exact(&[object.name(), if is_default { " (default)" } else { "" }].concat())
}

fn parameters(class: &Object) -> Cell {
    let Some(parameters) = at(class, "spec.parameters") else { return Cell::Text(None) };
    let part = |field| text_below(parameters, field);
    let dot = if below(parameters, "apiGroup").is_some() { "." } else { "" };
    Cell::exact(&[&part("kind"), dot, &part("apiGroup"), "/", &part("name")].concat())
}

fn parent(address: &Object) -> Cell {
    if at(address, "spec.parentRef").is_none() {
        return Cell::Text(None);
    }
    let part = |field: &str| text(address, &["spec.parentRef.", field].concat()).into_owned();
    let (group, namespace) = (part("group"), part("namespace"));
    let dot = if group.is_empty() { "" } else { "." };
    let slash = if namespace.is_empty() { "" } else { "/" };
    let resource = [&part("resource"), dot, &group].concat().to_ascii_lowercase();
    Cell::exact(&[&resource, slash, &namespace, "/", &part("name")].concat())
}
