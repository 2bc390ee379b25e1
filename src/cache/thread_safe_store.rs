use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::index::{Index, IndexError, IndexFunc, Indexers};
use crate::api::Object;

/// Objects by key, with indexes over them (client-go: `tools/cache/thread_safe_store.go`).
///
/// Named as in client-go. Here one thread owns it, and each method is one step that no reader sees half done.
/// Each write of an object makes the object's resourceVersion the store's, even a lower one.
#[derive(Default)]
pub struct ThreadSafeStore {
    inner: RefCell<Inner>,
}

pub(super) type Items = FxHashMap<Arc<str>, Object>;

#[derive(Default)]
struct Inner {
    items: Items,
    indices: IndexMap<String, Index>,
    resource_version: String,
}

/// One change of a [`transaction`](ThreadSafeStore::transaction)
/// (client-go: `tools/cache/thread_safe_store.go`, `ThreadSafeStoreTransaction`).
#[derive(Clone, Debug)]
pub enum StoreOperation {
    /// Adds the object, or replaces the one under the same key.
    Upsert {
        /// Under which it is stored; the store does not compute keys.
        key: String,
        /// As it is stored.
        object: Object,
    },
    /// Removes what is under the key. The final state, where the deletion was seen, brings its resourceVersion.
    Delete {
        /// Under which it was stored; an unknown one is no error.
        key: String,
        /// The object as its deletion brought it; none when the deletion was missed.
        final_state: Option<Object>,
    },
}

impl StoreOperation {
    fn resource_version(&self) -> Option<&str> {
        match self {
            Self::Upsert { object, .. } => Some(object.resource_version()),
            Self::Delete { final_state, .. } => final_state.as_ref().map(Object::resource_version),
        }
    }
}

/// What a list that replaced everything has changed (client-go: `tools/cache/controller.go`,
/// `processReplacedAllInfo`, which finds it out before the store changes).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replacement {
    /// For each object of the list, in its order, the object that was under its key before it.
    pub before: Vec<Option<Object>>,
    /// What is gone, by key and sorted by it.
    pub deleted: Vec<(String, Object)>,
}

impl ThreadSafeStore {
    /// An empty store with these indexes.
    pub fn new(indexers: Indexers) -> Self {
        let indices = indexers.into_iter().map(|(name, values_of)| (name, Index::new(values_of))).collect();
        Self { inner: RefCell::new(Inner { indices, ..Inner::default() }) }
    }

    /// Adds the object, or replaces the one under the same key, which is returned.
    #[doc(alias = "Add")]
    #[doc(alias = "Update")]
    pub fn upsert(&self, key: &str, object: Object) -> Option<Object> {
        let inner = &mut *self.inner.borrow_mut();
        inner.set_resource_version(Some(object.resource_version()));
        inner.upsert(key, object)
    }

    /// Removes and returns the object. An unknown key is no error. The store's resourceVersion stays.
    pub fn delete(&self, key: &str) -> Option<Object> {
        self.inner.borrow_mut().delete(key)
    }

    /// Removes and returns the object; the final state's resourceVersion becomes the store's.
    #[doc(alias = "DeleteWithObject")]
    pub fn delete_with_object(&self, key: &str, final_state: &Object) -> Option<Object> {
        let inner = &mut *self.inner.borrow_mut();
        inner.set_resource_version(Some(final_state.resource_version()));
        inner.delete(key)
    }

    /// All the operations as one step, and for each the object that was there before it.
    /// The last operation alone sets the store's resourceVersion.
    pub fn transaction(&self, operations: Vec<StoreOperation>) -> Vec<Option<Object>> {
        let inner = &mut *self.inner.borrow_mut();
        inner.set_resource_version(operations.last().and_then(StoreOperation::resource_version));
        let apply = |operation| match operation {
            StoreOperation::Upsert { key, object } => inner.upsert(&key, object),
            StoreOperation::Delete { key, .. } => inner.delete(&key),
        };
        operations.into_iter().map(apply).collect()
    }

    /// Swaps the whole content and sets the resourceVersion. Of two objects with the same key the last one stays.
    pub fn replace(&self, objects: Vec<(String, Object)>, resource_version: &str) {
        self.replace_all(objects, resource_version);
    }

    /// As [`replace`](Self::replace), and says what was there before.
    pub fn replace_all(&self, objects: Vec<(String, Object)>, resource_version: &str) -> Replacement {
        let inner = &mut *self.inner.borrow_mut();
        inner.set_resource_version(Some(resource_version));
        inner.replace_all(objects)
    }

    /// Takes the other's content in place of its own, in one step, and gives what was there before.
    /// Its indexes stay; those that the other has too are not made anew.
    pub(super) fn take_over(&self, other: Self, resource_version: &str) -> Items {
        let Inner { items, mut indices, .. } = other.inner.into_inner();
        let inner = &mut *self.inner.borrow_mut();
        inner.set_resource_version(Some(resource_version));
        for (name, index) in &mut inner.indices {
            *index = indices.swap_remove(name).unwrap_or_else(|| {
                let mut index = Index::new(IndexFunc::clone(&index.values_of));
                items.iter().for_each(|(key, object)| index.update(key, None, Some(object)));
                index
            });
        }
        std::mem::replace(&mut inner.items, items)
    }

    /// Nothing has changed up to this resourceVersion, which becomes the store's.
    pub fn bookmark(&self, resource_version: &str) {
        self.inner.borrow_mut().set_resource_version(Some(resource_version));
    }

    /// The resourceVersion of the last write, list or bookmark; empty before.
    pub fn last_store_sync_resource_version(&self) -> String {
        self.inner.borrow().resource_version.clone()
    }

    /// The object under the key.
    pub fn get(&self, key: &str) -> Option<Object> {
        self.inner.borrow().items.get(key).cloned()
    }

    /// Whether an object is under the key.
    pub fn contains(&self, key: &str) -> bool {
        self.inner.borrow().items.contains_key(key)
    }

    /// In no particular order.
    pub fn list(&self) -> Vec<Object> {
        self.inner.borrow().items.values().cloned().collect()
    }

    /// In no particular order.
    pub fn list_keys(&self) -> Vec<String> {
        self.inner.borrow().items.keys().map(|key| key.as_ref().to_owned()).collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.inner.borrow().items.len()
    }

    /// Whether there is no object.
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

    /// The objects that share at least one value with this one, each once and in no particular order.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn index(&self, index: &str, object: &Object) -> Result<Vec<Object>, IndexError> {
        let inner = self.inner.borrow();
        Ok(inner.objects(inner.index(index)?.keys_sharing_a_value(object)))
    }

    /// The objects under a value, in no particular order.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Object>, IndexError> {
        let inner = self.inner.borrow();
        Ok(inner.objects(inner.index(index)?.keys(value)))
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
    #[doc(alias = "GetIndexers")]
    pub fn indexers(&self) -> Indexers {
        let clone = |(name, index): (&String, &Index)| (name.clone(), IndexFunc::clone(&index.values_of));
        self.inner.borrow().indices.iter().map(clone).collect()
    }
}

impl Inner {
    /// None leaves it as it is.
    fn set_resource_version(&mut self, resource_version: Option<&str>) {
        if let Some(resource_version) = resource_version {
            resource_version.clone_into(&mut self.resource_version);
        }
    }

    fn upsert(&mut self, key: &str, object: Object) -> Option<Object> {
        let key = self.items.get_key_value(key).map_or_else(|| Arc::from(key), |(key, _)| key.clone());
        let old = self.items.insert(key.clone(), object.clone());
        for index in self.indices.values_mut() {
            index.update(&key, old.as_ref(), Some(&object));
        }
        old
    }

    fn delete(&mut self, key: &str) -> Option<Object> {
        let (key, old) = self.items.remove_entry(key)?;
        for index in self.indices.values_mut() {
            index.update(&key, Some(&old), None);
        }
        Some(old)
    }

    fn replace_all(&mut self, objects: Vec<(String, Object)>) -> Replacement {
        let mut items = Items::with_capacity_and_hasher(objects.len(), FxBuildHasher);
        let mut before = Vec::with_capacity(objects.len());
        for (key, object) in objects {
            let in_list = items.get_key_value(key.as_str()).map(|(key, old)| (Arc::clone(key), old.clone()));
            let (key, old) = match in_list.or_else(|| self.items.remove_entry(key.as_str())) {
                Some((key, old)) => (key, Some(old)),
                None => (Arc::from(key), None),
            };
            for index in self.indices.values_mut() {
                index.update(&key, old.as_ref(), Some(&object));
            }
            items.insert(key, object);
            before.push(old);
        }
        let gone = std::mem::replace(&mut self.items, items);
        for (key, object) in &gone {
            self.indices.values_mut().for_each(|index| index.update(key, Some(object), None));
        }
        let mut deleted: Vec<_> = gone.into_iter().map(|(key, object)| (key.as_ref().to_owned(), object)).collect();
        deleted.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Replacement { before, deleted }
    }

    fn index(&self, name: &str) -> Result<&Index, IndexError> {
        self.indices.get(name).ok_or_else(|| IndexError::Unknown(name.into()))
    }

    fn objects<'a>(&self, keys: impl IntoIterator<Item = &'a Arc<str>>) -> Vec<Object> {
        keys.into_iter().filter_map(|key| self.items.get(key).cloned()).collect()
    }
}

impl fmt::Debug for ThreadSafeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indices: Vec<_> = self.inner.borrow().indices.keys().cloned().collect();
        f.debug_struct("ThreadSafeStore").field("len", &self.len()).field("indices", &indices).finish()
    }
}
