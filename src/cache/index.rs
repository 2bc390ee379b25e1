use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::keys::{KeyError, KeyFunc};
use crate::api::Object;

/// The index that every informer has: by namespace (client-go: `tools/cache/index.go`, `NamespaceIndex`).
pub const NAMESPACE_INDEX: &str = "namespace";

/// The values under which an index lists an object: none, one or several
/// (client-go: `tools/cache/index.go`, `IndexFunc`).
///
/// A function of the object alone: it is called while the store changes, and must not touch the store.
/// It cannot fail. In client-go it can, because an object there may be of any type; a store can do nothing with such an
/// error but to end the program. An object that an index does not understand has no values.
pub type IndexFunc = Rc<dyn Fn(&Object) -> Vec<String>>;

/// Index functions by the name of their index (client-go: `tools/cache/index.go`, `Indexers`).
pub type Indexers = IndexMap<String, IndexFunc>;

/// An object's namespace, empty for cluster-scoped ones: the function of [`NAMESPACE_INDEX`]
/// (client-go: `tools/cache/index.go`, `MetaNamespaceIndexFunc`).
#[doc(alias = "MetaNamespaceIndexFunc")]
pub fn namespace_index(object: &Object) -> Vec<String> {
    vec![object.namespace().to_owned()]
}

/// A key function out of an index function that gives each object one value of its own
/// (client-go: `tools/cache/index.go`, `IndexFuncToKeyFuncAdapter`).
///
/// The key function fails for an object with several values or none.
#[doc(alias = "IndexFuncToKeyFuncAdapter")]
pub fn index_func_to_key_func(index_func: IndexFunc) -> KeyFunc {
    Rc::new(move |object| {
        let mut values = index_func(object);
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => Ok(value),
            (Some(last), false) => {
                values.push(last);
                Err(KeyError::new(object, format!("too many keys: {values:?}")))
            }
            (None, _) => Err(KeyError::new(object, "unexpected empty indexKeys")),
        }
    })
}

/// Why an index cannot be read or added
/// (client-go: `tools/cache/thread_safe_store.go` and `mutation_cache.go`, the texts of their errors).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// No index has this name.
    #[error("Index with name {0} does not exist")]
    Unknown(String),
    /// Indexes of these names exist already.
    #[error("indexer conflict: {0:?}")]
    Conflict(Vec<String>),
    /// A [`MutationCache`](super::MutationCache) was asked by an index and has none.
    #[error("no indexer has been provided to the mutation cache")]
    NoIndexer,
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

    /// The keys under any of an object's values, each once.
    pub(super) fn keys_sharing_a_value(&self, object: &Object) -> FxHashSet<&Arc<str>> {
        (self.values_of)(object).iter().flat_map(|value| self.keys(value)).collect()
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
}
