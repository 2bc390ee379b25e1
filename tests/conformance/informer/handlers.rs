use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use watchglass::api::Object;
use watchglass::cache::{
    DeletedObject, FilteringResourceEventHandler, HandlerOptions, InformerError, InformerOptions, Registration,
    ResourceEventHandler, ResourceEventHandlerFuncs, SharedInformer,
};
use watchglass::runtime::StopSource;
use watchglass::testing::Sandbox;

use super::Fixture;
use crate::fake_source::{FakeSource, pod};
use crate::recorder::{Recorder, store};

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

/// kubernetes/kubernetes#115658, PR #86015: nothing is lost or invented by a list. What it repeats is an update that
/// changes nothing, as long as no resync has told the handlers apart.
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
    assert_eq!(calls, ["add new 6", "gone ns/deleted 3", "update changed 2 4", "update same 1 1"]);
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
    assert_eq!(seen.borrow().len(), 5);
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

/// Case 38 of the browser test list.
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
        let another = informer.add_event_handler(added.clone()).unwrap();
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
    let others = Rc::new(Cell::new(0));
    let counted = others.clone();
    let _others = it.informer.on_connection(Rc::new(move |_| counted.set(counted.get() + 1)));
    it.run();
    let while_held = count.get();
    assert!(while_held > 0);
    assert_eq!(others.get(), while_held);
    drop(guard);
    it.relist_after(|_| {});
    assert_eq!(count.get(), while_held);
    assert!(others.get() > while_held);
}

/// client-go: `TestTypedResourceEventHandlerFuncs`, `TestTypedResourceEventHandlerDetailedFuncs`.
#[test]
fn closures_are_a_handler_and_those_that_are_missing_are_no_error() {
    let it = Fixture::new(&["a"]);
    let calls: Rc<RefCell<Vec<String>>> = Rc::default();
    let (added, updated, deleted) = (calls.clone(), calls.clone(), calls.clone());
    let all = ResourceEventHandlerFuncs::new()
        .on_add(move |object, initial| added.borrow_mut().push(format!("add {} {initial}", object.name())))
        .on_update(move |old, new| {
            updated.borrow_mut().push(format!("update {} {}", old.resource_version(), new.resource_version()));
        })
        .on_delete(move |gone| deleted.borrow_mut().push(format!("delete {}", gone.key())));
    let _registrations = (
        it.informer.add_event_handler(Rc::new(all)).unwrap(),
        it.informer.add_event_handler(Rc::new(ResourceEventHandlerFuncs::new())).unwrap(),
    );
    it.run();
    it.source.put(pod("b"));
    it.source.put(pod("a"));
    it.source.delete("a");
    it.sandbox.run_until_idle();
    assert_eq!(*calls.borrow(), ["add a true", "add b false", "update 1 3", "delete ns/a"]);
}

/// client-go: `TestTypedFilteringResourceEventHandler`.
#[test]
fn a_filter_turns_updates_into_what_its_handler_can_see() {
    let labelled = |version: &str, passes: bool| {
        let mut object = pod("a");
        object.metadata.resource_version = version.into();
        if passes {
            object.metadata.labels.insert("passes".into(), String::new());
        }
        object.into()
    };
    let recorder = Recorder::new();
    let passes = |object: &Object| object.label("passes").is_some();
    let filtering = FilteringResourceEventHandler::new(passes, Told(recorder.clone()));
    for initial in [false, true] {
        filtering.on_add(&labelled("1", false), initial);
        filtering.on_add(&labelled("2", true), initial);
    }
    assert_eq!(recorder.calls(), ["add a 2", "add a 2 initial"]);
    for (old, new, told) in
        [(true, true, "update a 1 2"), (false, true, "add a 2"), (true, false, "delete a 1"), (false, false, "")]
    {
        filtering.on_update(&labelled("1", old), &labelled("2", new));
        assert_eq!(recorder.calls().join(""), told);
    }
    let gone = |object| DeletedObject::FinalStateUnknown { key: "ns/a".into(), object };
    filtering.on_delete(&DeletedObject::Known(labelled("1", false)));
    filtering.on_delete(&gone(Some(labelled("2", false))));
    assert!(recorder.calls().is_empty());
    filtering.on_delete(&DeletedObject::Known(labelled("1", true)));
    filtering.on_delete(&gone(Some(labelled("2", true))));
    filtering.on_delete(&gone(None));
    assert_eq!(recorder.calls(), ["delete a 1", "gone ns/a 2", "gone ns/a "]);
}

/// A handler that hands on to a recorder that is shared.
struct Told(Rc<Recorder>);

impl ResourceEventHandler for Told {
    fn on_add(&self, object: &Object, is_in_initial_list: bool) {
        self.0.on_add(object, is_in_initial_list);
    }

    fn on_update(&self, old: &Object, new: &Object) {
        self.0.on_update(old, new);
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        self.0.on_delete(deleted);
    }
}

/// client-go: `TestAddWhileActive`, `TestSharedInformerInitializationRace`, `TestSharedInformerStartRace`;
/// kubernetes/kubernetes#59822, #137282, PR #137296: handlers come before, while and after it starts, and none is
/// forgotten.
#[test]
fn a_handler_is_synced_once_it_was_told_of_everything_that_was_there() {
    let it = Fixture::new(&["a"]);
    let (early, late) = (Recorder::new(), Recorder::new());
    let before = it.add(&early);
    it.sandbox.run_until_idle();
    assert!(!before.has_synced(), "the informer does not run");
    it.run();
    assert!(before.has_synced());
    let after = it.add(&late);
    assert!(!after.has_synced() && late.calls().is_empty(), "nothing is told within the call that adds it");
    assert_eq!(after.pending(), 1);
    it.source.put(pod("b"));
    it.sandbox.block_on(after.synced());
    assert!(after.has_synced());
    it.sandbox.run_until_idle();
    assert_eq!((late.calls(), after.pending()), (vec!["add a 1 initial".to_owned(), "add b 2".to_owned()], 0));
    assert_eq!(early.calls(), ["add a 1 initial", "add b 2"]);
}

/// kubernetes/kubernetes#59822, #137282, PR #137296: whoever added a handler before the processor had started waited
/// for ever, or was not told.
#[test]
fn a_handler_added_while_it_starts_is_told_of_everything_whatever_runs_first() {
    for seed in 0..50 {
        let (sandbox, source) = (Sandbox::with_random_order(seed), FakeSource::default());
        source.put(pod("a"));
        let informer = SharedInformer::new(sandbox.runtime(), Rc::new(source), "pods".into());
        let recorders = [(); 4].map(|()| Recorder::new());
        let synced: Rc<RefCell<Vec<Registration>>> = Rc::default();
        let add = |recorder: &Rc<Recorder>| {
            let (informer, recorder, synced) = (informer.clone(), recorder.clone(), synced.clone());
            sandbox.spawn(async move {
                let registration = informer.add_event_handler(recorder).unwrap();
                registration.synced().await;
                synced.borrow_mut().push(registration);
            })
        };
        let stop = StopSource::new();
        let (runs, token) = (informer.clone(), stop.token());
        let _before = [add(&recorders[0]), add(&recorders[1])];
        let _task = sandbox.spawn(async move { runs.run(token).await });
        let _after = [add(&recorders[2]), add(&recorders[3])];
        sandbox.run_until_idle();
        assert_eq!(synced.borrow().len(), 4, "seed {seed}");
        assert!(recorders.iter().all(|recorder| recorder.calls() == ["add a 1 initial"]), "seed {seed}");
    }
}

/// client-go: `TestSharedInformerHandlerAbuse`.
#[test]
fn handlers_that_come_and_go_while_objects_change_hear_of_each_object_in_order() {
    let it = Fixture::new(&["a"]);
    it.run();
    let mut registered: Vec<(Rc<Recorder>, Registration)> = Vec::new();
    for round in 0..500_usize {
        it.source.put(pod(&format!("p{}", round % 7)));
        if round % 3 == 0 {
            let recorder = Recorder::new();
            let registration = it.add(&recorder);
            registered.push((recorder, registration));
        }
        if round % 5 == 4 {
            let (recorder, registration) = registered.remove(round % registered.len());
            drop(registration);
            recorder.calls();
            it.sandbox.run_until_idle();
            assert!(recorder.calls().is_empty(), "a removed handler hears nothing");
        }
    }
    it.sandbox.run_until_idle();
    let held = it.informer.indexer().len();
    for (recorder, _registration) in registered {
        let calls = recorder.calls();
        let names: Vec<&str> = calls.iter().filter_map(|call| call.split(' ').nth(1)).collect();
        for (at, call) in calls.iter().enumerate() {
            let seen_before = names[..at].contains(&names[at]);
            assert_eq!(call.starts_with("update"), seen_before, "{call} in {calls:?}");
        }
        let known: std::collections::BTreeSet<_> = names.into_iter().collect();
        assert_eq!(known.len(), held);
    }
}

/// client-go: `TestEventPanics`; kubernetes/kubernetes#129024: a handler whose first call panicked was never synced.
#[test]
fn a_handler_that_panics_goes_on_a_second_later_and_no_other_waits_for_it() {
    let it = Fixture::new(&["a", "b", "c"]);
    let (ill, well) = (Recorder::new(), Recorder::new());
    ill.during_each_call(|| panic!("the handler's own fault"));
    let (registration, _well) = (it.add(&ill), it.add(&well));
    it.run();
    assert_eq!((ill.calls().len(), well.calls().len()), (1, 3));
    assert!(!registration.has_synced());
    it.sandbox.advance(Duration::from_millis(999));
    assert!(ill.calls().is_empty());
    it.sandbox.advance(Duration::from_millis(1001));
    assert_eq!(ill.calls().len(), 2);
    assert!(registration.has_synced(), "what panicked was delivered");
}

/// client-go: `utilruntime.ReallyCrash`, its default.
#[test]
#[should_panic(expected = "the handler's own fault")]
fn a_handler_s_panic_can_be_let_through() {
    let options = InformerOptions { crash_on_handler_panic: true, ..Default::default() };
    let it = Fixture::with(&["a"], options);
    let recorder = Recorder::new();
    recorder.during_each_call(|| panic!("the handler's own fault"));
    let _registration = it.add(&recorder);
    it.run();
}

/// client-go: `TestAddOnStoppedSharedInformer`, `TestRemoveOnStoppedSharedInformer`.
#[test]
fn a_stopped_informer_takes_no_handler_and_lets_those_go_that_it_has() {
    let it = Fixture::new(&["a"]);
    let recorder = Recorder::new();
    let registration = it.add(&recorder);
    it.run();
    it.stop.borrow_mut().stop();
    it.sandbox.run_until_idle();
    let refused = it.informer.add_event_handler(Recorder::new()).unwrap_err();
    assert_eq!(refused, InformerError::HandlerAfterStop);
    assert!(refused.to_string().ends_with("was not added to shared informer because it has stopped already"));
    drop(registration);
}

/// kubernetes/kubernetes#121474, PR #129160, PR #137314, kubernetes/enhancements#4346, kubernetes/client-go#1326,
/// fabric8io/kubernetes-client#3938: what a slow handler has not been told is counted and bounded.
#[test]
fn what_a_handler_that_lags_has_not_been_told_is_merged_by_key() {
    for (unbounded_notifications, pending) in [(false, 1024), (true, 5000)] {
        let options = InformerOptions { unbounded_notifications, ..Default::default() };
        let it = Fixture::with(&["a"], options);
        it.run();
        let recorder = Recorder::new();
        let registration = it.add(&recorder);
        it.sandbox.run_until_idle();
        recorder.calls();
        // After a panic a handler is told nothing for a second.
        let has_panicked = Cell::new(false);
        recorder.during_each_call(move || assert!(has_panicked.replace(true), "the handler's own fault"));
        (0..=5000).for_each(|_| drop(it.source.put(pod("a"))));
        it.sandbox.run_until_idle();
        let lagging = registration.pending();
        assert!((pending - 1..=pending).contains(&lagging), "{lagging} pending");
        assert_eq!(it.informer.pending_notifications(), lagging);
        it.sandbox.advance(Duration::from_secs(1));
        let calls = recorder.calls();
        assert_eq!(calls.last().unwrap().split(' ').next_back(), Some("5002"), "the newest state is told");
        assert_eq!((calls.len(), registration.pending()), (lagging + 1, 0));
    }
}

/// kube-rs's `ReflectHandle` waits for ever when an object has left the store before it was handed out.
#[test]
fn a_handler_that_lags_is_told_of_what_is_gone_again_and_of_what_follows() {
    let it = Fixture::new(&["a"]);
    let recorder = Recorder::new();
    let has_rested = Cell::new(false);
    recorder.during_each_call(move || assert!(has_rested.replace(true), "it rests for a second after this"));
    let _registration = it.add(&recorder);
    it.run();
    it.source.put(pod("gone"));
    it.sandbox.run_until_idle();
    it.source.delete("gone");
    it.source.put(pod("b"));
    it.sandbox.run_until_idle();
    assert_eq!(store(&it.informer), ["a 1", "b 4"]);
    assert_eq!(recorder.calls(), ["add a 1 initial"]);
    it.sandbox.advance(Duration::from_secs(1));
    assert_eq!(recorder.calls(), ["add gone 2", "delete gone 3", "add b 4"]);
}

/// client-go: `TestBasicLogic`, `TestSingleFile`, `TestSingleFileCounting`.
#[test]
fn a_handler_is_synced_only_when_the_list_came_and_its_last_object_was_delivered_and_stays_so() {
    let it = Fixture::new(&["a", "b"]);
    it.source.silence_lists(true);
    let recorder = Recorder::new();
    let has_rested = Cell::new(false);
    recorder.during_each_call(move || assert!(has_rested.replace(true), "it rests for a second after this"));
    let (registration, none) = (it.add(&recorder), it.add(&Recorder::new()));
    it.run();
    assert!(!none.has_synced(), "nothing is undelivered, and the list has not come");
    it.source.silence_lists(false);
    it.sandbox.advance(Duration::from_secs(60));
    it.informer.retry_now();
    it.sandbox.run_until_idle();
    assert_eq!((recorder.calls().len(), registration.has_synced()), (1, false), "the list came, one is undelivered");
    it.sandbox.advance(Duration::from_secs(1));
    assert!(registration.has_synced());
    it.source.put(pod("c"));
    assert!(registration.has_synced(), "what comes later is not waited for");
}

/// client-go: `TestSharedInformerMultipleRegistration`; `WaitFor` over `HasSyncedChecker`.
#[test]
fn informers_and_handlers_can_be_waited_for_by_name() {
    let it = Fixture::with(&["a"], InformerOptions::default());
    let options = HandlerOptions { name: Some("rows".into()), ..HandlerOptions::default() };
    let handler = it.informer.add_event_handler_with_options(Recorder::new(), options).unwrap();
    let checkers = [it.informer.checker(), handler.checker()];
    let named = checkers.each_ref().map(|checker| (checker.name(), checker.is_done()));
    let informer = "SharedIndexInformer pods";
    assert_eq!(named, [(informer.into(), false), (format!("{informer} + event handler rows"), false)]);
    it.run();
    let never = futures::future::pending::<&str>();
    assert!(it.sandbox.block_on(watchglass::cache::wait_for("all", never, &checkers)).is_done());
    assert!(checkers.iter().all(|checker| checker.is_done()));
}
