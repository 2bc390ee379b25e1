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
mod fifo;
mod index;
mod indexer;
mod informer_factory;
mod initial_sync;
mod key_line;
mod keys;
mod known_objects;
mod list_watch;
mod queue;
mod queue_core;
mod real_fifo;
mod reflector;
mod shared_informer;
mod shared_processor;
mod store;
mod thread_safe_store;

pub use connection::{Connection, ConnectionGuard, Phase};
pub use delta_fifo::{DeltaFifo, DeltaFifoOptions};
pub use fifo::{Fifo, FifoItem};
pub use index::{IndexError, IndexFunc, Indexers, NAMESPACE_INDEX, namespace_index};
pub use indexer::Indexer;
pub use informer_factory::{ListerWatcherSource, SharedInformerFactory};
pub use keys::{
    DeletedObject, KeyError, KeyFormatError, KeyFunc, meta_namespace_key, meta_namespace_key_func,
    split_meta_namespace_key,
};
pub use known_objects::KnownObjects;
pub use list_watch::{ListProgress, ListResult, ListerWatcher, WatchStream};
pub use queue::{Delta, KeyedDelta, Popped, Queue};
pub use queue_core::QueueMetrics;
pub use real_fifo::{RealFifo, RealFifoOptions};
pub use reflector::Reflector;
pub use shared_informer::SharedInformer;
pub use shared_processor::{Registration, ResourceEventHandler};
pub use store::{BoxError, ReflectorStore, Store, StoreError, TransactionError, TransformFunc};
pub use thread_safe_store::{StoreOperation, ThreadSafeStore};
