use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::kinds::Kind;
use crate::api::Manifest;
use crate::runtime::SeededRandom;

/// All objects, and what changed them lately. Only functions of this file change it.
pub(super) struct Store {
    /// The newest resourceVersion: one growing sequence for the whole server.
    current: u64,
    /// How many changes of each resource are remembered.
    history: usize,
    random: SeededRandom,
    /// By the kind's qualified name; absent until the first change.
    resources: BTreeMap<String, Resource>,
    /// Older resourceVersions are refused, of all resources: where [`compact`](Self::compact) was called.
    compacted: u64,
}

#[derive(Default)]
struct Resource {
    /// By [`key`], which is also the order of a list.
    objects: BTreeMap<String, Arc<Manifest>>,
    /// In the order of their resourceVersions.
    changes: VecDeque<Change>,
    /// The newest change that is remembered no more: who has not heard of it never will.
    lost: u64,
}

/// One change of one object.
#[derive(Clone)]
pub(super) struct Change {
    pub(super) resource_version: u64,
    /// None when the change created it.
    pub(super) before: Option<Arc<Manifest>>,
    /// With the change's resourceVersion; the final state when the change deleted it.
    pub(super) object: Arc<Manifest>,
    pub(super) deleted: bool,
}

/// The next thing that an open watch has to tell.
pub(super) enum Next {
    Change(Change),
    /// Nothing has changed up to this resourceVersion.
    Nothing(u64),
    /// The watch was so slow that what comes next is lost.
    Lost,
}

/// Where an object lies among those of its kind, as in etcd.
pub(super) fn key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.into() } else { format!("{namespace}/{name}") }
}

impl Store {
    pub(super) fn new(history: usize, seed: u64) -> Self {
        // A list's resourceVersion must never be "0", which means something else.
        Self { current: 1, history, random: SeededRandom::new(seed), resources: BTreeMap::new(), compacted: 0 }
    }

    pub(super) fn current(&self) -> u64 {
        self.current
    }

    pub(super) fn get(&self, kind: &Kind, namespace: &str, name: &str) -> Option<Arc<Manifest>> {
        self.known(kind)?.objects.get(&key(namespace, name)).cloned()
    }

    /// In the order of their keys, from the given key on.
    pub(super) fn objects_from<'a>(
        &'a self,
        kind: &Kind,
        start: &str,
    ) -> impl Iterator<Item = (&'a String, &'a Arc<Manifest>)> + use<'a> {
        let start = start.to_owned();
        self.known(kind).into_iter().flat_map(move |resource| resource.objects.range(start.clone()..))
    }

    /// The objects as they were at a resourceVersion; none when that is forgotten.
    pub(super) fn objects_at(&self, kind: &Kind, resource_version: u64) -> Option<BTreeMap<String, Arc<Manifest>>> {
        if resource_version < self.oldest_start(kind) {
            return None;
        }
        let Some(resource) = self.known(kind) else { return Some(BTreeMap::new()) };
        let mut objects = resource.objects.clone();
        let later = resource.changes.iter().rev().take_while(|change| change.resource_version > resource_version);
        for change in later {
            let key = key(change.object.namespace(), change.object.name());
            match &change.before {
                Some(before) => objects.insert(key, Arc::clone(before)),
                None => objects.remove(&key),
            };
        }
        Some(objects)
    }

    pub(super) fn next_change(&self, kind: &Kind, after: u64) -> Next {
        let Some(resource) = self.known(kind) else { return Next::Nothing(self.current.max(after)) };
        if after < resource.lost {
            return Next::Lost;
        }
        let place = resource.changes.partition_point(|change| change.resource_version <= after);
        resource.changes.get(place).cloned().map_or(Next::Nothing(self.current.max(after)), Next::Change)
    }

    /// The oldest resourceVersion at which a watch or a page may still start.
    pub(super) fn oldest_start(&self, kind: &Kind) -> u64 {
        self.known(kind).map_or(0, |resource| resource.lost).max(self.compacted)
    }

    /// Creates or replaces an object, which gets the next resourceVersion.
    pub(super) fn put(&mut self, kind: &Kind, mut object: Manifest) -> Arc<Manifest> {
        self.current += 1;
        object.metadata.resource_version = self.current.to_string();
        object.api_version = kind.api_version();
        let key = key(object.namespace(), object.name());
        let object = Arc::new(object);
        let before = self.resource(kind).objects.insert(key, Arc::clone(&object));
        self.remember(kind, before, Arc::clone(&object), false);
        object
    }

    /// Takes an object away; its last state gets the next resourceVersion. None when there is none.
    pub(super) fn remove(&mut self, kind: &Kind, mut last: Manifest) -> Option<Arc<Manifest>> {
        let before = self.resource(kind).objects.remove(&key(last.namespace(), last.name()))?;
        self.current += 1;
        last.metadata.resource_version = self.current.to_string();
        last.api_version = kind.api_version();
        let object = Arc::new(last);
        self.remember(kind, Some(before), Arc::clone(&object), true);
        Some(object)
    }

    /// Forgets all changes, so that a start from any resourceVersion known until now is refused with 410.
    pub(super) fn compact(&mut self) {
        // As if something that nobody here watches had changed: else the newest resourceVersion would stay current.
        self.current += 1;
        for resource in self.resources.values_mut() {
            resource.lost = resource.changes.back().map_or(resource.lost, |change| change.resource_version);
            resource.changes.clear();
        }
        self.compacted = self.current;
    }

    /// Begins anew with a kind: what lay there under an earlier definition is unknown to it.
    pub(super) fn start_over(&mut self, kind: &Kind) {
        if self.resources.remove(&kind.qualified).is_some() {
            let resource = Resource { lost: self.current, ..Resource::default() };
            self.resources.insert(kind.qualified.clone(), resource);
        }
    }

    pub(super) fn new_uid(&self) -> String {
        let digits: String = (0..32).map(|_| char::from(b"0123456789abcdef"[self.random.below(16)])).collect();
        let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
        parts.join("-")
    }

    /// The end of a generated name (apimachinery: `pkg/util/rand`).
    pub(super) fn new_suffix(&self) -> String {
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..5).map(|_| char::from(ALPHABET[self.random.below(ALPHABET.len())])).collect()
    }

    fn remember(&mut self, kind: &Kind, before: Option<Arc<Manifest>>, object: Arc<Manifest>, deleted: bool) {
        let (resource_version, history) = (self.current, self.history);
        let resource = self.resource(kind);
        resource.changes.push_back(Change { resource_version, before, object, deleted });
        while resource.changes.len() > history {
            let oldest = resource.changes.pop_front();
            resource.lost = oldest.map_or(resource.lost, |change| change.resource_version);
        }
    }

    fn resource(&mut self, kind: &Kind) -> &mut Resource {
        self.resources.entry(kind.qualified.clone()).or_default()
    }

    fn known(&self, kind: &Kind) -> Option<&Resource> {
        self.resources.get(&kind.qualified)
    }
}
