use watchglass::api::GroupKind;
use watchglass::rest::discovery::ServerResources;
use watchglass::rest::rest_mapper::{RestMapper as _, RestScope, api_group_resources, new_discovery_rest_mapper};
use watchglass::testing::Sandbox;

use super::support::{kind, resource};
use crate::discovery::server::{Answer, DiscoveryServer, Groups};

fn discover(server: &DiscoveryServer) -> ServerResources {
    let sandbox = Sandbox::new();
    sandbox.block_on(server.client(&sandbox).server_groups_and_resources()).expect("what is there")
}

/// client-go: `TestRESTMapper`.
#[test]
fn the_core_group_then_the_preferred_then_the_other_versions_are_preferred() {
    let served: Groups = &[
        ("extensions", &[("v1beta", &["jobs Job", "pods Pod"])]),
        ("", &[("v1", &["pods Pod"]), ("v2", &["pods Pod", "nodes Node cluster", "pods/log Pod"])]),
        (
            "unpreferred",
            &[
                ("v1", &["broccoli Broccoli"]),
                ("v2beta1", &["broccoli Broccoli", "peas Pea"]),
                ("v2alpha1", &["broccoli Broccoli", "peas Pea"]),
            ],
        ),
    ];
    for server in [DiscoveryServer::legacy(served), DiscoveryServer::aggregated(served)] {
        let mapper = new_discovery_rest_mapper(&api_group_resources(&discover(&server)));
        let cases = [
            ("//pods", "/v1/pods", "/v1/Pod"),
            ("/v1/pods", "/v1/pods", "/v1/Pod"),
            ("/v2/pods", "/v2/pods", "/v2/Pod"),
            ("//pod", "/v1/pods", "/v1/Pod"),
            ("//jobs", "extensions/v1beta/jobs", "extensions/v1beta/Job"),
            ("ext//pods", "extensions/v1beta/pods", "extensions/v1beta/Pod"),
            ("//peas", "unpreferred/v2beta1/peas", "unpreferred/v2beta1/Pea"),
            ("//broccoli", "unpreferred/v1/broccoli", "unpreferred/v1/Broccoli"),
        ];
        for (asked, expected_resource, expected_kind) in cases {
            assert_eq!(mapper.resource_for(&resource(asked)), Ok(resource(expected_resource)), "{asked}");
            assert_eq!(mapper.kind_for(&resource(asked)), Ok(kind(expected_kind)), "{asked}");
        }
        let map = |name: &str| mapper.rest_mapping(&GroupKind::new("", name), &[]);
        assert_eq!(map("Pod").expect("a mapping").resource, resource("/v1/pods"));
        assert_eq!(map("pod").expect("kinds are known in lower case too").resource, resource("/v1/pods"));
        assert_eq!(map("Node").expect("a mapping").scope, RestScope::Root);
        assert_eq!(map("Pod").expect("a mapping").scope, RestScope::Namespace);
        assert!(map("PodList").is_ok() && map("List").is_ok());
        assert!(mapper.resource_for(&resource("//pods/log")).is_err_and(|error| error.is_no_match()));
    }
}

/// client-go: `TestGetAPIGroupResources`.
#[test]
fn a_group_that_fails_has_no_resources_and_harms_no_other() {
    let served: Groups = &[("a", &[("v1", &["foos Foo"])]), ("b", &[("v1", &["bars Bar"])])];
    let kinds = |served: &ServerResources| -> Vec<String> {
        let groups = api_group_resources(served);
        let each = groups.iter().map(|it| {
            let kinds = it.versioned_resources.values().flat_map(|list| &list.resources).map(|it| &*it.kind);
            format!("{} {}", it.group.name, kinds.collect::<Vec<_>>().join(" "))
        });
        each.collect()
    };
    let server = DiscoveryServer::legacy(served);
    server.answer("api", Answer::status(404));
    assert_eq!(kinds(&discover(&server)), ["a Foo", "b Bar"]);
    server.answer("apis/a/v1", Answer::status(500));
    let partial = discover(&server);
    assert_eq!(kinds(&partial), ["a ", "b Bar"]);
    let mapper = new_discovery_rest_mapper(&api_group_resources(&partial));
    assert_eq!(mapper.kind_for(&resource("//bars")), Ok(kind("b/v1/Bar")));
    assert!(mapper.kind_for(&resource("//foos")).is_err_and(|error| error.is_no_match()));
    assert_eq!(kinds(&ServerResources::default()), [""; 0]);
}
