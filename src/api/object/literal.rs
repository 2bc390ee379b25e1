//! A value that stands for itself.

use std::borrow::Cow;

use super::bytes::{Reader, UUID, is_hex, push_hex, push_uuid, push_varint, unpack_hex, unpack_uuid};
use super::tree::{Kind, Tree};

/// The first byte of a value. What is not below [`END`] is for changes.
pub(super) mod tag {
    pub(crate) const NULL: u8 = 0;
    pub(crate) const FALSE: u8 = 1;
    pub(crate) const TRUE: u8 = 2;
    /// The sign lies in the lowest bit.
    pub(crate) const INTEGER: u8 = 3;
    pub(crate) const UNSIGNED: u8 = 4;
    pub(crate) const FLOAT: u8 = 5;
    pub(crate) const TEXT: u8 = 6;
    /// Digits, two in a byte.
    pub(crate) const HEX: u8 = 7;
    pub(crate) const UUID: u8 = 8;
    pub(crate) const ARRAY: u8 = 9;
    pub(crate) const OBJECT: u8 = 10;
    pub(crate) const END: u8 = 11;
}

/// The texts that are asked for so often that they are kept as they are.
pub(super) const IDENTITY: [&[&str]; 5] =
    [&["apiVersion"], &["kind"], &["metadata", "name"], &["metadata", "namespace"], &["metadata", "resourceVersion"]];

/// Writes a node and all below it.
pub(super) fn push_literal(out: &mut Vec<u8>, tree: &Tree, node: u32) {
    match tree.kind(node) {
        Kind::Null => out.push(tag::NULL),
        Kind::False => out.push(tag::FALSE),
        Kind::True => out.push(tag::TRUE),
        Kind::Integer => {
            let number = tree.number(node).cast_signed();
            out.push(tag::INTEGER);
            push_varint(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
        }
        Kind::Unsigned => {
            out.push(tag::UNSIGNED);
            push_varint(out, tree.number(node));
        }
        Kind::Float => {
            out.push(tag::FLOAT);
            out.extend(tree.number(node).to_le_bytes());
        }
        Kind::Text if is_identity(tree.key(node)) => push_plain(out, tree.text(node)),
        Kind::Text => push_text(out, tree.text(node)),
        Kind::Array => push_container(out, tag::ARRAY, |out| {
            tree.children(node).for_each(|child| push_literal(out, tree, child));
        }),
        Kind::Object => push_container(out, tag::OBJECT, |out| {
            for child in tree.children(node) {
                push_bytes(out, tree.key(child).as_bytes());
                push_literal(out, tree, child);
            }
        }),
    }
}

fn is_identity(key: &str) -> bool {
    IDENTITY.iter().any(|path| path.last() == Some(&key))
}

pub(super) fn push_plain(out: &mut Vec<u8>, text: &str) {
    out.push(tag::TEXT);
    push_bytes(out, text.as_bytes());
}

pub(super) fn push_text(out: &mut Vec<u8>, text: &str) {
    let at = out.len();
    out.push(tag::UUID);
    if push_uuid(out, text) {
        return;
    }
    out.truncate(at);
    if is_hex(text.as_bytes()) {
        out.push(tag::HEX);
        push_varint(out, text.len() as u64);
        push_hex(out, text.as_bytes());
    } else {
        push_plain(out, text);
    }
}

pub(super) fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// How long it is stands before it, so that a reader can step over it.
fn push_container(out: &mut Vec<u8>, tag: u8, push_content: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    let start = out.len();
    push_content(out);
    let mut length = Vec::with_capacity(4);
    push_varint(&mut length, (out.len() - start) as u64);
    out.splice(start..start, length);
}

/// A value as it is written by [`push_literal`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal<'a> {
    pub(super) tag: u8,
    /// What stands behind the tag: digits, a text or what an object or array holds; the number's own bits.
    content: &'a [u8],
    number: u64,
}

impl<'a> Literal<'a> {
    /// Reads one, and steps over it. Its first byte was read already.
    pub(super) fn read(tag: u8, from: &mut Reader<'a>) -> Self {
        let (mut content, mut number) = (&[][..], 0);
        match tag {
            tag::INTEGER => {
                let folded = from.varint();
                number = (folded >> 1) ^ (folded & 1).wrapping_neg();
            }
            tag::UNSIGNED => number = from.varint(),
            tag::FLOAT => number = from.take(8).try_into().map_or(0, u64::from_le_bytes),
            tag::HEX => {
                number = from.varint();
                content = from.take((number as usize).div_ceil(2));
            }
            tag::UUID => content = from.take(UUID),
            tag::TEXT | tag::ARRAY | tag::OBJECT => {
                let length = from.length();
                content = from.take(length);
            }
            _ => {}
        }
        Self { tag, content, number }
    }

    pub(super) const fn kind(self) -> Kind {
        match self.tag {
            tag::FALSE => Kind::False,
            tag::TRUE => Kind::True,
            tag::INTEGER => Kind::Integer,
            tag::UNSIGNED => Kind::Unsigned,
            tag::FLOAT => Kind::Float,
            tag::TEXT | tag::HEX | tag::UUID => Kind::Text,
            tag::ARRAY => Kind::Array,
            tag::OBJECT => Kind::Object,
            _ => Kind::Null,
        }
    }

    pub(super) const fn number(self) -> u64 {
        self.number
    }

    pub(super) fn text(self) -> Cow<'a, str> {
        match self.tag {
            tag::HEX => {
                let mut text = String::with_capacity(self.number as usize);
                unpack_hex(self.content, self.number as usize, &mut text);
                text.into()
            }
            tag::UUID => unpack_uuid(self.content).into(),
            _ => str::from_utf8(self.content).unwrap_or_default().into(),
        }
    }

    /// What an array or object holds, with the keys of an object.
    pub(super) fn entries(self) -> Entries<'a> {
        let is_object = self.tag == tag::OBJECT;
        let rest = Reader(if is_object || self.tag == tag::ARRAY { self.content } else { &[] });
        Entries { rest, is_object }
    }
}

pub(super) struct Entries<'a> {
    rest: Reader<'a>,
    is_object: bool,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, Literal<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let key = if self.is_object { self.rest.text() } else { "" };
        let tag = self.rest.byte();
        Some((key, Literal::read(tag, &mut self.rest)))
    }
}
