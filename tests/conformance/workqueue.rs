use std::rc::Rc;
use std::time::Duration;

use watchglass::testing::Sandbox;
use watchglass::workqueue::{
    BucketRateLimiter, DelayingQueue, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter, MaxOfRateLimiter,
    Queue, RateLimiter, RateLimitingQueue, WithMaxWaitRateLimiter, default_controller_rate_limiter,
    default_item_based_rate_limiter,
};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn fail(limiter: &dyn RateLimiter<&'static str>, item: &'static str, times: usize) {
    for _ in 0..times {
        limiter.when(&item);
    }
}

fn drain<T: Clone + Eq + std::hash::Hash + 'static>(queue: &Queue<T>) -> Vec<T> {
    let mut items = Vec::new();
    while let Some(item) = queue.try_get() {
        queue.done(&item);
        items.push(item);
    }
    items
}

/// client-go: `TestItemExponentialFailureRateLimiter`.
#[test]
fn a_wait_doubles_with_each_failure_until_the_item_is_forgotten() {
    let limiter = ItemExponentialFailureRateLimiter::new(millis(1), Duration::from_secs(1));
    let waits: Vec<_> = (0..5).map(|_| limiter.when(&"one").as_millis()).collect();
    assert_eq!(waits, [1, 2, 4, 8, 16]);
    assert_eq!((limiter.num_requeues(&"one"), limiter.num_requeues(&"two")), (5, 0));
    assert_eq!(limiter.when(&"two"), millis(1));
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), limiter.when(&"one")), (0, millis(1)));
}

/// client-go: `TestItemExponentialFailureRateLimiterOverFlow`.
#[test]
fn a_wait_stays_at_the_longest_however_often_the_item_fails() {
    let limiter = ItemExponentialFailureRateLimiter::new(millis(1), Duration::from_secs(1000));
    fail(&limiter, "one", 5);
    assert_eq!(limiter.when(&"one"), millis(32));
    fail(&limiter, "one", 2000);
    assert_eq!(limiter.when(&"one"), Duration::from_secs(1000));
    let from_a_minute = ItemExponentialFailureRateLimiter::new(Duration::from_secs(60), Duration::MAX);
    fail(&from_a_minute, "two", 2);
    assert_eq!(from_a_minute.when(&"two"), Duration::from_secs(240));
}

/// client-go: `TestItemFastSlowRateLimiter`.
#[test]
fn the_first_tries_are_fast_and_all_others_slow() {
    let limiter = ItemFastSlowRateLimiter::new(millis(5), Duration::from_secs(10), 3);
    let waits: Vec<_> = (0..5).map(|_| limiter.when(&"one").as_millis()).collect();
    assert_eq!((waits.as_slice(), limiter.num_requeues(&"one")), (&[5, 5, 5, 10_000, 10_000][..], 5));
    limiter.forget(&"one");
    assert_eq!(limiter.when(&"one"), millis(5));
}

#[test]
fn a_bucket_lets_a_burst_pass_and_then_so_many_a_second() {
    let sandbox = Sandbox::new();
    let limiter = BucketRateLimiter::new(&sandbox.runtime(), 10.0, 2);
    let waits: Vec<_> = (0..4).map(|_| limiter.when(&"any").as_millis()).collect();
    assert_eq!(waits, [0, 0, 100, 200]);
    sandbox.advance(millis(300));
    assert_eq!((limiter.when(&"any"), limiter.when(&"any")), (millis(0), millis(100)));
    sandbox.advance(Duration::from_secs(3600));
    let waits: Vec<_> = (0..3).map(|_| limiter.when(&"any").as_millis()).collect();
    assert_eq!(waits, [0, 0, 100], "a pause fills the bucket, no more");
    assert_eq!(BucketRateLimiter::new(&sandbox.runtime(), 10.0, 0).when(&"any"), Duration::MAX);
}

/// client-go: `TestMaxOfRateLimiter`, `TestWithMaxWaitRateLimiter`.
#[test]
fn limiters_combine() {
    let fast_slow = ItemFastSlowRateLimiter::new(millis(5), Duration::from_secs(3), 3);
    let growing = ItemExponentialFailureRateLimiter::new(millis(1), Duration::from_secs(1));
    let limiter = MaxOfRateLimiter::new(vec![Rc::new(fast_slow), Rc::new(growing)]);
    let waits: Vec<_> = (0..5).map(|_| limiter.when(&"one").as_millis()).collect();
    assert_eq!((waits.as_slice(), limiter.num_requeues(&"one")), (&[5, 5, 5, 3000, 3000][..], 5));
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), limiter.when(&"one")), (0, millis(5)));
    let cut = WithMaxWaitRateLimiter::new(limiter, millis(4));
    assert_eq!((cut.when(&"one"), cut.num_requeues(&"one")), (millis(4), 2));
    assert_eq!(MaxOfRateLimiter::<u8>::new(vec![]).when(&1), Duration::ZERO);
}

#[test]
fn the_default_limiters_have_client_gos_numbers() {
    let sandbox = Sandbox::new();
    let controller = default_controller_rate_limiter(&sandbox.runtime());
    assert_eq!((controller.when(&"a"), controller.when(&"a")), (millis(5), millis(10)));
    fail(&controller, "b", 49);
    fail(&controller, "c", 49);
    assert_eq!(controller.when(&"d"), millis(100), "the hundred at once are used up");
    assert_eq!(default_item_based_rate_limiter().when(&"a"), millis(1));
}

/// client-go: `TestSimpleQueue`, `TestAddTwoFireEarly`, `TestCopyShifting`.
#[test]
fn items_come_when_their_time_has_come_and_in_that_order() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    for (item, delay) in [("third", 300), ("first", 100), ("second", 200), ("now", 0)] {
        queue.add_after(item, millis(delay));
    }
    assert_eq!((drain(&queue), queue.waiting()), (vec!["now"], 3));
    sandbox.advance(millis(99));
    assert!(queue.is_empty());
    sandbox.advance(millis(1));
    assert_eq!(drain(&queue), ["first"]);
    sandbox.advance(millis(500));
    assert_eq!((drain(&queue), queue.waiting()), (vec!["second", "third"], 0));
}

/// client-go: `TestDeduping`.
#[test]
fn an_item_waits_once_for_the_earliest_of_its_times() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    [500, 100, 900].iter().for_each(|delay| queue.add_after("item", millis(*delay)));
    assert_eq!(queue.waiting(), 1);
    sandbox.advance(millis(100));
    assert_eq!(drain(&queue), ["item"]);
    sandbox.advance(Duration::from_secs(60));
    assert!(drain(&queue).is_empty());
}

#[test]
fn a_shut_down_drops_what_waits_and_takes_nothing_more() {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    queue.add_after("waits", millis(100));
    queue.add("queued");
    queue.shut_down();
    queue.add_after("late", millis(1));
    sandbox.advance(Duration::from_secs(1));
    assert_eq!((drain(&queue), queue.waiting()), (vec!["queued"], 0));
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

/// client-go: `TestRateLimitingQueue`.
#[test]
fn items_that_fail_come_back_later_each_time() {
    let sandbox = Sandbox::new();
    let limiter = ItemExponentialFailureRateLimiter::new(millis(1), Duration::from_secs(1));
    let queue = RateLimitingQueue::new(&sandbox.runtime(), Rc::new(limiter));
    queue.add_rate_limited("one");
    sandbox.advance(millis(1));
    assert_eq!(drain(&queue), ["one"]);
    queue.add_rate_limited("one");
    sandbox.advance(millis(1));
    assert!(drain(&queue).is_empty());
    sandbox.advance(millis(1));
    assert_eq!((drain(&queue), queue.num_requeues(&"one")), (vec!["one"], 2));
    queue.forget(&"one");
    assert_eq!(queue.num_requeues(&"one"), 0);
    queue.add_rate_limited("one");
    sandbox.advance(millis(1));
    assert_eq!(drain(&queue), ["one"]);
}
