use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// A value for each key, in the order in which the keys came. A key that is there keeps its place.
#[derive(Debug)]
pub(super) struct KeyLine<V> {
    values: FxHashMap<String, V>,
    keys: VecDeque<String>,
}

impl<V> Default for KeyLine<V> {
    fn default() -> Self {
        Self { values: FxHashMap::default(), keys: VecDeque::new() }
    }
}

impl<V> KeyLine<V> {
    pub(super) fn get(&self, key: &str) -> Option<&V> {
        self.values.get(key)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.values.get_mut(key)
    }

    /// The value of the key, which is put at the end when it is not there.
    pub(super) fn entry(&mut self, key: String) -> &mut V
    where
        V: Default,
    {
        if !self.values.contains_key(&key) {
            self.keys.push_back(key.clone());
        }
        self.values.entry(key).or_default()
    }

    pub(super) fn pop(&mut self) -> Option<(String, V)> {
        let key = self.keys.pop_front()?;
        self.values.remove_entry(&key)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &V)> {
        self.keys.iter().filter_map(|key| self.values.get_key_value(key))
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }
}
