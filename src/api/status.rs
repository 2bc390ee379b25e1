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

    /// The resourceVersion asked for is too old: list again (`IsResourceExpired` or `IsGone`).
    pub fn is_gone(&self) -> bool {
        self.reason == "Expired" || self.reason == "Gone" || (self.reason.is_empty() && self.code == 410)
    }

    /// The server's cache is behind the resourceVersion asked for (`IsTooLargeResourceVersion`).
    pub fn is_too_large_resource_version(&self) -> bool {
        const TEXT: &str = "Too large resource version";
        let mut causes = self.details.iter().flat_map(|details| &details.causes);
        let by_cause = causes.any(|cause| {
            cause.reason == "ResourceVersionTooLarge" || (self.reason == "Timeout" && cause.message == TEXT)
        });
        by_cause || (self.reason == "Timeout" && self.message.contains(TEXT))
    }

    pub fn is_too_many_requests(&self) -> bool {
        self.reason == "TooManyRequests" || self.code == 429
    }

    pub fn is_forbidden(&self) -> bool {
        self.reason == "Forbidden" || (self.reason.is_empty() && self.code == 403)
    }

    pub fn is_unauthorized(&self) -> bool {
        self.reason == "Unauthorized" || (self.reason.is_empty() && self.code == 401)
    }

    pub fn is_not_found(&self) -> bool {
        self.reason == "NotFound" || (self.reason.is_empty() && self.code == 404)
    }

    pub fn is_conflict(&self) -> bool {
        self.reason == "Conflict" || (self.reason.is_empty() && self.code == 409)
    }

    pub fn is_already_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }
}

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
