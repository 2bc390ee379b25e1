//! The Prometheus client's metrics as the traits of [`metrics`](super::metrics).

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::{counter, gauge, histogram};

use super::metrics::{Counter, Gauge, Histogram};

impl Gauge for gauge::Gauge<f64, AtomicU64> {
    fn inc(&self) {
        self.inc();
    }

    fn dec(&self) {
        self.dec();
    }

    fn set(&self, value: f64) {
        self.set(value);
    }
}

impl Counter for counter::Counter {
    fn inc(&self) {
        self.inc();
    }
}

impl Histogram for histogram::Histogram {
    fn observe(&self, value: f64) {
        self.observe(value);
    }
}
