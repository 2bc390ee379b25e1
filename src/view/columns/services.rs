use std::borrow::Cow;

use super::read::{below, first_and_more, items, joined, number_below, plain, sorted, text, text_below};
use super::{Cell, Column, Object, Resource, Source, ValueRef};

/// Services and what they lead to.
pub(super) static KINDS: [Resource; 3] = [
    Resource::of("Services", "Service", "services", "", "v1", &SERVICES),
    Resource::of("EndpointSlices", "EndpointSlice", "endpointslices", "discovery.k8s.io", "v1", &ENDPOINT_SLICES),
    Resource::of("Endpoints", "Endpoints", "endpoints", "", "v1", &ENDPOINTS),
];

static SERVICES: [Column; 8] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("TYPE", Source::Text("spec.type"), "How it is reached"),
    Column::of("CLUSTER-IP", Source::By(cluster_ip), "Its address within the cluster"),
    Column::of("EXTERNAL-IP", Source::By(external_ip), "Its addresses or name outside of the cluster"),
    Column::of("PORT(S)", Source::By(ports), "Its ports, each with that of the nodes and its protocol"),
    Column::AGE,
    Column::selector(Source::Labels("spec.selector")),
];

static ENDPOINTS: [Column; 4] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("ENDPOINTS", Source::By(endpoints), "Addresses and ports of the pods"),
    Column::AGE,
];

static ENDPOINT_SLICES: [Column; 6] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("ADDRESSTYPE", Source::Text("addressType"), "What its addresses are"),
    Column::of("PORTS", Source::By(slice_ports), "Ports of the endpoints"),
    Column::of("ENDPOINTS", Source::By(slice_endpoints), "Addresses of the endpoints"),
    Column::AGE,
];

fn cluster_ip(service: &Object) -> Cell {
    match items(service, "spec.clusterIPs").next() {
        Some(first) => Cell::address(&plain(first)),
        None => Cell::address(&text(service, "spec.clusterIP")),
    }
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `getServiceExternalIP`, wide)
fn external_ip(service: &Object) -> Cell {
    let external = joined(service, "spec.externalIPs");
    match &*text(service, "spec.type") {
        "ClusterIP" | "NodePort" => Cell::text(&external),
        "LoadBalancer" => Cell::exact(&match (load_balancer(service), external) {
            (ingress, external) if ingress.is_empty() && external.is_empty() => "<pending>".into(),
            (ingress, external) if external.is_empty() => ingress,
            (ingress, external) if ingress.is_empty() => external,
            (ingress, external) => [&ingress, ",", &external].concat(),
        }),
        "ExternalName" => Cell::exact(&text(service, "spec.externalName")),
        _ => Cell::exact("<unknown>"),
    }
}

/// The addresses, or else names, of a load balancer, sorted, each once.
pub(super) fn load_balancer(object: &Object) -> String {
    let address = |ingress| {
        let ip = text_below(ingress, "ip");
        if ip.is_empty() { text_below(ingress, "hostname") } else { ip }
    };
    let addresses = items(object, "status.loadBalancer.ingress").map(address).filter(|it| !it.is_empty());
    let mut addresses = sorted(addresses.map(Cow::into_owned).collect());
    addresses.dedup();
    addresses.join(",")
}

fn ports(service: &Object) -> Cell {
    let port = |port| {
        let (number, node, protocol) =
            (number_below(port, "port"), number_below(port, "nodePort"), text_below(port, "protocol"));
        match node {
            1.. => format!("{number}:{node}/{protocol}"),
            _ => format!("{number}/{protocol}"),
        }
    };
    Cell::text(&items(service, "spec.ports").map(port).collect::<Vec<_>>().join(","))
}

/// (kubernetes: pkg/printers/internalversion/printers.go, `formatEndpoints`)
fn endpoints(endpoints: &Object) -> Cell {
    let mut found = Vec::new();
    for subset in items(endpoints, "subsets") {
        let list = |field| below(subset, field).into_iter().flat_map(ValueRef::items);
        let addresses = || list("addresses").map(|it| text_below(it, "ip"));
        if list("ports").next().is_none() {
            found.extend(addresses());
        }
        for port in list("ports") {
            found.extend(addresses().map(|it| host_and_port(&it, number_below(port, "port")).into()));
        }
    }
    match (items(endpoints, "subsets").next(), found.is_empty()) {
        (None, _) => Cell::Text(None),
        (Some(_), true) => Cell::exact(""),
        _ => Cell::exact(&first_and_more(&found, 3)),
    }
}

/// (Go: `net.JoinHostPort`)
fn host_and_port(host: &str, port: i64) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

fn slice_ports(slice: &Object) -> Cell {
    let port = |port| match (below(port, "port"), below(port, "name")) {
        (None, None) => "*".into(),
        (Some(it), _) | (None, Some(it)) => plain(it),
    };
    Cell::exact(&first_and_more(&items(slice, "ports").map(port).collect::<Vec<_>>(), 3))
}

fn slice_endpoints(slice: &Object) -> Cell {
    let addresses = |endpoint| below(endpoint, "addresses").into_iter().flat_map(ValueRef::items);
    Cell::exact(&first_and_more(&items(slice, "endpoints").flat_map(addresses).map(plain).collect::<Vec<_>>(), 3))
}
