use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::pin::pin;
use std::rc::Rc;

use futures::StreamExt as _;
use futures::future::{Either, LocalBoxFuture, select};
use futures::stream::FuturesUnordered;

use crate::runtime::StopToken;

/// Something that gets done once, and has a name (client-go: `tools/cache/shared_informer.go`, `DoneChecker`).
pub trait DoneChecker {
    /// What it is, in messages.
    fn name(&self) -> String;

    /// Whether it is done. It stays so.
    #[doc(alias = "IsDone")]
    fn is_done(&self) -> bool;

    /// Ends when it is done, at once when it is already.
    fn done(&self) -> LocalBoxFuture<'static, ()>;
}

/// What a wait came to (client-go: `tools/cache/shared_informer.go`, `SyncResult`).
#[derive(Debug, Default)]
pub struct SyncResult {
    /// Why the wait ended early; none when all is done.
    pub error: Option<Box<dyn Error>>,
    /// By name, whether it is done. Of several with one name, whether all of them are.
    pub synced: BTreeMap<String, bool>,
}

impl SyncResult {
    /// All is done.
    pub fn is_done(&self) -> bool {
        self.error.is_none()
    }

    /// The result as Rust's own.
    ///
    /// # Errors
    /// When the wait ended early. Names what was not done.
    #[doc(alias = "AsError")]
    pub fn into_result(self) -> Result<(), SyncError> {
        let unsynced = self.synced.into_iter().filter(|(_, synced)| !synced).map(|(name, _)| name).collect();
        self.error.map_or(Ok(()), |cause| Err(SyncError { unsynced, cause }))
    }
}

/// A wait that ended before all was done (client-go: `tools/cache/shared_informer.go`, `SyncResult.AsError`).
#[derive(Debug)]
pub struct SyncError {
    /// The names of what was not done, sorted.
    pub unsynced: Vec<String>,
    /// What ended the wait.
    pub cause: Box<dyn Error>,
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to sync all caches: {}: {}", self.unsynced.join(", "), self.cause)
    }
}

impl Error for SyncError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.cause)
    }
}

/// Waits until everything is done, or `cancelled` ends and says why
/// (client-go: `tools/cache/shared_informer.go`, `WaitFor`).
///
/// Nothing is asked again and again: the wait ends at the very moment at which the last one is done. What is done when
/// the wait is cancelled counts as done. `what` names the whole in the log; with an empty one nothing is logged.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use watchglass::{cache::wait_for, testing::Sandbox};
///
/// let sandbox = Sandbox::new();
/// let runtime = sandbox.runtime();
/// let timeout = async { runtime.sleep(Duration::from_secs(60)).await; "not within a minute" };
/// assert!(sandbox.block_on(wait_for("caches", timeout, &[])).is_done());
/// # }
/// ```
#[doc(alias = "WaitFor")]
pub async fn wait_for<C: Into<Box<dyn Error>>>(
    what: &str,
    cancelled: impl Future<Output = C>,
    checkers: &[Rc<dyn DoneChecker>],
) -> SyncResult {
    let log = !what.is_empty();
    if log {
        tracing::info!(r#for = what, "Waiting");
    }
    let each_done = checkers.iter().map(|checker| {
        let done = checker.done();
        async move {
            done.await;
            if log {
                tracing::info!(r#for = what, instance = checker.name(), "Done waiting");
            }
        }
    });
    let mut each_done: FuturesUnordered<_> = each_done.collect();
    let all_done = pin!(async { while each_done.next().await.is_some() {} });
    let cause = match select(all_done, pin!(cancelled)).await {
        Either::Left(_) => None,
        Either::Right((cause, _)) => Some(cause.into()),
    };
    let mut result = SyncResult::default();
    for checker in checkers {
        let is_done = cause.is_none() || checker.is_done();
        let so_far = result.synced.entry(checker.name()).or_insert(true);
        *so_far &= is_done;
    }
    let unsynced: Vec<_> = result.synced.iter().filter(|(_, synced)| !**synced).map(|(name, _)| name).collect();
    if !unsynced.is_empty() {
        if let Some(cause) = cause.as_ref().filter(|_| log) {
            tracing::info!(r#for = what, %cause, instances = ?unsynced, "Timed out waiting");
        }
        result.error = cause;
    }
    result
}

/// Waits until all caches have their first list; false when it is stopped before
/// (client-go: `tools/cache/shared_informer.go`, `WaitForCacheSync`, which asks every 100 ms; this does not ask).
#[doc(alias = "WaitForCacheSync")]
pub async fn wait_for_cache_sync(stop: &StopToken, checkers: &[Rc<dyn DoneChecker>]) -> bool {
    wait_for_named_cache_sync("", stop, checkers).await
}

/// As [`wait_for_cache_sync`], and the log says who waits
/// (client-go: `tools/cache/shared_informer.go`, `WaitForNamedCacheSync`).
#[doc(alias = "WaitForNamedCacheSync")]
pub async fn wait_for_named_cache_sync(who: &str, stop: &StopToken, checkers: &[Rc<dyn DoneChecker>]) -> bool {
    let stopped = async {
        stop.stopped().await;
        "stopped"
    };
    wait_for(who, stopped, checkers).await.is_done()
}
