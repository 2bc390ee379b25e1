use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use event_listener::Event;
use indexmap::IndexMap;

use super::keys::DeletedObject;
use crate::api::Object;
use crate::runtime::{Runtime, Task, Turn};

/// Is told of each change of an informer's objects, one at a time and in order, after the store has changed.
///
/// It may add and remove handlers, stop the informer, read the store and put keys into queues. It should do no more
/// than put a key into a queue: the newest object is in the store when the key is worked on.
pub trait ResourceEventHandler {
    /// `is_in_initial_list`: the object was there before the informer or the handler was.
    fn on_add(&self, object: &Arc<Object>, is_in_initial_list: bool);

    /// `old` and `new` may be two objects of the same name with different uids: a deletion that was missed.
    fn on_update(&self, old: &Arc<Object>, new: &Arc<Object>);

    fn on_delete(&self, deleted: &DeletedObject);
}

#[derive(Clone, Debug)]
pub(super) enum Notification {
    Add { object: Arc<Object>, is_in_initial_list: bool },
    Update { old: Arc<Object>, new: Arc<Object> },
    Delete(DeletedObject),
}

/// Gives each notification to each handler, by a queue and a task of the handler's own: a slow one holds up no other
/// (client-go: `sharedProcessor` and `processorListener` in `tools/cache/shared_informer.go`).
pub(super) struct SharedProcessor {
    runtime: Runtime,
    listeners: RefCell<IndexMap<u64, Rc<Listener>>>,
    next_id: Cell<u64>,
    upstream_synced: Cell<bool>,
}

impl SharedProcessor {
    pub(super) fn new(runtime: Runtime) -> Self {
        Self { runtime, listeners: RefCell::default(), next_id: Cell::new(0), upstream_synced: Cell::new(false) }
    }

    /// Adds a handler and gives it what the store holds already.
    pub(super) fn add(
        self: &Rc<Self>,
        handler: Rc<dyn ResourceEventHandler>,
        existing: Vec<Arc<Object>>,
    ) -> Registration {
        let id = self.next_id.replace(self.next_id.get() + 1);
        let listener = Rc::new(Listener::default());
        for object in existing {
            listener.push(Notification::Add { object, is_in_initial_list: true });
        }
        listener.upstream_synced.set(self.upstream_synced.get());
        let task = self.runtime.spawn(deliver(self.runtime.clone(), listener.clone(), handler));
        listener.task.replace(Some(task));
        self.listeners.borrow_mut().insert(id, listener.clone());
        Registration { processor: Rc::downgrade(self), listener, id }
    }

    pub(super) fn distribute(&self, notification: &Notification) {
        for listener in self.listeners.borrow().values() {
            listener.push(notification.clone());
        }
    }

    /// All objects of the first list have been distributed.
    pub(super) fn upstream_has_synced(&self) {
        self.upstream_synced.set(true);
        self.listeners.borrow().values().for_each(|listener| listener.upstream_synced.set(true));
    }

    /// Ends all deliveries; what was not delivered yet is dropped.
    pub(super) fn stop(&self) {
        let listeners = self.listeners.take();
        drop(listeners);
    }
}

#[derive(Default)]
struct Listener {
    pending: RefCell<VecDeque<Notification>>,
    arrived: Event,
    /// Additions of the initial list that have not been delivered.
    initial_undelivered: Cell<usize>,
    upstream_synced: Cell<bool>,
    task: RefCell<Option<Task>>,
}

impl Listener {
    fn push(&self, notification: Notification) {
        if matches!(notification, Notification::Add { is_in_initial_list: true, .. }) {
            self.initial_undelivered.set(self.initial_undelivered.get() + 1);
        }
        self.pending.borrow_mut().push_back(notification);
        self.arrived.notify(1);
    }

    async fn next(&self) -> Notification {
        loop {
            let arrived = self.arrived.listen();
            if let Some(notification) = self.pending.borrow_mut().pop_front() {
                return notification;
            }
            arrived.await;
        }
    }
}

async fn deliver(runtime: Runtime, listener: Rc<Listener>, handler: Rc<dyn ResourceEventHandler>) {
    let mut turn = Turn::start(&runtime);
    loop {
        match listener.next().await {
            Notification::Add { object, is_in_initial_list } => {
                handler.on_add(&object, is_in_initial_list);
                if is_in_initial_list {
                    listener.initial_undelivered.set(listener.initial_undelivered.get() - 1);
                }
            }
            Notification::Update { old, new } => handler.on_update(&old, &new),
            Notification::Delete(deleted) => handler.on_delete(&deleted),
        }
        turn.pause_when_over().await;
    }
}

/// A handler that was added to an informer; dropping this removes it.
#[must_use = "the handler is removed when this is dropped"]
pub struct Registration {
    processor: Weak<SharedProcessor>,
    listener: Rc<Listener>,
    id: u64,
}

impl Registration {
    /// The handler has been told of every object of the initial list.
    pub fn has_synced(&self) -> bool {
        self.listener.upstream_synced.get() && self.listener.initial_undelivered.get() == 0
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // The task owns the listener and the listener the task: this is what lets both go.
        let task = self.listener.task.take();
        drop(task);
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
