use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::change_writer::KEPT;
use super::nodes::{Kind, Nodes};
use super::place::{MANAGER, Place};
use crate::api::parse_time;

/// An object as it is read, before it is described by another one.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    text: String,
    numbers: Vec<u64>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Where its text begins: its key, and right behind it what it says if it is a text.
    start: u32,
    /// How long its key is, in all but the lowest bits, which are its kind.
    key_and_kind: u32,
    /// Bytes of a text; the place among the numbers; the node behind all that an object or array holds.
    extent: u32,
}

impl Node {
    const fn kind(self) -> Kind {
        KINDS[(self.key_and_kind & KIND_MASK) as usize]
    }

    /// Where its key ends.
    const fn key_end(self) -> usize {
        self.start as usize + (self.key_and_kind >> KIND_BITS) as usize
    }
}

const KIND_BITS: u32 = 4;
const KIND_MASK: u32 = (1 << KIND_BITS) - 1;
/// By its number.
const KINDS: [Kind; 1 << KIND_BITS] = {
    use Kind::{Array, False, Float, Integer, Null, Object, Text, True, Unsigned};
    [Null, False, True, Integer, Unsigned, Float, Text, Array, Object, Null, Null, Null, Null, Null, Null, Null]
};

/// What all items of a list are, where they do not say it themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TypeMeta<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
}

impl<'a> TypeMeta<'a> {
    /// What an object says of itself, where it says this first.
    pub(super) fn written_in(json: &'a [u8]) -> Option<Self> {
        let (first, rest) = first_text(json.strip_prefix(b"{")?)?;
        let (second, _) = first_text(rest.strip_prefix(b",")?)?;
        match (first, second) {
            (("kind", kind), ("apiVersion", api_version)) | (("apiVersion", api_version), ("kind", kind)) => {
                Some(Self { api_version, kind })
            }
            _ => None,
        }
    }
}

/// An entry of an object whose value is a text without escapes, and what follows.
fn first_text(json: &[u8]) -> Option<((&str, &str), &[u8])> {
    let mut parts = json.splitn(5, |byte| *byte == b'"');
    let (before, key, colon, value, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_entry = before.is_empty() && colon == b":";
    is_entry.then_some(())?;
    Some(((str::from_utf8(key).ok()?, str::from_utf8(value).ok()?), rest))
}

impl Tree {
    /// Reads an object in place of what it held. Of `managedFields` it leaves out which fields they are.
    pub(super) fn read<'de, D: Deserializer<'de>>(&mut self, from: D, type_meta: TypeMeta<'_>) -> Result<(), D::Error> {
        self.clear();
        from.deserialize_map(Root { tree: self, type_meta })?;
        self.check().map_err(D::Error::custom)
    }

    /// [Reads](Self::read) a text that is an object and nothing else.
    pub(super) fn read_json(&mut self, json: &[u8], type_meta: TypeMeta<'_>) -> Result<(), serde_json::Error> {
        let mut from = serde_json::Deserializer::from_slice(json);
        self.read(&mut from, type_meta)?;
        from.end()
    }

    /// Reads a value of an object in place of what it held.
    pub(super) fn read_value(&mut self, json: &[u8], place: Place) -> Result<(), serde_json::Error> {
        self.clear();
        let mut from = serde_json::Deserializer::from_slice(json);
        let key = self.no_key();
        Read { tree: self, key, place }.deserialize(&mut from)?;
        from.end()
    }

    fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(KEPT);
        self.numbers.clear();
        self.nodes.clear();
    }

    /// What accessors rely on is as the API has it.
    fn check(&self) -> Result<(), &'static str> {
        let is = |node: Option<u32>, kind: Kind| node.is_none_or(|node| [kind, Kind::Null].contains(&self.kind(node)));
        let texts = ["name", "namespace", "uid", "resourceVersion"].map(|key| self.at(&["metadata", key]));
        let maps = ["labels", "annotations"].map(|key| self.at(&["metadata", key]));
        let metadata = self.at(&["metadata"]);
        if !is(metadata, Kind::Object) {
            return Err("metadata is no map");
        }
        let stands_twice = |metadata: u32| {
            let (mut fields, end) = (self.children(metadata), self.next(metadata));
            fields.any(|field| self.find(self.key(field), self.next(field), end).is_some())
        };
        if metadata.is_some_and(stands_twice) {
            return Err("a field of the metadata stands twice");
        }
        if !texts.into_iter().all(|node| is(node, Kind::Text)) {
            return Err("a name, uid or version is no text");
        }
        let times = ["creationTimestamp", "deletionTimestamp"].map(|key| self.at(&["metadata", key]));
        let is_time = |node: u32| self.kind(node) == Kind::Null || parse_time(self.text(node)).is_some();
        if !times.into_iter().flatten().all(is_time) {
            return Err("a time of the metadata is none");
        }
        let of_texts = |map: u32| self.children(map).all(|child| is(Some(child), Kind::Text));
        match maps.into_iter().flatten().all(|map| is(Some(map), Kind::Object) && of_texts(map)) {
            true => Ok(()),
            false => Err("labels or annotations are no map of texts"),
        }
    }

    /// An item says what it is itself, after it was told.
    pub(super) fn contradicts_its_type_meta(&self) -> bool {
        let mut names = self.children(0).filter(|node| ["kind", "apiVersion"].contains(&self.key(*node)));
        names.nth(2).is_some()
    }

    /// How many nodes it has.
    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    fn push(&mut self, key: Key, kind: Kind, extent: u32) {
        self.nodes.push(Node { start: key.start, key_and_kind: key.len << KIND_BITS | kind as u32, extent });
    }

    fn push_text(&mut self, key: Key, text: &str) {
        self.text.push_str(text);
        self.push(key, Kind::Text, text.len() as u32);
    }

    fn push_number(&mut self, key: Key, kind: Kind, bits: u64) {
        self.push(key, kind, self.numbers.len() as u32);
        self.numbers.push(bits);
    }

    /// Takes a key in; the node that bears it must be pushed next.
    fn push_key(&mut self, key: &str) -> Key {
        let start = self.text.len() as u32;
        self.text.push_str(key);
        Key { start, len: key.len() as u32 }
    }

    /// That of the root, and of values in arrays.
    const fn no_key(&self) -> Key {
        Key { start: self.text.len() as u32, len: 0 }
    }

    const fn end(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Ends the object or array that began at `node`.
    fn close(&mut self, node: u32) {
        self.nodes[node as usize].extent = self.nodes.len() as u32;
    }
}

impl Nodes for Tree {
    fn kind(&self, node: u32) -> Kind {
        self.nodes.get(node as usize).map_or(Kind::Null, |node| node.kind())
    }

    fn key(&self, node: u32) -> &str {
        let Some(node) = self.nodes.get(node as usize) else { return "" };
        &self.text[node.start as usize..node.key_end()]
    }

    fn text(&self, node: u32) -> &str {
        match self.nodes.get(node as usize) {
            Some(node) if node.kind() == Kind::Text => {
                &self.text[node.key_end()..node.key_end() + node.extent as usize]
            }
            _ => "",
        }
    }

    fn number(&self, node: u32) -> u64 {
        match self.nodes.get(node as usize) {
            Some(node) if node.kind().is_number() => self.numbers[node.extent as usize],
            _ => 0,
        }
    }

    fn next(&self, node: u32) -> u32 {
        match self.nodes.get(node as usize) {
            Some(node) if node.kind().is_container() => node.extent,
            _ => node + 1,
        }
    }
}

#[derive(Clone, Copy)]
struct Key {
    start: u32,
    len: u32,
}

/// Reads the object itself, after its kind if that is known from elsewhere.
struct Root<'t, 'm> {
    tree: &'t mut Tree,
    type_meta: TypeMeta<'m>,
}

impl<'de> Visitor<'de> for Root<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a Kubernetes object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Self { tree, type_meta } = self;
        tree.push(tree.no_key(), Kind::Object, 0);
        for (key, value) in [("kind", type_meta.kind), ("apiVersion", type_meta.api_version)] {
            if !value.is_empty() {
                let key = tree.push_key(key);
                tree.push_text(key, value);
            }
        }
        read_map(tree, 0, Place::Root, map)
    }
}

fn read_map<'de, A: MapAccess<'de>>(tree: &mut Tree, node: u32, place: Place, mut map: A) -> Result<(), A::Error> {
    while let Some(key) = map.next_key_seed(ReadKey(tree))? {
        let name = &tree.text[key.start as usize..];
        if place == Place::Manager && !MANAGER.contains(&name) {
            tree.text.truncate(key.start as usize);
            map.next_value::<IgnoredAny>()?;
            continue;
        }
        let place = place.below(name);
        map.next_value_seed(Read { tree, key, place })?;
    }
    tree.close(node);
    Ok(())
}

struct ReadKey<'t>(&'t mut Tree);

impl<'de> DeserializeSeed<'de> for ReadKey<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Key, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for ReadKey<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Key, E> {
        Ok(self.0.push_key(name))
    }
}

/// Reads one value.
struct Read<'t> {
    tree: &'t mut Tree,
    key: Key,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for Read<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Read<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.tree.push(self.key, Kind::Null, 0);
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.tree.push(self.key, if value { Kind::True } else { Kind::False }, 0);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.tree.push_number(self.key, Kind::Integer, value.cast_unsigned());
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        let kind = if i64::try_from(value).is_ok() { Kind::Integer } else { Kind::Unsigned };
        self.tree.push_number(self.key, kind, value);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.tree.push_number(self.key, Kind::Float, value.to_bits());
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.tree.push_text(self.key, value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let node = self.tree.end();
        self.tree.push(self.key, Kind::Array, 0);
        let place = self.place.item();
        loop {
            let key = self.tree.no_key();
            if seq.next_element_seed(Read { tree: self.tree, key, place })?.is_none() {
                break;
            }
        }
        self.tree.close(node);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let node = self.tree.end();
        self.tree.push(self.key, Kind::Object, 0);
        read_map(self.tree, node, self.place, map)
    }
}
