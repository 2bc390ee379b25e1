//! Figures that a program may collect about itself.
//!
//! Whoever counts knows only these traits; who collects decides what is behind them.

#![deny(missing_docs)]

/// A number that goes up and down
/// (client-go: `util/workqueue/metrics.go`, `GaugeMetric` and `SettableGaugeMetric`).
#[doc(alias = "GaugeMetric")]
#[doc(alias = "SettableGaugeMetric")]
pub trait Gauge {
    /// One more.
    fn inc(&self);

    /// One less.
    fn dec(&self);

    /// The number is this now, whatever it was.
    fn set(&self, value: f64);
}

/// A number that only grows (client-go: `util/workqueue/metrics.go`, `CounterMetric`).
#[doc(alias = "CounterMetric")]
pub trait Counter {
    /// One more.
    fn inc(&self);
}

/// How often values of each size came (client-go: `util/workqueue/metrics.go`, `HistogramMetric`).
#[doc(alias = "HistogramMetric")]
#[doc(alias = "SummaryMetric")]
pub trait Histogram {
    /// A value has come, in the unit of whoever asked for the histogram: times are in seconds.
    fn observe(&self, value: f64);
}

/// Keeps nothing (client-go: `util/workqueue/metrics.go`, `noopMetric`).
///
/// ```
/// use watchglass::runtime::metrics::{Gauge, NullMetric};
///
/// let nowhere: &dyn Gauge = &NullMetric;
/// nowhere.set(1.0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NullMetric;

impl Gauge for NullMetric {
    fn inc(&self) {}

    fn dec(&self) {}

    fn set(&self, _value: f64) {}
}

impl Counter for NullMetric {
    fn inc(&self) {}
}

impl Histogram for NullMetric {
    fn observe(&self, _value: f64) {}
}
