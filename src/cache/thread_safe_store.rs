use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::index::{Index, IndexError, IndexFunc, Indexers};
use crate::api::Object;

/// Objects by key, with indexes over them (client-go: `tools/cache/thread_safe_store.go`).
///
/// Named as in client-go. Here one thread owns it, and each method is one step that no reader sees half done.
#[derive(Default)]
pub struct ThreadSafeStore {
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    items: FxHashMap<Arc<str>, Arc<Object>>,
    indices: IndexMap<String, Index>,
}

/// One change of a [`transaction`](ThreadSafeStore::transaction).
#[derive(Clone, Debug)]
pub enum StoreOperation {
    Upsert { key: String, object: Arc<Object> },
    Delete { key: String },
}

impl ThreadSafeStore {
    pub fn new(indexers: Indexers) -> Self {
        let indices = indexers.into_iter().map(|(name, values_of)| (name, Index::new(values_of))).collect();
        Self { inner: RefCell::new(Inner { items: FxHashMap::default(), indices }) }
    }

    /// Adds the object, or replaces the one under the same key, which is returned.
    pub fn upsert(&self, key: &str, object: Arc<Object>) -> Option<Arc<Object>> {
        self.inner.borrow_mut().upsert(key, object)
    }

    /// Removes and returns the object. An unknown key is no error.
    pub fn delete(&self, key: &str) -> Option<Arc<Object>> {
        self.inner.borrow_mut().delete(key)
    }

    /// All the operations as one step, and for each the object that was there before it.
    pub fn transaction(&self, operations: impl IntoIterator<Item = StoreOperation>) -> Vec<Option<Arc<Object>>> {
        let inner = &mut *self.inner.borrow_mut();
        let apply = |operation| match operation {
            StoreOperation::Upsert { key, object } => inner.upsert(&key, object),
            StoreOperation::Delete { key } => inner.delete(&key),
        };
        operations.into_iter().map(apply).collect()
    }

    /// Swaps the whole content. Of two objects with the same key the last one stays.
    pub fn replace(&self, objects: impl IntoIterator<Item = (String, Arc<Object>)>) {
        let inner = &mut *self.inner.borrow_mut();
        inner.items.clear();
        inner.indices.values_mut().for_each(Index::clear);
        for (key, object) in objects {
            inner.upsert(&key, object);
        }
    }

    pub fn get(&self, key: &str) -> Option<Arc<Object>> {
        self.inner.borrow().items.get(key).cloned()
    }

    pub fn contains(&self, key: &str) -> bool {
        self.inner.borrow().items.contains_key(key)
    }

    /// In no particular order.
    pub fn list(&self) -> Vec<Arc<Object>> {
        self.inner.borrow().items.values().cloned().collect()
    }

    /// In no particular order.
    pub fn list_keys(&self) -> Vec<String> {
        self.inner.borrow().items.keys().map(|key| key.as_ref().to_owned()).collect()
    }

    pub fn len(&self) -> usize {
        self.inner.borrow().items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds indexes, over what is already there too.
    ///
    /// # Errors
    /// When an index of one of the names exists; nothing is added then.
    pub fn add_indexers(&self, indexers: Indexers) -> Result<(), IndexError> {
        let inner = &mut *self.inner.borrow_mut();
        let known: Vec<_> = indexers.keys().filter(|name| inner.indices.contains_key(*name)).cloned().collect();
        if !known.is_empty() {
            return Err(IndexError::Conflict(known));
        }
        for (name, values_of) in indexers {
            let mut index = Index::new(values_of);
            inner.items.iter().for_each(|(key, object)| index.update(key, None, Some(object)));
            inner.indices.insert(name, index);
        }
        Ok(())
    }

    /// The objects under a value, in no particular order.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<Object>>, IndexError> {
        let inner = self.inner.borrow();
        Ok(inner.index(index)?.keys(value).filter_map(|key| inner.items.get(key).cloned()).collect())
    }

    /// The keys under a value, sorted.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<String>, IndexError> {
        let inner = self.inner.borrow();
        let mut keys: Vec<String> = inner.index(index)?.keys(value).map(|key| key.as_ref().to_owned()).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// The values that have objects, sorted; none for an unknown index.
    #[doc(alias = "ListIndexFuncValues")]
    pub fn index_values(&self, index: &str) -> Vec<String> {
        let inner = self.inner.borrow();
        let values = inner.indices.get(index).into_iter().flat_map(Index::values);
        let mut values: Vec<String> = values.map(str::to_owned).collect();
        values.sort_unstable();
        values
    }

    /// The index functions by name.
    pub fn indexers(&self) -> Indexers {
        let clone = |(name, index): (&String, &Index)| (name.clone(), IndexFunc::clone(&index.values_of));
        self.inner.borrow().indices.iter().map(clone).collect()
    }
}

impl Inner {
    fn upsert(&mut self, key: &str, object: Arc<Object>) -> Option<Arc<Object>> {
        let key = self.items.get_key_value(key).map_or_else(|| Arc::from(key), |(key, _)| key.clone());
        let old = self.items.insert(key.clone(), object);
        let new = self.items.get(&key);
        for index in self.indices.values_mut() {
            index.update(&key, old.as_deref(), new.map(|object| &**object));
        }
        old
    }

    fn delete(&mut self, key: &str) -> Option<Arc<Object>> {
        let (key, old) = self.items.remove_entry(key)?;
        for index in self.indices.values_mut() {
            index.update(&key, Some(&old), None);
        }
        Some(old)
    }

    fn index(&self, name: &str) -> Result<&Index, IndexError> {
        self.indices.get(name).ok_or_else(|| IndexError::Unknown(name.into()))
    }
}

impl fmt::Debug for ThreadSafeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indices: Vec<_> = self.inner.borrow().indices.keys().cloned().collect();
        f.debug_struct("ThreadSafeStore").field("len", &self.len()).field("indices", &indices).finish()
    }
}
