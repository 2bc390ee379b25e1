use std::rc::Rc;

use futures::FutureExt as _;
use serde_json::json;
use watchglass::rest::discovery::DiscoveryError;
use watchglass::testing::Sandbox;

use super::server::{Answer, DiscoveryServer, Groups, V2, aggregated, failures, names};

const SERVED: Groups = &[
    ("", &[("v1", &["pods Pod"])]),
    ("astronomy", &[("v8", &["dwarfplanets DwarfPlanet -dp"])]),
    ("astronomy2", &[("v8", &["stars Star"])]),
];

/// client-go: `TestClient`, `TestMemCacheGroupsAndMaybeResources`, `TestAggregatedMemCacheGroupsAndMaybeResources`,
/// `TestMemCacheAggregatedServerGroups`.
#[test]
fn the_first_question_asks_for_everything_and_the_others_for_nothing() {
    for (server, requests) in [(DiscoveryServer::legacy(SERVED), 5), (DiscoveryServer::aggregated(SERVED), 2)] {
        let sandbox = Sandbox::new();
        let cached = server.cached(&sandbox);
        assert!(!cached.is_fresh());
        for _ in 0..2 {
            let groups = sandbox.block_on(cached.server_groups()).expect("groups");
            assert_eq!(groups.len(), 3);
            assert!(cached.is_fresh());
            let list = sandbox.block_on(cached.server_resources_for_group_version("astronomy/v8")).expect("a list");
            assert_eq!(list.resources[0].short_names, ["dp"]);
            let served = sandbox.block_on(cached.server_groups_and_resources()).expect("all");
            assert_eq!(names(&served), ["v1 pods", "astronomy/v8 dwarfplanets", "astronomy2/v8 stars"]);
            let maybe = sandbox.block_on(cached.groups_and_maybe_resources()).expect("groups");
            assert_eq!(maybe.resources.is_some(), requests == 2, "only the aggregated form brings them along");
            let unknown = sandbox.block_on(cached.server_resources_for_group_version("unknown/v1"));
            assert_eq!(unknown, Err(DiscoveryError::NotFound), "and the server is not asked");
        }
        assert_eq!(server.asked().len(), requests);

        cached.invalidate();
        assert!(!cached.is_fresh());
        let changed: Groups = &[("", &[("v1", &["services Service"])])];
        match requests {
            2 => server.serve_aggregated(changed),
            _ => server.serve_legacy(changed),
        }
        let served = sandbox.block_on(cached.server_preferred_resources()).expect("all");
        assert_eq!(names(&served), ["v1 services"]);
        let namespaced = sandbox.block_on(cached.server_preferred_namespaced_resources()).expect("all");
        assert_eq!(names(&namespaced), ["v1 services"]);
    }
}

/// client-go: `TestAggregatedMemCacheGroupsAndMaybeResources`.
#[test]
fn what_is_stale_stays_reported() {
    let served: Groups = &[("", &[("v1", &["pods Pod"])]), ("apps", &[("v1!", &["deployments Deployment"])])];
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(served));
    let cached = server.cached(&sandbox);
    for _ in 0..2 {
        let found = sandbox.block_on(cached.server_groups_and_resources()).expect("the rest");
        assert_eq!((names(&found), failures(&found).len()), (vec!["v1 pods".to_owned()], 1));
        let maybe = sandbox.block_on(cached.groups_and_maybe_resources()).expect("the rest");
        assert_eq!((maybe.resources.expect("aggregated").len(), maybe.failed.len()), (1, 1));
        let stale = sandbox.block_on(cached.server_resources_for_group_version("apps/v1")).expect_err("it is stale");
        assert_eq!(stale.to_string(), "stale GroupVersion discovery: apps/v1");
    }
    assert_eq!(server.asked(), ["api", "apis"]);
}

/// client-go: `TestRetryAfterCancellation`.
#[test]
fn a_question_that_is_dropped_leaves_nothing_behind() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(SERVED));
    let cached = server.cached(&sandbox);
    server.silence(true);
    assert!(cached.server_groups().now_or_never().is_none());
    assert!(!cached.is_fresh());
    server.silence(false);
    assert_eq!(sandbox.block_on(cached.server_groups()).expect("groups").len(), 3);
}

/// client-go: `TestServerGroupsFails`.
#[test]
fn a_failure_is_not_remembered() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(SERVED));
    let cached = server.cached(&sandbox);
    server.refuse_connections(true);
    assert!(sandbox.block_on(cached.server_groups()).is_err());
    assert!(!cached.is_fresh());
    server.refuse_connections(false);
    assert!(sandbox.block_on(cached.server_groups()).is_ok());
    assert!(cached.is_fresh());
}

/// client-go: `refreshLocked` keeps nothing when there are no groups.
#[test]
fn a_server_without_groups_is_asked_again() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::default());
    server.answer("apis", Answer::json(json!({ "groups": [] })));
    let cached = server.cached(&sandbox);
    assert_eq!(sandbox.block_on(cached.server_groups()), Ok(Vec::new()));
    assert!(!cached.is_fresh());
}

/// client-go: `TestPartialPermanentFailure`, `TestPartialRetryableFailure`.
#[test]
fn a_version_that_failed_for_a_while_is_asked_for_again_and_another_is_not() {
    let list = || Answer::json(json!({ "groupVersion": "astronomy/v8", "resources": [{ "name": "dwarfplanets" }] }));
    for (code, heals) in [(503, true), (500, true), (403, false), (404, false)] {
        let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(SERVED));
        server.answer("apis/astronomy/v8", Answer::status(code));
        let cached = server.cached(&sandbox);
        let ask = |version: &str| sandbox.block_on(cached.server_resources_for_group_version(version));
        assert!(ask("astronomy2/v8").is_ok());
        assert!(ask("astronomy/v8").is_err());
        server.answer("apis/astronomy/v8", list());
        assert_eq!(ask("astronomy/v8").is_ok(), heals, "{code}");
        server.answer("apis/astronomy/v8", Answer::status(403));
        assert_eq!(ask("astronomy/v8").is_ok(), heals, "{code}: the last answer is remembered");
        server.answer("apis/astronomy/v8", list());
        cached.invalidate();
        assert!(ask("astronomy/v8").is_ok());
    }
}

/// client-go: `emptyResponseError`.
#[test]
fn a_version_without_resources_is_a_failure_of_that_version() {
    let served: Groups = &[("", &[("v1", &["pods Pod"])]), ("metrics", &[("v1", &[])])];
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(served));
    let cached = server.cached(&sandbox);
    let found = sandbox.block_on(cached.server_groups_and_resources()).expect("the rest");
    assert_eq!(failures(&found), ["metrics/v1: received empty response for: metrics/v1"]);
    let before = server.asked().len();
    assert!(sandbox.block_on(cached.server_resources_for_group_version("metrics/v1")).is_err());
    assert_eq!((before, server.asked().len()), (4, 0), "it is not asked for again");
}

#[test]
fn many_questions_at_once_are_one_request() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(SERVED));
    let cached = server.cached(&sandbox);
    let (groups, served) =
        sandbox.block_on(futures::future::join(cached.server_groups(), cached.server_groups_and_resources()));
    assert!(groups.is_ok() && served.is_ok());
    assert_eq!(server.asked(), ["api", "apis"]);
}

#[test]
fn what_was_asked_for_before_an_invalidation_is_not_remembered_after_it() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(SERVED));
    let cached = server.cached(&sandbox);
    server.silence(true);
    let mut asking = Box::pin(cached.server_groups());
    assert!(asking.as_mut().now_or_never().is_none());
    cached.invalidate();
    server.silence(false);
    assert!(sandbox.block_on(asking).is_ok());
    assert!(!cached.is_fresh());
    sandbox.block_on(cached.server_groups()).expect("groups");
    assert_eq!((server.asked().len(), cached.is_fresh()), (4, true));
}

/// client-go: `TestCacheRoundTripper`, for the memory.
#[test]
fn what_has_not_changed_is_confirmed_and_not_sent_again() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(SERVED));
    let apis = |groups: Groups, etag| Answer::json(aggregated(groups)).of_type(V2).with_etag(etag);
    server.answer("apis", apis(&SERVED[1..], "\"one\""));
    let cached = server.cached(&sandbox);
    let ask = || names(&sandbox.block_on(cached.server_groups_and_resources()).expect("all")).len();
    let conditions = || {
        let requests = server.requests();
        let apis = requests.iter().find(|request| request.path == "apis").expect("it was asked for").clone();
        apis.headers.iter().find(|(name, _)| *name == "if-none-match").map(|(_, etag)| etag.clone())
    };
    assert_eq!((ask(), conditions()), (3, None));
    cached.invalidate();
    assert_eq!((ask(), conditions().as_deref()), (3, Some("\"one\"")), "the answer was 304");
    server.answer("apis", apis(&SERVED[2..], "\"two\""));
    cached.invalidate();
    assert_eq!((ask(), conditions().as_deref()), (2, Some("\"one\"")));
    cached.invalidate();
    assert_eq!((ask(), conditions().as_deref()), (2, Some("\"two\"")));
}

/// client-go: `TestOpenAPIMemCache`, `TestOpenAPIMemCacheWithContext`, `TestOpenAPIDiskCache`.
#[test]
fn an_openapi_document_is_asked_for_once() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::default());
    let path = json!({ "serverRelativeURL": "/openapi/v3/api/v1?hash=1" });
    server.answer("openapi/v3", Answer::json(json!({ "paths": { "api/v1": path } })));
    server.answer("openapi/v3/api/v1", Answer::json(json!({ "openapi": "3.0.0" })));
    let cached = server.cached(&sandbox);
    let ask = || {
        let paths = sandbox.block_on(cached.open_api_v3_paths()).expect("paths");
        let schema = sandbox.block_on(cached.open_api_v3_schema(&paths["api/v1"])).expect("a document");
        (paths, schema)
    };
    let (first, second) = (ask(), ask());
    assert!(Rc::ptr_eq(&first.0, &second.0) && Rc::ptr_eq(&first.1, &second.1));
    assert_eq!(server.asked().len(), 2);
    cached.invalidate();
    let third = ask();
    assert!(!Rc::ptr_eq(&first.0, &third.0) && !Rc::ptr_eq(&first.1, &third.1));
}

/// client-go: `TestFakingServerVersion`, `TestFakingServerVersionWithError`.
#[test]
fn the_version_is_always_asked_for() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::default());
    server.answer("version", Answer::json(json!({ "gitCommit": "v1.0.0" })));
    let cached = server.cached(&sandbox);
    assert_eq!(sandbox.block_on(cached.server_version()).expect("a version").git_commit, "v1.0.0");
    server.answer("version", Answer::status(500));
    assert_eq!(sandbox.block_on(cached.server_version()).expect_err("it fails").to_string(), "answered 500");
}
