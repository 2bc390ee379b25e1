//! Writing how an object differs from the one that it is described by.

use std::ops::Range;

use super::base::Base;
use super::bytes::{is_hex, push_hex, push_varint};
use super::changes::{ADD, PATCH, PATCH_HEX, REMOVE, SAME};
use super::literal::{push_bytes, push_literal, push_plain, push_text, seconds};
use super::nodes::{Kind, Nodes as _};
use super::tree::Tree;

/// Takes the changes of one object in the order of its text, and brings them into that of the base's nodes.
#[derive(Debug, Default)]
pub(super) struct ChangeWriter {
    changes: Vec<Written>,
    bytes: Vec<u8>,
    /// The texts that were written, and where each begins and ends.
    said: Vec<u8>,
    texts: Vec<Range<u32>>,
    out: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Written {
    node: u32,
    /// Where its bytes lie.
    start: u32,
    end: u32,
}

/// One large object must not cost its memory for as long as others are read.
pub(super) const KEPT: usize = 64 * 1024;

/// What is worth to be taken over from the base's text, and from a text before this one, in bytes.
const SHORTEST_SHARED: usize = 4;

impl ChangeWriter {
    /// Forgets what it took.
    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.texts.clear();
        for bytes in [&mut self.bytes, &mut self.said, &mut self.out] {
            bytes.clear();
            bytes.shrink_to(KEPT);
        }
    }

    /// All that it took, as [`Changes`](super::changes::Changes) reads it.
    pub(super) fn finish(&mut self) -> &[u8] {
        self.out.clear();
        let mut last = 0;
        for change in &self.changes {
            push_varint(&mut self.out, u64::from(change.node - last));
            last = change.node;
            self.out.extend_from_slice(&self.bytes[change.start as usize..change.end as usize]);
        }
        &self.out
    }

    fn change(&mut self, node: u32, push: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len() as u32;
        push(&mut self.bytes);
        // What is added to an object or array comes before the changes of what was in it, which have higher numbers.
        let at = self.changes.iter().rposition(|change| change.node <= node).map_or(0, |before| before + 1);
        self.changes.insert(at, Written { node, start, end: self.bytes.len() as u32 });
    }

    /// An object gets an entry, an array another value at its end: a node of a tree.
    pub(super) fn add(&mut self, to: u32, key: &str, tree: &Tree, node: u32) {
        self.change(to, |out| {
            out.push(ADD);
            push_bytes(out, key.as_bytes());
            push_literal(out, tree, node);
        });
    }

    /// Removes the base's siblings from one on until another.
    pub(super) fn remove(&mut self, base: &Base, siblings: Range<u32>) {
        for node in base.siblings(siblings) {
            self.change(node, |out| out.push(REMOVE));
        }
    }

    /// Puts a node of a tree, and all below it, in place of the base's.
    pub(super) fn replace(&mut self, base: &Base, at: u32, tree: &Tree, node: u32) {
        match tree.kind(node) {
            Kind::Text => self.new_text(base, at, tree.text(node)),
            _ => self.change(at, |out| push_literal(out, tree, node)),
        }
    }

    /// Puts another text in place of the base's.
    pub(super) fn text(&mut self, base: &Base, at: u32, new: &str) {
        let is_plain = base.is_identity(at);
        if new.len() >= SHORTEST_SHARED
            && !is_plain
            && let Some(nth) = self.place_of(new.as_bytes())
        {
            return self.change(at, |out| {
                out.push(SAME);
                push_varint(out, nth as u64);
            });
        }
        let old = base.text(at);
        let prefix = new.floor_char_boundary(shared(new.bytes(), old.bytes()));
        let (new_end, old_end) = (&new[prefix..], &old[prefix..]);
        let suffix = shared(new_end.bytes().rev(), old_end.bytes().rev());
        let suffix = new.len() - new.ceil_char_boundary(new.len() - suffix);
        if is_plain || prefix + suffix < SHORTEST_SHARED || seconds(new).is_some() {
            return self.new_text(base, at, new);
        }
        let middle = new.as_bytes().get(prefix..new.len() - suffix).unwrap_or_default();
        self.change(at, |out| {
            let as_hex = is_hex(middle);
            out.push(if as_hex { PATCH_HEX } else { PATCH });
            for length in [prefix, suffix, middle.len()] {
                push_varint(out, length as u64);
            }
            match as_hex {
                true => push_hex(out, middle),
                false => out.extend_from_slice(middle),
            }
        });
        self.said(new);
    }

    /// Which of the texts that were written it is.
    fn place_of(&self, new: &[u8]) -> Option<usize> {
        let is_it =
            |text: &Range<u32>| text.len() == new.len() && &self.said[text.start as usize..text.end as usize] == new;
        self.texts.iter().position(is_it)
    }

    fn new_text(&mut self, base: &Base, at: u32, new: &str) {
        let push = if base.is_identity(at) { push_plain } else { push_text };
        self.change(at, |out| push(out, new));
        self.said(new);
    }

    fn said(&mut self, text: &str) {
        let start = self.said.len() as u32;
        self.said.extend_from_slice(text.as_bytes());
        self.texts.push(start..self.said.len() as u32);
    }
}

fn shared(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}
