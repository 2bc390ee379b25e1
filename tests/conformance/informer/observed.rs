use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use watchglass::api::{GroupVersionResource, LabelSelector};
use watchglass::cache::{
    InformerMetrics, InformerMetricsProvider, InformerNameAndResource, InformerNames, InformerOptions, QueueKind,
    SharedInformerFactory,
};
use watchglass::runtime::metrics::{Gauge, Histogram};
use watchglass::testing::Sandbox;

use super::Fixture;
use crate::fake_source::{FakeSource, pod};
use crate::recorder::Recorder;

/// The last value of each metric; of a histogram how many values it has had.
#[derive(Clone, Default)]
struct Metrics(Rc<RefCell<BTreeMap<&'static str, f64>>>);

struct Metric(Metrics, &'static str);

impl Gauge for Metric {
    fn inc(&self) {
        *self.0.0.borrow_mut().entry(self.1).or_default() += 1.0;
    }

    fn dec(&self) {
        *self.0.0.borrow_mut().entry(self.1).or_default() -= 1.0;
    }

    fn set(&self, value: f64) {
        self.0.0.borrow_mut().insert(self.1, value);
    }
}

impl Histogram for Metric {
    fn observe(&self, _value: f64) {
        *self.0.0.borrow_mut().entry(self.1).or_default() += 1.0;
    }
}

impl Metrics {
    fn metric(&self, name: &'static str) -> Rc<Metric> {
        Rc::new(Metric(self.clone(), name))
    }

    fn value(&self, name: &str) -> Option<f64> {
        self.0.borrow().get(name).copied()
    }
}

impl InformerMetricsProvider for Metrics {
    fn queued_items(&self, _: &InformerNameAndResource) -> Rc<dyn Gauge> {
        self.metric("queued")
    }

    fn processing_latency(&self, _: &InformerNameAndResource) -> Rc<dyn Histogram> {
        self.metric("latency")
    }

    fn store_resource_version(&self, _: &InformerNameAndResource) -> Rc<dyn Gauge> {
        self.metric("version")
    }

    fn pending_notifications(&self, _: &InformerNameAndResource) -> Rc<dyn Gauge> {
        self.metric("pending")
    }
}

/// kubernetes/kubernetes PR #137314, kubernetes/client-go#1326: what handlers have not been told can be watched;
/// client-go: `NewStoreResourceVersionMetric` and its neighbours.
#[test]
fn an_informer_with_a_name_keeps_metrics() {
    let (names, metrics) = (InformerNames::default(), Metrics::default());
    let name = names.register("explorer").unwrap();
    let identity = name.with_resource(GroupVersionResource::core("pods"));
    let provider = Rc::new(metrics.clone());
    let options =
        InformerOptions { metrics: Some(InformerMetrics { identity, provider }), ..InformerOptions::default() };
    let it = Fixture::with(&["a", "b", "c"], options);
    let recorder = Recorder::new();
    recorder.during_each_call(|| panic!("it rests for a second after this"));
    let registration = it.add(&recorder);
    it.run();
    assert_eq!(
        (metrics.value("version"), metrics.value("queued"), metrics.value("latency")),
        (Some(3.0), Some(0.0), Some(1.0))
    );
    assert_eq!((metrics.value("pending"), registration.pending()), (Some(2.0), 2));
    it.sandbox.advance(Duration::from_secs(1));
    assert_eq!(metrics.value("pending"), Some(1.0));
    drop(registration);
    assert_eq!((metrics.value("pending"), it.informer.pending_notifications()), (Some(0.0), 0));
    let _again = it.add(&Recorder::new());
    assert_eq!(metrics.value("pending"), Some(3.0));
    it.stop.borrow_mut().stop();
    it.sandbox.run_until_idle();
    assert_eq!(metrics.value("pending"), Some(0.0));

    let second = name.with_resource(GroupVersionResource::core("pods"));
    let silent = Metrics::default();
    let metrics = Some(InformerMetrics { identity: second, provider: Rc::new(silent.clone()) });
    let it = Fixture::with(&["a"], InformerOptions { metrics, ..InformerOptions::default() });
    it.run();
    assert!(silent.0.borrow().is_empty(), "the name is taken for this resource");
}

#[test]
fn whatever_its_queue_an_informer_tells_how_full_and_how_slow_it_is() {
    for queue in [QueueKind::AtomicRealFifo, QueueKind::RealFifo, QueueKind::DeltaFifo] {
        let (names, metrics) = (InformerNames::default(), Metrics::default());
        let name = names.register("explorer").unwrap();
        let identity = name.with_resource(GroupVersionResource::core("pods"));
        let provider = Rc::new(metrics.clone());
        let metrics_options = Some(InformerMetrics { identity, provider });
        let it = Fixture::with(&["a", "b"], InformerOptions { metrics: metrics_options, queue, ..Default::default() });
        it.run();
        assert_eq!(metrics.value("queued"), Some(0.0), "{queue:?}");
        assert!(metrics.value("latency").is_some(), "{queue:?}");
    }
}

/// client-go: `ForResource`, `GenericInformer`.
#[test]
fn a_factory_gives_the_informer_with_its_lister() {
    let (sandbox, source) = (Sandbox::new(), FakeSource::default());
    source.put(pod("a"));
    let mut labelled = pod("b");
    labelled.metadata.labels.insert("app".into(), "web".into());
    source.put(labelled);
    let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(source));
    let generic = factory.for_resource(&GroupVersionResource::core("pods"));
    factory.start();
    sandbox.block_on(factory.wait_for_cache_sync());
    assert!(generic.informer.has_synced());
    let selector: LabelSelector = "app=web".parse().unwrap();
    assert_eq!(generic.lister.list(&selector).len(), 1);
    assert_eq!(generic.lister.by_namespace("ns").get("a").unwrap().name(), "a");
    let missing = generic.lister.by_namespace("ns").get("c").unwrap_err();
    assert!(missing.is_not_found(), "{missing}");
}
