//! Why the server refuses, in the very words of the real one (apimachinery: `pkg/api/errors/errors.go`).

use serde::Serialize;

use super::kinds::Kind;
use super::rights::Attributes;
use crate::api::{Status, StatusCause, StatusDetails};

/// A refusal, boxed because it is much larger than what succeeds.
pub(super) type Refusal = Box<Status>;

pub(super) fn plain(code: u16, message: impl Into<String>) -> Refusal {
    Box::new(Status::failure(code, message))
}

/// What the real server offers and this one does not.
pub(super) fn not_offered(what: &str) -> Refusal {
    let reason = "NotImplemented".into();
    Box::new(Status { reason, ..Status::failure(501, format!("the in-memory API server does not offer {what}")) })
}

pub(super) fn no_such_path() -> Refusal {
    let message = "the server could not find the requested resource";
    Box::new(Status { details: Some(StatusDetails::default()), ..Status::failure(404, message) })
}

pub(super) fn method_not_allowed() -> Refusal {
    let message = "the server does not allow this method on the requested resource";
    Box::new(Status { details: Some(StatusDetails::default()), ..Status::failure(405, message) })
}

/// Where not even a Status comes, but plain text.
pub(super) fn page_not_found() -> Refusal {
    text(404, "404 page not found")
}

/// Another server is to answer, and cannot be reached; in plain text too.
pub(super) fn service_unavailable() -> Refusal {
    text(503, "service unavailable")
}

/// What has no status in it is sent as plain text.
fn text(code: u16, message: &str) -> Refusal {
    Box::new(Status { code, message: message.into(), ..Status::default() })
}

fn about(kind: &Kind, name: &str, code: u16, message: String) -> Refusal {
    let details = StatusDetails {
        name: name.into(),
        group: kind.group.clone(),
        kind: kind.resource.clone(),
        ..Default::default()
    };
    Box::new(Status { details: Some(details), ..Status::failure(code, message) })
}

pub(super) fn not_found(kind: &Kind, name: &str) -> Refusal {
    about(kind, name, 404, format!("{} \"{name}\" not found", kind.qualified))
}

pub(super) fn already_exists(kind: &Kind, name: &str, is_being_deleted: bool) -> Refusal {
    let prefix = if is_being_deleted { "object is being deleted: " } else { "" };
    let mut refusal = about(kind, name, 409, format!("{prefix}{} \"{name}\" already exists", kind.qualified));
    refusal.reason = "AlreadyExists".into();
    refusal
}

pub(super) fn conflict(kind: &Kind, name: &str, why: &str) -> Refusal {
    about(kind, name, 409, format!("Operation cannot be fulfilled on {} \"{name}\": {why}", kind.qualified))
}

/// What a user may not do, which is to a resource or to a path.
pub(super) fn forbidden(user: &str, asked: &Attributes<'_>) -> Refusal {
    let Attributes { verb, group, resource, namespace, name, path } = asked;
    if !path.is_empty() {
        let message = format!("forbidden: User \"{user}\" cannot {verb} path \"{path}\"");
        return Box::new(Status { details: Some(StatusDetails::default()), ..Status::failure(403, message) });
    }
    let kind = resource.split('/').next().unwrap_or_default();
    let dot = if group.is_empty() { "" } else { "." };
    let what = match *name {
        "" => format!("{kind}{dot}{group}"),
        name => format!("{kind}{dot}{group} \"{name}\""),
    };
    let scope = match namespace {
        None => "at the cluster scope".to_owned(),
        Some(namespace) => format!("in the namespace \"{namespace}\""),
    };
    let cannot = format!("User \"{user}\" cannot {verb} resource \"{resource}\" in API group \"{group}\" {scope}");
    let details =
        StatusDetails { name: (*name).into(), group: (*group).into(), kind: kind.into(), ..Default::default() };
    Box::new(Status { details: Some(details), ..Status::failure(403, format!("{what} is forbidden: {cannot}")) })
}

/// A field of an object that is not as it must be. `reason` is that of the cause, `FieldValueInvalid` and the like.
pub(super) fn invalid(kind: &Kind, name: &str, field: &str, reason: &str, message: &str) -> Refusal {
    invalid_in((&kind.group, &kind.kind), name, field, reason, message)
}

/// The same of any group and kind, as of the options of a request.
pub(super) fn invalid_in((group, kind): (&str, &str), name: &str, field: &str, reason: &str, message: &str) -> Refusal {
    let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
    let text = format!("{qualified} \"{name}\" is invalid: {field}: {message}");
    let cause = StatusCause { reason: reason.into(), message: message.into(), field: field.into() };
    let details = StatusDetails {
        name: name.into(),
        group: group.into(),
        kind: kind.into(),
        causes: vec![cause],
        ..StatusDetails::default()
    };
    Box::new(Status { details: Some(details), ..Status::failure(422, text) })
}

/// A conflict over a deletion, which names the kind and not the resource.
pub(super) fn deletion_conflict(kind: &Kind, name: &str, why: &str) -> Refusal {
    let of = if kind.group.is_empty() { kind.kind.clone() } else { format!("{}.{}", kind.kind, kind.group) };
    let mut refusal = about(kind, name, 409, format!("Operation cannot be fulfilled on {of} \"{name}\": {why}"));
    refusal.details.iter_mut().for_each(|details| details.kind.clone_from(&kind.kind));
    refusal
}

/// Nothing more may come into a namespace that is being deleted.
pub(super) fn terminating(kind: &Kind, name: &str, namespace: &str) -> Refusal {
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let mut refusal = about(kind, name, 403, format!("{} \"{name}\" is forbidden: {why}", kind.qualified));
    let cause = StatusCause {
        reason: "NamespaceTerminating".into(),
        message: format!("namespace {namespace} is being terminated"),
        field: "metadata.namespace".into(),
    };
    refusal.details.iter_mut().for_each(|details| details.causes.push(cause.clone()));
    refusal
}

/// An update that has to say which version of the object it means.
pub(super) fn version_required(kind: &Kind, name: &str) -> Refusal {
    let (field, message) = ("metadata.resourceVersion", "Invalid value: 0: must be specified for an update");
    let text = format!("{} \"{name}\" is invalid: {field}: {message}", kind.qualified);
    let mut refusal = about(kind, name, 422, text);
    let cause = StatusCause { reason: "FieldValueInvalid".into(), message: message.into(), field: field.into() };
    refusal.details.iter_mut().for_each(|details| details.causes.push(cause.clone()));
    refusal
}

/// A failure whose details are there and empty.
pub(super) fn without_subject(code: u16, message: &str) -> Refusal {
    Box::new(Status { details: Some(StatusDetails::default()), ..Status::failure(code, message) })
}

/// A failure without a reason, as the real server gives where it has not thought of one.
pub(super) fn unreasoned(message: impl Into<String>) -> Refusal {
    Box::new(Status { reason: String::new(), ..Status::failure(500, message) })
}

/// A field that is set and must not be, in the options of a list or a watch.
pub(super) fn forbidden_list_option(field: &str, why: &str) -> Refusal {
    invalid_list_option("FieldValueForbidden", field, format!("Forbidden: {why}"))
}

pub(super) fn invalid_list_option(reason: &str, field: &str, message: String) -> Refusal {
    invalid_in(("meta.k8s.io", "ListOptions"), "", field, reason, &message)
}

/// The watch's resourceVersion lies behind the history; `forgotten` is the newest one that does.
pub(super) fn too_old(resource_version: u64, forgotten: u64) -> Refusal {
    plain(410, format!("too old resource version: {resource_version} ({forgotten})"))
}

pub(super) fn too_large(resource_version: u64, current: u64) -> Refusal {
    let cause = StatusCause {
        reason: "ResourceVersionTooLarge".into(),
        message: "Too large resource version".into(),
        ..StatusCause::default()
    };
    let details = StatusDetails { causes: vec![cause], retry_after_seconds: Some(1), ..StatusDetails::default() };
    let message = format!("Timeout: Too large resource version: {resource_version}, current: {current}");
    Box::new(Status { details: Some(details), ..Status::failure(504, message) })
}

pub(super) fn too_many_requests(retry_after_seconds: u32) -> Refusal {
    let details = StatusDetails { retry_after_seconds: Some(retry_after_seconds), ..StatusDetails::default() };
    let message = "The server has received too many requests and has asked us to try again later";
    Box::new(Status { details: Some(details), ..Status::failure(429, message) })
}

/// A Status as it stands on the wire, which names its kind.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireStatus<'a> {
    kind: &'static str,
    api_version: &'static str,
    metadata: EmptyMetadata,
    status: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a StatusDetails>,
    code: u16,
}

#[derive(Serialize)]
struct EmptyMetadata {}

impl<'a> From<&'a Status> for WireStatus<'a> {
    fn from(status: &'a Status) -> Self {
        Self {
            kind: "Status",
            api_version: "v1",
            metadata: EmptyMetadata {},
            status: &status.status,
            message: &status.message,
            reason: &status.reason,
            details: status.details.as_ref(),
            code: status.code,
        }
    }
}
