use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::flow_control::TokenBucket;
use crate::runtime::Runtime;

/// How long an item has to wait before it is worked on again
/// (client-go: `util/workqueue/default_rate_limiters.go`, `TypedRateLimiter`).
///
/// ```
/// use std::time::Duration;
/// use watchglass::workqueue::{ItemExponentialFailureRateLimiter, RateLimiter as _, WithMaxWaitRateLimiter};
///
/// let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3600));
/// let limiter = WithMaxWaitRateLimiter::new(ItemExponentialFailureRateLimiter::new(second, hour), 3 * second);
/// assert_eq!([(); 3].map(|()| limiter.when(&"web-0")), [second, 2 * second, 3 * second]);
/// assert_eq!(limiter.when(&"web-1"), second);
/// limiter.forget(&"web-0");
/// assert_eq!(limiter.when(&"web-0"), second);
/// ```
#[doc(alias = "TypedRateLimiter")]
pub trait RateLimiter<T> {
    /// The wait of this try. Each call counts as one.
    fn when(&self, item: &T) -> Duration;

    /// The item succeeded, or is given up: its next wait is a first one.
    fn forget(&self, item: &T);

    /// How many times the item had to wait since it was forgotten.
    fn num_requeues(&self, item: &T) -> usize;
}

/// The limiter of most controllers: the longer of a wait that grows with the item's failures, 5 ms to 1,000 s,
/// and of ten items a second with a hundred at once
/// (client-go: `util/workqueue/default_rate_limiters.go`, `DefaultTypedControllerRateLimiter`).
#[doc(alias = "DefaultTypedControllerRateLimiter")]
pub fn default_controller_rate_limiter<T: Clone + Eq + Hash + 'static>(runtime: &Runtime) -> MaxOfRateLimiter<T> {
    let by_failures = ItemExponentialFailureRateLimiter::new(Duration::from_millis(5), Duration::from_secs(1000));
    MaxOfRateLimiter::new(vec![Rc::new(by_failures), Rc::new(BucketRateLimiter::new(runtime, 10.0, 100))])
}

/// A wait that grows with the item's failures, 1 ms to 1,000 s
/// (client-go: `util/workqueue/default_rate_limiters.go`, `DefaultTypedItemBasedRateLimiter`).
#[doc(alias = "DefaultTypedItemBasedRateLimiter")]
pub fn default_item_based_rate_limiter<T: Clone + Eq + Hash>() -> ItemExponentialFailureRateLimiter<T> {
    ItemExponentialFailureRateLimiter::new(Duration::from_millis(1), Duration::from_secs(1000))
}

/// How often each item has failed. It grows until items are forgotten.
#[derive(Debug)]
struct Failures<T>(RefCell<FxHashMap<T, usize>>);

impl<T: Clone + Eq + Hash> Failures<T> {
    fn new() -> Self {
        Self(RefCell::default())
    }

    /// Counts one more, and gives how many there were before.
    fn count(&self, item: &T) -> usize {
        let mut failures = self.0.borrow_mut();
        match failures.get_mut(item) {
            Some(count) => {
                *count += 1;
                *count - 1
            }
            None => {
                failures.insert(item.clone(), 1);
                0
            }
        }
    }

    fn get(&self, item: &T) -> usize {
        self.0.borrow().get(item).copied().unwrap_or_default()
    }

    fn forget(&self, item: &T) {
        self.0.borrow_mut().remove(item);
    }
}

/// A wait that doubles with each failure of the item, up to a longest one
/// (client-go: `util/workqueue/default_rate_limiters.go`, `TypedItemExponentialFailureRateLimiter`).
#[doc(alias = "TypedItemExponentialFailureRateLimiter")]
#[derive(Debug)]
pub struct ItemExponentialFailureRateLimiter<T> {
    failures: Failures<T>,
    base_delay: Duration,
    max_delay: Duration,
}

impl<T: Clone + Eq + Hash> ItemExponentialFailureRateLimiter<T> {
    /// The item's first wait, and the longest.
    pub fn new(base_delay: Duration, max_delay: Duration) -> Self {
        Self { failures: Failures::new(), base_delay, max_delay }
    }
}

impl<T: Clone + Eq + Hash> RateLimiter<T> for ItemExponentialFailureRateLimiter<T> {
    fn when(&self, item: &T) -> Duration {
        // Beyond any wait that is meant, and short of where the power is infinite.
        let failures = self.failures.count(item).min(1000);
        let seconds = self.base_delay.as_secs_f64() * 2_f64.powi(failures as i32);
        Duration::try_from_secs_f64(seconds).map_or(self.max_delay, |delay| delay.min(self.max_delay))
    }

    fn forget(&self, item: &T) {
        self.failures.forget(item);
    }

    fn num_requeues(&self, item: &T) -> usize {
        self.failures.get(item)
    }
}

/// A short wait for the item's first tries, and a long one for all after them
/// (client-go: `util/workqueue/default_rate_limiters.go`, `TypedItemFastSlowRateLimiter`).
#[doc(alias = "TypedItemFastSlowRateLimiter")]
#[derive(Debug)]
pub struct ItemFastSlowRateLimiter<T> {
    failures: Failures<T>,
    fast_delay: Duration,
    slow_delay: Duration,
    max_fast_attempts: usize,
}

impl<T: Clone + Eq + Hash> ItemFastSlowRateLimiter<T> {
    /// The short wait, the long one, and how many tries get the short one.
    pub fn new(fast_delay: Duration, slow_delay: Duration, max_fast_attempts: usize) -> Self {
        Self { failures: Failures::new(), fast_delay, slow_delay, max_fast_attempts }
    }
}

impl<T: Clone + Eq + Hash> RateLimiter<T> for ItemFastSlowRateLimiter<T> {
    fn when(&self, item: &T) -> Duration {
        if self.failures.count(item) < self.max_fast_attempts { self.fast_delay } else { self.slow_delay }
    }

    fn forget(&self, item: &T) {
        self.failures.forget(item);
    }

    fn num_requeues(&self, item: &T) -> usize {
        self.failures.get(item)
    }
}

/// So many items a second, whichever they are, and a number of them at once after a pause
/// (client-go: `util/workqueue/default_rate_limiters.go`, `TypedBucketRateLimiter`).
#[doc(alias = "TypedBucketRateLimiter")]
#[derive(Clone, Debug)]
pub struct BucketRateLimiter {
    bucket: TokenBucket,
}

impl BucketRateLimiter {
    /// A full bucket. With a burst of zero nothing ever passes.
    pub fn new(runtime: &Runtime, per_second: f64, burst: u32) -> Self {
        Self { bucket: TokenBucket::new(runtime, per_second, burst) }
    }
}

impl<T> RateLimiter<T> for BucketRateLimiter {
    fn when(&self, _item: &T) -> Duration {
        self.bucket.reserve().map_or(Duration::MAX, |reserved| reserved.delay())
    }

    /// What has passed has passed.
    fn forget(&self, _item: &T) {}

    /// Items are not told apart.
    fn num_requeues(&self, _item: &T) -> usize {
        0
    }
}

/// The longest of several waits; each of the limiters counts the try
/// (client-go: `util/workqueue/default_rate_limiters.go`, `TypedMaxOfRateLimiter`).
#[doc(alias = "TypedMaxOfRateLimiter")]
pub struct MaxOfRateLimiter<T> {
    limiters: Vec<Rc<dyn RateLimiter<T>>>,
}

impl<T> MaxOfRateLimiter<T> {
    /// Of these limiters; without any nothing waits.
    pub fn new(limiters: Vec<Rc<dyn RateLimiter<T>>>) -> Self {
        Self { limiters }
    }
}

impl<T> RateLimiter<T> for MaxOfRateLimiter<T> {
    fn when(&self, item: &T) -> Duration {
        self.limiters.iter().map(|limiter| limiter.when(item)).max().unwrap_or_default()
    }

    fn forget(&self, item: &T) {
        self.limiters.iter().for_each(|limiter| limiter.forget(item));
    }

    fn num_requeues(&self, item: &T) -> usize {
        self.limiters.iter().map(|limiter| limiter.num_requeues(item)).max().unwrap_or_default()
    }
}

/// Another limiter's wait, cut at a longest one
/// (client-go: `util/workqueue/default_rate_limiters.go`, `TypedWithMaxWaitRateLimiter`).
#[doc(alias = "TypedWithMaxWaitRateLimiter")]
#[derive(Debug)]
pub struct WithMaxWaitRateLimiter<L> {
    limiter: L,
    max_delay: Duration,
}

impl<L> WithMaxWaitRateLimiter<L> {
    /// The limiter still counts each try as it would alone.
    pub fn new(limiter: L, max_delay: Duration) -> Self {
        Self { limiter, max_delay }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for WithMaxWaitRateLimiter<L> {
    fn when(&self, item: &T) -> Duration {
        self.limiter.when(item).min(self.max_delay)
    }

    fn forget(&self, item: &T) {
        self.limiter.forget(item);
    }

    fn num_requeues(&self, item: &T) -> usize {
        self.limiter.num_requeues(item)
    }
}
