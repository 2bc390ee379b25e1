use std::time::Duration;

use super::Backoff;
use crate::api::Error;
use crate::runtime::Runtime;

/// For a conflict where several clients change the same object: five tries, 10 ms apart
/// (client-go: `util/retry/util.go`, `DefaultRetry`).
pub const DEFAULT_RETRY: Backoff =
    Backoff { duration: Duration::from_millis(10), factor: 1.0, jitter: 0.1, steps: 5, cap: None };

/// For a conflict with controllers that manage the object: four tries, 10 ms, 50 ms and 250 ms apart
/// (client-go: `util/retry/util.go`, `DefaultBackoff`).
pub const DEFAULT_BACKOFF: Backoff =
    Backoff { duration: Duration::from_millis(10), factor: 5.0, jitter: 0.1, steps: 4, cap: None };

/// Tries again while the error is one that may pass (client-go: `util/retry/util.go`, `OnError`).
///
/// There are as many tries as the backoff has steps, at least one, and fewer when a wait reaches its cap.
///
/// # Errors
/// The first error that will not pass, or the last of those that might have.
#[doc(alias = "ExponentialBackoff")]
pub async fn on_error<T, E, F: Future<Output = Result<T, E>>>(
    runtime: &Runtime,
    mut backoff: Backoff,
    retriable: impl Fn(&E) -> bool,
    mut attempt: impl FnMut() -> F,
) -> Result<T, E> {
    loop {
        let result = attempt().await;
        let Err(error) = &result else { return result };
        if !retriable(error) {
            return result;
        }
        let delay = backoff.step(&*runtime.random);
        if backoff.steps == 0 {
            return result;
        }
        runtime.sleep(delay).await;
    }
}

/// Tries again while the object was changed by others meanwhile (client-go: `util/retry/util.go`, `RetryOnConflict`).
///
/// Each try must read the object anew, change it, and write it.
///
/// # Errors
/// The first error that is no conflict, or the last conflict.
pub async fn retry_on_conflict<T, F: Future<Output = Result<T, Error>>>(
    runtime: &Runtime,
    backoff: Backoff,
    attempt: impl FnMut() -> F,
) -> Result<T, Error> {
    on_error(runtime, backoff, Error::is_conflict, attempt).await
}
