use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use event_listener::Event;
use futures::future::LocalBoxFuture;

use super::keys::DeletedObject;
use super::store::ReflectorStore;
use crate::api::Object;

/// One change, as a reflector saw it (client-go: `cache.Delta`).
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    Added(Arc<Object>),
    Updated(Arc<Object>),
    Deleted(DeletedObject),
    /// It stands in a list that replaced everything.
    Replaced(Arc<Object>),
    /// Nothing has changed: a resync.
    Sync(Arc<Object>),
    /// A whole list; what is known and not in it is deleted.
    ReplacedAll {
        resource_version: String,
        objects: Vec<Arc<Object>>,
    },
    /// A resync of everything that is known.
    SyncAll,
    /// Nothing has changed up to this resourceVersion.
    Bookmark {
        resource_version: String,
    },
}

impl Delta {
    /// The newest state of the one object that the delta is about.
    pub fn object(&self) -> Option<&Arc<Object>> {
        match self {
            Self::Added(object) | Self::Updated(object) | Self::Replaced(object) | Self::Sync(object) => Some(object),
            Self::Deleted(deleted) => deleted.object(),
            Self::ReplacedAll { .. } | Self::SyncAll | Self::Bookmark { .. } => None,
        }
    }
}

/// A change with the key of its object; the key is empty where a delta is about all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedDelta {
    pub key: String,
    pub delta: Delta,
}

/// What a queue hands out at a time: oldest first. Dropping it says that it was processed.
#[derive(Debug)]
pub struct Popped {
    pub deltas: Vec<KeyedDelta>,
    /// They belong to the first list.
    pub is_in_initial_list: bool,
    processing: Processing,
}

impl Popped {
    /// `entries` is how many of what [`InitialSync`] counts are in it.
    pub(super) fn new(deltas: Vec<KeyedDelta>, entries: usize, initial: &Rc<InitialSync>) -> Self {
        Self { deltas, is_in_initial_list: !initial.is_done(), processing: initial.processing(entries) }
    }

    /// The deltas, and what must be held until they were processed.
    pub(super) fn into_parts(self) -> (Vec<KeyedDelta>, Processing) {
        (self.deltas, self.processing)
    }
}

/// Keeps the changes between a reflector and its consumer, in order (client-go: `cache.Queue`, `QueueWithBatch`).
pub trait Queue: ReflectorStore {
    /// What is next; waits for something. None when the queue is closed and empty (`ErrFIFOClosed`).
    fn pop(&self) -> LocalBoxFuture<'_, Option<Popped>>;

    /// As many changes of different objects as may be processed in one step.
    fn pop_batch(&self) -> LocalBoxFuture<'_, Option<Popped>> {
        self.pop()
    }

    /// The whole first list was processed. Never becomes false again.
    fn has_synced(&self) -> bool;

    /// Waits for [`has_synced`](Self::has_synced).
    fn synced(&self) -> LocalBoxFuture<'static, ()>;

    /// What is queued can still be popped.
    fn close(&self);

    /// How many entries wait.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Counts down the first list: a queue is synced when each of its entries was processed.
///
/// client-go signals this before the last entry's callback in one of its queues and after it in the others; here it is
/// after it in all.
#[derive(Debug, Default)]
pub(super) struct InitialSync {
    populated: Cell<bool>,
    unprocessed: Cell<usize>,
    done: Event,
}

impl InitialSync {
    /// A single change has come; if it came before any list there is nothing to wait for.
    pub(super) fn changed(&self) {
        self.populated(0);
    }

    /// A list has come as so many entries; only the first counts.
    pub(super) fn populated(&self, entries: usize) {
        if !self.populated.replace(true) {
            self.unprocessed.set(entries);
            self.notify_when_done();
        }
    }

    /// Any change or list has come.
    pub(super) fn is_populated(&self) -> bool {
        self.populated.get()
    }

    /// Entries of the first list that were not processed yet.
    pub(super) fn unprocessed(&self) -> usize {
        self.unprocessed.get()
    }

    pub(super) fn is_done(&self) -> bool {
        self.populated.get() && self.unprocessed.get() == 0
    }

    pub(super) async fn done(self: Rc<Self>) {
        loop {
            let done = self.done.listen();
            if self.is_done() {
                return;
            }
            done.await;
        }
    }

    /// Counts entries as processed when it is dropped.
    pub(super) fn processing(self: &Rc<Self>, entries: usize) -> Processing {
        Processing { initial: Rc::clone(self), entries }
    }

    fn notify_when_done(&self) {
        if self.is_done() {
            self.done.notify(usize::MAX);
        }
    }
}

/// Entries that were handed out and are not processed yet.
#[derive(Debug)]
pub(super) struct Processing {
    initial: Rc<InitialSync>,
    entries: usize,
}

impl Drop for Processing {
    fn drop(&mut self) {
        let initial = &self.initial;
        initial.unprocessed.set(initial.unprocessed.get().saturating_sub(self.entries));
        initial.notify_when_done();
    }
}
