use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use watchglass::api::Object;
use watchglass::cache::{DeletedObject, ResourceEventHandler, meta_namespace_key};

/// What an informer's handler knows from what it was told alone, and what was wrong with it.
#[derive(Default)]
pub struct Told {
    /// The resourceVersions by key.
    known: RefCell<BTreeMap<String, String>>,
    /// `+name`, `~name`, `-name` and, for a deletion that only a list showed, `?name`.
    news: RefCell<Vec<String>>,
    wrong: RefCell<Vec<String>>,
}

impl Told {
    pub fn known(&self) -> BTreeMap<String, String> {
        self.known.borrow().clone()
    }

    /// What was told since the last time this was asked, but of what a namespace gets from its controller.
    pub fn take_news(&self) -> Vec<String> {
        let news = self.news.take();
        news.into_iter().filter(|news| &news[1..] != "kube-root-ca.crt").collect()
    }

    /// Additions of what was there, and changes and deletions of what was not.
    pub fn wrong(&self) -> Vec<String> {
        self.wrong.borrow().clone()
    }

    fn put(&self, sign: char, object: &Object) -> Option<String> {
        self.news.borrow_mut().push(format!("{sign}{}", object.name()));
        self.known.borrow_mut().insert(meta_namespace_key(object), object.resource_version().to_owned())
    }

    fn check(&self, is_right: bool, what: &str, name: &str) {
        if !is_right {
            self.wrong.borrow_mut().push(format!("{what} {name}"));
        }
    }
}

impl ResourceEventHandler for Told {
    fn on_add(&self, object: &Object, _is_in_initial_list: bool) {
        let before = self.put('+', object);
        self.check(before.is_none(), "added what is there:", object.name());
    }

    fn on_update(&self, old: &Object, new: &Object) {
        let before = self.put('~', new);
        self.check(before.as_deref() == Some(old.resource_version()), "changed from another state:", new.name());
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        let sign = if matches!(deleted, DeletedObject::Known(_)) { '-' } else { '?' };
        self.news.borrow_mut().push(format!("{sign}{}", deleted.name()));
        let before = self.known.borrow_mut().remove(&deleted.key());
        self.check(before.is_some(), "deleted what is not there:", deleted.name());
    }
}

pub fn handler() -> Rc<Told> {
    Rc::default()
}
