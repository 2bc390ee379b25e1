use jiff::Timestamp;
use serde_json::{Value, json};

use super::change::Writer;
use super::set::Set;
use crate::api::Manifest;

/// The most entries of operation `Update`; the oldest beyond are put together.
const MAX_UPDATERS: usize = 10;

/// All entries of `metadata.managedFields`, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct ManagedFields(pub(super) Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) manager: String,
    pub(super) applied: bool,
    pub(super) api_version: String,
    pub(super) subresource: String,
    pub(super) time: Option<Timestamp>,
    pub(super) fields: Set,
}

impl Entry {
    pub(super) fn new(writer: &Writer<'_>, applied: bool) -> Self {
        let manager = if writer.manager.is_empty() { "unknown" } else { writer.manager };
        Self {
            manager: manager.into(),
            applied,
            api_version: writer.api_version.into(),
            subresource: writer.subresource.into(),
            time: None,
            fields: Set::default(),
        }
    }

    pub(super) fn is_of_same(&self, other: &Self) -> bool {
        let same_version = self.applied || self.api_version == other.api_version;
        same_version
            && (self.applied, &self.manager, &self.subresource) == (other.applied, &other.manager, &other.subresource)
    }

    /// `as_scale` is how one who asks for a scale is told.
    pub(super) fn in_words(&self, as_scale: bool) -> String {
        let mut words = format!("\"{}\"", self.manager);
        if !self.subresource.is_empty() {
            words.push_str(&format!(" with subresource \"{}\"", self.subresource));
        }
        if !self.applied {
            let version = if as_scale { "autoscaling/v1" } else { &self.api_version };
            words.push_str(&format!(" using {version}"));
        }
        words
    }

    fn to_json(&self) -> Value {
        let mut entry = json!({
            "manager": self.manager, "operation": if self.applied { "Apply" } else { "Update" },
            "apiVersion": self.api_version, "fieldsType": "FieldsV1", "fieldsV1": self.fields.to_json(),
        });
        if let Some(time) = self.time {
            entry["time"] = time.to_string().into();
        }
        if !self.subresource.is_empty() {
            entry["subresource"] = self.subresource.as_str().into();
        }
        entry
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let applied = match text("operation").as_str() {
            "Apply" => true,
            "Update" => false,
            _ => return None,
        };
        if text("apiVersion").is_empty() || text("fieldsType") != "FieldsV1" {
            return None;
        }
        Some(Self {
            manager: text("manager"),
            applied,
            api_version: text("apiVersion"),
            subresource: text("subresource"),
            time: text("time").parse().ok(),
            fields: value.get("fieldsV1").map_or(Some(Set::default()), Set::from_json)?,
        })
    }
}

impl ManagedFields {
    /// Of an object as the server keeps it.
    pub(in super::super) fn of(object: &Manifest) -> Self {
        let entries = object.metadata.managed_fields.as_deref().and_then(Value::as_array);
        entries.and_then(|entries| Self::from_json(entries)).unwrap_or_default()
    }

    /// Those that a client sent with an update: none or an empty one forgets them all, and what cannot be read does
    /// not count.
    pub(in super::super) fn sent(sent: &Value, known: Self) -> Self {
        let Some(entries) = sent.as_array() else { return known };
        let is_reset = entries.is_empty() || (entries.len() == 1 && entries[0] == json!({}));
        if is_reset { Self::default() } else { Self::from_json(entries).unwrap_or(known) }
    }

    /// The real server takes no note of who changes a custom resource by its scale.
    pub(in super::super) fn without_scale(mut self) -> Self {
        self.0.retain(|entry| entry.subresource != "scale");
        self
    }

    pub(in super::super) fn put_into(self, object: &mut Manifest) {
        let entries = (!self.is_empty()).then(|| self.to_json());
        let read = |entries: &Value| serde_json::from_value(entries.clone()).unwrap_or_default();
        object.metadata.managed_by = entries.as_ref().map(read).unwrap_or_default();
        object.metadata.managed_fields = entries.map(Into::into);
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As it stands in an object's metadata.
    fn to_json(&self) -> Value {
        self.0.iter().map(Entry::to_json).collect()
    }

    /// None when one of the entries cannot be read.
    fn from_json(entries: &[Value]) -> Option<Self> {
        entries.iter().map(Entry::from_json).collect::<Option<_>>().map(Self)
    }

    /// Whether they differ by more than the times.
    pub(in super::super) fn differs(&self, other: &Self) -> bool {
        let timeless = |entry: &Entry| Entry { time: None, ..entry.clone() };
        let sorted = |it: &Self| {
            let mut entries: Vec<_> = it.0.iter().map(timeless).collect();
            entries.sort_by_cached_key(|entry| format!("{}{}", entry.in_words(false), entry.applied));
            entries
        };
        sorted(self) != sorted(other)
    }

    /// Nobody but one owns these paths any more.
    pub(super) fn lose(&mut self, paths: &Set, but: Option<&Entry>) {
        for entry in &mut self.0 {
            if !but.is_some_and(|but| entry.is_of_same(but)) {
                entry.fields = entry.fields.difference(paths);
            }
        }
        self.0.retain(|entry| !entry.fields.is_empty() || but.is_some_and(|but| entry.is_of_same(but)));
    }

    pub(super) fn put_old_ones_together(&mut self) {
        const TOGETHER: &str = "ancient-changes";
        let mut too_many = self.0.iter().filter(|entry| !entry.applied).count().saturating_sub(MAX_UPDATERS);
        if too_many == 0 {
            return;
        }
        self.0.sort_by(|a, b| (a.time, &a.manager).cmp(&(b.time, &b.manager)));
        // The first that goes in makes room for nobody.
        too_many += usize::from(!self.0.iter().any(|entry| entry.manager == TOGETHER));
        let mut together: Option<Entry> = None;
        self.0.retain(|entry| {
            if entry.applied || too_many == 0 {
                return true;
            }
            too_many -= usize::from(entry.manager != TOGETHER);
            let fields = together.as_ref().map_or_else(|| entry.fields.clone(), |it| it.fields.union(&entry.fields));
            together = Some(Entry { manager: TOGETHER.into(), subresource: String::new(), fields, ..entry.clone() });
            false
        });
        self.0.extend(together);
    }

    pub(super) fn sort(&mut self) {
        let order = |entry: &Entry| {
            let seconds = entry.time.map_or(0, Timestamp::as_second);
            (!entry.applied, seconds, entry.manager.clone(), entry.api_version.clone(), entry.subresource.clone())
        };
        self.0.sort_by_cached_key(order);
    }
}
