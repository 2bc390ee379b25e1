//! What every queue does, run over each of them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::FutureExt as _;
use watchglass::api::Object;
use watchglass::cache::{
    DeltaFifo, DeltaFifoOptions, KnownObjects, Queue, RealFifo, RealFifoOptions, ReflectorStore as _, StoreError,
    meta_namespace_key_func,
};
use watchglass::testing::Sandbox;

use super::Op::{Add, Bookmark, Delete, Replace, Resync, Update};
use super::subject::{Taken, queues, subjects, subjects_with};
use super::{Known, Op, describe, drain, object, picky_key_func, pop, run, tombstone};

/// client-go: `TestDeltaFIFO_basic`, `TestRealFIFO_basic`, `TestFIFO_basic`.
#[test]
fn a_waiting_consumer_gets_each_producer_s_objects_in_their_order() {
    const EACH: u32 = 500;
    for queue in subjects() {
        let sandbox = Sandbox::new();
        let taken = Rc::new(RefCell::new(Vec::new()));
        let (consumed, into) = (queue.clone(), Rc::clone(&taken));
        let _consumer = sandbox.spawn(async move {
            while let Some(Taken { newest: Some(newest), .. }) = consumed.take().await {
                let (producer, _) = newest.name().split_once('-').unwrap();
                into.borrow_mut().push((producer.to_owned(), newest.resource_version().parse::<u32>().unwrap()));
            }
        });
        sandbox.run_until_idle();
        let _producers = ["a", "b"].map(|producer| {
            let (queue, runtime) = (queue.clone(), sandbox.runtime());
            sandbox.spawn(async move {
                for at in 0..EACH {
                    queue.store().add(object(&format!("{producer}-{at}"), at)).unwrap();
                    if at % 7 == 0 {
                        runtime.spawner.yield_now().await;
                    }
                }
            })
        });
        sandbox.run_until_idle();
        let taken = taken.take();
        for producer in ["a", "b"] {
            let versions = taken.iter().filter(|(of, _)| of == producer).map(|(_, version)| *version);
            assert!(versions.eq(0..EACH), "{}: {producer}", queue.name());
        }
        assert_eq!(taken.len(), 2 * EACH as usize);
    }
}

/// Each pop is processed before the next one.
///
/// client-go: `TestDeltaFIFO_HasSynced`, `TestRealFIFO_HasSynced`, `TestFIFO_HasSynced`.
#[test]
fn a_queue_is_synced_when_its_first_list_was_popped_or_a_change_came_before_any() {
    const TWO: Op = Replace(&[("a", 1), ("b", 2)]);
    const SAME_KEY: Op = Replace(&[("a", 1), ("a", 2)]);
    const ATOMIC: usize = 2;
    // How often each queue must be popped until it is synced: DeltaFifo, RealFifo plain and atomic, Fifo.
    for (ops, pops) in [
        (vec![Add("a", 1)], [0, 0, 0, 0]),
        (vec![Update("a", 1)], [0, 0, 0, 0]),
        (vec![Delete("a", 1)], [0, 0, 0, 0]),
        (vec![Replace(&[])], [0, 0, 1, 0]),
        (vec![TWO], [2, 2, 1, 2]),
        (vec![SAME_KEY], [1, 2, 1, 1]),
        (vec![Add("a", 1), TWO], [0, 0, 0, 0]),
        (vec![TWO, Add("a", 2), TWO], [2, 2, 1, 2]),
        (vec![Resync, TWO], [2, 2, 2, 2]),
        (vec![Bookmark("1"), TWO], [2, 2, 2, 2]),
    ] {
        for (at, queue) in subjects().into_iter().enumerate() {
            assert!(!queue.has_synced() && queue.synced().now_or_never().is_none());
            run(queue.store(), &ops);
            for popped in 0..pops[at] {
                assert!(!queue.has_synced(), "{}: {ops:?} after {popped} pops", queue.name());
                assert!(queue.synced().now_or_never().is_none());
                let taken = queue.try_take().flatten().unwrap();
                assert!(taken.is_in_initial_list, "{}: {ops:?}", queue.name());
                assert!(taken.newest.is_some() || at == ATOMIC);
            }
            assert!(queue.has_synced(), "{}: {ops:?}", queue.name());
            assert!(queue.synced().now_or_never().is_some());
            while let Some(taken) = queue.try_take() {
                assert!(!taken.unwrap().is_in_initial_list, "{}: {ops:?}", queue.name());
                assert!(queue.has_synced(), "it never becomes false again");
            }
        }
    }
}

/// client-go's DeltaFIFO says so before; whoever waited for it then found that its handlers had not heard of the last
/// object.
#[test]
fn a_queue_is_synced_only_after_the_last_entry_of_the_first_list_was_processed() {
    for queue in subjects() {
        run(queue.store(), &[Replace(&[("a", 1), ("b", 2)])]);
        let mut held = Vec::new();
        while let Some(taken) = queue.try_take() {
            held.push(taken.unwrap());
        }
        let mut synced = queue.synced();
        while let Some(taken) = held.pop() {
            assert!(!queue.has_synced() && synced.as_mut().now_or_never().is_none(), "{}", queue.name());
            drop(taken);
        }
        assert!(queue.has_synced() && synced.now_or_never().is_some(), "{}", queue.name());
    }
}

#[test]
fn whoever_waits_for_the_first_list_is_woken() {
    for queue in subjects() {
        let sandbox = Sandbox::new();
        let synced = Rc::new(Cell::new(0));
        let _waiting = [(); 3].map(|()| {
            let (waiting, count) = (queue.synced(), Rc::clone(&synced));
            sandbox.spawn(async move {
                waiting.await;
                count.set(count.get() + 1);
            })
        });
        sandbox.run_until_idle();
        run(queue.store(), &[Replace(&[("a", 1)])]);
        let taken = queue.try_take();
        sandbox.run_until_idle();
        assert_eq!(synced.get(), 0, "{}", queue.name());
        drop(taken);
        sandbox.run_until_idle();
        assert_eq!(synced.get(), 3, "{}", queue.name());
    }
}

#[test]
fn what_came_after_the_first_list_is_not_part_of_it_although_that_is_still_in_work() {
    for queue in subjects() {
        run(queue.store(), &[Replace(&[("a", 1)]), Add("b", 2)]);
        let first = queue.try_take().flatten().unwrap();
        let second = queue.try_take().flatten().unwrap();
        assert!(first.is_in_initial_list && !second.is_in_initial_list, "{}", queue.name());
        drop(second);
        assert!(!queue.has_synced(), "{}: what came later does not count for it", queue.name());
        drop(first);
        assert!(queue.has_synced(), "{}", queue.name());
    }
}

/// client-go: `TestDeltaFIFO_PopShouldUnblockWhenClosed`, `TestRealFIFO_PopShouldUnblockWhenClosed`,
/// `TestFIFO_PopShouldUnblockWhenClosed`.
#[test]
fn closing_ends_all_waits_for_something() {
    for queue in subjects() {
        let sandbox = Sandbox::new();
        let ended = Rc::new(Cell::new(0));
        let _waiting = [(); 10].map(|()| {
            let (queue, ended) = (queue.clone(), Rc::clone(&ended));
            sandbox.spawn(async move {
                assert!(queue.take().await.is_none());
                ended.set(ended.get() + 1);
            })
        });
        sandbox.run_until_idle();
        assert_eq!(ended.get(), 0);
        queue.close();
        sandbox.run_until_idle();
        assert_eq!(ended.get(), 10, "{}", queue.name());
    }
}

#[test]
fn a_closed_queue_gives_what_it_holds_and_still_takes_more() {
    for queue in subjects() {
        run(queue.store(), &[Add("a", 1)]);
        queue.close();
        assert!(queue.try_take().flatten().is_some(), "{}", queue.name());
        assert!(queue.try_take().is_some_and(|ended| ended.is_none()), "{}", queue.name());
        run(queue.store(), &[Add("b", 1)]);
        assert_eq!(queue.len(), 1);
        assert!(queue.try_take().flatten().is_some(), "{}", queue.name());
    }
}

#[test]
fn every_kind_of_change_wakes_a_consumer_and_a_batch_s() {
    for op in [Add("a", 2), Update("a", 2), Delete("a", 2), Replace(&[("a", 2)]), Resync, Bookmark("2")] {
        for batch in [false, true] {
            let known = Known::of(&[("a", 1)]);
            for (name, queue) in queues(&known, &meta_namespace_key_func(), None) {
                let mut waiting = if batch { queue.pop_batch() } else { queue.pop() };
                assert!(waiting.as_mut().now_or_never().is_none(), "{name}");
                op.run(&*queue);
                let nothing = matches!(op, Bookmark(_)) && name != "atomic RealFifo";
                assert_eq!(waiting.now_or_never().is_none(), nothing, "{name}: {op:?}");
            }
        }
    }
}

#[test]
fn a_wait_that_is_given_up_loses_nothing() {
    for queue in subjects() {
        assert!(queue.try_take().is_none());
        run(queue.store(), &[Add("a", 1)]);
        drop(queue.take());
        assert_eq!(queue.len(), 1);
        assert!(queue.try_take().flatten().is_some(), "{}", queue.name());
    }
}

#[test]
fn the_length_is_what_waits() {
    // Of three changes of two objects: DeltaFifo, RealFifo plain and atomic, Fifo.
    for (queue, len) in subjects().into_iter().zip([2, 3, 3, 2]) {
        assert!(queue.is_empty());
        run(queue.store(), &[Add("a", 1), Update("a", 2), Add("b", 1)]);
        assert_eq!(queue.len(), len, "{}", queue.name());
        assert!(!queue.is_empty());
        let taken = queue.try_take();
        assert_eq!(queue.len(), len - 1, "{}", queue.name());
        drop(taken);
        assert_eq!(queue.len(), len - 1, "{}", queue.name());
    }
}

#[test]
fn an_object_without_a_key_changes_nothing() {
    for queue in subjects_with(&picky_key_func()) {
        let broken = || object("broken", 1);
        let list = || vec![object("a", 1), broken()];
        let (name, store) = (queue.name(), queue.store());
        for refused in [store.add(broken()), store.update(broken()), store.delete(broken().into())] {
            assert!(matches!(refused, Err(StoreError::Key(_))), "{name}");
        }
        if name != "atomic RealFifo" {
            assert!(matches!(store.replace(list(), "1"), Err(StoreError::Key(_))), "{name}");
        }
        assert!(queue.is_empty() && !queue.has_synced(), "{name}");
    }
}

/// An object that is added and then missing from a list, both before anybody popped, is not forgotten: the consumer
/// ends without it (kubernetes/kubernetes#115658, PR #115620).
#[test]
fn an_object_that_came_and_went_while_it_was_only_queued_is_deleted() {
    let known = Known::of(&[]);
    for (name, queue) in queues(&known, &meta_namespace_key_func(), None) {
        run(&*queue, &[Add("ghost", 1), Replace(&[("a", 2)])]);
        while let Some(Some(popped)) = queue.pop().now_or_never() {
            popped.deltas.into_iter().for_each(|delta| known.apply(delta));
        }
        assert_eq!(known.content(), [("a".to_owned(), "2".to_owned())], "{name}");
        known.0.take();
    }
}

/// Tombstones are not put into tombstones (kubernetes/kubernetes#115658, PR #116623).
#[test]
fn a_tombstone_that_is_queued_is_not_wrapped_again() {
    for (name, queue) in queues(&Known::of(&[("a", 1)]), &meta_namespace_key_func(), None).into_iter().take(2) {
        queue.delete(tombstone("a", 1)).unwrap();
        run(&*queue, &[Replace(&[]), Replace(&[])]);
        assert_eq!(drain(&*queue), ["gone a 1"], "{name}");
    }
}

/// Nothing is ever put back: a deletion that comes while an older state of its object is in work is the last word
/// (kubernetes/kubernetes PR #28744).
#[test]
fn what_is_in_work_does_not_return_behind_its_deletion() {
    let known = Known::of(&[]);
    for (name, queue) in queues(&known, &meta_namespace_key_func(), None) {
        run(&*queue, &[Add("a", 1)]);
        let in_work = pop(&*queue).unwrap();
        in_work.deltas.iter().cloned().for_each(|delta| known.apply(delta));
        run(&*queue, &[Delete("a", 2)]);
        drop(in_work);
        let deletion = pop(&*queue).unwrap();
        assert_eq!(describe(&deletion), "deleted a 2", "{name}");
        drop(deletion);
        assert!(queue.is_empty(), "{name}");
        known.0.take();
    }
}

#[test]
fn an_object_that_is_known_by_key_only_gets_a_tombstone_without_it() {
    struct Forgetful;
    impl KnownObjects for Forgetful {
        fn known_keys(&self) -> Vec<String> {
            vec!["a".into()]
        }

        fn known_object(&self, _key: &str) -> Option<Object> {
            None
        }
    }
    let delta = DeltaFifoOptions { known_objects: Some(Rc::new(Forgetful)), ..DeltaFifoOptions::default() };
    let queues: [Rc<dyn Queue>; 2] =
        [Rc::new(DeltaFifo::new(delta)), Rc::new(RealFifo::plain(Rc::new(Forgetful), RealFifoOptions::default()))];
    for queue in queues {
        queue.resync().unwrap();
        assert!(queue.is_empty());
        run(&*queue, &[Replace(&[])]);
        assert_eq!(drain(&*queue), ["initial: gone a unknown"]);
    }
}

#[test]
fn a_queue_without_a_limit_always_has_room() {
    let queue = DeltaFifo::new(DeltaFifoOptions::default());
    (0..2001).for_each(|at| queue.add(object(&format!("pod-{at}"), at)).unwrap());
    assert!(queue.room().now_or_never().is_some());
}
