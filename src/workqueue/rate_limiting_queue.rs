use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::rc::Rc;

use super::{DelayingQueue, RateLimiter};
use crate::runtime::Runtime;

/// A queue to which items that failed are added again after a wait (client-go: `util/workqueue/rate_limiting_queue.go`).
///
/// It has all of [`DelayingQueue`]'s methods. A handle: clones are of the same queue.
pub struct RateLimitingQueue<T> {
    queue: DelayingQueue<T>,
    limiter: Rc<dyn RateLimiter<T>>,
}

impl<T: Clone + Eq + Hash + 'static> RateLimitingQueue<T> {
    pub fn new(runtime: &Runtime, limiter: Rc<dyn RateLimiter<T>>) -> Self {
        Self { queue: DelayingQueue::new(runtime), limiter }
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
