//! The queues' figures under the names that Kubernetes' components give them, in the text format Prometheus reads.
//!
//! ```
//! # #[cfg(feature = "testing")] {
//! use std::rc::Rc;
//! use watchglass::testing::Sandbox;
//! use watchglass::workqueue::prometheus::{PrometheusMetricsProvider, Registry, text};
//! use watchglass::workqueue::{Queue, QueueConfig};
//!
//! let mut registry = Registry::default();
//! let provider = PrometheusMetricsProvider::register(&mut registry);
//! let sandbox = Sandbox::new();
//! let config = QueueConfig { name: "pods".into(), metrics_provider: Some(Rc::new(provider)), ..Default::default() };
//! let queue = Queue::with_config(&sandbox.runtime(), config);
//! queue.add("default/web-0");
//! assert!(text(&registry).unwrap().contains("workqueue_depth{name=\"pods\"} 1.0"));
//! # }
//! ```

use std::fmt;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
pub use prometheus_client::registry::Registry;

use super::{DepthByPriority, MetricsProvider};
use crate::runtime::metrics;

/// What a registry holds, as text (OpenMetrics 1.0, which Prometheus reads; client-go has no such thing).
///
/// # Errors
/// When one of the metrics cannot be written.
pub fn text(registry: &Registry) -> Result<String, fmt::Error> {
    let mut text = String::new();
    encode(&mut text, registry)?;
    Ok(text)
}

type Labels = Vec<(&'static str, String)>;
type FloatGauge = Gauge<f64, AtomicU64>;
type Histograms = Family<Labels, Histogram, fn() -> Histogram>;

/// The figures of all queues, apart by the label `name`
/// (Kubernetes: `staging/src/k8s.io/component-base/metrics/prometheus/workqueue/metrics.go`).
///
/// Queues with priorities tell their depth apart by the label `priority` too, as controller-runtime's do.
#[derive(Clone, Debug)]
pub struct PrometheusMetricsProvider {
    depth: Family<Labels, FloatGauge>,
    adds: Family<Labels, Counter>,
    latency: Histograms,
    work_duration: Histograms,
    unfinished_work_seconds: Family<Labels, FloatGauge>,
    longest_running_processor_seconds: Family<Labels, FloatGauge>,
    retries: Family<Labels, Counter>,
}

impl PrometheusMetricsProvider {
    /// Adds the metrics of all queues to the registry. To be called once for a registry.
    pub fn register(registry: &mut Registry) -> Self {
        let this = Self {
            depth: Family::default(),
            adds: Family::default(),
            latency: Family::new_with_constructor(seconds as fn() -> Histogram),
            work_duration: Family::new_with_constructor(seconds as fn() -> Histogram),
            unfinished_work_seconds: Family::default(),
            longest_running_processor_seconds: Family::default(),
            retries: Family::default(),
        };
        let registry = registry.sub_registry_with_prefix("workqueue");
        registry.register("depth", "How many items wait", this.depth.clone());
        // The text format appends `_total` to counters.
        registry.register("adds", "How many items were taken in", this.adds.clone());
        registry.register("queue_duration_seconds", "How long items waited", this.latency.clone());
        registry.register("work_duration_seconds", "How long items were in work", this.work_duration.clone());
        let (unfinished, longest) = (&this.unfinished_work_seconds, &this.longest_running_processor_seconds);
        registry.register("unfinished_work_seconds", "How long all items in work have been so", unfinished.clone());
        let help = "How long the item longest in work has been so";
        registry.register("longest_running_processor_seconds", help, longest.clone());
        registry.register("retries", "How many items were to be added later", this.retries.clone());
        this
    }
}

/// Kubernetes' buckets: 10 ns to 10 s, each ten times the one before.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(1e-8, 10.0, 10))
}

fn labels(name: &str) -> Labels {
    vec![("name", name.to_owned())]
}

impl MetricsProvider for PrometheusMetricsProvider {
    fn new_depth_metric(&self, name: &str) -> Rc<dyn metrics::Gauge> {
        Rc::new(self.depth.get_or_create(&labels(name)).clone())
    }

    fn new_adds_metric(&self, name: &str) -> Rc<dyn metrics::Counter> {
        Rc::new(self.adds.get_or_create(&labels(name)).clone())
    }

    fn new_latency_metric(&self, name: &str) -> Rc<dyn metrics::Histogram> {
        Rc::new(self.latency.get_or_create(&labels(name)).clone())
    }

    fn new_work_duration_metric(&self, name: &str) -> Rc<dyn metrics::Histogram> {
        Rc::new(self.work_duration.get_or_create(&labels(name)).clone())
    }

    fn new_unfinished_work_seconds_metric(&self, name: &str) -> Rc<dyn metrics::Gauge> {
        Rc::new(self.unfinished_work_seconds.get_or_create(&labels(name)).clone())
    }

    fn new_longest_running_processor_seconds_metric(&self, name: &str) -> Rc<dyn metrics::Gauge> {
        Rc::new(self.longest_running_processor_seconds.get_or_create(&labels(name)).clone())
    }

    fn new_retries_metric(&self, name: &str) -> Rc<dyn metrics::Counter> {
        Rc::new(self.retries.get_or_create(&labels(name)).clone())
    }

    fn new_depth_metric_with_priority(&self, name: &str) -> Option<Rc<dyn DepthByPriority>> {
        Some(Rc::new(Depths { depth: self.depth.clone(), name: name.to_owned() }))
    }
}

struct Depths {
    depth: Family<Labels, FloatGauge>,
    name: String,
}

impl Depths {
    fn labels(&self, priority: i32) -> Labels {
        vec![("name", self.name.clone()), ("priority", priority.to_string())]
    }
}

impl DepthByPriority for Depths {
    fn inc(&self, priority: i32) {
        self.depth.get_or_create(&self.labels(priority)).inc();
    }

    fn dec(&self, priority: i32) {
        self.depth.get_or_create(&self.labels(priority)).dec();
    }
}
