//! What of an object's metadata the server checks, in the real one's words.

use serde_json::Value;

use super::kinds::Kind;
use super::refusal::{self, Refusal};
use crate::api::Manifest;

pub(super) const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
     and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Finalizers without a domain (apimachinery: `pkg/api/validation/objectmeta.go`).
const STANDARD_FINALIZERS: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

/// # Errors
/// 422 for a name that is missing or not legal and for odd finalizers and owners, 500 with a resourceVersion. The
/// cluster's parts may generate names from what clients may not, as Events' names end in a dot and a number.
pub(super) fn check_new(kind: &Kind, object: &Manifest, is_from_client: bool) -> Result<(), Refusal> {
    let metadata = &object.metadata;
    if !metadata.resource_version.is_empty() {
        return Err(refusal::unreasoned("resourceVersion should not be set on objects to be created"));
    }
    let prefix = metadata.generate_name.as_deref().filter(|_| metadata.name.is_empty());
    let (field, name) = match prefix {
        Some(prefix) => ("metadata.generateName", prefix.trim_end_matches('-')),
        None => ("metadata.name", metadata.name.as_str()),
    };
    if name.is_empty() {
        let message = "Required value: name or generateName is required";
        return Err(refusal::invalid(kind, name, "metadata.name", "FieldValueRequired", message));
    }
    if !is_legal_name(kind, name) && (is_from_client || prefix.is_none()) {
        let message = format!("Invalid value: \"{}\": {SUBDOMAIN}", prefix.unwrap_or(name));
        return Err(refusal::invalid(kind, &metadata.name, field, "FieldValueInvalid", &message));
    }
    if kind.namespaced && metadata.namespace.is_empty() {
        return Err(refusal::invalid(kind, name, "metadata.namespace", "FieldValueRequired", "Required value"));
    }
    check_labels(kind, object)?;
    check_template(kind, object)?;
    check_references(kind, object)
}

/// # Errors
/// 422 for a new finalizer on an object that is being deleted, and for odd finalizers and owners.
pub(super) fn check_update(kind: &Kind, object: &Manifest, found: &Manifest) -> Result<(), Refusal> {
    let known = &found.metadata.finalizers;
    let new: Vec<_> = object.metadata.finalizers.iter().filter(|name| !known.contains(name)).collect();
    if found.metadata.deletion_timestamp.is_some() && !new.is_empty() {
        let names: Vec<_> = new.iter().map(|name| format!("\"{name}\"")).collect();
        let message = format!(
            "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            names.join(", ")
        );
        return Err(refusal::invalid(kind, object.name(), "metadata.finalizers", "FieldValueForbidden", &message));
    }
    check_labels(kind, object)?;
    check_template(kind, object)?;
    if found.get(&["immutable"]) == Some(&Value::Bool(true)) {
        check_immutable(kind, object, found)?;
    }
    check_references(kind, object)
}

const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
     must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
     validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

fn check_labels(kind: &Kind, object: &Manifest) -> Result<(), Refusal> {
    let edge = |c: char| c.is_ascii_alphanumeric();
    let legal = |value: &str| {
        value.len() <= 63
            && (value.is_empty() || value.starts_with(edge) && value.ends_with(edge))
            && value.chars().all(|c| edge(c) || ['-', '_', '.'].contains(&c))
    };
    match object.metadata.labels.values().find(|value| !legal(value)) {
        Some(value) => {
            let message = format!("Invalid value: \"{value}\": {VALUE}");
            Err(refusal::invalid(kind, object.name(), "metadata.labels", "FieldValueInvalid", &message))
        }
        None => Ok(()),
    }
}

/// What a workload selects must be what its template makes.
fn check_template(kind: &Kind, object: &Manifest) -> Result<(), Refusal> {
    let workloads = ["deployments", "replicasets", "statefulsets", "daemonsets"];
    if kind.group != "apps" || !workloads.contains(&kind.resource.as_str()) {
        return Ok(());
    }
    let labels = object.get(&["spec", "template", "metadata", "labels"]);
    let Some(Value::Object(wanted)) = object.get(&["spec", "selector", "matchLabels"]) else { return Ok(()) };
    if wanted.iter().all(|(name, value)| labels.and_then(|labels| labels.get(name)) == Some(value)) {
        return Ok(());
    }
    let labels = labels.map_or_else(|| "null".to_owned(), Value::to_string);
    let message = format!("Invalid value: {labels}: `selector` does not match template `labels`");
    let field = "spec.template.metadata.labels";
    Err(refusal::invalid(kind, object.name(), field, "FieldValueInvalid", &message))
}

/// Of ConfigMaps and Secrets that say so.
fn check_immutable(kind: &Kind, object: &Manifest, found: &Manifest) -> Result<(), Refusal> {
    for field in ["immutable", "data", "binaryData"] {
        if object.get(&[field]) != found.get(&[field]) {
            let message = "Forbidden: field is immutable when `immutable` is set";
            return Err(refusal::invalid(kind, object.name(), field, "FieldValueForbidden", message));
        }
    }
    Ok(())
}

fn check_references(kind: &Kind, object: &Manifest) -> Result<(), Refusal> {
    for (place, finalizer) in object.metadata.finalizers.iter().enumerate() {
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer.as_str()) {
            let field = format!("metadata.finalizers[{place}]");
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            let message = format!("Invalid value: \"{finalizer}\": {why}");
            return Err(refusal::invalid(kind, object.name(), &field, "FieldValueInvalid", &message));
        }
    }
    for (place, owner) in object.metadata.owner_references.iter().enumerate() {
        let fields =
            [("apiVersion", &owner.api_version), ("kind", &owner.kind), ("name", &owner.name), ("uid", &owner.uid)];
        if let Some((field, _)) = fields.iter().find(|(_, value)| value.is_empty()) {
            let field = format!("metadata.ownerReferences[{place}].{field}");
            let message = "Required value: must not be empty";
            return Err(refusal::invalid(kind, object.name(), &field, "FieldValueRequired", message));
        }
    }
    let owners = &object.metadata.owner_references;
    let controllers: Vec<_> = owners.iter().filter(|owner| owner.controller == Some(true)).collect();
    if let [first, second, ..] = controllers[..] {
        let message = format!(
            "Invalid value: {}: Only one reference can have Controller set to true. Found \"true\" in references for {}/{} and {}/{}",
            String::from_utf8_lossy(&super::to_json(owners)),
            first.kind,
            first.name,
            second.kind,
            second.name
        );
        return Err(refusal::invalid(kind, object.name(), "metadata.ownerReferences", "FieldValueInvalid", &message));
    }
    Ok(())
}

fn is_legal_name(kind: &Kind, name: &str) -> bool {
    // Roles and their bindings may be named almost anything.
    if kind.group == "rbac.authorization.k8s.io" {
        return !["", ".", ".."].contains(&name) && !name.contains(['/', '%']);
    }
    name.len() <= 253 && is_subdomain(name)
}

pub(super) fn is_subdomain(text: &str) -> bool {
    let is_edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let legal = |label: &str| {
        label.starts_with(is_edge) && label.ends_with(is_edge) && label.chars().all(|c| is_edge(c) || c == '-')
    };
    text.split('.').all(legal)
}
