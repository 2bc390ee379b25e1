use std::cell::RefCell;
use std::rc::Rc;

use watchglass::api::Object;
use watchglass::cache::{DeletedObject, Indexer, ResourceEventHandler, SharedInformer};

/// Writes down what a handler is told, as `add a 1`, `update a 1 2`, `delete a 2`, `gone a`.
#[derive(Default)]
pub struct Recorder {
    calls: RefCell<Vec<String>>,
    /// What to do within each call.
    during: RefCell<Option<Rc<dyn Fn()>>>,
}

impl Recorder {
    pub fn new() -> Rc<Self> {
        Rc::default()
    }

    pub fn during_each_call(&self, act: impl Fn() + 'static) {
        self.during.replace(Some(Rc::new(act)));
    }

    /// The calls since the last time this was asked.
    pub fn calls(&self) -> Vec<String> {
        self.calls.take()
    }

    fn record(&self, call: String) {
        self.calls.borrow_mut().push(call);
        let during = self.during.borrow().clone();
        if let Some(act) = during {
            act();
        }
    }
}

impl ResourceEventHandler for Recorder {
    fn on_add(&self, object: &Object, is_in_initial_list: bool) {
        let initial = if is_in_initial_list { " initial" } else { "" };
        self.record(format!("add {} {}{initial}", object.name(), object.resource_version()));
    }

    fn on_update(&self, old: &Object, new: &Object) {
        self.record(format!("update {} {} {}", new.name(), old.resource_version(), new.resource_version()));
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        self.record(match deleted {
            DeletedObject::Known(object) => format!("delete {} {}", object.name(), object.resource_version()),
            DeletedObject::FinalStateUnknown { key, object } => {
                let version = object.as_ref().map(|object| object.resource_version().to_owned());
                format!("gone {key} {}", version.unwrap_or_default())
            }
        });
    }
}

/// The store as `name resourceVersion`, sorted.
pub fn store(informer: &SharedInformer) -> Vec<String> {
    listing(informer.indexer())
}

pub fn listing(indexer: &Indexer) -> Vec<String> {
    let describe = |object: Object| format!("{} {}", object.name(), object.resource_version());
    let mut listing: Vec<_> = indexer.list().into_iter().map(describe).collect();
    listing.sort();
    listing
}
