use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::runtime::metrics::{Counter, Gauge, Histogram};
use crate::runtime::{Moment, Runtime, Task};

/// Where the figures of queues go, each under its queue's name
/// (client-go: `util/workqueue/metrics.go`, `MetricsProvider`).
///
/// Times are in seconds. A queue without a name or without a provider keeps no figures.
pub trait MetricsProvider {
    /// How many items wait, with those that will wait again once their worker is done.
    fn new_depth_metric(&self, name: &str) -> Rc<dyn Gauge>;

    /// How many items were taken in.
    fn new_adds_metric(&self, name: &str) -> Rc<dyn Counter>;

    /// How long items waited until they were handed out.
    fn new_latency_metric(&self, name: &str) -> Rc<dyn Histogram>;

    /// How long workers had items.
    fn new_work_duration_metric(&self, name: &str) -> Rc<dyn Histogram>;

    /// How long all items that are in work have been so, together.
    fn new_unfinished_work_seconds_metric(&self, name: &str) -> Rc<dyn Gauge>;

    /// How long the item that is longest in work has been so.
    fn new_longest_running_processor_seconds_metric(&self, name: &str) -> Rc<dyn Gauge>;

    /// How many items were to be added later.
    fn new_retries_metric(&self, name: &str) -> Rc<dyn Counter>;

    /// In place of [`new_depth_metric`](Self::new_depth_metric) for queues with priorities, if it is told apart by them
    /// (controller-runtime: `pkg/internal/metrics/workqueue.go`).
    fn new_depth_metric_with_priority(&self, _name: &str) -> Option<Rc<dyn DepthByPriority>> {
        None
    }
}

/// How many items of each priority wait
/// (controller-runtime: `pkg/internal/metrics/workqueue.go`, `DepthMetricWithPriority`).
#[doc(alias = "DepthMetricWithPriority")]
pub trait DepthByPriority {
    /// One more of this priority waits.
    fn inc(&self, priority: i32);

    /// One less of this priority waits: it was handed out, or has another priority now.
    fn dec(&self, priority: i32);
}

/// The gauges of unfinished work are set this often.
const UNFINISHED_WORK_UPDATE_PERIOD: Duration = Duration::from_millis(500);

pub(super) fn new_retries_metric(name: &str, provider: Option<&Rc<dyn MetricsProvider>>) -> Option<Rc<dyn Counter>> {
    provider.filter(|_| !name.is_empty()).map(|provider| provider.new_retries_metric(name))
}

/// One queue's figures, and the times they are made of.
pub(super) struct QueueMetrics<T> {
    runtime: Runtime,
    depth: Depth,
    adds: Rc<dyn Counter>,
    latency: Rc<dyn Histogram>,
    work_duration: Rc<dyn Histogram>,
    unfinished_work_seconds: Rc<dyn Gauge>,
    longest_running_processor_seconds: Rc<dyn Gauge>,
    add_times: RefCell<FxHashMap<T, Moment>>,
    processing_start_times: RefCell<FxHashMap<T, Moment>>,
}

enum Depth {
    Whole(Rc<dyn Gauge>),
    ByPriority(Rc<dyn DepthByPriority>),
}

impl<T: Clone + Eq + Hash + 'static> QueueMetrics<T> {
    /// None for a queue that keeps no figures.
    pub(super) fn new(runtime: &Runtime, name: &str, provider: Option<&Rc<dyn MetricsProvider>>) -> Option<Rc<Self>> {
        let depth = |provider: &Rc<dyn MetricsProvider>| Depth::Whole(provider.new_depth_metric(name));
        Self::with_depth(runtime, name, provider, depth)
    }

    /// As [`new`](Self::new), for a queue with priorities.
    pub(super) fn with_priorities(
        runtime: &Runtime,
        name: &str,
        provider: Option<&Rc<dyn MetricsProvider>>,
    ) -> Option<Rc<Self>> {
        Self::with_depth(runtime, name, provider, |provider| match provider.new_depth_metric_with_priority(name) {
            Some(by_priority) => Depth::ByPriority(by_priority),
            None => Depth::Whole(provider.new_depth_metric(name)),
        })
    }

    fn with_depth(
        runtime: &Runtime,
        name: &str,
        provider: Option<&Rc<dyn MetricsProvider>>,
        depth: impl FnOnce(&Rc<dyn MetricsProvider>) -> Depth,
    ) -> Option<Rc<Self>> {
        let provider = provider.filter(|_| !name.is_empty())?;
        Some(Rc::new(Self {
            runtime: runtime.clone(),
            depth: depth(provider),
            adds: provider.new_adds_metric(name),
            latency: provider.new_latency_metric(name),
            work_duration: provider.new_work_duration_metric(name),
            unfinished_work_seconds: provider.new_unfinished_work_seconds_metric(name),
            longest_running_processor_seconds: provider.new_longest_running_processor_seconds_metric(name),
            add_times: RefCell::default(),
            processing_start_times: RefCell::default(),
        }))
    }

    /// The task that sets the gauges of unfinished work, until it is dropped.
    pub(super) fn start(self: &Rc<Self>) -> Task {
        let metrics = Rc::clone(self);
        self.runtime.spawn(async move {
            loop {
                metrics.runtime.sleep(UNFINISHED_WORK_UPDATE_PERIOD).await;
                metrics.update_unfinished_work();
            }
        })
    }

    /// So many items were taken in before there were figures.
    pub(super) fn start_with(&self, waiting: usize) {
        if let Depth::Whole(depth) = &self.depth {
            depth.set(waiting as f64);
        }
    }

    /// The item was taken in.
    pub(super) fn add(&self, item: &T, priority: i32) {
        self.add_times.borrow_mut().entry(item.clone()).or_insert_with(|| self.runtime.now());
        self.adds.inc();
        self.depth.inc(priority);
    }

    /// An item that waits changed its priority.
    pub(super) fn move_priority(&self, from: i32, to: i32) {
        if let Depth::ByPriority(depth) = &self.depth {
            depth.dec(from);
            depth.inc(to);
        }
    }

    /// The item was handed out.
    pub(super) fn get(&self, item: &T, priority: i32) {
        let now = self.runtime.now();
        self.processing_start_times.borrow_mut().insert(item.clone(), now);
        let added = self.add_times.borrow_mut().remove(item);
        self.depth.dec(priority);
        if let Some(added) = added {
            self.latency.observe(now.since(added).as_secs_f64());
        }
    }

    /// The item's worker is done with it.
    pub(super) fn done(&self, item: &T) {
        let started = self.processing_start_times.borrow_mut().remove(item);
        if let Some(started) = started {
            self.work_duration.observe(self.runtime.now().since(started).as_secs_f64());
        }
    }

    fn update_unfinished_work(&self) {
        let now = self.runtime.now();
        let started: Vec<_> = self.processing_start_times.borrow().values().copied().collect();
        let ages = started.into_iter().map(|started| now.since(started));
        let (total, oldest) =
            ages.fold((Duration::ZERO, Duration::ZERO), |(total, oldest), age| (total + age, oldest.max(age)));
        self.unfinished_work_seconds.set(total.as_secs_f64());
        self.longest_running_processor_seconds.set(oldest.as_secs_f64());
    }
}

impl Depth {
    fn inc(&self, priority: i32) {
        match self {
            Self::Whole(depth) => depth.inc(),
            Self::ByPriority(depth) => depth.inc(priority),
        }
    }

    fn dec(&self, priority: i32) {
        match self {
            Self::Whole(depth) => depth.dec(),
            Self::ByPriority(depth) => depth.dec(priority),
        }
    }
}
