//! The subresource `scale`: how many copies a workload is to have, the same for all kinds that have it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::ApiServer;
use super::kinds::Scale;
use super::managed_fields::Schema;
use super::refusal::{self, Refusal};
use super::requests::check_same_name;
use super::routes::{Target, content_type};
use super::transport::whole;
use super::write::Writing;
use crate::api::Manifest;
use crate::runtime::{Request, Response};

const API_VERSION: &str = "autoscaling/v1";

/// Why nobody can apply a custom resource's scale.
pub(super) const NO_APPLICATION: &str = "failed to create manager for existing fields: failed to convert live object \
     (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1";

pub(super) const SCHEMA: Schema<'static> = Schema::of_kind("Scale");

/// The scale of an object.
///
/// # Errors
/// 404 when the kind has none.
pub(super) fn of(target: &Target, object: &Manifest) -> Result<Value, Refusal> {
    let paths = paths(target)?;
    let mut metadata = json!({ "name": object.name(), "uid": object.uid() });
    if !object.namespace().is_empty() {
        metadata["namespace"] = object.namespace().into();
    }
    if !object.resource_version().is_empty() {
        metadata["resourceVersion"] = object.resource_version().into();
    }
    if let Some(created) = object.metadata.creation_timestamp {
        metadata["creationTimestamp"] = created.to_string().into();
    }
    let mut spec = Map::new();
    if let Some(replicas) = at(object, &paths.spec_replicas).and_then(Value::as_i64).filter(|count| *count != 0) {
        spec.insert("replicas".into(), replicas.into());
    }
    let replicas = at(object, &paths.status_replicas).and_then(Value::as_i64).unwrap_or(0);
    let mut status = json!({ "replicas": replicas });
    let selector = paths.label_selector.as_deref().and_then(|path| at(object, path)).map(selector_text);
    if let Some(selector) = selector.filter(|text| !text.is_empty()) {
        status["selector"] = selector.into();
    }
    Ok(json!({ "kind": "Scale", "apiVersion": API_VERSION, "metadata": metadata, "spec": spec, "status": status }))
}

pub(super) fn response(target: &Target, object: &Manifest) -> Result<Response, Refusal> {
    Ok(whole(200, "application/json", super::to_json(&of(target, object)?)))
}

/// Answers a PUT.
///
/// # Errors
/// As updates of the object itself, and 422 for less than no copies.
pub(super) fn update(
    server: &ApiServer,
    target: &Target,
    request: &Request,
    writing: &Writing,
) -> Result<Arc<Manifest>, Refusal> {
    if !["", "application/json"].contains(&content_type(request)) {
        return Err(super::patch::unsupported());
    }
    let body = request.body.as_deref().unwrap_or_default();
    let scale: Value = serde_json::from_slice(body)
        .map_err(|error| refusal::plain(400, format!("couldn't get version/kind; json parse error: {error}")))?;
    let text = |name: &str| scale.get(name).and_then(Value::as_str).unwrap_or_default();
    if ![("", ""), ("Scale", API_VERSION)].contains(&(text("kind"), text("apiVersion"))) {
        let (kind, version) = (text("kind"), text("apiVersion").rsplit('/').next().unwrap_or_default());
        return Err(refusal::plain(400, format!("{kind} in version \"{version}\" cannot be handled as a Scale")));
    }
    change(server, target, &scale, writing)
}

/// Gives the object as many copies as the scale says.
pub(super) fn change(
    server: &ApiServer,
    target: &Target,
    scale: &Value,
    writing: &Writing,
) -> Result<Arc<Manifest>, Refusal> {
    let found = server.found(&target.kind, target.namespace(), target.name())?;
    let text = |name: &str| scale["metadata"].get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut object = Manifest::clone(&found);
    object.metadata.name = text("name");
    check_same_name(target, &object)?;
    object.metadata.uid = text("uid");
    // Without one it is of the newest version, also where an update of the object itself must name it.
    match text("resourceVersion") {
        sent if sent.is_empty() => {}
        sent => object.metadata.resource_version = sent,
    }
    object.api_version = target.api_version();
    let replicas = scale["spec"].get("replicas").and_then(Value::as_i64).unwrap_or(0);
    // The schema of a custom resource says so itself.
    if replicas < 0 && !target.kind.custom {
        let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
        let kind = ("autoscaling", "Scale");
        return Err(refusal::invalid_in(kind, target.name(), "spec.replicas", "FieldValueInvalid", &message));
    }
    set(&mut object.fields, &paths(target)?.spec_replicas, replicas.into());
    server.update_by(&target.kind, object, writing)
}

/// The configuration of the object that a configuration of its scale means.
pub(super) fn configuration(target: &Target, scale: &Value) -> Result<Value, Refusal> {
    let mut fields = Map::new();
    if let Some(replicas) = scale["spec"].get("replicas") {
        set(&mut fields, &paths(target)?.spec_replicas, replicas.clone());
    }
    fields.insert("apiVersion".into(), target.api_version().into());
    fields.insert("kind".into(), target.kind.kind.as_str().into());
    fields.insert("metadata".into(), scale["metadata"].clone());
    Ok(fields.into())
}

fn paths(target: &Target) -> Result<&Scale, Refusal> {
    target.kind.scale.as_ref().ok_or_else(refusal::no_such_path)
}

fn at<'a>(object: &'a Manifest, path: &str) -> Option<&'a Value> {
    object.get(&path.split('.').collect::<Vec<_>>())
}

fn set(fields: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            fields.insert(path.into(), value);
        }
        Some((first, rest)) => {
            let below = fields.entry(first).or_insert_with(|| Map::new().into());
            if let Some(below) = below.as_object_mut() {
                set(below, rest, value);
            }
        }
    }
}

/// A label selector as text: custom resources have it so, a ReplicationController has the labels, others both forms of
/// requirements (apimachinery: `LabelSelectorAsSelector`).
fn selector_text(selector: &Value) -> String {
    let Some(fields) = selector.as_object() else { return selector.as_str().unwrap_or_default().to_owned() };
    let is_full = fields.contains_key("matchLabels") || fields.contains_key("matchExpressions");
    let labels = if is_full { fields.get("matchLabels").and_then(Value::as_object) } else { Some(fields) };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut parts: Vec<(String, String)> =
        labels.into_iter().flatten().map(|(key, value)| (key.clone(), format!("{key}={}", text(value)))).collect();
    let expressions = fields.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    parts.extend(expressions.map(|expression| {
        let key = text(&expression["key"]);
        let values = expression["values"].as_array().into_iter().flatten().map(text);
        let mut values: Vec<_> = values.collect();
        values.sort();
        let values = values.join(",");
        let part = match expression["operator"].as_str() {
            Some("In") => format!("{key} in ({values})"),
            Some("NotIn") => format!("{key} notin ({values})"),
            Some("DoesNotExist") => format!("!{key}"),
            _ => key.clone(),
        };
        (key, part)
    }));
    parts.sort();
    parts.into_iter().map(|(_, part)| part).collect::<Vec<_>>().join(",")
}
