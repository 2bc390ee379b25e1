use std::rc::Rc;
use std::time::Duration;

use watchglass::rest::discovery::{CachedDiscoveryClient, DiscoveryStorage};
use watchglass::runtime::{MemoryStorage, Storage};
use watchglass::testing::Sandbox;

use super::server::{Answer, DiscoveryServer, Groups, V2, aggregated, failures, names};

const SERVED: Groups = &[("", &[("v1", &["pods Pod"])]), ("apps", &[("v1", &["deployments Deployment -deploy"])])];
const MINUTE: Duration = Duration::from_secs(60);

struct Setup {
    sandbox: Sandbox,
    server: DiscoveryServer,
    storage: Rc<MemoryStorage>,
}

impl Setup {
    fn of(server: DiscoveryServer) -> Self {
        Self { sandbox: Sandbox::new(), server, storage: Rc::default() }
    }

    /// What a program has when it starts.
    fn client(&self) -> CachedDiscoveryClient {
        let storage = DiscoveryStorage::new(self.storage.clone(), "discovery", MINUTE);
        CachedDiscoveryClient::with_storage(self.server.client(&self.sandbox), storage)
    }

    fn ask(&self, client: &CachedDiscoveryClient) -> Vec<String> {
        names(&self.sandbox.block_on(client.server_groups_and_resources()).expect("all"))
    }
}

/// client-go: `TestCachedDiscoveryClient_Fresh`, `TestCachedDiscoveryClientUnaggregatedServerGroups`,
/// `TestCachedDiscoveryClientAggregatedServerGroups`.
#[test]
fn the_next_program_starts_with_what_the_last_one_knew() {
    for (server, requests) in [(DiscoveryServer::legacy(SERVED), 4), (DiscoveryServer::aggregated(SERVED), 2)] {
        let setup = Setup::of(server);
        let first = setup.client();
        let all = setup.ask(&first);
        assert_eq!((all.len(), first.is_fresh(), setup.server.asked().len()), (2, true, requests));

        let second = setup.client();
        assert_eq!((setup.ask(&second), setup.server.asked().len()), (all.clone(), 0));
        assert!(!second.is_fresh(), "another program wrote it");
        let groups = setup.sandbox.block_on(second.server_groups()).expect("groups");
        assert_eq!(groups, setup.sandbox.block_on(first.server_groups()).expect("groups"));

        second.invalidate();
        assert_eq!((setup.ask(&second), setup.server.asked().len()), (all, requests));
        assert!(second.is_fresh());
    }
}

/// client-go: `TestNewCachedDiscoveryClient_TTL`.
#[test]
fn what_is_too_old_is_asked_for_again() {
    let setup = Setup::of(DiscoveryServer::aggregated(SERVED));
    let first = setup.client();
    setup.ask(&first);
    setup.sandbox.advance(MINUTE / 2);
    setup.server.asked();
    let second = setup.client();
    setup.ask(&second);
    assert_eq!(setup.server.asked(), [""; 0]);
    setup.sandbox.advance(MINUTE / 2);
    setup.ask(&first);
    assert_eq!((setup.server.asked().len(), first.is_fresh()), (2, true));
    for other in [&second, &setup.client()] {
        setup.ask(other);
        assert_eq!((setup.server.asked().len(), other.is_fresh()), (0, false), "the first has written it");
    }
}

/// client-go: `TestCacheRoundTripper`.
#[test]
fn what_is_too_old_may_still_be_confirmed() {
    let setup = Setup::of(DiscoveryServer::aggregated(SERVED));
    let etag = |groups: Groups, etag| Answer::json(aggregated(groups)).of_type(V2).with_etag(etag);
    setup.server.answer("api", etag(&SERVED[..1], "\"core\""));
    setup.server.answer("apis", etag(&SERVED[1..], "\"rest\""));
    let all = setup.ask(&setup.client());
    setup.server.requests();
    setup.sandbox.advance(MINUTE);
    let next = setup.client();
    assert_eq!((setup.ask(&next), next.is_fresh()), (all, true));
    let etags: Vec<_> = setup.server.requests().iter().map(|request| request.headers[1].clone()).collect();
    let expected = ["\"core\"", "\"rest\""].map(|etag| ("if-none-match".into(), etag.to_owned()));
    assert_eq!(etags, expected);
}

/// client-go: `TestSumDiskCache`; kubernetes/kubernetes#110753.
#[test]
fn what_is_not_whole_counts_as_not_there_and_is_written_anew() {
    let setup = Setup::of(DiscoveryServer::aggregated(SERVED));
    let all = setup.ask(&setup.client());
    let whole = setup.storage.get("discovery").expect("it was written");
    let (sum, json) = whole.split_once('\n').expect("a sum");
    let other_sum = format!("{sum}0\n{json}");
    let edited = whole.replace("deploy", "destroy");
    let valid_json_of_something_else = "0-0\n{}";
    for broken in ["", "\n", &whole[..whole.len() / 2], &other_sum, &edited, valid_json_of_something_else] {
        setup.server.asked();
        setup.storage.set("discovery", broken);
        assert_eq!(setup.ask(&setup.client()), all);
        assert_eq!(setup.server.asked().len(), 2, "{broken:?}");
        assert_eq!(setup.ask(&setup.client()), all);
        assert_eq!(setup.server.asked().len(), 0);
    }
}

/// A clock that was set back makes what is stored older than it can be told.
#[test]
fn what_was_written_in_the_future_is_asked_for_again() {
    let setup = Setup::of(DiscoveryServer::aggregated(SERVED));
    setup.ask(&setup.client());
    setup.server.asked();
    setup.sandbox.clock().advance_wall(jiff::SignedDuration::from_secs(-10));
    setup.ask(&setup.client());
    assert_eq!(setup.server.asked().len(), 2);
}

#[test]
fn a_legacy_discovery_that_is_not_whole_is_not_stored() {
    let setup = Setup::of(DiscoveryServer::legacy(SERVED));
    setup.server.answer("apis/apps/v1", Answer::status(403));
    let client = setup.client();
    let found = setup.sandbox.block_on(client.server_groups_and_resources()).expect("the rest");
    assert_eq!(failures(&found), ["apps/v1: answered 403"]);
    assert_eq!(setup.storage.get("discovery"), None);
}

/// A version that is stale is known to be so.
#[test]
fn a_stale_version_is_stored_as_such() {
    let served: Groups = &[("", &[("v1", &["pods Pod"])]), ("apps", &[("v1!", &["deployments Deployment"])])];
    let setup = Setup::of(DiscoveryServer::aggregated(served));
    setup.ask(&setup.client());
    let found = setup.sandbox.block_on(setup.client().server_groups_and_resources()).expect("the rest");
    assert_eq!(failures(&found), ["apps/v1: stale GroupVersion discovery: apps/v1"]);
    assert_eq!(setup.server.asked().len(), 2);
}
