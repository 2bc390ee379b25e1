use std::borrow::Cow;
use std::fmt;

use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

use super::base::Base;
use super::changes::{Change, Changes};
use super::literal::{Entries, Identity, Literal};
use super::nodes::{Kind, Nodes};

/// A value of an [`Object`](super::Object): a place in it, read when it is asked.
///
/// Like `serde_json`'s `Value` in what it is asked; what is absent or of another type is none.
#[derive(Clone, Copy)]
pub struct ValueRef<'a>(Repr<'a>);

#[derive(Clone, Copy)]
enum Repr<'a> {
    Literal(Literal<'a>),
    /// A node of the base, itself as it is there; what lies below may have changed.
    Node {
        of: Parts<'a>,
        node: u32,
        changes: Changes<'a>,
    },
    /// A text that was made of the base's.
    Text {
        of: Parts<'a>,
        node: u32,
        change: Change<'a>,
    },
}

/// What an object is made of.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) base: &'a Base,
    pub(super) changes: &'a [u8],
}

impl<'a> Parts<'a> {
    pub(super) fn root(self) -> Option<ValueRef<'a>> {
        self.value(0, Changes::new(self.changes))
    }

    /// A text that is kept as it is, without going down to it; none where it is not the base's or one in its place.
    pub(super) fn identity(self, which: Identity) -> Option<Cow<'a, str>> {
        let node = self.base.identity(which)?;
        for (at, change) in Changes::new(self.changes).take_while(|(at, _)| *at <= node) {
            match change {
                Change::Add { .. } => {}
                Change::Replace(value) if at == node => return (value.kind() == Kind::Text).then(|| value.text()),
                _ if node < self.base.next(at) => return None,
                _ => {}
            }
        }
        Some(self.base.text(node).into())
    }

    /// The value that a node of the base has become; `changes` are those from this node on.
    fn value(self, node: u32, changes: Changes<'a>) -> Option<ValueRef<'a>> {
        let change = changes.clone().next().filter(|(at, _)| *at == node);
        Some(ValueRef(match change.map(|(_, change)| change) {
            None | Some(Change::Add { .. }) => Repr::Node { of: self, node, changes },
            Some(Change::Remove) => return None,
            Some(Change::Replace(value)) => Repr::Literal(value),
            Some(change) => Repr::Text { of: self, node, change },
        }))
    }

    fn text(self, node: u32, change: Change<'a>) -> Cow<'a, str> {
        match change {
            Change::Replace(value) => value.text(),
            Change::Patch { prefix, suffix, middle } => {
                let old = self.base.text(node);
                let (start, end) = (old.get(..prefix), old.get(old.len().saturating_sub(suffix)..));
                let parts = [start.unwrap_or_default(), &middle.text(), end.unwrap_or_default()];
                parts.concat().into()
            }
            Change::Same { nth } => match Changes::new(self.changes).nth_text(nth) {
                Some((node, change)) => self.text(node, change),
                None => Cow::default(),
            },
            Change::Remove | Change::Add { .. } => Cow::default(),
        }
    }
}

impl<'a> ValueRef<'a> {
    fn kind(self) -> Kind {
        match self.0 {
            Repr::Literal(value) => value.kind(),
            Repr::Node { of, node, .. } => of.base.kind(node),
            Repr::Text { .. } => Kind::Text,
        }
    }

    fn number(self) -> u64 {
        match self.0 {
            Repr::Literal(value) => value.number(),
            Repr::Node { of, node, .. } => of.base.number(node),
            Repr::Text { .. } => 0,
        }
    }

    /// The entry of an object.
    pub fn get(self, key: &str) -> Option<Self> {
        match self.0 {
            Repr::Node { of, node, changes } => {
                let end = of.base.next(node);
                let is_object = of.base.kind(node) == Kind::Object;
                let known = of.base.find(key, node + 1, end).filter(|_| is_object);
                let known = known.and_then(|child| of.value(child, changes.from(child)));
                known.or_else(|| Added { node, changes }.find(|(added, _)| *added == key).map(|(_, value)| value))
            }
            _ => self.entries().find(|(entry, _)| *entry == key).map(|(_, value)| value),
        }
    }

    /// The value at a path of keys.
    pub fn at(self, path: &[&str]) -> Option<Self> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// A text; made anew where the object does not hold it as it is.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        match self.0 {
            _ if self.kind() != Kind::Text => None,
            Repr::Literal(value) => Some(value.text()),
            Repr::Node { of, node, .. } => Some(of.base.text(node).into()),
            Repr::Text { of, node, change } => Some(of.text(node, change)),
        }
    }

    /// A whole number.
    pub fn as_i64(self) -> Option<i64> {
        (self.kind() == Kind::Integer).then(|| self.number().cast_signed())
    }

    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// A whole number that is not negative.
    pub fn as_u64(self) -> Option<u64> {
        match self.kind() {
            Kind::Unsigned => Some(self.number()),
            Kind::Integer => u64::try_from(self.number().cast_signed()).ok(),
            _ => None,
        }
    }

    /// A number, also one that is whole.
    pub fn as_f64(self) -> Option<f64> {
        match self.kind() {
            Kind::Integer => Some(self.number().cast_signed() as f64),
            Kind::Unsigned => Some(self.number() as f64),
            Kind::Float => Some(f64::from_bits(self.number())),
            _ => None,
        }
    }

    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    pub fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// The values of an array, in their order; nothing of any other type.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let is_array = self.kind() == Kind::Array;
        self.below().filter(move |_| is_array).map(|(_, value)| value)
    }

    /// The entries of an object; nothing of any other type.
    pub fn entries(self) -> impl Iterator<Item = (&'a str, Self)> {
        let is_object = self.kind() == Kind::Object;
        self.below().filter(move |_| is_object)
    }

    /// What an array or object holds.
    fn below(self) -> Below<'a> {
        match self.0 {
            Repr::Literal(value) => Below::Literal(value.entries()),
            Repr::Node { of, node, changes } => {
                let end = if matches!(self.kind(), Kind::Array | Kind::Object) { of.base.next(node) } else { 0 };
                Below::Node { of, next: node + 1, end, changes, added: Added { node, changes } }
            }
            Repr::Text { .. } => Below::Nothing,
        }
    }

    /// A value of its own.
    pub fn to_value(self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::False => Value::Bool(false),
            Kind::True => Value::Bool(true),
            Kind::Integer => self.number().cast_signed().into(),
            Kind::Unsigned => self.number().into(),
            Kind::Float => Number::from_f64(f64::from_bits(self.number())).map_or(Value::Null, Value::Number),
            Kind::Text => self.as_str().unwrap_or_default().into_owned().into(),
            Kind::Array => self.items().map(Self::to_value).collect(),
            Kind::Object => self.to_map().into(),
        }
    }

    pub(super) fn to_map(self) -> Map<String, Value> {
        self.entries().map(|(key, value)| (key.to_owned(), value.to_value())).collect()
    }
}

/// Goes over what an array or object holds: first what became of the base's, then what was added.
enum Below<'a> {
    Nothing,
    Literal(Entries<'a>),
    Node { of: Parts<'a>, next: u32, end: u32, changes: Changes<'a>, added: Added<'a> },
}

impl<'a> Iterator for Below<'a> {
    type Item = (&'a str, ValueRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Nothing => None,
            Self::Literal(entries) => entries.next().map(|(key, value)| (key, ValueRef(Repr::Literal(value)))),
            Self::Node { of, next, end, changes, added } => {
                while *next < *end {
                    let node = *next;
                    *next = of.base.next(node);
                    *changes = changes.from(node);
                    if let Some(value) = of.value(node, *changes) {
                        return Some((of.base.key(node), value));
                    }
                }
                added.next()
            }
        }
    }
}

/// What was added to a node of the base.
struct Added<'a> {
    node: u32,
    changes: Changes<'a>,
}

impl<'a> Iterator for Added<'a> {
    type Item = (&'a str, ValueRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match self.changes.next()? {
            (node, Change::Add { key, value }) if node == self.node => Some((key, ValueRef(Repr::Literal(value)))),
            _ => None,
        }
    }
}

impl fmt::Debug for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_value().fmt(f)
    }
}

/// Whatever the order of entries.
impl PartialEq for ValueRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Object, Kind::Object) => {
                let found = |(key, value): (&str, Self)| other.get(key).is_some_and(|other| value == other);
                self.entries().count() == other.entries().count() && self.entries().all(found)
            }
            (Kind::Array, Kind::Array) => self.items().eq(other.items()),
            (Kind::Text, Kind::Text) => self.as_str() == other.as_str(),
            (one, two) => one == two && self.number() == other.number(),
        }
    }
}

impl Serialize for ValueRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind() {
            Kind::Array => serializer.collect_seq(self.items()),
            Kind::Object => serializer.collect_map(self.entries()),
            Kind::Text => serializer.serialize_str(&self.as_str().unwrap_or_default()),
            Kind::Integer => serializer.serialize_i64(self.number().cast_signed()),
            Kind::Unsigned => serializer.serialize_u64(self.number()),
            Kind::Float => serializer.serialize_f64(f64::from_bits(self.number())),
            kind @ (Kind::True | Kind::False) => serializer.serialize_bool(kind == Kind::True),
            Kind::Null => serializer.serialize_unit(),
        }
    }
}
