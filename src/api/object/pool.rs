use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Weak};

use rustc_hash::{FxHashMap, FxHasher};

use super::Object;
use super::base::Base;
use super::changes::push_changes;
use super::nodes::Nodes as _;
use super::tree::{Tree, TypeMeta};

/// Reads objects so that each holds only what tells it from another one like it.
///
/// A base is an object that others are described by. Those of one owner share one, and those without share one by their
/// kind; a base that turns out to be unlike is replaced for those that come after. It lives as long as it is used.
#[derive(Debug, Default)]
pub(crate) struct ObjectPool {
    tree: Tree,
    changes: Vec<u8>,
    families: FxHashMap<u64, Family>,
    /// So many families at the next look for those that are gone.
    full: usize,
}

#[derive(Debug, Default)]
struct Family {
    base: Weak<Base>,
    /// Bytes that a better base might have saved since the last one was made.
    waste: usize,
    bases: u32,
}

/// An object whose description is not longer, in bytes, has a good base.
const WORTH_A_LOOK: usize = 256;

/// Fewer families are not worth a look for those that are gone.
const FEW_FAMILIES: usize = 64;

impl ObjectPool {
    /// Reads one object from its JSON.
    pub(crate) fn read(&mut self, json: &[u8], type_meta: TypeMeta<'_>) -> Result<Object, serde_json::Error> {
        self.read_tree(json, type_meta)?;
        if self.tree.contradicts_its_type_meta() {
            self.read_tree(json, TypeMeta::default())?;
        }
        Ok(self.object())
    }

    fn read_tree(&mut self, json: &[u8], type_meta: TypeMeta<'_>) -> Result<(), serde_json::Error> {
        let mut from = serde_json::Deserializer::from_slice(json);
        self.tree.read(&mut from, type_meta)?;
        from.end()
    }

    fn object(&mut self) -> Object {
        let (kind, own) = keys(&self.tree);
        let base = [own, kind].into_iter().find_map(|key| Some((key, self.families.get(&key)?.base.upgrade()?)));
        let Some((from, base)) = base else { return self.new_base(kind) };
        self.changes.clear();
        push_changes(&mut self.changes, &self.tree, &base);
        let waste = self.changes.len().saturating_sub(WORTH_A_LOOK);
        for key in [Some(own), (from == kind && own != kind).then_some(kind)].into_iter().flatten() {
            if waste > 0 && self.is_wasteful(key, waste, base.weight()) {
                return self.new_base(key);
            }
        }
        Object::new(Some(base), &self.changes)
    }

    /// Whether what was wasted is worth another base; each further one must have been worth twice as much.
    fn is_wasteful(&mut self, key: u64, waste: usize, cost: usize) -> bool {
        let family = self.families.entry(key).or_default();
        family.waste += waste;
        family.waste > (cost / 2) << family.bases.min(16)
    }

    fn new_base(&mut self, key: u64) -> Object {
        if self.families.len() >= self.full {
            self.families.retain(|_, family| family.base.strong_count() > 0);
            self.full = FEW_FAMILIES.max(self.families.len() * 2);
        }
        let Some(base) = Base::of(&self.tree).map(Arc::new) else { return Object::described_by(None, &self.tree) };
        let family = self.families.entry(key).or_default();
        *family = Family { base: Arc::downgrade(&base), waste: 0, bases: family.bases + 1 };
        Object::new(Some(base), &[])
    }
}

/// The families of an object: by its kind, and by its owner or the name that it was generated from.
fn keys(tree: &Tree) -> (u64, u64) {
    let text = |path: &[&str]| tree.at(path).map_or("", |node| tree.text(node));
    let mut kind = FxHasher::default();
    (text(&["apiVersion"]), text(&["kind"])).hash(&mut kind);
    let owner = tree.at(&["metadata", "ownerReferences"]).and_then(|owners| tree.children(owners).next());
    let owner = owner.and_then(|owner| tree.find("uid", owner + 1, tree.next(owner)));
    let own = owner.map_or_else(|| text(&["metadata", "generateName"]), |owner| tree.text(owner));
    let mut family = kind.clone();
    if !own.is_empty() {
        own.hash(&mut family);
    }
    (kind.finish(), family.finish())
}
