use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::key_line::KeyLine;
use super::keys::{DeletedObject, KeyFunc, meta_namespace_key_func};
use super::known_objects::{KnownObjects, NewestQueued, deletions, syncs};
use super::queue::{Delta, KeyedDelta, Popped, Queue};
use super::queue_core::{QueueCore, QueueMetrics};
use super::store::{ReflectorStore, StoreError, TransformFunc};
use crate::api::Object;

/// What a [`DeltaFifo`] is told at its start (client-go: `tools/cache/delta_fifo.go`,
/// `DeltaFIFOOptions`).
#[doc(alias = "DeltaFIFOOptions")]
#[derive(Clone)]
pub struct DeltaFifoOptions {
    /// [`meta_namespace_key`](super::meta_namespace_key) unless given.
    pub key_func: KeyFunc,
    /// Without them a list deletes only what is queued, a deletion of what is not queued is ignored, and a resync
    /// does nothing.
    pub known_objects: Option<Rc<dyn KnownObjects>>,
    /// A list's objects come as [`Delta::Replaced`], else as [`Delta::Sync`], which says less: they may have changed
    /// (kubernetes/kubernetes PR #86015).
    pub emit_delta_type_replaced: bool,
    /// Applied to each object once, when it enters.
    pub transformer: Option<TransformFunc>,
    /// Who is told how full and how slow the queue is; nobody when absent.
    pub metrics: Option<QueueMetrics>,
}

impl Default for DeltaFifoOptions {
    fn default() -> Self {
        Self {
            key_func: meta_namespace_key_func(),
            known_objects: None,
            emit_delta_type_replaced: false,
            transformer: None,
            metrics: None,
        }
    }
}

/// Keys in the order they were first touched, each with all its changes (client-go: `tools/cache/delta_fifo.go`).
///
/// What happens to one object while it is queued stays together and is handed out at once, oldest first. Of two
/// deletions that follow each other one is kept, and the deletion of what is neither queued nor known is ignored.
///
/// ```
/// use futures::FutureExt as _;
/// use watchglass::api::Manifest;
/// use watchglass::cache::{DeltaFifo, DeltaFifoOptions, Queue as _, ReflectorStore as _};
///
/// let queue = DeltaFifo::new(DeltaFifoOptions::default());
/// let mut pod = Manifest::default();
/// pod.metadata.name = "web-0".into();
/// queue.add(pod.clone().into())?;
/// queue.update(pod.clone().into())?;
/// queue.delete(watchglass::api::Object::from(pod).into())?;
/// let web = queue.pop().now_or_never().flatten().unwrap();
/// assert_eq!(web.deltas.len(), 3);
/// # Ok::<(), watchglass::cache::StoreError>(())
/// ```
#[doc(alias = "DeltaFIFO")]
pub struct DeltaFifo {
    core: QueueCore,
    known_objects: Option<Rc<dyn KnownObjects>>,
    emit_delta_type_replaced: bool,
    items: RefCell<Items>,
}

/// No list of deltas is empty.
type Items = KeyLine<Vec<Delta>>;

impl DeltaFifo {
    /// An empty queue.
    #[doc(alias = "NewDeltaFIFOWithOptions")]
    pub fn new(options: DeltaFifoOptions) -> Self {
        let DeltaFifoOptions { key_func, known_objects, emit_delta_type_replaced, transformer, metrics } = options;
        let core = QueueCore::new(key_func, transformer, metrics);
        Self { core, known_objects, emit_delta_type_replaced, items: RefCell::default() }
    }

    /// Returns how many keys are queued then.
    fn push(&self, key: String, delta: Delta) -> usize {
        let mut items = self.items.borrow_mut();
        push(&mut items, key, delta);
        items.len()
    }

    fn newest_queued(&self) -> NewestQueued {
        let items = self.items.borrow();
        items.iter().filter_map(|(key, deltas)| Some((key.clone(), deltas.last()?.clone()))).collect()
    }

    fn is_queued(&self, key: &str) -> bool {
        self.items.borrow().get(key).is_some()
    }

    fn is_known(&self, key: &str) -> bool {
        self.known_objects.as_ref().is_some_and(|known| known.known_object(key).is_some())
    }

    fn take(&self) -> Option<Popped> {
        let mut items = self.items.borrow_mut();
        let (key, deltas) = items.pop()?;
        let left = items.len();
        drop(items);
        let deltas = deltas.into_iter().map(|delta| KeyedDelta { key: key.clone(), delta }).collect();
        Some(self.core.hand_out(deltas, 1, left))
    }
}

fn push(items: &mut Items, key: String, delta: Delta) {
    let deltas = items.entry(key);
    match (deltas.last_mut(), delta) {
        // Of two deletions the one that saw the final state says more.
        (Some(Delta::Deleted(older)), Delta::Deleted(newer)) => {
            if matches!(older, DeletedObject::FinalStateUnknown { .. }) {
                *older = newer;
            }
        }
        (_, delta) => deltas.push(delta),
    }
}

impl ReflectorStore for DeltaFifo {
    fn add(&self, object: Object) -> Result<(), StoreError> {
        self.core.queue_event(object, Delta::Added, |key, delta| self.push(key, delta))
    }

    fn update(&self, object: Object) -> Result<(), StoreError> {
        self.core.queue_event(object, Delta::Updated, |key, delta| self.push(key, delta))
    }

    /// Ignored when the object is neither queued nor known: a list has told of its deletion before.
    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError> {
        // The key of what was transformed, under which the store knows the object.
        let (key, deleted) = self.core.admit_deleted(deleted)?;
        let len = if self.is_queued(&key) || self.is_known(&key) {
            self.push(key, Delta::Deleted(deleted))
        } else {
            self.len()
        };
        self.core.event_queued(len);
        Ok(())
    }

    fn replace(&self, list: Vec<Object>, _resource_version: &str) -> Result<(), StoreError> {
        let listed = self.core.admit_all(list)?;
        let deletions = deletions(&listed, &self.newest_queued(), self.known_objects.as_ref());
        let delta = if self.emit_delta_type_replaced { Delta::Replaced } else { Delta::Sync };
        let listed = listed.into_iter().map(|(key, object)| KeyedDelta { key, delta: delta(object) });
        let mut items = self.items.borrow_mut();
        for KeyedDelta { key, delta } in listed.chain(deletions) {
            push(&mut items, key, delta);
        }
        let len = items.len();
        drop(items);
        self.core.list_queued(len);
        Ok(())
    }

    fn resync(&self) -> Result<(), StoreError> {
        let Some(known_objects) = &self.known_objects else { return Ok(()) };
        for KeyedDelta { key, delta } in syncs(known_objects, |key| self.is_queued(key)) {
            self.push(key, delta);
        }
        self.core.changed(self.len());
        Ok(())
    }

    fn transformer(&self) -> Option<TransformFunc> {
        self.core.transformer()
    }
}

impl Queue for DeltaFifo {
    /// All changes of one object.
    fn pop(&self) -> LocalBoxFuture<'_, Option<Popped>> {
        Box::pin(self.core.next(|| self.take()))
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

    /// How many keys wait.
    fn len(&self) -> usize {
        self.items.borrow().len()
    }
}

impl fmt::Debug for DeltaFifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core.debug("DeltaFifo", self.len(), f)
    }
}
