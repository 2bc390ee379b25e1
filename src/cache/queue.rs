use futures::future::LocalBoxFuture;

use super::keys::DeletedObject;
use super::queue_core::Processing;
use super::store::ReflectorStore;
use crate::api::Object;

/// One change, as a reflector saw it (client-go: `tools/cache/delta_fifo.go`, `Delta`; the last three are of
/// `tools/cache/the_real_fifo.go`).
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// The watch saw it come. It may be known already: what the store holds decides.
    Added(Object),
    /// The watch saw it change.
    Updated(Object),
    /// The watch saw it go, or a list showed that it is gone.
    Deleted(DeletedObject),
    /// It stands in a list that replaced everything.
    Replaced(Object),
    /// Nothing has changed: a resync.
    Sync(Object),
    /// A whole list; what is known and not in it is deleted.
    ReplacedAll {
        /// The list's.
        resource_version: String,
        /// Transformed, in the server's order.
        objects: Vec<Object>,
    },
    /// A resync of everything that is known.
    SyncAll,
    /// Nothing has changed up to this resourceVersion.
    Bookmark {
        /// The bookmark's.
        resource_version: String,
    },
}

impl Delta {
    /// The newest state of the one object that the delta is about.
    pub fn object(&self) -> Option<&Object> {
        match self {
            Self::Added(object) | Self::Updated(object) | Self::Replaced(object) | Self::Sync(object) => Some(object),
            Self::Deleted(deleted) => deleted.object(),
            Self::ReplacedAll { .. } | Self::SyncAll | Self::Bookmark { .. } => None,
        }
    }
}

/// A change with the key of its object; the key is empty where a delta is about all of them
/// (client-go: `tools/cache/delta_fifo.go`, where keys and `Deltas` are kept apart).
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedDelta {
    /// By the queue's key function.
    pub key: String,
    /// What has changed.
    pub delta: Delta,
}

/// What a queue hands out at a time: oldest first. Dropping it says that it was processed
/// (client-go: `tools/cache/fifo.go`, what `PopProcessFunc` is called with).
#[derive(Debug)]
pub struct Popped {
    /// At least one.
    pub deltas: Vec<KeyedDelta>,
    /// They belong to the first list, or came before any list.
    pub is_in_initial_list: bool,
    pub(super) processing: Processing,
}

impl Popped {
    /// The deltas, and what must be held until they were processed.
    pub(super) fn into_parts(self) -> (Vec<KeyedDelta>, Processing) {
        (self.deltas, self.processing)
    }
}

/// Keeps the changes between a reflector and its consumer, in order
/// (client-go: `tools/cache/fifo.go`, `Queue` and `QueueWithBatch`).
///
/// What a queue asks of its known objects, it asks while something is written to it. Where they are the store that its
/// consumer fills, the consumer brings what was popped into that store before it waits for anything else: in between,
/// a change is neither queued nor known, and a list could not see that its object is gone. client-go holds the queue's
/// lock meanwhile.
///
/// Dropping a future of `pop` or `pop_batch` loses nothing.
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

    /// Whether no entry waits; what was handed out and is not processed yet does not count.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
