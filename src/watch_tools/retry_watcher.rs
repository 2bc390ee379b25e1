use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{Stream, StreamExt as _};

use super::Watcher;
use crate::api::{Error, ListOptions, Status, WatchEvent};
use crate::cache::WatchStream;
use crate::runtime::{Moment, Runtime};

/// A watch that is opened again, from where it was, whenever it ends
/// (client-go: `tools/watch/retrywatcher.go`).
///
/// No event is lost or given twice. Bookmarks are not given, they only move the place to go on from.
/// The stream goes on until
/// - a resourceVersion is too old, while the watch is open: the `Error` event is given and the stream ends; list again,
/// - the server refuses the watch with 401 or 403: the same,
/// - an event has no resourceVersion to go on from: an `Error` event says so and the stream ends,
/// - it is dropped.
///
/// Its items are never `Err`. Two starts are at least a second apart, or as far as the server asks for.
pub struct RetryWatcher {
    events: WatchStream,
}

/// A watch from `""` or `"0"` starts with events of all objects, in no order, and cannot be taken up again
/// (kubernetes/kubernetes#74022). List first, and watch from the list's resourceVersion
/// (client-go: `tools/watch/retrywatcher.go`, the error of `NewRetryWatcher`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("initial RV {resource_version:?} is not supported due to issues with underlying WATCH")]
pub struct UnsupportedResourceVersion {
    /// As it was given: empty or `0`.
    pub resource_version: String,
}

const SHORTEST_TIME_BETWEEN_STARTS: Duration = Duration::from_secs(1);

impl RetryWatcher {
    /// A watch of what happens after the resourceVersion. Nothing is requested before the stream is polled.
    ///
    /// # Errors
    /// When the resourceVersion is empty or `"0"`.
    #[doc(alias = "NewRetryWatcher")]
    pub fn new<W: Watcher + ?Sized + 'static>(
        runtime: Runtime,
        resource_version: &str,
        watcher: Rc<W>,
    ) -> Result<Self, UnsupportedResourceVersion> {
        let resource_version = resource_version.to_owned();
        if matches!(resource_version.as_str(), "" | "0") {
            return Err(UnsupportedResourceVersion { resource_version });
        }
        let start = State::Starting { not_before: runtime.now() };
        let retrying = Retrying { runtime, watcher, resource_version };
        let events = futures::stream::unfold((retrying, start), |(mut retrying, mut state)| async move {
            loop {
                let (event, next) = retrying.step(state).await?;
                state = next;
                if let Some(event) = event {
                    return Some((Ok(event), (retrying, state)));
                }
            }
        });
        Ok(Self { events: events.boxed_local() })
    }
}

impl Stream for RetryWatcher {
    type Item = Result<WatchEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_next_unpin(context)
    }
}

impl fmt::Debug for RetryWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryWatcher").finish_non_exhaustive()
    }
}

enum State {
    Starting { not_before: Moment },
    Watching { events: WatchStream, started: Moment },
    Ended,
}

struct Retrying<W: ?Sized> {
    runtime: Runtime,
    watcher: Rc<W>,
    /// Of the last event, also of the last bookmark.
    resource_version: String,
}

impl<W: Watcher + ?Sized> Retrying<W> {
    /// What is to be given, if anything, and what comes next; none at the end.
    async fn step(&mut self, state: State) -> Option<(Option<WatchEvent>, State)> {
        match state {
            State::Starting { not_before } => {
                self.runtime.clock.sleep_until(not_before).await;
                Some(self.start().await)
            }
            State::Watching { mut events, started } => {
                let (event, next) = match events.next().await {
                    None => (None, self.start_again(started, Duration::ZERO)),
                    Some(Err(Error::Status(status))) => self.after_error(*status, started),
                    Some(Err(error)) => {
                        tracing::debug!(%error, "the watch broke off");
                        (None, self.start_again(started, Duration::ZERO))
                    }
                    Some(Ok(WatchEvent::Error(status))) => self.after_error(status, started),
                    Some(Ok(event)) => return Some(self.after_event(event, events, started)),
                };
                Some((event, next))
            }
            State::Ended => None,
        }
    }

    async fn start(&self) -> (Option<WatchEvent>, State) {
        let started = self.runtime.now();
        let resource_version = self.resource_version.clone();
        let options = ListOptions { resource_version, allow_watch_bookmarks: true, ..ListOptions::default() };
        match self.watcher.watch(options).await {
            Ok(events) => (None, State::Watching { events, started }),
            Err(Error::Status(status)) if status.is_forbidden() || status.is_unauthorized() => {
                tracing::error!(error = %status.message, "the watch was refused, trying again would not help");
                (Some(WatchEvent::Error(*status)), State::Ended)
            }
            Err(error) => {
                tracing::debug!(%error, "the watch did not start");
                (None, self.start_again(started, error.retry_after().unwrap_or_default()))
            }
        }
    }

    fn after_event(&mut self, event: WatchEvent, events: WatchStream, started: Moment) -> (Option<WatchEvent>, State) {
        let resource_version = match &event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
                object.resource_version()
            }
            WatchEvent::Bookmark { resource_version, .. } => resource_version,
            WatchEvent::Error(_) => "",
        };
        if resource_version.is_empty() {
            // To go on from the version before could leave out an event.
            let error = Status::internal_error(format!("retryWatcher: {event:?} doesn't support resourceVersion"));
            return (Some(WatchEvent::Error(error)), State::Ended);
        }
        self.resource_version = resource_version.to_owned();
        let is_bookmark = matches!(event, WatchEvent::Bookmark { .. });
        ((!is_bookmark).then_some(event), State::Watching { events, started })
    }

    fn after_error(&self, status: Status, started: Moment) -> (Option<WatchEvent>, State) {
        if status.code == 410 {
            return (Some(WatchEvent::Error(status)), State::Ended);
        }
        let error = Error::from(status);
        tracing::debug!(%error, "the watch ended with an error");
        (None, self.start_again(started, error.retry_after().unwrap_or_default()))
    }

    fn start_again(&self, started: Moment, asked_for: Duration) -> State {
        let not_before = (started + SHORTEST_TIME_BETWEEN_STARTS).max(self.runtime.now() + asked_for);
        State::Starting { not_before }
    }
}
