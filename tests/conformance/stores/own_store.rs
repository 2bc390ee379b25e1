use std::cell::{Cell, RefCell};
use std::rc::Rc;

use watchglass::api::Object;
use watchglass::cache::{DeletedObject, ReflectorStore, Store, StoreError, TransformFunc};

use super::versioned;

/// A store of a caller's own: it keeps no objects, and lists one for each version that it was told.
#[derive(Default)]
pub struct OwnStore {
    versions: RefCell<Vec<String>>,
    /// How often it was listed.
    pub lists: Cell<usize>,
}

impl ReflectorStore for OwnStore {
    fn add(&self, _: Object) -> Result<(), StoreError> {
        Ok(())
    }

    fn update(&self, _: Object) -> Result<(), StoreError> {
        Ok(())
    }

    fn delete(&self, _: DeletedObject) -> Result<(), StoreError> {
        Ok(())
    }

    fn replace(&self, _: Vec<Object>, _: &str) -> Result<(), StoreError> {
        Ok(())
    }

    fn resync(&self) -> Result<(), StoreError> {
        Err(StoreError::other("resynced"))
    }

    fn update_resource_version(&self, resource_version: &str) {
        self.versions.borrow_mut().push(resource_version.into());
    }

    fn transformer(&self) -> Option<TransformFunc> {
        Some(Rc::new(|object| Ok(object.clone())))
    }
}

impl Store for OwnStore {
    fn list(&self) -> Vec<Object> {
        self.lists.set(self.lists.get() + 1);
        self.versions.borrow().iter().map(|version| versioned("a", version)).collect()
    }

    fn list_keys(&self) -> Vec<String> {
        vec![]
    }

    fn get(&self, _: &Object) -> Result<Option<Object>, StoreError> {
        Ok(None)
    }

    fn get_by_key(&self, _: &str) -> Option<Object> {
        None
    }
}
