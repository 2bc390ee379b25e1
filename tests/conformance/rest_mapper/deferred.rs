use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use watchglass::api::GroupKind;
use watchglass::rest::discovery::{CachedDiscoveryClient, DiscoveryStorage};
use watchglass::rest::rest_mapper::DeferredDiscoveryRestMapper;
use watchglass::runtime::MemoryStorage;
use watchglass::testing::Sandbox;

use super::support::{kind, kinds, resource, resources};
use crate::discovery::server::{Answer, DiscoveryServer, Groups};

const BEFORE: Groups = &[("a", &[("v1", &["things Thing"])])];
const AFTER: Groups = &[("a", &[("v1", &["things Thing", "foos Foo -fs"])])];

/// A server, and what a program remembers of it that an earlier one has stored.
fn remembered(served: Groups) -> (Sandbox, DiscoveryServer, CachedDiscoveryClient) {
    let (sandbox, server, storage) =
        (Sandbox::new(), DiscoveryServer::aggregated(served), Rc::new(MemoryStorage::default()));
    let client = || {
        let storage = DiscoveryStorage::new(storage.clone(), "discovery", Duration::from_secs(600));
        CachedDiscoveryClient::with_storage(server.client(&sandbox), storage)
    };
    sandbox.block_on(client().server_groups()).expect("groups");
    server.asked();
    let cached = client();
    (sandbox, server, cached)
}

/// client-go: `TestDeferredDiscoveryRESTMapper_CacheMiss`.
#[test]
fn a_miss_asks_the_server_once_when_what_is_known_is_old() {
    let (sandbox, server, cached) = remembered(BEFORE);
    server.serve_aggregated(AFTER);
    let mapper = DeferredDiscoveryRestMapper::new(cached);
    let ask = |name: &str| (sandbox.block_on(mapper.kind_for(&resource(name))), server.asked().len());
    assert_eq!(ask("a/v1/foos"), (Ok(kind("a/v1/Foo")), 2));
    assert_eq!(ask("a/v1/foos"), (Ok(kind("a/v1/Foo")), 0));
    let (missing, requests) = ask("a/v1/bars");
    assert!(missing.is_err_and(|error| error.is_no_match()));
    assert_eq!(requests, 0, "it has just been asked");
    mapper.reset();
    assert_eq!(ask("a/v1/foos").1, 2);
}

/// client-go: `TestDeferredDiscoveryRESTMapper_CacheMiss`: a miss on what is old, of what is not there.
#[test]
fn a_miss_that_stays_a_miss_asks_once() {
    let (sandbox, server, cached) = remembered(BEFORE);
    let mapper = DeferredDiscoveryRestMapper::new(cached);
    for requests in [2, 0] {
        assert!(sandbox.block_on(mapper.resources_for(&resource("//bars"))).is_err());
        assert_eq!(server.asked().len(), requests);
    }
}

/// client-go: `TestKindForWithNewCRDs`.
#[test]
fn the_short_name_of_a_new_definition_is_found() {
    let (sandbox, server, cached) = remembered(BEFORE);
    server.serve_aggregated(AFTER);
    let warn = Rc::new(|text: &str| panic!("{text}"));
    let mapper = DeferredDiscoveryRestMapper::new(cached).with_shortcuts(Some(warn));
    assert_eq!(sandbox.block_on(mapper.kind_for(&resource("//fs"))), Ok(kind("a/v1/Foo")));
    let found = sandbox.block_on(async {
        let kinds = mapper.kinds_for(&resource("a//fs")).await;
        let found = mapper.resource_for(&resource("//fs")).await;
        let all = mapper.resources_for(&resource("//fs")).await;
        (kinds, found, all)
    });
    let expected = resource("a/v1/foos");
    assert_eq!(found, (Ok(kinds(&["a/v1/Foo"])), Ok(expected.clone()), Ok(resources(&["a/v1/foos"]))));
    let foo = GroupKind::new("a", "Foo");
    assert_eq!(sandbox.block_on(mapper.rest_mapping(&foo, &[])).expect("a mapping").resource, expected);
    assert_eq!(sandbox.block_on(mapper.rest_mappings(&foo, &["v1"])).expect("mappings").len(), 1);
    assert_eq!(sandbox.block_on(mapper.resource_singularizer("fs")).as_deref(), Ok("foo"));
}

#[test]
fn what_is_gone_is_not_found_after_an_invalidation() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(AFTER));
    let cached = server.cached(&sandbox);
    let mapper = DeferredDiscoveryRestMapper::new(cached.clone());
    let ask = || sandbox.block_on(mapper.resource_for(&resource("//foos")));
    assert!(ask().is_ok());
    server.serve_aggregated(BEFORE);
    assert!(ask().is_ok());
    cached.invalidate();
    assert!(ask().is_err_and(|error| error.is_no_match()));
}

/// client-go's mapper never sees a group again that failed when it was made.
#[test]
fn a_group_that_failed_for_a_while_is_found_when_it_is_back() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::legacy(BEFORE));
    server.answer("apis/a/v1", Answer::status(503));
    let mapper = DeferredDiscoveryRestMapper::new(server.cached(&sandbox));
    let ask = || sandbox.block_on(mapper.resource_for(&resource("//things")));
    assert!(ask().is_err_and(|error| error.is_no_match()));
    let list = json!({ "groupVersion": "a/v1", "resources": [{ "name": "things", "kind": "Thing" }] });
    server.answer("apis/a/v1", Answer::json(list));
    assert_eq!(ask(), Ok(resource("a/v1/things")));
}

#[test]
fn without_discovery_there_is_an_error_and_the_next_question_asks_again() {
    let (sandbox, server) = (Sandbox::new(), DiscoveryServer::aggregated(BEFORE));
    server.refuse_connections(true);
    let mapper = DeferredDiscoveryRestMapper::new(server.cached(&sandbox));
    let error = sandbox.block_on(mapper.resource_for(&resource("//things"))).expect_err("no answer");
    assert!(!error.is_no_match() && error.to_string().contains("connection refused"), "{error}");
    server.refuse_connections(false);
    assert!(sandbox.block_on(mapper.resource_for(&resource("//things"))).is_ok());
}
