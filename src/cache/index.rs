use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::api::Object;

/// The index that every informer has: by namespace.
pub const NAMESPACE_INDEX: &str = "namespace";

/// The values under which an index lists an object: none, one or several.
/// A function of the object alone: it is called while the store changes, and must not read the store.
pub type IndexFunc = Rc<dyn Fn(&Object) -> Vec<String>>;

/// Index functions by the name of their index.
pub type Indexers = IndexMap<String, IndexFunc>;

/// client-go: `MetaNamespaceIndexFunc`.
#[doc(alias = "MetaNamespaceIndexFunc")]
pub fn namespace_index(object: &Object) -> Vec<String> {
    vec![object.namespace().to_owned()]
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    #[error("Index with name {0} does not exist")]
    Unknown(String),
    #[error("indexer conflict: {0:?}")]
    Conflict(Vec<String>),
}

/// One index: the keys of the objects under each value.
pub(super) struct Index {
    pub(super) values_of: IndexFunc,
    keys_by_value: FxHashMap<String, FxHashSet<Arc<str>>>,
}

impl Index {
    pub(super) fn new(values_of: IndexFunc) -> Self {
        Self { values_of, keys_by_value: FxHashMap::default() }
    }

    pub(super) fn keys(&self, value: &str) -> impl Iterator<Item = &Arc<str>> {
        self.keys_by_value.get(value).into_iter().flatten()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.keys_by_value.keys().map(String::as_str)
    }

    pub(super) fn update(&mut self, key: &Arc<str>, old: Option<&Object>, new: Option<&Object>) {
        let old = old.map_or_else(Vec::new, |object| (self.values_of)(object));
        let new = new.map_or_else(Vec::new, |object| (self.values_of)(object));
        if old == new {
            return;
        }
        for value in old {
            if let Some(keys) = self.keys_by_value.get_mut(&value) {
                keys.remove(key);
                // Values that come and go, job names for example, would fill the memory (kubernetes/kubernetes#84959).
                if keys.is_empty() {
                    self.keys_by_value.remove(&value);
                }
            }
        }
        for value in new {
            self.keys_by_value.entry(value).or_default().insert(key.clone());
        }
    }

    pub(super) fn clear(&mut self) {
        self.keys_by_value.clear();
    }
}
