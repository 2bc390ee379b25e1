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
mod index;
mod indexer;
mod informer_factory;
mod keys;
mod list_watch;
mod queue;
mod reflector;
mod shared_informer;
mod shared_processor;
mod store;
mod thread_safe_store;

pub use connection::{Connection, ConnectionGuard, Phase};
pub use delta_fifo::{DeltaFifo, Deltas, KnownObjects};
pub use index::{IndexError, IndexFunc, Indexers, NAMESPACE_INDEX, namespace_index};
pub use indexer::Indexer;
pub use informer_factory::{ListerWatcherSource, SharedInformerFactory};
pub use keys::{
    DeletedObject, KeyError, KeyFormatError, KeyFunc, meta_namespace_key, meta_namespace_key_func,
    split_meta_namespace_key,
};
pub use list_watch::{ListProgress, ListResult, ListerWatcher, WatchStream};
pub use queue::{Delta, KeyedDelta, Popped, Queue};
pub use reflector::{
    BackoffConfig, InconsistencyHandler, NoReflectorMetrics, Reflector, ReflectorMetrics, ReflectorOptions,
    WatchErrorHandler,
};
pub use shared_informer::SharedInformer;
pub use shared_processor::{Registration, ResourceEventHandler};
pub use store::{BoxError, ReflectorStore, Store, StoreError, TransactionError, TransformFunc};
pub use thread_safe_store::{StoreOperation, ThreadSafeStore};
