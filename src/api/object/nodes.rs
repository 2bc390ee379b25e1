use std::ops::Range;

/// A JSON value as numbered nodes, in the order in which they stand in the text.
///
/// The root is node 0, and what lies below a node follows it at once. A node that does not exist is null.
pub(super) trait Nodes {
    fn kind(&self, node: u32) -> Kind;

    /// Empty for the root and in arrays.
    fn key(&self, node: u32) -> &str;

    /// What a text says; empty for all other kinds.
    fn text(&self, node: u32) -> &str;

    /// The bits of a number; 0 for all other kinds.
    fn number(&self, node: u32) -> u64;

    /// The node behind this one and all below it.
    fn next(&self, node: u32) -> u32;

    /// The nodes right below a node.
    fn children(&self, node: u32) -> Children<'_, Self> {
        self.siblings(node + 1..self.next(node))
    }

    /// The siblings from one on until another.
    fn siblings(&self, range: Range<u32>) -> Children<'_, Self> {
        Children { nodes: self, at: range }
    }

    /// The node of this key, from `first` on among its siblings, of which `end` is none any more.
    fn find(&self, key: &str, first: u32, end: u32) -> Option<u32> {
        self.siblings(first..end).find(|node| self.key(*node) == key)
    }

    /// The node at a path of keys.
    fn at(&self, path: &[&str]) -> Option<u32> {
        path.iter().try_fold(0, |node, key| self.find(key, node + 1, self.next(node)))
    }

    /// What tells the family of an object: who owns it, or the name that it was generated from.
    fn family(&self) -> Option<u32> {
        let owner = self.at(&["metadata", "ownerReferences"]).and_then(|owners| self.children(owners).next());
        let uid = owner.and_then(|owner| self.find("uid", owner + 1, self.next(owner)));
        uid.or_else(|| self.at(&["metadata", "generateName"]))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    False,
    True,
    Integer,
    Unsigned,
    Float,
    Text,
    Array,
    Object,
}

impl Kind {
    pub(super) const fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Unsigned | Self::Float)
    }

    pub(super) const fn is_container(self) -> bool {
        matches!(self, Self::Array | Self::Object)
    }
}

pub(super) struct Children<'n, N: ?Sized> {
    nodes: &'n N,
    at: Range<u32>,
}

impl<N: Nodes + ?Sized> Iterator for Children<'_, N> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.at.is_empty() {
            return None;
        }
        let node = self.at.start;
        self.at.start = self.nodes.next(node);
        Some(node)
    }
}
