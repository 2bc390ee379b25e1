use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use super::key_ref::KeyRef;
use crate::api::Object;

/// Objects by key, each in a numbered slot that it keeps: twelve bytes or so for each where a pointer takes four.
///
/// A key is not kept where it says no more than the object's namespace and name, as nearly always.
#[derive(Default)]
pub(super) struct Items {
    slots: Vec<Option<Object>>,
    free: Vec<u32>,
    by_key: HashTable<u32>,
    /// The keys that cannot be made of their objects.
    other_keys: FxHashMap<u32, Box<str>>,
}

impl Items {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        let (slots, by_key) = (Vec::with_capacity(capacity), HashTable::with_capacity(capacity));
        Self { slots, by_key, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The memory of the slots and of what is in them.
    pub(super) fn heap_bytes(&self) -> usize {
        let (mut own, mut bases) = (0, FxHashMap::default());
        for (_, object) in self.iter() {
            own += object.own_bytes();
            bases.extend(object.base_bytes());
        }
        let slots = self.slots.capacity() * size_of::<Option<Object>>() + self.by_key.allocation_size();
        slots + own + bases.into_values().sum::<usize>()
    }

    /// By their slots, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Object)> {
        (0..).zip(&self.slots).filter_map(|(slot, object)| Some((slot, object.as_ref()?)))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = KeyRef<'_>> {
        self.iter().map(|(slot, object)| self.key_of(slot, object))
    }

    /// What is in a slot, with its key.
    pub(super) fn at(&self, slot: u32) -> Option<(KeyRef<'_>, &Object)> {
        let object = self.slots.get(slot as usize)?.as_ref()?;
        Some((self.key_of(slot, object), object))
    }

    pub(super) fn get(&self, key: KeyRef) -> Option<&Object> {
        let slot = self.by_key.find(key.hash(), |slot| self.is_at(*slot, key))?;
        self.at(*slot).map(|(_, object)| object)
    }

    /// Puts the object under the key, or keeps what is there when it says the same; tells the slot, and what was there.
    pub(super) fn insert(&mut self, key: &str, object: Object) -> (u32, Option<Object>) {
        let (text, key) = (key, KeyRef::from(key));
        let hash = key.hash();
        let held = self.by_key.find(hash, |slot| self.is_at(*slot, key)).copied();
        if let Some(slot) = held
            && let Some((_, before)) = self.at(slot).filter(|(_, before)| is_same_state(before, &object))
        {
            return (slot, Some(before.clone()));
        }
        let is_of_object = KeyRef::of(&object) == key;
        let slot = held.unwrap_or_else(|| self.free.pop().unwrap_or_else(|| self.new_slot()));
        if !is_of_object {
            self.other_keys.insert(slot, text.into());
        } else if held.is_some() && !self.other_keys.is_empty() {
            self.other_keys.remove(&slot);
        }
        let before = self.slots[slot as usize].replace(object);
        if held.is_none() {
            let Self { slots, by_key, other_keys, .. } = self;
            by_key.insert_unique(hash, slot, |slot| {
                slots[*slot as usize].as_ref().map_or(0, |object| key_of(other_keys, *slot, object).hash())
            });
        }
        (slot, before)
    }

    pub(super) fn remove(&mut self, key: KeyRef) -> Option<(u32, Object)> {
        let slot = self.by_key.find(key.hash(), |slot| self.is_at(*slot, key)).copied()?;
        if let Ok(entry) = self.by_key.find_entry(key.hash(), |other| *other == slot) {
            entry.remove();
        }
        self.other_keys.remove(&slot);
        self.free.push(slot);
        Some((slot, self.slots[slot as usize].take()?))
    }

    /// All of them with their keys; nothing is left.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (String, Object)> {
        let Self { slots, other_keys, .. } = std::mem::take(self);
        (0..).zip(slots).filter_map(move |(slot, object)| {
            let object = object?;
            Some((key_of(&other_keys, slot, &object).to_string(), object))
        })
    }

    /// Grows by an eighth: to double the memory for one more object is to waste half of it.
    fn new_slot(&mut self) -> u32 {
        if self.slots.len() == self.slots.capacity() {
            self.slots.reserve_exact(8 + self.slots.len() / 8);
        }
        let slot = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        self.slots.push(None);
        slot
    }

    fn key_of<'a>(&'a self, slot: u32, object: &'a Object) -> KeyRef<'a> {
        key_of(&self.other_keys, slot, object)
    }

    fn is_at(&self, slot: u32, key: KeyRef) -> bool {
        self.at(slot).is_some_and(|(other, _)| other == key)
    }
}

fn key_of<'a>(other_keys: &'a FxHashMap<u32, Box<str>>, slot: u32, object: &'a Object) -> KeyRef<'a> {
    // Asked first, because it is nearly always empty.
    let other = if other_keys.is_empty() { None } else { other_keys.get(&slot) };
    other.map_or_else(|| KeyRef::of(object), |key| KeyRef::from(&**key))
}

/// The held object in place of a new one that says the same, so that the new one's memory is free again.
pub(super) fn kept(held: Option<&Object>, new: Object) -> Object {
    held.filter(|held| is_same_state(held, &new)).cloned().unwrap_or(new)
}

/// Both are one state of one object. An object without a version may have changed.
fn is_same_state(one: &Object, other: &Object) -> bool {
    Object::ptr_eq(one, other) || (is_same_version(one, other) && one == other)
}

/// A server gives each state of an object a version of its own; that of none says nothing.
pub(super) fn is_same_version(one: &Object, other: &Object) -> bool {
    !one.resource_version().is_empty() && one.resource_version() == other.resource_version()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Manifest;

    fn pod(namespace: &str, name: &str) -> Object {
        let mut pod = Manifest::default();
        pod.metadata.namespace = namespace.into();
        pod.metadata.name = name.into();
        pod.into()
    }

    fn keys(items: &Items) -> Vec<String> {
        items.keys().map(|key| key.to_string()).collect()
    }

    #[test]
    fn objects_are_found_by_their_names_and_by_keys_of_any_other_kind() {
        let mut items = Items::default();
        for (key, namespace, name) in
            [("shop/a", "shop", "a"), ("a", "", "a"), ("/a", "", "a"), ("uid-7", "shop", "a"), ("x/y/z", "x/y", "z")]
        {
            assert_eq!(items.insert(key, pod(namespace, name)).1, None, "{key}");
        }
        assert_eq!(keys(&items), ["shop/a", "a", "/a", "uid-7", "x/y/z"]);
        assert_eq!(items.other_keys.len(), 3);
        assert_eq!(items.remove("uid-7".into()), Some((3, pod("shop", "a"))));
        assert_eq!(items.insert("b", pod("", "b")), (3, None), "the slot is free again");
        assert_eq!(keys(&items), ["shop/a", "a", "/a", "b", "x/y/z"]);
        assert!(items.get("uid-7".into()).is_none() && items.get("b".into()).is_some());
    }

    #[test]
    fn a_key_stays_when_its_object_has_another_name() {
        let mut items = Items::default();
        items.insert("a", pod("", "a"));
        assert_eq!(items.insert("a", pod("", "b")), (0, Some(pod("", "a"))));
        assert_eq!(items.get("a".into()), Some(&pod("", "b")));
        assert_eq!(items.insert("a", pod("", "a")), (0, Some(pod("", "b"))));
        assert_eq!((keys(&items), items.other_keys.len()), (vec!["a".into()], 0));
    }

    #[test]
    fn many_objects_that_come_and_go_stay_findable() {
        let mut items = Items::default();
        let name = |number: usize| format!("web-{number}");
        for number in 0..3_000 {
            items.insert(&format!("shop/{}", name(number)), pod("shop", &name(number)));
            if number >= 1_000 {
                let key = format!("shop/{}", name(number - 1_000));
                assert!(items.remove(key.as_str().into()).is_some());
            }
        }
        assert_eq!((items.len(), items.slots.len()), (1_000, 1_001));
        for number in 2_000..3_000 {
            assert!(items.get(format!("shop/{}", name(number)).as_str().into()).is_some());
        }
    }
}
