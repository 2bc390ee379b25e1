//! What the server says of itself: the discovery documents in their legacy form, and its version.

use serde_json::{Value, json};

use super::kinds::{KINDS, Kind};

const VERBS: [&str; 7] = ["create", "delete", "get", "list", "patch", "update", "watch"];

/// The document at a path below the server's root; none when there is none.
pub(super) fn document(path: &[&str]) -> Option<Value> {
    match path {
        ["version"] => Some(version()),
        ["api"] => Some(json!({
            "kind": "APIVersions", "versions": ["v1"],
            "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443" }],
        })),
        ["apis"] => {
            let groups: Vec<_> = groups().map(group_document).collect();
            Some(json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups }))
        }
        ["api", "v1"] => Some(resources("", "v1")),
        ["apis", group] => groups().find(|known| known == group).map(|group| {
            let mut document = group_document(group);
            document["kind"] = "APIGroup".into();
            document["apiVersion"] = "v1".into();
            document
        }),
        ["apis", group, "v1"] => {
            groups().find(|known| known == group).map(|group| resources(group, &format!("{group}/v1")))
        }
        _ => None,
    }
}

/// The named groups, in the order of the table.
fn groups() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    KINDS.iter().filter_map(move |kind| {
        let is_new = kind.group != last;
        last = kind.group;
        is_new.then_some(kind.group)
    })
}

fn group_document(group: &str) -> Value {
    let version = json!({ "groupVersion": format!("{group}/v1"), "version": "v1" });
    json!({ "name": group, "versions": [version], "preferredVersion": version })
}

fn resources(group: &str, group_version: &str) -> Value {
    let resources: Vec<Value> = KINDS.iter().filter(|kind| kind.group == group).flat_map(entries).collect();
    let mut document = json!({ "kind": "APIResourceList", "groupVersion": group_version, "resources": resources });
    if !group.is_empty() {
        document["apiVersion"] = "v1".into();
    }
    document
}

fn entries(kind: &Kind) -> Vec<Value> {
    let mut entry = json!({
        "name": kind.resource, "singularName": kind.singular, "namespaced": kind.namespaced, "kind": kind.kind,
        "verbs": VERBS,
    });
    if !kind.short_names.is_empty() {
        entry["shortNames"] = json!(kind.short_names);
    }
    if ["pods", "services", "deployments", "replicasets", "daemonsets", "jobs"].contains(&kind.resource) {
        entry["categories"] = json!(["all"]);
    }
    let status = json!({
        "name": format!("{}/status", kind.resource), "singularName": "", "namespaced": kind.namespaced,
        "kind": kind.kind, "verbs": ["get", "patch", "update"],
    });
    let mut entries = vec![entry];
    entries.extend(kind.has_status.then_some(status));
    entries
}

fn version() -> Value {
    json!({
        "major": "1", "minor": "37", "gitVersion": "v1.37.2+watchglass-demo", "gitCommit": "",
        "gitTreeState": "clean", "buildDate": "2026-01-01T00:00:00Z", "goVersion": "", "compiler": "rustc",
        "platform": "in-memory",
    })
}
