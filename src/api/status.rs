use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The API server's answer where there is no object: why a request failed, or that it succeeded.
///
/// The predicates follow apimachinery's `pkg/api/errors`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<StatusDetails>,
    pub code: u16,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatusDetails {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<StatusCause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatusCause {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}

impl Status {
    /// A failure with the reason that belongs to the code.
    pub fn failure(code: u16, message: impl Into<String>) -> Self {
        Self { status: "Failure".into(), message: message.into(), reason: reason_of(code).into(), details: None, code }
    }

    /// A failure within the machinery itself (client-go: `apierrors.NewInternalError`).
    #[doc(alias = "NewInternalError")]
    pub fn internal_error(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        let message = format!("Internal error occurred: {reason}");
        let cause = StatusCause { message: reason, ..StatusCause::default() };
        let details = StatusDetails { causes: vec![cause], ..StatusDetails::default() };
        Self { details: Some(details), ..Self::failure(500, message) }
    }

    /// What an answer without a Status comes to; `text` is what it held instead
    /// (client-go: `apierrors.NewGenericServerResponse`).
    ///
    /// A bare 410 has no reason: it is gone, and does not count as expired.
    #[doc(alias = "NewGenericServerResponse")]
    pub fn unexpected_response(code: u16, message: impl Into<String>, text: impl Into<String>) -> Self {
        let reason = match (code, reason_of(code)) {
            (410, _) => "",
            (500.., "") => "InternalError",
            (_, reason) => reason,
        };
        let cause = StatusCause { reason: UNEXPECTED_RESPONSE.into(), message: text.into(), ..StatusCause::default() };
        let details = StatusDetails { causes: vec![cause], ..StatusDetails::default() };
        Self { reason: reason.into(), details: Some(details), ..Self::failure(code, message) }
    }

    /// The resourceVersion asked for is too old: list again (`IsResourceExpired` or `IsGone`).
    #[doc(alias = "IsGone")]
    pub fn is_gone(&self) -> bool {
        self.is_resource_expired() || self.means("Gone", 410)
    }

    /// A resourceVersion or a continue token has expired, in the API server's own words
    /// (client-go: `apierrors.IsResourceExpired`). A bare 410 is [gone](Self::is_gone) only.
    #[doc(alias = "IsResourceExpired")]
    pub fn is_resource_expired(&self) -> bool {
        self.reason == "Expired"
    }

    /// The server's cache is behind the resourceVersion asked for (`IsTooLargeResourceVersion`).
    #[doc(alias = "IsTooLargeResourceVersion")]
    pub fn is_too_large_resource_version(&self) -> bool {
        const TEXT: &str = "Too large resource version";
        let mut causes = self.details.iter().flat_map(|details| &details.causes);
        let by_cause = causes.any(|cause| {
            cause.reason == "ResourceVersionTooLarge" || (self.reason == "Timeout" && cause.message == TEXT)
        });
        by_cause || (self.reason == "Timeout" && self.message.contains(TEXT))
    }

    /// Ask less often. By the code too, whatever the reason (client-go: `apierrors.IsTooManyRequests`).
    #[doc(alias = "IsTooManyRequests")]
    pub fn is_too_many_requests(&self) -> bool {
        self.reason == "TooManyRequests" || self.code == 429
    }

    /// The body is too long. By the code too, whatever the reason (client-go: `apierrors.IsRequestEntityTooLargeError`).
    #[doc(alias = "IsRequestEntityTooLargeError")]
    pub fn is_request_entity_too_large(&self) -> bool {
        self.reason == "RequestEntityTooLarge" || self.code == 413
    }

    /// The person may not do this (client-go: `apierrors.IsForbidden`).
    #[doc(alias = "IsForbidden")]
    pub fn is_forbidden(&self) -> bool {
        self.means("Forbidden", 403)
    }

    /// The server does not know who asks (client-go: `apierrors.IsUnauthorized`).
    #[doc(alias = "IsUnauthorized")]
    pub fn is_unauthorized(&self) -> bool {
        self.means("Unauthorized", 401)
    }

    /// There is no such object or resource (client-go: `apierrors.IsNotFound`).
    #[doc(alias = "IsNotFound")]
    pub fn is_not_found(&self) -> bool {
        self.means("NotFound", 404)
    }

    /// The object has changed meanwhile (client-go: `apierrors.IsConflict`).
    #[doc(alias = "IsConflict")]
    pub fn is_conflict(&self) -> bool {
        self.means("Conflict", 409)
    }

    /// There is an object of that name. By the reason alone: its code is a conflict's
    /// (client-go: `apierrors.IsAlreadyExists`).
    #[doc(alias = "IsAlreadyExists")]
    pub fn is_already_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }

    /// The object breaks the rules of its kind (client-go: `apierrors.IsInvalid`).
    #[doc(alias = "IsInvalid")]
    pub fn is_invalid(&self) -> bool {
        self.means("Invalid", 422)
    }

    /// The request makes no sense (client-go: `apierrors.IsBadRequest`).
    #[doc(alias = "IsBadRequest")]
    pub fn is_bad_request(&self) -> bool {
        self.means("BadRequest", 400)
    }

    /// The resource does not offer this (client-go: `apierrors.IsMethodNotSupported`).
    #[doc(alias = "IsMethodNotSupported")]
    pub fn is_method_not_supported(&self) -> bool {
        self.means("MethodNotAllowed", 405)
    }

    /// The server has no such form of the answer (client-go: `apierrors.IsNotAcceptable`).
    #[doc(alias = "IsNotAcceptable")]
    pub fn is_not_acceptable(&self) -> bool {
        self.means("NotAcceptable", 406)
    }

    /// The server does not read such a body (client-go: `apierrors.IsUnsupportedMediaType`).
    #[doc(alias = "IsUnsupportedMediaType")]
    pub fn is_unsupported_media_type(&self) -> bool {
        self.means("UnsupportedMediaType", 415)
    }

    /// Something broke within the server (client-go: `apierrors.IsInternalError`).
    #[doc(alias = "IsInternalError")]
    pub fn is_internal_error(&self) -> bool {
        self.means("InternalError", 500)
    }

    /// The server, or what it needs, is away (client-go: `apierrors.IsServiceUnavailable`).
    #[doc(alias = "IsServiceUnavailable")]
    pub fn is_service_unavailable(&self) -> bool {
        self.means("ServiceUnavailable", 503)
    }

    /// The request took too long; it may still be carried out (client-go: `apierrors.IsTimeout`).
    #[doc(alias = "IsTimeout")]
    pub fn is_timeout(&self) -> bool {
        self.means("Timeout", 504)
    }

    /// The server asks to try again. By the reason alone: no code stands for it
    /// (client-go: `apierrors.IsServerTimeout`).
    #[doc(alias = "IsServerTimeout")]
    pub fn is_server_timeout(&self) -> bool {
        self.reason == "ServerTimeout"
    }

    /// The server cannot read what it has stored (client-go: `apierrors.IsStoreReadError`).
    #[doc(alias = "IsStoreReadError")]
    pub fn is_store_read_error(&self) -> bool {
        self.reason == "StorageReadError"
    }

    /// The answer was not an API server's, and may be that of something in between
    /// (client-go: `apierrors.IsUnexpectedServerError`).
    #[doc(alias = "IsUnexpectedServerError")]
    pub fn is_unexpected_server_error(&self) -> bool {
        self.has_status_cause(UNEXPECTED_RESPONSE)
    }

    /// Whether one of the causes has this reason (client-go: `apierrors.HasStatusCause`, which calls it a type).
    #[doc(alias = "HasStatusCause")]
    pub fn has_status_cause(&self, reason: &str) -> bool {
        self.details.iter().flat_map(|details| &details.causes).any(|cause| cause.reason == reason)
    }

    /// How long the server asks to wait before the next try, which may be no time at all; none when it does not ask
    /// (client-go: `apierrors.SuggestsClientDelay`).
    #[doc(alias = "SuggestsClientDelay")]
    pub fn suggests_client_delay(&self) -> Option<Duration> {
        let seconds = self.details.as_ref()?.retry_after_seconds.unwrap_or_default();
        (seconds > 0 || self.is_server_timeout()).then(|| Duration::from_secs(seconds.into()))
    }

    /// The reason, or the code beside a reason that nobody knows.
    fn means(&self, reason: &str, code: u16) -> bool {
        self.reason == reason || (self.code == code && !KNOWN_REASONS.contains(&self.reason.as_str()))
    }
}

const UNEXPECTED_RESPONSE: &str = "UnexpectedServerResponse";

/// Reasons that are believed, whatever the code beside them (client-go: `apierrors`, `knownReasons`).
const KNOWN_REASONS: [&str; 19] = [
    "Unauthorized",
    "Forbidden",
    "NotFound",
    "AlreadyExists",
    "Conflict",
    "Gone",
    "Invalid",
    "ServerTimeout",
    "StorageReadError",
    "Timeout",
    "TooManyRequests",
    "BadRequest",
    "MethodNotAllowed",
    "NotAcceptable",
    "RequestEntityTooLarge",
    "UnsupportedMediaType",
    "InternalError",
    "Expired",
    "ServiceUnavailable",
];

fn reason_of(code: u16) -> &'static str {
    match code {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        409 => "Conflict",
        410 => "Expired",
        415 => "UnsupportedMediaType",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Predicate = fn(&Status) -> bool;

    #[test]
    fn a_reason_counts_more_than_the_code_and_the_code_counts_beside_a_reason_that_nobody_knows() {
        let predicates: [(&str, u16, Predicate); 13] = [
            ("BadRequest", 400, Status::is_bad_request),
            ("Unauthorized", 401, Status::is_unauthorized),
            ("Forbidden", 403, Status::is_forbidden),
            ("NotFound", 404, Status::is_not_found),
            ("MethodNotAllowed", 405, Status::is_method_not_supported),
            ("NotAcceptable", 406, Status::is_not_acceptable),
            ("Conflict", 409, Status::is_conflict),
            ("Gone", 410, Status::is_gone),
            ("UnsupportedMediaType", 415, Status::is_unsupported_media_type),
            ("Invalid", 422, Status::is_invalid),
            ("InternalError", 500, Status::is_internal_error),
            ("ServiceUnavailable", 503, Status::is_service_unavailable),
            ("Timeout", 504, Status::is_timeout),
        ];
        for (reason, code, is) in predicates {
            let status = |reason: &str, code| Status { reason: reason.into(), code, ..Status::default() };
            assert!(is(&status(reason, 200)), "{reason}");
            assert!(is(&status("", code)) && is(&status("Odd", code)), "{reason} by its code");
            assert!(!is(&status("AlreadyExists", code)) && !is(&status("", 200)), "not {reason}");
        }
    }

    #[test]
    fn some_are_known_by_the_reason_alone_and_some_by_the_code_whatever_the_reason() {
        let by_reason: [(&str, Predicate); 4] = [
            ("AlreadyExists", Status::is_already_exists),
            ("Expired", Status::is_resource_expired),
            ("ServerTimeout", Status::is_server_timeout),
            ("StorageReadError", Status::is_store_read_error),
        ];
        for (reason, is) in by_reason {
            assert!(is(&Status { reason: reason.into(), ..Status::default() }), "{reason}");
            let codes = [409, 410, 500, 504];
            assert!(codes.iter().all(|code| !is(&Status { code: *code, ..Status::default() })), "{reason}");
        }
        let by_code: [(&str, u16, Predicate); 2] = [
            ("RequestEntityTooLarge", 413, Status::is_request_entity_too_large),
            ("TooManyRequests", 429, Status::is_too_many_requests),
        ];
        for (reason, code, is) in by_code {
            assert!(is(&Status { reason: "Forbidden".into(), code, ..Status::default() }), "{code}");
            assert!(is(&Status { reason: reason.into(), ..Status::default() }), "{reason}");
            assert!(!is(&Status { reason: "Forbidden".into(), code: 403, ..Status::default() }), "not {reason}");
        }
    }

    #[test]
    fn a_server_suggests_a_delay_by_its_seconds_or_by_its_reason() {
        let delay = |reason: &str, seconds| {
            let details = StatusDetails { retry_after_seconds: seconds, ..StatusDetails::default() };
            let status = Status { reason: reason.into(), details: Some(details), ..Status::default() };
            status.suggests_client_delay().map(|delay| delay.as_secs())
        };
        assert_eq!(delay("TooManyRequests", Some(3)), Some(3));
        assert_eq!(delay("TooManyRequests", Some(0)), None);
        assert_eq!(delay("TooManyRequests", None), None);
        assert_eq!(delay("ServerTimeout", None), Some(0));
        assert_eq!(Status { reason: "ServerTimeout".into(), ..Status::default() }.suggests_client_delay(), None);
    }

    #[test]
    fn an_answer_without_a_status_gets_the_reason_of_its_code() {
        let reason = |code| Status::unexpected_response(code, "m", "t").reason;
        assert_eq!([404, 410, 418, 499].map(reason), ["NotFound", "", "", ""]);
        assert_eq!(
            [500, 501, 503, 504].map(reason),
            ["InternalError", "InternalError", "ServiceUnavailable", "Timeout"]
        );
        let gone = Status::unexpected_response(410, "m", "t");
        assert!(gone.is_gone() && !gone.is_resource_expired());
        assert!(gone.is_unexpected_server_error());
        assert_eq!((gone.status.as_str(), gone.message.as_str(), gone.code), ("Failure", "m", 410));
        assert_eq!(gone.details.unwrap().causes[0].message, "t");
    }

    #[test]
    fn an_internal_error_holds_its_reason_as_the_cause() {
        let error = Status::internal_error("no way");
        assert!(error.is_internal_error() && !error.is_unexpected_server_error());
        assert_eq!((error.code, error.message.as_str()), (500, "Internal error occurred: no way"));
        assert_eq!(error.details.unwrap().causes[0].message, "no way");
    }

    #[test]
    fn a_410_without_a_body_is_gone_all_the_same() {
        let bare = Status { code: 410, ..Status::default() };
        assert!(bare.is_gone());
        assert!(Status::failure(410, "too old").is_gone());
        assert!(!Status { code: 410, reason: "Conflict".into(), ..Status::default() }.is_gone());
    }

    #[test]
    fn a_too_large_resource_version_is_known_by_cause_or_by_text() {
        let by_text = Status::failure(504, "Too large resource version: 9, current: 3");
        assert!(by_text.is_too_large_resource_version());
        let cause = StatusCause { reason: "ResourceVersionTooLarge".into(), ..StatusCause::default() };
        let details = StatusDetails { causes: vec![cause], ..StatusDetails::default() };
        let by_cause = Status { details: Some(details), ..Status::failure(504, "timed out") };
        assert!(by_cause.is_too_large_resource_version());
        assert!(!Status::failure(504, "timed out").is_too_large_resource_version());
    }
}
