use std::fmt;
use std::rc::Rc;

use super::index::{IndexError, Indexers};
use super::items::Items;
use super::key_ref::KeyRef;
use super::keys::{DeletedObject, KeyFunc, meta_namespace_key_func};
use super::shared_objects::SharedStores;
use super::store::{ReflectorStore, Store, StoreError, TransactionError, TransformFunc, transform};
use super::thread_safe_store::{Replacement, StoreOperation, ThreadSafeStore};
use crate::api::Object;

/// The local cache of an informer: objects by `namespace/name`, with indexes
/// (client-go: `tools/cache/store.go`, and `tools/cache/index.go`, `Indexer`).
///
/// Whoever gets it from an informer reads it; only the informer writes.
/// The methods of [`ReflectorStore`] and [`Store`] are methods of its own too.
///
/// ```
/// use std::rc::Rc;
/// use watchglass::api::Manifest;
/// use watchglass::cache::{Indexer, Indexers, NAMESPACE_INDEX, namespace_index};
///
/// let indexer = Indexer::new(Indexers::from([(NAMESPACE_INDEX.to_owned(), Rc::new(namespace_index) as _)]));
/// let mut pod = Manifest::default();
/// pod.metadata.namespace = "shop".into();
/// pod.metadata.name = "web-0".into();
/// indexer.add(pod.into())?;
/// assert!(indexer.contains_key("shop/web-0"));
/// assert_eq!(indexer.index_keys(NAMESPACE_INDEX, "shop").unwrap(), ["shop/web-0"]);
/// # Ok::<(), watchglass::cache::StoreError>(())
/// ```
pub struct Indexer {
    store: ThreadSafeStore,
    options: IndexerOptions,
    shared: Option<SharedStores>,
}

/// What an [`Indexer`] does with objects before it stores them (client-go: `tools/cache/store.go`,
/// `StoreOption`).
#[derive(Clone)]
pub struct IndexerOptions {
    /// By default `namespace/name`.
    pub key_func: KeyFunc,
    /// Changes what is added, updated and replaced, after its key was computed; not what comes in a transaction.
    #[doc(alias = "WithTransformer")]
    pub transformer: Option<TransformFunc>,
    /// Is told the store's resourceVersion after each write: its last 15 digits, which a float holds exactly, and
    /// nothing when they are no number. Whoever publishes it asks first whether the informer's identity is
    /// [reserved](super::InformerNameAndResource::reserved).
    #[doc(alias = "WithStoreMetrics")]
    pub resource_version_metric: Option<Rc<dyn Fn(u64)>>,
}

impl Default for IndexerOptions {
    fn default() -> Self {
        Self { key_func: meta_namespace_key_func(), transformer: None, resource_version_metric: None }
    }
}

/// One change of [`Indexer::transact`] (client-go: `tools/cache/store.go`, `Transaction`).
#[derive(Clone, Debug)]
pub enum Transaction {
    /// Adds the object, or replaces the one with the same key.
    Upsert(Object),
    /// Removes the object.
    Delete(DeletedObject),
}

impl Indexer {
    /// An indexer whose keys are `namespace/name`.
    pub fn new(indexers: Indexers) -> Self {
        Self::with_options(indexers, IndexerOptions::default())
    }

    /// An indexer with keys or a transformation of its own.
    pub fn with_options(indexers: Indexers, options: IndexerOptions) -> Self {
        Self { store: ThreadSafeStore::new(indexers), options, shared: None }
    }

    /// One that shares objects with others.
    pub(super) fn sharing(indexers: Indexers, options: IndexerOptions, shared: Option<SharedStores>) -> Rc<Self> {
        let indexer = Rc::new(Self { shared, ..Self::with_options(indexers, options) });
        if let Some(shared) = &indexer.shared {
            shared.join(&indexer);
        }
        indexer
    }

    /// The object in whose place this one need not be held: from another store, where there is an equal one.
    pub(super) fn shared(&self, key: &str, object: Object) -> Object {
        match &self.shared {
            Some(shared) => shared.kept(key, object),
            None => object,
        }
    }

    /// Adds the object, or replaces the one with the same key.
    ///
    /// # Errors
    /// When the object has no key, or cannot be transformed. Nothing has changed then.
    pub fn add(&self, object: Object) -> Result<(), StoreError> {
        let (key, object) = self.keyed(object)?;
        self.store.upsert(&key, object);
        self.tell_resource_version();
        Ok(())
    }

    /// The same as [`add`](Self::add), as in client-go.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn update(&self, object: Object) -> Result<(), StoreError> {
        self.add(object)
    }

    /// Removes an object; one that is not there is no error.
    ///
    /// # Errors
    /// When the object has no key.
    pub fn delete(&self, deleted: impl Into<DeletedObject>) -> Result<(), StoreError> {
        let deleted = deleted.into();
        let key = deleted.key_by(&self.options.key_func)?;
        match deleted {
            DeletedObject::Known(object) => self.store.delete_with_object(&key, &object),
            // Its last known state may be stale: what the store has seen says more than that.
            DeletedObject::FinalStateUnknown { .. } => self.store.delete(&key),
        };
        self.tell_resource_version();
        Ok(())
    }

    /// Swaps the whole content. Of two objects with the same key the last one stays.
    ///
    /// # Errors
    /// As [`add`](Self::add), for the first object that fails. Nothing has changed then.
    pub fn replace(&self, objects: impl IntoIterator<Item = Object>, resource_version: &str) -> Result<(), StoreError> {
        self.replace_all(objects, resource_version).map(|_| ())
    }

    /// As [`replace`](Self::replace), and says what was there before.
    ///
    /// # Errors
    /// As [`replace`](Self::replace).
    pub fn replace_all(
        &self,
        objects: impl IntoIterator<Item = Object>,
        resource_version: &str,
    ) -> Result<Replacement, StoreError> {
        let objects: Vec<_> = objects.into_iter().map(|object| self.keyed(object)).collect::<Result<_, _>>()?;
        let replacement = self.store.replace_all(objects, resource_version);
        self.tell_resource_version();
        Ok(replacement)
    }

    /// A store with the same indexes and nothing in it yet, for so many objects.
    pub(super) fn without_content(&self, capacity: usize) -> ThreadSafeStore {
        self.store.without_content(capacity)
    }

    /// Swaps the whole content for one that was made beside it, and gives what was there before.
    pub(super) fn take_over(&self, content: ThreadSafeStore, resource_version: &str) -> Items {
        let before = self.store.take_over(content, resource_version);
        self.tell_resource_version();
        before
    }

    /// Several changes in one step. Those without a key are left out, and all others are applied.
    ///
    /// # Errors
    /// When an object has no key. The error says which changes were applied.
    #[doc(alias = "Transaction")]
    pub fn transact(&self, transactions: Vec<Transaction>) -> Result<(), TransactionError> {
        let (total, mut successful_indices, mut errors) = (transactions.len(), Vec::new(), Vec::new());
        let mut operations = Vec::with_capacity(total);
        for (at, transaction) in transactions.into_iter().enumerate() {
            match self.operation(transaction) {
                Ok(operation) => {
                    successful_indices.push(at);
                    operations.push(operation);
                }
                Err(error) => errors.push(error),
            }
        }
        self.transaction(operations);
        if errors.is_empty() { Ok(()) } else { Err(TransactionError { successful_indices, total, errors }) }
    }

    /// Changes by key in one step, and for each the object that was there before it.
    pub(super) fn transaction(&self, operations: Vec<StoreOperation>) -> Vec<Option<Object>> {
        let before = self.store.transaction(operations);
        self.tell_resource_version();
        before
    }

    /// The stored object with the same key.
    ///
    /// # Errors
    /// When the object has no key.
    pub fn get(&self, object: &Object) -> Result<Option<Object>, StoreError> {
        Ok(self.store.get(&(self.options.key_func)(object)?))
    }

    /// The object under the key.
    pub fn get_by_key(&self, key: &str) -> Option<Object> {
        self.store.get(key)
    }

    /// Whether an object is under the key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.store.contains(key)
    }

    pub(super) fn contains(&self, key: KeyRef) -> bool {
        self.store.contains_key(key)
    }

    pub(super) fn find(&self, key: KeyRef) -> Option<Object> {
        self.store.find(key)
    }

    /// In no particular order.
    pub fn list(&self) -> Vec<Object> {
        self.store.list()
    }

    /// In no particular order.
    pub fn list_keys(&self) -> Vec<String> {
        self.store.list_keys()
    }

    /// The memory of the objects, which others may share, and of what finds them, without indexes. It looks at each
    /// object (client-go has no such thing).
    pub fn heap_bytes(&self) -> usize {
        self.store.heap_bytes()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// The resourceVersion of the last write, list or bookmark; empty before.
    pub fn last_store_sync_resource_version(&self) -> String {
        self.store.last_store_sync_resource_version()
    }

    /// Nothing has changed up to this resourceVersion.
    pub fn bookmark(&self, resource_version: &str) {
        self.store.bookmark(resource_version);
        self.tell_resource_version();
    }

    /// The objects that share at least one of an index's values with this one, each once and in no particular order.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn index(&self, index: &str, object: &Object) -> Result<Vec<Object>, IndexError> {
        self.store.index(index, object)
    }

    /// The objects under an index's value, in no particular order.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Object>, IndexError> {
        self.store.by_index(index, value)
    }

    /// The keys under an index's value, sorted.
    ///
    /// # Errors
    /// When there is no such index.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<String>, IndexError> {
        self.store.index_keys(index, value)
    }

    /// An index's values that have objects, sorted; none for an unknown index.
    #[doc(alias = "ListIndexFuncValues")]
    pub fn index_values(&self, index: &str) -> Vec<String> {
        self.store.index_values(index)
    }

    /// The index functions by name.
    #[doc(alias = "GetIndexers")]
    pub fn indexers(&self) -> Indexers {
        self.store.indexers()
    }

    /// Adds indexes, over what is already there too.
    ///
    /// # Errors
    /// When an index of one of the names exists; nothing is added then.
    pub fn add_indexers(&self, indexers: Indexers) -> Result<(), IndexError> {
        self.store.add_indexers(indexers)
    }

    fn tell_resource_version(&self) {
        if let Some(metric) = &self.options.resource_version_metric
            && let Some(number) = last_digits(&self.store.last_store_sync_resource_version())
        {
            metric(number);
        }
    }

    /// The key of the object as it came, and the object as it is stored.
    pub(super) fn keyed(&self, mut object: Object) -> Result<(String, Object), StoreError> {
        let key = (self.options.key_func)(&object)?;
        transform(self.options.transformer.as_ref(), &mut object)?;
        Ok((key, object))
    }

    fn operation(&self, transaction: Transaction) -> Result<StoreOperation, StoreError> {
        let key_func = &self.options.key_func;
        Ok(match transaction {
            Transaction::Upsert(object) => StoreOperation::Upsert { key: key_func(&object)?, object },
            Transaction::Delete(deleted) => {
                let key = deleted.key_by(key_func)?;
                StoreOperation::Delete { key, final_state: deleted.into_final_state() }
            }
        })
    }
}

fn last_digits(resource_version: &str) -> Option<u64> {
    const DIGITS: usize = 15;
    match resource_version {
        "" => Some(0),
        version => version.get(version.len().saturating_sub(DIGITS)..)?.parse().ok(),
    }
}

impl ReflectorStore for Indexer {
    fn add(&self, object: Object) -> Result<(), StoreError> {
        self.add(object)
    }

    fn update(&self, object: Object) -> Result<(), StoreError> {
        self.update(object)
    }

    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError> {
        self.delete(deleted)
    }

    fn replace(&self, list: Vec<Object>, resource_version: &str) -> Result<(), StoreError> {
        self.replace(list, resource_version)
    }

    fn bookmark(&self, resource_version: &str) {
        self.bookmark(resource_version);
    }
}

impl Store for Indexer {
    fn list(&self) -> Vec<Object> {
        self.list()
    }

    fn list_keys(&self) -> Vec<String> {
        self.list_keys()
    }

    fn get(&self, object: &Object) -> Result<Option<Object>, StoreError> {
        self.get(object)
    }

    fn get_by_key(&self, key: &str) -> Option<Object> {
        self.get_by_key(key)
    }

    fn last_store_sync_resource_version(&self) -> String {
        self.last_store_sync_resource_version()
    }
}

impl fmt::Debug for Indexer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}
