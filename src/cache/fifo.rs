use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use super::key_line::KeyLine;
use super::keys::{DeletedObject, KeyFunc};
use super::queue_core::{Processing, QueueCore};
use super::store::{ReflectorStore, Store, StoreError};
use crate::api::Object;

/// The newest state of each object, each once and in the order they were first queued
/// (client-go: `tools/cache/fifo.go`).
///
/// It hands out objects, not changes, and says nothing of those that were deleted: it is a [`Store`] that is read by
/// emptying it, and no [`Queue`](super::Queue) for an informer.
///
/// ```
/// use futures::FutureExt as _;
/// use watchglass::api::Manifest;
/// use watchglass::cache::{Fifo, ReflectorStore as _, meta_namespace_key_func};
///
/// let fifo = Fifo::new(meta_namespace_key_func());
/// let mut pod = Manifest::default();
/// pod.metadata.name = "web-0".into();
/// fifo.add(pod.clone().into())?;
/// pod.metadata.resource_version = "2".into();
/// fifo.update(pod.into())?;
/// assert_eq!(fifo.pop().now_or_never().flatten().unwrap().object.resource_version(), "2");
/// assert!(fifo.pop().now_or_never().is_none(), "nothing else is queued");
/// # Ok::<(), watchglass::cache::StoreError>(())
/// ```
#[doc(alias = "FIFO")]
pub struct Fifo {
    core: QueueCore,
    /// A key whose object was deleted keeps its place, for the case that the object comes back.
    items: RefCell<KeyLine<Option<Object>>>,
}

/// What a [`Fifo`] hands out. Dropping it says that it was processed
/// (client-go: `tools/cache/fifo.go`, `FIFO.Pop`, which calls a function with it).
#[derive(Debug)]
pub struct FifoItem {
    /// By the queue's key function.
    pub key: String,
    /// Its newest state at the time it was popped.
    pub object: Object,
    /// It belongs to the first list.
    pub is_in_initial_list: bool,
    _processing: Processing,
}

impl Fifo {
    /// An empty queue.
    pub fn new(key_func: KeyFunc) -> Self {
        Self { core: QueueCore::new(key_func, None, None), items: RefCell::default() }
    }

    /// What is next; waits for something. None when the queue is closed and empty.
    pub async fn pop(&self) -> Option<FifoItem> {
        self.core.next(|| self.take()).await
    }

    /// The whole first list was processed or deleted. Never becomes false again.
    pub fn has_synced(&self) -> bool {
        self.core.initial().is_done()
    }

    /// Waits for [`has_synced`](Self::has_synced).
    pub fn synced(&self) -> impl Future<Output = ()> + use<> {
        Rc::clone(self.core.initial()).done()
    }

    /// What is queued can still be popped.
    pub fn close(&self) {
        self.core.close();
    }

    /// How many objects wait; keys whose object was deleted do not count.
    pub fn len(&self) -> usize {
        self.list().len()
    }

    /// Whether no object waits; keys whose object was deleted do not count.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn take(&self) -> Option<FifoItem> {
        loop {
            let mut items = self.items.borrow_mut();
            let (key, object) = items.pop()?;
            let left = items.len();
            drop(items);
            let is_in_initial_list = self.core.initial().is_next();
            let processing = self.core.processing(&key, 1, left);
            if let Some(object) = object {
                return Some(FifoItem { key, object, is_in_initial_list, _processing: processing });
            }
        }
    }

    fn put(&self, object: Object) -> Result<(), StoreError> {
        let key = self.core.key_of(&object)?;
        let mut items = self.items.borrow_mut();
        *items.entry(key) = Some(object);
        let len = items.len();
        drop(items);
        self.core.event_queued(len);
        Ok(())
    }
}

impl ReflectorStore for Fifo {
    fn add(&self, object: Object) -> Result<(), StoreError> {
        self.put(object)
    }

    /// The same as [`add`](ReflectorStore::add), as in client-go.
    fn update(&self, object: Object) -> Result<(), StoreError> {
        self.put(object)
    }

    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError> {
        let key = self.core.key_of_deleted(&deleted)?;
        let mut items = self.items.borrow_mut();
        if let Some(object) = items.get_mut(&key) {
            *object = None;
        }
        let len = items.len();
        drop(items);
        self.core.event_queued(len);
        Ok(())
    }

    /// The queue holds exactly the list then, in its order. Of two objects with the same key the last one stays.
    fn replace(&self, list: Vec<Object>, _resource_version: &str) -> Result<(), StoreError> {
        let mut items = KeyLine::default();
        for (key, object) in self.core.admit_all(list)? {
            *items.entry(key) = Some(object);
        }
        let len = items.len();
        self.items.replace(items);
        self.core.list_queued(len);
        Ok(())
    }
}

impl Store for Fifo {
    fn list(&self) -> Vec<Object> {
        self.items.borrow().iter().filter_map(|(_, object)| object.clone()).collect()
    }

    fn list_keys(&self) -> Vec<String> {
        let items = self.items.borrow();
        items.iter().filter(|(_, object)| object.is_some()).map(|(key, _)| key.clone()).collect()
    }

    fn get(&self, object: &Object) -> Result<Option<Object>, StoreError> {
        Ok(self.get_by_key(&self.core.key_of(object)?))
    }

    fn get_by_key(&self, key: &str) -> Option<Object> {
        self.items.borrow().get(key)?.clone()
    }
}

impl fmt::Debug for Fifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core.debug("Fifo", self.len(), f)
    }
}
