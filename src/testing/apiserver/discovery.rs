//! What the server says of itself: the discovery documents in their legacy form, and its version.

use serde_json::{Value, json};

use super::ApiServer;
use super::kinds::{Kind, Kinds};

const VERBS: [&str; 7] = ["create", "delete", "get", "list", "patch", "update", "watch"];

/// The document at a path below the server's root; none when there is none.
pub(super) fn document(server: &ApiServer, path: &[&str]) -> Option<Value> {
    let kinds = &*server.inner.kinds.borrow();
    match path {
        ["version"] => Some(version()),
        ["api"] => Some(json!({
            "kind": "APIVersions", "versions": ["v1"],
            "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443" }],
        })),
        ["apis"] => {
            let groups: Vec<_> = groups(kinds).into_iter().map(|group| group_document(kinds, group)).collect();
            Some(json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups }))
        }
        ["api", version] => resources(kinds, "", version),
        ["apis", group] => groups(kinds).into_iter().find(|known| known == group).map(|group| {
            let mut document = group_document(kinds, group);
            document["kind"] = "APIGroup".into();
            document["apiVersion"] = "v1".into();
            document
        }),
        ["apis", group, version] => resources(kinds, group, version),
        _ => None,
    }
}

/// The named groups, in the order of the kinds.
fn groups(kinds: &Kinds) -> Vec<&str> {
    let mut groups = Vec::new();
    for kind in kinds.all().iter().filter(|kind| !kind.group.is_empty()) {
        if !groups.contains(&kind.group.as_str()) {
            groups.push(kind.group.as_str());
        }
    }
    groups
}

fn group_document(kinds: &Kinds, group: &str) -> Value {
    let mut versions = Vec::new();
    for version in kinds.all().iter().filter(|kind| kind.group == group).flat_map(|kind| &kind.versions) {
        let version = json!({ "groupVersion": format!("{group}/{}", version.name), "version": version.name });
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    json!({ "name": group, "preferredVersion": versions[0], "versions": versions })
}

fn resources(kinds: &Kinds, group: &str, version: &str) -> Option<Value> {
    let own = kinds.all().iter().filter(|kind| kind.group == group && kind.version(version).is_some());
    let resources: Vec<Value> = own.flat_map(|kind| entries(kind)).collect();
    if resources.is_empty() {
        return None;
    }
    let group_version = if group.is_empty() { version.into() } else { format!("{group}/{version}") };
    let mut document = json!({ "kind": "APIResourceList", "groupVersion": group_version, "resources": resources });
    if !group.is_empty() {
        document["apiVersion"] = "v1".into();
    }
    Some(document)
}

fn entries(kind: &Kind) -> Vec<Value> {
    let mut entry = json!({
        "name": kind.resource, "singularName": kind.singular, "namespaced": kind.namespaced, "kind": kind.kind,
        "verbs": VERBS,
    });
    for (name, list) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
        if !list.is_empty() {
            entry[name] = json!(list);
        }
    }
    let mut entries = vec![entry];
    entries.extend(kind.subresources.iter().map(|subresource| {
        json!({
            "name": format!("{}/{subresource}", kind.resource), "singularName": "", "namespaced": kind.namespaced,
            "kind": kind.kind, "verbs": ["get", "patch", "update"],
        })
    }));
    entries
}

fn version() -> Value {
    json!({
        "major": "1", "minor": "37", "gitVersion": "v1.37.2+watchglass-demo", "gitCommit": "",
        "gitTreeState": "clean", "buildDate": "2026-01-01T00:00:00Z", "goVersion": "", "compiler": "rustc",
        "platform": "in-memory",
    })
}
