use std::hash::Hasher as _;
use std::sync::{Arc, Weak};

use rustc_hash::{FxHashMap, FxHasher};

use super::base::Base;
use super::nodes::Nodes as _;
use super::tree::{Tree, TypeMeta};

/// Which object others are described by: their base.
///
/// Those of one owner share one, and those without share one by their kind; a base that turns out to be unlike is
/// replaced for those that come after. It lives as long as it is used.
#[derive(Debug, Default)]
pub(super) struct Families {
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

impl Families {
    /// The base of an object of these families, and the one whose base it is.
    pub(super) fn base(&self, keys: &Keys) -> Option<(u64, Arc<Base>)> {
        [keys.own, keys.kind].into_iter().find_map(|key| Some((key, self.base_of(key)?)))
    }

    pub(super) fn base_of(&self, key: u64) -> Option<Arc<Base>> {
        self.families.get(&key)?.base.upgrade()
    }

    /// For which family an object shall become the base, because it takes so many bytes to describe it by this one.
    pub(super) fn worth_another(&mut self, keys: &Keys, from: u64, base: &Base, bytes: usize) -> Option<u64> {
        let waste = bytes.checked_sub(WORTH_A_LOOK).filter(|waste| *waste > 0)?;
        let own_has_none = (from == keys.kind && keys.own != keys.kind).then_some(keys.kind);
        [Some(keys.own), own_has_none].into_iter().flatten().find(|key| self.is_wasteful(*key, waste, base.weight()))
    }

    /// Whether what was wasted is worth another base; each further one must have been worth twice as much.
    fn is_wasteful(&mut self, key: u64, waste: usize, cost: usize) -> bool {
        let family = self.families.entry(key).or_default();
        family.waste += waste;
        family.waste > (cost / 2) << family.bases.min(16)
    }

    /// Takes a base for those of a family that come after it.
    pub(super) fn adopt(&mut self, key: u64, base: &Arc<Base>) {
        if self.families.len() >= self.full {
            self.families.retain(|_, family| family.base.strong_count() > 0);
            self.full = FEW_FAMILIES.max(self.families.len() * 2);
        }
        let family = self.families.entry(key).or_default();
        *family = Family { base: Arc::downgrade(base), waste: 0, bases: family.bases + 1 };
    }
}

/// The families of an object: that of its kind, and that of its owner or of the name that it was generated from.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub(super) kind: u64,
    pub(super) own: u64,
    /// What the object's own family was told by; empty if it has none.
    pub(super) owner: String,
}

impl Keys {
    pub(super) fn new(kind: u64, owner: String) -> Self {
        let own = if owner.is_empty() { kind } else { hash((kind, &owner)) };
        Self { kind, own, owner }
    }

    pub(super) fn of(tree: &Tree) -> Self {
        let text = |key: &str| tree.at(&[key]).map_or("", |node| tree.text(node));
        let kind = Self::kind(TypeMeta { api_version: text("apiVersion"), kind: text("kind") });
        Self::new(kind, tree.family().map_or("", |node| tree.text(node)).into())
    }

    /// The key of a kind's family.
    pub(super) fn kind(of: TypeMeta<'_>) -> u64 {
        hash((of.api_version, of.kind))
    }
}

fn hash(key: impl std::hash::Hash) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}
