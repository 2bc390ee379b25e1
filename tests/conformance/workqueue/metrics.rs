use std::rc::Rc;
use std::time::Duration;

use watchglass::runtime::Runtime;
use watchglass::testing::Sandbox;
use watchglass::workqueue::prometheus::{PrometheusMetricsProvider, Registry, text};
use watchglass::workqueue::{
    AddOptions, DelayingQueue, DelayingQueueConfig, ItemExponentialFailureRateLimiter, MetricsProvider, PriorityQueue,
    PriorityQueueConfig, Queue, QueueConfig, RateLimitingQueue, RateLimitingQueueConfig,
};

use super::figures::Figures;
use super::millis;

fn queue_with(runtime: &Runtime, name: &str, provider: Rc<dyn MetricsProvider>) -> Queue<&'static str> {
    let config = QueueConfig { name: name.into(), metrics_provider: Some(provider), ..QueueConfig::default() };
    Queue::with_config(runtime, config)
}

/// client-go: `TestMetricShutdown`; kubernetes/kubernetes PR #135072, PR #133524, prometheus/prometheus#7692,
/// argoproj/argo-workflows#7493.
#[test]
fn no_gauge_is_set_after_a_shut_down() {
    let sandbox = Sandbox::new();
    for drain in [false, true] {
        let figures = Rc::new(Figures::default());
        let queue = queue_with(&sandbox.runtime(), "test", figures.clone());
        sandbox.advance(millis(499));
        assert_eq!(figures.unfinished.sets(), 0);
        sandbox.advance(millis(1));
        assert_eq!((figures.unfinished.sets(), figures.longest.sets()), (1, 1));
        sandbox.advance(millis(500));
        assert_eq!(figures.unfinished.sets(), 2);
        if drain {
            sandbox.block_on(queue.shut_down_with_drain());
        } else {
            queue.shut_down();
        }
        sandbox.run_until_idle();
        assert_eq!(sandbox.clock().next_deadline(), None, "the task is gone");
        sandbox.advance(Duration::from_secs(3600));
        assert_eq!((figures.unfinished.sets(), figures.longest.sets()), (2, 2));
    }
}

#[test]
fn a_queue_may_be_measured_for_a_while() {
    let (sandbox, figures) = (Sandbox::new(), Rc::new(Figures::default()));
    let (queue, runtime) = (Queue::new(), sandbox.runtime());
    queue.add("before");
    let provider: Rc<dyn MetricsProvider> = figures.clone();
    queue.observe(&runtime, "test", Some(&provider));
    assert_eq!(figures.depth.value(), 1.0);
    queue.add("during");
    sandbox.advance(millis(2));
    while let Some(item) = queue.try_get() {
        queue.done(&item);
    }
    assert_eq!((figures.adds.value(), figures.depth.value()), (1.0, 0.0));
    assert_eq!(figures.latency.observed(), [2e-3], "of what waited before it is not known");
    assert_eq!(figures.work_duration.observed(), [0.0, 0.0]);
    queue.observe(&runtime, "test", None);
    queue.add("after");
    sandbox.run_until_idle();
    assert_eq!((figures.adds.value(), sandbox.clock().next_deadline()), (1.0, None));
}

#[test]
fn the_gauges_end_with_the_last_handle() {
    let sandbox = Sandbox::new();
    let queue = queue_with(&sandbox.runtime(), "test", Rc::new(Figures::default()));
    sandbox.run_until_idle();
    let other = queue.clone();
    drop(queue);
    assert!(sandbox.clock().next_deadline().is_some());
    drop(other);
    sandbox.run_until_idle();
    assert_eq!(sandbox.clock().next_deadline(), None);
}

/// client-go: `TestMetrics`.
#[test]
fn a_queue_s_figures_follow_an_item_through_it() {
    let (sandbox, figures) = (Sandbox::new(), Rc::new(Figures::default()));
    let micros = |micros| sandbox.advance(Duration::from_micros(micros));
    let queue = queue_with(&sandbox.runtime(), "test", figures.clone());
    assert!(figures.names.borrow().iter().all(|name| name == "test"));
    queue.add("foo");
    queue.add("foo");
    assert_eq!((figures.adds.value(), figures.depth.value()), (1.0, 1.0));
    micros(50);
    assert_eq!(queue.try_get(), Some("foo"));
    assert_eq!((figures.latency.observed(), figures.depth.value()), (vec![5e-5], 0.0));
    (0..5).for_each(|_| queue.add("foo"));
    assert_eq!((figures.adds.value(), figures.depth.value(), queue.len()), (2.0, 1.0, 0));
    micros(25);
    queue.done(&"foo");
    assert_eq!((figures.work_duration.observed(), figures.depth.value()), (vec![2.5e-5], 1.0));
    assert_eq!(queue.try_get(), Some("foo"));
    assert_eq!(figures.latency.observed(), [5e-5, 2.5e-5]);
    micros(1000);
    queue.done(&"other");
    queue.done(&"foo");
    queue.done(&"foo");
    assert_eq!(figures.work_duration.observed(), [2.5e-5, 1e-3]);
    assert_eq!((figures.adds.value(), figures.depth.value()), (2.0, 0.0));
    queue.shut_down();
    queue.add("late");
    assert_eq!((figures.adds.value(), figures.depth.value()), (2.0, 0.0));
}

/// client-go: `TestMetrics`.
#[test]
fn unfinished_work_is_the_sum_of_its_ages_and_the_longest_the_oldest() {
    let (sandbox, figures) = (Sandbox::new(), Rc::new(Figures::default()));
    let queue = queue_with(&sandbox.runtime(), "test", figures.clone());
    queue.add("first");
    queue.add("second");
    assert!(queue.try_get().is_some());
    sandbox.advance(millis(200));
    assert!(queue.try_get().is_some());
    sandbox.advance(millis(300));
    assert_eq!((figures.unfinished.value(), figures.longest.value()), (0.8, 0.5));
    queue.done(&"first");
    sandbox.advance(millis(500));
    assert_eq!((figures.unfinished.value(), figures.longest.value()), (0.8, 0.8));
    queue.done(&"second");
    sandbox.advance(millis(500));
    assert_eq!((figures.unfinished.value(), figures.longest.value()), (0.0, 0.0));
}

#[test]
fn a_queue_without_a_name_or_a_provider_keeps_no_figures() {
    let (sandbox, figures) = (Sandbox::new(), Rc::new(Figures::default()));
    let unnamed = queue_with(&sandbox.runtime(), "", figures.clone());
    unnamed.add("item");
    let name = || "test".to_owned();
    let none: Queue<&str> =
        Queue::with_config(&sandbox.runtime(), QueueConfig { name: name(), ..QueueConfig::default() });
    none.add("item");
    let provider: Option<Rc<dyn MetricsProvider>> = Some(figures.clone());
    let config = DelayingQueueConfig { metrics_provider: provider, ..DelayingQueueConfig::default() };
    let delaying = DelayingQueue::with_config(&sandbox.runtime(), config);
    delaying.add_after("item", Duration::ZERO);
    sandbox.run_until_idle();
    assert_eq!(sandbox.clock().next_deadline(), None, "no gauge is to be set");
    assert!(figures.names.borrow().is_empty());
    assert_eq!((figures.adds.value(), figures.retries.value()), (0.0, 0.0));
}

#[test]
fn each_call_to_add_later_is_a_retry() {
    let (sandbox, figures) = (Sandbox::new(), Rc::new(Figures::default()));
    let provider: Option<Rc<dyn MetricsProvider>> = Some(figures.clone());
    let config = RateLimitingQueueConfig {
        name: "test".into(),
        metrics_provider: provider,
        ..RateLimitingQueueConfig::default()
    };
    let limiter = ItemExponentialFailureRateLimiter::new(millis(1), millis(100));
    let queue = RateLimitingQueue::with_config(&sandbox.runtime(), Rc::new(limiter), config);
    queue.add_after("item", Duration::ZERO);
    queue.add_after("item", millis(10));
    queue.add_after("item", millis(20));
    queue.add_rate_limited("other");
    assert_eq!((figures.retries.value(), figures.adds.value()), (4.0, 1.0));
    queue.shut_down();
    queue.add_after("late", millis(1));
    assert_eq!(figures.retries.value(), 4.0);
}

#[test]
fn the_exporter_writes_what_prometheus_reads_under_kubernetes_names() {
    let (sandbox, mut registry) = (Sandbox::new(), Registry::default());
    let provider: Rc<dyn MetricsProvider> = Rc::new(PrometheusMetricsProvider::register(&mut registry));
    let (name, metrics_provider) = ("pods".to_owned(), Some(Rc::clone(&provider)));
    let config = DelayingQueueConfig { name, metrics_provider, queue: None };
    let queue = DelayingQueue::with_config(&sandbox.runtime(), config);
    let other = queue_with(&sandbox.runtime(), "nodes", Rc::clone(&provider));
    ["a", "b", "c"].iter().for_each(|item| queue.add(*item));
    other.add("n");
    queue.add_after("d", millis(1));
    sandbox.advance(millis(50));
    assert_eq!((queue.try_get(), queue.try_get()), (Some("a"), Some("b")));
    sandbox.advance(millis(500));
    queue.done(&"a");
    let config = PriorityQueueConfig { name: "urgent".into(), metrics_provider: Some(provider), ..Default::default() };
    let urgent = PriorityQueue::with_config(&sandbox.runtime(), config);
    urgent.add_with_options(AddOptions { priority: -100, ..AddOptions::default() }, ["x", "y"]);
    urgent.add_with_options(AddOptions { priority: 3, ..AddOptions::default() }, ["x"]);
    let text = text(&registry).unwrap();
    let lines: Vec<_> = text.lines().collect();
    for line in [
        "workqueue_depth{name=\"pods\"} 2.0",
        "workqueue_depth{name=\"nodes\"} 1.0",
        "workqueue_depth{name=\"urgent\",priority=\"-100\"} 1.0",
        "workqueue_depth{name=\"urgent\",priority=\"3\"} 1.0",
        "workqueue_adds_total{name=\"pods\"} 4",
        "workqueue_retries_total{name=\"pods\"} 1",
        "workqueue_queue_duration_seconds_count{name=\"pods\"} 2",
        "workqueue_queue_duration_seconds_sum{name=\"pods\"} 0.1",
        "workqueue_queue_duration_seconds_bucket{le=\"0.01\",name=\"pods\"} 0",
        "workqueue_work_duration_seconds_sum{name=\"pods\"} 0.5",
        "workqueue_unfinished_work_seconds{name=\"pods\"} 0.9",
        "workqueue_longest_running_processor_seconds{name=\"pods\"} 0.45",
        "# TYPE workqueue_depth gauge",
        "# TYPE workqueue_adds counter",
        "# TYPE workqueue_work_duration_seconds histogram",
    ] {
        assert!(lines.contains(&line), "{line} is missing in\n{text}");
    }
    let bounds = lines
        .iter()
        .filter(|line| line.starts_with("workqueue_work_duration_seconds_bucket{") && line.contains("pods"));
    assert_eq!(bounds.count(), 11, "ten of them and one without an end");
}
