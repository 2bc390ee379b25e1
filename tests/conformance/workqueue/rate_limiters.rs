use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use watchglass::testing::Sandbox;
use watchglass::workqueue::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter, MaxOfRateLimiter, RateLimiter,
    WithMaxWaitRateLimiter, default_controller_rate_limiter, default_item_based_rate_limiter,
};

use super::millis;

/// The waits of the next tries, in milliseconds.
fn waits<const N: usize>(limiter: &dyn RateLimiter<&'static str>, item: &'static str) -> [u128; N] {
    [(); N].map(|()| limiter.when(&item).as_millis())
}

fn fail(limiter: &dyn RateLimiter<&'static str>, item: &'static str, times: usize) {
    for _ in 0..times {
        limiter.when(&item);
    }
}

/// client-go: `TestItemExponentialFailureRateLimiter`.
#[test]
fn a_wait_doubles_with_each_failure_until_the_item_is_forgotten() {
    let limiter = ItemExponentialFailureRateLimiter::new(millis(1), Duration::from_secs(1));
    assert_eq!(waits(&limiter, "one"), [1, 2, 4, 8, 16]);
    assert_eq!((limiter.num_requeues(&"one"), limiter.num_requeues(&"two")), (5, 0));
    assert_eq!((waits(&limiter, "two"), limiter.num_requeues(&"two")), ([1, 2], 2));
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), waits(&limiter, "one")), (0, [1]));
    assert_eq!(limiter.num_requeues(&"two"), 2);
}

/// client-go: `TestItemExponentialFailureRateLimiterOverFlow`.
#[test]
fn a_wait_stays_at_the_longest_however_often_the_item_fails() {
    let limiter = ItemExponentialFailureRateLimiter::new(millis(1), Duration::from_secs(1000));
    fail(&limiter, "one", 5);
    assert_eq!(limiter.when(&"one"), millis(32));
    fail(&limiter, "one", 1000);
    assert_eq!(limiter.when(&"one"), Duration::from_secs(1000));
    fail(&limiter, "one", 1000);
    assert_eq!((limiter.when(&"one"), limiter.num_requeues(&"one")), (Duration::from_secs(1000), 2008));
    let hours = Duration::from_secs(1000 * 3600);
    let from_a_minute = ItemExponentialFailureRateLimiter::new(Duration::from_secs(60), hours);
    fail(&from_a_minute, "two", 2);
    assert_eq!(from_a_minute.when(&"two"), Duration::from_secs(240));
    fail(&from_a_minute, "two", 1000);
    assert_eq!(from_a_minute.when(&"two"), hours);
}

/// client-go: `TestItemFastSlowRateLimiter`.
#[test]
fn the_first_tries_are_fast_and_all_others_slow() {
    let limiter = ItemFastSlowRateLimiter::new(millis(5), Duration::from_secs(10), 3);
    assert_eq!((waits(&limiter, "one"), limiter.num_requeues(&"one")), ([5, 5, 5, 10_000, 10_000], 5));
    assert_eq!((waits(&limiter, "two"), limiter.num_requeues(&"two")), ([5, 5], 2));
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), waits(&limiter, "one")), (0, [5]));
}

/// client-go: `TestMaxOfRateLimiter`.
#[test]
fn the_longest_of_several_waits_holds() {
    let fast_slow = ItemFastSlowRateLimiter::new(millis(5), Duration::from_secs(3), 3);
    let growing = ItemExponentialFailureRateLimiter::new(millis(1), Duration::from_secs(1));
    let limiter = MaxOfRateLimiter::new(vec![Rc::new(fast_slow), Rc::new(growing)]);
    assert_eq!((waits(&limiter, "one"), limiter.num_requeues(&"one")), ([5, 5, 5, 3000, 3000], 5));
    assert_eq!((waits(&limiter, "two"), limiter.num_requeues(&"two")), ([5, 5], 2));
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), waits(&limiter, "one")), (0, [5]));
    let none = MaxOfRateLimiter::<u8>::new(vec![]);
    assert_eq!((none.when(&1), none.num_requeues(&1)), (Duration::ZERO, 0));
}

/// Five milliseconds for the first hundred tries, a thousand seconds for all others.
#[derive(Default)]
struct StepLimiter(Cell<usize>);

impl RateLimiter<&'static str> for StepLimiter {
    fn when(&self, _item: &&'static str) -> Duration {
        self.0.set(self.0.get() + 1);
        if self.0.get() <= 100 { millis(5) } else { Duration::from_secs(1000) }
    }

    fn forget(&self, _item: &&'static str) {
        self.0.set(0);
    }

    fn num_requeues(&self, _item: &&'static str) -> usize {
        self.0.get()
    }
}

/// client-go: `TestWithMaxWaitRateLimiter`.
#[test]
fn a_wait_is_cut_at_the_longest_one() {
    let limiter = WithMaxWaitRateLimiter::new(StepLimiter::default(), Duration::from_secs(500));
    assert_eq!(waits(&limiter, "one"), [5; 100]);
    assert_eq!(waits(&limiter, "one"), [500_000; 100]);
    assert_eq!(limiter.num_requeues(&"one"), 200);
    limiter.forget(&"one");
    assert_eq!((limiter.num_requeues(&"one"), waits(&limiter, "one")), (0, [5]));
}

#[test]
fn a_bucket_lets_a_burst_pass_and_then_so_many_a_second() {
    let sandbox = Sandbox::new();
    let limiter = BucketRateLimiter::new(&sandbox.runtime(), 10.0, 2);
    assert_eq!(waits(&limiter, "any"), [0, 0, 100, 200]);
    sandbox.advance(millis(300));
    assert_eq!(waits(&limiter, "any"), [0, 100]);
    sandbox.advance(Duration::from_secs(3600));
    assert_eq!(waits(&limiter, "any"), [0, 0, 100], "a pause fills the bucket, no more");
    let limiter: &dyn RateLimiter<_> = &limiter;
    limiter.forget(&"any");
    assert_eq!((limiter.num_requeues(&"any"), waits(limiter, "any")), (0, [200]));
    assert_eq!(BucketRateLimiter::new(&sandbox.runtime(), 10.0, 0).when(&"any"), Duration::MAX);
}

#[test]
fn the_default_limiters_have_client_go_s_numbers() {
    let sandbox = Sandbox::new();
    let controller = default_controller_rate_limiter(&sandbox.runtime());
    assert_eq!(waits(&controller, "a"), [5, 10]);
    fail(&controller, "b", 49);
    fail(&controller, "c", 49);
    assert_eq!(controller.when(&"d"), millis(100), "the hundred at once are used up");
    fail(&controller, "a", 16);
    assert_eq!(controller.when(&"a"), Duration::from_secs(1000));
    let by_item = default_item_based_rate_limiter();
    assert_eq!(by_item.when(&"a"), millis(1));
    fail(&by_item, "a", 19);
    assert_eq!(by_item.when(&"a"), Duration::from_secs(1000));
}
