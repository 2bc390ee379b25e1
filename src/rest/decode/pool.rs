use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use crate::api::{Object, ObjectPool, TypeMeta};

/// What all that is read from one cluster shares, so that an object holds only what tells it from others like it.
///
/// Clones are the same pool. It keeps no object alive.
#[derive(Clone, Default)]
pub struct SharedPool(Rc<RefCell<ObjectPool>>);

impl SharedPool {
    pub(super) fn read(&self, json: &[u8], type_meta: TypeMeta<'_>) -> Result<Object, serde_json::Error> {
        self.0.borrow_mut().read(json, type_meta)
    }

    /// The object that a text begins with, and its length, where it is like those before it.
    pub(super) fn read_first(&self, json: &[u8], type_meta: TypeMeta<'_>) -> Option<(Object, usize)> {
        self.0.borrow_mut().read_first(json, type_meta)
    }
}

impl fmt::Debug for SharedPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedPool").finish_non_exhaustive()
    }
}
