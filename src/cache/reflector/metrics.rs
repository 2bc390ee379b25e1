use std::time::Duration;

/// What a reflector measures (client-go: `tools/cache/reflector_metrics.go`, which nothing there calls any more).
pub trait ReflectorMetrics {
    /// A whole list has come: how long it took, and how many objects are in it.
    fn listed(&self, duration: Duration, items: usize);

    /// A watch has ended: how long it was open, how many events came, and whether it was too short to be of use.
    fn watched(&self, duration: Duration, events: usize, short: bool);

    /// The resourceVersion up to which the reflector has come.
    fn last_resource_version(&self, resource_version: &str);
}

/// Measures nothing (client-go: `tools/cache/reflector_metrics.go`, `noopMetricsProvider`).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoReflectorMetrics;

impl ReflectorMetrics for NoReflectorMetrics {
    fn listed(&self, _duration: Duration, _items: usize) {}

    fn watched(&self, _duration: Duration, _events: usize, _short: bool) {}

    fn last_resource_version(&self, _resource_version: &str) {}
}
