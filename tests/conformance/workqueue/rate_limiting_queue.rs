use std::rc::Rc;
use std::time::Duration;

use watchglass::testing::Sandbox;
use watchglass::workqueue::{
    BucketRateLimiter, DelayingQueue, ItemExponentialFailureRateLimiter, RateLimiter, RateLimitingQueue,
    RateLimitingQueueConfig,
};

use super::{drain, millis};

fn doubling() -> Rc<dyn RateLimiter<&'static str>> {
    Rc::new(ItemExponentialFailureRateLimiter::new(millis(1), Duration::from_secs(1)))
}

/// client-go: `TestRateLimitingQueue`.
#[test]
fn items_that_fail_come_back_later_each_time() {
    let sandbox = Sandbox::new();
    let queue = RateLimitingQueue::new(&sandbox.runtime(), doubling());
    let comes_after = |item: &'static str| {
        queue.add_rate_limited(item);
        (0..10).find(|_| {
            sandbox.advance(millis(1));
            drain(&queue) == [item]
        })
    };
    assert_eq!((comes_after("one"), comes_after("one")), (Some(0), Some(1)));
    assert_eq!((queue.num_requeues(&"one"), queue.num_requeues(&"two")), (2, 0));
    assert_eq!((comes_after("two"), comes_after("two")), (Some(0), Some(1)));
    queue.forget(&"one");
    assert_eq!((queue.num_requeues(&"one"), queue.num_requeues(&"two")), (0, 2));
    assert_eq!(comes_after("one"), Some(0));
}

#[test]
fn to_forget_an_item_leaves_it_where_it_is() {
    let sandbox = Sandbox::new();
    let queue = RateLimitingQueue::new(&sandbox.runtime(), doubling());
    queue.add_rate_limited("waits");
    queue.add("queued");
    queue.add("in work");
    assert_eq!(queue.try_get(), Some("queued"));
    ["waits", "queued", "in work"].iter().for_each(|item| queue.forget(item));
    assert_eq!((queue.waiting(), queue.len()), (1, 1));
    queue.add("queued");
    assert_eq!(queue.len(), 1, "its worker is not done");
}

#[test]
fn an_item_that_need_not_wait_comes_at_once() {
    let sandbox = Sandbox::new();
    let limiter = BucketRateLimiter::new(&sandbox.runtime(), 1.0, 1);
    let queue = RateLimitingQueue::new(&sandbox.runtime(), Rc::new(limiter));
    queue.add_rate_limited("first");
    queue.add_rate_limited("second");
    assert_eq!((drain(&queue), queue.waiting()), (vec!["first"], 1));
}

#[test]
fn a_delaying_queue_of_one_s_own_gets_the_items() {
    let sandbox = Sandbox::new();
    let own = DelayingQueue::new(&sandbox.runtime());
    let config = RateLimitingQueueConfig { delaying_queue: Some(own.clone()), ..RateLimitingQueueConfig::default() };
    let queue = RateLimitingQueue::with_config(&sandbox.runtime(), doubling(), config);
    queue.add_rate_limited("item");
    assert_eq!(own.waiting(), 1);
    let other = queue.clone();
    other.shut_down();
    assert!(own.is_shutting_down() && queue.is_shutting_down());
}
