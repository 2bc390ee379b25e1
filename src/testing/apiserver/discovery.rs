//! What the server says of itself: the discovery documents, aggregated and in their older form, and its version.

use std::hash::Hasher as _;

use serde_json::{Value, json};

use super::ApiServer;
use super::accept;
use super::kinds::{Kind, Kinds};
use super::refusal::{self, Refusal};
use super::transport::whole;
use crate::runtime::Response;

const JSON: &str = "application/json";
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const CUSTOM_VERBS: [&str; 8] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The document at a path below the server's root.
///
/// # Errors
/// 404 when there is none, 406 when the client takes no form of it.
pub(super) fn answer(
    server: &ApiServer,
    path: &[&str],
    accept: &str,
    if_none_match: &str,
) -> Result<Response, Refusal> {
    if let ["api" | "apis"] = path
        && accept::wants_aggregated_discovery(accept)?
    {
        return Ok(aggregated(server, path[0] == "api", if_none_match));
    }
    if path == ["version"] {
        return Ok(whole(200, JSON, super::to_json(&version())));
    }
    if let ["openapi", ..] = path {
        return Err(refusal::not_offered("the OpenAPI documents"));
    }
    let document = older_document(server, path).ok_or_else(|| missing(server, path))?;
    if !accept::takes_json(accept) {
        return Err(accept::not_acceptable());
    }
    Ok(whole(200, JSON, super::to_json(&document)))
}

/// Why there is nothing at a path that no kind is at.
pub(super) fn missing(server: &ApiServer, path: &[&str]) -> Refusal {
    match path {
        ["apis", group, version, ..] if is_remote(server, group, version) => refusal::service_unavailable(),
        ["api", ..] => refusal::no_such_path(),
        ["apis", group, _, ..] => {
            let kinds = server.inner.kinds.borrow();
            let is_built_in = kinds.all().iter().any(|kind| kind.group == *group && !kind.custom);
            if is_built_in { refusal::no_such_path() } else { refusal::page_not_found() }
        }
        _ => refusal::page_not_found(),
    }
}

/// A group's version that another server is to answer for; here there is none that does.
struct Remote {
    group: String,
    version: String,
}

fn remotes(server: &ApiServer) -> Vec<Remote> {
    let services = server.objects("apiservices");
    let remote = services.iter().filter(|service| service.get(&["spec", "service"]).is_some_and(Value::is_object));
    let text = |service: &crate::api::Manifest, name| service.str_at(&["spec", name]).unwrap_or_default().to_owned();
    remote.map(|service| Remote { group: text(service, "group"), version: text(service, "version") }).collect()
}

fn is_remote(server: &ApiServer, group: &str, version: &str) -> bool {
    remotes(server).iter().any(|remote| remote.group == group && remote.version == version)
}

fn aggregated(server: &ApiServer, is_core: bool, if_none_match: &str) -> Response {
    let kinds = server.inner.kinds.borrow();
    let mut items: Vec<Value> = Vec::new();
    for group in groups(&kinds).into_iter().filter(|group| group.is_empty() == is_core) {
        let versions = versions(&kinds, group).into_iter().map(|version| {
            let own = kinds.all().iter().filter(|kind| kind.group == group && kind.version(version).is_some());
            let resources: Vec<_> = own.map(|kind| aggregated_entry(kind, version)).collect();
            json!({ "version": version, "resources": resources, "freshness": "Current" })
        });
        let versions: Vec<_> = versions.collect();
        let metadata = if is_core { json!({}) } else { json!({ "name": group }) };
        items.push(json!({ "metadata": metadata, "versions": versions }));
    }
    for remote in if is_core { Vec::new() } else { remotes(server) } {
        let version = json!({ "version": remote.version, "freshness": "Stale" });
        match items.iter_mut().find(|item| item["metadata"]["name"] == remote.group) {
            Some(item) => item["versions"].as_array_mut().into_iter().for_each(|all| all.push(version.clone())),
            None => items.push(json!({ "metadata": { "name": remote.group }, "versions": [version] })),
        }
    }
    let document = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items,
    });
    let body = super::to_json(&document);
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(&body);
    let tag = format!("\"{:016X}\"", hasher.finish());
    let is_known = if_none_match.split(',').any(|known| known.trim() == tag);
    let mut response = if is_known { whole(304, "", "") } else { whole(200, AGGREGATED, body) };
    response.headers.retain(|(name, value)| name != "cache-control" && !value.is_empty());
    for (name, value) in [("cache-control", "public".to_owned()), ("etag", tag), ("vary", "Accept".to_owned())] {
        response.headers.push((name.into(), value));
    }
    response
}

fn aggregated_entry(kind: &Kind, version: &str) -> Value {
    let own = |name: &str| match kind.custom {
        true => json!({ "group": kind.group, "version": version, "kind": name }),
        false => json!({ "group": "", "version": "", "kind": name }),
    };
    let subresources = kind.subresources.iter().map(|name| {
        let (subkind, verbs) = subresource(kind, name);
        let response = if name == "scale" {
            json!({ "group": "autoscaling", "version": "v1", "kind": subkind })
        } else {
            own(subkind)
        };
        json!({ "subresource": name, "responseKind": response, "verbs": verbs })
    });
    let mut entry = json!({
        "resource": kind.resource, "responseKind": own(&kind.kind),
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": kind.singular, "verbs": verbs(kind),
    });
    add_lists(&mut entry, kind);
    if !kind.subresources.is_empty() {
        entry["subresources"] = subresources.collect();
    }
    entry
}

fn add_lists(entry: &mut Value, kind: &Kind) {
    for (name, list) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
        if !list.is_empty() {
            entry[name] = json!(list);
        }
    }
}

fn verbs(kind: &Kind) -> Vec<&'static str> {
    match kind.qualified.as_str() {
        "namespaces" => VERBS.into_iter().filter(|verb| *verb != "deletecollection").collect(),
        _ if kind.is_review() => vec!["create"],
        _ if kind.is_metrics() => vec!["get", "list"],
        _ if kind.custom => CUSTOM_VERBS.into(),
        _ => VERBS.into(),
    }
}

/// The kind that a subresource shows, and what it can do.
fn subresource<'a>(kind: &'a Kind, name: &str) -> (&'a str, &'static [&'static str]) {
    match name {
        "scale" => ("Scale", &["get", "patch", "update"]),
        "exec" => ("PodExecOptions", &["create", "get"]),
        "log" => (&kind.kind, &["get"]),
        _ => (&kind.kind, &["get", "patch", "update"]),
    }
}

fn older_document(server: &ApiServer, path: &[&str]) -> Option<Value> {
    let kinds = &*server.inner.kinds.borrow();
    match path {
        ["api"] => Some(json!({
            "kind": "APIVersions", "versions": ["v1"],
            "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443" }],
        })),
        ["apis"] => {
            let mut documents: Vec<_> =
                named_groups(server, kinds).iter().map(|it| group_document(server, kinds, it)).collect();
            documents.dedup();
            Some(json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": documents }))
        }
        ["api", version] => resources(kinds, "", version),
        ["apis", group] => {
            let groups = named_groups(server, kinds);
            groups.iter().any(|known| known == group).then(|| {
                let mut document = group_document(server, kinds, group);
                document["kind"] = "APIGroup".into();
                document["apiVersion"] = "v1".into();
                document
            })
        }
        ["apis", group, version] if !group.is_empty() => resources(kinds, group, version),
        _ => None,
    }
}

/// All groups, in the order of the kinds.
fn groups(kinds: &Kinds) -> Vec<&str> {
    let mut groups = Vec::new();
    for kind in kinds.all().iter().filter(|kind| !kind.versions.is_empty()) {
        if !groups.contains(&kind.group.as_str()) {
            groups.push(kind.group.as_str());
        }
    }
    groups
}

fn named_groups(server: &ApiServer, kinds: &Kinds) -> Vec<String> {
    let mut all: Vec<_> = groups(kinds).into_iter().filter(|it| !it.is_empty()).map(str::to_owned).collect();
    for remote in remotes(server) {
        if !all.contains(&remote.group) {
            all.push(remote.group);
        }
    }
    all
}

/// The versions of a group, the preferred one first.
fn versions<'a>(kinds: &'a Kinds, group: &str) -> Vec<&'a str> {
    let mut versions = Vec::new();
    for version in kinds.all().iter().filter(|kind| kind.group == group).flat_map(|kind| &kind.versions) {
        if !versions.contains(&version.name.as_str()) {
            versions.push(version.name.as_str());
        }
    }
    versions.sort_by_cached_key(|version| super::kinds::version_rank(version));
    versions
}

fn group_document(server: &ApiServer, kinds: &Kinds, group: &str) -> Value {
    let mut all: Vec<_> = versions(kinds, group).into_iter().map(str::to_owned).collect();
    all.extend(remotes(server).into_iter().filter(|remote| remote.group == group).map(|remote| remote.version));
    let versions: Vec<_> =
        all.iter().map(|version| json!({ "groupVersion": format!("{group}/{version}"), "version": version })).collect();
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
        "verbs": verbs(kind),
    });
    add_lists(&mut entry, kind);
    let mut entries = vec![entry];
    entries.extend(kind.subresources.iter().map(|name| {
        let (subkind, verbs) = subresource(kind, name);
        let mut entry = json!({
            "name": format!("{}/{name}", kind.resource), "singularName": "", "namespaced": kind.namespaced,
            "kind": subkind, "verbs": verbs,
        });
        if name == "scale" {
            entry["group"] = "autoscaling".into();
            entry["version"] = "v1".into();
        }
        entry
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
