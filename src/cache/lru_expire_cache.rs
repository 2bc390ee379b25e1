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

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(36_000);

    fn at(millis: u64) -> Moment {
        Moment::after_start(Duration::from_millis(millis))
    }

    fn four() -> LruExpireCache<u8> {
        let mut cache = LruExpireCache::new(4);
        for (key, value) in [("elem1", 1), ("elem2", 2), ("elem3", 3), ("elem4", 4)] {
            cache.add(key, value, at(0), LONG);
        }
        cache
    }

    /// apimachinery: `util/cache TestSimpleGet`, `TestSimpleRemove`.
    #[test]
    fn a_value_is_there_until_it_is_removed() {
        let mut cache = LruExpireCache::new(10);
        cache.add("a", 1, at(0), LONG);
        cache.add("b", 2, at(0), LONG);
        assert_eq!((cache.get("a", at(0)), cache.get("c", at(0))), (Some(1), None));
        cache.remove("a");
        assert_eq!((cache.get("a", at(0)), cache.keys(at(0))), (None, vec!["b".to_owned()]));
    }

    /// apimachinery: `util/cache TestExpiredGet`.
    #[test]
    fn a_value_lives_for_its_time_and_is_removed_when_it_is_read_later() {
        let mut cache = LruExpireCache::new(10);
        cache.add("a", 1, at(0), Duration::from_millis(1));
        assert_eq!((cache.keys(at(1)).len(), cache.get("a", at(1))), (1, Some(1)));
        assert!(cache.keys(at(2)).is_empty());
        assert_eq!(cache.entries.len(), 1);
        assert_eq!(cache.get("a", at(2)), None);
        assert!(cache.entries.is_empty());
    }

    /// apimachinery: `TestLRUOverflow`, `TestLRUKeys`.
    #[test]
    fn the_least_recently_used_goes_first() {
        let mut cache = four();
        assert_eq!(cache.keys(at(0)), ["elem1", "elem2", "elem3", "elem4"]);
        cache.add("elem5", 5, at(0), LONG);
        assert_eq!(cache.keys(at(0)), ["elem2", "elem3", "elem4", "elem5"]);
    }

    /// apimachinery: `TestAddBringsToFront`, `TestGetBringsToFront`.
    #[test]
    fn writing_and_reading_are_use() {
        let mut cache = four();
        cache.add("elem1", 9, at(0), LONG);
        assert_eq!(cache.keys(at(0)), ["elem2", "elem3", "elem4", "elem1"]);
        cache.get("elem2", at(0));
        cache.add("elem5", 5, at(0), LONG);
        assert_eq!(cache.keys(at(0)), ["elem4", "elem1", "elem2", "elem5"]);
        assert_eq!(cache.get("elem1", at(0)), Some(9));
    }
}
