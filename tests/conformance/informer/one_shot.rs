use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use watchglass::api::{Manifest, Status, WatchEvent};
use watchglass::cache::{
    Controller, ControllerConfig, Delta, Indexer, InformerOptions, QueueKind, RealFifo, RealFifoOptions,
    ReflectorOptions, ResourceEventHandler, StoreError, new_informer,
};
use watchglass::runtime::{StopSource, StopToken, Task};
use watchglass::testing::Sandbox;

use crate::fake_source::{FakeSource, editing, pod};
use crate::recorder::{Recorder, listing};

struct OneShot {
    sandbox: Sandbox,
    source: FakeSource,
    indexer: Rc<Indexer>,
    controller: Rc<Controller>,
    stop: StopSource,
    _task: Option<Task>,
}

fn one_shot(pods: &[&str], handler: Rc<dyn ResourceEventHandler>, options: InformerOptions) -> OneShot {
    let (sandbox, source) = (Sandbox::new(), FakeSource::default());
    pods.iter().for_each(|name| drop(source.put(pod(name))));
    let (indexer, controller) = new_informer(sandbox.runtime(), Rc::new(source.clone()), handler, options);
    OneShot { sandbox, source, indexer, controller: Rc::new(controller), stop: StopSource::new(), _task: None }
}

impl OneShot {
    fn run(mut self) -> Self {
        let (controller, token) = (Rc::clone(&self.controller), self.stop.token());
        self._task = Some(self.sandbox.spawn(async move { controller.run(token).await }));
        self.sandbox.run_until_idle();
        self
    }
}

const KINDS: [QueueKind; 3] = [QueueKind::AtomicRealFifo, QueueKind::RealFifo, QueueKind::DeltaFifo];

/// client-go: `TestHammerController`, `TestUpdate`.
#[test]
fn however_objects_change_the_handler_sees_each_history_in_order() {
    for (seed, queue) in KINDS.iter().enumerate() {
        let recorder = Recorder::new();
        let it = one_shot(&[], recorder.clone(), InformerOptions { queue: *queue, ..InformerOptions::default() });
        assert!(!it.controller.has_synced());
        let it = it.run();
        assert!(it.controller.has_synced());
        let random = watchglass::runtime::SeededRandom::new(seed as u64);
        let mut held = [false; 5];
        for _ in 0..300 {
            let at = random.below(held.len());
            let name = format!("p{at}");
            if held[at] && random.below(3) == 0 {
                it.source.delete(&name);
                held[at] = false;
            } else {
                it.source.put(pod(&name));
                held[at] = true;
            }
            if random.below(4) == 0 {
                it.sandbox.run_until_idle();
            }
        }
        it.sandbox.run_until_idle();
        let mut known = std::collections::BTreeMap::new();
        for call in recorder.calls() {
            let parts: Vec<&str> = call.split(' ').collect();
            match parts[..] {
                ["add", name, version] => assert_eq!(known.insert(name.to_owned(), version.to_owned()), None),
                ["update", name, old, new] => {
                    assert_eq!(known.insert(name.to_owned(), new.to_owned()).as_deref(), Some(old));
                }
                ["delete", name, _] => assert!(known.remove(name).is_some(), "{call}"),
                _ => panic!("{call}"),
            }
        }
        let known: Vec<String> = known.into_iter().map(|(name, version)| format!("{name} {version}")).collect();
        assert_eq!(known, listing(&it.indexer), "{queue:?}");
    }
}

/// client-go: `TestPanicPropagated`.
#[test]
#[should_panic(expected = "test panic")]
fn its_handler_s_panic_is_its_own() {
    let recorder = Recorder::new();
    recorder.during_each_call(|| panic!("test panic"));
    let it = one_shot(&["a"], recorder, InformerOptions::default());
    let (controller, token) = (Rc::clone(&it.controller), it.stop.token());
    it.sandbox.block_on(async move { controller.run(token).await });
}

/// client-go: `TestTransformingInformer`, `TestTransformingInformerRace`.
#[test]
fn neither_the_handler_nor_a_reader_sees_an_object_before_its_transformation() {
    let transform = |object: &mut Manifest| {
        assert!(!object.metadata.labels.contains_key("transformed"), "it is called once for an object from the wire");
        object.metadata.labels.insert("transformed".into(), String::new());
        Ok(())
    };
    let options = InformerOptions {
        transform: Some(editing(transform)),
        resync_period: Duration::from_millis(5),
        ..InformerOptions::default()
    };
    let recorder = Recorder::new();
    let it = one_shot(&["a", "b"], recorder.clone(), options).run();
    let seen = Rc::clone(&it.indexer);
    recorder.during_each_call(move || {
        assert!(seen.list().iter().all(|object| object.label("transformed").is_some()));
    });
    it.source.put(pod("a"));
    it.source.put(pod("c"));
    it.source.delete("b");
    it.sandbox.advance(Duration::from_secs(1));
    let calls = recorder.calls();
    assert_eq!(calls[..5], ["add a 1 initial", "add b 2 initial", "update a 1 3", "add c 4", "delete b 5"]);
    assert!(calls.len() > 5 + 2 * 100, "a resync each 5 ms: {}", calls.len());
}

/// client-go: `TestReplaceEvents`.
#[test]
fn a_list_is_told_as_what_it_changed() {
    for queue in KINDS {
        let recorder = Recorder::new();
        let options = InformerOptions { queue, ..InformerOptions::default() };
        let it = one_shot(&["p1", "p2", "p3"], recorder.clone(), options).run();
        let sorted = || {
            let mut calls = recorder.calls();
            calls.sort();
            calls
        };
        assert_eq!(sorted(), ["add p1 1 initial", "add p2 2 initial", "add p3 3 initial"]);
        let (seen, in_call) = (Rc::new(RefCell::new(Vec::new())), Rc::clone(&it.indexer));
        let stores = seen.clone();
        recorder.during_each_call(move || stores.borrow_mut().push(listing(&in_call)));
        it.source.break_with(Status::failure(410, "gone").into());
        it.source.delete_unseen("p3");
        ["p1", "p2", "p4"].iter().for_each(|name| drop(it.source.put_unseen(pod(name))));
        it.sandbox.advance(Duration::from_secs(2));
        assert_eq!(sorted(), ["add p4 7", "gone ns/p3 3", "update p1 1 5", "update p2 2 6"], "{queue:?}");
        if queue == QueueKind::AtomicRealFifo {
            assert!(seen.borrow().iter().all(|store| *store == ["p1 5", "p2 6", "p4 7"]), "{:?}", seen.borrow());
        }
        recorder.during_each_call(|| {});
        it.source.break_with(Status::failure(410, "gone").into());
        ["p1", "p2", "p4"].iter().for_each(|name| drop(it.source.delete_unseen(name)));
        it.sandbox.advance(Duration::from_secs(4));
        assert_eq!(sorted(), ["gone ns/p1 5", "gone ns/p2 6", "gone ns/p4 7"]);
        assert!(it.indexer.is_empty());
    }
}

/// client-go: `TestResetWatch`.
#[test]
fn what_a_list_brings_after_a_lost_watch_is_not_of_the_initial_list() {
    for queue in KINDS {
        let recorder = Recorder::new();
        let options = InformerOptions { queue, ..InformerOptions::default() };
        let it = one_shot(&["a"], recorder.clone(), options).run();
        recorder.calls();
        it.source.break_with(Status::failure(410, "gone").into());
        it.source.put_unseen(pod("b"));
        it.sandbox.advance(Duration::from_secs(2));
        let mut calls = recorder.calls();
        calls.sort();
        assert_eq!(calls, ["add b 2", "update a 1 1"], "one handler alone hears of repetitions too");
    }
}

/// client-go: `Example`, `ExampleNewInformer`, with a `Process` of its own.
#[test]
fn a_controller_may_process_changes_as_it_likes_and_an_error_loses_only_its_own() {
    let (sandbox, source) = (Sandbox::new(), FakeSource::default());
    source.put(pod("a"));
    let seen: Rc<RefCell<Vec<String>>> = Rc::default();
    let log = seen.clone();
    let config = ControllerConfig {
        queue: Rc::new(RealFifo::atomic(RealFifoOptions::default())),
        lister_watcher: Rc::new(source.clone()),
        process: Rc::new(move |deltas, is_in_initial_list| {
            for keyed in deltas {
                if keyed.key == "ns/bad" {
                    return Err(StoreError::other("it cannot be processed"));
                }
                log.borrow_mut().push(match keyed.delta {
                    Delta::ReplacedAll { objects, .. } => format!("list of {} {is_in_initial_list}", objects.len()),
                    Delta::Added(object) => format!("added {} {is_in_initial_list}", object.name()),
                    other => format!("{other:?}"),
                });
            }
            Ok(())
        }),
        in_batches: false,
        reflector: ReflectorOptions::default(),
    };
    let controller = Rc::new(Controller::new(sandbox.runtime(), config));
    let (stop, runs) = (StopSource::new(), Rc::clone(&controller));
    let token = stop.token();
    let _task = sandbox.spawn(async move { runs.run(token).await });
    sandbox.run_until_idle();
    assert!(controller.has_synced());
    source.send(WatchEvent::Added(source.put_unseen(pod("bad"))));
    source.send(WatchEvent::Added(source.put_unseen(pod("b"))));
    sandbox.run_until_idle();
    assert_eq!(*seen.borrow(), ["list of 1 true", "added b false"]);
    assert_eq!(controller.last_sync_resource_version(), "3");
    drop(stop);
    sandbox.run_until_idle();
    assert_eq!(source.watches_open(), 0);
}

#[test]
fn a_controller_that_is_stopped_before_it_runs_asks_nothing() {
    let it = one_shot(&["a"], Recorder::new(), InformerOptions::default());
    let token: StopToken = it.stop.token();
    drop(it.stop);
    assert!(it.controller.run(token).now_or_never().is_some());
    assert!(it.source.requests().is_empty());
}
