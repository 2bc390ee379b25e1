//! Reading an object's text along the one that it is described by.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::base::Base;
use super::change_writer::ChangeWriter;
use super::nodes::{Kind, Nodes as _};
use super::place::{MANAGER, Place};
use super::tree::{Tree, TypeMeta};
use crate::api::parse_time;

/// Why an object's text cannot be read along a base. It must be read by itself then; nothing is said of whether it is
/// right.
#[derive(Debug, PartialEq)]
pub(super) enum Astray {
    /// It belongs to another family: to that of this owner, or of this name that others were generated from too.
    Family(String),
    /// It is built in another way, or is not whole.
    Unlike,
}

/// Compares a text with the base while it goes over it, as an API server writes it: without whitespace, and with fields
/// in the order of the base's. What is equal, almost all, is neither parsed nor copied.
pub(super) struct Guided<'a> {
    base: &'a Base,
    /// What the object must have where the base has what tells its family.
    family: &'a str,
    scratch: &'a mut Scratch,
    text: &'a [u8],
    at: usize,
    /// How many values of this object were left out.
    left_out: usize,
}

/// What a reader works with, from object to object.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) writer: ChangeWriter,
    /// For values that the base has not.
    pub(super) tree: Tree,
    /// The values that are not kept, of the object before: those of the next one are often the same.
    left_out: Vec<Vec<u8>>,
}

impl<'a> Guided<'a> {
    pub(super) const fn new(base: &'a Base, family: &'a str, scratch: &'a mut Scratch, text: &'a [u8]) -> Self {
        Self { base, family, scratch, text, at: 0, left_out: 0 }
    }

    /// Reads the object that the text begins with, and gives its length in bytes.
    pub(super) fn read(mut self, type_meta: TypeMeta<'_>) -> Result<usize, Astray> {
        self.scratch.writer.clear();
        self.expect(b'{')?;
        let next = self.behind_type(type_meta)?;
        self.entries(0, next, Place::Root)?;
        Ok(self.at)
    }

    /// The first node of the root that the text must have: items of a list need not say what they are.
    fn behind_type(&self, type_meta: TypeMeta<'_>) -> Result<u32, Astray> {
        let says_it = [&b"\"kind\":"[..], b"\"apiVersion\":"].iter().any(|key| self.text[self.at..].starts_with(key));
        if says_it || type_meta.kind.is_empty() {
            return Ok(1);
        }
        let is = |node, key, text| self.base.key(node) == key && self.base.text(node) == text;
        match is(1, "kind", type_meta.kind) && is(2, "apiVersion", type_meta.api_version) {
            true => Ok(3),
            false => Err(Astray::Unlike),
        }
    }

    fn value(&mut self, node: u32, place: Place) -> Result<(), Astray> {
        match (self.base.kind(node), self.peek()) {
            (Kind::Object, b'{') => {
                self.at += 1;
                self.entries(node, node + 1, place)
            }
            (Kind::Array, b'[') => {
                self.at += 1;
                self.items(node, place.item())
            }
            (Kind::Text, b'"') => self.quoted(node, place),
            _ => self.other(node, place),
        }
    }

    /// The entries of an object, whose base's are those from `next` on.
    fn entries(&mut self, node: u32, mut next: u32, place: Place) -> Result<(), Astray> {
        let end = self.base.next(node);
        let first = next;
        if self.skip(b'}') {
            return self.removed(next..end, place);
        }
        loop {
            if next < end && self.skip_key(next) {
                self.value(next, place.below(self.base.key(next)))?;
                next = self.base.next(next);
            } else {
                let key = self.string()?;
                self.expect(b':')?;
                if place == Place::Manager && !MANAGER.contains(&&*key) {
                    self.leave_out()?;
                } else if let Some(found) = self.base.find(&key, next, end) {
                    self.removed(next..found, place)?;
                    self.value(found, place.below(&key))?;
                    next = self.base.next(found);
                } else if self.base.find(&key, first, next).is_some() {
                    return Err(Astray::Unlike);
                } else if place.may_have(&key) && (place != Place::Texts || self.peek() == b'"') {
                    self.added(node, &key, place.below(&key))?;
                } else {
                    return Err(Astray::Unlike);
                }
            }
            if !self.skip(b',') {
                self.expect(b'}')?;
                return self.removed(next..end, place);
            }
        }
    }

    fn items(&mut self, node: u32, place: Place) -> Result<(), Astray> {
        let (mut next, end) = (node + 1, self.base.next(node));
        if self.skip(b']') {
            return self.removed(next..end, place);
        }
        loop {
            if next < end {
                self.value(next, place)?;
                next = self.base.next(next);
            } else if place != Place::Owners {
                self.added(node, "", place)?;
            } else {
                return Err(Astray::Unlike);
            }
            if !self.skip(b',') {
                self.expect(b']')?;
                return self.removed(next..end, place);
            }
        }
    }

    fn removed(&mut self, siblings: Range<u32>, place: Place) -> Result<(), Astray> {
        let tells_family = |node| siblings.contains(&node);
        if !siblings.is_empty() && (!place.may_lack() || self.base.family_node().is_some_and(tells_family)) {
            return Err(Astray::Unlike);
        }
        self.scratch.writer.remove(self.base, siblings);
        Ok(())
    }

    fn added(&mut self, to: u32, key: &str, place: Place) -> Result<(), Astray> {
        let raw = self.raw_value()?;
        self.scratch.tree.read_value(raw, place).map_err(|_| Astray::Unlike)?;
        self.scratch.writer.add(to, key, &self.scratch.tree, 0);
        Ok(())
    }

    fn quoted(&mut self, node: u32, place: Place) -> Result<(), Astray> {
        let base = self.base;
        let tells_family = base.family_node() == Some(node);
        if !tells_family && self.skip_text(node) {
            return Ok(());
        }
        let new = self.string()?;
        if tells_family && new != self.family {
            return Err(Astray::Family(new.into_owned()));
        }
        if new == base.text(node) {
            return Ok(());
        }
        match place {
            Place::Type => return Err(Astray::Unlike),
            Place::Time if parse_time(&new).is_none() => return Err(Astray::Unlike),
            _ => {}
        }
        self.scratch.writer.text(base, node, &new);
        Ok(())
    }

    /// A value that is of another type than the base's, or a scalar.
    fn other(&mut self, node: u32, place: Place) -> Result<(), Astray> {
        let (raw, kind) = (self.raw_value()?, self.base.kind(node));
        let is_same = match kind {
            Kind::Null => raw == b"null",
            Kind::False => raw == b"false",
            Kind::True => raw == b"true",
            Kind::Integer => small_number(raw).is_some_and(|number| number == self.base.number(node)),
            _ => false,
        };
        if is_same {
            return Ok(());
        }
        self.scratch.tree.read_value(raw, place).map_err(|_| Astray::Unlike)?;
        let new = self.scratch.tree.kind(0);
        if place != Place::Elsewhere && !(new.is_number() && kind.is_number()) {
            return Err(Astray::Unlike);
        }
        if new != kind || self.scratch.tree.number(0) != self.base.number(node) {
            self.scratch.writer.replace(self.base, node, &self.scratch.tree, 0);
        }
        Ok(())
    }

    /// Goes over a value that is not kept.
    fn leave_out(&mut self) -> Result<(), Astray> {
        let before = self.scratch.left_out.get(self.left_out).filter(|before| !before.is_empty());
        let before = before.filter(|before| begins_with(&self.text[self.at..], before));
        if let Some(before) = before {
            self.at += before.len();
        } else {
            let value = self.raw_value()?;
            // A number may be the beginning of another one.
            if matches!(value, [b'{' | b'"', ..]) && self.left_out < LEFT_OUT {
                self.scratch.left_out.resize_with(LEFT_OUT, Vec::new);
                self.scratch.left_out[self.left_out].clear();
                self.scratch.left_out[self.left_out].extend_from_slice(value);
            }
        }
        self.left_out += 1;
        Ok(())
    }

    /// Goes over the value that follows.
    fn raw_value(&mut self) -> Result<&'a [u8], Astray> {
        let start = self.at;
        match plain_scalar(&self.text[start..]) {
            Some(length) => self.at += length,
            None => {
                self.parse::<IgnoredAny>()?;
            }
        }
        Ok(&self.text[start..self.at])
    }

    /// Parses the value that follows.
    fn parse<T: Deserialize<'a>>(&mut self) -> Result<T, Astray> {
        let mut values = serde_json::Deserializer::from_slice(&self.text[self.at..]).into_iter();
        let value = values.next().and_then(Result::ok).ok_or(Astray::Unlike)?;
        self.at += values.byte_offset();
        Ok(value)
    }

    /// Goes over a string, and gives what it says.
    fn string(&mut self) -> Result<Cow<'a, str>, Astray> {
        self.expect(b'"')?;
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..=0x1f)).ok_or(Astray::Unlike)?;
        if rest[length] == b'"' {
            self.at += length + 1;
            return str::from_utf8(&rest[..length]).map(Cow::Borrowed).map_err(|_| Astray::Unlike);
        }
        self.at -= 1;
        self.parse().map(Cow::Owned)
    }

    /// Goes over the key of a node and its colon, if they follow.
    fn skip_key(&mut self, node: u32) -> bool {
        self.skip_quoted(node, self.base.key(node), b"\":")
    }

    /// Goes over the text of a node, if it follows.
    fn skip_text(&mut self, node: u32) -> bool {
        self.skip_quoted(node, self.base.text(node), b"\"")
    }

    fn skip_quoted(&mut self, node: u32, text: &str, end: &[u8]) -> bool {
        let Some((b'"', rest)) = self.text[self.at..].split_first() else { return false };
        let follows = begins_with(rest, text.as_bytes()) && rest[text.len()..].starts_with(end);
        let follows = follows && !self.base.is_escaped(node);
        if follows {
            self.at += 1 + text.len() + end.len();
        }
        follows
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or_default()
    }

    fn skip(&mut self, byte: u8) -> bool {
        let follows = self.peek() == byte;
        self.at += usize::from(follows);
        follows
    }

    fn expect(&mut self, byte: u8) -> Result<(), Astray> {
        if self.skip(byte) { Ok(()) } else { Err(Astray::Unlike) }
    }
}

/// How many values that are not kept are remembered.
const LEFT_OUT: usize = 16;

/// By eight bytes at a time: a slice's own comparison goes byte by byte in wasm.
fn begins_with(text: &[u8], prefix: &[u8]) -> bool {
    let Some(beginning) = text.get(..prefix.len()) else { return false };
    let ((words, rest), (prefix_words, prefix_rest)) = (beginning.as_chunks::<8>(), prefix.as_chunks::<8>());
    let is_same = |(one, other): (&[u8; 8], &[u8; 8])| u64::from_ne_bytes(*one) == u64::from_ne_bytes(*other);
    words.iter().zip(prefix_words).all(is_same) && rest == prefix_rest
}

/// The length of the word or small whole number that the text begins with: the most frequent values, for which a parser
/// need not be made.
fn plain_scalar(text: &[u8]) -> Option<usize> {
    let length = match text.first()? {
        b'{' | b'[' | b'"' => return None,
        _ => text.iter().position(|byte| matches!(byte, b',' | b'}' | b']'))?,
    };
    let scalar = &text[..length];
    (matches!(scalar, b"true" | b"false" | b"null") || small_number(scalar).is_some()).then_some(length)
}

/// A whole number that is written in the one way, if it is small.
fn small_number(raw: &[u8]) -> Option<u64> {
    const DIGITS: usize = 18;
    let is_plain =
        (1..=DIGITS).contains(&raw.len()) && raw.iter().all(u8::is_ascii_digit) && (raw.len() == 1 || raw[0] != b'0');
    is_plain.then(|| raw.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}
