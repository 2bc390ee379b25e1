//! From an object and the body of a PATCH to the object that is wanted.

use serde_json::Value;

use super::managed_fields::Schema;
use super::patch_strategic::{self, Unfit};
use super::refusal::{self, Refusal};

pub(super) const MERGE: &str = "application/merge-patch+json";
pub(super) const JSON_PATCH: &str = "application/json-patch+json";
pub(super) const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub(super) const APPLY: &str = "application/apply-patch+yaml";

/// The object as a patch of one of the three kinds leaves it.
///
/// # Errors
/// 400 for a body that is no such patch, 415 for another kind, 422 for one that does not fit the object.
pub(super) fn patched(
    mut object: Value,
    content_type: &str,
    body: &[u8],
    schema: Schema<'_>,
) -> Result<Value, Refusal> {
    if ![MERGE, JSON_PATCH, STRATEGIC].contains(&content_type) {
        return Err(unsupported());
    }
    let patch: Value = serde_json::from_slice(body).map_err(|_| refusal::plain(400, "invalid JSON patch"))?;
    match content_type {
        JSON_PATCH => {
            apply_operations(&mut object, patch)?;
        }
        MERGE if !patch.is_object() => {
            let message = format!("error decoding patch: {}", not_a(&patch, "map[string]interface {}"));
            return Err(refusal::plain(400, message));
        }
        MERGE => json_patch::merge(&mut object, &patch),
        _ => apply_strategic(&mut object, &patch, schema)?,
    }
    Ok(object)
}

pub(super) fn unsupported() -> Refusal {
    refusal::without_subject(415, "415: Unsupported Media Type")
}

/// What the real server says of a body that is JSON of another form.
fn not_a(value: &Value, wanted: &str) -> String {
    let form = match value {
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
        Value::Null => "null",
    };
    format!("json: cannot unmarshal {form} into Go value of type {wanted}")
}

fn apply_operations(object: &mut Value, patch: Value) -> Result<(), Refusal> {
    let failed = || refusal::without_subject(422, "the server rejected our request due to an error in our request");
    if !patch.is_array() {
        let message = format!("error decoding patch: {}", not_a(&patch, "[]handlers.jsonPatchOp"));
        return Err(refusal::plain(400, message));
    }
    let operations: json_patch::Patch = serde_json::from_value(patch).map_err(|_| failed())?;
    for operation in operations.0 {
        let operation = match operation {
            // The real server's library replaces what is not there, too.
            json_patch::PatchOperation::Replace(it) if is_absent_field(object, &it.path) => {
                json_patch::PatchOperation::Add(json_patch::AddOperation { path: it.path, value: it.value })
            }
            other => other,
        };
        json_patch::patch(object, &[operation]).map_err(|_| failed())?;
    }
    Ok(())
}

fn is_absent_field(object: &Value, path: &json_patch::jsonptr::Pointer) -> bool {
    let parent = path.parent().and_then(|parent| object.pointer(parent.as_str()));
    parent.is_some_and(Value::is_object) && object.pointer(path.as_str()).is_none()
}

fn apply_strategic(object: &mut Value, patch: &Value, schema: Schema<'_>) -> Result<(), Refusal> {
    if !matches!(schema, Schema::BuiltIn { .. }) {
        let accepted = [JSON_PATCH, MERGE, APPLY].join(", ");
        let message =
            format!("the body of the request was in an unknown format - accepted media types include: {accepted}");
        return Err(refusal::plain(415, message));
    }
    let (Value::Object(fields), Value::Object(patch)) = (object, patch) else {
        return Err(refusal::plain(400, not_a(patch, "map[string]interface {}")));
    };
    patch_strategic::apply(schema, true, fields, patch).map_err(|error| match error {
        Unfit::Malformed(text) => refusal::unreasoned(text),
        Unfit::Mismatch(text) => {
            let message = format!("Invalid value: {text}");
            refusal::invalid_in(("", ""), "", "patch", "FieldValueInvalid", &message)
        }
    })
}
