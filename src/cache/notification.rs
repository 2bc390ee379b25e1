use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::event_handler::ResourceEventHandler;
use super::items::is_same_version;
use super::keys::{DeletedObject, meta_namespace_key};
use crate::api::Object;

/// What a handler is told.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) enum Notification {
    Add { object: Object, is_in_initial_list: bool },
    Update { old: Object, new: Object },
    Delete(DeletedObject),
}

impl Notification {
    pub(super) fn tell(&self, handler: &dyn ResourceEventHandler) {
        match self {
            Self::Add { object, is_in_initial_list } => handler.on_add(object, *is_in_initial_list),
            Self::Update { old, new } => handler.on_update(old, new),
            Self::Delete(deleted) => handler.on_delete(deleted),
        }
    }

    /// An update that changes nothing: of a resync, or of a list that brought what is known. An object without a
    /// version may have changed; to take it for a repetition would hide every update of it.
    pub(super) fn is_sync(&self) -> bool {
        let Self::Update { old, new } = self else { return false };
        is_same_version(old, new)
    }

    pub(super) fn is_initial(&self) -> bool {
        matches!(self, Self::Add { is_in_initial_list: true, .. })
    }

    fn key(&self) -> String {
        match self {
            Self::Add { object, .. } | Self::Update { new: object, .. } => meta_namespace_key(object),
            Self::Delete(deleted) => deleted.key(),
        }
    }
}

/// Where merging starts, and what the buffer shrinks to after a burst (client-go: `initialBufferSize`, where the
/// buffer begins).
pub(super) const BACKLOG_LIMIT: usize = 1024;

/// What a handler has not been told yet, oldest first.
///
/// Beyond a limit it is merged by key, so that it holds one entry for each object however slow the handler is.
/// client-go lets it grow without bound (kubernetes/kubernetes#121474).
#[derive(Debug)]
pub(super) struct Backlog {
    entries: VecDeque<Entry>,
    /// Entries that were taken out since the beginning: an entry's number less this is its place.
    taken: usize,
    limit: Option<usize>,
    /// While there are more than the limit: the number of each key's newest entry.
    newest: Option<FxHashMap<String, usize>>,
}

#[derive(Debug)]
enum Entry {
    One(Notification),
    /// Deleted and made again: the handler must see both, or it would take two objects for one.
    Recreated {
        deleted: DeletedObject,
        object: Object,
    },
}

impl Backlog {
    /// Without a limit nothing is ever merged.
    pub(super) fn new(limit: Option<usize>) -> Self {
        Self { entries: VecDeque::new(), taken: 0, limit, newest: None }
    }

    /// Tells whether an addition of the initial list was merged away, so that it will never be told.
    pub(super) fn push(&mut self, notification: Notification) -> bool {
        if self.limit.is_none_or(|limit| self.entries.len() < limit) && self.newest.is_none() {
            self.entries.push_back(Entry::One(notification));
            return false;
        }
        let (entries, taken) = (&mut self.entries, self.taken);
        let newest = self.newest.get_or_insert_with(|| {
            entries.iter().enumerate().map(|(place, entry)| (entry.key(), taken + place)).collect()
        });
        let key = notification.key();
        let place = newest.get(&key).and_then(|number| number.checked_sub(taken));
        if let Some(older) = place.and_then(|place| entries.get_mut(place)) {
            let was_initial = older.is_initial();
            older.merge(notification);
            return was_initial && !older.is_initial();
        }
        newest.insert(key, taken + entries.len());
        entries.push_back(Entry::One(notification));
        false
    }

    pub(super) fn pop(&mut self) -> Option<Notification> {
        let notification = match self.entries.pop_front()? {
            Entry::One(notification) => notification,
            Entry::Recreated { deleted, object } => {
                let added = Notification::Add { object, is_in_initial_list: false };
                self.entries.push_front(Entry::One(added));
                return Some(Notification::Delete(deleted));
            }
        };
        self.taken += 1;
        if self.entries.is_empty() {
            self.newest = None;
            self.entries.shrink_to(BACKLOG_LIMIT);
        }
        Some(notification)
    }

    /// Empties it, and gives what was in it.
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::new(self.limit))
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

impl Entry {
    fn key(&self) -> String {
        match self {
            Self::One(notification) => notification.key(),
            Self::Recreated { object, .. } => meta_namespace_key(object),
        }
    }

    fn is_initial(&self) -> bool {
        matches!(self, Self::One(notification) if notification.is_initial())
    }

    /// A deletion stays, an addition stays one, and of several states the newest counts.
    fn merge(&mut self, newer: Notification) {
        let newest = match newer {
            Notification::Delete(_) => {
                *self = Self::One(newer);
                return;
            }
            Notification::Add { object, .. } | Notification::Update { new: object, .. } => object,
        };
        match self {
            Self::One(Notification::Add { object, .. } | Notification::Update { new: object, .. })
            | Self::Recreated { object, .. } => *object = newest,
            Self::One(Notification::Delete(deleted)) => {
                *self = Self::Recreated { deleted: deleted.clone(), object: newest };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Manifest;

    fn pod(name: &str, version: &str) -> Object {
        let mut pod = Manifest::default();
        pod.metadata.name = name.into();
        pod.metadata.resource_version = version.into();
        pod.into()
    }

    fn add(name: &str, version: &str) -> Notification {
        Notification::Add { object: pod(name, version), is_in_initial_list: false }
    }

    fn update(name: &str, old: &str, new: &str) -> Notification {
        Notification::Update { old: pod(name, old), new: pod(name, new) }
    }

    fn delete(name: &str, version: &str) -> Notification {
        Notification::Delete(DeletedObject::Known(pod(name, version)))
    }

    fn drained(mut backlog: Backlog) -> Vec<Notification> {
        std::iter::from_fn(|| backlog.pop()).collect()
    }

    /// kubernetes/kubernetes#121474, fabric8io/kubernetes-client#3938.
    #[test]
    fn beyond_the_limit_each_key_keeps_what_a_handler_must_know() {
        for (told, expected) in [
            (vec![add("a", "1"), update("a", "1", "2"), update("a", "2", "3")], vec![add("a", "3")]),
            (vec![update("a", "1", "2"), update("a", "2", "3")], vec![update("a", "1", "3")]),
            (vec![update("a", "1", "2"), delete("a", "3")], vec![delete("a", "3")]),
            (vec![add("a", "1"), delete("a", "2")], vec![delete("a", "2")]),
            (vec![delete("a", "1"), add("a", "2"), update("a", "2", "3")], vec![delete("a", "1"), add("a", "3")]),
            (vec![delete("a", "1"), add("a", "2"), delete("a", "3")], vec![delete("a", "3")]),
            (vec![add("a", "1"), add("b", "2"), update("a", "1", "3")], vec![add("a", "3"), add("b", "2")]),
        ] {
            let mut backlog = Backlog::new(Some(0));
            for notification in told {
                assert!(!backlog.push(notification));
            }
            assert_eq!(drained(backlog), expected);
        }
    }

    #[test]
    fn up_to_the_limit_and_without_one_everything_is_told() {
        for limit in [None, Some(2)] {
            let mut backlog = Backlog::new(limit);
            backlog.push(add("a", "1"));
            backlog.push(update("a", "1", "2"));
            assert_eq!(backlog.len(), 2);
            backlog.push(update("a", "2", "3"));
            assert_eq!(backlog.len(), if limit.is_some() { 2 } else { 3 });
        }
    }

    #[test]
    fn what_was_taken_is_merged_with_nothing() {
        let mut backlog = Backlog::new(Some(1));
        backlog.push(add("a", "1"));
        backlog.push(add("b", "2"));
        assert_eq!(backlog.pop(), Some(add("a", "1")));
        backlog.push(update("a", "1", "3"));
        backlog.push(update("b", "2", "4"));
        assert_eq!(drained(backlog), [add("b", "4"), update("a", "1", "3")]);
    }

    #[test]
    fn an_initial_addition_that_is_merged_away_is_reported() {
        let initial = || Notification::Add { object: pod("a", "1"), is_in_initial_list: true };
        let mut backlog = Backlog::new(Some(0));
        assert!(!backlog.push(initial()));
        assert!(!backlog.push(update("a", "1", "2")), "still an addition");
        assert!(backlog.push(delete("a", "3")));
    }

    /// openservicemesh/osm#4623.
    #[test]
    fn the_memory_of_a_burst_is_given_back() {
        let mut backlog = Backlog::new(None);
        for _ in 0..100_000 {
            backlog.push(add("a", "1"));
        }
        while backlog.pop().is_some() {}
        assert!(backlog.entries.capacity() <= 2 * BACKLOG_LIMIT, "{}", backlog.entries.capacity());
    }
}
