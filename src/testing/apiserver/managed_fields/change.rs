use jiff::Timestamp;
use serde_json::Value;

use super::entries::{Entry, ManagedFields};
use super::schema::Schema;
use super::set::Set;
use super::tree::{self, Place};
use crate::testing::apiserver::kinds::Kind;

/// What kubectl keeps of the configuration that it applied by itself.
pub(in super::super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

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
pub(in super::super) struct Writer<'a> {
    pub(in super::super) manager: &'a str,
    pub(in super::super) api_version: &'a str,
    /// Empty for the object itself.
    pub(in super::super) subresource: &'a str,
    pub(in super::super) is_custom: bool,
    /// Whether the object's status is its subresource's alone.
    pub(in super::super) status_is_apart: bool,
    pub(in super::super) schema: Schema<'a>,
    pub(in super::super) now: Timestamp,
}

/// Why an application fails.
#[derive(Debug)]
pub(in super::super) enum ApplyError {
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

impl ManagedFields {
    /// After an update from `live`, none for what is created, to `new`. An object of whose fields nobody took note
    /// stays so.
    pub(in super::super) fn updated(&self, live: Option<&Value>, new: &Value, writer: &Writer<'_>) -> Self {
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
    pub(in super::super) fn applied(
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
}

impl Kind {
    /// How objects of the kind are merged.
    pub(in super::super) fn schema(&self, version: &str) -> Schema<'_> {
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
