use std::cell::RefCell;
use std::fmt;
use std::rc::{Rc, Weak};

use rustc_hash::FxHashMap;

use super::indexer::Indexer;
use super::items::kept;
use super::key_ref::KeyRef;
use crate::api::Object;

/// Informers of one resource that may list the same, all namespaces and one of them for example: of two equal objects
/// they keep one (client-go has no such thing).
///
/// A handle: clones are of the same informers. They find each other by their reflectors' descriptions.
///
/// ```
/// use watchglass::cache::{FactoryOptions, InformerOptions, SharedObjects};
///
/// let shared_objects = Some(SharedObjects::default());
/// let informer = InformerOptions { shared_objects, ..InformerOptions::default() };
/// let everywhere = FactoryOptions { informer: informer.clone(), ..FactoryOptions::default() };
/// let in_shop = FactoryOptions { informer, namespace: Some("shop".into()), ..FactoryOptions::default() };
/// # let _ = (everywhere, in_shop);
/// ```
#[derive(Clone, Default)]
pub struct SharedObjects {
    stores: Rc<RefCell<FxHashMap<String, Stores>>>,
}

type Stores = Rc<RefCell<Vec<Weak<Indexer>>>>;

/// What the informers of one resource hold.
#[derive(Default)]
pub(super) struct SharedStores(Stores);

impl SharedObjects {
    pub(super) fn of(&self, description: &str) -> SharedStores {
        SharedStores(Rc::clone(self.stores.borrow_mut().entry(description.to_owned()).or_default()))
    }
}

impl SharedStores {
    pub(super) fn join(&self, indexer: &Rc<Indexer>) {
        let mut stores = self.0.borrow_mut();
        stores.retain(|store| store.strong_count() > 0);
        stores.push(Rc::downgrade(indexer));
    }

    /// The object that one of them holds already, or else the new one.
    pub(super) fn kept(&self, key: &str, mut object: Object) -> Object {
        let key = KeyRef::from(key);
        for store in self.0.borrow().iter().filter_map(Weak::upgrade) {
            object = kept(store.find(key).as_ref(), object);
        }
        object
    }
}

impl fmt::Debug for SharedObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedObjects").field("resources", &self.stores.borrow().len()).finish()
    }
}
