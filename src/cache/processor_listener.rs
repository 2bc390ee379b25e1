use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;

use super::event_handler::ResourceEventHandler;
use super::informer_metrics::Pending;
use super::latch::Latch;
use super::notification::{BACKLOG_LIMIT, Backlog, Notification};
use crate::runtime::{Moment, Runtime, Task, Turn};

/// One handler with what it has not been told yet (client-go: `processorListener` in `tools/cache/shared_informer.go`).
pub(super) struct ProcessorListener {
    backlog: RefCell<Backlog>,
    pending_of_all: Rc<Pending>,
    arrived: Event,
    /// Additions of the initial list that have not been delivered.
    initial_undelivered: Cell<usize>,
    upstream_synced: Cell<bool>,
    synced: Latch,
    resync: Resync,
    pub(super) task: RefCell<Option<Task>>,
}

/// When a handler is to be told of everything again.
struct Resync {
    /// Never when zero.
    period: Duration,
    next: Cell<Moment>,
    /// It takes part in the resync that goes on. A new handler takes part in whatever comes first.
    syncing: Cell<bool>,
}

/// How long a handler has peace after it panicked (client-go: `processorListener.run`).
const PAUSE_AFTER_PANIC: Duration = Duration::from_secs(1);
/// A call that is longer than this is noted while the handler lags (client-go: `processorListener.run`).
const SLOW_CALL: Duration = Duration::from_millis(100);

impl ProcessorListener {
    /// `resync_period` is how often the handler is told of everything again; never when zero.
    pub(super) fn new(backlog: Backlog, pending_of_all: Rc<Pending>, resync_period: Duration, now: Moment) -> Self {
        let next = Cell::new(now + resync_period);
        let resync = Resync { period: resync_period, next, syncing: Cell::new(true) };
        Self {
            backlog: RefCell::new(backlog),
            pending_of_all,
            arrived: Event::new(),
            initial_undelivered: Cell::new(0),
            upstream_synced: Cell::new(false),
            synced: Latch::default(),
            resync,
            task: RefCell::default(),
        }
    }

    pub(super) fn push(&self, notification: Notification) {
        if notification.is_initial() {
            self.initial_undelivered.set(self.initial_undelivered.get() + 1);
        }
        let initial_went = self.with_backlog(|backlog| backlog.push(notification));
        if initial_went {
            self.initial_delivered();
        }
        self.arrived.notify(1);
    }

    pub(super) fn pending(&self) -> usize {
        self.backlog.borrow().len()
    }

    fn with_backlog<R>(&self, change: impl FnOnce(&mut Backlog) -> R) -> R {
        let before = self.pending();
        let result = change(&mut self.backlog.borrow_mut());
        self.pending_of_all.changed(before, self.pending());
        result
    }

    /// Ends the delivery; what has not been told never is.
    pub(super) fn stop(&self) {
        // The task owns the listener and the listener the task: this is what lets both go.
        let task = self.task.take();
        drop(task);
        let rest = self.with_backlog(Backlog::take);
        drop(rest);
    }

    pub(super) fn upstream_has_synced(&self) {
        self.upstream_synced.set(true);
        self.see_whether_synced();
    }

    pub(super) fn has_synced(&self) -> bool {
        self.synced.is_set()
    }

    pub(super) async fn synced(self: Rc<Self>) {
        self.synced.wait().await;
    }

    pub(super) fn is_syncing(&self) -> bool {
        self.resync.syncing.get()
    }

    /// Decides whether the handler takes part in the resync that begins now.
    pub(super) fn begin_resync(&self, now: Moment) -> bool {
        let Resync { period, next, syncing } = &self.resync;
        let is_due = !period.is_zero() && now >= next.get();
        if is_due {
            next.set(now + *period);
        }
        syncing.set(is_due);
        is_due
    }

    fn initial_delivered(&self) {
        self.initial_undelivered.set(self.initial_undelivered.get() - 1);
        self.see_whether_synced();
    }

    fn see_whether_synced(&self) {
        if self.upstream_synced.get() && self.initial_undelivered.get() == 0 {
            self.synced.set();
        }
    }

    async fn next(&self) -> Notification {
        loop {
            if let Some(notification) = self.with_backlog(Backlog::pop) {
                return notification;
            }
            // Nothing arrives between the look and the first poll of this: there is one thread.
            self.arrived.listen().await;
        }
    }
}

/// Tells the handler everything that comes, one after the other, until it is dropped.
pub(super) async fn deliver(
    runtime: Runtime,
    listener: Rc<ProcessorListener>,
    handler: Rc<dyn ResourceEventHandler>,
    crash_on_panic: bool,
) {
    let mut turn = Turn::start(&runtime);
    loop {
        let notification = listener.next().await;
        let (began, lags) = (runtime.now(), listener.pending() > BACKLOG_LIMIT);
        let outcome = catch_unwind(AssertUnwindSafe(|| notification.tell(&*handler)));
        let took = runtime.now().since(began);
        if lags && took > SLOW_CALL {
            tracing::debug!(?took, pending = listener.pending(), "a handler is slow, and lags");
        }
        if notification.is_initial() {
            listener.initial_delivered();
        }
        if let Err(panic) = outcome {
            if crash_on_panic {
                resume_unwind(panic);
            }
            tracing::error!("a handler panicked; it goes on with the next notification in a second");
            runtime.sleep(PAUSE_AFTER_PANIC).await;
        }
        turn.pause_when_over().await;
    }
}
