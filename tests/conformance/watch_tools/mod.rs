//! client-go's `tools/watch`.

mod informer_watcher;
mod retry_watcher;
mod scripted;
mod until;
