use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};

use indexmap::IndexMap;

/// Those who want to be told of something, in the order in which they came.
pub(super) struct Observers<T: ?Sized> {
    held: Rc<RefCell<Held<T>>>,
    next_id: Cell<u64>,
}

type Held<T> = IndexMap<u64, Rc<dyn Fn(&T)>>;

impl<T: ?Sized> Default for Observers<T> {
    fn default() -> Self {
        Self { held: Rc::default(), next_id: Cell::new(0) }
    }
}

impl<T: ?Sized + 'static> Observers<T> {
    pub(super) fn add(&self, observer: Rc<dyn Fn(&T)>) -> ObserverGuard {
        let id = self.next_id.replace(self.next_id.get() + 1);
        self.held.borrow_mut().insert(id, observer);
        ObserverGuard { held: Rc::downgrade(&self.held) as Weak<dyn Remove>, id }
    }

    pub(super) fn tell(&self, what: &T) {
        // Collected first: an observer may add or remove observers.
        let observers: Vec<_> = self.held.borrow().values().cloned().collect();
        for observer in observers {
            observer(what);
        }
    }
}

/// Ends an observation when dropped (client-go has no such thing).
#[must_use = "the observation ends when this is dropped"]
pub struct ObserverGuard {
    held: Weak<dyn Remove>,
    id: u64,
}

trait Remove {
    fn remove(&self, id: u64);
}

impl<T: ?Sized> Remove for RefCell<Held<T>> {
    fn remove(&self, id: u64) {
        // Taken out first: the observer's own drop may come back here.
        let observer = self.borrow_mut().shift_remove(&id);
        drop(observer);
    }
}

impl Drop for ObserverGuard {
    fn drop(&mut self) {
        if let Some(held) = self.held.upgrade() {
            held.remove(self.id);
        }
    }
}

impl fmt::Debug for ObserverGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObserverGuard").field("id", &self.id).finish_non_exhaustive()
    }
}
