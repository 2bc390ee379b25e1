use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};
use jiff::Timestamp;
use leptos::prelude::*;

use super::origin::{Listeners, Origin};
use super::redraw::{Redraw, next_frame};
use crate::runtime::{Runtime, Turn};
use crate::view::TableModel;
use crate::workqueue::Queue;

/// So long after a frame that showed changes no others are looked at: they are shown in the second frame of sixty a
/// second. Each costs a browser a layout and a painting, and nobody reads faster.
const REST: Duration = Duration::from_millis(30);

/// Has a table's rows follow the keys that its handler notes.
pub(super) struct Worker {
    pub(super) runtime: Runtime,
    pub(super) origin: Origin,
    pub(super) model: Rc<RefCell<TableModel>>,
    pub(super) queue: Queue<String>,
    pub(super) redraw: Redraw,
    pub(super) has_changed: Cell<bool>,
    /// Counts the changes of all objects.
    pub(super) changes: Rc<Cell<u32>>,
    pub(super) followed_key: Rc<RefCell<String>>,
    pub(super) followed: RwSignal<u64>,
    pub(super) listeners: Rc<Listeners>,
}

impl Worker {
    /// What comes close together is shown together. Where nobody looks, nothing is drawn, and no frame is asked for.
    pub(super) async fn run(&self) {
        let mut is_in_frame = false;
        loop {
            let first = self.next_key().await;
            self.work(first);
            let is_behind = !self.queue.is_empty();
            if self.has_changed.take() {
                self.redraw.now();
                if !is_in_frame {
                    next_frame().await;
                }
                is_in_frame = !is_behind && self.rest().await;
            } else {
                is_in_frame = false;
                self.runtime.spawner.yield_now().await;
            }
        }
    }

    /// Lets keys gather; tells whether there are any, for which a frame begins then.
    async fn rest(&self) -> bool {
        self.runtime.sleep(REST).await;
        let has_more = !self.queue.is_empty();
        if has_more {
            next_frame().await;
        }
        has_more
    }

    /// The next key to work on; none when there is other work: a row's time to leave has come, or cells are to be read.
    async fn next_key(&self) -> Option<String> {
        let is_unread = self.origin.has_synced() && self.model.borrow().has_unread();
        if is_unread {
            return None;
        }
        let (get, wait) = (std::pin::pin!(self.get_key()), std::pin::pin!(self.other_work()));
        match select(get, wait).await {
            Either::Left((key, _)) => key,
            Either::Right(_) => None,
        }
    }

    /// While the list comes, the one thread there is has better to do.
    async fn other_work(&self) {
        if !self.origin.has_synced() {
            return self.origin.synced().await;
        }
        let expiry = self.model.borrow().next_expiry();
        let Some(expiry) = expiry else { return std::future::pending().await };
        let wait = expiry.duration_since(self.runtime.clock.wall());
        self.runtime.sleep(Duration::try_from(wait).unwrap_or_default()).await;
    }

    async fn get_key(&self) -> Option<String> {
        match self.queue.get().await {
            Some(key) => Some(key),
            // Shut down: there will be no other.
            None => std::future::pending().await,
        }
    }

    /// Shows objects until there are none or the turn is over.
    fn work(&self, first: Option<String>) {
        let turn = Turn::start(&self.runtime);
        let now = self.runtime.clock.wall();
        let mut next = first.or_else(|| self.queue.try_get());
        while let Some(key) = next {
            self.show(&key, now);
            self.queue.done(&key);
            if turn.is_over() {
                return;
            }
            next = self.queue.try_get();
        }
        let mut model = self.model.borrow_mut();
        if model.expire(now) {
            self.has_changed.set(true);
        }
        model.read_ahead(|| turn.is_over());
    }

    fn show(&self, key: &str, now: Timestamp) {
        self.changes.set(self.changes.get().wrapping_add(1));
        let object = self.origin.get(key);
        let mut model = self.model.borrow_mut();
        let is_seen = match object {
            Some(object) => model.upsert(&object, now),
            None => model.remove(key, now),
        };
        drop(model);
        if is_seen {
            self.has_changed.set(true);
        }
        self.listeners.each(|listener| listener.tell(key));
        if *self.followed_key.borrow() == key {
            self.followed.update(|changes| *changes += 1);
        }
    }
}
