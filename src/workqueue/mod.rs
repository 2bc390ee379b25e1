//! Work queues: client-go's `util/workqueue`, and controller-runtime's priority queue.

mod delaying_queue;
mod heartbeat;
mod metrics;
mod parallelizer;
mod priority_queue;
#[cfg(feature = "metrics")]
pub mod prometheus;
mod queue;
mod rate_limiters;
mod rate_limiting_queue;
mod storage;

pub use delaying_queue::{DelayingQueue, DelayingQueueConfig};
pub use metrics::{DepthByPriority, MetricsProvider};
pub use parallelizer::parallelize_until;
pub use priority_queue::{AddOptions, LOW_PRIORITY, PriorityQueue, PriorityQueueConfig};
pub use queue::{Drain, Queue, QueueConfig};
pub use rate_limiters::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter, MaxOfRateLimiter, RateLimiter,
    WithMaxWaitRateLimiter, default_controller_rate_limiter, default_item_based_rate_limiter,
};
pub use rate_limiting_queue::{RateLimitingQueue, RateLimitingQueueConfig};
pub use storage::{Fifo, QueueStorage};
