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
mod reflector;
mod shared_informer;
mod shared_processor;
mod thread_safe_store;
mod wait;

pub use connection::{Connection, ConnectionGuard, Phase};
pub use delta_fifo::{Delta, DeltaFifo, Deltas, KnownObjects};
pub use index::{IndexError, IndexFunc, Indexers, NAMESPACE_INDEX, namespace_index};
pub use indexer::Indexer;
pub use informer_factory::{ListerWatcherSource, SharedInformerFactory};
pub use keys::{DeletedObject, KeyFormatError, meta_namespace_key, split_meta_namespace_key};
pub use list_watch::{ListProgress, ListResult, ListerWatcher, WatchStream};
pub use reflector::Reflector;
pub use shared_informer::SharedInformer;
pub use shared_processor::{Registration, ResourceEventHandler};
pub use thread_safe_store::{StoreOperation, ThreadSafeStore};
pub use wait::{DoneChecker, SyncError, SyncResult, wait_for, wait_for_cache_sync, wait_for_named_cache_sync};
