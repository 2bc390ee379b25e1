use std::time::Duration;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::runtime::Moment;

/// Keeps so many values for a time; the least recently used goes first
/// (apimachinery: `pkg/util/cache/lruexpirecache.go`).
///
/// Over an `IndexMap` in the order of use: moving an entry to its end costs as many steps as there are entries, which
/// are few here.
pub(super) struct LruExpireCache<V> {
    max_size: usize,
    /// Least recently used first.
    entries: IndexMap<String, Entry<V>, FxBuildHasher>,
}

struct Entry<V> {
    value: V,
    /// It still lives at this moment.
    expires: Moment,
}

impl<V: Clone> LruExpireCache<V> {
    pub(super) fn new(max_size: usize) -> Self {
        Self { max_size, entries: IndexMap::default() }
    }

    /// Adds the value as the most recently used one, or puts it in the place of the key's other one.
    pub(super) fn add(&mut self, key: &str, value: V, now: Moment, ttl: Duration) {
        let known = self.entries.shift_remove(key).is_some();
        if !known && self.entries.len() >= self.max_size {
            self.entries.shift_remove_index(0);
        }
        self.entries.insert(key.to_owned(), Entry { value, expires: now + ttl });
    }

    /// The value, which is the most recently used one then. An expired one is removed.
    pub(super) fn get(&mut self, key: &str, now: Moment) -> Option<V> {
        let (key, entry) = self.entries.shift_remove_entry(key)?;
        if now > entry.expires {
            return None;
        }
        let value = entry.value.clone();
        self.entries.insert(key, entry);
        Some(value)
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.entries.shift_remove(key);
    }

    /// The keys that have not expired, least recently used first.
    pub(super) fn keys(&self, now: Moment) -> Vec<String> {
        self.entries.iter().filter(|(_, entry)| now <= entry.expires).map(|(key, _)| key.clone()).collect()
    }
}
