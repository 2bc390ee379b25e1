//! Watches: each is a place in the history that moves on, so that none needs a queue.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::select;
use futures::{StreamExt as _, stream};

use super::ApiServer;
use super::faults::{BookmarkFault, WatchFault, WatchMemory};
use super::query::{Options, Selection};
use super::refusal::{self, Refusal, WireStatus};
use super::render::Rendering;
use super::store::{Change, Next};
use crate::api::Manifest;
use crate::runtime::{Body, Moment, TransportError};

/// The last bookmark comes so long before the end (apiserver: `storage/cacher/cache_watcher.go`).
const LAST_BOOKMARK_BEFORE_END: Duration = Duration::from_secs(2);

/// A watch without a timeout of its own ends within this and its double (apiserver: `endpoints/handlers/get.go`).
const MIN_LENGTH: Duration = Duration::from_secs(1800);

/// apimachinery: `pkg/apis/meta/v1/types.go`, `InitialEventsAnnotationKey`.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

const GARBAGE: &[u8] = b"{\"type\":\"MODIFIED\",\"object\":{\"kind\":\xff\xfe}}}<<<\n";

/// The watches that have told everything and wait for more, by the numbers they were given, with path and query.
#[derive(Default)]
pub(super) struct OpenWatches {
    waiting: RefCell<BTreeMap<u64, String>>,
    last_number: Cell<u64>,
}

impl OpenWatches {
    pub(super) fn numbers(&self, path: &str) -> Vec<u64> {
        let waiting = self.waiting.borrow();
        waiting.iter().filter(|(_, known)| known.contains(path)).map(|(number, _)| *number).collect()
    }

    fn new_number(&self) -> u64 {
        self.last_number.set(self.last_number.get() + 1);
        self.last_number.get()
    }
}

struct Watch {
    server: ApiServer,
    number: u64,
    rendering: Rendering,
    /// A table names its columns in the first event only.
    columns_sent: bool,
    selection: Selection,
    /// Path and query, for the faults' filters.
    path: String,
    /// Everything up to this resourceVersion is told.
    cursor: u64,
    /// What is there at the start, to be told as added.
    pending: VecDeque<Arc<Manifest>>,
    /// The bookmark that marks the end of the initial events is still to be sent, at this resourceVersion.
    initial_bookmark: Option<u64>,
    deadline: Moment,
    next_bookmark: Option<Moment>,
    memory: WatchMemory,
}

enum Step {
    Frame(Bytes),
    /// Nothing to tell before this moment, unless something changes.
    Wait(Moment),
    /// The server ends the watch in good order.
    End,
    LastFrame(Bytes),
    Broken,
    Silent,
}

/// The body of a watch. A refusal stands inside it, as the real server's 410 does.
pub(super) fn watch(server: &ApiServer, rendering: Rendering, options: Options, path: &str) -> Body {
    let now = server.inner.runtime.now();
    let length = match options.timeout_seconds {
        Some(seconds) => Duration::from_secs(seconds.into()),
        None => MIN_LENGTH.mul_f64(1.0 + server.inner.runtime.random.unit()),
    };
    let mut watch = Watch {
        server: server.clone(),
        number: server.inner.open_watches.new_number(),
        rendering,
        columns_sent: false,
        selection: options.selection,
        path: path.into(),
        cursor: options.resource_version.unwrap_or(0),
        pending: VecDeque::new(),
        initial_bookmark: None,
        deadline: now + length,
        next_bookmark: None,
        memory: server.inner.faults.borrow().new_memory(),
    };
    if options.allow_bookmarks {
        watch.next_bookmark = Some(watch.bookmark_after(now));
    }
    match watch.start(options.send_initial_events) {
        Ok(()) => stream::unfold(Some(watch), |watch| async { watch?.next().await }).boxed_local(),
        Err(refusal) => error_body(&refusal),
    }
}

/// # Errors
/// 504 for a WatchList not older than a resourceVersion that is still to come. The real server waits 3 s for it first.
pub(super) fn check_watch_list(server: &ApiServer, options: &Options) -> Result<(), Refusal> {
    let current = server.inner.store.borrow().current();
    match options.resource_version {
        Some(asked) if asked > current && options.send_initial_events == Some(true) => {
            Err(refusal::too_large(asked, current))
        }
        _ => Ok(()),
    }
}

/// A watch that only says why it ends.
pub(super) fn error_body(refusal: &Refusal) -> Body {
    let frame = error_frame(&WireStatus::from(&**refusal));
    stream::iter([Ok(frame)]).boxed_local()
}

impl Watch {
    /// From nowhere it begins with what is there; with `initial_events` it does so or not as they say, and if so marks
    /// the end (apiserver: `storage/cacher/cacher.go`).
    fn start(&mut self, initial_events: Option<bool>) -> Result<(), Refusal> {
        let store = self.server.inner.store.borrow();
        match initial_events {
            Some(false) if self.cursor == 0 => {
                self.cursor = store.current();
                return Ok(());
            }
            Some(true) => {}
            _ if self.cursor == 0 => {}
            _ => {
                let oldest = store.oldest_start(&self.rendering.kind);
                return if self.cursor < oldest { Err(refusal::too_old(self.cursor, oldest)) } else { Ok(()) };
            }
        }
        let objects = store.objects_from(&self.rendering.kind, "").map(|(_, object)| object);
        self.pending.extend(objects.filter(|it| self.selection.matches(it)).cloned());
        self.cursor = store.current();
        if initial_events == Some(true) && self.next_bookmark.is_some() {
            self.initial_bookmark = Some(self.cursor);
        }
        Ok(())
    }

    /// The next chunk, and the watch that goes on behind it.
    async fn next(mut self) -> Option<(Result<Bytes, TransportError>, Option<Self>)> {
        loop {
            // Listening starts before looking: what happens in between is not missed.
            let changed = self.server.inner.changed.listen();
            match self.step() {
                Step::Frame(bytes) => return Some((Ok(bytes), Some(self))),
                Step::LastFrame(bytes) => return Some((Ok(bytes), None)),
                Step::Wait(until) => {
                    self.note_that_it_waits();
                    let sleep = self.server.inner.runtime.clock.sleep_until(until);
                    select(changed, sleep).await;
                }
                Step::End => return None,
                Step::Broken => return Some((Err(TransportError("connection reset by peer".into())), None)),
                // Not even its deadline ends it: only a broken connection does.
                Step::Silent => changed.await,
            }
        }
    }

    fn step(&mut self) -> Step {
        match self.server.inner.faults.borrow_mut().of_watch(&self.path, &mut self.memory) {
            Some(WatchFault::Dropped) => return Step::Broken,
            Some(WatchFault::Closed) => return Step::End,
            Some(WatchFault::Error { code }) => {
                let refusal = refusal::plain(code, "the watch ends with an error");
                return Step::LastFrame(error_frame(&WireStatus::from(&*refusal)));
            }
            Some(WatchFault::Silent) => return Step::Silent,
            Some(WatchFault::Garbage) => return Step::Frame(Bytes::from_static(GARBAGE)),
            None => {}
        }
        if let Some(object) = self.pending.pop_front() {
            return Step::Frame(self.frame("ADDED", &object));
        }
        if let Some(resource_version) = self.initial_bookmark.take() {
            let fault = self.server.inner.faults.borrow_mut().of_initial_bookmark(&self.path);
            match fault {
                None => return Step::Frame(self.bookmark(resource_version, true)),
                Some(BookmarkFault::Withheld) => {}
                Some(BookmarkFault::Closed) => return Step::End,
            }
        }
        let now = self.server.inner.runtime.now();
        if now >= self.deadline {
            return Step::End;
        }
        let ended = self.rendering.kind.ended.get();
        loop {
            let next = self.server.inner.store.borrow().next_change(&self.rendering.kind, self.cursor);
            match next {
                Next::Lost => return Step::End,
                Next::Change(change) if ended > 0 && change.resource_version > ended => return Step::End,
                Next::Change(change) => {
                    self.cursor = change.resource_version;
                    if let Some(bytes) = self.tell(change) {
                        return Step::Frame(bytes);
                    }
                }
                Next::Nothing(_) if ended > 0 => return Step::End,
                Next::Nothing(up_to) => {
                    self.cursor = up_to;
                    break;
                }
            }
        }
        match self.next_bookmark {
            Some(due) if now >= due => {
                self.next_bookmark = Some(self.bookmark_after(now));
                Step::Frame(self.bookmark(self.cursor, false))
            }
            due => Step::Wait(due.map_or(self.deadline, |due| due.min(self.deadline))),
        }
    }

    fn frame(&mut self, name: &str, object: &Manifest) -> Bytes {
        let with_columns = !std::mem::replace(&mut self.columns_sent, true);
        frame(name, &self.rendering.object(object, with_columns, self.server.inner.runtime.clock.wall()))
    }

    fn note_that_it_waits(&self) {
        if self.memory.is_sound() {
            let mut waiting = self.server.inner.open_watches.waiting.borrow_mut();
            waiting.entry(self.number).or_insert_with(|| self.path.clone());
        }
    }

    /// An object that comes under the selection is added to it, one that leaves it is deleted from it.
    fn tell(&mut self, change: Change) -> Option<Bytes> {
        let before = change.before.filter(|before| self.selection.matches(before));
        let selected = !change.deleted && self.selection.matches(&change.object);
        match (before, selected) {
            (None, true) => Some(self.frame("ADDED", &change.object)),
            (Some(_), true) => Some(self.frame("MODIFIED", &change.object)),
            (Some(_), false) if change.deleted => Some(self.frame("DELETED", &change.object)),
            (Some(before), false) => {
                let mut left = Manifest::clone(&before);
                left.metadata.resource_version = change.resource_version.to_string();
                Some(self.frame("DELETED", &left))
            }
            (None, false) => None,
        }
    }

    fn bookmark(&mut self, resource_version: u64, marks_initial_end: bool) -> Bytes {
        let kind = Rc::clone(&self.rendering.kind);
        let mut object = Manifest { api_version: kind.api_version(), kind: kind.kind.clone(), ..Manifest::default() };
        object.metadata.resource_version = resource_version.to_string();
        if marks_initial_end {
            object.metadata.annotations.insert(INITIAL_EVENTS_END.into(), "true".into());
        }
        self.frame("BOOKMARK", &object)
    }

    fn bookmark_after(&self, now: Moment) -> Moment {
        let regular = now + self.server.inner.options.bookmark_interval;
        let last = self.deadline - LAST_BOOKMARK_BEFORE_END;
        if now < last { regular.min(last) } else { regular }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.server.inner.open_watches.waiting.borrow_mut().remove(&self.number);
    }
}

fn error_frame(status: &WireStatus<'_>) -> Bytes {
    frame("ERROR", &super::to_json(status))
}

fn frame(name: &str, object: &[u8]) -> Bytes {
    [br#"{"type":""#, name.as_bytes(), br#"","object":"#, object, b"}\n"].concat().into()
}
