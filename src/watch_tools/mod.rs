//! Watches for programs that wait for something: client-go's `tools/watch`.
//!
//! Every stream here is a [`WatchStream`](crate::cache::WatchStream) in its items, does nothing unless it is polled,
//! and gives up its request when it is dropped.

#![deny(missing_docs)]

mod informer_watcher;
mod retry_watcher;
mod until;
mod watcher;

pub use informer_watcher::IndexerInformerWatcher;
pub use retry_watcher::{RetryWatcher, UnsupportedResourceVersion};
pub use until::{Condition, ConditionError, Precondition, UntilError, until, until_with_sync, until_without_retry};
pub use watcher::Watcher;
