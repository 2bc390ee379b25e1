use std::time::Duration;

use watchglass::flow_control::{ItemBackoff, RateLimiter as _, TokenBucket};
use watchglass::testing::Sandbox;
use watchglass::workqueue::{RateLimiter as _, default_controller_rate_limiter, default_item_based_rate_limiter};

use crate::budget::{cost_of_each, hold};
use crate::{EVENTS, keys};

#[test]
fn a_limiter_s_answer_costs_the_same_among_few_and_many_failures() {
    hold("limiter-when-again", |size| {
        let (limiter, keys) = (default_item_based_rate_limiter(), keys(size));
        let ask = |keys: &[String]| keys.iter().map(|key| limiter.when(key)).max();
        ask(&keys);
        cost_of_each(EVENTS, || ask(&keys[..EVENTS]))
    });
    hold("limiter-when-and-forget", |size| {
        let sandbox = Sandbox::new();
        let (limiter, keys) = (default_controller_rate_limiter(&sandbox.runtime()), keys(size));
        keys[1..].iter().for_each(|key| assert!(limiter.when(key) > Duration::ZERO));
        cost_of_each(EVENTS, || {
            for _ in 0..EVENTS {
                limiter.when(&keys[0]);
                limiter.forget(&keys[0]);
            }
        })
    });
    hold("item-backoff-next-again", |size| {
        let (runtime, keys) = (Sandbox::new().runtime(), keys(size));
        let mut backoff = ItemBackoff::new(&runtime, Duration::from_secs(1), Duration::from_secs(60));
        let now = runtime.now();
        keys.iter().for_each(|key| backoff.next(key, now));
        cost_of_each(EVENTS, || keys[..EVENTS].iter().for_each(|key| backoff.next(key, now)))
    });
}

#[test]
fn a_token_costs_nothing() {
    hold("token-bucket-try-accept", |_| {
        let bucket = TokenBucket::new(&Sandbox::new().runtime(), 1.0, u32::MAX);
        cost_of_each(EVENTS, || assert!((0..EVENTS).all(|_| bucket.try_accept())))
    });
}
