use std::rc::Rc;
use std::time::Duration;

use futures::{Stream, StreamExt as _};

use super::{IndexerInformerWatcher, RetryWatcher, UnsupportedResourceVersion, Watcher};
use crate::api::{Error, WatchEvent};
use crate::cache::{Indexer, ListerWatcher};
use crate::runtime::{Moment, Runtime};

/// What a condition or a precondition fails with (client-go: Go's `error`).
pub type ConditionError = Box<dyn std::error::Error>;

/// Tells whether an event is what is waited for (client-go: `tools/watch/until.go`, `ConditionFunc`).
///
/// It had better look at a state (the pod is ready) than at a change (the pod has become ready).
#[doc(alias = "ConditionFunc")]
pub type Condition<'a> = Box<dyn FnMut(&WatchEvent) -> Result<bool, ConditionError> + 'a>;

/// Tells whether the store of an informer, once it holds a whole list, is what is waited for already
/// (client-go: `tools/watch/until.go`, `PreconditionFunc`).
#[doc(alias = "PreconditionFunc")]
pub type Precondition<'a> = Box<dyn FnOnce(&Indexer) -> Result<bool, ConditionError> + 'a>;

/// Why a wait ended without what it waited for. The events are the last ones that were seen
/// (client-go: `tools/watch/until.go`, where only `ErrWatchClosed` has a name).
#[derive(Debug, thiserror::Error)]
pub enum UntilError {
    /// The time was over. Wait longer, or look at what keeps the event away.
    #[error("timed out waiting for the condition")]
    Interrupted {
        /// None when no event was seen.
        last_event: Option<WatchEvent>,
    },

    /// The time was over before the informer had a first list. Look at its source.
    #[error("UntilWithSync: unable to sync caches: context deadline exceeded")]
    NotSynced,

    /// The watch ended. Use [`until`], which opens it again, or [`until_with_sync`], which can list again too.
    #[error("watch closed before UntilWithoutRetry timeout")]
    WatchClosed {
        /// None when no event was seen.
        last_event: Option<WatchEvent>,
        /// None for a clean close.
        #[source]
        reason: Option<Error>,
    },

    /// A condition failed at the last event, or the precondition failed.
    #[error("{error}")]
    Condition {
        /// The event that the condition was shown; none for the precondition.
        last_event: Option<WatchEvent>,
        /// What it said.
        error: ConditionError,
    },

    /// The watch cannot start where it should.
    #[error(transparent)]
    ResourceVersion(#[from] UnsupportedResourceVersion),
}

impl UntilError {
    /// The last event that was seen before the wait ended.
    pub fn last_event(&self) -> Option<&WatchEvent> {
        match self {
            Self::Interrupted { last_event }
            | Self::WatchClosed { last_event, .. }
            | Self::Condition { last_event, .. } => last_event.as_ref(),
            Self::NotSynced | Self::ResourceVersion(_) => None,
        }
    }
}

/// Reads a watch until each condition was met, one after the other, and gives the last event
/// (client-go: `tools/watch/until.go`, `UntilWithoutRetry`).
///
/// An event that met one condition is shown to the next one too. Without conditions nothing is read and there is no
/// event. No `timeout` means for ever; dropping the future ends the wait.
///
/// # Errors
/// [`UntilError::WatchClosed`] already when the server ends the watch, which it does every few minutes; else as the
/// variants say.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use futures::StreamExt as _;
/// use watchglass::{api::{Manifest, Object, WatchEvent}, testing::Sandbox, watch_tools::{Condition, until_without_retry}};
///
/// let sandbox = Sandbox::new();
/// let object = Object::from(Manifest::default());
/// let events = [WatchEvent::Added(object.clone()), WatchEvent::Deleted(object)];
/// let events = futures::stream::iter(events.map(Ok)).boxed_local();
/// let deleted: Condition = Box::new(|event| Ok(matches!(event, WatchEvent::Deleted(_))));
/// let last = sandbox.block_on(until_without_retry(&sandbox.runtime(), None, events, vec![deleted]));
/// assert!(matches!(last, Ok(Some(WatchEvent::Deleted(_)))));
/// # }
/// ```
#[doc(alias = "UntilWithoutRetry")]
pub async fn until_without_retry(
    runtime: &Runtime,
    timeout: Option<Duration>,
    events: impl Stream<Item = Result<WatchEvent, Error>> + Unpin,
    conditions: Vec<Condition<'_>>,
) -> Result<Option<WatchEvent>, UntilError> {
    read(runtime, deadline(runtime, timeout), events, conditions).await
}

/// As [`until_without_retry`], with a watch that is opened again whenever it ends
/// (client-go: `tools/watch/until.go`, `Until`).
///
/// Every event is seen, in its order. So a resourceVersion that is too old ends it: the conditions are shown an `Error`
/// event, and the watch is closed.
///
/// # Errors
/// [`UntilError::ResourceVersion`] for an empty resourceVersion and `"0"`; else as the variants say.
#[doc(alias = "Until")]
pub async fn until<W: Watcher + ?Sized + 'static>(
    runtime: &Runtime,
    timeout: Option<Duration>,
    resource_version: &str,
    watcher: Rc<W>,
    conditions: Vec<Condition<'_>>,
) -> Result<Option<WatchEvent>, UntilError> {
    let events = RetryWatcher::new(runtime.clone(), resource_version, watcher)?;
    read(runtime, deadline(runtime, timeout), events, conditions).await
}

/// As [`until_without_retry`], with an informer's events
/// (client-go: `tools/watch/until.go`, `UntilWithSync`).
///
/// It outlasts every failure. What happens while there is no watch is seen as its sum; the order of events of different
/// objects is not kept.
///
/// With a precondition, the informer's first list is waited for; when the precondition holds then, there is no event.
///
/// # Errors
/// [`UntilError::NotSynced`] when there is a precondition, and the time is over before the first list has come; else as
/// the variants say.
#[doc(alias = "UntilWithSync")]
pub async fn until_with_sync(
    runtime: &Runtime,
    timeout: Option<Duration>,
    lister_watcher: Rc<dyn ListerWatcher>,
    precondition: Option<Precondition<'_>>,
    conditions: Vec<Condition<'_>>,
) -> Result<Option<WatchEvent>, UntilError> {
    let deadline = deadline(runtime, timeout);
    let events = IndexerInformerWatcher::new(runtime, lister_watcher, "until_with_sync".into());
    if let Some(holds) = precondition {
        before(runtime, deadline, events.synced()).await.ok_or(UntilError::NotSynced)?;
        if holds(events.indexer()).map_err(|error| UntilError::Condition { last_event: None, error })? {
            return Ok(None);
        }
    }
    read(runtime, deadline, events, conditions).await
}

async fn read(
    runtime: &Runtime,
    deadline: Option<Moment>,
    mut events: impl Stream<Item = Result<WatchEvent, Error>> + Unpin,
    conditions: Vec<Condition<'_>>,
) -> Result<Option<WatchEvent>, UntilError> {
    let mut last_event: Option<WatchEvent> = None;
    for mut condition in conditions {
        let mut shown = last_event.clone();
        loop {
            match shown.as_ref().map(&mut condition) {
                Some(Err(error)) => return Err(UntilError::Condition { last_event, error }),
                Some(Ok(true)) => break,
                Some(Ok(false)) | None => {}
            }
            let event = match before(runtime, deadline, events.next()).await {
                None => return Err(UntilError::Interrupted { last_event }),
                Some(None) => return Err(UntilError::WatchClosed { last_event, reason: None }),
                Some(Some(Err(reason))) => return Err(UntilError::WatchClosed { last_event, reason: Some(reason) }),
                Some(Some(Ok(event))) => event,
            };
            last_event = Some(event.clone());
            shown = Some(event);
        }
    }
    Ok(last_event)
}

fn deadline(runtime: &Runtime, timeout: Option<Duration>) -> Option<Moment> {
    timeout.map(|timeout| runtime.now() + timeout)
}

/// The future's output; none when the deadline comes first.
async fn before<F: Future>(runtime: &Runtime, deadline: Option<Moment>, future: F) -> Option<F::Output> {
    match deadline {
        Some(deadline) => runtime.timeout_at(deadline, future).await,
        None => Some(future.await),
    }
}
