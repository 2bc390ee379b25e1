use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use super::index::IndexError;
use super::indexer::Indexer;
use super::keys::meta_namespace_key;
use super::lru_expire_cache::LruExpireCache;
use super::store::Store;
use crate::api::Object;
use crate::runtime::{Clock, Runtime};

const DEFAULT_MAX_CACHE_SIZE: usize = 100;
const DEFAULT_TTL: Duration = Duration::from_secs(5 * 60);

/// A caller's own writes above an informer's store, until the store has them
/// (client-go: `tools/cache/mutation_cache.go`).
///
/// The one place that orders resourceVersions: they must be unsigned integers, of which the greater is the newer one;
/// an empty one counts as 0. Objects with any other are taken from the store only: as mutations they are refused, and
/// against one from the store no mutation holds.
///
/// What informer handlers see should go to [`on_add_or_update`](Self::on_add_or_update) and
/// [`on_delete`](Self::on_delete), so that a mutation of an object that is gone does not stay until it expires.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::rc::Rc;
/// use watchglass::cache::{Indexer, Indexers, MutationCache, MutationCacheOptions};
/// use watchglass::testing::{Sandbox, objects};
///
/// let mut pod = objects::pod("shop", "web-0");
/// pod.metadata.resource_version = "7".into();
/// let indexer = Rc::new(Indexer::new(Indexers::new()));
/// indexer.add(pod.clone().into()).unwrap();
/// let cache = MutationCache::new(&Sandbox::new().runtime(), indexer, MutationCacheOptions::default());
/// pod.metadata.resource_version = "8".into();
/// cache.mutation(pod.into());
/// assert_eq!(cache.get_by_key("shop/web-0").unwrap().resource_version(), "8");
/// # }
/// ```
#[doc(alias = "NewIntegerResourceVersionMutationCache")]
pub struct MutationCache {
    backing: Rc<dyn Store>,
    indexer: Option<Rc<Indexer>>,
    include_adds: bool,
    ttl: Duration,
    clock: Rc<dyn Clock>,
    entries: RefCell<LruExpireCache<Entry>>,
}

/// How a [`MutationCache`] works (client-go: `tools/cache/mutation_cache.go`, `MutationCacheOptions`).
#[derive(Clone, Debug, Default)]
pub struct MutationCacheOptions {
    /// What [`MutationCache::by_index`] looks keys up in.
    pub indexer: Option<Rc<Indexer>>,
    /// How long a mutation is kept; zero is 5 minutes.
    pub ttl: Duration,
    /// Gives objects that the store does not hold. They may be gone already, for as long as a mutation is kept.
    pub include_adds: bool,
    /// How many mutations are kept; zero is 100. The least recently used one goes first.
    pub max_cache_size: usize,
}

#[derive(Clone)]
enum Entry {
    Mutated {
        object: Object,
        version: u64,
    },
    /// The object was deleted: a mutation that comes late must not bring it back. It is never given out.
    Tombstone {
        uid: String,
        version: Option<u64>,
    },
}

impl MutationCache {
    /// An empty cache above a store.
    pub fn new(runtime: &Runtime, backing: Rc<dyn Store>, options: MutationCacheOptions) -> Self {
        let MutationCacheOptions { indexer, ttl, include_adds, max_cache_size } = options;
        let ttl = if ttl.is_zero() { DEFAULT_TTL } else { ttl };
        let max_size = if max_cache_size == 0 { DEFAULT_MAX_CACHE_SIZE } else { max_cache_size };
        let entries = RefCell::new(LruExpireCache::new(max_size));
        Self { backing, indexer, include_adds, ttl, clock: Rc::clone(&runtime.clock), entries }
    }

    /// The newer of what the store and the mutations hold under the key.
    ///
    /// An object that the store does not hold is given only with [`MutationCacheOptions::include_adds`].
    pub fn get_by_key(&self, key: &str) -> Option<Object> {
        match self.backing.get_by_key(key) {
            Some(backing) => Some(self.newer(key, backing)),
            None if self.include_adds => self.mutated(key),
            None => None,
        }
    }

    /// The newer objects of those that the indexer holds under an index's value. With
    /// [`MutationCacheOptions::include_adds`] also mutations of others that have the value.
    ///
    /// # Errors
    /// When there is no such index, or no indexer.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Object>, IndexError> {
        let indexer = self.indexer.as_ref().ok_or(IndexError::NoIndexer)?;
        let keys = indexer.index_keys(index, value)?;
        let newer = |key: &String| indexer.get_by_key(key).map(|backing| self.newer(key, backing));
        let mut objects: Vec<_> = keys.iter().filter_map(newer).collect();
        if self.include_adds
            && let Some(values_of) = indexer.indexers().get(index)
        {
            let others = self.tracked_keys().into_iter().filter(|key| keys.binary_search(key).is_err());
            let mutated = others.filter_map(|key| self.mutated(&key));
            objects.extend(mutated.filter(|object| values_of(object).iter().any(|it| it == value)));
        }
        Ok(objects)
    }

    /// Keeps what a write of the caller's came back as, unless something newer is known of the object.
    pub fn mutation(&self, object: Object) {
        let Some(version) = version(&object) else {
            let version = object.resource_version();
            tracing::warn!(version, "a mutation's resourceVersion is not an unsigned integer; it is not kept");
            return;
        };
        let key = meta_namespace_key(&object);
        let outdated = match self.entry(&key) {
            Some(Entry::Mutated { version: known, .. }) => version < known,
            Some(Entry::Tombstone { uid, version: deleted }) => {
                deleted.is_some_and(|deleted| version <= deleted) || uid == object.uid()
            }
            None => false,
        };
        if !outdated {
            self.add(&key, Entry::Mutated { object, version });
        }
    }

    /// The store has got this object: a mutation that is not newer is done with.
    pub fn on_add_or_update(&self, object: &Object) {
        let key = meta_namespace_key(object);
        let is_superseded = self.entry(&key).is_some_and(|entry| is_at_least(version(object), entry.version()));
        if is_superseded {
            self.remove(&key);
        }
    }

    /// The object is deleted: a mutation that is not newer, or of the same uid, is done with, also one that comes yet.
    pub fn on_delete(&self, object: &Object) {
        let key = meta_namespace_key(object);
        if let Some(entry) = self.entry(&key)
            && !is_at_least(version(object), entry.version())
            && !entry.has_uid(&object.uid())
        {
            return;
        }
        self.add(&key, Entry::Tombstone { uid: object.uid().into_owned(), version: version(object) });
    }

    /// The keys of the mutations and tombstones that are kept, least recently used first.
    pub fn tracked_keys(&self) -> Vec<String> {
        self.entries.borrow().keys(self.clock.now())
    }

    fn newer(&self, key: &str, backing: Object) -> Object {
        let Some(entry) = self.entry(key) else { return backing };
        if is_at_least(version(&backing), entry.version()) {
            self.remove(key);
            return backing;
        }
        match entry {
            Entry::Mutated { object, .. } => object,
            Entry::Tombstone { .. } => backing,
        }
    }

    fn mutated(&self, key: &str) -> Option<Object> {
        match self.entry(key)? {
            Entry::Mutated { object, .. } => Some(object),
            Entry::Tombstone { .. } => None,
        }
    }

    fn entry(&self, key: &str) -> Option<Entry> {
        self.entries.borrow_mut().get(key, self.clock.now())
    }

    fn add(&self, key: &str, entry: Entry) {
        self.entries.borrow_mut().add(key, entry, self.clock.now(), self.ttl);
    }

    fn remove(&self, key: &str) {
        self.entries.borrow_mut().remove(key);
    }
}

impl Entry {
    fn version(&self) -> Option<u64> {
        match self {
            Self::Mutated { version, .. } => Some(*version),
            Self::Tombstone { version, .. } => *version,
        }
    }

    fn has_uid(&self, uid: &str) -> bool {
        match self {
            Self::Mutated { object, .. } => object.uid() == uid,
            Self::Tombstone { uid: own, .. } => own == uid,
        }
    }
}

/// None when it is not an unsigned integer.
fn version(object: &Object) -> Option<u64> {
    match object.resource_version() {
        "" => Some(0),
        version => version.parse().ok(),
    }
}

/// The store's word holds where the two cannot be compared.
fn is_at_least(of_store: Option<u64>, of_entry: Option<u64>) -> bool {
    of_store.zip(of_entry).is_none_or(|(store, entry)| store >= entry)
}

impl fmt::Debug for MutationCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MutationCache").field("tracked", &self.tracked_keys()).finish_non_exhaustive()
    }
}
