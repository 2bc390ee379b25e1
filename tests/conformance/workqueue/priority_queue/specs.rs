use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use watchglass::runtime::{SeededRandom, Task};
use watchglass::workqueue::AddOptions;

use super::{after, fixture, priority};
use crate::workqueue::millis;

/// controller-runtime: `returns an item`.
#[test]
fn an_item_is_returned() {
    let it = fixture();
    it.add(AddOptions::default(), "foo");
    it.assert_next("foo", 0);
    it.assert_figures([(0, 0)], 1);
    assert_eq!(it.figures.retries.value(), 0.0);
}

/// controller-runtime: `returns items in order`.
#[test]
fn items_are_returned_in_order() {
    let it = fixture();
    it.queue.add("foo".into());
    it.queue.add("bar".into());
    it.assert_next("foo", 0);
    it.assert_next("bar", 0);
    it.assert_figures([(0, 0)], 2);
}

/// controller-runtime: `doesn't return an item that is currently locked`.
#[test]
fn an_item_in_work_is_passed_over() {
    let it = fixture();
    it.add(AddOptions::default(), "foo");
    it.assert_next("foo", 0);
    it.add(AddOptions::default(), "foo");
    it.add(AddOptions::default(), "bar");
    it.assert_next("bar", 0);
    it.assert_figures([(0, 1)], 3);
}

/// controller-runtime: `returns an item as soon as its unlocked`.
#[test]
fn an_item_comes_back_when_its_worker_is_done() {
    let it = fixture();
    it.add(AddOptions::default(), "foo");
    it.assert_next("foo", 0);
    it.add(AddOptions::default(), "foo");
    it.add(AddOptions::default(), "bar");
    it.assert_next("bar", 0);
    it.add(AddOptions::default(), "baz");
    it.queue.done(&"foo".into());
    it.assert_next("foo", 0);
    it.assert_figures([(0, 1)], 4);
}

#[test]
fn a_worker_that_waits_gets_an_item_when_another_is_done_with_it() {
    let it = fixture();
    it.add(AddOptions::default(), "foo");
    it.assert_next("foo", 0);
    let (_worker, taken) = it.take_all();
    it.add(AddOptions::default(), "foo");
    it.sandbox.run_until_idle();
    assert!(taken.borrow().is_empty());
    it.queue.done(&"foo".into());
    it.sandbox.run_until_idle();
    assert_eq!(*taken.borrow(), ["foo"]);
}

/// controller-runtime: `de-duplicates items`.
#[test]
fn an_item_is_in_the_queue_once() {
    let it = fixture();
    assert!(it.queue.is_empty());
    it.add(AddOptions::default(), "foo");
    it.add(AddOptions::default(), "foo");
    assert_eq!((it.queue.len(), it.queue.is_empty()), (1, false));
    it.assert_figures([(0, 1)], 1);
    it.assert_next("foo", 0);
    assert_eq!(it.queue.try_get(), None);
}

/// controller-runtime: `enqueues a locked item`.
#[test]
fn an_item_in_work_may_be_added() {
    let it = fixture();
    it.add(AddOptions::default(), "foo");
    assert_eq!(it.queue.len(), 1);
    it.assert_next("foo", 0);
    it.add(AddOptions::default(), "foo");
    assert_eq!((it.queue.len(), it.queue.try_get()), (1, None));
    it.queue.done(&"foo".into());
    it.assert_next("foo", 0);
    it.assert_figures([(0, 0)], 2);
}

/// controller-runtime: `retains the highest priority`, `will not decrease the priority`.
#[test]
fn the_highest_priority_holds() {
    for (priorities, depths) in [([1, 2], vec![(1, 0), (2, 0)]), ([2, 1], vec![(2, 0)]), ([2, 2], vec![(2, 0)])] {
        let it = fixture();
        priorities.iter().for_each(|number| it.add(priority(*number), "foo"));
        assert_eq!(it.queue.len(), 1);
        it.assert_next("foo", 2);
        assert_eq!(it.queue.len(), 0);
        assert_eq!(it.figures.depths.get(), depths.into_iter().collect());
        assert_eq!(it.figures.adds.value(), 1.0);
    }
}

/// controller-runtime: `gets pushed to the front if the priority increases`.
#[test]
fn a_higher_priority_comes_first() {
    let it = fixture();
    ["foo", "bar", "baz"].iter().for_each(|key| it.add(AddOptions::default(), key));
    it.add(priority(1), "baz");
    it.assert_next("baz", 1);
    assert_eq!(it.queue.len(), 2);
    it.assert_figures([(0, 2), (1, 0)], 3);
    it.assert_next("foo", 0);
}

/// controller-runtime: `retains the lowest after duration`.
#[test]
fn the_earliest_time_holds() {
    let it = fixture();
    it.add(after(Duration::ZERO), "foo");
    it.add(after(Duration::from_secs(3600)), "foo");
    it.assert_next("foo", 0);
    assert_eq!(it.queue.len(), 0);
    it.assert_figures([(0, 0)], 1);
    for delays in [[10, 20], [20, 10]] {
        let it = fixture();
        delays.iter().for_each(|delay| it.add(after(millis(*delay)), "foo"));
        it.sandbox.advance(millis(9));
        assert_eq!((it.queue.len(), it.queue.waiting()), (0, 1), "{delays:?}");
        it.sandbox.advance(millis(1));
        assert_eq!((it.queue.len(), it.queue.waiting()), (1, 0), "{delays:?}");
    }
}

/// controller-runtime: `doesn't include non-ready items in Len()`.
#[test]
fn the_length_is_of_what_is_ready() {
    let it = fixture();
    let minute = after(Duration::from_secs(60));
    it.add(minute, "foo");
    it.add(AddOptions::default(), "baz");
    it.add(minute, "bar");
    it.add(AddOptions::default(), "bal");
    assert_eq!((it.queue.len(), it.queue.waiting()), (2, 2));
    it.assert_figures([(0, 2)], 2);
}

/// controller-runtime: `Get from priority queue might get stuck when the priority queue is shut down`.
/// kubernetes-sigs/controller-runtime#3239, PR #3243.
#[test]
fn a_queue_that_is_shut_down_gives_nothing_even_if_something_is_left() {
    let it = fixture();
    it.add(AddOptions::default(), "baz");
    it.queue.shut_down();
    it.add(after(Duration::from_secs(1)), "foo");
    for _ in 0..2 {
        assert_eq!(it.queue.get_with_priority().now_or_never(), Some(None));
    }
    assert_eq!((it.queue.try_get(), it.queue.waiting()), (None, 0));
    it.sandbox.run_until_idle();
    assert_eq!(it.sandbox.clock().next_deadline(), None, "its tasks are gone");
}

/// Unlike controller-runtime's, which panics.
#[test]
fn a_shut_down_may_be_repeated() {
    let it = fixture();
    assert!(!it.queue.is_shutting_down());
    it.queue.shut_down();
    it.queue.shut_down();
    assert!(it.queue.is_shutting_down());
    assert_eq!(it.queue.get().now_or_never(), Some(None));
}

/// controller-runtime: `returns many items`.
#[test]
fn many_workers_empty_a_large_queue() {
    let it = fixture();
    let random = SeededRandom::new(3);
    for _ in 0..20 {
        for key in 0..1000 {
            let number = random.below(100);
            let options = if number < 10 { after(millis(number as u64)) } else { priority(number as i32) };
            it.add(options, &format!("foo{key}"));
        }
        let got = Rc::new(Cell::new(0));
        let work = |_| {
            let (queue, got) = (it.queue.clone(), Rc::clone(&got));
            it.sandbox.spawn(async move {
                for _ in 0..10 {
                    let key = queue.get().await.expect("the queue is open");
                    got.set(got.get() + 1);
                    queue.done(&key);
                }
            })
        };
        let _workers: Vec<Task> = (0..100).map(work).collect();
        it.sandbox.advance(millis(10));
        assert_eq!((got.get(), it.queue.len(), it.queue.waiting()), (1000, 0, 0));
    }
}

/// controller-runtime: `updates metrics correctly for an item that gets initially added with after and then without`,
/// `updates metrics correctly when an item with after is re-added with higher priority and no after`.
#[test]
fn an_item_that_waits_no_more_is_counted_when_it_becomes_ready() {
    for again in [0, 1] {
        let it = fixture();
        it.add(after(Duration::from_secs(3600)), "foo");
        assert_eq!(it.queue.len(), 0);
        it.assert_figures([], 0);
        it.add(priority(again), "foo");
        assert_eq!((it.queue.len(), it.queue.waiting()), (1, 0));
        it.assert_figures([(again, 1)], 1);
        it.assert_next("foo", again);
        assert_eq!(it.queue.len(), 0);
        it.assert_figures([(again, 0)], 1);
    }
}

/// controller-runtime: `follows FIFO order in the new priority queue when item priority changes`.
#[test]
fn an_item_whose_priority_rises_comes_after_those_that_had_it() {
    let it = fixture();
    it.add(priority(0), "foo");
    it.add(priority(1), "bar");
    it.add(priority(1), "foo");
    assert_eq!(it.queue.len(), 2);
    it.assert_next("bar", 1);
    assert_eq!(it.queue.len(), 1);
    it.assert_next("foo", 1);
    assert_eq!(it.queue.len(), 0);
}

#[test]
fn an_item_added_with_the_same_priority_keeps_its_place() {
    let it = fixture();
    it.add(priority(1), "foo");
    it.add(priority(1), "bar");
    it.add(priority(1), "foo");
    it.assert_next("foo", 1);
}
