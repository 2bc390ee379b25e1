use std::cell::RefCell;
use std::rc::{Rc, Weak};

use jiff::Timestamp;

use super::LiveTable;
use super::sources::Sources;
use crate::api::Object;
use crate::view::{Resource, TableModel};
use crate::workqueue::Queue;

/// Where a table's objects come from.
#[derive(Clone)]
pub(super) enum Origin {
    /// The informers of its kind.
    Informers(Rc<Sources>),
    /// The tables of its kinds, in the order of the resource's members.
    Tables(&'static Resource, Rc<[LiveTable]>),
}

impl Origin {
    pub(super) fn get(&self, key: &str) -> Option<Object> {
        match self {
            Self::Informers(sources) => sources.get(key),
            Self::Tables(resource, tables) => {
                let (member, key) = resource.member_of_key(key)?;
                tables.get(member)?.object(key)
            }
        }
    }

    /// How many objects there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Informers(sources) => sources.len(),
            Self::Tables(_, tables) => tables.iter().map(LiveTable::held).sum(),
        }
    }

    /// When the server was last heard of, by who has heard of it least.
    pub(super) fn last_contact(&self) -> Option<Timestamp> {
        match self {
            Self::Informers(sources) => sources.last_contact(),
            Self::Tables(_, tables) => tables.iter().filter_map(LiveTable::last_contact).min(),
        }
    }

    /// Rows come one by one from now on, and not by a first list.
    pub(super) fn has_synced(&self) -> bool {
        match self {
            Self::Informers(sources) => sources.has_synced(),
            Self::Tables(..) => true,
        }
    }

    /// Waits for [`has_synced`](Self::has_synced).
    pub(super) async fn synced(&self) {
        if let Self::Informers(sources) = self {
            sources.synced().await;
        }
    }

    /// Where the objects of one kind may be listed: in all namespaces, or in each of these.
    pub(super) fn places(&self) -> Vec<Option<String>> {
        match self {
            Self::Informers(sources) => sources.places(),
            Self::Tables(..) => Vec::new(),
        }
    }

    pub(super) fn retry_now(&self) {
        match self {
            Self::Informers(sources) => sources.retry_now(),
            Self::Tables(_, tables) => tables.iter().for_each(LiveTable::retry_now),
        }
    }

    pub(super) fn list_again(&self) {
        match self {
            Self::Informers(sources) => sources.list_again(),
            Self::Tables(_, tables) => tables.iter().for_each(LiveTable::list_again),
        }
    }
}

/// A table of several kinds that follows the table of one of them.
pub(super) struct Listener {
    /// Of the table of several kinds.
    pub(super) queue: Queue<String>,
    pub(super) model: Rc<RefCell<TableModel>>,
    /// The page of the kind that is followed: its keys begin so.
    pub(super) page: &'static str,
}

impl Listener {
    pub(super) fn tell(&self, key: &str) {
        self.queue.add([self.page, "/", key].concat());
    }

    /// Any of the objects may have come or gone: these are those that are there.
    pub(super) fn look_again(&self, keys: Vec<String>) {
        keys.iter().for_each(|key| self.tell(key));
        let is_of_it = |key: &String| key.strip_prefix(self.page).is_some_and(|rest| rest.starts_with('/'));
        let known: Vec<_> = self.model.borrow().keys().filter(is_of_it).collect();
        known.into_iter().for_each(|key| self.queue.add(key));
    }
}

/// Those that follow a table; mostly there are none.
#[derive(Default)]
pub(super) struct Listeners(RefCell<Vec<Weak<Listener>>>);

impl Listeners {
    pub(super) fn add(&self, listener: &Rc<Listener>) {
        let mut all = self.0.borrow_mut();
        all.retain(|other| other.strong_count() > 0);
        all.push(Rc::downgrade(listener));
    }

    pub(super) fn each(&self, call: impl Fn(&Listener)) {
        self.0.borrow().iter().filter_map(Weak::upgrade).for_each(|listener| call(&listener));
    }
}
