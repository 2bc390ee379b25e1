//! The informers: client-go's `tools/cache`.
//!
//! ```text
//! ListerWatcher → Reflector → DeltaFifo → Controller ─┬→ Indexer
//!                                                     └→ SharedProcessor → handlers
//! ```
//! One thread, no locks. No borrow is held across an await or a callback, so that a handler may do anything.

mod connection;
mod controller;
mod delta_fifo;
mod expiration_cache;
mod heap;
mod identity;
mod index;
mod indexer;
mod informer_factory;
mod keys;
mod lazy;
mod list_watch;
mod listers;
mod lru_expire_cache;
mod mutation_cache;
mod mutation_detector;
mod object_name;
mod queue;
mod reflector;
mod shared_informer;
mod shared_processor;
mod store;
mod thread_safe_store;
mod undelta_store;

pub use connection::{Connection, ConnectionGuard, Phase};
pub use delta_fifo::{DeltaFifo, Deltas, KnownObjects};
pub use expiration_cache::{ExpirationCache, ExpirationPolicy, TimestampedEntry, TtlPolicy};
pub use heap::{Heap, HeapError};
pub use identity::{InformerName, InformerNameAndResource, InformerNameError, InformerNames};
pub use index::{IndexError, IndexFunc, Indexers, NAMESPACE_INDEX, index_func_to_key_func, namespace_index};
pub use indexer::{Indexer, IndexerOptions, Transaction};
pub use informer_factory::{ListerWatcherSource, SharedInformerFactory};
pub use keys::{
    DeletedObject, KeyError, KeyFormatError, KeyFunc, meta_namespace_key, meta_namespace_key_func,
    split_meta_namespace_key,
};
pub use lazy::Lazy;
pub use list_watch::{ListProgress, ListResult, ListerWatcher, WatchStream};
pub use listers::{GenericLister, GenericNamespaceLister, list_all, list_all_by_namespace};
pub use mutation_cache::{MutationCache, MutationCacheOptions};
pub use mutation_detector::MutationDetector;
pub use object_name::{ExplicitKey, ObjectName};
pub use queue::{Delta, KeyedDelta, Popped, Queue};
pub use reflector::Reflector;
pub use shared_informer::SharedInformer;
pub use shared_processor::{Registration, ResourceEventHandler};
pub use store::{BoxError, ReflectorStore, Store, StoreError, TransactionError, TransformFunc};
pub use thread_safe_store::{Replacement, StoreOperation, ThreadSafeStore};
pub use undelta_store::UndeltaStore;
