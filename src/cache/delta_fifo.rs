use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use event_listener::Event;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::keys::{DeletedObject, meta_namespace_key};
use super::queue::Delta;
use crate::api::Object;

/// The changes of one key, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Deltas {
    pub key: String,
    pub deltas: Vec<Delta>,
    /// They belong to the first list.
    pub is_in_initial_list: bool,
}

/// What the queue's consumer holds: a list that replaces everything also deletes what is known and not in it.
pub trait KnownObjects {
    fn list_keys(&self) -> Vec<String>;
    fn get_by_key(&self, key: &str) -> Option<Arc<Object>>;
}

impl KnownObjects for super::Indexer {
    fn list_keys(&self) -> Vec<String> {
        self.list_keys()
    }

    fn get_by_key(&self, key: &str) -> Option<Arc<Object>> {
        self.get_by_key(key)
    }
}

/// Keys in the order they were first touched, each with its changes (client-go: `tools/cache/delta_fifo.go`).
pub struct DeltaFifo {
    known_objects: Rc<dyn KnownObjects>,
    items: RefCell<IndexMap<String, Vec<Delta>, FxBuildHasher>>,
    /// Something was queued, or the queue was closed.
    changed: Event,
    /// Any of the writing methods was called.
    populated: Cell<bool>,
    /// Keys of the first list that were not popped yet.
    initial_population: Cell<usize>,
    first_list_was_empty: Cell<bool>,
    closed: Cell<bool>,
}

impl DeltaFifo {
    pub fn new(known_objects: Rc<dyn KnownObjects>) -> Self {
        Self {
            known_objects,
            items: RefCell::default(),
            changed: Event::new(),
            populated: Cell::new(false),
            initial_population: Cell::new(0),
            first_list_was_empty: Cell::new(false),
            closed: Cell::new(false),
        }
    }

    pub fn add(&self, object: Arc<Object>) {
        self.populated.set(true);
        self.push(meta_namespace_key(&object), Delta::Added(object));
    }

    pub fn update(&self, object: Arc<Object>) {
        self.populated.set(true);
        self.push(meta_namespace_key(&object), Delta::Updated(object));
    }

    /// Ignored when the object is neither queued nor known.
    pub fn delete(&self, object: Arc<Object>) {
        self.populated.set(true);
        let key = meta_namespace_key(&object);
        let queued = self.items.borrow().contains_key(&key);
        if queued || self.known_objects.get_by_key(&key).is_some() {
            self.push(key, Delta::Deleted(DeletedObject::Known(object)));
        }
    }

    /// Queues a whole list, and the deletion of everything queued or known that is not in it.
    pub fn replace(&self, list: Vec<Arc<Object>>) {
        let mut listed = FxHashSet::default();
        for object in list {
            let key = meta_namespace_key(&object);
            listed.insert(key.clone());
            self.push(key, Delta::Replaced(object));
        }
        let mut gone = self.queued_and_not_in(&listed);
        // After the queued ones, which are newer: an object may be queued and known.
        let queued: FxHashSet<String> = gone.iter().map(|(key, _)| key.clone()).collect();
        for key in self.known_objects.list_keys() {
            if !listed.contains(&key) && !queued.contains(&key) {
                let object = self.known_objects.get_by_key(&key);
                gone.push((key, object));
            }
        }
        let deleted = gone.len();
        for (key, object) in gone {
            self.push(key.clone(), Delta::Deleted(DeletedObject::FinalStateUnknown { key, object }));
        }
        if !self.populated.replace(true) {
            self.initial_population.set(listed.len() + deleted);
            self.first_list_was_empty.set(self.initial_population.get() == 0);
        }
        self.changed.notify(usize::MAX);
    }

    /// An object that was added and not popped yet is in no store: only the queue knows that it must be deleted
    /// (kubernetes/kubernetes#115658).
    fn queued_and_not_in(&self, listed: &FxHashSet<String>) -> Vec<(String, Option<Arc<Object>>)> {
        let items = self.items.borrow();
        let queued = items.iter().filter(|(key, _)| !listed.contains(*key));
        queued.map(|(key, deltas)| (key.clone(), deltas.iter().rev().find_map(Delta::object).cloned())).collect()
    }

    fn push(&self, key: String, delta: Delta) {
        let mut items = self.items.borrow_mut();
        let deltas = items.entry(key).or_default();
        match (deltas.last_mut(), &delta) {
            // Of two deletions the one that saw the final state says more.
            (Some(Delta::Deleted(older)), Delta::Deleted(newer)) => {
                if matches!(older, DeletedObject::FinalStateUnknown { .. }) {
                    *older = newer.clone();
                }
            }
            _ => deltas.push(delta),
        }
        drop(items);
        self.changed.notify(usize::MAX);
    }

    /// Everything queued, in order; waits for something. None when the queue is closed and empty.
    /// Empty once after a first list that is empty, so that the consumer learns that it is synced.
    pub async fn pop_all(&self) -> Option<Vec<Deltas>> {
        loop {
            let listener = self.changed.listen();
            let items = self.items.take();
            if !items.is_empty() || self.first_list_was_empty.take() {
                return Some(self.mark_initial(items));
            }
            if self.closed.get() {
                return None;
            }
            listener.await;
        }
    }

    fn mark_initial(&self, items: IndexMap<String, Vec<Delta>, FxBuildHasher>) -> Vec<Deltas> {
        let initial = self.initial_population.get();
        let batch = items.into_iter().enumerate();
        batch.map(|(at, (key, deltas))| Deltas { key, deltas, is_in_initial_list: at < initial }).collect()
    }

    /// The consumer is done with a batch of [`pop_all`](Self::pop_all): its handlers were told.
    pub fn processed(&self, count: usize) {
        self.initial_population.set(self.initial_population.get().saturating_sub(count));
    }

    /// The whole first list was processed. Never becomes false again.
    pub fn has_synced(&self) -> bool {
        self.populated.get() && self.initial_population.get() == 0
    }

    /// What is queued can still be popped.
    pub fn close(&self) {
        self.closed.set(true);
        self.changed.notify(usize::MAX);
    }

    pub fn len(&self) -> usize {
        self.items.borrow().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for DeltaFifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeltaFifo")
            .field("len", &self.len())
            .field("synced", &self.has_synced())
            .finish_non_exhaustive()
    }
}
