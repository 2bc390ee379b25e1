use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use watchglass::api::GroupVersionResource;
use watchglass::cache::SharedInformerFactory;
use watchglass::rest::rest_mapper::DeferredDiscoveryRestMapper;
use watchglass::testing::Sandbox;

use super::server::{DiscoveryServer, Groups};
use crate::fake_source::{FakeSource, pod};

const SERVED: Groups = &[("", &[("v1", &["pods Pod"])])];

/// client-go's `memcache.go` wants to be told by a watch, and is not.
#[test]
fn a_definition_that_comes_changes_or_goes_invalidates_at_once_and_twice_more() {
    let (sandbox, server, source) = (Sandbox::new(), DiscoveryServer::aggregated(SERVED), FakeSource::default());
    let cached = server.cached(&sandbox);
    let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(source.clone()));
    let held = cached.invalidate_on(&factory);
    sandbox.run_until_idle();
    let ask = || {
        sandbox.block_on(cached.server_groups()).expect("groups");
        server.asked().len()
    };
    assert_eq!((source.watches_open(), ask(), ask()), (2, 2, 0));
    let changes: [(&str, &dyn Fn()); 3] = [
        ("it comes", &|| drop(source.put(pod("definition")))),
        ("it changes", &|| drop(source.put(pod("definition")))),
        ("it goes", &|| source.delete("definition")),
    ];
    for (name, change) in changes {
        change();
        sandbox.run_until_idle();
        assert_eq!((ask(), cached.is_fresh()), (2, false), "{name}: the server may not have told all of it");
        sandbox.advance(Duration::from_millis(1999));
        assert_eq!(ask(), 0);
        sandbox.advance(Duration::from_millis(1));
        assert_eq!((ask(), cached.is_fresh()), (2, false), "{name}");
        sandbox.advance(Duration::from_secs(8));
        assert_eq!((ask(), cached.is_fresh()), (2, true), "{name}: a busy server has told all of it by now");
        sandbox.advance(Duration::from_secs(60));
        assert_eq!(ask(), 0);
    }

    source.put(pod("another"));
    sandbox.run_until_idle();
    assert!(!cached.is_fresh());
    drop(held);
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), ask()), (0, 2));
    assert!(cached.is_fresh(), "nothing is waited for any more");
}

#[test]
fn who_waits_for_a_change_is_told_of_each_invalidation() {
    let (sandbox, server, source) = (Sandbox::new(), DiscoveryServer::aggregated(SERVED), FakeSource::default());
    let cached = server.cached(&sandbox);
    let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(source.clone()));
    let held = cached.invalidate_on(&factory);
    sandbox.run_until_idle();
    let told = Rc::new(Cell::new(0));
    let count = Rc::clone(&told);
    let _waiting = sandbox.spawn(async move {
        loop {
            held.changed().await;
            count.set(count.get() + 1);
        }
    });
    sandbox.run_until_idle();
    source.put(pod("definition"));
    sandbox.run_until_idle();
    assert_eq!(told.get(), 1);
    sandbox.advance(Duration::from_secs(60));
    assert_eq!(told.get(), 3);
}

/// What was there before the informers may have changed between the discovery and their first lists.
#[test]
fn the_first_lists_invalidate_too() {
    let (sandbox, server, source) = (Sandbox::new(), DiscoveryServer::aggregated(SERVED), FakeSource::default());
    source.put_unseen(pod("definition"));
    let cached = server.cached(&sandbox);
    sandbox.block_on(cached.server_groups()).expect("groups");
    let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(source));
    let _held = cached.invalidate_on(&factory);
    sandbox.run_until_idle();
    assert!(!cached.is_fresh());
}

#[test]
fn a_new_definition_is_found_without_a_reload_and_one_that_went_is_not() {
    let (sandbox, server, source) = (Sandbox::new(), DiscoveryServer::aggregated(SERVED), FakeSource::default());
    let cached = server.cached(&sandbox);
    let mapper = DeferredDiscoveryRestMapper::new(cached.clone()).with_shortcuts(None);
    let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(source.clone()));
    let _held = cached.invalidate_on(&factory);
    let ask = || sandbox.block_on(mapper.resource_for(&GroupVersionResource::new("", "", "ln"))).ok();
    assert_eq!(ask(), None);
    sandbox.advance(Duration::from_secs(60));
    assert_eq!(ask(), None);
    server.serve_aggregated(&[("", &[("v1", &["pods Pod"])]), ("optics", &[("v1", &["lenses Lens -ln"])])]);
    assert_eq!(ask(), None, "nobody has told");
    source.put(pod("lenses.optics"));
    sandbox.run_until_idle();
    assert_eq!(ask(), Some(GroupVersionResource::new("optics", "v1", "lenses")));
    server.serve_aggregated(SERVED);
    source.delete("lenses.optics");
    sandbox.run_until_idle();
    assert_eq!(ask(), None);
}
