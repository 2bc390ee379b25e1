//! Work queues: client-go's `util/workqueue`, and controller-runtime's priority queue.
//!
//! For those who know client-go: the interfaces and the types behind them are one here, and the `Typed…` names are the
//! only ones, without that word.
//!
//! | client-go | here |
//! |---|---|
//! | `TypedInterface`, `Typed`, `NewTyped` | [`Queue`] |
//! | `Queue`, `DefaultQueue` | [`QueueStorage`], [`Fifo`] |
//! | `Get`, `Done`, `ShutDown`, `ShutDownWithDrain` | [`Queue::get`], [`Queue::done`], [`Queue::shut_down`], [`Queue::shut_down_with_drain`] |
//! | `TypedDelayingInterface`, `AddAfter` | [`DelayingQueue`], [`DelayingQueue::add_after`] |
//! | `TypedRateLimitingInterface`, `AddRateLimited` | [`RateLimitingQueue`], [`RateLimitingQueue::add_rate_limited`] |
//! | `TypedRateLimiter` | [`RateLimiter`] |
//! | `DefaultTypedControllerRateLimiter`, `DefaultTypedItemBasedRateLimiter` | [`default_controller_rate_limiter`], [`default_item_based_rate_limiter`] |
//! | `ParallelizeUntil`, `WithChunkSize` | [`parallelize_until`] |
//! | `MetricsProvider`, `SetProvider` | [`MetricsProvider`], [`QueueConfig::metrics_provider`] |
//! | controller-runtime's `PriorityQueue`, `AddOpts`, `Opts` | [`PriorityQueue`], [`AddOptions`], [`PriorityQueueConfig`] |

#![deny(missing_docs)]

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
