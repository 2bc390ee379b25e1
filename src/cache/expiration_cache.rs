use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::keys::{DeletedObject, KeyFunc};
use super::store::{ReflectorStore, Store, StoreError};
use crate::api::Object;
use crate::runtime::{Clock, Moment, Runtime};

/// A store that forgets objects by their age (client-go: `tools/cache/expiration_cache.go`).
///
/// Whether an object has expired is asked when it is read, and it is deleted then; [`Store::list_keys`] does not ask.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use watchglass::cache::{ExpirationCache, ReflectorStore as _, Store as _, meta_namespace_key_func};
/// use watchglass::testing::{Sandbox, objects};
///
/// let sandbox = Sandbox::new();
/// let minute = Duration::from_secs(60);
/// let cache = ExpirationCache::new_ttl_store(&sandbox.runtime(), meta_namespace_key_func(), minute);
/// cache.add(objects::pod("shop", "web-0").into()).unwrap();
/// sandbox.advance(minute);
/// assert!(cache.get_by_key("shop/web-0").is_some());
/// sandbox.advance(Duration::from_millis(1));
/// assert!(cache.get_by_key("shop/web-0").is_none());
/// # }
/// ```
pub struct ExpirationCache {
    key_func: KeyFunc,
    policy: Rc<dyn ExpirationPolicy>,
    clock: Rc<dyn Clock>,
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    entries: FxHashMap<String, Rc<TimestampedEntry>>,
    resource_version: String,
}

/// An object, and when it was last written (client-go: `tools/cache/expiration_cache.go`, `TimestampedEntry`).
#[derive(Clone, Debug)]
pub struct TimestampedEntry {
    /// Under which the cache holds it.
    pub key: String,
    /// As it was written.
    pub object: Object,
    /// When it was written, by the cache's clock.
    pub timestamp: Moment,
}

/// Says when an entry of an [`ExpirationCache`] is too old
/// (client-go: `tools/cache/expiration_cache.go`, `ExpirationPolicy`).
pub trait ExpirationPolicy {
    /// Whether the entry is to be forgotten.
    fn is_expired(&self, entry: &TimestampedEntry) -> bool;
}

/// Entries live for a fixed time (client-go: `tools/cache/expiration_cache.go`, `TTLPolicy`).
#[doc(alias = "TTLPolicy")]
pub struct TtlPolicy {
    /// An entry of exactly this age still lives. Zero is for ever.
    pub ttl: Duration,
    /// By which ages are told; the same as the cache's.
    pub clock: Rc<dyn Clock>,
}

impl ExpirationPolicy for TtlPolicy {
    fn is_expired(&self, entry: &TimestampedEntry) -> bool {
        !self.ttl.is_zero() && self.clock.now().since(entry.timestamp) > self.ttl
    }
}

impl ExpirationCache {
    /// An empty cache.
    #[doc(alias = "NewExpirationStore")]
    pub fn new(clock: Rc<dyn Clock>, key_func: KeyFunc, policy: Rc<dyn ExpirationPolicy>) -> Self {
        Self { key_func, policy, clock, inner: RefCell::default() }
    }

    /// An empty cache whose objects live for a time after they were last written; zero is for ever.
    #[doc(alias = "NewTTLStore")]
    pub fn new_ttl_store(runtime: &Runtime, key_func: KeyFunc, ttl: Duration) -> Self {
        let clock = Rc::clone(&runtime.clock);
        Self::new(Rc::clone(&clock), key_func, Rc::new(TtlPolicy { ttl, clock }))
    }

    fn entry(&self, object: Object, timestamp: Moment) -> Result<Rc<TimestampedEntry>, StoreError> {
        let key = (self.key_func)(&object)?;
        Ok(Rc::new(TimestampedEntry { key, object, timestamp }))
    }

    fn get_or_expire(&self, key: &str) -> Option<Object> {
        let entry = Rc::clone(self.inner.borrow().entries.get(key)?);
        if !self.policy.is_expired(&entry) {
            return Some(entry.object.clone());
        }
        let entries = &mut self.inner.borrow_mut().entries;
        // The policy may have written the key anew.
        if entries.get(key).is_some_and(|now| Rc::ptr_eq(now, &entry)) {
            entries.remove(key);
        }
        None
    }
}

impl ReflectorStore for ExpirationCache {
    fn add(&self, object: Object) -> Result<(), StoreError> {
        let entry = self.entry(object, self.clock.now())?;
        let inner = &mut *self.inner.borrow_mut();
        entry.object.resource_version().clone_into(&mut inner.resource_version);
        inner.entries.insert(entry.key.clone(), entry);
        Ok(())
    }

    fn update(&self, object: Object) -> Result<(), StoreError> {
        self.add(object)
    }

    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError> {
        let key = deleted.key_by(&self.key_func)?;
        let inner = &mut *self.inner.borrow_mut();
        inner.entries.remove(&key);
        if let Some(object) = deleted.into_final_state() {
            object.resource_version().clone_into(&mut inner.resource_version);
        }
        Ok(())
    }

    fn replace(&self, list: Vec<Object>, resource_version: &str) -> Result<(), StoreError> {
        let now = self.clock.now();
        let keyed = |object| self.entry(object, now).map(|entry| (entry.key.clone(), entry));
        let entries = list.into_iter().map(keyed).collect::<Result<_, _>>()?;
        *self.inner.borrow_mut() = Inner { entries, resource_version: resource_version.into() };
        Ok(())
    }

    fn bookmark(&self, resource_version: &str) {
        resource_version.clone_into(&mut self.inner.borrow_mut().resource_version);
    }
}

impl Store for ExpirationCache {
    fn list(&self) -> Vec<Object> {
        self.list_keys().iter().filter_map(|key| self.get_or_expire(key)).collect()
    }

    fn list_keys(&self) -> Vec<String> {
        self.inner.borrow().entries.keys().cloned().collect()
    }

    fn get(&self, object: &Object) -> Result<Option<Object>, StoreError> {
        Ok(self.get_or_expire(&(self.key_func)(object)?))
    }

    fn get_by_key(&self, key: &str) -> Option<Object> {
        self.get_or_expire(key)
    }

    fn last_store_sync_resource_version(&self) -> String {
        self.inner.borrow().resource_version.clone()
    }
}

impl fmt::Debug for ExpirationCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpirationCache").field("len", &self.inner.borrow().entries.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for TtlPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TtlPolicy").field("ttl", &self.ttl).finish_non_exhaustive()
    }
}
