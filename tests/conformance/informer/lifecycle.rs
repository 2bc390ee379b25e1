use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{LocalBoxFuture, pending, ready};
use watchglass::api::{Error, List, ListMeta, ListOptions, Manifest, Object, Status};
use watchglass::cache::{
    IndexFunc, Indexers, InformerError, InformerOptions, ListProgress, ListResult, ListerWatcher, Phase, QueueKind,
    SharedInformer, WatchStream,
};
use watchglass::runtime::StopSource;
use watchglass::testing::Sandbox;

use super::Fixture;
use crate::fake_source::{editing, pod};
use crate::recorder::{Recorder, listing, store};

fn by_label(label: &'static str) -> Indexers {
    let by_label: IndexFunc =
        Rc::new(move |object: &Object| object.label(label).map(std::borrow::Cow::into_owned).into_iter().collect());
    Indexers::from([(label.to_owned(), by_label)])
}

fn labelled(name: &str, label: &str, value: &str) -> Manifest {
    let mut object = pod(name);
    object.metadata.labels.insert(label.into(), value.into());
    object
}

/// client-go: `TestIndexer`.
#[test]
fn indexes_may_be_added_before_and_while_it_runs_and_not_after() {
    let it = Fixture::new(&[]);
    it.source.put(labelled("p1", "a", "v"));
    it.source.put(labelled("p2", "b", "w"));
    it.informer.add_indexers(by_label("a")).unwrap();
    it.run();
    let keys = |index, value| it.informer.indexer().index_keys(index, value).unwrap();
    assert_eq!(keys("a", "v"), ["ns/p1"]);
    it.source.put(labelled("p3", "a", "v"));
    it.sandbox.run_until_idle();
    assert_eq!(keys("a", "v"), ["ns/p1", "ns/p3"]);
    it.informer.add_indexers(by_label("b")).unwrap();
    assert_eq!(
        (keys("b", "w"), it.informer.indexer().index_values("b")),
        (vec!["ns/p2".to_owned()], vec!["w".to_owned()])
    );
    assert!(matches!(it.informer.add_indexers(by_label("b")), Err(InformerError::Index(_))));
    it.stop.borrow_mut().stop();
    it.sandbox.run_until_idle();
    let late = it.informer.add_indexers(by_label("c")).unwrap_err();
    assert_eq!(late.to_string(), "indexer was not added because it has stopped already");
    assert_eq!(keys("a", "v").len(), 2, "what was held can still be read");
}

/// client-go: `TestStateSharedInformer`.
#[test]
fn it_is_started_once_and_stopped_for_ever() {
    let it = Fixture::new(&["a"]);
    let state = || (it.informer.is_started(), it.informer.is_stopped());
    assert_eq!(state(), (false, false));
    it.run();
    assert_eq!(state(), (true, false));
    it.stop.borrow_mut().stop();
    it.sandbox.run_until_idle();
    assert_eq!(state(), (true, true));
    it.source.requests();
    it.run();
    assert_eq!(state(), (true, true));
    assert!(it.source.requests().is_empty(), "a stopped informer is never started again");
    assert!(it.informer.has_synced());
}

/// client-go: `TestShutdown`, `TestMain`, `TestShutDownEventHandler_Lifecycles`, `TestRemoveEventHandler_SynchronousShutdown`;
/// kubernetes/kubernetes#134565, #136049, PR #112200: nothing runs on after a stop.
#[test]
fn when_it_stops_or_is_dropped_no_task_and_no_timer_stays() {
    for (runs, removed_first) in [(true, true), (true, false), (false, true), (false, false)] {
        let it = Fixture::new(&["a"]);
        let (recorder, late) = (Recorder::new(), Recorder::new());
        let before = it.add(&recorder);
        if runs {
            it.run();
        }
        let after = it.add(&late);
        if removed_first {
            drop((before, after));
            it.stop.borrow_mut().stop();
        } else {
            it.stop.borrow_mut().stop();
            it.sandbox.run_until_idle();
            drop((before, after));
        }
        it.sandbox.run_until_idle();
        [&recorder, &late].iter().for_each(|recorder| drop(recorder.calls()));
        it.source.put(pod("b"));
        it.sandbox.run_until_idle();
        assert_eq!([&recorder, &late].map(|recorder| recorder.calls().len()), [0, 0]);
        assert_eq!(it.sandbox.clock().next_deadline(), None, "runs: {runs}, removed first: {removed_first}");
        assert_eq!(Rc::strong_count(&recorder), 1, "the handler was let go");
        assert_eq!(it.source.watches_open(), 0);
    }
}

/// kubernetes/kubernetes#134565: dropping the task that runs it is a stop too.
#[test]
fn an_informer_whose_task_is_dropped_has_stopped() {
    let it = Fixture::new(&["a"]);
    let recorder = Recorder::new();
    let registration = it.add(&recorder);
    it.run();
    it.task.take();
    it.sandbox.run_until_idle();
    assert!(it.informer.is_stopped());
    assert_eq!((it.informer.connection().phase, it.source.watches_open()), (Phase::Stopped, 0));
    drop(registration);
    assert_eq!(Rc::strong_count(&recorder), 1);
}

/// client-go: `HasSynced`, which a stop before the first list leaves false.
#[test]
fn an_informer_that_stops_before_its_first_list_was_never_synced() {
    let it = Fixture::new(&["a"]);
    it.source.silence_lists(true);
    let registration = it.add(&Recorder::new());
    it.run();
    it.stop.borrow_mut().stop();
    it.sandbox.run_until_idle();
    assert!(!it.informer.has_synced() && !registration.has_synced());
    assert_eq!(it.informer.last_sync_resource_version(), "");
}

/// client-go: `TestSharedInformerErrorHandling`.
#[test]
fn a_failed_list_is_told_to_the_error_handler() {
    let it = Fixture::new(&["a"]);
    let errors: Rc<RefCell<Vec<String>>> = Rc::default();
    let told = errors.clone();
    let handler = move |description: &str, error: &watchglass::api::Error| {
        told.borrow_mut().push(format!("{description}: {error}"));
    };
    it.informer.set_watch_error_handler(Rc::new(|_, _| panic!("the last one set counts"))).unwrap();
    it.informer.set_watch_error_handler(Rc::new(handler)).unwrap();
    it.source.fail_next_lists([Status::failure(500, "access denied").into()]);
    it.run();
    assert_eq!(errors.borrow().len(), 1);
    assert!(errors.borrow()[0].contains("access denied"), "{}", errors.borrow()[0]);
    assert_eq!(it.informer.set_watch_error_handler(Rc::new(|_, _| {})), Err(InformerError::AlreadyStarted));
    assert_eq!(InformerError::AlreadyStarted.to_string(), "informer has already started");
}

/// client-go: `TestSharedInformerTransformer`.
#[test]
fn everything_sees_objects_as_the_transformation_made_them() {
    [QueueKind::AtomicRealFifo, QueueKind::RealFifo, QueueKind::DeltaFifo].into_iter().for_each(check_transformation);
}

fn check_transformation(queue: QueueKind) {
    let it = Fixture::with(&["a", "b"], InformerOptions { queue, ..InformerOptions::default() });
    let recorder = Recorder::new();
    let _registration = it.add(&recorder);
    let upper = |object: &mut Manifest| {
        object.metadata.name = object.name().to_uppercase();
        Ok(())
    };
    it.informer.set_transform(editing(upper)).expect("it has not started");
    it.run();
    it.source.put(pod("c"));
    it.source.delete("a");
    it.sandbox.run_until_idle();
    assert_eq!(store(&it.informer), ["B 2", "C 3"], "{queue:?}");
    assert_eq!(recorder.calls(), ["add A 1 initial", "add B 2 initial", "add C 3", "delete A 4"], "{queue:?}");
    assert_eq!(it.informer.set_transform(editing(upper)), Err(InformerError::AlreadyStarted));
}

/// An object that cannot be transformed is not stored as it came, and the informer goes on.
#[test]
fn an_object_that_the_transformation_refuses_never_appears() {
    let it = Fixture::new(&["a"]);
    let refuse = |object: &mut Manifest| if object.name() == "bad" { Err("it is bad".into()) } else { Ok(()) };
    it.informer.set_transform(editing(refuse)).unwrap();
    it.run();
    it.source.put(pod("bad"));
    it.source.put(pod("b"));
    it.sandbox.run_until_idle();
    assert_eq!(store(&it.informer), ["a 1", "b 3"]);
}

/// client-go: `TestStoreResourceVersion`, `TestRemoveWhileActive`.
#[test]
fn the_store_knows_up_to_which_version_it_is_right() {
    let it = Fixture::new(&["a"]);
    let (recorder, other) = (Recorder::new(), Recorder::new());
    let registration = it.add(&recorder);
    let _other = it.add(&other);
    let version = || it.informer.indexer().last_store_sync_resource_version();
    assert_eq!(version(), "");
    it.run();
    assert_eq!(version(), "1");
    it.source.put(pod("a"));
    it.sandbox.run_until_idle();
    assert_eq!(version(), "2");
    it.source.bookmark();
    it.sandbox.run_until_idle();
    assert_eq!((version(), it.informer.last_sync_resource_version()), ("3".to_owned(), "3".to_owned()));
    recorder.calls();
    drop(registration);
    it.source.delete("a");
    it.sandbox.run_until_idle();
    assert_eq!(version(), "4");
    assert!(recorder.calls().is_empty() && other.calls().last().is_some_and(|call| call == "delete a 4"));
}

/// kubernetes/kubernetes#103789, #47045, #49705: a handler that is at work for long holds up neither the watch nor the
/// store.
#[test]
fn the_store_follows_while_a_handler_rests() {
    let it = Fixture::with(&["a"], InformerOptions::default());
    let recorder = Recorder::new();
    recorder.during_each_call(|| panic!("it rests for a second after this"));
    let registration = it.add(&recorder);
    it.run();
    (0..10).for_each(|number| drop(it.source.put(pod(&format!("p{number}")))));
    it.sandbox.run_until_idle();
    assert_eq!((recorder.calls().len(), listing(it.informer.indexer()).len()), (1, 11));
    assert_eq!(registration.pending(), 10);
}

/// KubeElasti#303: a first list that takes long is not a list that hangs.
#[test]
fn the_connection_tells_a_slow_first_list_from_a_broken_one() {
    let it = Fixture::new(&["a"]);
    it.source.silence_lists(true);
    it.run();
    assert!(matches!(it.informer.connection().phase, Phase::Listing { .. }));
    let (count, seen) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let counted = count.clone();
    let _guard = it.informer.on_connection(Rc::new(move |_| counted.set(counted.get() + 1)));
    it.sandbox.advance(Duration::from_secs(61));
    seen.set(count.get());
    assert!(seen.get() > 0);
    assert!(matches!(it.informer.connection().phase, Phase::Reconnecting { .. }));
}

/// rancher/steve#1229, rancher/rancher#55606, cozystack/cozystack#2786: who waited for the mark held a lock meanwhile,
/// and the whole interface stood still.
#[test]
fn an_informer_that_waits_for_the_end_of_its_first_state_can_be_read_added_to_and_stopped() {
    let it = Fixture::new(&["a"]);
    it.source.support_watch_list();
    it.source.withhold_initial_bookmark(true);
    it.run();
    it.sandbox.advance(Duration::from_secs(10));
    assert_eq!(it.source.requests(), ["watch-list rv="]);
    assert!(store(&it.informer).is_empty());
    let recorder = Recorder::new();
    let registration = it.add(&recorder);
    it.informer.add_indexers(by_label("app")).unwrap();
    it.sandbox.run_until_idle();
    assert!(!it.informer.has_synced() && !registration.has_synced() && recorder.calls().is_empty());
    it.stop.borrow_mut().stop();
    it.sandbox.run_until_idle();
    assert_eq!((it.informer.is_stopped(), it.source.watches_open()), (true, 0));
}

/// A list that replaces another and is still on its way says nothing of what is shown.
#[test]
fn a_first_list_on_its_way_is_a_contact_and_a_later_one_is_none() {
    let (sandbox, source) = (Sandbox::new(), HalfLists::default());
    let informer = SharedInformer::new(sandbox.runtime(), Rc::new(source.clone()), "pods".into());
    let (stop, runs) = (StopSource::new(), informer.clone());
    let token = stop.token();
    let _task = sandbox.spawn(async move { runs.run(token).await });
    sandbox.advance(Duration::from_secs(5));
    let contact = || informer.connection().last_contact.expect("there was one");
    let first = contact();
    source.lists_are_whole.set(true);
    sandbox.advance(Duration::from_secs(70));
    assert!(informer.has_synced() && contact() > first);
    source.lists_are_whole.set(false);
    let before = contact();
    sandbox.advance(Duration::from_secs(70));
    assert!(matches!(informer.connection().phase, Phase::Listing { .. } | Phase::Reconnecting { .. }));
    assert_eq!(contact(), before);
}

/// Each list makes progress at once; whole ones end, and the watch after one is gone.
#[derive(Clone, Default)]
struct HalfLists {
    lists_are_whole: Rc<Cell<bool>>,
}

impl ListerWatcher for HalfLists {
    fn list(
        &self,
        _options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        progress(ListProgress { received: 1, ..ListProgress::default() });
        if !self.lists_are_whole.get() {
            return pending().boxed_local();
        }
        let metadata = ListMeta { resource_version: "1".into(), ..ListMeta::default() };
        ready(Ok(ListResult { list: List { metadata, ..List::default() }, paginated: false })).boxed_local()
    }

    fn watch(&self, _options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        ready(Err(Status::failure(410, "gone").into())).boxed_local()
    }
}
