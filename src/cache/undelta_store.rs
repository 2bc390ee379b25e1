use std::fmt;

use super::keys::DeletedObject;
use super::store::{ReflectorStore, Store, StoreError, TransformFunc};
use crate::api::Object;

/// A store that tells its whole content after each change (client-go: `tools/cache/undelta_store.go`).
///
/// Each write that succeeds calls the function once, when the store has changed. The function may read and write the
/// store.
///
/// ```
/// use std::{cell::Cell, rc::Rc};
/// use watchglass::api::Manifest;
/// use watchglass::cache::{Indexer, Indexers, ReflectorStore as _, UndeltaStore};
///
/// let count = Rc::new(Cell::new(0));
/// let shown = Rc::clone(&count);
/// let store = UndeltaStore::new(Indexer::new(Indexers::new()), move |objects| shown.set(objects.len()));
/// let mut pod = Manifest::default();
/// pod.metadata.name = "web-0".into();
/// store.add(pod.into())?;
/// assert_eq!(count.get(), 1);
/// # Ok::<(), watchglass::cache::StoreError>(())
/// ```
pub struct UndeltaStore<S> {
    store: S,
    push: Box<dyn Fn(Vec<Object>)>,
}

impl<S: Store> UndeltaStore<S> {
    /// Tells the store's changes to the function.
    pub fn new(store: S, push: impl Fn(Vec<Object>) + 'static) -> Self {
        Self { store, push: Box::new(push) }
    }

    fn push_after(&self, written: Result<(), StoreError>) -> Result<(), StoreError> {
        written?;
        (self.push)(self.store.list());
        Ok(())
    }
}

impl<S: Store> ReflectorStore for UndeltaStore<S> {
    fn add(&self, object: Object) -> Result<(), StoreError> {
        self.push_after(self.store.add(object))
    }

    fn update(&self, object: Object) -> Result<(), StoreError> {
        self.push_after(self.store.update(object))
    }

    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError> {
        self.push_after(self.store.delete(deleted))
    }

    fn replace(&self, list: Vec<Object>, resource_version: &str) -> Result<(), StoreError> {
        self.push_after(self.store.replace(list, resource_version))
    }

    fn resync(&self) -> Result<(), StoreError> {
        self.store.resync()
    }

    fn bookmark(&self, resource_version: &str) {
        self.store.bookmark(resource_version);
    }

    fn update_resource_version(&self, resource_version: &str) {
        self.store.update_resource_version(resource_version);
    }

    fn transformer(&self) -> Option<TransformFunc> {
        self.store.transformer()
    }
}

impl<S: Store> Store for UndeltaStore<S> {
    fn list(&self) -> Vec<Object> {
        self.store.list()
    }

    fn list_keys(&self) -> Vec<String> {
        self.store.list_keys()
    }

    fn get(&self, object: &Object) -> Result<Option<Object>, StoreError> {
        self.store.get(object)
    }

    fn get_by_key(&self, key: &str) -> Option<Object> {
        self.store.get_by_key(key)
    }

    fn last_store_sync_resource_version(&self) -> String {
        self.store.last_store_sync_resource_version()
    }
}

impl<S: fmt::Debug> fmt::Debug for UndeltaStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UndeltaStore").field("store", &self.store).finish_non_exhaustive()
    }
}
