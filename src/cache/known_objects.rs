use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::keys::DeletedObject;
use super::queue::{Delta, KeyedDelta};
use super::store::Store;
use crate::api::Object;

/// What a queue's consumer holds: a list that replaces everything also deletes what is known and not in it
/// (client-go: `tools/cache/delta_fifo.go`, `KeyListerGetter`).
///
/// Every [`Store`] is one. Its methods have other names than a store's, so that both traits can be in scope.
#[doc(alias = "KeyListerGetter")]
pub trait KnownObjects {
    /// In no particular order.
    #[doc(alias = "ListKeys")]
    fn known_keys(&self) -> Vec<String>;

    /// None when there is no such object.
    #[doc(alias = "GetByKey")]
    fn known_object(&self, key: &str) -> Option<Object>;
}

impl<S: Store + ?Sized> KnownObjects for S {
    fn known_keys(&self) -> Vec<String> {
        self.list_keys()
    }

    fn known_object(&self, key: &str) -> Option<Object> {
        self.get_by_key(key)
    }
}

/// The newest delta of each queued key, in the order of the keys' first ones.
pub(super) type NewestQueued = IndexMap<String, Delta, FxBuildHasher>;

/// The deletions that a list stands for: of what is queued or known, and not in it.
///
/// An object that was added and not popped yet is in no store: only the queue knows that it must be deleted
/// (kubernetes/kubernetes#115658).
pub(super) fn deletions(
    listed: &[(String, Object)],
    queued: &NewestQueued,
    known_objects: Option<&Rc<dyn KnownObjects>>,
) -> Vec<KeyedDelta> {
    let listed: FxHashSet<&str> = listed.iter().map(|(key, _)| key.as_str()).collect();
    let is_gone = |(key, newest): &(&String, &Delta)| {
        let is_deleted = matches!(newest, Delta::Deleted(_));
        !is_deleted && !listed.contains(key.as_str())
    };
    let only_queued = queued.iter().filter(is_gone).map(|(key, newest)| tombstone(key, newest.object().cloned()));
    let mut deletions: Vec<KeyedDelta> = only_queued.collect();
    let Some(known_objects) = known_objects else { return deletions };
    for key in known_objects.known_keys() {
        if !listed.contains(key.as_str()) && !queued.contains_key(&key) {
            let object = known_objects.known_object(&key);
            if object.is_none() {
                tracing::warn!(key, "a known object is gone before its deletion was queued; its last state is unknown");
            }
            deletions.push(tombstone(&key, object));
        }
    }
    deletions
}

fn tombstone(key: &str, object: Option<Object>) -> KeyedDelta {
    let deleted = DeletedObject::FinalStateUnknown { key: key.to_owned(), object };
    KeyedDelta { key: key.to_owned(), delta: Delta::Deleted(deleted) }
}

/// A resync: what is known once more, but for what has news in the queue, which an old state must not follow.
pub(super) fn syncs(known_objects: &Rc<dyn KnownObjects>, is_queued: impl Fn(&str) -> bool) -> Vec<KeyedDelta> {
    let keys = known_objects.known_keys().into_iter().filter(|key| !is_queued(key));
    let sync = |key: String| {
        let object = known_objects.known_object(&key)?;
        Some(KeyedDelta { key, delta: Delta::Sync(object) })
    };
    keys.filter_map(sync).collect()
}
