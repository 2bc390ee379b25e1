//! An open watch: its events into the queue, its silence noticed.

use std::time::Duration;

use futures::StreamExt as _;

use super::Reflector;
use super::state::{Ended, OpenWatch};
use crate::api::{Error, WatchEvent};
use crate::cache::DeletedObject;
use crate::runtime::{Moment, Turn};

/// Bookmarks come about each minute on a quiet watch (apiserver: `storage/cacher`); three missed ones mean that the
/// connection is dead, which a browser does not tell.
const IDLE_LIMIT: Duration = Duration::from_secs(180);

impl Reflector {
    /// Takes events until the watch ends, by whichever side.
    pub(super) async fn follow(&self, watch: OpenWatch) -> Ended {
        let OpenWatch { events: mut stream, opened, deadline } = watch;
        let (mut events, mut has_bookmarks) = (0, false);
        let mut turn = Turn::start(&self.runtime);
        let reason = loop {
            let silent_at = if has_bookmarks { deadline.min(self.runtime.now() + IDLE_LIMIT) } else { deadline };
            let event = match self.runtime.timeout_at(silent_at, stream.next()).await {
                None => break Some(self.silence(silent_at, deadline, opened)),
                Some(None) => break None,
                Some(Some(Err(error))) => break Some(error),
                Some(Some(Ok(WatchEvent::Error(status)))) => break Some(status.into()),
                Some(Some(Ok(event))) => event,
            };
            has_bookmarks |= matches!(event, WatchEvent::Bookmark { .. });
            if self.handle(event) {
                events += 1;
                self.attempts.set(0);
            }
            turn.pause_when_over().await;
        };
        Ended { reason, lifetime: self.runtime.now().since(opened), events }
    }

    fn silence(&self, silent_at: Moment, deadline: Moment, opened: Moment) -> Error {
        let silent_for = if silent_at == deadline { deadline.since(opened) } else { IDLE_LIMIT };
        Error::Silent { seconds: silent_for.as_secs() }
    }

    /// False for an event that cannot be used, which counts for nothing.
    fn handle(&self, event: WatchEvent) -> bool {
        let resource_version = match &event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
                if object.name().is_empty() {
                    tracing::warn!(resource = %self.options.description, "an event's object has no name and is dropped");
                    return false;
                }
                object.resource_version().to_owned()
            }
            WatchEvent::Bookmark { resource_version, .. } => resource_version.clone(),
            WatchEvent::Error(_) => return false,
        };
        let _ = match event {
            WatchEvent::Added(object) => self.store.add(object),
            WatchEvent::Modified(object) => self.store.update(object),
            WatchEvent::Deleted(object) => self.store.delete(DeletedObject::Known(object)),
            WatchEvent::Bookmark { .. } | WatchEvent::Error(_) => Ok(()),
        };
        self.versions.borrow_mut().seen(&resource_version);
        self.connection.touch(self.runtime.clock.wall());
        true
    }
}
