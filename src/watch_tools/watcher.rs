use futures::future::LocalBoxFuture;

use crate::api::{Error, ListOptions};
use crate::cache::{ListerWatcher, WatchStream};

/// The half of a [`ListerWatcher`] that a watch needs (client-go: `tools/cache/listwatch.go`, `Watcher`).
pub trait Watcher {
    /// Opens a watch. Dropping the future or the stream aborts the request.
    ///
    /// # Errors
    /// As any request.
    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>>;
}

impl<T: ListerWatcher + ?Sized> Watcher for T {
    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        ListerWatcher::watch(self, options)
    }
}
