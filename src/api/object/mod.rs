mod base;
mod bytes;
mod change_writer;
mod changes;
mod differ;
mod families;
mod guided;
mod literal;
mod nodes;
mod place;
mod pool;
mod template;
mod tree;
mod value_ref;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use triomphe::ThinArc;

use self::base::Base;
use self::change_writer::ChangeWriter;
use self::differ::push_changes;
use self::literal::Identity;
pub(crate) use self::pool::ObjectPool;
use self::tree::Tree;
pub(crate) use self::tree::TypeMeta;
use self::value_ref::Parts;
pub use self::value_ref::ValueRef;
use super::{GroupVersionKind, ManagedBy, Manifest, OwnerReference, parse_time};

/// One Kubernetes object of any kind, as it is kept: immutable, and cheap to clone.
///
/// It is read through accessors, never through its layout. Whole, but for which fields `managedFields` says that
/// somebody manages. Most of it is described by what tells it from another object like it, so that a Pod takes a few
/// hundred bytes. To write one, take it as a [`Manifest`](super::Manifest).
#[derive(Clone)]
pub struct Object(ThinArc<Option<Arc<Base>>, u8>);

impl Object {
    fn new(base: Option<Arc<Base>>, changes: &[u8]) -> Self {
        Self(ThinArc::from_header_and_slice(base, changes))
    }

    fn described_by(base: Option<&Arc<Base>>, tree: &Tree) -> Self {
        let mut writer = ChangeWriter::default();
        push_changes(&mut writer, tree, base.map_or(Base::NOTHING, AsRef::as_ref));
        Self::new(base.cloned(), writer.finish())
    }

    fn base(&self) -> Option<&Arc<Base>> {
        self.0.header.header.as_ref()
    }

    fn parts(&self) -> Parts<'_> {
        Parts { base: self.base().map_or(Base::NOTHING, AsRef::as_ref), changes: &self.0.slice }
    }

    /// The memory that the object itself takes, without what it shares with others like it.
    pub(crate) fn own_bytes(&self) -> usize {
        // A count, the base and a length stand before the changes.
        3 * size_of::<usize>() + self.0.slice.len()
    }

    /// What it is described by together with others: which one, and the memory of that.
    pub(crate) fn base_bytes(&self) -> Option<(usize, usize)> {
        self.base().map(|base| (Arc::as_ptr(base).addr(), base.heap_bytes()))
    }

    /// Whether both are the same object in memory.
    pub fn ptr_eq(one: &Self, other: &Self) -> bool {
        std::ptr::eq(one.0.as_ptr(), other.0.as_ptr())
    }

    /// Whether somebody else holds it too.
    pub fn is_shared(&self) -> bool {
        ThinArc::strong_count(&self.0) > 1
    }

    pub fn api_version(&self) -> &str {
        self.plain(Identity::ApiVersion)
    }

    pub fn kind(&self) -> &str {
        self.plain(Identity::Kind)
    }

    pub fn name(&self) -> &str {
        self.plain(Identity::Name)
    }

    /// Empty for cluster-scoped objects.
    pub fn namespace(&self) -> &str {
        self.plain(Identity::Namespace)
    }

    /// Opaque: compared for equality only.
    pub fn resource_version(&self) -> &str {
        self.plain(Identity::ResourceVersion)
    }

    pub fn uid(&self) -> Cow<'_, str> {
        self.str_at(&["metadata", "uid"]).unwrap_or_default()
    }

    pub fn group_version_kind(&self) -> GroupVersionKind {
        GroupVersionKind::from_api_version(self.api_version(), self.kind())
    }

    pub fn creation_timestamp(&self) -> Option<Timestamp> {
        parse_time(&self.str_at(&["metadata", "creationTimestamp"])?)
    }

    pub fn deletion_timestamp(&self) -> Option<Timestamp> {
        parse_time(&self.str_at(&["metadata", "deletionTimestamp"])?)
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<Cow<'_, str>> {
        self.str_at(&["metadata", "labels", key])
    }

    /// The value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<Cow<'_, str>> {
        self.str_at(&["metadata", "annotations", key])
    }

    /// Keys and values, in no particular order.
    pub fn labels(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        self.texts(&["metadata", "labels"])
    }

    /// Keys and values, in no particular order.
    pub fn annotations(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        self.texts(&["metadata", "annotations"])
    }

    pub fn owner_references(&self) -> impl Iterator<Item = OwnerReference> {
        self.list_at(&["metadata", "ownerReferences"]).map(|owner| {
            let text = |key: &str| owner.get(key).and_then(ValueRef::as_str).unwrap_or_default().into_owned();
            let flag = |key: &str| owner.get(key).and_then(ValueRef::as_bool);
            OwnerReference {
                api_version: text("apiVersion"),
                kind: text("kind"),
                name: text("name"),
                uid: text("uid"),
                controller: flag("controller"),
                block_owner_deletion: flag("blockOwnerDeletion"),
            }
        })
    }

    /// The value at a path of field names.
    pub fn get(&self, path: &[&str]) -> Option<ValueRef<'_>> {
        self.parts().root()?.at(path)
    }

    /// The text at a path; none when it is absent or of another type.
    pub fn str_at(&self, path: &[&str]) -> Option<Cow<'_, str>> {
        self.get(path)?.as_str()
    }

    /// The integer at a path; none when it is absent or of another type.
    pub fn int_at(&self, path: &[&str]) -> Option<i64> {
        self.get(path)?.as_i64()
    }

    /// The values of the list at a path; none when it is absent or of another type.
    pub fn list_at(&self, path: &[&str]) -> impl Iterator<Item = ValueRef<'_>> {
        self.get(path).into_iter().flat_map(ValueRef::items)
    }

    /// The object as a value of its own, without `managedFields`.
    pub fn to_value(&self) -> Value {
        let mut value = self.get(&[]).map_or(Value::Null, ValueRef::to_value);
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove(MANAGED_FIELDS);
        }
        value
    }

    /// The object open to changes.
    ///
    /// # Errors
    /// When its metadata are not as the API has them.
    pub fn to_manifest(&self) -> Result<Manifest, serde_json::Error> {
        Manifest::deserialize(self.get(&[]).map_or(Value::Null, ValueRef::to_value))
    }

    /// A changed copy, described as this one is.
    ///
    /// # Errors
    /// Those of the change, and when the metadata are not as the API has them.
    pub fn edit<E: From<serde_json::Error>>(
        &self,
        change: impl FnOnce(&mut Manifest) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut manifest = self.to_manifest()?;
        change(&mut manifest)?;
        Ok(Self::described_by(self.base(), &manifest.to_tree()))
    }

    /// The same object, which says what it is.
    pub(crate) fn with_type_meta(&self, type_meta: TypeMeta<'_>) -> Self {
        self.rewritten("", self.get(&[]), "", type_meta)
    }

    /// The object's metadata, and nothing else of it.
    pub(crate) fn metadata_only(&self, api_version: &str, kind: &str) -> Self {
        self.rewritten("{\"metadata\":", self.get(&["metadata"]), "}", TypeMeta { api_version, kind })
    }

    /// Written anew from a value of it, described as this one is.
    fn rewritten(&self, before: &str, value: Option<ValueRef<'_>>, after: &str, type_meta: TypeMeta<'_>) -> Self {
        let mut tree = Tree::default();
        let json = [before, &serde_json::to_string(&value).unwrap_or_default(), after].concat();
        match tree.read_json(json.as_bytes(), type_meta) {
            Ok(()) => Self::described_by(self.base(), &tree),
            Err(_) => self.clone(),
        }
    }

    /// How many bytes it takes, without what it shares with others.
    pub fn size(&self) -> usize {
        self.0.slice.len() + 3 * size_of::<usize>()
    }

    fn texts(&self, path: &[&str]) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let entries = self.get(path).into_iter().flat_map(ValueRef::entries);
        entries.filter_map(|(key, value)| Some((key, value.as_str()?)))
    }

    fn plain(&self, which: Identity) -> &str {
        let parts = self.parts();
        let text = parts.identity(which).or_else(|| parts.root()?.at(which.path())?.as_str());
        match text {
            Some(Cow::Borrowed(text)) => text,
            _ => "",
        }
    }
}

const MANAGED_FIELDS: &str = "managedFields";

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_value().fmt(f)
    }
}

impl From<Manifest> for Object {
    fn from(manifest: Manifest) -> Self {
        Self::described_by(None, &manifest.to_tree())
    }
}

impl Manifest {
    fn to_tree(&self) -> Tree {
        let mut tree = Tree::default();
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if !self.metadata.managed_by.is_empty() {
            value["metadata"][MANAGED_FIELDS] = self.metadata.managed_by.iter().map(ManagedBy::to_value).collect();
        }
        // Whatever a manifest has in its metadata is as it should be.
        let _ = tree.read(value, TypeMeta::default());
        tree
    }
}

/// By what they say, whatever they are described by.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let base = |object: &Self| object.base().map(Arc::as_ptr);
        (base(self) == base(other) && self.0.slice == other.0.slice) || self.get(&[]) == other.get(&[])
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut tree = Tree::default();
        tree.read(deserializer, TypeMeta::default())?;
        Ok(Self::described_by(None, &tree))
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.get(&[]).into_iter().flat_map(ValueRef::entries) {
            match key {
                "metadata" => map.serialize_entry(key, &WithoutManagedFields(value))?,
                _ => map.serialize_entry(key, &value)?,
            }
        }
        map.end()
    }
}

struct WithoutManagedFields<'a>(ValueRef<'a>);

impl Serialize for WithoutManagedFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.entries().filter(|(key, _)| *key != MANAGED_FIELDS))
    }
}
