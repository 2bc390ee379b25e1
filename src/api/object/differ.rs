//! How an object that was read differs from another one that is like it.

use super::base::Base;
use super::change_writer::ChangeWriter;
use super::nodes::{Kind, Nodes as _};
use super::tree::Tree;

/// Writes how `tree` differs from `base`.
pub(super) fn push_changes(writer: &mut ChangeWriter, tree: &Tree, base: &Base) {
    writer.clear();
    Differ { tree, base, writer }.value(0, 0);
}

struct Differ<'d> {
    tree: &'d Tree,
    base: &'d Base,
    writer: &'d mut ChangeWriter,
}

impl Differ<'_> {
    fn value(&mut self, node: u32, base: u32) {
        match (self.tree.kind(node), self.base.kind(base)) {
            (Kind::Object, Kind::Object) => self.object(node, base),
            (Kind::Array, Kind::Array) => self.array(node, base),
            (Kind::Text, Kind::Text) if self.tree.text(node) == self.base.text(base) => {}
            (Kind::Text, Kind::Text) => self.writer.text(self.base, base, self.tree.text(node)),
            (new, old) if new == old && new != Kind::Text && self.tree.number(node) == self.base.number(base) => {}
            _ => self.writer.replace(self.base, base, self.tree, node),
        }
    }

    fn object(&mut self, node: u32, base: u32) {
        let (mut next, end) = (base + 1, self.base.next(base));
        let tree = self.tree;
        for child in tree.children(node) {
            let key = tree.key(child);
            match self.base.find(key, next, end) {
                Some(old) => {
                    self.writer.remove(self.base, next..old);
                    self.value(child, old);
                    next = self.base.next(old);
                }
                None => self.writer.add(base, key, tree, child),
            }
        }
        self.writer.remove(self.base, next..end);
    }

    fn array(&mut self, node: u32, base: u32) {
        let (mut next, end) = (base + 1, self.base.next(base));
        let tree = self.tree;
        for child in tree.children(node) {
            if next < end {
                self.value(child, next);
                next = self.base.next(next);
            } else {
                self.writer.add(base, "", tree, child);
            }
        }
        self.writer.remove(self.base, next..end);
    }
}
