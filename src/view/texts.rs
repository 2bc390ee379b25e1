use std::cmp::Ordering;
use std::hash::{BuildHasher as _, Hasher as _};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::arena::{Arena, Span, push, small};
use super::sort_numbers::sorted_numbers;

/// Texts that repeat, each held once for as long as something uses it, and named by a small number.
#[derive(Debug, Default)]
pub(super) struct Texts {
    arena: Arena,
    entries: Vec<Entry>,
    free: Vec<u32>,
    ids: HashTable<u32>,
}

#[derive(Debug)]
struct Entry {
    span: Span,
    uses: u32,
}

/// The hash of a text, or of a key in two parts.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}

impl Texts {
    /// The text's number, for one more user.
    pub(super) fn take(&mut self, text: &str) -> u32 {
        let (hash_of_text, arena, entries) = (hash(&[text]), &self.arena, &self.entries);
        let known = self.ids.find(hash_of_text, |id| arena.get(entries[*id as usize].span) == text).copied();
        let id = known.unwrap_or_else(|| self.add(hash_of_text, text));
        self.entries[id as usize].uses += 1;
        id
    }

    /// One user less.
    pub(super) fn release(&mut self, id: u32) {
        let Some(entry) = self.entries.get_mut(id as usize) else { return };
        entry.uses -= 1;
        if entry.uses > 0 {
            return;
        }
        let hash = hash(&[self.arena.get(entry.span)]);
        if let Ok(entry) = self.ids.find_entry(hash, |other| *other == id) {
            entry.remove();
        }
        self.arena.remove(&mut entry.span);
        self.free.push(id);
        if self.arena.is_wasteful() {
            let used = self.entries.iter_mut().filter(|entry| entry.uses > 0);
            self.arena.compact(used.map(|entry| &mut entry.span));
        }
    }

    pub(super) fn get(&self, id: u32) -> &str {
        self.entries.get(id as usize).map_or("", |entry| self.arena.get(entry.span))
    }

    /// All texts by their numbers; empty where a number is free.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| self.arena.get(entry.span))
    }

    /// All texts, by their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        (0..small(self.entries.len())).map(|id| self.get(id))
    }

    /// The place of each text among all, by its number.
    pub(super) fn ranks(&self, compare: &mut dyn FnMut(u32, u32) -> Ordering) -> Vec<u32> {
        let sorted = sorted_numbers(self.entries.len(), &mut |a, b| compare(small(a), small(b)));
        let mut ranks = vec![0; sorted.len()];
        for (rank, id) in sorted.into_iter().enumerate() {
            ranks[id as usize] = small(rank);
        }
        ranks
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let entries = self.entries.capacity() * size_of::<Entry>() + self.free.capacity() * 4;
        self.arena.heap_bytes() + entries + self.ids.allocation_size()
    }

    fn add(&mut self, hash_of_text: u64, text: &str) -> u32 {
        let entry = Entry { span: self.arena.add(text), uses: 0 };
        let id = match self.free.pop() {
            Some(id) => {
                self.entries[id as usize] = entry;
                id
            }
            None => {
                push(&mut self.entries, entry);
                small(self.entries.len() - 1)
            }
        };
        let (arena, entries) = (&self.arena, &self.entries);
        self.ids.insert_unique(hash_of_text, id, |id| hash(&[arena.get(entries[*id as usize].span)]));
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_held_once_and_only_while_it_is_used() {
        let mut texts = Texts::default();
        let (a, b) = (texts.take("node-b"), texts.take("node-a"));
        assert_eq!(texts.take("node-b"), a);
        assert_eq!(texts.ranks(&mut |a, b| texts.get(a).cmp(texts.get(b))), [1, 0]);
        texts.release(a);
        assert_eq!(texts.get(a), "node-b");
        texts.release(a);
        assert_eq!(texts.take("node-c"), a, "the number is free again");
        assert_eq!((texts.get(a), texts.get(b)), ("node-c", "node-a"));
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["node-c", "node-a"]);
    }

    #[test]
    fn texts_that_come_and_go_leave_nothing() {
        let mut texts = Texts::default();
        let kept = texts.take("kept");
        for round in 0..50_000 {
            let id = texts.take(&format!("short-lived-{round}"));
            texts.release(id);
        }
        assert_eq!(texts.get(kept), "kept");
        assert!(texts.heap_bytes() < 16_000, "{}", texts.heap_bytes());
    }
}
