//! Creations, updates and patches as they come over the wire.

use std::sync::Arc;

use serde_json::{Value, json};

use super::ApiServer;
use super::body::{self, Decoded};
use super::managed_fields::{ApplyError, ManagedFields, Writer};
use super::patch;
use super::query::Query;
use super::refusal::{self, Refusal};
use super::routes::{Call, Target, content_type, header, object_response};
use super::scale;
use super::write::{Scope, Writing, without_managed_fields};
use crate::api::{Manifest, Status, StatusCause, StatusDetails};
use crate::runtime::{Request, Response};

/// The longest name of a field manager, in bytes (apimachinery: `pkg/apis/meta/v1/validation/validation.go`).
const MAX_MANAGER_BYTES: usize = 128;

/// # Errors
/// With the refusal that is to be sent.
pub(super) fn answer(server: &ApiServer, call: &Call, target: &Target, request: &Request) -> Result<Response, Refusal> {
    let options = Options::read(&call.query, call.verb, request)?;
    let writing =
        Writing { scope: target.scope(), manager: Some(options.manager), dry_run: options.dry_run, applied: None };
    let (status, object, warnings) = match call.verb {
        "create" => {
            let Decoded { object, warnings } = body::read_object(target, request, options.is_strict)?;
            let object = for_creation(target, object);
            (201, server.create_by(&target.kind, object, &writing)?, warnings)
        }
        "update" if writing.scope == Scope::Scale => {
            (200, scale::update(server, target, request, &writing)?, Vec::new())
        }
        "update" => {
            let Decoded { object, warnings } = body::read_object(target, request, options.is_strict)?;
            check_same_name(target, &object)?;
            (200, server.update_by(&target.kind, object, &writing)?, warnings)
        }
        _ => {
            let (status, object) = patch(server, target, request, writing, options.force)?;
            (status, object, Vec::new())
        }
    };
    let mut response = if target.scope() == Scope::Scale {
        scale::response(target, &object)?
    } else {
        object_response(server, call, target, status, &object)
    };
    let warning = |text| ("warning".to_owned(), format!("299 - {}", Value::String(text)));
    response.headers.extend(warnings.into_iter().filter(|_| options.warns).map(warning));
    Ok(response)
}

/// What the query says of a write.
struct Options {
    manager: String,
    dry_run: bool,
    is_strict: bool,
    /// Of fields that are not what they should be.
    warns: bool,
    force: bool,
}

impl Options {
    /// # Errors
    /// 422 for values that there are not (apimachinery: `pkg/apis/meta/v1/validation/validation.go`).
    fn read(query: &Query, verb: &str, request: &Request) -> Result<Self, Refusal> {
        let kind = match verb {
            "create" => "CreateOptions",
            "update" => "UpdateOptions",
            _ => "PatchOptions",
        };
        let invalid = |field: &str, reason: &str, message: &str| {
            Err(refusal::invalid_in(("meta.k8s.io", kind), "", field, reason, message))
        };
        let manager = query.text("fieldManager");
        let is_apply = content_type(request) == patch::APPLY && verb == "patch";
        let force = query.flag("force");
        if is_apply && manager.is_empty() {
            return invalid("fieldManager", "FieldValueRequired", "Required value: is required for apply patch");
        }
        if !is_apply && force.is_some() && verb == "patch" {
            return invalid("force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch");
        }
        if manager.len() > MAX_MANAGER_BYTES {
            return invalid("fieldManager", "FieldValueTooLong", "Too long: may not be more than 128 bytes");
        }
        if let Some((at, odd)) = manager.char_indices().find(|(_, c)| c.is_control()) {
            let code = u32::from(odd);
            let shown = manager.replace(odd, &format!("\\x{code:02x}"));
            let why = format!("Invalid value: \"{shown}\": invalid character U+{code:04X} (at position {at})");
            return invalid("fieldManager", "FieldValueInvalid", &why);
        }
        let dry_run = query.all("dryRun");
        if dry_run.iter().any(|value| *value != "All") {
            let message = format!("Unsupported value: {}: supported values: \"All\"", json!(dry_run));
            return invalid("dryRun", "FieldValueNotSupported", &message);
        }
        let validation = query.text("fieldValidation");
        if !["", "Ignore", "Warn", "Strict"].contains(&validation) {
            let message = format!(
                "Unsupported value: \"{validation}\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""
            );
            return invalid("fieldValidation", "FieldValueNotSupported", &message);
        }
        let (is_strict, warns) = (validation == "Strict", validation != "Ignore");
        if is_strict && verb == "patch" {
            return Err(body::not_strict());
        }
        let agent = header(request, "user-agent").split('/').next().unwrap_or_default();
        let manager = if manager.is_empty() { agent } else { manager };
        Ok(Self {
            manager: manager.into(),
            dry_run: !dry_run.is_empty(),
            is_strict,
            warns,
            force: force.unwrap_or(false),
        })
    }
}

fn patch(
    server: &ApiServer,
    target: &Target,
    request: &Request,
    writing: Writing,
    force: bool,
) -> Result<(u16, Arc<Manifest>), Refusal> {
    let content_type = content_type(request);
    if content_type == patch::APPLY {
        return apply(server, target, request, writing, force);
    }
    let found = server.found(&target.kind, target.namespace(), target.name())?;
    let sent = request.body.as_deref().unwrap_or_default();
    if writing.scope == Scope::Scale {
        let scale = scale::of(target, &found)?;
        let scale = patch::patched(scale, content_type, sent, scale::SCHEMA)?;
        return Ok((200, scale::change(server, target, &scale, &writing)?));
    }
    let live = json_in_version(target, &found);
    let patched = patch::patched(live, content_type, sent, target.kind.schema(&target.version))?;
    let object = body::object_of(target, patched).map_err(|message| {
        refusal::invalid_in(("", ""), "", "patch", "FieldValueInvalid", &format!("Invalid value: {message}"))
    })?;
    check_patched(target, &object, &found)?;
    Ok((200, server.update_by(&target.kind, object, &writing)?))
}

/// The object as the client sees it: in its version, with the note of who set what.
fn json_in_version(target: &Target, object: &Manifest) -> Value {
    let mut object = object.clone();
    object.api_version = target.api_version();
    serde_json::to_value(object).unwrap_or_default()
}

fn check_patched(target: &Target, object: &Manifest, found: &Manifest) -> Result<(), Refusal> {
    check_same_name(target, object)?;
    if object.uid() != found.uid() && !object.uid().is_empty() {
        let message = format!("Invalid value: \"{}\": field is immutable", object.uid());
        return Err(refusal::invalid(&target.kind, found.name(), "metadata.uid", "FieldValueInvalid", &message));
    }
    Ok(())
}

fn apply(
    server: &ApiServer,
    target: &Target,
    request: &Request,
    mut writing: Writing,
    force: bool,
) -> Result<(u16, Arc<Manifest>), Refusal> {
    let mut config = body::read_configuration(target, request)?;
    let found = server.found(&target.kind, target.namespace(), target.name()).ok();
    if writing.scope != Scope::Main && found.is_none() {
        return Err(refusal::not_found(&target.kind, target.name()));
    }
    if writing.scope == Scope::Scale {
        if target.kind.custom {
            // A fault of the real server's, which clients meet there.
            return Err(refusal::unreasoned(scale::NO_APPLICATION));
        }
        config = scale::configuration(target, &config)?;
    }
    if let (None, Some(uid)) = (&found, config["metadata"]["uid"].as_str()) {
        let why = format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
        return Err(refusal::conflict(&target.kind, target.name(), &why));
    }
    let manager = writing.manager.clone().unwrap_or_default();
    let api_version = target.api_version();
    let writer = Writer {
        manager: &manager,
        api_version: &api_version,
        subresource: writing.scope.subresource(),
        is_custom: target.kind.custom,
        status_is_apart: target.kind.has("status"),
        schema: target.kind.schema(&target.version),
        now: server.wall_seconds(),
    };
    let known = found.as_deref().map(ManagedFields::of).unwrap_or_default();
    let live = found.as_deref().map(|found| {
        let mut live = without_managed_fields(found);
        live["apiVersion"] = api_version.as_str().into();
        live
    });
    let (applied, noted) = known
        .applied(live.as_ref(), &config, &writer, force)
        .map_err(|error| refused_application(target, &config, error))?;
    let mut object = body::object_of(target, applied).map_err(refusal::unreasoned)?;
    if manager == "kubectl" {
        body::renew_last_applied(&mut object, &config);
    }
    if object.name().is_empty() {
        object.metadata.name = target.name().into();
    }
    object.metadata.namespace = target.namespace().into();
    if let Some(found) = &found {
        check_patched(target, &object, found)?;
        writing.applied = Some(noted);
        return Ok((200, server.update_by(&target.kind, object, &writing)?));
    }
    check_same_name(target, &object)?;
    object.metadata.resource_version.clear();
    writing.applied = Some(noted);
    Ok((201, server.create_by(&target.kind, for_creation(target, object), &writing)?))
}

fn refused_application(target: &Target, config: &Value, error: ApplyError) -> Refusal {
    match error {
        ApplyError::Conflicts { message, causes } => {
            let cause = |(message, field)| StatusCause { reason: "FieldManagerConflict".into(), message, field };
            let causes = causes.into_iter().map(cause).collect();
            let details = StatusDetails { causes, ..StatusDetails::default() };
            Box::new(Status { details: Some(details), ..Status::failure(409, message) })
        }
        ApplyError::Unreadable(why) => {
            let namespace = config["metadata"]["namespace"].as_str().unwrap_or_default();
            let (name, group, version, kind) = (target.name(), &target.kind.group, &target.version, &target.kind.kind);
            let what = format!("{namespace}/{name}; {group}/{version}, Kind={kind}");
            refusal::unreasoned(format!("failed to create typed patch object ({what}): {why}"))
        }
    }
}

/// As the real server lets a client create it: the server alone says what its status, its uid and its age are.
fn for_creation(target: &Target, mut object: Manifest) -> Manifest {
    let metadata = &mut object.metadata;
    metadata.uid.clear();
    metadata.creation_timestamp = None;
    metadata.deletion_timestamp = None;
    metadata.deletion_grace_period_seconds = None;
    metadata.generation = None;
    if target.kind.is("namespaces") {
        let name = metadata.name.clone();
        metadata.labels.insert("kubernetes.io/metadata.name".into(), name);
    }
    if target.kind.has("status") {
        let status = match target.kind.resource.as_str() {
            "pods" => json!({ "phase": "Pending" }),
            "namespaces" => json!({ "phase": "Active" }),
            _ if target.kind.custom => {
                object.fields.remove("status");
                return object;
            }
            _ => json!({}),
        };
        object.fields.insert("status".into(), status);
    }
    object
}

pub(super) fn check_same_name(target: &Target, object: &Manifest) -> Result<(), Refusal> {
    let (sent, asked) = (object.name(), target.name());
    let message = if sent.is_empty() {
        format!("the name of the object ({asked} based on URL) was undeterminable: name must be provided")
    } else if sent != asked {
        format!("the name of the object ({sent}) does not match the name on the URL ({asked})")
    } else if object.namespace() != target.namespace() {
        body::OTHER_NAMESPACE.into()
    } else {
        return Ok(());
    };
    Err(refusal::plain(400, message))
}
