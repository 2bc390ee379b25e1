use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::items::Items;
use super::keys::{KeyError, KeyFunc};
use crate::api::Object;

/// The index that every informer has: by namespace (client-go: `tools/cache/index.go`, `NamespaceIndex`).
pub const NAMESPACE_INDEX: &str = "namespace";

/// The values under which an index lists an object: none, one or several
/// (client-go: `tools/cache/index.go`, `IndexFunc`).
///
/// A function of the object alone: it is called while the store changes, or when its index is first asked, and must not
/// touch the store.
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

/// One index: the slots of the objects under each value. It is made when it is first asked, because most are never.
pub(super) struct Index {
    pub(super) values_of: IndexFunc,
    slots_by_value: Option<SlotsByValue>,
}

type SlotsByValue = FxHashMap<Box<str>, Slots>;

/// A few bytes where an object is alone under its value, as with indexes by uid.
enum Slots {
    One(u32),
    Many(FxHashSet<u32>),
}

impl Index {
    pub(super) const fn new(values_of: IndexFunc) -> Self {
        Self { values_of, slots_by_value: None }
    }

    /// The same index over nothing yet; made already when this one is.
    pub(super) fn without_content(&self) -> Self {
        let slots_by_value = self.slots_by_value.as_ref().map(|_| SlotsByValue::default());
        Self { values_of: IndexFunc::clone(&self.values_of), slots_by_value }
    }

    /// Makes it of what there is, unless it is made.
    pub(super) fn make(&mut self, items: &Items) {
        if self.slots_by_value.is_none() {
            self.slots_by_value = Some(SlotsByValue::default());
            items.iter().for_each(|(slot, object)| self.update(slot, None, Some(object)));
        }
    }

    pub(super) fn slots(&self, value: &str) -> impl Iterator<Item = u32> {
        self.slots_by_value.as_ref().and_then(|slots| slots.get(value)).into_iter().flat_map(Slots::iter)
    }

    /// The slots under any of an object's values, each once.
    pub(super) fn slots_sharing_a_value(&self, object: &Object) -> FxHashSet<u32> {
        (self.values_of)(object).iter().flat_map(|value| self.slots(value)).collect()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.slots_by_value.iter().flat_map(|slots| slots.keys()).map(AsRef::as_ref)
    }

    pub(super) fn update(&mut self, slot: u32, old: Option<&Object>, new: Option<&Object>) {
        let Some(slots_by_value) = &mut self.slots_by_value else { return };
        let old = old.map_or_else(Vec::new, |object| (self.values_of)(object));
        let new = new.map_or_else(Vec::new, |object| (self.values_of)(object));
        if old == new {
            return;
        }
        for value in old {
            // Values that come and go, job names for example, would fill the memory (kubernetes/kubernetes#84959).
            if slots_by_value.get_mut(value.as_str()).is_some_and(|slots| slots.remove(slot)) {
                slots_by_value.remove(value.as_str());
            }
        }
        for value in new {
            match slots_by_value.get_mut(value.as_str()) {
                Some(slots) => slots.insert(slot),
                None => drop(slots_by_value.insert(value.into(), Slots::One(slot))),
            }
        }
    }
}

impl Slots {
    fn iter(&self) -> impl Iterator<Item = u32> {
        let (one, many) = match self {
            Self::One(slot) => (Some(*slot), None),
            Self::Many(slots) => (None, Some(slots)),
        };
        one.into_iter().chain(many.into_iter().flatten().copied())
    }

    fn insert(&mut self, slot: u32) {
        match self {
            Self::One(other) if *other == slot => {}
            Self::One(other) => *self = Self::Many([*other, slot].into_iter().collect()),
            Self::Many(slots) => drop(slots.insert(slot)),
        }
    }

    /// Tells whether none is left.
    fn remove(&mut self, slot: u32) -> bool {
        match self {
            Self::One(other) => *other == slot,
            Self::Many(slots) => {
                slots.remove(&slot);
                slots.is_empty()
            }
        }
    }
}
