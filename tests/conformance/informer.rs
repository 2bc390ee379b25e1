use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use watchglass::api::Status;
use watchglass::cache::{Registration, SharedInformer};
use watchglass::runtime::{StopSource, Task};
use watchglass::testing::Sandbox;

use super::fake_source::{FakeSource, pod};
use super::recorder::{Recorder, store};

struct Fixture {
    sandbox: Sandbox,
    source: FakeSource,
    informer: SharedInformer,
    stop: Rc<RefCell<StopSource>>,
    task: Cell<Option<Task>>,
}

impl Fixture {
    fn new(pods: &[&str]) -> Self {
        let (sandbox, source) = (Sandbox::new(), FakeSource::default());
        pods.iter().for_each(|name| drop(source.put(pod(name))));
        let informer = SharedInformer::new(sandbox.runtime(), Rc::new(source.clone()), "pods".into());
        let stop = Rc::new(RefCell::new(StopSource::new()));
        Self { sandbox, source, informer, stop, task: Cell::new(None) }
    }

    fn run(&self) {
        let (token, informer) = (self.stop.borrow().token(), self.informer.clone());
        self.task.set(Some(self.sandbox.spawn(async move { informer.run(token).await })));
        self.sandbox.run_until_idle();
    }

    fn add(&self, recorder: &Rc<Recorder>) -> Registration {
        self.informer.add_event_handler(recorder.clone())
    }

    /// The watch breaks, the changes go unseen, and a list brings them.
    fn relist_after(&self, changes: impl FnOnce(&FakeSource)) {
        self.source.break_with(Status::failure(410, "gone").into());
        changes(&self.source);
        self.sandbox.advance(Duration::from_secs(2));
    }
}

/// client-go: `TestSharedInformerInitializationRace`'s simpler half, `TestListenerResyncPeriods` without resync.
#[test]
fn a_handler_is_told_of_each_change_in_order() {
    let it = Fixture::new(&["a"]);
    let recorder = Recorder::new();
    let registration = it.add(&recorder);
    assert!(!registration.has_synced());
    it.run();
    assert!(registration.has_synced());
    it.source.put(pod("b"));
    it.source.put(pod("a"));
    it.sandbox.run_until_idle();
    it.source.delete("b");
    it.sandbox.run_until_idle();
    assert_eq!(recorder.calls(), ["add a 1 initial", "add b 2", "update a 1 3", "delete b 4"]);
}

/// kubernetes/kubernetes#115658, PR #86015, PR #87957: nothing is lost, invented or doubled by a list.
#[test]
fn a_list_after_a_gap_tells_of_what_was_missed() {
    let it = Fixture::new(&["same", "changed", "deleted"]);
    let recorder = Recorder::new();
    let _registration = it.add(&recorder);
    it.run();
    recorder.calls();
    it.relist_after(|source| {
        source.put_unseen(pod("changed"));
        source.delete_unseen("deleted");
        source.put_unseen(pod("new"));
    });
    let mut calls = recorder.calls();
    calls.sort();
    assert_eq!(calls, ["add new 6", "gone ns/deleted 3", "update changed 2 4"]);
}

/// An object is known by its key: deleted and made again within a gap, it is one update between two uids.
#[test]
fn an_object_made_again_within_a_gap_is_an_update_to_another_uid() {
    let it = Fixture::new(&["a"]);
    it.run();
    it.relist_after(|source| {
        source.delete_unseen("a");
        let mut again = pod("a");
        again.metadata.uid = "another".into();
        source.put_unseen(again);
    });
    assert_eq!(it.informer.indexer().get_by_key("ns/a").unwrap().uid(), "another");
    assert_eq!(it.informer.indexer().len(), 1);
}

/// kubernetes/kubernetes PR #135462: a reader never sees half of a list.
#[test]
fn the_whole_list_stands_in_the_store_before_the_first_handler_is_told() {
    let it = Fixture::new(&["a", "b", "c"]);
    it.run();
    let recorder = Recorder::new();
    let _registration = it.add(&recorder);
    it.sandbox.run_until_idle();
    recorder.calls();
    let seen = Rc::new(RefCell::new(Vec::new()));
    let (seen_in_call, informer) = (seen.clone(), it.informer.clone());
    recorder.during_each_call(move || seen_in_call.borrow_mut().push(store(&informer)));
    it.relist_after(|source| {
        source.delete_unseen("a");
        source.put_unseen(pod("d"));
        source.put_unseen(pod("e"));
    });
    assert_eq!(seen.borrow().len(), 3);
    assert!(seen.borrow().iter().all(|seen| *seen == ["b 2", "c 3", "d 5", "e 6"]), "{:?}", seen.borrow());
}

/// client-go: `TestSharedInformerHandlerAbuse`, `TestAddWhileActive`.
#[test]
fn a_handler_added_while_it_runs_is_told_of_everything_once() {
    let it = Fixture::new(&["a"]);
    it.run();
    it.source.put(pod("b"));
    let recorder = Recorder::new();
    let registration = it.add(&recorder);
    it.source.put(pod("c"));
    it.sandbox.run_until_idle();
    let mut calls = recorder.calls();
    calls.sort();
    assert_eq!(calls, ["add a 1 initial", "add b 2", "add c 3"]);
    assert!(registration.has_synced());
}

/// client-go: `TestRemovingRemovedSharedInformer`, `TestSharedInformerRemoveHandler`.
#[test]
fn a_handler_that_was_removed_hears_nothing_more_and_the_others_go_on() {
    let it = Fixture::new(&[]);
    let (removed, stays) = (Recorder::new(), Recorder::new());
    let (registration, _stays) = (it.add(&removed), it.add(&stays));
    it.run();
    it.source.put(pod("a"));
    drop(registration);
    it.source.put(pod("b"));
    it.sandbox.run_until_idle();
    assert!(removed.calls().is_empty());
    assert_eq!(stays.calls(), ["add a 1", "add b 2"]);
}

#[test]
fn a_handler_may_add_and_remove_handlers_and_stop_the_informer() {
    let it = Fixture::new(&["a"]);
    let (first, second) = (Recorder::new(), Recorder::new());
    let held: Rc<RefCell<Vec<Registration>>> = Rc::default();
    held.borrow_mut().push(it.add(&first));
    let (informer, registrations, added) = (it.informer.clone(), held, second.clone());
    first.during_each_call(move || {
        let own = std::mem::take(&mut *registrations.borrow_mut());
        drop(own);
        let another = informer.add_event_handler(added.clone());
        registrations.borrow_mut().push(another);
    });
    let stop = it.stop.clone();
    second.during_each_call(move || stop.borrow_mut().stop());
    it.run();
    assert_eq!(first.calls(), ["add a 1 initial"]);
    assert_eq!(second.calls(), ["add a 1 initial"]);
    assert_eq!(it.source.watches_open(), 0);
}

/// kubernetes/kubernetes#103789: each handler has a queue of its own.
#[test]
fn the_same_handler_added_twice_is_told_twice() {
    let it = Fixture::new(&["a"]);
    let recorder = Recorder::new();
    let _registrations = (it.add(&recorder), it.add(&recorder));
    it.run();
    assert_eq!(recorder.calls().len(), 2);
}

/// client-go: `TestSharedInformerMultipleRegistration`'s neighbour `TestRunMultiple`.
#[test]
fn an_informer_runs_once() {
    let it = Fixture::new(&["a"]);
    it.run();
    it.source.requests();
    let (token, informer) = (it.stop.borrow().token(), it.informer.clone());
    it.sandbox.block_on(async move { informer.run(token).await });
    assert!(it.source.requests().is_empty());
    assert_eq!(it.source.watches_open(), 1);
}

#[test]
fn an_observer_of_the_connection_hears_of_it_until_its_guard_is_dropped() {
    let it = Fixture::new(&["a"]);
    let count = Rc::new(Cell::new(0));
    let counted = count.clone();
    let guard = it.informer.on_connection(Rc::new(move |_| counted.set(counted.get() + 1)));
    it.run();
    let while_held = count.get();
    assert!(while_held > 0);
    drop(guard);
    it.relist_after(|_| {});
    assert_eq!(count.get(), while_held);
}
