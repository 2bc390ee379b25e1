use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::rc::Rc;

use super::{DelayingQueue, DelayingQueueConfig, MetricsProvider, RateLimiter};
use crate::runtime::Runtime;

/// A queue to which items that failed are added again after a wait
/// (client-go: `util/workqueue/rate_limiting_queue.go`).
///
/// It has all of [`DelayingQueue`]'s methods. A handle: clones are of the same queue.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::{rc::Rc, time::Duration};
/// use watchglass::testing::Sandbox;
/// use watchglass::workqueue::{ItemExponentialFailureRateLimiter, RateLimitingQueue};
///
/// let sandbox = Sandbox::new();
/// let limiter = ItemExponentialFailureRateLimiter::new(Duration::from_secs(1), Duration::from_secs(60));
/// let queue = RateLimitingQueue::new(&sandbox.runtime(), Rc::new(limiter));
/// queue.add_rate_limited("web-0");
/// assert_eq!(queue.try_get(), None);
/// sandbox.advance(Duration::from_secs(1));
/// assert_eq!(queue.try_get(), Some("web-0"));
/// queue.forget(&"web-0");
/// queue.done(&"web-0");
/// # }
/// ```
pub struct RateLimitingQueue<T> {
    queue: DelayingQueue<T>,
    limiter: Rc<dyn RateLimiter<T>>,
}

/// What may be chosen about a [`RateLimitingQueue`] (client-go: `util/workqueue/rate_limiting_queue.go`,
/// `TypedRateLimitingQueueConfig`).
#[doc(alias = "TypedRateLimitingQueueConfig")]
pub struct RateLimitingQueueConfig<T> {
    /// Under what its figures are kept; empty for none.
    pub name: String,
    /// Where its figures go, and those of the queues that it makes.
    pub metrics_provider: Option<Rc<dyn MetricsProvider>>,
    /// Where items wait, with a name and figures of its own; none for a new queue with these here.
    pub delaying_queue: Option<DelayingQueue<T>>,
}

impl<T> Default for RateLimitingQueueConfig<T> {
    fn default() -> Self {
        Self { name: String::new(), metrics_provider: None, delaying_queue: None }
    }
}

impl<T: Clone + Eq + Hash + 'static> RateLimitingQueue<T> {
    /// First in, first out, without figures.
    pub fn new(runtime: &Runtime, limiter: Rc<dyn RateLimiter<T>>) -> Self {
        Self::with_config(runtime, limiter, RateLimitingQueueConfig::default())
    }

    /// A queue as configured, with a limiter of its own or one that several queues share.
    #[doc(alias = "NewTypedRateLimitingQueueWithConfig")]
    pub fn with_config(runtime: &Runtime, limiter: Rc<dyn RateLimiter<T>>, config: RateLimitingQueueConfig<T>) -> Self {
        let RateLimitingQueueConfig { name, metrics_provider, delaying_queue } = config;
        let queue = delaying_queue.unwrap_or_else(|| {
            DelayingQueue::with_config(runtime, DelayingQueueConfig { name, metrics_provider, queue: None })
        });
        Self { queue, limiter }
    }

    /// Adds the item once the limiter lets it.
    pub fn add_rate_limited(&self, item: T) {
        let delay = self.limiter.when(&item);
        self.queue.add_after(item, delay);
    }

    /// The item succeeded, or is given up: its next wait is a first one.
    /// It stays in the queue if it is there, and must be given to `done` all the same.
    pub fn forget(&self, item: &T) {
        self.limiter.forget(item);
    }

    /// How many times the item had to wait since it was forgotten.
    pub fn num_requeues(&self, item: &T) -> usize {
        self.limiter.num_requeues(item)
    }
}

impl<T> Deref for RateLimitingQueue<T> {
    type Target = DelayingQueue<T>;

    fn deref(&self) -> &DelayingQueue<T> {
        &self.queue
    }
}

impl<T> Clone for RateLimitingQueue<T> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone(), limiter: Rc::clone(&self.limiter) }
    }
}

impl<T> fmt::Debug for RateLimitingQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimitingQueue").field("queue", &self.queue).finish_non_exhaustive()
    }
}
