use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

use futures::future::{FutureExt as _, LocalBoxFuture};
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::keys::{DeletedObject, KeyFunc, meta_namespace_key_func};
use super::known_objects::{KnownObjects, NewestQueued, deletions, syncs};
use super::queue::{Delta, KeyedDelta, Popped, Queue};
use super::queue_core::{QueueCore, QueueMetrics};
use super::store::{ReflectorStore, StoreError, TransformFunc};
use crate::api::Object;

/// What a [`RealFifo`] is told at its start (client-go: `tools/cache/the_real_fifo.go`,
/// `RealFIFOOptions`).
#[doc(alias = "RealFIFOOptions")]
#[derive(Clone)]
pub struct RealFifoOptions {
    /// [`meta_namespace_key`](super::meta_namespace_key) unless given.
    pub key_func: KeyFunc,
    /// Applied to each object once, when it enters.
    pub transformer: Option<TransformFunc>,
    /// Who is told how full and how slow the queue is; nobody when absent.
    pub metrics: Option<QueueMetrics>,
    /// How many changes a batch has at most: 1000 unless given. A batch has at least one.
    pub batch_size: usize,
}

impl Default for RealFifoOptions {
    fn default() -> Self {
        Self { key_func: meta_namespace_key_func(), transformer: None, metrics: None, batch_size: 1000 }
    }
}

/// Every change of every object, in exactly the order of arrival (client-go: `tools/cache/the_real_fifo.go`).
///
/// Nothing is merged: deletions of what nobody knows and repeated ones are handed out too. There are two kinds:
///
/// - [`plain`](Self::plain) takes a list apart into a [`Delta::Deleted`] for all that is gone and a
///   [`Delta::Replaced`] for all that is there, and a resync into [`Delta::Sync`]s.
/// - [`atomic`](Self::atomic) hands out each list as one [`Delta::ReplacedAll`], a resync as one [`Delta::SyncAll`],
///   and [`Delta::Bookmark`]s. What a list deletes is found by the consumer, against its store at that time. The key
///   function is not asked for a list's objects.
///
/// ```
/// use futures::FutureExt as _;
/// use watchglass::api::Manifest;
/// use watchglass::cache::{Delta, Queue as _, RealFifo, RealFifoOptions, ReflectorStore as _};
///
/// let queue = RealFifo::atomic(RealFifoOptions::default());
/// let mut pod = Manifest::default();
/// pod.metadata.name = "web-0".into();
/// queue.replace(vec![], "7")?;
/// queue.add(pod.clone().into())?;
///
/// let list = queue.pop().now_or_never().flatten().unwrap();
/// assert_eq!(list.deltas[0].delta, Delta::ReplacedAll { resource_version: "7".into(), objects: vec![] });
/// assert!(!queue.has_synced());
/// drop(list);
/// assert!(queue.has_synced());
///
/// let added = queue.pop().now_or_never().flatten().unwrap();
/// assert_eq!(added.deltas[0].delta, Delta::Added(pod.into()));
/// # Ok::<(), watchglass::cache::StoreError>(())
/// ```
#[doc(alias = "RealFIFO")]
pub struct RealFifo {
    core: QueueCore,
    kind: Kind,
    items: RefCell<VecDeque<KeyedDelta>>,
    batch_size: usize,
}

enum Kind {
    Plain(Rc<dyn KnownObjects>),
    Atomic,
}

/// The place of so many changes is kept when all were taken: more are a burst.
const KEPT_CAPACITY: usize = 64;

impl RealFifo {
    /// A queue that finds what a list deletes among what is queued and known.
    pub fn plain(known_objects: Rc<dyn KnownObjects>, options: RealFifoOptions) -> Self {
        Self::new(Kind::Plain(known_objects), options)
    }

    /// A queue of whole lists (client-go: `AtomicEvents`, `UnlockWhileProcessing`, `EmitDeltaTypeBookmark`).
    #[doc(alias = "AtomicEvents")]
    pub fn atomic(options: RealFifoOptions) -> Self {
        Self::new(Kind::Atomic, options)
    }

    fn new(kind: Kind, options: RealFifoOptions) -> Self {
        let RealFifoOptions { key_func, transformer, metrics, batch_size } = options;
        let core = QueueCore::new(key_func, transformer, metrics);
        Self { core, kind, items: RefCell::default(), batch_size: batch_size.max(1) }
    }

    /// Returns how many are queued then.
    fn push(&self, key: String, delta: Delta) -> usize {
        let mut items = self.items.borrow_mut();
        items.push_back(KeyedDelta { key, delta });
        items.len()
    }

    fn extend(&self, deltas: impl IntoIterator<Item = KeyedDelta>) -> usize {
        let mut items = self.items.borrow_mut();
        items.extend(deltas);
        items.len()
    }

    fn replace_each(&self, known: &Rc<dyn KnownObjects>, list: Vec<Object>) -> Result<usize, StoreError> {
        let listed = self.core.admit_all(list)?;
        let deletions = deletions(&listed, &self.newest_queued(), Some(known));
        let replaced = listed.into_iter().map(|(key, object)| KeyedDelta { key, delta: Delta::Replaced(object) });
        Ok(self.extend(deletions.into_iter().chain(replaced)))
    }

    fn newest_queued(&self) -> NewestQueued {
        self.items.borrow().iter().map(|item| (item.key.clone(), item.delta.clone())).collect()
    }

    /// Takes as many as `count` says of a queue that is not empty.
    fn take(&self, count: impl Fn(&VecDeque<KeyedDelta>) -> usize) -> Option<Popped> {
        let mut items = self.items.borrow_mut();
        if items.is_empty() {
            return None;
        }
        let count = count(&items);
        let deltas: Vec<_> = items.drain(..count).collect();
        let left = items.len();
        if left == 0 {
            items.shrink_to(KEPT_CAPACITY);
        }
        drop(items);
        Some(self.core.hand_out(deltas, count, left))
    }

    /// The first list and what came after it are never in one batch, nor two changes of one object.
    fn next_batch(&self, items: &VecDeque<KeyedDelta>) -> usize {
        let limit = match self.core.initial().queued() {
            0 => self.batch_size,
            initial => self.batch_size.min(initial),
        };
        let mut keys = FxHashSet::with_capacity_and_hasher(items.len().min(limit), FxBuildHasher);
        let batch = items.iter().take(limit).take_while(|item| is_of_one_object(&item.delta) && keys.insert(&item.key));
        batch.count().max(1)
    }
}

fn is_of_one_object(delta: &Delta) -> bool {
    !matches!(delta, Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. })
}

impl ReflectorStore for RealFifo {
    fn add(&self, object: Object) -> Result<(), StoreError> {
        self.core.queue_event(object, Delta::Added, |key, delta| self.push(key, delta))
    }

    fn update(&self, object: Object) -> Result<(), StoreError> {
        self.core.queue_event(object, Delta::Updated, |key, delta| self.push(key, delta))
    }

    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError> {
        let (key, deleted) = self.core.admit_deleted(deleted)?;
        self.core.event_queued(self.push(key, Delta::Deleted(deleted)));
        Ok(())
    }

    fn replace(&self, list: Vec<Object>, resource_version: &str) -> Result<(), StoreError> {
        let len = match &self.kind {
            Kind::Plain(known_objects) => self.replace_each(known_objects, list)?,
            Kind::Atomic => {
                let objects = list.into_iter().map(|object| self.core.transformed(object)).collect::<Result<_, _>>()?;
                self.push(String::new(), Delta::ReplacedAll { resource_version: resource_version.into(), objects })
            }
        };
        self.core.list_queued(len);
        Ok(())
    }

    fn resync(&self) -> Result<(), StoreError> {
        let len = match &self.kind {
            Kind::Plain(known_objects) => {
                let queued = self.newest_queued();
                self.extend(syncs(known_objects, |key| queued.contains_key(key)))
            }
            Kind::Atomic => self.push(String::new(), Delta::SyncAll),
        };
        self.core.changed(len);
        Ok(())
    }

    fn bookmark(&self, resource_version: &str) {
        if matches!(self.kind, Kind::Atomic) {
            let len = self.push(String::new(), Delta::Bookmark { resource_version: resource_version.into() });
            self.core.changed(len);
        }
    }

    fn transformer(&self) -> Option<TransformFunc> {
        self.core.transformer()
    }

    /// Less than two full batches: 2000 changes, unless the size of a batch was given.
    fn room(&self) -> LocalBoxFuture<'_, ()> {
        let is_full = || self.len() >= self.batch_size.saturating_mul(2);
        if is_full() { self.core.wait_while(is_full).boxed_local() } else { std::future::ready(()).boxed_local() }
    }
}

impl Queue for RealFifo {
    fn pop(&self) -> LocalBoxFuture<'_, Option<Popped>> {
        Box::pin(self.core.next(|| self.take(|_| 1)))
    }

    fn pop_batch(&self) -> LocalBoxFuture<'_, Option<Popped>> {
        Box::pin(self.core.next(|| self.take(|items| self.next_batch(items))))
    }

    fn has_synced(&self) -> bool {
        self.core.initial().is_done()
    }

    fn synced(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(Rc::clone(self.core.initial()).done())
    }

    fn close(&self) {
        self.core.close();
    }

    fn len(&self) -> usize {
        self.items.borrow().len()
    }
}

impl fmt::Debug for RealFifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core.debug("RealFifo", self.len(), f)
    }
}
