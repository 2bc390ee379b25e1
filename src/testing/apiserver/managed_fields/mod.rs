//! Who set which field of an object: server-side apply (apimachinery: `pkg/util/managedfields`).
//!
//! All of it is pure: an object before and after, who changed it, and the note that results.
//! `schema` says how each field is merged, `tree` compares and merges values, `set` holds paths.

mod schema;
mod set;
mod tree;

use jiff::Timestamp;
use serde_json::{Value, json};

pub(super) use schema::{Rule, Schema};
use set::Set;
use tree::Place;

use super::kinds::Kind;
use crate::api::Object;

/// What kubectl keeps of the configuration that it applied by itself.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The most entries of operation `Update`; the oldest beyond are put together.
const MAX_UPDATERS: usize = 10;

/// Fields that nobody owns.
const OWNERLESS: [&str; 9] = [
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
];

/// Who writes, where, and when.
#[derive(Clone, Debug)]
pub(super) struct Writer<'a> {
    pub(super) manager: &'a str,
    pub(super) api_version: &'a str,
    /// Empty for the object itself.
    pub(super) subresource: &'a str,
    pub(super) is_custom: bool,
    /// Whether the object's status is its subresource's alone.
    pub(super) status_is_apart: bool,
    pub(super) schema: Schema<'a>,
    pub(super) now: Timestamp,
}

/// All entries of `metadata.managedFields`, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ManagedFields(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    manager: String,
    applied: bool,
    api_version: String,
    subresource: String,
    time: Option<Timestamp>,
    fields: Set,
}

/// Why an application fails.
#[derive(Debug)]
pub(super) enum ApplyError {
    /// Others own these fields: the message on the manager, and the field.
    Conflicts { message: String, causes: Vec<(String, String)> },
    /// What was applied cannot be read.
    Unreadable(String),
}

impl From<String> for ApplyError {
    fn from(error: String) -> Self {
        Self::Unreadable(error)
    }
}

impl Entry {
    fn new(writer: &Writer<'_>, applied: bool) -> Self {
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

    fn is_of_same(&self, other: &Self) -> bool {
        let same_version = self.applied || self.api_version == other.api_version;
        same_version
            && (self.applied, &self.manager, &self.subresource) == (other.applied, &other.manager, &other.subresource)
    }

    /// `as_scale` is how one who asks for a scale is told.
    fn in_words(&self, as_scale: bool) -> String {
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
    pub(super) fn of(object: &Object) -> Self {
        let entries = object.metadata.managed_fields.as_deref().and_then(Value::as_array);
        entries.and_then(|entries| Self::from_json(entries)).unwrap_or_default()
    }

    /// Those that a client sent with an update: none or an empty one forgets them all, and what cannot be read does
    /// not count.
    pub(super) fn sent(sent: &Value, known: Self) -> Self {
        let Some(entries) = sent.as_array() else { return known };
        let is_reset = entries.is_empty() || (entries.len() == 1 && entries[0] == json!({}));
        if is_reset { Self::default() } else { Self::from_json(entries).unwrap_or(known) }
    }

    /// The real server takes no note of who changes a custom resource by its scale.
    pub(super) fn without_scale(mut self) -> Self {
        self.0.retain(|entry| entry.subresource != "scale");
        self
    }

    pub(super) fn put_into(self, object: &mut Object) {
        let entries = (!self.is_empty()).then(|| self.to_json());
        let read = |entries: &Value| serde_json::from_value(entries.clone()).unwrap_or_default();
        object.metadata.managed_by = entries.as_ref().map(read).unwrap_or_default();
        object.metadata.managed_fields = entries.map(Into::into);
    }

    pub(super) fn is_empty(&self) -> bool {
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
    pub(super) fn differs(&self, other: &Self) -> bool {
        let timeless = |entry: &Entry| Entry { time: None, ..entry.clone() };
        let sorted = |it: &Self| {
            let mut entries: Vec<_> = it.0.iter().map(timeless).collect();
            entries.sort_by_cached_key(|entry| format!("{}{}", entry.in_words(false), entry.applied));
            entries
        };
        sorted(self) != sorted(other)
    }

    /// After an update from `live`, none for what is created, to `new`. An object of whose fields nobody took note
    /// stays so.
    pub(super) fn updated(&self, live: Option<&Value>, new: &Value, writer: &Writer<'_>) -> Self {
        if self.is_empty() && live.is_some() {
            return Self::default();
        }
        // An item that nothing tells apart: the real server leaves the note as it was, too.
        self.after_update(live, new, writer).unwrap_or_else(|_| self.clone())
    }

    fn after_update(&self, live: Option<&Value>, new: &Value, writer: &Writer<'_>) -> Result<Self, String> {
        let place = Place::root(writer.schema);
        let skeleton;
        let live = match live {
            Some(live) => live,
            None => {
                skeleton = tree::skeleton(place, new);
                &skeleton
            }
        };
        let changes = writer.visible_changes(live, new)?;
        let mut after = self.clone();
        let set = changes.added.union(&changes.modified);
        after.lose(&set.union(&changes.removed), None);
        let mut entry = Entry::new(writer, false);
        entry.fields = stripped(set);
        if !entry.fields.is_empty() {
            entry.time = Some(writer.now);
            match after.0.iter_mut().find(|known| known.is_of_same(&entry)) {
                Some(known) => {
                    known.fields = known.fields.union(&entry.fields);
                    known.time = entry.time;
                }
                None => after.0.push(entry),
            }
        }
        after.put_old_ones_together();
        after.sort();
        Ok(after)
    }

    /// The object with a configuration applied to it, and the note of that. A live object of whose fields nobody took
    /// note gets one for what was there before.
    ///
    /// # Errors
    /// When others own what changes and `force` is not set, or the configuration cannot be read.
    pub(super) fn applied(
        &self,
        live: Option<&Value>,
        config: &Value,
        writer: &Writer<'_>,
        force: bool,
    ) -> Result<(Value, Self), ApplyError> {
        let place = Place::root(writer.schema);
        let mut before = self.clone();
        if let (true, Some(live)) = (self.is_empty(), live) {
            let first = Writer { manager: "before-first-apply", ..writer.clone() };
            before = before.after_update(None, live, &first)?;
        }
        let skeleton = live.is_none().then(|| tree::skeleton(place, config));
        let live = live.or(skeleton.as_ref()).unwrap_or(config);
        if let Some(twice) = tree::duplicate(place, config) {
            return Err(ApplyError::Unreadable(twice));
        }
        let fields = writer.visible(tree::field_set(place, config)?);
        let merged = tree::merge(place, Some(live), Some(config))?;
        let mut entry = Entry::new(writer, true);
        let known = before.0.iter().position(|known| known.is_of_same(&entry)).map(|at| before.0.remove(at));
        entry.fields = fields;
        before.0.push(entry.clone());
        let new = match &known {
            Some(known) => before.pruned(place, merged, &known.fields)?,
            None => merged,
        };
        let changes = writer.visible_changes(live, &new)?;
        let set = changes.added.union(&changes.modified);
        if !force {
            let allowed = kubectls_own(live, writer);
            before.check_conflicts(&set, &entry, &allowed)?;
        }
        before.lose(&set.union(&changes.removed), Some(&entry));
        before.0.retain(|known| !known.is_of_same(&entry));
        entry.fields = stripped(entry.fields);
        entry.time = if new == *live { known.and_then(|known| known.time) } else { Some(writer.now) };
        if !entry.fields.is_empty() {
            before.0.push(entry);
        }
        before.sort();
        Ok((new, before))
    }

    /// Without what this manager applied last and does not apply now, unless somebody else owns it
    /// (structured-merge-diff: `merge/update.go`, `prune`).
    fn pruned(&self, place: Place<'_>, merged: Value, last: &Set) -> Result<Value, String> {
        let named = |set: &Set| tree::with_named_fields(place, &merged, set);
        let last = named(last)?;
        let left = |paths: &Set| Ok::<_, String>(tree::without(place, &merged, paths)?.unwrap_or_default());
        let all = named(&tree::field_set(place, &merged)?)?;
        let owned = self.0.iter().fold(Set::default(), |set, entry| set.union(&entry.fields));
        let kept = named(&tree::field_set(place, &left(&last)?)?)?.union(&named(&owned)?);
        let with_owned = left(&all.difference(&kept))?;
        let kept = named(&tree::field_set(place, &with_owned)?)?;
        left(&all.difference(&kept).intersection(&last))
    }

    /// The fields of `allowed` may be taken over, unless others are in conflict, too.
    fn check_conflicts(&self, changed: &Set, but: &Entry, allowed: &Set) -> Result<(), ApplyError> {
        let mut causes = Vec::new();
        let mut lines = Vec::new();
        for entry in self.0.iter().filter(|entry| !entry.is_of_same(but)) {
            let who = entry.in_words(but.subresource == "scale");
            let paths = entry.fields.intersection(changed).difference(allowed).paths();
            if !paths.is_empty() {
                lines.push(format!("conflicts with {who}:"));
            }
            for path in paths {
                lines.push(format!("- {path}"));
                causes.push((format!("conflict with {who}"), path));
            }
        }
        let message = match &causes[..] {
            [] => return Ok(()),
            [(who, path)] => format!("Apply failed with 1 conflict: {who}: {path}"),
            _ => format!("Apply failed with {} conflicts: {}", causes.len(), lines.join("\n")),
        };
        Err(ApplyError::Conflicts { message, causes })
    }

    /// Nobody but one owns these paths any more.
    fn lose(&mut self, paths: &Set, but: Option<&Entry>) {
        for entry in &mut self.0 {
            if !but.is_some_and(|but| entry.is_of_same(but)) {
                entry.fields = entry.fields.difference(paths);
            }
        }
        self.0.retain(|entry| !entry.fields.is_empty() || but.is_some_and(|but| entry.is_of_same(but)));
    }

    fn put_old_ones_together(&mut self) {
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

    fn sort(&mut self) {
        let order = |entry: &Entry| {
            let seconds = entry.time.map_or(0, Timestamp::as_second);
            (!entry.applied, seconds, entry.manager.clone(), entry.api_version.clone(), entry.subresource.clone())
        };
        self.0.sort_by_cached_key(order);
    }
}

impl Kind {
    /// How objects of the kind are merged.
    pub(super) fn schema(&self, version: &str) -> Schema<'_> {
        match self.version(version) {
            Some(version) if self.custom => Schema::Custom(&version.schema),
            _ if self.custom => Schema::Unknown,
            _ => Schema::of_kind(&self.kind),
        }
    }
}

impl Writer<'_> {
    fn visible_changes(&self, live: &Value, new: &Value) -> Result<tree::Comparison, String> {
        let changes = tree::compare(Place::root(self.schema), Some(live), Some(new))?;
        Ok(tree::Comparison {
            removed: self.visible(changes.removed),
            modified: self.visible(changes.modified),
            added: self.visible(changes.added),
        })
    }

    /// Of the paths those that a request to this place may change.
    fn visible(&self, set: Set) -> Set {
        match self.subresource {
            "status" if self.is_custom => set.only("status"),
            "status" => set.without(&["spec"]),
            "scale" => set,
            _ if self.status_is_apart => set.without(&["status"]),
            _ => set,
        }
    }
}

/// What kubectl applied by itself and nobody has changed since: it may take that over from whoever it was then
/// (apimachinery: `lastappliedmanager.go`).
fn kubectls_own(live: &Value, writer: &Writer<'_>) -> Set {
    let noted = live["metadata"]["annotations"][LAST_APPLIED].as_str().filter(|_| writer.manager == "kubectl");
    let Some(last) = noted.and_then(|text| serde_json::from_str::<Value>(text).ok()) else { return Set::default() };
    let place = Place::root(writer.schema);
    match (tree::field_set(place, &last), tree::compare(place, Some(&last), Some(live))) {
        (Ok(fields), Ok(since)) if last["apiVersion"] == writer.api_version => {
            fields.difference(&since.modified).difference(&since.added).difference(&since.removed)
        }
        _ => Set::default(),
    }
}

fn stripped(set: Set) -> Set {
    let mut ownerless = Set::default();
    for name in ["apiVersion", "kind"] {
        ownerless.put(format!("f:{name}"), Set::member());
    }
    let mut metadata = Set::member();
    OWNERLESS.iter().for_each(|name| metadata.put(format!("f:{name}"), Set::member()));
    ownerless.put("f:metadata".into(), metadata);
    set.difference(&ownerless)
}
