//! Work queues: client-go's `util/workqueue`.

mod delaying_queue;
mod queue;
mod rate_limiters;
mod rate_limiting_queue;

pub use delaying_queue::DelayingQueue;
pub use queue::Queue;
pub use rate_limiters::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter, MaxOfRateLimiter, RateLimiter,
    WithMaxWaitRateLimiter, default_controller_rate_limiter, default_item_based_rate_limiter,
};
pub use rate_limiting_queue::RateLimitingQueue;
