//! The informers: client-go's `tools/cache`.
//!
//! ```text
//! ListerWatcher → Reflector → RealFifo → Controller ─┬→ Indexer
//!                                                    └→ SharedProcessor → handlers
//! ```
//! One thread, no locks. No borrow is held across an await or a callback, so that a handler may do anything.
//!
//! For those who know client-go: objects of all kinds are of one type here, so that the `Typed…` names fall away; so do
//! the variants `…WithOptions`, `…WithContext` and `…WithLogger`. What is not named here has its own name.
//!
//! | client-go | here |
//! |---|---|
//! | `ListWatch`, `NewFilteredListWatchFromClient` | [`ResourceListWatch`](crate::rest::ResourceListWatch), [`FilteredListWatch`] |
//! | `ReflectorStore`, `ReflectorBookmarkStore`, `TransformingStore`, `ResourceVersionUpdater` | [`ReflectorStore`] |
//! | `RealFIFO` with and without `AtomicEvents` | [`RealFifo::atomic`], [`RealFifo::plain`] |
//! | `DeltaFIFO`, `FIFO`, `Heap` | [`DeltaFifo`], [`Fifo`], [`Heap`] |
//! | `Queue`, `QueueWithBatch`, `PopProcessFunc` | [`Queue`], [`Queue::pop_batch`], [`Popped`] |
//! | `Delta`, `ReplacedAllInfo`, `SyncAllInfo`, `BookmarkInfo` | [`Delta`] |
//! | `Config`, `New`, `ProcessFunc`, `ProcessBatchFunc` | [`ControllerConfig`], [`Controller`], [`ProcessFunc`] |
//! | `NewInformer`, `NewIndexerInformer`, `NewTransformingInformer` | [`new_informer`] |
//! | `SharedInformer`, `SharedIndexInformer`, its options | [`SharedInformer`], [`InformerOptions`] |
//! | `ResourceEventHandlerFuncs`, `ResourceEventHandlerDetailedFuncs` | [`ResourceEventHandlerFuncs`] |
//! | `ResourceEventHandlerRegistration`, `RemoveEventHandler` | [`Registration`], dropping it |
//! | `DeletedFinalStateUnknown`, `DeletedObject` | [`DeletedObject`] |
//! | `HasSynced`, `HasSyncedChecker` | [`SharedInformer::has_synced`], [`synced`](SharedInformer::synced), [`checker`](SharedInformer::checker) |
//! | `WaitFor`, `WaitForCacheSync`, `WaitForNamedCacheSync` | [`wait_for`], [`wait_for_cache_sync`], [`wait_for_named_cache_sync`] |
//! | `Store`, `Indexer`, `NewStore`, `NewIndexer`, `StoreOption` | [`Store`], [`Indexer`], [`IndexerOptions`] |
//! | `ThreadSafeStore`, `Indices` | [`ThreadSafeStore`], which keeps its indices to itself |
//! | `Transaction`, `TransactionStore` | [`Transaction`], [`Indexer::transact`] |
//! | `KeyListerGetter` | [`KnownObjects`] |
//! | `MetaNamespaceKeyFunc`, `DeletionHandlingMetaNamespaceKeyFunc` | [`meta_namespace_key`], [`DeletedObject::key`] |
//! | `MetaNamespaceIndexFunc`, `IndexFuncToKeyFuncAdapter` | [`namespace_index`], [`index_func_to_key_func`] |
//! | `ObjectName`, `ParseObjectName`, `ObjectToName`, `ExplicitKey` | [`ObjectName`] with `parse` and `from`, [`ExplicitKey`] |
//! | `ListAll`, `ListAllByNamespace`, `dynamiclister` | [`list_all`], [`list_all_by_namespace`], [`GenericLister`] |
//! | `ExpirationCache`, `NewTTLStore`, `TTLPolicy` | [`ExpirationCache`], [`TtlPolicy`] |
//! | `MutationCache`, `UndeltaStore`, `synctrack.Lazy` | [`MutationCache`], [`UndeltaStore`], [`Lazy`] |
//! | `MutationDetector`, `KUBE_CACHE_MUTATION_DETECTOR` | [`MutationDetector`], for objects of your own; ours cannot be changed |
//! | `NewInformerName`, `SetInformerMetricsProvider` | [`InformerNames::register`], [`InformerMetrics`] |
//! | `WatchErrorHandler`, `ShouldResync` | [`WatchErrorHandler`], [`ReflectorOptions::should_resync`] |
//! | `informers`, `dynamicinformer`, `metadatainformer` | [`SharedInformerFactory`], [`GenericInformer`] |

#![deny(missing_docs)]

mod connection;
mod controller;
mod delta_fifo;
mod event_handler;
mod expiration_cache;
mod fifo;
mod heap;
mod identity;
mod index;
mod indexer;
mod informer;
mod informer_factory;
mod informer_metrics;
mod informer_options;
mod initial_sync;
mod items;
mod key_line;
mod key_ref;
mod keys;
mod known_objects;
mod latch;
mod lazy;
mod list_watch;
mod listers;
mod lru_expire_cache;
mod mutation_cache;
mod mutation_detector;
mod notification;
mod object_name;
mod observers;
mod process_deltas;
mod process_list;
mod processor_listener;
mod queue;
mod queue_core;
mod real_fifo;
mod reflector;
mod shared_informer;
mod shared_objects;
mod shared_processor;
mod store;
mod thread_safe_store;
mod undelta_store;
mod wait;

pub use connection::{Connection, Pause, Phase, Refused};
pub use controller::{Controller, ControllerConfig, ProcessFunc};
pub use delta_fifo::{DeltaFifo, DeltaFifoOptions};
pub use event_handler::{FilteringResourceEventHandler, ResourceEventHandler, ResourceEventHandlerFuncs};
pub use expiration_cache::{ExpirationCache, ExpirationPolicy, TimestampedEntry, TtlPolicy};
pub use fifo::{Fifo, FifoItem};
pub use heap::{Heap, HeapError};
pub use identity::{InformerName, InformerNameAndResource, InformerNameError, InformerNames};
pub use index::{IndexError, IndexFunc, Indexers, NAMESPACE_INDEX, index_func_to_key_func, namespace_index};
pub use indexer::{Indexer, IndexerOptions, Transaction};
pub use informer::new_informer;
pub use informer_factory::{
    FactoryOptions, GenericInformer, InformerLease, ListerWatcherSource, SharedInformerFactory,
};
pub use informer_metrics::{InformerMetrics, InformerMetricsProvider};
pub use informer_options::{HandlerOptions, InformerOptions, QueueKind};
pub use keys::{
    DeletedObject, KeyError, KeyFormatError, KeyFunc, meta_namespace_key, meta_namespace_key_func,
    split_meta_namespace_key,
};
pub use known_objects::KnownObjects;
pub use lazy::Lazy;
pub use list_watch::{FilteredListWatch, ListProgress, ListResult, ListerWatcher, OptionsModifier, WatchStream};
pub use listers::{GenericLister, GenericNamespaceLister, list_all, list_all_by_namespace};
pub use mutation_cache::{MutationCache, MutationCacheOptions};
pub use mutation_detector::MutationDetector;
pub use object_name::{ExplicitKey, ObjectName};
pub use observers::ObserverGuard;
pub use queue::{Delta, KeyedDelta, Popped, Queue};
pub use queue_core::QueueMetrics;
pub use real_fifo::{RealFifo, RealFifoOptions};
pub use reflector::{
    InconsistencyHandler, NoReflectorMetrics, Reflector, ReflectorMetrics, ReflectorOptions, WatchErrorHandler,
};
pub use shared_informer::{FirstListObserver, InformerError, SharedInformer};
pub use shared_objects::SharedObjects;
pub use shared_processor::Registration;
pub use store::{BoxError, ReflectorStore, Store, StoreError, TransactionError, TransformFunc};
pub use thread_safe_store::{Replacement, StoreOperation, ThreadSafeStore};
pub use undelta_store::UndeltaStore;
pub use wait::{DoneChecker, SyncError, SyncResult, wait_for, wait_for_cache_sync, wait_for_named_cache_sync};
