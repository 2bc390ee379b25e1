use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::future::LocalBoxFuture;
use indexmap::IndexMap;

use super::event_handler::ResourceEventHandler;
use super::informer_metrics::{InformerMetrics, Pending};
use super::informer_options::InformerOptions;
use super::notification::{Backlog, Notification};
use super::processor_listener::{ProcessorListener, deliver};
use super::wait::DoneChecker;
use crate::api::Object;
use crate::runtime::Runtime;

/// Gives each notification to each handler, by a queue and a task of the handler's own: a slow one holds up no other
/// (client-go: `sharedProcessor` in `tools/cache/shared_informer.go`).
pub(super) struct SharedProcessor {
    runtime: Runtime,
    backlog_limit: Option<usize>,
    crash_on_panic: bool,
    pending: Rc<Pending>,
    listeners: RefCell<IndexMap<u64, Rc<ProcessorListener>>>,
    next_id: Cell<u64>,
    upstream_synced: Cell<bool>,
}

/// Handlers by number, and whether each takes part in the resync that goes on.
pub(super) struct Audience(Vec<(u64, bool)>);

impl SharedProcessor {
    pub(super) fn new(runtime: Runtime, options: &InformerOptions) -> Self {
        let gauge = options.metrics.as_ref().and_then(InformerMetrics::of_handlers);
        Self {
            runtime,
            backlog_limit: options.backlog_limit(),
            crash_on_panic: options.crash_on_handler_panic,
            pending: Rc::new(Pending::new(gauge)),
            listeners: RefCell::default(),
            next_id: Cell::new(0),
            upstream_synced: Cell::new(false),
        }
    }

    /// Adds a handler and gives it what the store holds already.
    pub(super) fn add(
        self: &Rc<Self>,
        handler: Rc<dyn ResourceEventHandler>,
        name: String,
        existing: Vec<Object>,
        resync_period: Duration,
    ) -> Registration {
        let id = self.next_id.replace(self.next_id.get() + 1);
        let now = self.runtime.now();
        let (backlog, pending) = (Backlog::new(self.backlog_limit), Rc::clone(&self.pending));
        let listener = Rc::new(ProcessorListener::new(backlog, pending, resync_period, now));
        for object in existing {
            listener.push(Notification::Add { object, is_in_initial_list: true });
        }
        if self.upstream_synced.get() {
            listener.upstream_has_synced();
        }
        let delivery = deliver(self.runtime.clone(), listener.clone(), handler, self.crash_on_panic);
        listener.task.replace(Some(self.runtime.spawn(delivery)));
        self.listeners.borrow_mut().insert(id, listener.clone());
        Registration { processor: Rc::downgrade(self), listener, id, name }
    }

    /// Those who are to be told of a change that the store has taken in now.
    pub(super) fn audience(&self) -> Audience {
        Audience(self.listeners.borrow().iter().map(|(id, listener)| (*id, listener.is_syncing())).collect())
    }

    /// Repetitions go to the handlers that resync, everything else to all (kubernetes/kubernetes PR #87957).
    pub(super) fn distribute(&self, audience: &Audience, notification: &Notification) {
        let is_sync = notification.is_sync();
        let listeners = self.listeners.borrow();
        // Who has gone meanwhile is told no more.
        let there = audience.0.iter().filter_map(|(id, syncs)| Some((listeners.get(id)?, syncs)));
        there.filter(|(_, syncs)| !is_sync || **syncs).for_each(|(listener, _)| listener.push(notification.clone()));
    }

    /// All objects of the first list have been distributed.
    pub(super) fn upstream_has_synced(&self) {
        self.upstream_synced.set(true);
        self.listeners.borrow().values().for_each(|listener| listener.upstream_has_synced());
    }

    /// Begins a resync for the handlers whose time has come, and tells whether there are any.
    pub(super) fn begin_resync(&self) -> bool {
        let now = self.runtime.now();
        // Each has to be asked: who is not due leaves the resync before.
        self.listeners.borrow().values().fold(false, |any, listener| listener.begin_resync(now) | any)
    }

    pub(super) fn pending(&self) -> usize {
        self.pending.count()
    }

    /// Ends all deliveries; what was not delivered yet is dropped.
    pub(super) fn stop(&self) {
        self.listeners.take().into_values().for_each(|listener| listener.stop());
    }
}

/// A handler that was added to an informer; dropping this removes it (client-go: `tools/cache/shared_informer.go`,
/// `ResourceEventHandlerRegistration`, `RemoveEventHandler` and `ShutDownEventHandler`).
///
/// Once it is dropped the handler is called no more, unless it is the handler that drops it.
#[must_use = "the handler is removed when this is dropped"]
#[doc(alias = "RemoveEventHandler")]
#[doc(alias = "ShutDownEventHandler")]
pub struct Registration {
    processor: Weak<SharedProcessor>,
    listener: Rc<ProcessorListener>,
    id: u64,
    name: String,
}

impl Registration {
    /// The handler has been told of every object of the initial list.
    pub fn has_synced(&self) -> bool {
        self.listener.has_synced()
    }

    /// Waits for [`has_synced`](Self::has_synced).
    pub fn synced(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(Rc::clone(&self.listener).synced())
    }

    /// [`has_synced`](Self::has_synced) to be waited for together with others.
    #[doc(alias = "HasSyncedChecker")]
    pub fn checker(&self) -> Rc<dyn DoneChecker> {
        Rc::new(Checker { listener: Rc::clone(&self.listener), name: self.name.clone() })
    }

    /// How many notifications the handler has not been told yet.
    pub fn pending(&self) -> usize {
        self.listener.pending()
    }
}

struct Checker {
    listener: Rc<ProcessorListener>,
    name: String,
}

impl DoneChecker for Checker {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn is_done(&self) -> bool {
        self.listener.has_synced()
    }

    fn done(&self) -> LocalBoxFuture<'static, ()> {
        Box::pin(Rc::clone(&self.listener).synced())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.listener.stop();
        if let Some(processor) = self.processor.upgrade() {
            let listener = processor.listeners.borrow_mut().shift_remove(&self.id);
            drop(listener);
        }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").field("synced", &self.has_synced()).finish_non_exhaustive()
    }
}
