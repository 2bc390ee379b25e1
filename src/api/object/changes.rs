//! How an object differs from another one that is like it.

use super::bytes::{Reader, is_hex, push_hex, push_varint};
use super::literal::{IDENTITY, Literal, push_bytes, push_literal, push_plain, push_text, tag};
use super::tree::{Kind, Tree};

/// The first byte of a change that is more than another value.
const REMOVE: u8 = tag::END;
const ADD: u8 = tag::END + 1;
const PATCH: u8 = tag::END + 2;
const PATCH_HEX: u8 = tag::END + 3;
const SAME: u8 = tag::END + 4;

/// What is worth to be taken over from the base's text, and from a text before this one, in bytes.
const SHORTEST_SHARED: usize = 4;

/// What becomes of one node of the base.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<'a> {
    Remove,
    /// An object gets an entry, an array another value at its end.
    Add {
        key: &'a str,
        value: Literal<'a>,
    },
    Replace(Literal<'a>),
    /// A text keeps so many bytes at its beginning and at its end.
    Patch {
        prefix: usize,
        suffix: usize,
        middle: Literal<'a>,
    },
    /// The text that the changes have at this place among their texts.
    Same {
        nth: usize,
    },
}

impl Change<'_> {
    fn is_text(&self) -> bool {
        match self {
            Self::Replace(value) => value.kind() == Kind::Text,
            Self::Patch { .. } => true,
            _ => false,
        }
    }
}

/// The changes of an object, by the number of the node that they change; several only where entries are added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changes<'a> {
    rest: Reader<'a>,
    node: u32,
}

impl<'a> Changes<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: Reader(bytes), node: 0 }
    }

    /// Those of nodes from this one on.
    pub(super) fn from(mut self, node: u32) -> Self {
        loop {
            let before = self;
            match self.next() {
                Some((at, _)) if at < node => {}
                _ => return before,
            }
        }
    }

    /// The text at a place among the texts.
    pub(super) fn nth_text(self, nth: usize) -> Option<(u32, Change<'a>)> {
        self.filter(|(_, change)| change.is_text()).nth(nth)
    }
}

impl<'a> Iterator for Changes<'a> {
    type Item = (u32, Change<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        self.node += self.rest.varint() as u32;
        let change = match self.rest.byte() {
            REMOVE => Change::Remove,
            ADD => {
                let key = self.rest.text();
                let tag = self.rest.byte();
                Change::Add { key, value: Literal::read(tag, &mut self.rest) }
            }
            kind @ (PATCH | PATCH_HEX) => {
                let (prefix, suffix) = (self.rest.length(), self.rest.length());
                let tag = if kind == PATCH { tag::TEXT } else { tag::HEX };
                Change::Patch { prefix, suffix, middle: Literal::read(tag, &mut self.rest) }
            }
            SAME => Change::Same { nth: self.rest.length() },
            tag => Change::Replace(Literal::read(tag, &mut self.rest)),
        };
        Some((self.node, change))
    }
}

/// Writes how `tree` differs from `base`.
pub(super) fn push_changes(out: &mut Vec<u8>, tree: &Tree, base: &Tree) {
    let plain = IDENTITY.map(|path| base.at(path));
    Differ { tree, base, out, plain, last: 0, texts: Vec::new() }.value(0, 0);
}

struct Differ<'d> {
    tree: &'d Tree,
    base: &'d Tree,
    out: &'d mut Vec<u8>,
    /// The base's nodes of texts that are kept as they are.
    plain: [Option<u32>; IDENTITY.len()],
    /// The node of the change before.
    last: u32,
    /// The tree's nodes whose texts were written.
    texts: Vec<u32>,
}

impl Differ<'_> {
    fn at(&mut self, base: u32) {
        push_varint(self.out, u64::from(base - self.last));
        self.last = base;
    }

    fn value(&mut self, node: u32, base: u32) {
        match (self.tree.kind(node), self.base.kind(base)) {
            (Kind::Object, Kind::Object) => self.object(node, base),
            (Kind::Array, Kind::Array) => self.array(node, base),
            (Kind::Text, Kind::Text) if self.tree.text(node) == self.base.text(base) => {}
            (Kind::Text, Kind::Text) => self.text(node, base),
            (Kind::Text, _) => {
                self.at(base);
                self.new_text(node, base);
            }
            (new, old) if new == old && self.tree.number(node) == self.base.number(base) => {}
            _ => {
                self.at(base);
                push_literal(self.out, self.tree, node);
            }
        }
    }

    fn object(&mut self, node: u32, base: u32) {
        let end = self.base.next(base);
        self.add_new_entries(node, base, end);
        let mut next = base + 1;
        for child in self.tree.children(node) {
            let Some(old) = self.base.find(self.tree.key(child), next, end) else { continue };
            self.remove(next, old);
            self.value(child, old);
            next = self.base.next(old);
        }
        self.remove(next, end);
    }

    /// Before the changes of what is in it already, because these have higher numbers.
    fn add_new_entries(&mut self, node: u32, base: u32, end: u32) {
        let mut next = base + 1;
        for child in self.tree.children(node) {
            match self.base.find(self.tree.key(child), next, end) {
                Some(old) => next = self.base.next(old),
                None => self.add(child, base),
            }
        }
    }

    fn array(&mut self, node: u32, base: u32) {
        let end = self.base.next(base);
        let olds = self.base.children(base).count();
        let tree = self.tree;
        tree.children(node).skip(olds).for_each(|child| self.add(child, base));
        let mut next = base + 1;
        for child in tree.children(node).take(olds) {
            self.value(child, next);
            next = self.base.next(next);
        }
        self.remove(next, end);
    }

    fn add(&mut self, node: u32, base: u32) {
        self.at(base);
        self.out.push(ADD);
        push_bytes(self.out, self.tree.key(node).as_bytes());
        push_literal(self.out, self.tree, node);
    }

    /// Removes the siblings from one on until another.
    fn remove(&mut self, mut from: u32, until: u32) {
        while from < until {
            self.at(from);
            self.out.push(REMOVE);
            from = self.base.next(from);
        }
    }

    fn text(&mut self, node: u32, base: u32) {
        let tree = self.tree;
        let (new, old) = (tree.text(node), self.base.text(base));
        self.at(base);
        let is_plain = self.plain.contains(&Some(base));
        if new.len() >= SHORTEST_SHARED
            && !is_plain
            && let Some(nth) = self.texts.iter().position(|text| tree.text(*text) == new)
        {
            self.out.push(SAME);
            return push_varint(self.out, nth as u64);
        }
        let prefix = new.floor_char_boundary(shared(new.bytes(), old.bytes()));
        let (new_end, old_end) = (&new[prefix..], &old[prefix..]);
        let suffix = shared(new_end.bytes().rev(), old_end.bytes().rev());
        let suffix = new.len() - new.ceil_char_boundary(new.len() - suffix);
        if is_plain || prefix + suffix < SHORTEST_SHARED {
            return self.new_text(node, base);
        }
        let middle = &new[prefix..new.len() - suffix];
        let as_hex = is_hex(middle.as_bytes());
        self.out.push(if as_hex { PATCH_HEX } else { PATCH });
        push_varint(self.out, prefix as u64);
        push_varint(self.out, suffix as u64);
        push_varint(self.out, middle.len() as u64);
        match as_hex {
            true => push_hex(self.out, middle.as_bytes()),
            false => self.out.extend_from_slice(middle.as_bytes()),
        }
        self.texts.push(node);
    }

    fn new_text(&mut self, node: u32, base: u32) {
        let text = self.tree.text(node);
        match self.plain.contains(&Some(base)) {
            true => push_plain(self.out, text),
            false => push_text(self.out, text),
        }
        self.texts.push(node);
    }
}

fn shared(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}
