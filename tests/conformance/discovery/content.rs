use serde_json::json;
use watchglass::rest::discovery::split_groups_and_resources;
use watchglass::testing::Sandbox;

use super::server::{Answer, DiscoveryServer, Groups, JSON, V2, aggregated};

/// client-go: `TestDiscoveryContentTypeVersion`.
#[test]
fn an_answer_is_aggregated_when_its_content_type_says_so_in_whatever_order() {
    let groups: Groups = &[("apps", &[("v1", &["deployments Deployment"])])];
    let cases = [
        (V2, true),
        ("application/json; g=apidiscovery.k8s.io; v=v2; as=APIGroupDiscoveryList", true),
        ("application/json; as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io", true),
        ("application/json; v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList;charset=utf-8", true),
        ("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", true),
        ("application/json;g=apidiscovery.k8s.io;v=v1alpha1;as=APIGroupDiscoveryList", false),
        ("application/json;g=other.k8s.io;v=v2;as=APIGroupDiscoveryList", false),
        ("application/json;g=apidiscovery.k8s.io;v=v2", false),
        (JSON, false),
        ("application/json; charset=UTF-8", false),
        ("text/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", false),
        ("text/html", false),
        ("", false),
    ];
    for (content_type, expected) in cases {
        let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(groups));
        // An answer in the aggregated form has no field that the legacy form needs.
        server.answer("apis", Answer::json(aggregated(groups)).of_type(content_type));
        let found = sandbox.block_on(server.client(&sandbox).groups_and_maybe_resources()).expect("an answer");
        assert_eq!(found.resources.is_some(), expected, "{content_type:?}");
    }
}

/// For safety, resources count only when both endpoints have them.
#[test]
fn a_server_that_is_half_aggregated_is_asked_for_each_version() {
    let groups: Groups = &[("", &[("v1", &["pods Pod"])]), ("apps", &[("v1", &["deployments Deployment"])])];
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(groups));
    server.answer("api", Answer::json(aggregated(&groups[..1])).of_type(V2));
    let client = server.client(&sandbox);
    assert_eq!(sandbox.block_on(client.groups_and_maybe_resources()).expect("groups").resources, None);
    server.asked();
    sandbox.block_on(client.server_groups_and_resources()).expect("all");
    assert_eq!(server.asked(), ["api", "apis", "api/v1", "apis/apps/v1"]);
}

fn lines(discovered: serde_json::Value) -> Vec<String> {
    let split = split_groups_and_resources(&serde_json::from_value(discovered).expect("the aggregated form"));
    let groups = split.groups.iter().map(|group| {
        let versions: Vec<_> = group.versions.iter().map(|version| &*version.group_version).collect();
        format!("group {:?} {} preferred {:?}", group.name, versions.join(" "), group.preferred_version.version)
    });
    let resources = split.resources.iter().flat_map(|list| {
        list.resources.iter().map(move |it| {
            let scope = if it.namespaced { "namespaced" } else { "cluster" };
            format!(
                "{} {} {:?} {} {scope} {}",
                list.group_version,
                it.name,
                it.singular_name,
                it.kind,
                it.verbs.join(",")
            )
        })
    });
    let stale = split.stale.iter().map(|version| format!("stale {version}"));
    groups.chain(resources).chain(stale).collect()
}

/// client-go: `TestSplitGroupsAndResources`.
#[test]
fn the_aggregated_form_is_taken_apart() {
    let two: Groups = &[
        ("", &[("v1", &["pods Pod", "nodes Node cluster"])]),
        ("apps", &[("v2", &["deployments Deployment"]), ("v1", &["deployments Deployment"])]),
    ];
    let expected = [
        "group \"\" v1 preferred \"v1\"",
        "group \"apps\" apps/v2 apps/v1 preferred \"v2\"",
        "v1 pods \"\" Pod namespaced get,list",
        "v1 nodes \"\" Node cluster get,list",
        "apps/v2 deployments \"\" Deployment namespaced get,list",
        "apps/v1 deployments \"\" Deployment namespaced get,list",
    ];
    assert_eq!(lines(aggregated(two)), expected);
    let stale: Groups = &[("", &[("v1!", &["pods Pod"])]), ("apps", &[("v2!", &["a A"]), ("v1", &["a A"])])];
    let expected = [
        "group \"\"  preferred \"\"",
        "group \"apps\" apps/v1 preferred \"v1\"",
        "apps/v1 a \"\" A namespaced get,list",
        "stale v1",
        "stale apps/v2",
    ];
    assert_eq!(lines(aggregated(stale)), expected);
}

/// client-go: `TestSplitGroupsAndResources`.
#[test]
fn a_subresource_needs_a_kind_of_its_own_and_takes_the_rest_from_its_parent() {
    let kind = |kind: &str| json!({ "group": "", "version": "v1", "kind": kind });
    let of = |response_kind: serde_json::Value| {
        let subresources = json!([
            { "subresource": "scale", "responseKind": kind("Scale"), "verbs": ["get", "patch"] },
            { "subresource": "status", "responseKind": kind("Deployment"), "verbs": null },
            { "subresource": "without", "verbs": ["get"] },
            { "subresource": "empty", "responseKind": {}, "verbs": ["get"] },
        ]);
        let resource = json!({
            "resource": "deployments", "singularResource": "deployment", "scope": "Namespaced", "verbs": ["list"],
            "responseKind": response_kind, "shortNames": ["deploy"], "subresources": subresources,
        });
        lines(
            json!({ "items": [{ "metadata": { "name": "apps" }, "versions": [{ "version": "v1", "resources": [resource] }] }] }),
        )
    };
    let subresources = [
        "apps/v1 deployments/scale \"deployment\" Scale namespaced get,patch",
        "apps/v1 deployments/status \"deployment\" Deployment namespaced ",
    ];
    let parent = "apps/v1 deployments \"deployment\" Deployment namespaced list";
    assert_eq!(of(kind("Deployment"))[1..], [&[parent], &subresources[..]].concat());
    for without_kind in [json!(null), json!({ "group": "", "version": "", "kind": "" })] {
        assert_eq!(of(without_kind)[1..], subresources, "a parent without a kind is dropped, and they are kept");
    }
}
