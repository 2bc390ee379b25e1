use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use watchglass::runtime::metrics::{Counter, Gauge, Histogram};
use watchglass::workqueue::{DepthByPriority, MetricsProvider};

/// One figure, whatever kind it is of.
#[derive(Default)]
pub(super) struct Figure {
    value: Cell<f64>,
    sets: Cell<usize>,
    observed: RefCell<Vec<f64>>,
}

impl Figure {
    pub(super) fn value(&self) -> f64 {
        self.value.get()
    }

    /// How many times a gauge was set.
    pub(super) fn sets(&self) -> usize {
        self.sets.get()
    }

    pub(super) fn observed(&self) -> Vec<f64> {
        self.observed.borrow().clone()
    }
}

impl Gauge for Figure {
    fn inc(&self) {
        self.value.set(self.value.get() + 1.0);
    }

    fn dec(&self) {
        self.value.set(self.value.get() - 1.0);
    }

    fn set(&self, value: f64) {
        self.value.set(value);
        self.sets.set(self.sets.get() + 1);
    }
}

impl Counter for Figure {
    fn inc(&self) {
        Gauge::inc(self);
    }
}

impl Histogram for Figure {
    fn observe(&self, value: f64) {
        self.observed.borrow_mut().push(value);
    }
}

/// How many wait, by priority.
#[derive(Default)]
pub(super) struct Depths(RefCell<BTreeMap<i32, i64>>);

impl Depths {
    pub(super) fn get(&self) -> BTreeMap<i32, i64> {
        self.0.borrow().clone()
    }

    fn change(&self, priority: i32, by: i64) {
        let mut depths = self.0.borrow_mut();
        let depth = depths.entry(priority).or_default();
        *depth += by;
        assert!(*depth >= 0, "a depth of {depth} for priority {priority}");
    }
}

impl DepthByPriority for Depths {
    fn inc(&self, priority: i32) {
        self.change(priority, 1);
    }

    fn dec(&self, priority: i32) {
        self.change(priority, -1);
    }
}

/// The figures of one queue, and the names that were asked for.
#[derive(Default)]
pub(super) struct Figures {
    pub(super) names: RefCell<Vec<String>>,
    pub(super) depth: Rc<Figure>,
    pub(super) adds: Rc<Figure>,
    pub(super) latency: Rc<Figure>,
    pub(super) work_duration: Rc<Figure>,
    pub(super) unfinished: Rc<Figure>,
    pub(super) longest: Rc<Figure>,
    pub(super) retries: Rc<Figure>,
    /// Whether the depth is told apart by priority.
    pub(super) by_priority: bool,
    pub(super) depths: Rc<Depths>,
}

impl Figures {
    fn named(&self, name: &str, figure: &Rc<Figure>) -> Rc<Figure> {
        self.names.borrow_mut().push(name.to_owned());
        Rc::clone(figure)
    }
}

impl MetricsProvider for Figures {
    fn new_depth_metric(&self, name: &str) -> Rc<dyn Gauge> {
        self.named(name, &self.depth)
    }

    fn new_adds_metric(&self, name: &str) -> Rc<dyn Counter> {
        self.named(name, &self.adds)
    }

    fn new_latency_metric(&self, name: &str) -> Rc<dyn Histogram> {
        self.named(name, &self.latency)
    }

    fn new_work_duration_metric(&self, name: &str) -> Rc<dyn Histogram> {
        self.named(name, &self.work_duration)
    }

    fn new_unfinished_work_seconds_metric(&self, name: &str) -> Rc<dyn Gauge> {
        self.named(name, &self.unfinished)
    }

    fn new_longest_running_processor_seconds_metric(&self, name: &str) -> Rc<dyn Gauge> {
        self.named(name, &self.longest)
    }

    fn new_retries_metric(&self, name: &str) -> Rc<dyn Counter> {
        self.named(name, &self.retries)
    }

    fn new_depth_metric_with_priority(&self, _name: &str) -> Option<Rc<dyn DepthByPriority>> {
        self.by_priority.then(|| Rc::clone(&self.depths) as Rc<dyn DepthByPriority>)
    }
}
