//! What runs no pods.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::BuiltIn;
use super::text::{
    Now, at, first_three, has_condition, items, labels, list, number, selector_or_none, sorted, text, text_or, texts,
};
use crate::api::Manifest;

pub(super) fn built_in(qualified: &str) -> Option<BuiltIn> {
    Some(match qualified {
        "configmaps" => ("Name Data Age", |object, now| {
            let count = ["data", "binaryData"].map(|name| at(object, name).as_object().map_or(0, Map::len));
            vec![object.name().into(), count.iter().sum::<usize>().into(), now.age(object)]
        }),
        "secrets" => ("Name Type Data Age", |object, now| {
            let count = at(object, "data").as_object().map_or(0, Map::len);
            vec![object.name().into(), text(object, "type").into(), count.into(), now.age(object)]
        }),
        "serviceaccounts" => ("Name Age", |object, now| vec![object.name().into(), now.age(object)]),
        "namespaces" => ("Name Status Age", |object, now| {
            vec![object.name().into(), text(object, "status.phase").into(), now.age(object)]
        }),
        "leases.coordination.k8s.io" => ("Name Holder Age", |object, now| {
            vec![object.name().into(), text(object, "spec.holderIdentity").into(), now.age(object)]
        }),
        "networkpolicies.networking.k8s.io" => ("Name Pod-Selector Age", |object, now| {
            vec![object.name().into(), selector_or_none(at(object, "spec.podSelector")).into(), now.age(object)]
        }),
        "ingressclasses.networking.k8s.io" => INGRESS_CLASSES,
        "priorityclasses.scheduling.k8s.io" => {
            ("Name Value:integer Global-Default:boolean Age PreemptionPolicy", |it, now| {
                vec![
                    it.name().into(),
                    number(it, "value").into(),
                    (at(it, "globalDefault") == true).into(),
                    now.age(it),
                    text(it, "preemptionPolicy").into(),
                ]
            })
        }
        "events" => EVENTS,
        "nodes" => NODES,
        "services" => SERVICES,
        "endpointslices.discovery.k8s.io" => ENDPOINT_SLICES,
        "ingresses.networking.k8s.io" => INGRESSES,
        "poddisruptionbudgets.policy" => DISRUPTION_BUDGETS,
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => ROLE_BINDINGS,
        "apiservices.apiregistration.k8s.io" => API_SERVICES,
        "customresourcedefinitions.apiextensions.k8s.io" => DEFINITIONS,
        // The kinds that the real server has no printer for.
        "limitranges" | "roles.rbac.authorization.k8s.io" | "clusterroles.rbac.authorization.k8s.io" => {
            ("Name Created_At:date", |object, _| vec![object.name().into(), created(object)])
        }
        _ => return None,
    })
}

/// Go's zero for a bookmark's object, which was never created.
fn created(object: &Manifest) -> Value {
    let created = object.metadata.creation_timestamp;
    created.map_or_else(|| "0001-01-01T00:00:00Z".into(), |created| created.to_string().into())
}

const EVENTS: BuiltIn =
    ("Last_Seen Type Reason Object Subobject* Source* Message First_Seen* Count* Name*", |event, now| {
        let since = |path| now.since(text(event, path).parse().ok());
        let first = match text(event, "firstTimestamp") {
            "" => since("eventTime"),
            _ => since("firstTimestamp"),
        };
        let series = at(event, "series").is_object();
        let last = match text(event, "lastTimestamp") {
            _ if series => since("series.lastObservedTime"),
            "" => first.clone(),
            _ => since("lastTimestamp"),
        };
        let count = if series { number(event, "series.count") } else { number(event, "count").max(1) };
        let kind = text(event, "involvedObject.kind").to_lowercase();
        let object = match text(event, "involvedObject.name") {
            "" => kind,
            name => format!("{kind}/{name}"),
        };
        let component = text_or(event, "source.component", text(event, "reportingComponent"));
        let source = match text_or(event, "source.host", text(event, "reportingInstance")) {
            "" => component.to_owned(),
            instance => format!("{component}, {instance}"),
        };
        vec![
            last.into(),
            text(event, "type").into(),
            text(event, "reason").into(),
            object.into(),
            text(event, "involvedObject.fieldPath").into(),
            source.into(),
            text(event, "message").trim().into(),
            first.into(),
            count.into(),
            event.name().into(),
        ]
    });

const NODES: BuiltIn = (
    "Name Status Roles Age Version Internal-IP* External-IP* OS-Image* Kernel-Version* Container-Runtime*",
    |node, now| {
        let ready = list(node, "status.conditions").iter().rfind(|condition| condition["type"] == "Ready");
        let ready = ready.map_or("Unknown", |it| if it["status"] == "True" { "Ready" } else { "NotReady" });
        let cordoned = if at(node, "spec.unschedulable") == true { ",SchedulingDisabled" } else { "" };
        let info = |name| at(node, "status.nodeInfo")[name].as_str().unwrap_or_default();
        let known = |name| Some(info(name)).filter(|text| !text.is_empty()).unwrap_or("<unknown>");
        let kernel = match info("architecture") {
            "" => known("kernelVersion").to_owned(),
            architecture => format!("{} ({architecture})", known("kernelVersion")),
        };
        vec![
            node.name().into(),
            format!("{ready}{cordoned}").into(),
            roles(node).into(),
            now.age(node),
            info("kubeletVersion").into(),
            address(node, "InternalIP").into(),
            address(node, "ExternalIP").into(),
            known("osImage").into(),
            kernel.into(),
            known("containerRuntimeVersion").into(),
        ]
    },
);

fn roles(node: &Manifest) -> String {
    let labels = node.metadata.labels.iter();
    let roles: BTreeSet<&str> = labels
        .filter_map(|(name, value)| match name.strip_prefix("node-role.kubernetes.io/") {
            None if name == "kubernetes.io/role" => Some(value.as_str()),
            role => role,
        })
        .filter(|role| !role.is_empty())
        .collect();
    if roles.is_empty() { "<none>".into() } else { roles.into_iter().collect::<Vec<_>>().join(",") }
}

fn address<'a>(node: &'a Manifest, name: &str) -> &'a str {
    let address = list(node, "status.addresses").iter().find(|address| address["type"] == name);
    address.and_then(|address| address["address"].as_str()).unwrap_or("<none>")
}

const SERVICES: BuiltIn = ("Name Type Cluster-IP External-IP Port(s) Age Selector*", |service, now| {
    let address = list(service, "spec.clusterIPs").first().unwrap_or(at(service, "spec.clusterIP"));
    let ports: Vec<String> = list(service, "spec.ports").iter().map(port_text).collect();
    vec![
        service.name().into(),
        text(service, "spec.type").into(),
        address.as_str().filter(|address| !address.is_empty()).unwrap_or("<none>").into(),
        external_addresses(service).into(),
        if ports.is_empty() { "<none>".into() } else { ports.join(",").into() },
        now.age(service),
        labels(at(service, "spec.selector")).into(),
    ]
});

fn port_text(port: &Value) -> String {
    let number = |name| port[name].as_i64().unwrap_or(0);
    let protocol = port["protocol"].as_str().unwrap_or("TCP");
    match number("nodePort") {
        0 => format!("{}/{protocol}", number("port")),
        node_port => format!("{}:{node_port}/{protocol}", number("port")),
    }
}

fn external_addresses(service: &Manifest) -> String {
    let given = list(service, "spec.externalIPs").iter().filter_map(Value::as_str).map(str::to_owned);
    let (mut addresses, absent) = match text(service, "spec.type") {
        "ClusterIP" | "NodePort" => (Vec::new(), "<none>"),
        "LoadBalancer" => (balancers(service), "<pending>"),
        "ExternalName" => return text(service, "spec.externalName").into(),
        _ => return "<unknown>".into(),
    };
    addresses.extend(given);
    if addresses.is_empty() { absent.into() } else { addresses.join(",") }
}

/// Where a load balancer is reached, sorted.
fn balancers(object: &Manifest) -> Vec<String> {
    let text = |ingress: &Value, name: &str| ingress[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let ingresses = list(object, "status.loadBalancer.ingress").iter();
    let addresses: BTreeSet<_> = ingresses.filter_map(|it| text(it, "ip").or_else(|| text(it, "hostname"))).collect();
    addresses.into_iter().collect()
}

const INGRESSES: BuiltIn = ("Name Class Hosts Address Ports Age", |ingress, now| {
    let rules = list(ingress, "spec.rules");
    let (mut hosts, mut more) = (Vec::new(), "".to_owned());
    for host in texts(rules, "host") {
        if hosts.len() == 3 {
            // How many more is counted by rules, whether or not they name a host.
            more = format!(" + {} more...", rules.len() - 3);
        } else if !host.is_empty() {
            hosts.push(host);
        }
    }
    let hosts = if hosts.is_empty() { "*".into() } else { hosts.join(",") + &more };
    vec![
        ingress.name().into(),
        at(ingress, "spec.ingressClassName").as_str().unwrap_or("<none>").into(),
        hosts.into(),
        balancers(ingress).join(",").into(),
        if list(ingress, "spec.tls").is_empty() { "80" } else { "80, 443" }.into(),
        now.age(ingress),
    ]
});

const INGRESS_CLASSES: BuiltIn = ("Name Controller Parameters Age", |class, now| {
    let is_default = class.metadata.annotations.get("ingressclass.kubernetes.io/is-default-class");
    let mark = if is_default.is_some_and(|value| value == "true") { " (default)" } else { "" };
    let parameters = match (at(class, "spec.parameters"), at(class, "spec.parameters.apiGroup").as_str()) {
        (Value::Null, _) => "<none>".to_owned(),
        (_, group) => {
            let group = group.map_or_else(String::new, |group| format!(".{group}"));
            format!("{}{group}/{}", text(class, "spec.parameters.kind"), text(class, "spec.parameters.name"))
        }
    };
    vec![
        format!("{}{mark}", class.name()).into(),
        text(class, "spec.controller").into(),
        parameters.into(),
        now.age(class),
    ]
});

const ENDPOINT_SLICES: BuiltIn = ("Name AddressType Ports Endpoints Age", |slice, now| {
    let port = |port: &Value| match (port["port"].as_i64(), port["name"].as_str()) {
        (Some(number), _) => number.to_string(),
        (None, name) => name.unwrap_or("*").to_owned(),
    };
    let ports: Vec<_> = list(slice, "ports").iter().map(port).collect();
    let addresses = list(slice, "endpoints").iter().flat_map(|endpoint| items(&endpoint["addresses"]));
    let addresses: Vec<_> = addresses.filter_map(Value::as_str).map(str::to_owned).collect();
    vec![
        slice.name().into(),
        text(slice, "addressType").into(),
        first_three(&ports, "<unset>").into(),
        first_three(&addresses, "<unset>").into(),
        now.age(slice),
    ]
});

const DISRUPTION_BUDGETS: BuiltIn =
    ("Name Min_Available Max_Unavailable Allowed_Disruptions:integer Age", |budget, now| {
        let bound = |path| match at(budget, path) {
            Value::Null => "N/A".into(),
            Value::String(text) => text.clone(),
            number => number.to_string(),
        };
        vec![
            budget.name().into(),
            bound("spec.minAvailable").into(),
            bound("spec.maxUnavailable").into(),
            number(budget, "status.disruptionsAllowed").into(),
            now.age(budget),
        ]
    });

const ROLE_BINDINGS: BuiltIn = ("Name Role Age Users* Groups* ServiceAccounts*", |binding, now| {
    let subjects = list(binding, "subjects");
    let of = |kind: &str| {
        let subjects = subjects.iter().filter(|subject| subject["kind"] == kind);
        let text = |subject: &Value, name: &str| subject[name].as_str().unwrap_or_default().to_owned();
        let names = subjects.map(|subject| match kind {
            "ServiceAccount" => format!("{}/{}", text(subject, "namespace"), text(subject, "name")),
            _ => text(subject, "name"),
        });
        Value::from(names.collect::<Vec<_>>().join(", "))
    };
    let role = format!("{}/{}", text(binding, "roleRef.kind"), text(binding, "roleRef.name"));
    let [users, groups, accounts] = ["User", "Group", "ServiceAccount"].map(of);
    vec![binding.name().into(), role.into(), now.age(binding), users, groups, accounts]
});

const API_SERVICES: BuiltIn = ("Name Service Available Age", |object, now| {
    let service = match at(object, "spec.service") {
        Value::Null => "Local".to_owned(),
        _ => format!("{}/{}", text(object, "spec.service.namespace"), text(object, "spec.service.name")),
    };
    let available = list(object, "status.conditions").iter().find(|condition| condition["type"] == "Available");
    let available = available.map_or("Unknown".into(), |condition| {
        let (status, reason) = (condition["status"].as_str(), condition["reason"].as_str());
        match (status.unwrap_or_default(), reason.unwrap_or_default()) {
            ("True", _) => "True".into(),
            (status, "") => status.to_owned(),
            (status, reason) => format!("{status} ({reason})"),
        }
    });
    vec![object.name().into(), service.into(), available.into(), now.age(object)]
});

const DEFINITIONS: BuiltIn =
    ("Name Scope Versions Created_At:date Group* Kind* ShortNames* Established*:boolean", |definition, _: Now| {
        let served = list(definition, "spec.versions").iter().filter(|version| version["served"] == true);
        let versions = sorted(served.map(|version| {
            let mark = if version["storage"] == true { "(storage)" } else { "" };
            format!("{}{mark}", version["name"].as_str().unwrap_or_default())
        }));
        let short_names = list(definition, "spec.names.shortNames").iter().filter_map(Value::as_str);
        vec![
            definition.name().into(),
            text(definition, "spec.scope").into(),
            versions.join(",").into(),
            created(definition),
            text(definition, "spec.group").into(),
            text(definition, "spec.names.kind").into(),
            short_names.collect::<Vec<_>>().join(",").into(),
            has_condition(list(definition, "status.conditions"), "Established").into(),
        ]
    });
