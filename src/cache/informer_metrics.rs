use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use super::identity::InformerNameAndResource;
use super::queue_core::QueueMetrics;
use crate::runtime::Runtime;
use crate::runtime::metrics::{Gauge, Histogram};

/// Gives an informer the metrics that it keeps
/// (client-go: `tools/cache/informer_metrics.go`, `InformerMetricsProvider`).
pub trait InformerMetricsProvider {
    /// How many changes wait between the reflector and the store.
    fn queued_items(&self, informer: &InformerNameAndResource) -> Rc<dyn Gauge>;

    /// How long it took to bring changes into the store, in seconds.
    fn processing_latency(&self, informer: &InformerNameAndResource) -> Rc<dyn Histogram>;

    /// The last 15 digits of the store's resourceVersion: more than a gauge can hold exactly.
    fn store_resource_version(&self, informer: &InformerNameAndResource) -> Rc<dyn Gauge>;

    /// How many notifications all handlers together have not been told yet. client-go has no such metric
    /// (kubernetes/kubernetes#121474).
    fn pending_notifications(&self, informer: &InformerNameAndResource) -> Rc<dyn Gauge>;
}

/// Who keeps an informer's metrics, and under which name. Nothing is kept unless the name was the first of its kind:
/// see [`InformerNameAndResource::reserved`]
/// (client-go: `tools/cache/informer_metrics.go`, which has one provider for the whole process).
#[derive(Clone)]
pub struct InformerMetrics {
    /// The labels of all its metrics.
    pub identity: InformerNameAndResource,
    /// Asked once for each metric, when the informer is made or started.
    pub provider: Rc<dyn InformerMetricsProvider>,
}

impl InformerMetrics {
    fn reserved(&self) -> Option<(&InformerNameAndResource, &dyn InformerMetricsProvider)> {
        self.identity.reserved().then_some((&self.identity, &*self.provider))
    }

    pub(super) fn of_queue(&self, runtime: &Runtime) -> Option<QueueMetrics> {
        let (identity, provider) = self.reserved()?;
        let (queued, latency) = (provider.queued_items(identity), provider.processing_latency(identity));
        Some(QueueMetrics {
            clock: Rc::clone(&runtime.clock),
            queued_items: Rc::new(move |count| queued.set(count as f64)),
            processing_latency: Rc::new(move |took| latency.observe(took.as_secs_f64())),
        })
    }

    pub(super) fn of_store(&self) -> Option<Rc<dyn Fn(u64)>> {
        let (identity, provider) = self.reserved()?;
        let version = provider.store_resource_version(identity);
        Some(Rc::new(move |digits| version.set(digits as f64)))
    }

    pub(super) fn of_handlers(&self) -> Option<Rc<dyn Gauge>> {
        self.reserved().map(|(identity, provider)| provider.pending_notifications(identity))
    }
}

impl fmt::Debug for InformerMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerMetrics").field("name", &self.identity.name()).finish_non_exhaustive()
    }
}

/// Counts what all handlers of an informer have not been told yet.
#[derive(Default)]
pub(super) struct Pending {
    count: Cell<usize>,
    gauge: Option<Rc<dyn Gauge>>,
}

impl Pending {
    pub(super) fn new(gauge: Option<Rc<dyn Gauge>>) -> Self {
        Self { count: Cell::new(0), gauge }
    }

    /// One handler's share has changed.
    pub(super) fn changed(&self, before: usize, after: usize) {
        self.count.set(self.count.get() + after - before);
        if let Some(gauge) = &self.gauge {
            gauge.set(self.count.get() as f64);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count.get()
    }
}
