//! An open watch: its events into the store, its silence and the device's sleep noticed.

use std::time::Duration;

use futures::StreamExt as _;
use futures::future::{Either, FutureExt as _, select};

use super::Reflector;
use super::listing::is_table;
use super::sleep_detector::SleepDetector;
use super::state::{End, Ended, OpenWatch};
use crate::api::{Error, ListOptions, Object, WatchEvent};
use crate::cache::keys::DeletedObject;
use crate::cache::store::ReflectorStore;
use crate::runtime::{Moment, Runtime, Turn};

/// Bookmarks come about each minute on a quiet watch (apiserver: `storage/cacher`); three missed ones mean that the
/// connection is dead, which a browser does not tell (kubernetes/client-go#374).
const IDLE_LIMIT: Duration = Duration::from_secs(180);

/// How much later than asked a server may end a watch.
const WATCH_GRACE: Duration = Duration::from_secs(5);

impl Reflector {
    /// Whole seconds, at random, so that many watches do not end together (kubernetes/kubernetes#6770).
    pub(super) fn watch_timeout(&self) -> Duration {
        let timeout = self.options.min_watch_timeout.mul_f64(1.0 + self.runtime.random.unit());
        Duration::from_secs(timeout.as_secs().min(u32::MAX.into()))
    }

    pub(super) async fn open(&self) -> Result<OpenWatch, End> {
        let timeout = self.watch_timeout();
        let (options, is_ordered) = {
            let versions = self.versions.borrow();
            (versions.watch_options(timeout.as_secs() as u32), !versions.watch_begins_with_what_is_there())
        };
        let deadline = self.runtime.now() + timeout + WATCH_GRACE;
        let mut watch = self.open_until(options, deadline, deadline).await?;
        watch.is_ordered = is_ordered;
        self.show_connected();
        Ok(watch)
    }

    /// A watch whose head has come before `head_by`.
    ///
    /// A time limit for the whole request would cut healthy watches off (kube-rs/kube#1798); the head of a quiet one
    /// may come with its first event behind an old kubectl (kubernetes/kubectl#628).
    pub(super) async fn open_until(
        &self,
        options: ListOptions,
        head_by: Moment,
        deadline: Moment,
    ) -> Result<OpenWatch, End> {
        let opened = self.runtime.now();
        let mut opening = self.lister_watcher.watch(options);
        let mut sleep = SleepDetector::start(&*self.runtime.clock);
        let events = loop {
            let wake_at = sleep.next_check().min(head_by);
            match select(opening, self.runtime.clock.sleep_until(wake_at)).await {
                Either::Left((result, _)) => break result.map_err(End::Failed)?,
                Either::Right(_) if sleep.slept(&*self.runtime.clock, wake_at) => return Err(End::Slept),
                Either::Right((_, unfinished)) if self.runtime.now() < head_by => opening = unfinished,
                Either::Right(_) => return Err(silent(head_by.since(opened))),
            }
        };
        let heard = self.runtime.now();
        // From the request on: some proxies hold the head back until the first event.
        Ok(OpenWatch { events, opened, heard, deadline, has_bookmarks: false, is_ordered: false })
    }

    /// Takes events until the watch ends, by whichever side.
    pub(super) async fn follow(&self, watch: OpenWatch) -> Ended {
        let opened = watch.opened;
        let mut is_ordered = watch.is_ordered;
        let mut events = 0;
        let mut turn = Turn::start(&self.runtime);
        let mut listener = Listener::new(&self.runtime, watch);
        let end = loop {
            let event = match listener.next(None).await {
                Signal::Event(event) => event,
                Signal::Due => continue,
                Signal::End(end) => break end,
            };
            let is_added = matches!(event, WatchEvent::Added(_));
            let is_bookmark = matches!(event, WatchEvent::Bookmark { .. });
            if let Some(resource_version) = self.take_in(event, &*self.store) {
                events += 1;
                self.attempts.set(0);
                self.has_heard.set(true);
                self.connection.heard(self.runtime.clock.wall(), is_bookmark);
                is_ordered |= !is_added;
                if is_ordered {
                    self.seen(&resource_version);
                }
            }
            self.store.room().await;
            turn.pause_when_over().await;
        };
        self.measured(Ended { end, lifetime: self.runtime.now().since(opened), events })
    }

    pub(super) fn measured(&self, ended: Ended) -> Ended {
        self.options.metrics.watched(ended.lifetime, ended.events, ended.is_very_short());
        ended
    }

    fn seen(&self, resource_version: &str) {
        if resource_version.is_empty() {
            return;
        }
        self.versions.borrow_mut().seen(resource_version);
        self.store.update_resource_version(resource_version);
        self.options.metrics.last_resource_version(resource_version);
    }

    /// Puts an event into a store, and gives its resourceVersion; none for an event that cannot be used, which counts
    /// for nothing.
    pub(super) fn take_in(&self, event: WatchEvent, store: &dyn ReflectorStore) -> Option<String> {
        let object = match &event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => object,
            WatchEvent::Bookmark { resource_version, .. } => {
                if !resource_version.is_empty() {
                    store.bookmark(resource_version);
                }
                return Some(resource_version.clone());
            }
            WatchEvent::Error(_) => return None,
        };
        if let Some(why) = self.why_not(object) {
            tracing::error!(resource = %self.options.description, %why, "an event is dropped");
            return None;
        }
        let resource_version = object.resource_version().to_owned();
        let result = match event {
            WatchEvent::Added(object) => store.add(object),
            WatchEvent::Modified(object) => store.update(object),
            WatchEvent::Deleted(object) => store.delete(DeletedObject::Known(object)),
            WatchEvent::Bookmark { .. } | WatchEvent::Error(_) => Ok(()),
        };
        if let Err(error) = result {
            tracing::error!(resource = %self.options.description, %error, "the store refuses an event");
        }
        Some(resource_version)
    }

    fn why_not(&self, object: &Object) -> Option<String> {
        if object.name().is_empty() {
            return Some("its object has no name".into());
        }
        if is_table(object.api_version(), object.kind()) {
            return Some(format!("unsupported watch event object gvk {}", object.group_version_kind()));
        }
        let (expected, kind) = (self.options.expected_kind.as_ref()?, object.group_version_kind());
        (*expected != kind).then(|| format!("expected {expected}, got {kind}"))
    }
}

fn silent(duration: Duration) -> End {
    End::Failed(Error::Silent { seconds: duration.as_secs() })
}

/// Hears what a watch brings, and notices when it brings nothing any more.
pub(super) struct Listener<'a> {
    runtime: &'a Runtime,
    watch: OpenWatch,
    sleep: SleepDetector,
}

pub(super) enum Signal {
    Event(WatchEvent),
    /// The moment that was asked for has come.
    Due,
    End(End),
}

impl<'a> Listener<'a> {
    pub(super) fn new(runtime: &'a Runtime, watch: OpenWatch) -> Self {
        Self { runtime, watch, sleep: SleepDetector::start(&*runtime.clock) }
    }

    /// The watch, for whoever goes on with it.
    pub(super) fn into_watch(self) -> OpenWatch {
        self.watch
    }

    /// What comes next, at `due` at the latest.
    pub(super) async fn next(&mut self, due: Option<Moment>) -> Signal {
        loop {
            let silent_at = self.silent_at();
            let wake_at = self.sleep.next_check().min(silent_at).min(due.unwrap_or(silent_at));
            // In a burst the next one is there, and no timer need be made.
            let ready = self.watch.events.next().now_or_never();
            let next = match ready {
                Some(event) => Some(event),
                None => self.runtime.timeout_at(wake_at, self.watch.events.next()).await,
            };
            match next {
                Some(Some(Ok(WatchEvent::Error(status)))) => return Signal::End(End::Failed(status.into())),
                Some(Some(Ok(event))) => return Signal::Event(self.hear(event)),
                Some(Some(Err(error))) => return Signal::End(End::Failed(error)),
                Some(None) => return Signal::End(End::Closed),
                None => {}
            }
            let now = self.runtime.now();
            if self.sleep.slept(&*self.runtime.clock, wake_at) {
                return Signal::End(End::Slept);
            }
            if now >= silent_at {
                return Signal::End(silent(silent_at.since(self.watch.heard)));
            }
            if due.is_some_and(|due| now >= due) {
                return Signal::Due;
            }
        }
    }

    fn silent_at(&self) -> Moment {
        let OpenWatch { heard, deadline, has_bookmarks, .. } = self.watch;
        if has_bookmarks { deadline.min(heard + IDLE_LIMIT) } else { deadline }
    }

    fn hear(&mut self, event: WatchEvent) -> WatchEvent {
        self.watch.heard = self.runtime.now();
        self.watch.has_bookmarks |= matches!(event, WatchEvent::Bookmark { .. });
        event
    }
}
