use std::time::Duration;

use serde_json::json;
use watchglass::api::Error;
use watchglass::rest::discovery::DiscoveryError;
use watchglass::testing::Sandbox;

use super::server::{Answer, DiscoveryServer, Groups, failures, names};

const SERVED: Groups = &[
    ("", &[("v1", &["pods Pod", "nodes Node cluster"])]),
    ("apps", &[("v2", &["deployments Deployment"]), ("v1", &["deployments Deployment", "scales Scale"])]),
    ("batch", &[("v1", &["jobs Job"])]),
];

fn version_texts(server: &DiscoveryServer, sandbox: &Sandbox) -> Vec<String> {
    let groups = sandbox.block_on(server.client(sandbox).server_groups()).expect("groups");
    watchglass::rest::discovery::extract_group_versions(&groups)
}

/// client-go: `TestGetServerVersion`.
#[test]
fn the_version_is_the_server_s_build() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::default());
    server.answer("version", Answer::json(json!({ "major": "1", "minor": "37", "gitVersion": "v1.37.2" })));
    let version = sandbox.block_on(server.client(&sandbox).server_version()).expect("a version");
    assert_eq!((&*version.major, &*version.minor, &*version.git_version), ("1", "37", "v1.37.2"));
    server.answer("version", Answer::status(500));
    assert!(sandbox.block_on(server.client(&sandbox).server_version()).is_err());
}

/// client-go: `TestGetServerGroupsWithV1Server`, `TestAggregatedServerGroups`.
#[test]
fn the_core_group_comes_first_and_both_forms_tell_the_same_groups() {
    for server in [DiscoveryServer::legacy(SERVED), DiscoveryServer::aggregated(SERVED)] {
        let sandbox = Sandbox::new();
        assert_eq!(version_texts(&server, &sandbox), ["v1", "apps/v2", "apps/v1", "batch/v1"]);
        let groups = sandbox.block_on(server.client(&sandbox).server_groups()).expect("groups");
        let preferred: Vec<_> = groups.iter().map(|group| &*group.preferred_version.group_version).collect();
        assert_eq!(preferred, ["v1", "apps/v2", "batch/v1"]);
    }
    // A server whose core group is empty, in both forms.
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(&SERVED[1..]));
    assert_eq!(version_texts(&server, &sandbox), ["apps/v2", "apps/v1", "batch/v1"]);
    let groups = |server: &DiscoveryServer| sandbox.block_on(server.client(&sandbox).server_groups()).expect("groups");
    let legacy = groups(&DiscoveryServer::legacy(&SERVED[1..]));
    assert_eq!((&*legacy[0].name, legacy[0].versions.len()), ("", 0), "a core group without versions");
}

/// client-go: `TestDiscoveryToleratesMissingCoreGroup`, `TestDiscoveryFailsWhenNonCoreGroupsMissing`,
/// `TestGetServerGroupsWithBrokenServer`, `TestAggregatedServerGroupsAndResourcesWithErrors`.
#[test]
fn only_the_core_group_may_be_missing() {
    let sandbox = Sandbox::new();
    for form in [DiscoveryServer::legacy, DiscoveryServer::aggregated] {
        let ask = |path: &str, code: u16| {
            let server = form(SERVED);
            server.answer(path, Answer::status(code));
            sandbox.block_on(server.client(&sandbox).server_groups_and_resources())
        };
        let found = ask("api", 404).expect("groups");
        let expected = ["apps/v2 deployments", "apps/v1 deployments", "apps/v1 scales", "batch/v1 jobs"];
        assert_eq!(names(&found), expected);
        assert!(found.failed.is_empty());
        for (path, code) in [("api", 403), ("apis", 404), ("apis", 403), ("api", 500)] {
            let error = ask(path, code).expect_err("the call fails");
            assert_eq!(error.to_string(), format!("answered {code}"), "{path}");
        }
    }
    for code in [404, 403] {
        let server = DiscoveryServer::default();
        ["api", "apis"].iter().for_each(|path| server.answer(path, Answer::status(code)));
        assert!(sandbox.block_on(server.client(&sandbox).server_groups()).is_err());
    }
}

/// client-go: `TestTimeoutIsSet`.
#[test]
fn a_request_ends_after_32_seconds() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(SERVED));
    server.silence(true);
    let client = server.client(&sandbox);
    let asking = sandbox.runtime();
    let (sender, receiver) = futures::channel::oneshot::channel();
    let task = asking.spawn(async move {
        let _ = sender.send(client.server_version().await);
    });
    sandbox.advance(Duration::from_secs(31));
    assert_eq!(server.asked(), ["version"]);
    sandbox.advance(Duration::from_secs(1));
    let error = sandbox.block_on(receiver).expect("it has ended").expect_err("without an answer");
    assert!(matches!(error, DiscoveryError::Request(Error::Interrupted { .. })) && error.is_transient());
    drop(task);
}

/// kubernetes/kubernetes#86149: with many custom resources, the first page waited for the client's own limiter.
#[test]
fn three_hundred_requests_go_out_at_once() {
    let versions: Vec<String> = (0..298).map(|number| format!("v{number}")).collect();
    let versions: Vec<(&str, &[&str])> = versions.iter().map(|version| (&**version, &["things Thing"][..])).collect();
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(&[("many", &versions)]));
    let start = sandbox.runtime().now();
    let served = sandbox.block_on(server.client(&sandbox).server_groups_and_resources()).expect("all of it");
    assert_eq!((served.resources.len(), server.asked().len()), (298, 300));
    assert_eq!(sandbox.runtime().now(), start);
}

/// client-go: `TestGetServerResourcesForGroupVersion`, `TestFakingServerResourcesForGroupVersionWithError`.
#[test]
fn one_version_is_asked_for_by_itself() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(SERVED));
    let client = server.client(&sandbox);
    let ask = |version: &str| sandbox.block_on(client.server_resources_for_group_version(version));
    assert_eq!(ask("v1").expect("a list").resources.len(), 2);
    assert_eq!(ask("apps/v1").expect("a list").resources[1].kind, "Scale");
    assert_eq!(server.asked(), ["api/v1", "apis/apps/v1"]);
    assert!(ask("foobar").expect_err("there is none").is_not_found());
    assert_eq!(ask(""), Err(DiscoveryError::NoGroupVersion));
    assert_eq!(ask("").expect_err("none").to_string(), "groupVersion shouldn't be empty");
    server.answer("api/v1", Answer::status(404));
    assert_eq!(ask("v1").expect("no core group is an empty one").resources, []);
    server.answer("api/v1", Answer::status(403));
    assert!(ask("v1").is_err());
}

/// client-go: `TestGetServerResourcesForGroupVersion`, `TestAggregatedServerGroupsAndResources`,
/// `TestFakingServerGroupsAndResourcesWithError`, `TestFakingServerGroupsWithError`.
#[test]
fn both_forms_tell_the_same_resources_in_the_order_of_the_groups() {
    for (server, requests) in [(DiscoveryServer::legacy(SERVED), 6), (DiscoveryServer::aggregated(SERVED), 2)] {
        let sandbox = Sandbox::new();
        let served = sandbox.block_on(server.client(&sandbox).server_groups_and_resources()).expect("all of it");
        let expected =
            ["v1 pods", "v1 nodes", "apps/v2 deployments", "apps/v1 deployments", "apps/v1 scales", "batch/v1 jobs"];
        assert_eq!(names(&served), expected);
        assert_eq!((served.groups.len(), served.failure(), server.asked().len()), (3, None, requests));
        let namespaced: Vec<_> = served.each_resource().map(|(_, resource)| resource.namespaced).collect();
        assert_eq!(namespaced, [true, false, true, true, true, true]);
        server.refuse_connections(true);
        assert!(sandbox.block_on(server.client(&sandbox).server_groups_and_resources()).is_err());
    }
}

/// client-go: `TestAggregatedServerGroupsAndResources`, `TestAggregatedServerPreferredResources`.
#[test]
fn a_stale_version_is_left_out_and_reported() {
    let served: Groups = &[
        ("", &[("v1", &["pods Pod"])]),
        ("apps", &[("v2!", &["deployments Deployment"]), ("v1", &["deployments Deployment"])]),
    ];
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(served));
    let found = sandbox.block_on(server.client(&sandbox).server_groups_and_resources()).expect("the rest");
    assert_eq!(names(&found), ["v1 pods", "apps/v1 deployments"]);
    assert_eq!(failures(&found), ["apps/v2: stale GroupVersion discovery: apps/v2"]);
    let text = "unable to retrieve the complete list of server APIs: apps/v2: stale GroupVersion discovery: apps/v2";
    assert_eq!(found.failure().as_deref(), Some(text));
    assert_eq!(server.asked(), ["api", "apis", "api", "apis"], "it is asked once more");
    assert_eq!(found.groups[1].preferred_version.version, "v1", "a stale version is never preferred");
    assert_eq!(names(&found.preferred()), ["v1 pods", "apps/v1 deployments"]);
}

/// client-go: `TestServerPreferredResources`, `TestServerPreferredResourcesRetries`.
#[test]
fn a_version_that_fails_is_asked_for_twice_and_hides_nothing_else() {
    let sandbox = Sandbox::new();
    let served: Groups = &[("", &[("v1", &["pods Pod"])]), ("apps", &[("v1", &["deployments Deployment"])])];
    let broken = || Answer::status(503);
    let list = || {
        let deployments = json!({ "name": "deployments", "kind": "Deployment" });
        Answer::json(json!({ "groupVersion": "apps/v1", "resources": [deployments] }))
    };
    let server = DiscoveryServer::legacy(served);
    let ask = || sandbox.block_on(server.client(&sandbox).server_preferred_resources()).expect("some");

    server.answer_in_turn("apis/apps/v1", [broken(), list()]);
    let found = ask();
    assert_eq!((names(&found), found.failure()), (vec!["v1 pods".into(), "apps/v1 deployments".into()], None));

    server.answer("apis/apps/v1", broken());
    let found = ask();
    assert_eq!(names(&found), ["v1 pods"]);
    assert_eq!(failures(&found), ["apps/v1: answered 503"]);

    server.answer("api/v1", broken());
    let found = ask();
    assert_eq!((names(&found).len(), failures(&found).len()), (0, 2));
    server.answer("apis/apps/v1", list());
    assert_eq!(names(&ask()), ["apps/v1 deployments"]);
}

/// client-go: `TestServerPreferredNamespacedResources`, `TestAggregatedServerPreferredResources`.
#[test]
fn each_resource_is_preferred_once_in_the_preferred_version_or_the_first() {
    let served: Groups = &[
        ("", &[("v1", &["pods Pod", "nodes Node cluster", "pods/log Pod"])]),
        (
            "batch",
            &[
                ("v1", &["jobs Job"]),
                ("v1beta1", &["jobs Job", "cronjobs CronJob"]),
                ("v2alpha1", &["cronjobs CronJob"]),
            ],
        ),
    ];
    for server in [DiscoveryServer::legacy(served), DiscoveryServer::aggregated(served)] {
        let sandbox = Sandbox::new();
        let client = server.client(&sandbox);
        let preferred = sandbox.block_on(client.server_preferred_resources()).expect("all");
        assert_eq!(names(&preferred), ["v1 pods", "v1 nodes", "batch/v1 jobs", "batch/v1beta1 cronjobs"]);
        let lists: Vec<_> = preferred.lists().map(|list| (&*list.group_version, list.resources.len())).collect();
        assert_eq!(lists, [("v1", 2), ("batch/v1", 1), ("batch/v1beta1", 1), ("batch/v2alpha1", 0)]);
        let namespaced = sandbox.block_on(client.server_preferred_namespaced_resources()).expect("all");
        assert_eq!(names(&namespaced), ["v1 pods", "batch/v1 jobs", "batch/v1beta1 cronjobs"]);
    }
    // The preferred version need not be the first.
    let server = DiscoveryServer::legacy(served);
    let versions =
        ["v1", "v1beta1", "v2alpha1"].map(|it| json!({ "groupVersion": format!("batch/{it}"), "version": it }));
    let group = json!({ "name": "batch", "versions": versions, "preferredVersion": versions[2] });
    server.answer("apis", Answer::json(json!({ "groups": [group] })));
    let sandbox = Sandbox::new();
    let preferred = sandbox.block_on(server.client(&sandbox).server_preferred_resources()).expect("all");
    assert_eq!(names(&preferred), ["v1 pods", "v1 nodes", "batch/v1 jobs", "batch/v2alpha1 cronjobs"]);
}

/// client-go: `TestUseLegacyDiscovery`.
#[test]
fn the_legacy_form_and_one_server_s_own_can_be_asked_for() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(SERVED));
    let client = server.client(&sandbox);
    let accepted = |client: &watchglass::rest::discovery::DiscoveryClient| {
        let _ = sandbox.block_on(client.server_groups());
        let accept = server.requests().into_iter().map(|request| request.headers[0].1.clone()).collect::<Vec<_>>();
        assert_eq!(accept.len(), 2);
        assert_eq!(accept[0], accept[1]);
        accept[0].clone()
    };
    let v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let all = accepted(&client);
    assert!(all.starts_with(&format!("{v2},")) && all.ends_with(",application/json"), "{all}");
    assert_eq!(accepted(&client.with_legacy()), "application/json");
    assert!(accepted(&client.with_no_peer()).starts_with(&format!("{v2};profile=nopeer,{v2},")));
}

/// client-go: `TestGetOpenAPISchemaV3`.
#[test]
fn openapi_documents_come_as_they_are() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::default());
    let address = "/openapi/v3/apis/apps/v1?hash=AB12";
    server.answer("openapi/v3", Answer::json(json!({ "paths": { "apis/apps/v1": { "serverRelativeURL": address } } })));
    server.answer("openapi/v3/apis/apps/v1", Answer::json(json!({ "openapi": "3.0.0" })));
    let client = server.client(&sandbox);
    let paths = sandbox.block_on(client.open_api_v3_paths()).expect("paths");
    assert_eq!(paths["apis/apps/v1"], "openapi/v3/apis/apps/v1?hash=AB12");
    let schema = sandbox.block_on(client.open_api_v3_schema(&paths["apis/apps/v1"])).expect("a document");
    assert_eq!(schema.get(), r#"{"openapi":"3.0.0"}"#);
    assert_eq!(server.asked(), ["openapi/v3", "openapi/v3/apis/apps/v1?hash=AB12"]);
}
