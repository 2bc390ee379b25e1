use rustc_hash::FxHashMap;

use super::nodes::{Kind, Nodes};
use super::tree::Tree;

/// An object that others are described by, in a small form: each text and each key is held once.
#[derive(Debug)]
pub(super) struct Base {
    text: String,
    numbers: Vec<u64>,
    nodes: Vec<Node>,
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
    pub(super) const NOTHING: &Self = &Self { text: String::new(), numbers: Vec::new(), nodes: Vec::new() };

    /// None of what is too large for it, which is hardly like anything else.
    pub(super) fn of(tree: &Tree) -> Option<Self> {
        let mut base = Self { text: String::new(), numbers: Vec::new(), nodes: Vec::with_capacity(tree.len()) };
        let mut places = FxHashMap::default();
        for node in 0..tree.len() as u32 {
            let (kind, key) = (tree.kind(node), tree.key(node));
            let (value, extent) = match kind {
                Kind::Text => (base.place(&mut places, tree.text(node))?, tree.text(node).len() as u32),
                _ if kind.is_container() => (0, tree.next(node)),
                _ if kind.is_number() => {
                    base.numbers.push(tree.number(node));
                    (u16::try_from(base.numbers.len() - 1).ok()?, 0)
                }
                _ => (0, 0),
            };
            let (key, key_len) = (base.place(&mut places, key)?, u8::try_from(key.len()).ok()?);
            base.nodes.push(Node { key, key_len, kind, value, extent: u16::try_from(extent).ok()? });
        }
        base.text.shrink_to_fit();
        base.numbers.shrink_to_fit();
        Some(base)
    }

    /// Where a text lies, which is taken in if it is new.
    fn place<'t>(&mut self, places: &mut FxHashMap<&'t str, usize>, text: &'t str) -> Option<u16> {
        let place = *places.entry(text).or_insert_with(|| {
            self.text.push_str(text);
            self.text.len() - text.len()
        });
        u16::try_from(place).ok()
    }

    /// What it costs to keep it, about, in bytes.
    pub(super) fn weight(&self) -> usize {
        self.text.len() + size_of_val(self.nodes.as_slice()) + size_of_val(self.numbers.as_slice())
    }

    fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(node as usize)
    }

    fn part(&self, start: u16, length: usize) -> &str {
        &self.text[usize::from(start)..usize::from(start) + length]
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
        node.map_or("", |node| self.part(node.value, node.extent.into()))
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
