use std::collections::VecDeque;

use hashbrown::HashTable;

use super::event_handler::ResourceEventHandler;
use super::items::is_same_version;
use super::key_ref::KeyRef;
use super::keys::DeletedObject;
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

    fn key(&self) -> KeyRef<'_> {
        match self {
            Self::Add { object, .. } | Self::Update { new: object, .. } => KeyRef::of(object),
            Self::Delete(deleted) => KeyRef::of_deleted(deleted),
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
    /// Entries that were taken out since the beginning, modulo 2^32: an entry's number less this is its place.
    taken: u32,
    limit: Option<usize>,
    /// Since there were more than the limit: the number of each key's newest entry.
    newest: Option<HashTable<u32>>,
}

#[derive(Debug)]
enum Entry {
    One(Notification),
    /// Deleted and made again: the handler must see both, or it would take two objects for one. Apart, because it is
    /// rare and larger than all others.
    Recreated(Box<(DeletedObject, Object)>),
}

impl Backlog {
    /// Without a limit nothing is ever merged.
    pub(super) fn new(limit: Option<usize>) -> Self {
        Self { entries: VecDeque::new(), taken: 0, limit, newest: None }
    }

    /// Tells whether an addition of the initial list was merged away, so that it will never be told.
    pub(super) fn push(&mut self, notification: Notification) -> bool {
        if self.newest.is_none() {
            if self.limit.is_none_or(|limit| self.entries.len() < limit) {
                self.entries.push_back(Entry::One(notification));
                return false;
            }
            self.begin_to_merge();
        }
        if let Some(older) = self.find(notification.key()).and_then(|place| self.entries.get_mut(place)) {
            let was_initial = older.is_initial();
            older.merge(notification);
            return was_initial && !older.is_initial();
        }
        self.entries.push_back(Entry::One(notification));
        self.number(self.entries.len() - 1);
        false
    }

    pub(super) fn pop(&mut self) -> Option<Notification> {
        if let Some(Entry::Recreated(_)) = self.entries.front() {
            return self.pop_deletion();
        }
        self.forget_first();
        let Entry::One(notification) = self.entries.pop_front()? else { return None };
        self.taken = self.taken.wrapping_add(1);
        if self.entries.is_empty() {
            self.newest = None;
            self.entries.shrink_to(BACKLOG_LIMIT);
        }
        Some(notification)
    }

    /// Of what was deleted and made again; what was made stays in its place.
    fn pop_deletion(&mut self) -> Option<Notification> {
        let Entry::Recreated(both) = self.entries.pop_front()? else { return None };
        let (deleted, object) = *both;
        self.entries.push_front(Entry::One(Notification::Add { object, is_in_initial_list: false }));
        Some(Notification::Delete(deleted))
    }

    fn begin_to_merge(&mut self) {
        self.newest = Some(HashTable::with_capacity(self.entries.len()));
        (0..self.entries.len()).for_each(|place| self.number(place));
    }

    /// The entry at the place becomes the newest one of its key.
    fn number(&mut self, place: usize) {
        let Self { entries, taken, newest: Some(newest), .. } = self else { return };
        let Some(key) = entries.get(place).map(Entry::key) else { return };
        let (number, is_of_key) =
            (number_at(*taken, place), |number: &u32| key_at(entries, *taken, *number) == Some(key));
        match newest.find_mut(key.hash(), is_of_key) {
            Some(older) => *older = number,
            None => {
                let hash = |number: &u32| key_at(entries, *taken, *number).map_or(0, KeyRef::hash);
                newest.insert_unique(key.hash(), number, hash);
            }
        }
    }

    /// The place of the key's newest entry.
    fn find(&self, key: KeyRef) -> Option<usize> {
        let is_of_key = |number: &u32| key_at(&self.entries, self.taken, *number) == Some(key);
        let number = *self.newest.as_ref()?.find(key.hash(), is_of_key)?;
        Some(place_of(self.taken, number))
    }

    /// What is handed out is merged with nothing.
    fn forget_first(&mut self) {
        let Self { entries, taken, newest: Some(newest), .. } = self else { return };
        let Some(hash) = entries.front().map(|entry| entry.key().hash()) else { return };
        if let Ok(entry) = newest.find_entry(hash, |number| *number == *taken) {
            entry.remove();
        }
    }

    /// Empties it, and gives what was in it.
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::new(self.limit))
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

fn number_at(taken: u32, place: usize) -> u32 {
    taken.wrapping_add(place as u32)
}

fn place_of(taken: u32, number: u32) -> usize {
    number.wrapping_sub(taken) as usize
}

fn key_at(entries: &VecDeque<Entry>, taken: u32, number: u32) -> Option<KeyRef<'_>> {
    entries.get(place_of(taken, number)).map(Entry::key)
}

impl Entry {
    fn key(&self) -> KeyRef<'_> {
        match self {
            Self::One(notification) => notification.key(),
            Self::Recreated(both) => KeyRef::of(&both.1),
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
            Self::One(Notification::Add { object, .. } | Notification::Update { new: object, .. }) => *object = newest,
            Self::Recreated(both) => both.1 = newest,
            Self::One(Notification::Delete(deleted)) => {
                *self = Self::Recreated(Box::new((deleted.clone(), newest)));
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
