use std::sync::Arc;

use super::index::{IndexError, Indexers};
use super::keys::meta_namespace_key;
use super::thread_safe_store::{StoreOperation, ThreadSafeStore};
use crate::api::Object;

/// The local cache of an informer: objects by `namespace/name`, with indexes (client-go: `cache.Indexer`).
///
/// Whoever gets it from an informer reads it; only the informer writes.
#[derive(Debug)]
pub struct Indexer {
    store: ThreadSafeStore,
}

impl Indexer {
    pub fn new(indexers: Indexers) -> Self {
        Self { store: ThreadSafeStore::new(indexers) }
    }

    pub fn add(&self, object: Arc<Object>) {
        self.store.upsert(&meta_namespace_key(&object), object);
    }

    /// The same as [`add`](Self::add), as in client-go.
    pub fn update(&self, object: Arc<Object>) {
        self.add(object);
    }

    pub fn delete(&self, object: &Object) {
        self.store.delete(&meta_namespace_key(object));
    }

    pub fn replace(&self, objects: impl IntoIterator<Item = Arc<Object>>) {
        self.store.replace(objects.into_iter().map(|object| (meta_namespace_key(&object), object)));
    }

    pub(super) fn transaction(&self, operations: Vec<StoreOperation>) -> Vec<Option<Arc<Object>>> {
        self.store.transaction(operations)
    }

    pub fn get(&self, object: &Object) -> Option<Arc<Object>> {
        self.store.get(&meta_namespace_key(object))
    }

    pub fn get_by_key(&self, key: &str) -> Option<Arc<Object>> {
        self.store.get(key)
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.store.contains(key)
    }

    /// In no particular order.
    pub fn list(&self) -> Vec<Arc<Object>> {
        self.store.list()
    }

    /// In no particular order.
    pub fn list_keys(&self) -> Vec<String> {
        self.store.list_keys()
    }

    pub fn len(&self) -> usize {
        self.store.len()
    }

    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// The objects under an index's value, in no particular order.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<Object>>, IndexError> {
        self.store.by_index(index, value)
    }

    /// The keys under an index's value, sorted.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<String>, IndexError> {
        self.store.index_keys(index, value)
    }

    /// An index's values that have objects, sorted; none for an unknown index.
    pub fn index_values(&self, index: &str) -> Vec<String> {
        self.store.index_values(index)
    }

    /// Adds indexes, over what is already there too.
    ///
    /// # Errors
    /// When an index of one of the names exists; nothing is added then.
    pub fn add_indexers(&self, indexers: Indexers) -> Result<(), IndexError> {
        self.store.add_indexers(indexers)
    }
}
