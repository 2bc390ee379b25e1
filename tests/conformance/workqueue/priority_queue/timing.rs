use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use watchglass::runtime::{SeededRandom, Task};
use watchglass::testing::Sandbox;
use watchglass::workqueue::{
    AddOptions, ItemExponentialFailureRateLimiter, LOW_PRIORITY, PriorityQueue, PriorityQueueConfig, RateLimiter,
};

use super::{after, fixture, fixture_with, priority};
use crate::workqueue::figures::Figures;
use crate::workqueue::millis;

/// What the run below knows of an item.
struct FuzzState {
    /// The highest priority of the adds since it was handed out.
    in_queue: RefCell<BTreeMap<u64, i32>>,
    handed_out: RefCell<BTreeSet<u64>>,
}

/// controller-runtime: `TestFuzzPriorityQueue`.
#[test]
fn no_two_workers_have_a_key_and_the_highest_priority_holds_whatever_the_order() {
    for seed in 0..5 {
        let (sandbox, random) = (Sandbox::with_seed(seed), Rc::new(SeededRandom::new(seed)));
        let figures = Rc::new(Figures { by_priority: true, ..Figures::default() });
        let config = PriorityQueueConfig { name: "test".into(), metrics_provider: Some(figures), ..Default::default() };
        let queue = PriorityQueue::with_config(&sandbox.runtime(), config);
        let state = Rc::new(FuzzState { in_queue: RefCell::default(), handed_out: RefCell::default() });
        let produce = |_| {
            let (queue, random, state, runtime) =
                (queue.clone(), Rc::clone(&random), Rc::clone(&state), sandbox.runtime());
            sandbox.spawn(async move {
                for _ in 0..200 {
                    let (key, priority) = (random.below(40) as u64, random.below(7) as i32 - 3);
                    let after = millis(random.below(10).saturating_sub(5) as u64);
                    queue.add_with_options(AddOptions { after, priority, rate_limited: false }, [key]);
                    state.in_queue.borrow_mut().entry(key).and_modify(|it| *it = priority.max(*it)).or_insert(priority);
                    runtime.sleep(millis(random.below(3) as u64)).await;
                }
            })
        };
        let consume = |_| {
            let (queue, random, state, runtime) =
                (queue.clone(), Rc::clone(&random), Rc::clone(&state), sandbox.runtime());
            sandbox.spawn(async move {
                while let Some((key, priority)) = queue.get_with_priority().await {
                    assert_eq!(state.in_queue.borrow_mut().remove(&key), Some(priority));
                    assert!(state.handed_out.borrow_mut().insert(key), "{key} was handed out twice");
                    runtime.sleep(millis(random.below(5) as u64)).await;
                    state.handed_out.borrow_mut().remove(&key);
                    queue.done(&key);
                }
            })
        };
        let _tasks: Vec<Task> = (0..10).map(produce).chain((0..20).map(consume)).collect();
        sandbox.advance(Duration::from_secs(10));
        assert!(state.in_queue.borrow().is_empty() && state.handed_out.borrow().is_empty());
        assert_eq!((queue.len(), queue.waiting()), (0, 0));
    }
}

/// controller-runtime: `TestHighPriorityItemsAreReturnedBeforeLowPriorityItemMultipleTimes`.
#[test]
fn items_come_by_priority_and_then_in_order() {
    const EACH: usize = 1000;
    let levels = [("high", 10), ("upperMiddle", 5), ("middle", 0), ("lowMiddle", -5), ("low", -10)];
    for delay in [Duration::ZERO, Duration::from_secs(1)] {
        let it = fixture();
        for item in 0..EACH {
            for (level, priority) in levels {
                let options = AddOptions { priority, ..after(delay) };
                it.add(options, &format!("{level}-{item}"));
            }
        }
        it.sandbox.advance(delay);
        for (level, priority) in levels {
            (0..EACH).for_each(|item| it.assert_next(&format!("{level}-{item}"), priority));
        }
        it.assert_figures([(-10, 0), (-5, 0), (0, 0), (5, 0), (10, 0)], EACH * 5);
        assert_eq!(it.figures.retries.value(), if delay.is_zero() { 0.0 } else { 5.0 * EACH as f64 });
    }
}

/// controller-runtime: `TestItemIsOnlyReturnedAfterAfterHasPassed`.
#[test]
fn an_item_is_not_returned_before_its_time() {
    let it = fixture();
    let (_worker, taken) = it.take_all();
    it.add(after(Duration::from_secs(1)), "foo");
    it.sandbox.advance(millis(999));
    assert!(taken.borrow().is_empty());
    it.sandbox.advance(millis(1));
    assert_eq!(*taken.borrow(), ["foo"]);
    it.assert_figures([(0, 0)], 1);
    assert_eq!(it.figures.retries.value(), 1.0);
}

/// controller-runtime: `TestHighPriorityItemThatBecameReadyIsReturnedBeforeLowPriorityItem`.
#[test]
fn an_urgent_item_that_becomes_ready_comes_before_a_lesser_one() {
    let it = fixture();
    it.add(priority(LOW_PRIORITY), "foo");
    it.add(after(Duration::from_secs(1)), "prio");
    it.sandbox.advance(Duration::from_secs(1));
    it.assert_next("prio", 0);
    it.assert_figures([(-100, 1), (0, 0)], 2);
    assert_eq!(it.figures.retries.value(), 1.0);
}

/// controller-runtime: `TestItemIsReturnedAsSoonAsPossible`.
#[test]
fn a_worker_that_waits_gets_an_item_at_once() {
    let it = fixture();
    let (_worker, taken) = it.take_all();
    it.add(AddOptions::default(), "foo");
    it.sandbox.run_until_idle();
    assert_eq!(*taken.borrow(), ["foo"]);
    it.assert_figures([(0, 0)], 1);
}

/// controller-runtime: `TestWaitingItemIsReturnedRightAfterReadWithoutAfter`.
#[test]
fn an_item_that_waits_comes_at_once_when_it_is_added_without_a_time() {
    let it = fixture();
    let (_worker, taken) = it.take_all();
    it.add(after(Duration::from_secs(60)), "foo");
    it.sandbox.run_until_idle();
    assert!(taken.borrow().is_empty());
    it.add(AddOptions::default(), "foo");
    it.sandbox.run_until_idle();
    assert_eq!(*taken.borrow(), ["foo"]);
    it.assert_figures([(0, 0)], 1);
    it.sandbox.advance(Duration::from_secs(60));
    assert_eq!(*taken.borrow(), ["foo"], "and not once more");
}

/// controller-runtime: `TestMultipleItemsWithAfterAreReturnedInCorrectOrder`.
#[test]
fn items_that_become_ready_together_come_in_the_order_of_their_times() {
    let it = fixture();
    let (_worker, taken) = it.take_all();
    it.add(after(Duration::from_secs(1)), "foo");
    it.sandbox.run_until_idle();
    it.add(after(millis(200)), "bar");
    it.sandbox.run_until_idle();
    assert!(taken.borrow().is_empty());
    it.sandbox.clock().advance(Duration::from_secs(1));
    it.sandbox.run_until_idle();
    assert_eq!(*taken.borrow(), ["bar", "foo"]);
    it.assert_figures([(0, 0)], 2);
}

/// An item that becomes ready comes after those of its priority that were ready before.
#[test]
fn the_order_is_that_of_becoming_ready() {
    let it = fixture();
    it.add(after(millis(10)), "waited");
    it.add(AddOptions::default(), "first");
    it.sandbox.advance(millis(10));
    it.add(AddOptions::default(), "last");
    ["first", "waited", "last"].iter().for_each(|key| it.assert_next(key, 0));
}

/// controller-runtime: `TestGetFromPriorityQueueIsUnblockedOnShutdown`.
/// kubernetes-sigs/controller-runtime PR #3250, PR #3337.
#[test]
fn workers_that_wait_end_with_a_shut_down() {
    let it = fixture();
    let workers: Vec<_> = (0..3).map(|_| it.take_all()).collect();
    assert!(workers.iter().all(|(_, taken)| taken.borrow().is_empty()));
    it.queue.shut_down();
    it.sandbox.run_until_idle();
    assert!(workers.iter().all(|(_, taken)| *taken.borrow() == ["the end"]));
}

/// controller-runtime: `TestItemsAreInludedInLenAndMetricsOnceTheyAreReady`.
#[test]
fn items_are_counted_once_they_are_ready() {
    let it = fixture();
    for round in 1..=2 {
        it.add(after(millis(500)), "foo");
        it.add(AddOptions::default(), "baz");
        it.add(after(millis(500)), "bar");
        it.add(AddOptions::default(), "bal");
        it.sandbox.run_until_idle();
        assert_eq!(it.queue.len(), 2);
        it.assert_figures([(0, 2)], round * 4 - 2);
        it.sandbox.advance(Duration::from_secs(1));
        it.assert_figures([(0, 4)], round * 4);
        assert_eq!(it.queue.len(), 4);
        for _ in 0..4 {
            let (key, _) = it.get();
            it.queue.done(&key);
        }
        assert_eq!(it.queue.len(), 0);
        it.assert_figures([(0, 0)], round * 4);
    }
    assert_eq!((it.figures.latency.observed().len(), it.figures.work_duration.observed().len()), (8, 8));
}

/// controller-runtime: `TestMetricsAreUpdatedForItemWhoseRequeueAfterExpiredThatGetsAddedAgainWithoutRequeueAfter`.
#[test]
fn an_item_that_has_become_ready_is_not_counted_again() {
    let it = fixture();
    it.add(after(millis(50)), "foo");
    it.sandbox.advance(millis(50));
    assert_eq!(it.queue.len(), 1);
    it.assert_figures([(0, 1)], 1);
    it.add(AddOptions::default(), "foo");
    assert_eq!(it.queue.len(), 1);
    it.assert_figures([(0, 1)], 1);
    it.assert_next("foo", 0);
    assert_eq!(it.queue.len(), 0);
    it.assert_figures([(0, 0)], 1);
}

/// controller-runtime: `TestWhenAddingMultipleItemsWithRatelimitTrueTheyDontAffectEachOther`.
#[test]
fn items_added_together_wait_each_for_itself() {
    let limiter = Rc::new(ItemExponentialFailureRateLimiter::new(millis(5), Duration::from_secs(1000)));
    let it = fixture_with(PriorityQueueConfig { rate_limiter: limiter.clone(), ..PriorityQueueConfig::default() });
    let (_worker, taken) = it.take_all();
    for _ in 0..7 {
        limiter.when(&"bar".into());
    }
    let limited = AddOptions { rate_limited: true, ..AddOptions::default() };
    it.queue.add_with_options(limited, ["foo".to_owned(), "bar".to_owned()]);
    it.sandbox.advance(millis(4));
    assert!(taken.borrow().is_empty());
    it.sandbox.advance(millis(1));
    assert_eq!(*taken.borrow(), ["foo"]);
    it.sandbox.advance(millis(634));
    assert_eq!(*taken.borrow(), ["foo"]);
    it.sandbox.advance(millis(1));
    assert_eq!(*taken.borrow(), ["foo", "bar"]);
    it.assert_figures([(0, 0)], 2);
    assert_eq!(it.figures.retries.value(), 2.0);
}

/// controller-runtime: `TestPriorityQueueDoesNotDeadlockOnShutdownWhileHandingOutItems`.
/// kubernetes-sigs/controller-runtime#3538.
#[test]
fn a_shut_down_in_the_midst_of_work_ends_all_workers() {
    for round in 0..50 {
        let (it, ended) = (fixture(), Rc::new(Cell::new(0)));
        let random = Rc::new(SeededRandom::new(round));
        let work = |_| {
            let (queue, ended, random, runtime) =
                (it.queue.clone(), Rc::clone(&ended), Rc::clone(&random), it.sandbox.runtime());
            it.sandbox.spawn(async move {
                loop {
                    let (key, number) = (random.below(1000).to_string(), random.below(100) as i32);
                    queue.add_with_options(priority(number), [key]);
                    if queue.get_with_priority().await.is_none() {
                        break ended.set(ended.get() + 1);
                    }
                    runtime.sleep(Duration::from_micros(random.below(300) as u64)).await;
                }
            })
        };
        let _workers: Vec<Task> = (0..20).map(work).collect();
        it.sandbox.advance(millis(1));
        it.add(AddOptions::default(), "handed out now");
        it.queue.shut_down();
        it.sandbox.advance(millis(1));
        assert_eq!(ended.get(), 20);
    }
}

#[test]
fn of_a_time_and_the_limiter_s_wait_the_shorter_holds() {
    let it = fixture();
    for (given, expected) in [(Duration::ZERO, 5), (millis(3), 3), (millis(100), 5)] {
        it.add(AddOptions { rate_limited: true, ..after(given) }, "foo");
        it.sandbox.advance(millis(expected - 1));
        assert_eq!(it.queue.len(), 0, "{given:?}");
        it.sandbox.advance(millis(1));
        it.assert_next("foo", 0);
        it.queue.done(&"foo".into());
        assert_eq!(it.queue.num_requeues(&"foo".into()), 1);
        it.queue.forget(&"foo".into());
        assert_eq!(it.queue.num_requeues(&"foo".into()), 0);
    }
}

#[test]
fn the_short_ways_to_add_are_those_of_a_rate_limiting_queue() {
    let it = fixture();
    it.queue.add_after("after".into(), millis(20));
    it.queue.add_rate_limited("limited".into());
    it.queue.add_rate_limited("limited".into());
    assert_eq!(it.queue.waiting(), 2);
    it.sandbox.advance(millis(5));
    it.assert_next("limited", 0);
    it.sandbox.advance(millis(15));
    it.assert_next("after", 0);
    assert_eq!(it.queue.num_requeues(&"limited".into()), 2);
    let other = it.queue.clone();
    other.add("shared".into());
    it.assert_next("shared", 0);
}

#[test]
fn the_figures_of_unfinished_work_end_with_the_shut_down() {
    let it = fixture();
    it.add(AddOptions::default(), "foo");
    it.assert_next("foo", 0);
    it.sandbox.advance(millis(500));
    assert_eq!((it.figures.unfinished.value(), it.figures.longest.value()), (0.5, 0.5));
    it.queue.shut_down();
    it.sandbox.advance(Duration::from_secs(60));
    assert_eq!(it.figures.unfinished.sets(), 1);
}

#[test]
fn the_depth_is_whole_where_the_provider_does_not_tell_priorities_apart() {
    let (sandbox, figures) = (Sandbox::new(), Rc::new(Figures::default()));
    let config =
        PriorityQueueConfig { name: "test".into(), metrics_provider: Some(figures.clone()), ..Default::default() };
    let queue = PriorityQueue::with_config(&sandbox.runtime(), config);
    queue.add_with_options(priority(1), ["foo"]);
    queue.add_with_options(priority(2), ["foo", "bar"]);
    assert_eq!((figures.depth.value(), figures.depths.get().len()), (2.0, 0));
    assert!(queue.try_get().is_some());
    assert_eq!(figures.depth.value(), 1.0);
}

#[test]
fn a_priority_queue_that_is_dropped_waits_no_more() {
    let it = fixture();
    it.add(after(millis(10)), "foo");
    it.sandbox.run_until_idle();
    assert!(it.sandbox.clock().next_deadline().is_some());
    drop(it.queue);
    it.sandbox.run_until_idle();
    assert_eq!(it.sandbox.clock().next_deadline(), None);
}

/// kubernetes/kubernetes PR #23444: what is due is seen when somebody asks, even if its timer is late, as on a hidden
/// page.
#[test]
fn an_item_whose_time_has_come_is_found_without_its_timer() {
    let sandbox = Sandbox::new();
    let queue = PriorityQueue::new(&sandbox.runtime());
    queue.add_after("foo", millis(10));
    queue.add_after("far", Duration::MAX);
    sandbox.clock().advance(millis(10));
    assert_eq!((queue.len(), queue.waiting(), queue.try_get()), (1, 1, Some(("foo", 0))));
    let mut waits = pin!(queue.get());
    assert!(waits.as_mut().now_or_never().is_none());
}
