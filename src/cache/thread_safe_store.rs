use std::cell::RefCell;
use std::fmt;

use indexmap::IndexMap;

use super::index::{Index, IndexError, IndexFunc, Indexers};
use super::items::{Items, kept};
use super::key_ref::KeyRef;
use crate::api::Object;

/// Objects by key, with indexes over them (client-go: `tools/cache/thread_safe_store.go`).
///
/// Named as in client-go. Here one thread owns it, and each method is one step that no reader sees half done.
/// Each write of an object makes the object's resourceVersion the store's, even a lower one.
/// An object that says what the stored one says is not stored: the memory of one is enough.
#[derive(Default)]
pub struct ThreadSafeStore {
    inner: RefCell<Inner>,
}

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

    /// A store with the same indexes and nothing in it yet, for so many objects.
    pub(super) fn without_content(&self, capacity: usize) -> Self {
        Self { inner: RefCell::new(self.inner.borrow().without_content(capacity)) }
    }

    /// Takes the content of one that was made by [`without_content`](Self::without_content) in place of its own, in one
    /// step, and gives what was there before. An index that came or was made meanwhile is made again when it is asked.
    pub(super) fn take_over(&self, other: Self, resource_version: &str) -> Items {
        let Inner { items, mut indices, .. } = other.inner.into_inner();
        let inner = &mut *self.inner.borrow_mut();
        inner.set_resource_version(Some(resource_version));
        for (name, index) in &mut inner.indices {
            *index = indices.swap_remove(name).unwrap_or_else(|| Index::new(IndexFunc::clone(&index.values_of)));
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
        self.find(key.into())
    }

    /// Whether an object is under the key.
    pub fn contains(&self, key: &str) -> bool {
        self.contains_key(key.into())
    }

    pub(super) fn find(&self, key: KeyRef) -> Option<Object> {
        self.inner.borrow().items.get(key).cloned()
    }

    pub(super) fn contains_key(&self, key: KeyRef) -> bool {
        self.inner.borrow().items.get(key).is_some()
    }

    /// In no particular order.
    pub fn list(&self) -> Vec<Object> {
        self.inner.borrow().items.iter().map(|(_, object)| object.clone()).collect()
    }

    /// In no particular order.
    pub fn list_keys(&self) -> Vec<String> {
        self.inner.borrow().items.keys().map(|key| key.to_string()).collect()
    }

    /// The memory of the objects and of the slots they are in, without the indexes.
    pub(super) fn heap_bytes(&self) -> usize {
        self.inner.borrow().items.heap_bytes()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.inner.borrow().items.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds indexes, over what is already there too. Each is made when it is first asked.
    ///
    /// # Errors
    /// When an index of one of the names exists; nothing is added then.
    pub fn add_indexers(&self, indexers: Indexers) -> Result<(), IndexError> {
        let inner = &mut *self.inner.borrow_mut();
        let known: Vec<_> = indexers.keys().filter(|name| inner.indices.contains_key(*name)).cloned().collect();
        if !known.is_empty() {
            return Err(IndexError::Conflict(known));
        }
        inner.indices.extend(indexers.into_iter().map(|(name, values_of)| (name, Index::new(values_of))));
        Ok(())
    }

    /// The objects that share at least one value with this one, each once and in no particular order.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn index(&self, index: &str, object: &Object) -> Result<Vec<Object>, IndexError> {
        let inner = &mut *self.inner.borrow_mut();
        let (index, items) = inner.made_index(index)?;
        Ok(objects(items, index.slots_sharing_a_value(object)))
    }

    /// The objects under a value, in no particular order.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Object>, IndexError> {
        let inner = &mut *self.inner.borrow_mut();
        let (index, items) = inner.made_index(index)?;
        Ok(objects(items, index.slots(value)))
    }

    /// The keys under a value, sorted.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<String>, IndexError> {
        let inner = &mut *self.inner.borrow_mut();
        let (index, items) = inner.made_index(index)?;
        let keys = index.slots(value).filter_map(|slot| items.at(slot));
        let mut keys: Vec<String> = keys.map(|(key, _)| key.to_string()).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// The values that have objects, sorted; none for an unknown index.
    #[doc(alias = "ListIndexFuncValues")]
    pub fn index_values(&self, index: &str) -> Vec<String> {
        let inner = &mut *self.inner.borrow_mut();
        let index = inner.made_index(index).ok();
        let values = index.iter().flat_map(|(index, _)| index.values());
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

    fn without_content(&self, capacity: usize) -> Self {
        let indices = self.indices.iter().map(|(name, index)| (name.clone(), index.without_content())).collect();
        Self { items: Items::with_capacity(capacity), indices, resource_version: String::new() }
    }

    fn upsert(&mut self, key: &str, object: Object) -> Option<Object> {
        let (slot, before) = self.items.insert(key, object);
        if let Some((_, after)) = self.items.at(slot)
            && before.as_ref().is_none_or(|before| !Object::ptr_eq(before, after))
        {
            self.indices.values_mut().for_each(|index| index.update(slot, before.as_ref(), Some(after)));
        }
        before
    }

    fn delete(&mut self, key: &str) -> Option<Object> {
        let (slot, before) = self.items.remove(key.into())?;
        self.indices.values_mut().for_each(|index| index.update(slot, Some(&before), None));
        Some(before)
    }

    fn replace_all(&mut self, objects: Vec<(String, Object)>) -> Replacement {
        let mut next = self.without_content(objects.len());
        let mut before = Vec::with_capacity(objects.len());
        for (key, object) in objects {
            let held = self.items.remove(key.as_str().into()).map(|(_, held)| held);
            let repeated = next.upsert(&key, kept(held.as_ref(), object));
            before.push(held.or(repeated));
        }
        let mut deleted: Vec<_> = self.items.drain().collect();
        deleted.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        (self.items, self.indices) = (next.items, next.indices);
        Replacement { before, deleted }
    }

    /// An index, which is made now unless it was asked before, and what it is of.
    fn made_index(&mut self, name: &str) -> Result<(&Index, &Items), IndexError> {
        let index = self.indices.get_mut(name).ok_or_else(|| IndexError::Unknown(name.into()))?;
        index.make(&self.items);
        Ok((index, &self.items))
    }
}

fn objects(items: &Items, slots: impl IntoIterator<Item = u32>) -> Vec<Object> {
    slots.into_iter().filter_map(|slot| items.at(slot)).map(|(_, object)| object.clone()).collect()
}

impl fmt::Debug for ThreadSafeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indices: Vec<_> = self.inner.borrow().indices.keys().cloned().collect();
        f.debug_struct("ThreadSafeStore").field("len", &self.len()).field("indices", &indices).finish()
    }
}
