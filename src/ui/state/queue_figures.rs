use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;

use super::{LiveTable, Session, Tables};
use crate::runtime::metrics::{Counter, Gauge, Histogram};
use crate::view::queues::{QueueLine, Timing};
use crate::workqueue::MetricsProvider;

/// Measures the tables' queues from its first look until [`end`](Self::end): each key costs a look at the clock.
pub(crate) struct QueueWatch {
    session: Session,
    tables: Tables,
    seen: Vec<(LiveTable, Rc<QueueFigures>)>,
}

impl QueueWatch {
    pub(crate) const fn new(session: Session, tables: Tables) -> Self {
        Self { session, tables, seen: Vec::new() }
    }

    /// How all of them are now.
    pub(crate) fn look(&mut self) -> Vec<QueueLine> {
        let tables = untrack(|| self.tables.all());
        self.seen.retain(|(table, _)| tables.contains(table));
        for table in tables {
            if !self.seen.iter().any(|(seen, _)| *seen == table) {
                let figures = Rc::<QueueFigures>::default();
                let provider: Rc<dyn MetricsProvider> = Rc::clone(&figures) as _;
                table.observe(&self.session.runtime(), Some(&provider));
                self.seen.push((table, figures));
            }
        }
        self.seen.iter().map(|(table, figures)| figures.line(table.served().to_string())).collect()
    }

    /// Measures none any more.
    pub(crate) fn end(&mut self) {
        for (table, _) in self.seen.drain(..) {
            table.observe(&self.session.runtime(), None);
        }
    }
}

/// A number of any sort; times are in seconds.
#[derive(Default)]
struct Figure {
    level: Cell<f64>,
    times: RefCell<Timing>,
}

impl Gauge for Figure {
    fn inc(&self) {
        self.set(self.level.get() + 1.0);
    }

    fn dec(&self) {
        self.set(self.level.get() - 1.0);
    }

    fn set(&self, value: f64) {
        self.level.set(value);
    }
}

impl Counter for Figure {
    fn inc(&self) {
        Gauge::inc(self);
    }
}

impl Histogram for Figure {
    fn observe(&self, value: f64) {
        self.times.borrow_mut().observe(micros(value));
    }
}

/// Those of one queue.
#[derive(Default)]
struct QueueFigures {
    depth: Rc<Figure>,
    adds: Rc<Figure>,
    latency: Rc<Figure>,
    work_duration: Rc<Figure>,
    unfinished_work_seconds: Rc<Figure>,
    longest_running_processor_seconds: Rc<Figure>,
    retries: Rc<Figure>,
}

impl QueueFigures {
    fn line(&self, name: String) -> QueueLine {
        let count = |figure: &Figure| figure.level.get() as u64;
        let time = |figure: &Figure| micros(figure.level.get());
        QueueLine {
            name,
            depth: count(&self.depth),
            adds: count(&self.adds),
            latency: *self.latency.times.borrow(),
            work: *self.work_duration.times.borrow(),
            unfinished_us: time(&self.unfinished_work_seconds),
            longest_running_us: time(&self.longest_running_processor_seconds),
            retries: count(&self.retries),
        }
    }
}

impl MetricsProvider for QueueFigures {
    fn new_depth_metric(&self, _name: &str) -> Rc<dyn Gauge> {
        Rc::clone(&self.depth) as _
    }

    fn new_adds_metric(&self, _name: &str) -> Rc<dyn Counter> {
        Rc::clone(&self.adds) as _
    }

    fn new_latency_metric(&self, _name: &str) -> Rc<dyn Histogram> {
        Rc::clone(&self.latency) as _
    }

    fn new_work_duration_metric(&self, _name: &str) -> Rc<dyn Histogram> {
        Rc::clone(&self.work_duration) as _
    }

    fn new_unfinished_work_seconds_metric(&self, _name: &str) -> Rc<dyn Gauge> {
        Rc::clone(&self.unfinished_work_seconds) as _
    }

    fn new_longest_running_processor_seconds_metric(&self, _name: &str) -> Rc<dyn Gauge> {
        Rc::clone(&self.longest_running_processor_seconds) as _
    }

    fn new_retries_metric(&self, _name: &str) -> Rc<dyn Counter> {
        Rc::clone(&self.retries) as _
    }
}

fn micros(seconds: f64) -> u64 {
    (seconds * 1e6) as u64
}
