use std::rc::Rc;

use watchglass::api::GroupVersionResource;
use watchglass::cache::SharedInformerFactory;
use watchglass::testing::Sandbox;

use super::fake_source::{FakeSource, pod};
use super::recorder::store;

fn factory() -> (Sandbox, FakeSource, SharedInformerFactory) {
    let (sandbox, source) = (Sandbox::new(), FakeSource::default());
    source.put(pod("a"));
    let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(source.clone()));
    (sandbox, source, factory)
}

/// headlamp#7447, client-go's informers: one list and one watch, however many look at a resource.
#[test]
fn all_users_of_a_resource_share_one_informer() {
    let (sandbox, source, factory) = factory();
    let pods = GroupVersionResource::core("pods");
    let (first, second) = (factory.informer_for(&pods), factory.informer_for(&pods));
    factory.start();
    factory.start();
    sandbox.block_on(factory.wait_for_cache_sync());
    sandbox.run_until_idle();
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
    assert_eq!((store(&first), store(&second)), (vec!["a 1".to_owned()], vec!["a 1".to_owned()]));
}

#[test]
fn an_informer_asked_for_later_starts_with_the_next_start() {
    let (sandbox, source, factory) = factory();
    factory.informer_for(&GroupVersionResource::core("pods"));
    factory.start();
    let nodes = factory.informer_for(&GroupVersionResource::core("nodes"));
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), nodes.has_synced()), (1, false));
    factory.start();
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), nodes.has_synced()), (2, true));
}

#[test]
fn a_shutdown_waits_until_all_have_ended_and_nothing_starts_after_it() {
    let (sandbox, source, factory) = factory();
    let pods = factory.informer_for(&GroupVersionResource::core("pods"));
    factory.start();
    sandbox.run_until_idle();
    sandbox.block_on(factory.shutdown());
    assert_eq!(source.watches_open(), 0);
    factory.informer_for(&GroupVersionResource::core("nodes"));
    factory.start();
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), pods.has_synced()), (0, true));
}

#[test]
fn the_last_handle_that_is_dropped_ends_the_informers() {
    let (sandbox, source, factory) = factory();
    factory.informer_for(&GroupVersionResource::core("pods"));
    factory.start();
    sandbox.run_until_idle();
    drop(factory);
    sandbox.run_until_idle();
    assert_eq!(source.watches_open(), 0);
}
