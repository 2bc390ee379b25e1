use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use watchglass::api::Object;
use watchglass::cache::{DeletedObject, ResourceEventHandler, meta_namespace_key};
use watchglass::workqueue::RateLimitingQueue;

/// What a handler knows from what it was told: versions by key.
pub type View = BTreeMap<String, String>;

/// A handler that keeps a view, queues keys, and notes what it should never have been told.
pub struct History {
    view: RefCell<View>,
    queue: RateLimitingQueue<String>,
    /// Its backlog is merged: it may be told of the end of what it never saw.
    is_merged: bool,
    faults: RefCell<Vec<String>>,
    rests_next: Cell<bool>,
}

impl History {
    pub fn new(queue: RateLimitingQueue<String>, is_merged: bool) -> Rc<Self> {
        let (view, faults) = (RefCell::default(), RefCell::default());
        Rc::new(Self { view, queue, is_merged, faults, rests_next: Cell::new(false) })
    }

    /// The next call ends in a panic, after which it is left in peace for a second.
    pub fn rest_next(&self) {
        self.rests_next.set(true);
    }

    pub fn view(&self) -> View {
        self.view.borrow().clone()
    }

    pub fn faults(&self) -> Vec<String> {
        self.faults.borrow().clone()
    }

    fn told(&self, key: String, fault: Option<&str>) {
        if let Some(fault) = fault {
            self.faults.borrow_mut().push(format!("{key}: {fault}"));
        }
        self.queue.add(key);
        if self.rests_next.take() {
            std::panic::resume_unwind(Box::new("a handler that rests"));
        }
    }
}

impl ResourceEventHandler for History {
    fn on_add(&self, object: &Object, _is_in_initial_list: bool) {
        let key = meta_namespace_key(object);
        let before = self.view.borrow_mut().insert(key.clone(), object.resource_version().into());
        self.told(key, before.map(|_| "added twice"));
    }

    fn on_update(&self, old: &Object, new: &Object) {
        let key = meta_namespace_key(new);
        let before = self.view.borrow_mut().insert(key.clone(), new.resource_version().into());
        let fault = match before {
            None => Some("updated before it was added"),
            // A merged update begins where the oldest of its updates began.
            Some(before) if before != old.resource_version() => Some("updated from what it was not"),
            Some(_) => None,
        };
        self.told(key, fault);
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        let key = deleted.key();
        let before = self.view.borrow_mut().remove(&key);
        let fault = (before.is_none() && !self.is_merged).then_some("deleted before it was added");
        self.told(key, fault);
    }
}
