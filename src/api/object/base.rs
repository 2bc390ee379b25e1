use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::literal::Identity;
use super::nodes::{Kind, Nodes};
use super::tree::Tree;

/// An object that others are described by, in a small form: each text and each key is held once.
#[derive(Debug)]
pub(super) struct Base {
    /// The text of the first base of its kind. Places from its end on are in the base's own.
    common: Option<Arc<str>>,
    text: String,
    numbers: Vec<u64>,
    nodes: Vec<Node>,
    /// Those whose texts are kept as they are, whatever object is described.
    identity: [Option<u16>; Identity::ALL.len()],
    family: Option<u16>,
    /// Those whose key or text is written with a backslash.
    escaped: Vec<u16>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    key: u16,
    key_len: u8,
    kind: Kind,
    /// Where its text begins; its place among the numbers.
    value: u16,
    /// Bytes of a text; the node behind all that an object or array holds.
    extent: u16,
}

impl Base {
    /// What objects are described by that are like no other.
    pub(super) const NOTHING: &Self = &Self {
        common: None,
        text: String::new(),
        numbers: Vec::new(),
        nodes: Vec::new(),
        identity: [None; Identity::ALL.len()],
        family: None,
        escaped: Vec::new(),
    };

    /// Its memory, without the text that it has in common with others.
    pub(super) fn heap_bytes(&self) -> usize {
        let lists = self.numbers.capacity() * size_of::<u64>() + self.nodes.capacity() * size_of::<Node>();
        size_of::<Self>() + self.text.capacity() + lists + self.escaped.capacity() * size_of::<u16>()
    }

    /// One that takes over what it can of another one's texts. None of what is too large for it, which is hardly like
    /// anything else.
    pub(super) fn of(tree: &Tree, like: Option<&Self>) -> Option<Self> {
        if tree.len() > usize::from(u16::MAX) {
            return None;
        }
        let narrow = |node: Option<u32>| node.and_then(|node| u16::try_from(node).ok());
        let mut base = Self {
            common: like.and_then(|like| like.common.clone()),
            text: String::new(),
            numbers: Vec::new(),
            nodes: Vec::with_capacity(tree.len()),
            identity: Identity::ALL.map(|text| narrow(tree.at(text.path()))),
            family: narrow(tree.family()),
            escaped: Vec::new(),
        };
        let mut places = like.map(Self::common_places).unwrap_or_default();
        for node in 0..tree.len() as u32 {
            let (kind, key_text) = (tree.kind(node), tree.key(node));
            let (value, extent) = match kind {
                Kind::Text => (base.place(&mut places, tree.text(node))?, tree.text(node).len() as u32),
                _ if kind.is_container() => (0, tree.next(node)),
                _ if kind.is_number() => {
                    base.numbers.push(tree.number(node));
                    (u16::try_from(base.numbers.len() - 1).ok()?, 0)
                }
                _ => (0, 0),
            };
            let (key, key_len) = (base.place(&mut places, key_text)?, u8::try_from(key_text.len()).ok()?);
            if [key_text, tree.text(node)].iter().any(|text| text.bytes().any(|byte| byte < b' ' || byte == b'\\')) {
                base.escaped.push(node as u16);
            }
            base.nodes.push(Node { key, key_len, kind, value, extent: u16::try_from(extent).ok()? });
        }
        match base.common {
            None => base.common = Some(std::mem::take(&mut base.text).into()),
            Some(_) => base.text.shrink_to_fit(),
        }
        base.numbers.shrink_to_fit();
        Some(base)
    }

    /// Where texts lie that it has in common with others of its kind.
    fn common_places(&self) -> FxHashMap<&str, usize> {
        let texts = self.nodes.iter().flat_map(|node| {
            let text = if node.kind == Kind::Text { node.extent } else { 0 };
            [(node.key, node.key_len.into()), (node.value, text)]
        });
        let common = texts.filter(|(start, length)| usize::from(*start) + usize::from(*length) <= self.common().len());
        common.map(|(start, length)| (self.part(start, length), start.into())).collect()
    }

    fn common(&self) -> &str {
        self.common.as_deref().unwrap_or_default()
    }

    /// Where a text lies, which is taken in if it is new.
    fn place<'t>(&mut self, places: &mut FxHashMap<&'t str, usize>, text: &'t str) -> Option<u16> {
        let end = self.common().len() + self.text.len();
        let place = *places.entry(text).or_insert_with(|| {
            self.text.push_str(text);
            end
        });
        u16::try_from(place).ok()
    }

    /// What it costs to keep it, about, in bytes.
    pub(super) fn weight(&self) -> usize {
        self.text.len() + size_of_val(self.nodes.as_slice()) + size_of_val(self.numbers.as_slice())
    }

    /// The node of a text that is kept as it is.
    pub(super) fn identity(&self, which: Identity) -> Option<u32> {
        self.identity[which as usize].map(u32::from)
    }

    /// Whether a node's text is kept as it is.
    pub(super) fn is_identity(&self, node: u32) -> bool {
        self.identity.iter().flatten().any(|text| u32::from(*text) == node)
    }

    /// The node that tells the family: see [`Nodes::family`].
    pub(super) fn family_node(&self) -> Option<u32> {
        self.family.map(u32::from)
    }

    /// Whether a node's key or text is not written as it is.
    pub(super) fn is_escaped(&self, node: u32) -> bool {
        self.escaped.iter().any(|escaped| u32::from(*escaped) == node)
    }

    fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(node as usize)
    }

    fn part(&self, start: u16, length: u16) -> &str {
        let (start, length) = (usize::from(start), usize::from(length));
        match start.checked_sub(self.common().len()) {
            Some(start) => &self.text[start..start + length],
            None => &self.common()[start..start + length],
        }
    }
}

impl Nodes for Base {
    fn kind(&self, node: u32) -> Kind {
        self.node(node).map_or(Kind::Null, |node| node.kind)
    }

    fn key(&self, node: u32) -> &str {
        self.node(node).map_or("", |node| self.part(node.key, node.key_len.into()))
    }

    fn text(&self, node: u32) -> &str {
        let node = self.node(node).filter(|node| node.kind == Kind::Text);
        node.map_or("", |node| self.part(node.value, node.extent))
    }

    fn number(&self, node: u32) -> u64 {
        let node = self.node(node).filter(|node| node.kind.is_number());
        node.map_or(0, |node| self.numbers[usize::from(node.value)])
    }

    fn next(&self, node: u32) -> u32 {
        let container = self.node(node).filter(|node| node.kind.is_container());
        container.map_or(node + 1, |node| node.extent.into())
    }
}
