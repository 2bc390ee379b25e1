//! Custom resource definitions: kinds that come and go while the server runs.
//!
//! The only conversion is `None`: versions differ in their name. A definition that uses what is not understood here is
//! refused, so that no custom resource is checked less than the real server checks it.

mod definition;
mod schema;
mod validate;

pub(super) use definition::set_condition;

use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value, json};

use super::ApiServer;
use super::kinds::Kind;
use super::refusal::{self, Refusal};
use crate::api::{Manifest, Status, StatusCause, StatusDetails};

pub(super) const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Fills in a definition's defaults and checks it.
///
/// # Errors
/// 422 as the real server says it, 501 for what is not offered.
pub(super) fn admit_definition(object: &mut Manifest, before: Option<&Manifest>) -> Result<(), Refusal> {
    definition::fill(object, before);
    definition::check(object)?;
    let fixed = [["spec", "group"], ["spec", "scope"]];
    match before.and_then(|before| fixed.into_iter().find(|path| at(before, path) != at(object, path))) {
        Some(path) => Err(refusal::not_offered(&format!("a change of {}", path.join(".")))),
        None => Ok(()),
    }
}

/// The paths in a custom resource that its schema does not know; none of other objects.
pub(super) fn unknown_fields(kind: &Kind, version: &str, object: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    if let (true, Some(version), Some(fields)) = (kind.custom, kind.version(version), object.as_object()) {
        let mut fields = fields.clone();
        fields.retain(|name, _| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
        schema::prune(&version.schema, &mut fields, "", &mut unknown);
    }
    unknown.sort();
    unknown
}

/// Takes what its schema does not know out of a custom resource, fills in defaults and checks the rest.
///
/// # Errors
/// 422 with all that is wrong.
pub(super) fn admit(kind: &Kind, object: &mut Manifest) -> Result<(), Refusal> {
    let version = object.api_version.rsplit('/').next().unwrap_or_default();
    let Some(version) = kind.version(version).or_else(|| kind.versions.first()) else { return Ok(()) };
    schema::prune(&version.schema, &mut object.fields, "", &mut Vec::new());
    schema::fill(&version.schema, &mut object.fields);
    let mut validator = validate::Validator { causes: Vec::new() };
    validator.object(&version.schema, "", &object.fields);
    validator.causes.extend(check_scale(kind, object));
    if validator.causes.is_empty() { Ok(()) } else { Err(invalid(kind, object.name(), validator.causes)) }
}

/// How many replicas there are to be must be a whole number.
fn check_scale(kind: &Kind, object: &Manifest) -> Option<StatusCause> {
    let path = &kind.scale.as_ref()?.spec_replicas;
    let value = object.get(&path.split('.').collect::<Vec<_>>())?;
    let why = match value.as_i64() {
        Some(0..) => return None,
        Some(count) => format!("{count}: should be a non-negative integer"),
        None => format!("0: .{path} accessor error: {value} is of the type float64, expected int64"),
    };
    Some(StatusCause {
        reason: "FieldValueInvalid".into(),
        message: format!("Invalid value: {why}"),
        field: format!(".{path}"),
    })
}

fn invalid(kind: &Kind, name: &str, causes: Vec<StatusCause>) -> Refusal {
    let all: Vec<_> = causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
    let all = if let [one] = &all[..] { one.clone() } else { format!("[{}]", all.join(", ")) };
    let what = if kind.group.is_empty() { kind.kind.clone() } else { format!("{}.{}", kind.kind, kind.group) };
    let details = StatusDetails {
        name: name.into(),
        group: kind.group.clone(),
        kind: kind.kind.clone(),
        causes,
        ..StatusDetails::default()
    };
    let message = format!("{what} \"{name}\" is invalid: {all}");
    Box::new(Status { details: Some(details), ..Status::failure(422, message) })
}

/// What follows from a definition. Watches of a kind that is redefined or gone end behind what they have to tell.
impl ApiServer {
    /// Serves what a definition says, once its names are free, and notes in its status that it does.
    pub(super) fn define(&self, definition: &Arc<Manifest>) {
        if definition.metadata.deletion_timestamp.is_some() {
            return;
        }
        let Ok(kind) = definition::kind_of(definition) else { return };
        let taken = definition::names_taken(definition, &self.kinds());
        let status = definition::status(definition, &taken, self.wall_seconds());
        if taken.is_none() {
            let known = self.kind(&kind.qualified).filter(|known| known.custom);
            match known {
                Some(known) if known.definition == kind.definition => {}
                known => {
                    let mut store = self.inner.store.borrow_mut();
                    match known {
                        Some(known) => known.end_at(store.current()),
                        None => store.start_over(&kind),
                    }
                    self.inner.kinds.borrow_mut().put(kind);
                }
            }
        }
        if definition.fields.get("status") != Some(&status) {
            self.put_definition(definition, |object| drop(object.fields.insert("status".into(), status)));
        }
    }

    /// Takes a definition away, with all its objects before it. Gives it as it is when that begins.
    ///
    /// # Errors
    /// 501 when a finalizer holds one of the objects.
    pub(super) fn delete_definition(&self, definition: &Arc<Manifest>) -> Result<Arc<Manifest>, Refusal> {
        let kind = self.kind(definition.name()).filter(|kind| kind.custom);
        let objects = self.objects(if kind.is_some() { definition.name() } else { "" });
        if objects.iter().any(|object| !object.metadata.finalizers.is_empty()) {
            return Err(refusal::not_offered("the end of a definition whose objects have finalizers"));
        }
        let now = self.wall_seconds();
        let mark = |object: &mut Manifest, reason: &str, message: &str| {
            object.metadata.deletion_timestamp.get_or_insert(now);
            object.metadata.finalizers = vec![CLEANUP.into()];
            definition::set_condition(
                object,
                json!({
                    "type": "Terminating", "status": "True", "lastTransitionTime": now, "reason": reason,
                    "message": message,
                }),
            );
        };
        let soon = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
        let marked = self.put_definition(definition, |it| mark(it, "InstanceDeletionPending", soon));
        self.put_definition(&marked, |it| {
            mark(it, "InstanceDeletionInProgress", "CustomResource deletion is in progress");
        });
        for object in objects {
            // One that another one owned is gone already.
            let _ = self.delete(definition.name(), object.namespace(), object.name());
        }
        let definitions = self.definitions();
        let mut store = self.inner.store.borrow_mut();
        if let Some(kind) = kind {
            kind.end_at(store.current());
            self.inner.kinds.borrow_mut().remove(&kind.qualified);
        }
        if let Some(last) = store.get(&definitions, "", definition.name()) {
            store.remove(&definitions, Manifest::clone(&last));
        }
        drop(store);
        self.inner.changed.notify(usize::MAX);
        Ok(marked)
    }

    fn put_definition(&self, definition: &Manifest, change: impl FnOnce(&mut Manifest)) -> Arc<Manifest> {
        let mut object = definition.clone();
        change(&mut object);
        let object = self.inner.store.borrow_mut().put(&self.definitions(), object);
        self.inner.changed.notify(usize::MAX);
        object
    }

    fn definitions(&self) -> Rc<Kind> {
        self.kind(DEFINITIONS).expect("it stands in the table of kinds")
    }
}

/// The value at a path of names below the object; null when there is none.
fn at<'a>(object: &'a Manifest, path: &[&str]) -> &'a Value {
    object.get(path).unwrap_or(&Value::Null)
}
