//! How an object differs from another one that is like it.

use super::bytes::Reader;
use super::literal::{Literal, tag};
use super::nodes::Kind;

/// The first byte of a change that is more than another value.
pub(super) const REMOVE: u8 = tag::END;
pub(super) const ADD: u8 = tag::END + 1;
pub(super) const PATCH: u8 = tag::END + 2;
pub(super) const PATCH_HEX: u8 = tag::END + 3;
pub(super) const SAME: u8 = tag::END + 4;

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
