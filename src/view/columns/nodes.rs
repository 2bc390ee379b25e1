use std::borrow::Cow;

use super::read::{items, sorted, status, text, text_below};
use super::{Cell, Column, Object, Resource, Source};

pub(super) static KINDS: [Resource; 1] = [Resource::of("Nodes", "Node", "nodes", "", "v1", &NODES)];

static NODES: [Column; 10] = [
    Column::NAME,
    Column::of("STATUS", Source::By(node_status), "Whether it is ready, and may take pods"),
    Column::of("ROLES", Source::By(roles), "What it is for"),
    Column::AGE,
    Column::of("VERSION", Source::Text("status.nodeInfo.kubeletVersion"), "The version of its kubelet"),
    Column::of("INTERNAL-IP", Source::By(internal_ip), "Its address within the cluster").wide(),
    Column::of("EXTERNAL-IP", Source::By(external_ip), "Its address outside of the cluster").wide(),
    Column::of("OS-IMAGE", Source::By(os_image), "Its operating system").wide(),
    Column::of("KERNEL-VERSION", Source::By(kernel), "The version and architecture of its kernel").wide(),
    Column::of("CONTAINER-RUNTIME", Source::By(runtime), "What runs its containers").wide(),
];

/// (kubernetes: pkg/printers/internalversion/printers.go, `printNode`)
fn node_status(node: &Object) -> Cell {
    // The last of several conditions of a type counts.
    let conditions = items(node, "status.conditions");
    let ready = conditions.filter(|it| text_below(*it, "type") == "Ready").last();
    let word = match ready.map(|it| text_below(it, "status") == "True") {
        None => "Unknown",
        Some(true) => "Ready",
        Some(false) => "NotReady",
    };
    let is_closed = node.get(&["spec", "unschedulable"]).and_then(|it| it.as_bool()) == Some(true);
    status(&[word, if is_closed { ",SchedulingDisabled" } else { "" }].concat())
}

fn roles(node: &Object) -> Cell {
    let role = |(key, value): (&str, Cow<'_, str>)| match key.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => Some(role.to_owned()),
        None if key == "kubernetes.io/role" => Some(value.into_owned()),
        None => None,
    };
    let mut roles = sorted(node.labels().filter_map(role).filter(|it| !it.is_empty()).collect());
    roles.dedup();
    Cell::text(&roles.join(","))
}

fn internal_ip(node: &Object) -> Cell {
    address(node, "InternalIP")
}

fn external_ip(node: &Object) -> Cell {
    address(node, "ExternalIP")
}

fn address(node: &Object, kind: &str) -> Cell {
    let address = items(node, "status.addresses").find(|it| text_below(*it, "type") == kind);
    Cell::Address(address.map(|it| text_below(it, "address").as_ref().into()))
}

fn os_image(node: &Object) -> Cell {
    Cell::exact(&info(node, "osImage"))
}

fn runtime(node: &Object) -> Cell {
    Cell::exact(&info(node, "containerRuntimeVersion"))
}

fn kernel(node: &Object) -> Cell {
    let version = info(node, "kernelVersion");
    Cell::exact(&match &*text(node, "status.nodeInfo.architecture") {
        "" => version,
        architecture => [&version, " (", architecture, ")"].concat(),
    })
}

fn info(node: &Object, field: &str) -> String {
    match node.str_at(&["status", "nodeInfo", field]) {
        Some(text) if !text.is_empty() => text.into_owned(),
        _ => "<unknown>".into(),
    }
}
