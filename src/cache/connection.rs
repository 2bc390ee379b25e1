use std::cell::RefCell;

use jiff::Timestamp;

use super::observers::Observers;
use crate::api::{Error, Object};

/// How an informer stands with its server. Level-triggered: it says how things are, not what changed
/// (client-go has no such thing: there only errors and metrics tell of it).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connection {
    /// What the reflector is doing.
    pub phase: Phase,
    /// A whole list was received once, so that the store shows the cluster as it was at `last_contact` or later.
    pub synced: bool,
    /// When the server was last heard of.
    pub last_contact: Option<Timestamp>,
    /// What the server forbids the user, as the last tries have shown. It is tried again all the same: rights may be
    /// given later.
    pub refused: Option<Refused>,
}

/// What a user may not do (client-go has no such thing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Not even list: nothing newer comes.
    List,
    /// List but not watch: after each wait the whole list comes anew.
    Watch,
}

/// What a reflector is doing, as its [`Connection`] shows it (client-go has no such thing).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phase {
    /// Not started.
    #[default]
    Idle,
    /// The whole list is on its way.
    Listing {
        /// How many objects have come so far.
        received: usize,
        /// How many there will be, when the server told.
        expected: Option<usize>,
    },
    /// The watch is open.
    Connected {
        /// When this watch was opened, by the wall clock.
        since: Timestamp,
    },
    /// Waiting before the next try.
    Reconnecting {
        /// Why the last try failed.
        error: Error,
        /// When the next try begins, by the wall clock, unless somebody asks for it sooner.
        retry_at: Timestamp,
        /// Failures since the last success.
        attempts: u32,
    },
    /// The host lets it do nothing now. It goes on from where it was as soon as the host does.
    Paused {
        /// What stands in the way.
        pause: Pause,
    },
    /// It was told to stop. It never lists or watches again.
    Stopped,
}

/// Why a reflector pauses (client-go has no such thing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The device has no network. What failed last is tried again when it is back, or when somebody asks for it.
    Offline,
    /// The page does not run, as in a browser's back/forward cache.
    Frozen,
    /// Nobody has looked at the page for as long as
    /// [`pause_when_hidden`](crate::cache::ReflectorOptions::pause_when_hidden) says.
    Hidden,
}

/// A connection's state with those who want to know of it.
#[derive(Default)]
pub(super) struct ConnectionCell {
    value: RefCell<Connection>,
    pub(super) observers: Observers<Connection>,
    /// Are told of the objects of the first list while it comes.
    pub(super) preview: Observers<[Object]>,
}

impl ConnectionCell {
    pub(super) fn get(&self) -> Connection {
        self.value.borrow().clone()
    }

    /// As [`get`](Self::get) would say, without a copy.
    pub(super) fn is_synced(&self) -> bool {
        self.value.borrow().synced
    }

    /// Observers are told of what is another state than before.
    pub(super) fn update(&self, change: impl FnOnce(&mut Connection)) {
        let mut value = self.get();
        change(&mut value);
        if *self.value.borrow() == value {
            return;
        }
        self.value.replace(value.clone());
        self.observers.tell(&value);
    }

    /// The server was heard of. Too frequent to be told: whoever shows it, reads it when the clock ticks.
    pub(super) fn touch(&self, now: Timestamp) {
        self.value.borrow_mut().last_contact = Some(now);
    }
}
