use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::runtime::Moment;

/// What is to be done, by its urgency; each key has one entry.
pub(super) struct Entries<T> {
    by_key: FxHashMap<T, Entry>,
    ready: BTreeMap<(Reverse<i32>, u64), T>,
    waiting: BTreeMap<(Moment, Reverse<i32>, u64), T>,
    /// What a worker has. It may have an entry again, which nobody gets before the worker is done.
    locked: FxHashSet<T>,
    /// Entries of one priority come in the order of these numbers.
    next_sequence: u64,
}

#[derive(Clone, Copy, PartialEq)]
struct Entry {
    priority: i32,
    sequence: u64,
    /// None once it is ready.
    ready_at: Option<Moment>,
}

/// What an add has changed.
#[derive(Debug, PartialEq)]
pub(super) enum Added {
    /// The key has become ready, with this priority.
    Ready(i32),
    /// The key waits for its time.
    Waits,
    /// The key was ready before, and may have another priority now.
    WasReady { from: i32, to: i32 },
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self {
            by_key: FxHashMap::default(),
            ready: BTreeMap::new(),
            waiting: BTreeMap::new(),
            locked: FxHashSet::default(),
            next_sequence: 0,
        }
    }
}

impl<T: Clone + Eq + Hash> Entries<T> {
    /// Joins what is known of the key with this: the higher priority, and the earlier time, no time being the earliest.
    pub(super) fn add(&mut self, key: T, ready_at: Option<Moment>, priority: i32) -> Added {
        let Some(old) = self.by_key.get(&key).copied() else {
            let sequence = self.take_sequence();
            self.insert(key, Entry { priority, sequence, ready_at });
            return if ready_at.is_none() { Added::Ready(priority) } else { Added::Waits };
        };
        let mut new = old;
        new.ready_at = old.ready_at.and_then(|old| ready_at.map(|new| old.min(new)));
        if priority > old.priority {
            // The last of those it now belongs to: they were that urgent before it.
            new.priority = priority;
            new.sequence = self.take_sequence();
        }
        if new != old
            && let Some(key) = self.remove(&old)
        {
            self.change(key, new);
        }
        match (old.ready_at, new.ready_at) {
            (None, _) => Added::WasReady { from: old.priority, to: new.priority },
            (Some(_), None) => Added::Ready(new.priority),
            (Some(_), Some(_)) => Added::Waits,
        }
    }

    /// Makes ready what has waited long enough, earliest first, and gives it with its priorities.
    pub(super) fn promote(&mut self, now: Moment) -> Vec<(T, i32)> {
        let mut promoted = Vec::new();
        while let Some(first) = self.waiting.first_entry().filter(|first| first.key().0 <= now) {
            let ((_, Reverse(priority), _), key) = first.remove_entry();
            let sequence = self.take_sequence();
            self.change(key.clone(), Entry { priority, sequence, ready_at: None });
            promoted.push((key, priority));
        }
        promoted
    }

    /// The most urgent of what is ready and of which no worker has the key; it is locked from now on.
    pub(super) fn take(&mut self) -> Option<(T, i32)> {
        let place = self.ready.iter().find(|(_, key)| !self.locked.contains(*key)).map(|(place, _)| *place)?;
        let key = self.ready.remove(&place)?;
        let known = self.by_key.remove_entry(&key).map_or_else(|| key.clone(), |(known, _)| known);
        self.locked.insert(known);
        Some((key, place.0.0))
    }

    /// Gives the key free; whether it can be handed out again now.
    pub(super) fn unlock(&mut self, key: &T) -> bool {
        self.locked.remove(key) && self.by_key.get(key).is_some_and(|entry| entry.ready_at.is_none())
    }

    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn earliest(&self) -> Option<Moment> {
        self.waiting.first_key_value().map(|((ready_at, ..), _)| *ready_at)
    }

    fn take_sequence(&mut self) -> u64 {
        self.next_sequence += 1;
        self.next_sequence
    }

    fn insert(&mut self, key: T, entry: Entry) {
        self.by_key.insert(key.clone(), entry);
        self.place(key, entry);
    }

    /// Gives another entry to a key that is known and in no place.
    fn change(&mut self, key: T, entry: Entry) {
        if let Some(known) = self.by_key.get_mut(&key) {
            *known = entry;
        }
        self.place(key, entry);
    }

    fn place(&mut self, key: T, entry: Entry) {
        let Entry { priority, sequence, ready_at } = entry;
        match ready_at {
            None => self.ready.insert((Reverse(priority), sequence), key),
            Some(ready_at) => self.waiting.insert((ready_at, Reverse(priority), sequence), key),
        };
    }

    /// Takes the entry from its place; its key stays known.
    fn remove(&mut self, entry: &Entry) -> Option<T> {
        let Entry { priority, sequence, ready_at } = *entry;
        match ready_at {
            None => self.ready.remove(&(Reverse(priority), sequence)),
            Some(ready_at) => self.waiting.remove(&(ready_at, Reverse(priority), sequence)),
        }
    }
}
