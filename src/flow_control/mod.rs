//! How long to wait and how often to try: client-go's `util/flowcontrol` and `util/retry`, apimachinery's
//! `wait.Backoff`.

#![deny(missing_docs)]

mod backoff;
mod item_backoff;
mod rate_limiter;
mod retry;
mod token_bucket;

pub use backoff::{Backoff, BackoffConfig, BackoffWithReset};
pub use item_backoff::ItemBackoff;
pub use rate_limiter::{FakeAlways, FakeNever, RateLimiter, WaitError};
pub use retry::{DEFAULT_BACKOFF, DEFAULT_RETRY, on_error, retry_on_conflict};
pub use token_bucket::{Reservation, TokenBucket};
