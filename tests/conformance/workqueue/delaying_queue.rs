use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use jiff::{SignedDuration, Timestamp};
use watchglass::runtime::{Clock, Moment, Runtime};
use watchglass::testing::Sandbox;
use watchglass::workqueue::{DelayingQueue, DelayingQueueConfig, Queue};

use super::figures::Figures;
use super::{drain, millis};

/// client-go: `TestSimpleQueue`.
#[test]
fn an_item_comes_once_when_its_time_has_come() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("foo", millis(50));
    sandbox.advance(millis(49));
    assert_eq!((queue.len(), queue.waiting()), (0, 1));
    sandbox.advance(millis(1));
    assert_eq!((queue.len(), queue.waiting()), (1, 0));
    assert_eq!(drain(&queue), ["foo"]);
    sandbox.advance(Duration::from_secs(10));
    assert_eq!((queue.len(), queue.waiting()), (0, 0));
}

/// client-go: `TestDeduping`.
#[test]
fn an_item_waits_once_for_the_earliest_of_its_times() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    for (delays, comes_at) in [([50, 70], 50), ([50, 30], 30), ([50, 50], 50)] {
        delays.iter().for_each(|delay| queue.add_after("foo", millis(*delay)));
        assert_eq!((queue.len(), queue.waiting()), (0, 1));
        sandbox.advance(millis(comes_at - 1));
        assert_eq!(queue.len(), 0, "{delays:?}");
        sandbox.advance(millis(1));
        assert_eq!(drain(&queue), ["foo"], "{delays:?}");
        sandbox.advance(millis(60));
        assert!(drain(&queue).is_empty(), "{delays:?}");
    }
}

/// client-go: `TestAddTwoFireEarly`.
#[test]
fn an_earlier_item_comes_before_one_that_waits_longer() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("foo", millis(1000));
    sandbox.run_until_idle();
    queue.add_after("bar", millis(50));
    sandbox.advance(millis(60));
    assert_eq!(drain(&queue), ["bar"]);
    queue.add_after("baz", millis(2000));
    sandbox.advance(millis(1000));
    assert_eq!(drain(&queue), ["foo"]);
    sandbox.advance(millis(999));
    assert!(drain(&queue).is_empty());
    sandbox.advance(millis(1));
    assert_eq!(drain(&queue), ["baz"]);
}

/// client-go: `TestCopyShifting`.
#[test]
fn items_that_are_due_together_come_in_the_order_of_their_times() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    for (item, delay) in [("first", 1000), ("second", 500), ("third", 250), ("as the third", 250)] {
        queue.add_after(item, millis(delay));
    }
    queue.add_after("third", millis(250));
    sandbox.clock().advance(Duration::from_secs(2));
    sandbox.run_until_idle();
    assert_eq!(drain(&queue), ["third", "as the third", "second", "first"]);
}

#[test]
fn an_item_without_a_delay_comes_at_once() {
    let queue = DelayingQueue::new(&Sandbox::new().runtime());
    queue.add_after("now", Duration::ZERO);
    assert_eq!((queue.waiting(), drain(&queue)), (0, vec!["now"]));
}

#[test]
fn an_item_that_is_added_while_it_waits_comes_twice() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("item", millis(100));
    queue.add("item");
    assert_eq!((drain(&queue), queue.waiting()), (vec!["item"], 1));
    sandbox.advance(millis(100));
    assert_eq!(drain(&queue), ["item"]);
}

/// kubernetes/client-go#1104.
#[test]
fn an_item_that_waits_cannot_be_put_off() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("item", millis(100));
    sandbox.advance(millis(50));
    queue.add_after("item", Duration::from_secs(60));
    sandbox.advance(millis(50));
    assert_eq!((drain(&queue), queue.waiting()), (vec!["item"], 0));
}

#[test]
fn a_shut_down_drops_what_waits_and_takes_nothing_more() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("waits", millis(100));
    queue.add("queued");
    queue.shut_down();
    queue.add_after("late", millis(1));
    queue.add_after("late", Duration::ZERO);
    assert_eq!(queue.waiting(), 1, "the late one was not taken");
    sandbox.run_until_idle();
    assert_eq!((queue.waiting(), sandbox.clock().next_deadline()), (0, None));
    sandbox.advance(Duration::from_secs(1));
    assert_eq!(drain(&queue), ["queued"]);
}

#[test]
fn a_drain_of_a_delaying_queue_drops_what_waits() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("waits", millis(100));
    sandbox.block_on(queue.shut_down_with_drain());
    sandbox.run_until_idle();
    assert_eq!(queue.waiting(), 0);
}

#[test]
fn a_delaying_queue_that_is_dropped_waits_no_more() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("item", millis(100));
    sandbox.run_until_idle();
    let other = queue.clone();
    drop(queue);
    assert!(sandbox.clock().next_deadline().is_some());
    drop(other);
    sandbox.run_until_idle();
    assert!(sandbox.clock().next_deadline().is_none());
}

#[test]
fn a_queue_of_one_s_own_gets_the_items() {
    let sandbox = Sandbox::new();
    let (own, figures) = (Queue::new(), Rc::new(Figures::default()));
    let config =
        DelayingQueueConfig { name: "own".into(), metrics_provider: Some(figures.clone()), queue: Some(own.clone()) };
    let queue = DelayingQueue::with_config(&sandbox.runtime(), config);
    queue.add_after("item", millis(10));
    sandbox.advance(millis(10));
    assert_eq!(drain(&own), ["item"]);
    assert_eq!((figures.retries.value(), figures.adds.value()), (1.0, 0.0), "its other figures are its own affair");
    own.shut_down();
    queue.add_after("item", millis(10));
    assert_eq!(queue.waiting(), 0);
}

/// kubernetes/kubernetes PR #23444: a timer that is missed must not stall the queue.
#[test]
fn there_is_a_heartbeat_while_something_waits() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    sandbox.run_until_idle();
    assert_eq!(sandbox.clock().next_deadline(), None);
    queue.add_after("far", Duration::from_secs(25));
    let start = sandbox.runtime().now();
    let mut beats = Vec::new();
    sandbox.run_until_idle();
    while let Some(deadline) = sandbox.clock().next_deadline() {
        beats.push(deadline.since(start).as_secs());
        sandbox.clock().advance_to(deadline);
        sandbox.run_until_idle();
    }
    assert_eq!((beats, drain(&queue)), (vec![10, 20, 25], vec!["far"]));
}

/// Case 33 of the browser test list: a page that nobody sees gets its timers once a minute, and all that is due then.
#[test]
fn what_a_late_timer_has_held_back_comes_at_once_in_order_and_once() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    let each = Duration::from_secs(20);
    (1..=30).for_each(|number| queue.add_after(number, each * number));
    for minute in 1..=10 {
        sandbox.run_until_idle();
        sandbox.clock().advance(Duration::from_secs(60));
        sandbox.run_until_idle();
        assert_eq!(drain(&queue), [3 * minute - 2, 3 * minute - 1, 3 * minute]);
    }
    assert_eq!(queue.waiting(), 0);
}

/// Case 36 of the browser test list: waits are counted on a clock that nobody can set.
#[test]
fn a_wall_clock_that_is_set_makes_no_item_early_or_late() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("item", Duration::from_secs(30));
    for change in [-3600, 7200, -86_400] {
        sandbox.clock().advance_wall(SignedDuration::from_secs(change));
        sandbox.advance(millis(9_999));
        assert!(drain(&queue).is_empty());
    }
    sandbox.advance(millis(3));
    assert_eq!(drain(&queue), ["item"]);
}

/// Case 37 of the browser test list; kube-rs/kube#1772.
#[test]
fn a_delay_beyond_all_time_does_no_harm() {
    let sandbox = Sandbox::new();
    sandbox.advance(millis(1));
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("never", Duration::MAX);
    queue.add_after("in centuries", Duration::from_secs(60 * 60 * 24 * 365 * 600));
    queue.add_after("soon", Duration::from_secs(30));
    sandbox.advance(Duration::from_secs(60));
    assert_eq!((drain(&queue), queue.waiting()), (vec!["soon"], 2));
}

/// Counts the waits on a clock that have not ended.
struct CountingClock {
    clock: Rc<dyn Clock>,
    open: Rc<Cell<usize>>,
    most: Rc<Cell<usize>>,
}

impl Clock for CountingClock {
    fn now(&self) -> Moment {
        self.clock.now()
    }

    fn wall(&self) -> Timestamp {
        self.clock.wall()
    }

    fn sleep_until(&self, deadline: Moment) -> LocalBoxFuture<'static, ()> {
        struct Open(Rc<Cell<usize>>);
        impl Drop for Open {
            fn drop(&mut self) {
                self.0.set(self.0.get() - 1);
            }
        }
        self.open.set(self.open.get() + 1);
        self.most.set(self.most.get().max(self.open.get()));
        let (open, sleep) = (Open(Rc::clone(&self.open)), self.clock.sleep_until(deadline));
        Box::pin(async move {
            let _open = open;
            sleep.await;
        })
    }
}

/// kubernetes/kubernetes#83895, PR #83945.
#[test]
fn however_many_items_wait_there_is_one_timer() {
    let sandbox = Sandbox::new();
    let (open, most) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let clock = CountingClock { clock: sandbox.runtime().clock, open: Rc::clone(&open), most: Rc::clone(&most) };
    let runtime = Runtime { clock: Rc::new(clock), ..sandbox.runtime() };
    let queue = DelayingQueue::new(&runtime);
    for item in 0..100 {
        queue.add_after(item, Duration::from_secs(1_000_000 - item));
        sandbox.advance(millis(10));
    }
    assert_eq!((queue.waiting(), open.get(), most.get()), (100, 1, 1));
    queue.shut_down();
    sandbox.run_until_idle();
    assert_eq!(open.get(), 0);
}
