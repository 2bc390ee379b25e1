//! Why the server refuses, in the very words of the real one (apimachinery: `pkg/api/errors/errors.go`).

use serde::Serialize;

use super::kinds::Kind;
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
    plain(404, "the server could not find the requested resource")
}

pub(super) fn method_not_allowed() -> Refusal {
    plain(405, "the server does not allow this method on the requested resource")
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

pub(super) fn already_exists(kind: &Kind, name: &str) -> Refusal {
    let mut refusal = about(kind, name, 409, format!("{} \"{name}\" already exists", kind.qualified));
    refusal.reason = "AlreadyExists".into();
    refusal
}

pub(super) fn conflict(kind: &Kind, name: &str, why: &str) -> Refusal {
    about(kind, name, 409, format!("Operation cannot be fulfilled on {} \"{name}\": {why}", kind.qualified))
}

/// # Arguments
/// `name` is empty for requests to a whole collection; `namespace` is none at the cluster scope.
pub(super) fn forbidden(user: &str, verb: &str, kind: &Kind, namespace: Option<&str>, name: &str) -> Refusal {
    let what = match name {
        "" => kind.qualified.clone(),
        name => format!("{} \"{name}\"", kind.qualified),
    };
    let scope = match namespace {
        None => "at the cluster scope".to_owned(),
        Some(namespace) => format!("in the namespace \"{namespace}\""),
    };
    let (resource, group) = (&kind.resource, &kind.group);
    let cannot = format!("User \"{user}\" cannot {verb} resource \"{resource}\" in API group \"{group}\" {scope}");
    about(kind, name, 403, format!("{what} is forbidden: {cannot}"))
}

/// A field that is set and must not be, in the options of a list or a watch.
pub(super) fn forbidden_list_option(field: &str, why: &str) -> Refusal {
    invalid_list_option("FieldValueForbidden", field, format!("Forbidden: {why}"))
}

pub(super) fn invalid_list_option(reason: &str, field: &str, message: String) -> Refusal {
    let text = format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: {message}");
    let cause = StatusCause { reason: reason.into(), message, field: field.into() };
    let details = StatusDetails {
        group: "meta.k8s.io".into(),
        kind: "ListOptions".into(),
        causes: vec![cause],
        ..StatusDetails::default()
    };
    Box::new(Status { details: Some(details), ..Status::failure(422, text) })
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
