//! A value that stands for itself.

use std::borrow::Cow;

use jiff::Timestamp;

use super::bytes::{Reader, UUID, is_hex, push_hex, push_uuid, push_varint, unpack_hex, unpack_uuid};
use super::nodes::{Kind, Nodes};
use super::tree::Tree;
use crate::api::parse_time;

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
    /// Seconds since 1970, as the API writes them.
    pub(crate) const TIME: u8 = 9;
    pub(crate) const ARRAY: u8 = 10;
    pub(crate) const OBJECT: u8 = 11;
    pub(crate) const END: u8 = 12;
}

/// The texts that are asked for so often that they are kept as they are.
#[derive(Clone, Copy)]
pub(super) enum Identity {
    ApiVersion,
    Kind,
    Name,
    Namespace,
    ResourceVersion,
}

impl Identity {
    pub(super) const ALL: [Self; 5] =
        [Self::ApiVersion, Self::Kind, Self::Name, Self::Namespace, Self::ResourceVersion];

    /// Where it stands in an object.
    pub(super) const fn path(self) -> &'static [&'static str] {
        match self {
            Self::ApiVersion => &["apiVersion"],
            Self::Kind => &["kind"],
            Self::Name => &["metadata", "name"],
            Self::Namespace => &["metadata", "namespace"],
            Self::ResourceVersion => &["metadata", "resourceVersion"],
        }
    }
}

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
    Identity::ALL.iter().any(|text| text.path().last() == Some(&key))
}

pub(super) fn push_plain(out: &mut Vec<u8>, text: &str) {
    out.push(tag::TEXT);
    push_bytes(out, text.as_bytes());
}

pub(super) fn push_text(out: &mut Vec<u8>, text: &str) {
    if let Some(seconds) = seconds(text) {
        out.push(tag::TIME);
        return out.extend(seconds.to_le_bytes());
    }
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

/// The seconds since 1970 of a time that reads as this one does when it is written.
pub(super) fn seconds(text: &str) -> Option<u32> {
    const LENGTH: usize = "2026-11-29T10:00:00Z".len();
    // A leap second is another one to the clock.
    if text.len() != LENGTH || !text.ends_with('Z') || text.ends_with(":60Z") {
        return None;
    }
    u32::try_from(parse_time(text)?.as_second()).ok()
}

fn time(seconds: u32) -> String {
    Timestamp::from_second(seconds.into()).map(|time| time.to_string()).unwrap_or_default()
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
    let end = out.len();
    push_varint(out, (end - start) as u64);
    let behind = out.len() - end;
    out[start..].rotate_right(behind);
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
            tag::TIME => number = from.take(4).try_into().map_or(0, u32::from_le_bytes).into(),
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
            tag::TEXT | tag::HEX | tag::UUID | tag::TIME => Kind::Text,
            tag::ARRAY => Kind::Array,
            tag::OBJECT => Kind::Object,
            _ => Kind::Null,
        }
    }

    /// The bits of a number; 0 for all other kinds.
    pub(super) const fn number(self) -> u64 {
        if self.kind().is_number() { self.number } else { 0 }
    }

    pub(super) fn text(self) -> Cow<'a, str> {
        match self.tag {
            tag::HEX => {
                let mut text = String::with_capacity(self.number as usize);
                unpack_hex(self.content, self.number as usize, &mut text);
                text.into()
            }
            tag::UUID => unpack_uuid(self.content).into(),
            tag::TIME => time(self.number as u32).into(),
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
