//! What an update may change, and which changes an object counts.

use serde_json::{Map, Value};

use super::kinds::Kind;
use super::refusal::{self, Refusal};
use super::write::Scope;
use crate::api::Manifest;

const MODIFIED_MEANWHILE: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// Takes over what tells the object apart, if the update does not mean another one or another version.
///
/// # Errors
/// 409 for another one.
pub(super) fn check_same_object(kind: &Kind, object: &mut Manifest, found: &Manifest) -> Result<(), Refusal> {
    let (sent, known) = (&mut object.metadata, &found.metadata);
    if !sent.resource_version.is_empty() && sent.resource_version.parse::<u64>().is_err() {
        let why = format!("parsing \"{}\": invalid syntax", sent.resource_version);
        return Err(refusal::unreasoned(format!("strconv.ParseUint: {why}")));
    }
    if !["", "0", known.resource_version.as_str()].contains(&sent.resource_version.as_str()) {
        return Err(refusal::conflict(kind, &known.name, MODIFIED_MEANWHILE));
    }
    if !["", known.uid.as_str()].contains(&sent.uid.as_str()) {
        let group = if kind.group.contains('.') { format!("{}/", kind.group) } else { String::new() };
        let place = super::store::key(&known.namespace, &known.name);
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{group}{}/{place}, ResourceVersion: 0, \
             AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object meta: {}",
            kind.resource, sent.uid, known.uid
        );
        return Err(refusal::conflict(kind, &known.name, &why));
    }
    sent.resource_version.clone_from(&known.resource_version);
    sent.uid.clone_from(&known.uid);
    sent.creation_timestamp = known.creation_timestamp;
    sent.generate_name.clone_from(&known.generate_name);
    Ok(())
}

/// What is wanted of an object, all but what is said about it; none of kinds whose objects do not count its changes.
pub(super) fn wanted(kind: &Kind, object: &Manifest) -> Option<Map<String, Value>> {
    const COUNTED: [&str; 15] = [
        "cronjobs",
        "customresourcedefinitions",
        "daemonsets",
        "deployments",
        "endpointslices",
        "ingressclasses",
        "ingresses",
        "jobs",
        "networkpolicies",
        "poddisruptionbudgets",
        "pods",
        "podtemplates",
        "replicasets",
        "replicationcontrollers",
        "statefulsets",
    ];
    if !kind.custom && !COUNTED.contains(&kind.resource.as_str()) {
        return None;
    }
    let mut fields = object.fields.clone();
    if kind.has("status") {
        fields.remove("status");
    }
    Some(fields)
}

/// Puts back what a client may not change by an update to one part of the object.
pub(super) fn keep_what_is_the_servers(scope: Scope, kind: &Kind, object: &mut Manifest, known: &Manifest) {
    object.metadata.deletion_timestamp = known.metadata.deletion_timestamp;
    object.metadata.deletion_grace_period_seconds = known.metadata.deletion_grace_period_seconds;
    let status = match scope {
        Scope::Main if kind.has("status") => known.fields.get("status").cloned(),
        Scope::Status => {
            let status = object.fields.remove("status");
            object.fields.clone_from(&known.fields);
            if kind.custom {
                object.metadata = known.metadata.clone();
            }
            if kind.is("deployments.apps") {
                object.metadata.labels.clone_from(&known.metadata.labels);
            }
            status
        }
        _ => return,
    };
    object.fields.remove("status");
    object.fields.extend(status.map(|status| ("status".into(), status)));
}
