use std::error::Error;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use futures::future::{FutureExt as _, LocalBoxFuture};

use super::keys::{DeletedObject, KeyError};
use crate::api::Object;

/// Any error of a function that a caller brings: a transformation, a store of their own (client-go: Go's `error`).
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Gives what becomes of an object before anything else sees it, by [`Object::edit`] most often
/// (client-go: `tools/cache/delta_fifo.go`, `TransformFunc`).
///
/// It must be idempotent, since an object may pass it twice, and must keep `metadata.resourceVersion`: updates are
/// told from repetitions by it.
pub type TransformFunc = Rc<dyn Fn(&Object) -> Result<Object, BoxError>>;

/// What a reflector writes to (client-go: `tools/cache/reflector.go`, `ReflectorStore`).
pub trait ReflectorStore {
    /// Takes a new object in, or a newer state of one that is there.
    ///
    /// # Errors
    /// When the object has no key, or cannot be transformed. Nothing has changed then.
    fn add(&self, object: Object) -> Result<(), StoreError>;

    /// Takes a newer state in, also of an object that is not there.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    fn update(&self, object: Object) -> Result<(), StoreError>;

    /// Takes the object out.
    ///
    /// # Errors
    /// As [`add`](Self::add). An object that is not there is no error.
    fn delete(&self, deleted: DeletedObject) -> Result<(), StoreError>;

    /// Swaps the whole content for a list.
    ///
    /// # Errors
    /// As [`add`](Self::add), for the first object that fails. Nothing has changed then.
    fn replace(&self, list: Vec<Object>, resource_version: &str) -> Result<(), StoreError>;

    /// Offers everything held once more to whoever consumes the store; nothing in a plain store.
    ///
    /// # Errors
    /// Those of a store of the caller's own.
    fn resync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Nothing has changed up to this resourceVersion.
    fn bookmark(&self, _resource_version: &str) {}

    /// Each event's resourceVersion, whatever the event (client-go: `tools/cache/reflector.go`,
    /// `ResourceVersionUpdater`).
    fn update_resource_version(&self, _resource_version: &str) {}

    /// What the store does to objects, for a reflector that must do the same before they reach the store
    /// (client-go: `tools/cache/reflector.go`, `TransformingStore`).
    fn transformer(&self) -> Option<TransformFunc> {
        None
    }

    /// Waits until the store takes more: a queue whose consumer is slow says so here, and the reflector leaves the
    /// watch's next event where it is (kubernetes/kubernetes PR #136008). Ready at once in a plain store.
    fn room(&self) -> LocalBoxFuture<'_, ()> {
        std::future::ready(()).boxed_local()
    }
}

/// Objects by key (client-go: `tools/cache/store.go`, `Store`).
pub trait Store: ReflectorStore {
    /// All objects, in no particular order.
    fn list(&self) -> Vec<Object>;

    /// The keys of all objects, in no particular order.
    fn list_keys(&self) -> Vec<String>;

    /// The stored object with the same key; none when there is no such object.
    ///
    /// # Errors
    /// When the object has no key.
    fn get(&self, object: &Object) -> Result<Option<Object>, StoreError>;

    /// The object under the key; none when there is no such object.
    fn get_by_key(&self, key: &str) -> Option<Object>;

    /// The resourceVersion up to which the store is known to be right; empty when it does not know.
    fn last_store_sync_resource_version(&self) -> String {
        String::new()
    }
}

/// Why a store or a queue refused an object. Clones share the cause
/// (client-go: `tools/cache/store.go`, where it is any `error`).
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The object has no key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The [`TransformFunc`] failed with this.
    #[error("transforming: {0}")]
    Transform(#[source] Arc<dyn Error + Send + Sync>),
    /// Some changes of a transaction were refused, and all others applied.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// Of a store of the caller's own.
    #[error("{0}")]
    Other(#[source] Arc<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Any other error of a store of the caller's own.
    pub fn other(error: impl Into<BoxError>) -> Self {
        Self::Other(Arc::from(error.into()))
    }
}

/// Applies a transformation; without one the object stays as it is.
pub(super) fn transform(transformer: Option<&TransformFunc>, object: &mut Object) -> Result<(), StoreError> {
    let Some(transformer) = transformer else { return Ok(()) };
    *object = transformer(object).map_err(|error| StoreError::Transform(Arc::from(error)))?;
    Ok(())
}

/// Some operations of a transaction could not be applied; all others were
/// (client-go: `tools/cache/store.go`, `TransactionError`).
#[derive(Clone, Debug)]
pub struct TransactionError {
    /// The places of those that were applied, in order.
    pub successful_indices: Vec<usize>,
    /// How many operations the transaction had.
    pub total: usize,
    /// Why the others were not, in their order.
    pub errors: Vec<StoreError>,
}

impl fmt::Display for TransactionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = self.total - self.successful_indices.len();
        let errors: Vec<_> = self.errors.iter().map(ToString::to_string).collect();
        let errors = errors.join(", ");
        write!(f, "failed to execute ({failed}/{}) transactions failed due to: {errors}", self.total)
    }
}

impl Error for TransactionError {}
