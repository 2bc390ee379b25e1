use std::cell::RefCell;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::api::Object;
use crate::cache::keys::{DeletedObject, meta_namespace_key};
use crate::cache::store::{ReflectorStore, StoreError, TransformFunc, transform};

/// The state that a WatchList brings, until it is whole: what goes wrong before that never reaches the real store
/// (client-go: `tools/cache/reflector.go`, `watchList`, its temporary store).
pub(super) struct InitialEvents {
    objects: RefCell<IndexMap<String, Object, FxBuildHasher>>,
    transformer: Option<TransformFunc>,
}

impl InitialEvents {
    pub(super) fn new(transformer: Option<TransformFunc>) -> Self {
        Self { objects: RefCell::default(), transformer }
    }

    pub(super) fn len(&self) -> usize {
        self.objects.borrow().len()
    }

    pub(super) fn objects(&self) -> Vec<Object> {
        self.objects.borrow().values().cloned().collect()
    }
}

impl ReflectorStore for InitialEvents {
    fn add(&self, mut object: Object) -> Result<(), StoreError> {
        transform(self.transformer.as_ref(), &mut object)?;
        self.objects.borrow_mut().insert(meta_namespace_key(&object), object);
        Ok(())
    }

    fn update(&self, object: Object) -> Result<(), StoreError> {
        self.add(object)
    }

    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError> {
        // In place: the order of the rest is that of a list, as far as it can be.
        self.objects.borrow_mut().shift_remove(&deleted.key());
        Ok(())
    }

    fn replace(&self, list: Vec<Object>, _resource_version: &str) -> Result<(), StoreError> {
        self.objects.borrow_mut().clear();
        list.into_iter().try_for_each(|object| self.add(object))
    }
}
