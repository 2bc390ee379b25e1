use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use indexmap::IndexMap;
use watchglass::api::{GroupVersionResource, ListOptions, Manifest, Status};
use watchglass::cache::{FactoryOptions, InformerError, Phase, SharedInformerFactory};
use watchglass::flow_control::BackoffConfig;
use watchglass::testing::Sandbox;

use crate::fake_source::{FakeSource, editing, pod};
use crate::recorder::{Recorder, store};

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

/// kubernetes/kubernetes#65036, PR #112200, PR #114434: nobody could wait for the end.
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

fn pods() -> GroupVersionResource {
    GroupVersionResource::core("pods")
}

/// client-go: `InformerFactory.WaitForCacheSync`, which tells of each resource.
#[test]
fn a_wait_for_the_first_lists_tells_which_came() {
    let (sandbox, source, factory) = factory();
    factory.informer_for(&pods());
    factory.start();
    assert_eq!(sandbox.block_on(factory.wait_for_cache_sync()), IndexMap::from([(pods(), true)]));
    let nodes = GroupVersionResource::core("nodes");
    source.silence_lists(true);
    factory.informer_for(&nodes);
    factory.start();
    let waiting = factory.clone();
    let (synced, waited) = (Rc::new(RefCell::new(IndexMap::new())), factory);
    let result = synced.clone();
    let _task = sandbox.spawn(async move { drop(result.replace(waiting.wait_for_cache_sync().await)) });
    sandbox.run_until_idle();
    assert!(synced.borrow().is_empty(), "one list is still to come");
    sandbox.block_on(waited.shutdown());
    sandbox.run_until_idle();
    assert_eq!(*synced.borrow(), IndexMap::from([(pods(), true), (nodes, false)]));
}

/// kubernetes/kubernetes#79610, PR #77480, PR #140608: an informer of a resource that is no more lists and fails for
/// ever, and one that was stopped stayed in the factory.
#[test]
fn the_last_lease_ends_the_informer_and_the_next_one_begins_another() {
    let (sandbox, source, factory) = factory();
    let first = factory.lease(&pods());
    let second = factory.lease(&pods());
    sandbox.run_until_idle();
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
    drop(first);
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), second.is_stopped()), (1, false));
    let (kept, registration) = (Recorder::new(), second.add_event_handler(Recorder::new()).unwrap());
    let ended = (*second).clone();
    drop((second, registration));
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), ended.is_stopped()), (0, true));
    assert_eq!(ended.connection().phase, Phase::Stopped);
    assert_eq!(ended.add_event_handler(kept).err(), Some(InformerError::HandlerAfterStop));
    let again = factory.lease(&pods());
    sandbox.run_until_idle();
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
    assert_eq!(store(&again), ["a 1"]);
}

#[test]
fn a_factory_tells_who_uses_which_informer() {
    let (_sandbox, _source, factory) = factory();
    let users = || factory.informers().into_iter().map(|it| (it.resource, it.users)).collect::<Vec<_>>();
    let (table, other) = (factory.lease_for(&pods(), "table"), factory.lease(&pods()));
    assert_eq!(users(), [(pods(), vec!["table", ""])]);
    drop(table);
    assert_eq!(users(), [(pods(), vec![""])]);
    drop(other);
    assert!(users().is_empty());
}

#[test]
fn an_informer_that_was_given_away_outlives_its_leases() {
    let (sandbox, source, factory) = factory();
    let informer = factory.informer_for(&pods());
    drop(factory.lease(&pods()));
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), informer.is_stopped()), (1, false));
}

/// An informer ends by itself when the code that it was given panics; whoever asks next gets another one.
#[test]
fn a_lease_of_an_informer_that_broke_does_not_end_the_one_after_it() {
    let (sandbox, source) = (Sandbox::new(), FakeSource::default());
    source.put(pod("a"));
    let is_broken = Rc::new(Cell::new(true));
    let broken = is_broken.clone();
    let mut options = FactoryOptions::default();
    options.informer.transform = Some(Rc::new(move |object| {
        assert!(!broken.get(), "the transformation's own fault");
        Ok(object.clone())
    }));
    let factory = SharedInformerFactory::with_options(sandbox.runtime(), Rc::new(source.clone()), options);
    let stale = factory.lease(&pods());
    let run = std::panic::AssertUnwindSafe(|| sandbox.run_until_idle());
    assert!(std::panic::catch_unwind(run).is_err());
    sandbox.run_until_idle();
    assert!(stale.is_stopped());
    is_broken.set(false);
    let fresh = factory.lease(&pods());
    drop(stale);
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), fresh.is_stopped(), store(&fresh)), (1, false, vec!["a 1".to_owned()]));
}

/// client-go: `NewSharedInformerFactoryWithOptions`: `WithNamespace`, `WithTweakListOptions`, `WithCustomResyncConfig`,
/// `WithTransform`.
#[test]
fn what_all_informers_have_in_common_is_told_to_the_factory() {
    let (sandbox, source) = (Sandbox::new(), FakeSource::default());
    source.put(pod("a"));
    let tweaked = Rc::new(Cell::new(0));
    let (count, mark) = (tweaked.clone(), "marked".to_owned());
    let mut options = FactoryOptions { resync_period: Duration::from_secs(3600), ..FactoryOptions::default() };
    options.namespace = Some("ns".into());
    options.custom_resync_periods = IndexMap::from([(pods(), Duration::from_secs(5))]);
    options.tweak_list_options = Some(Rc::new(move |options: &mut ListOptions| {
        count.set(count.get() + 1);
        options.label_selector = "app=web".into();
    }));
    options.informer.transform = Some(editing(move |object: &mut Manifest| {
        object.metadata.labels.insert(mark.clone(), String::new());
        Ok(())
    }));
    let factory = SharedInformerFactory::with_options(sandbox.runtime(), Rc::new(source.clone()), options);
    let informer = factory.informer_for(&pods());
    let recorder = Recorder::new();
    let _registration = informer.add_event_handler(recorder.clone()).unwrap();
    factory.start();
    sandbox.run_until_idle();
    assert_eq!((source.namespaces(), tweaked.get()), (vec![Some("ns".to_owned())], 2));
    assert!(informer.indexer().list()[0].label("marked").is_some());
    recorder.calls();
    sandbox.advance(Duration::from_secs(5));
    assert_eq!(recorder.calls(), ["update a 1 1"], "the resource's own period counts");
}

/// kubernetes/kubernetes#136943: a factory's informers waited as long as the reflector's own default.
#[test]
fn the_waits_after_failures_are_told_to_the_factory() {
    let (sandbox, source) = (Sandbox::new(), FakeSource::default());
    let mut backoff = BackoffConfig::reflector();
    (backoff.initial.duration, backoff.initial.jitter) = (Duration::from_secs(7), 0.0);
    let mut options = FactoryOptions::default();
    options.informer.reflector.backoff = backoff;
    source.fail_next_lists([Status::failure(500, "etcd is ill").into()]);
    let factory = SharedInformerFactory::with_options(sandbox.runtime(), Rc::new(source), options);
    let informer = factory.informer_for(&pods());
    factory.start();
    sandbox.advance(Duration::from_millis(6999));
    assert!(!informer.has_synced());
    sandbox.advance(Duration::from_millis(1));
    assert!(informer.has_synced());
}

/// kubernetes/kubernetes#138800, #142072, PR #140608, PR #142256: the informer of a definition that was deleted wrote
/// 250,000 lines a day.
#[test]
fn a_resource_that_is_no_more_is_asked_for_with_growing_waits_until_its_users_let_it_go() {
    let (sandbox, source, factory) = factory();
    let lease = factory.lease(&pods());
    sandbox.run_until_idle();
    let not_found = || Status::failure(404, "the server could not find the requested resource");
    source.fail_next_lists((0..1000).map(|_| not_found().into()));
    source.break_with(Status::failure(410, "gone").into());
    source.requests();
    sandbox.advance(Duration::from_secs(3600));
    let asked = source.requests().len();
    assert!((65..=130).contains(&asked), "{asked} times in an hour");
    let Phase::Reconnecting { error, attempts, .. } = lease.connection().phase else { panic!("it waits") };
    assert!(error.is_not_found() && attempts > 60, "{error} after {attempts}");
    drop(lease);
    sandbox.advance(Duration::from_secs(3600));
    assert!(source.requests().is_empty());
}
