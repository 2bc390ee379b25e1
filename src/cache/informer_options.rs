use std::rc::Rc;
use std::time::Duration;

use super::delta_fifo::{DeltaFifo, DeltaFifoOptions};
use super::index::{IndexFunc, Indexers, NAMESPACE_INDEX, namespace_index};
use super::indexer::{Indexer, IndexerOptions};
use super::informer_metrics::InformerMetrics;
use super::known_objects::KnownObjects;
use super::notification::BACKLOG_LIMIT;
use super::queue::Queue;
use super::real_fifo::{RealFifo, RealFifoOptions};
use super::reflector::ReflectorOptions;
use super::shared_objects::SharedObjects;
use super::store::TransformFunc;
use crate::runtime::Runtime;

/// Which queue stands between an informer's reflector and its store
/// (client-go: `features/known_features.go`, `InOrderInformers` and `AtomicFIFO`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// All events in the order in which they came; a list is one step.
    #[default]
    AtomicRealFifo,
    /// All events in the order in which they came; a list comes object by object.
    RealFifo,
    /// The events of each object together, objects in the order in which they were first touched.
    DeltaFifo,
}

/// What shapes an informer (client-go: `tools/cache/shared_informer.go`, `SharedIndexInformerOptions`).
#[doc(alias = "SharedIndexInformerOptions")]
#[derive(Clone, Default)]
pub struct InformerOptions {
    /// How often handlers that say nothing else are told of everything again; never when zero.
    pub resync_period: Duration,
    /// Beside the one by namespace, which every informer has.
    pub indexers: Indexers,
    /// Changes each object before the store and the handlers see it, most of all to keep less of it.
    pub transform: Option<TransformFunc>,
    /// What its events wait in.
    pub queue: QueueKind,
    /// Let what a slow handler has not been told grow without bound, as client-go does. Else, from 1,024 notifications
    /// on, those of the same object are merged: the newest update counts, a deletion stays, an addition that was
    /// updated is still an addition.
    pub unbounded_notifications: bool,
    /// Let a handler's panic end the delivery, and with it whatever the executor ends. Else it is logged, the
    /// notification counts as delivered, and the next one comes a second later.
    pub crash_on_handler_panic: bool,
    /// With which other informers it shares objects; with none when absent.
    pub shared_objects: Option<SharedObjects>,
    /// Nothing is kept when absent.
    pub metrics: Option<InformerMetrics>,
    /// How it lists and watches. The resync is the informer's own.
    pub reflector: ReflectorOptions,
}

/// What a handler may ask for (client-go: `tools/cache/shared_informer.go`, `HandlerOptions`).
#[derive(Clone, Debug, Default)]
pub struct HandlerOptions {
    /// In messages, and as the name of the handler's [checker](super::Registration::checker).
    pub name: Option<String>,
    /// How often it is told of everything again; never when zero, and as often as the informer's default when absent.
    /// Raised to a second, and to what the informer does if that runs already.
    pub resync_period: Option<Duration>,
}

impl InformerOptions {
    pub(super) fn new_indexer(&self) -> Rc<Indexer> {
        let by_namespace: IndexFunc = Rc::new(namespace_index);
        let mut indexers = Indexers::from([(NAMESPACE_INDEX.to_owned(), by_namespace)]);
        indexers.extend(self.indexers.clone());
        let resource_version_metric = self.metrics.as_ref().and_then(InformerMetrics::of_store);
        let options = IndexerOptions { resource_version_metric, ..IndexerOptions::default() };
        let description = &self.reflector.description;
        let shared = self.shared_objects.as_ref().map(|shared_objects| shared_objects.of(description));
        Indexer::sharing(indexers, options, shared)
    }

    pub(super) fn backlog_limit(&self) -> Option<usize> {
        (!self.unbounded_notifications).then_some(BACKLOG_LIMIT)
    }

    pub(super) fn new_queue(&self, runtime: &Runtime, indexer: &Rc<Indexer>) -> Rc<dyn Queue> {
        let known = || Rc::clone(indexer) as Rc<dyn KnownObjects>;
        let transformer = self.transform.clone();
        let metrics = self.metrics.as_ref().and_then(|metrics| metrics.of_queue(runtime));
        let real = |transformer, metrics| RealFifoOptions { transformer, metrics, ..RealFifoOptions::default() };
        match self.queue {
            QueueKind::AtomicRealFifo => Rc::new(RealFifo::atomic(real(transformer, metrics))),
            QueueKind::RealFifo => Rc::new(RealFifo::plain(known(), real(transformer, metrics))),
            QueueKind::DeltaFifo => Rc::new(DeltaFifo::new(DeltaFifoOptions {
                known_objects: Some(known()),
                emit_delta_type_replaced: true,
                transformer,
                metrics,
                ..DeltaFifoOptions::default()
            })),
        }
    }
}
