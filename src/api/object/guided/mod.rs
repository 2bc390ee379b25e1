//! Reading an object's text along the one that it is described by.

mod beside;

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::base::Base;
use super::change_writer::ChangeWriter;
use super::nodes::{Kind, Nodes as _};
use super::place::{MANAGER, Place};
use super::template::{Values, What};
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
    /// Where its values stand, for the text of the base itself.
    values: Option<Values>,
}

/// What a reader works with, from object to object.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) writer: ChangeWriter,
    /// For values that the base has not.
    pub(super) tree: Tree,
}

impl<'a> Guided<'a> {
    pub(super) const fn new(base: &'a Base, family: &'a str, scratch: &'a mut Scratch, text: &'a [u8]) -> Self {
        Self { base, family, scratch, text, at: 0, values: None }
    }

    /// Reads the object that the text begins with, and gives its length in bytes.
    pub(super) fn read(mut self, type_meta: TypeMeta<'_>) -> Result<usize, Astray> {
        self.root(type_meta)?;
        Ok(self.at)
    }

    /// Reads the base's own text, and finds where its values stand.
    pub(super) fn values(mut self, type_meta: TypeMeta<'_>) -> Result<Values, Astray> {
        self.values = Some(Values::of(self.text));
        self.root(type_meta)?;
        self.values.ok_or(Astray::Unlike)
    }

    fn root(&mut self, type_meta: TypeMeta<'_>) -> Result<(), Astray> {
        self.scratch.writer.clear();
        self.expect(b'{')?;
        let next = self.behind_type(type_meta)?;
        let noted = self.values.as_mut().map(|values| values.open(0, What::Node(0, Place::Root)));
        self.held(0, next, Place::Root, false)?;
        self.note_end(noted);
        Ok(())
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
        let start = self.at;
        let noted = self.values.as_mut().map(|values| values.open(start, What::Node(node, place)));
        match (self.base.kind(node), self.peek()) {
            (Kind::Object, b'{') | (Kind::Array, b'[') => {
                self.at += 1;
                self.held(node, node + 1, place, false)
            }
            (Kind::Text, b'"') => self.quoted(node, place),
            _ => self.other(node, place),
        }?;
        self.note_end(noted);
        Ok(())
    }

    fn note_end(&mut self, noted: Option<u32>) {
        if let (Some(values), Some(noted)) = (&mut self.values, noted) {
            values.close(noted, self.at);
        }
    }

    /// What an object or array holds, of the base's nodes those from `next` on: at its beginning, or behind another value.
    fn held(&mut self, node: u32, mut next: u32, place: Place, is_behind: bool) -> Result<(), Astray> {
        let is_object = self.base.kind(node) == Kind::Object;
        let (end, place) = if is_object { (b'}', place) } else { (b']', place.item()) };
        let mut goes_on = if is_behind { self.skip(b',') } else { self.peek() != end };
        while goes_on {
            next = if is_object { self.entry(node, next, place)? } else { self.item(node, next, place)? };
            goes_on = self.skip(b',');
        }
        self.expect(end)?;
        self.removed(next..self.base.next(node), place)
    }

    /// Reads an entry, maybe that of the node `next`, and gives the node whose entry may follow.
    fn entry(&mut self, node: u32, next: u32, place: Place) -> Result<u32, Astray> {
        let end = self.base.next(node);
        if next < end && self.skip_key(next) {
            self.value(next, place.below(self.base.key(next)))?;
            return Ok(self.base.next(next));
        }
        let key = self.string()?;
        self.expect(b':')?;
        if place == Place::Manager && !MANAGER.contains(&&*key) {
            self.leave_out()?;
            return Ok(next);
        }
        let below = place.below(&key);
        if let Some(found) = self.base.find(&key, next, end) {
            self.removed(next..found, place)?;
            self.value(found, below)?;
            return Ok(self.base.next(found));
        }
        let stood_before = self.base.find(&key, node + 1, next).is_some();
        if stood_before || !place.may_have(&key) || place == Place::Texts && self.peek() != b'"' {
            return Err(Astray::Unlike);
        }
        self.added(node, &key, below)?;
        Ok(next)
    }

    /// As [`entry`](Self::entry), of an array.
    fn item(&mut self, node: u32, next: u32, place: Place) -> Result<u32, Astray> {
        if next < self.base.next(node) {
            self.value(next, place)?;
            return Ok(self.base.next(next));
        }
        if place == Place::Owners {
            return Err(Astray::Unlike);
        }
        self.added(node, "", place)?;
        Ok(next)
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
        self.scratch.tree.read_value(raw, place).map_err(|_| Astray::Unlike)?;
        let new = self.scratch.tree.kind(0);
        if new == kind && self.scratch.tree.number(0) == self.base.number(node) {
            return Ok(());
        }
        if place != Place::Elsewhere && !(new.is_number() && kind.is_number()) {
            return Err(Astray::Unlike);
        }
        self.scratch.writer.replace(self.base, node, &self.scratch.tree, 0);
        Ok(())
    }

    /// Goes over a value that is not kept.
    fn leave_out(&mut self) -> Result<(), Astray> {
        let start = self.at;
        self.raw_value()?;
        if let Some(values) = &mut self.values {
            let noted = values.open(start, What::LeftOut);
            texts(&self.text[..self.at], start).for_each(|text| values.left_out(text));
            values.close(noted, self.at);
        }
        Ok(())
    }

    /// Goes over the value that follows.
    fn raw_value(&mut self) -> Result<&'a [u8], Astray> {
        let start = self.at;
        self.parse::<IgnoredAny>()?;
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
        let follows = rest.starts_with(text.as_bytes()) && rest[text.len()..].starts_with(end);
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

/// Where texts stand in JSON from a place on, with their quotes.
fn texts(json: &[u8], mut at: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let start = at + json.get(at..)?.iter().position(|byte| *byte == b'"')?;
        at = start + 1;
        while let Some(byte) = json.get(at).filter(|byte| **byte != b'"') {
            at += if *byte == b'\\' { 2 } else { 1 };
        }
        at += 1;
        Some(start..at)
    })
}
