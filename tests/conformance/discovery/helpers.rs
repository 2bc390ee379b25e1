use watchglass::api::{ApiResource, GroupVersion, GroupVersionResource};
use watchglass::testing::Sandbox;

use super::server::{Answer, DiscoveryServer, Groups, names};

const SERVED: Groups = &[
    ("", &[("v1", &["pods Pod", "nodes Node cluster"])]),
    ("apps", &[("v2", &["deployments Deployment"]), ("v1", &["deployments Deployment", "bars Bar"])]),
];

/// client-go: `TestServerSupportsVersion`.
#[test]
fn a_server_supports_the_versions_that_it_lists_and_any_when_it_lists_none() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(SERVED));
    let ask = |version: &str| {
        sandbox.block_on(server.client(&sandbox).server_supports_version(&GroupVersion::from_api_version(version)))
    };
    assert_eq!((ask("v1"), ask("apps/v1")), (Ok(()), Ok(())));
    let error = ask("apps/v3").expect_err("it is not listed");
    assert_eq!(error.to_string(), "server does not support API version \"apps/v3\"");
    server.serve_legacy(&[]);
    assert_eq!(ask("v1"), Ok(()));
    for code in [403, 404] {
        server.answer("apis", Answer::status(code));
        assert_eq!(ask("v1").expect_err("no answer").to_string(), format!("answered {code}"));
    }
    server.refuse_connections(true);
    assert!(ask("v1").expect_err("no answer").to_string().contains("connection refused"));
}

#[test]
fn a_resource_is_enabled_when_its_version_has_it() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(SERVED));
    let ask = |group: &str, version: &str, resource: &str| {
        let resource = GroupVersionResource::new(group, version, resource);
        sandbox.block_on(server.client(&sandbox).is_resource_enabled(&resource))
    };
    assert_eq!(ask("apps", "v1", "bars"), Ok(true));
    assert_eq!(ask("apps", "v2", "bars"), Ok(false));
    assert_eq!(ask("none", "v1", "bars"), Ok(false), "no such version, no such resource");
    server.answer("apis/apps/v1", Answer::status(403));
    assert!(ask("apps", "v1", "bars").is_err());
}

/// client-go: `TestFilteredBy`.
#[test]
fn lists_without_a_resource_that_passes_are_dropped() {
    let sandbox = Sandbox::new();
    let client = DiscoveryServer::aggregated(SERVED).client(&sandbox);
    let served = sandbox.block_on(client.server_groups_and_resources()).expect("all");
    let by = |passes: &dyn Fn(&GroupVersion, &ApiResource) -> bool| names(&served.filtered_by(passes));
    assert_eq!(by(&|_, _| true), names(&served));
    assert_eq!(by(&|version, _| version.version == "v2"), ["apps/v2 deployments"]);
    assert_eq!(by(&|_, resource| resource.kind == "Bar"), ["apps/v1 bars"]);
    assert_eq!(by(&|_, resource| resource.supports_all_verbs(&["list", "get"])), names(&served));
    assert_eq!(by(&|_, resource| resource.supports_all_verbs(&["list", "create"])), [""; 0]);
    assert!(served.filtered_by(|_, _| false).resources.is_empty());
    let full: Vec<_> = served.group_version_resources().collect();
    assert!(full.len() == 5 && full.contains(&GroupVersionResource::new("apps", "v1", "bars")));
}
