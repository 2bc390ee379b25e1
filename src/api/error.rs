use std::time::Duration;

use super::Status;

/// What a request can come to instead of an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The API server refused, and said why.
    #[error("{}", .0.message)]
    Status(Box<Status>),

    /// Nothing was sent, because it could not be right. Change the request, or the configuration.
    #[error("not sent: {reason}")]
    NotSent { reason: String },

    /// No answer at all: refused, reset, unknown host, or a browser that will not say which. Try again.
    #[error("no answer from {url}: {reason}")]
    Unreachable { url: String, reason: String },

    /// A proxy answered that it cannot reach the server behind it: `kubectl proxy`, a load balancer, or the API server for
    /// an API that another one serves. Try again; nothing is known to have changed.
    #[error("a proxy on the way cannot reach the server behind it ({code}): {text}")]
    Upstream { code: u16, text: String },

    /// The answer broke off. Go on from the last resourceVersion.
    #[error("the answer broke off: {reason}")]
    Interrupted { reason: String },

    /// Nothing came for longer than a healthy connection is ever quiet. Go on from the last resourceVersion.
    #[error("nothing received for {seconds} s")]
    Silent { seconds: u64 },

    /// The answer is not what an API server sends, an HTML page for example. Holds its beginning.
    #[error("{url} did not answer as an API server does: {reason}")]
    Undecodable { url: String, reason: String },
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        Self::Status(Box::new(status))
    }
}

impl Error {
    /// The server's own words, when it was the API server that answered.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// See [`Status::is_gone`].
    #[doc(alias = "IsGone")]
    pub fn is_gone(&self) -> bool {
        self.is(Status::is_gone)
    }

    /// See [`Status::is_resource_expired`].
    #[doc(alias = "IsResourceExpired")]
    pub fn is_resource_expired(&self) -> bool {
        self.is(Status::is_resource_expired)
    }

    /// See [`Status::is_too_large_resource_version`].
    #[doc(alias = "IsTooLargeResourceVersion")]
    pub fn is_too_large_resource_version(&self) -> bool {
        self.is(Status::is_too_large_resource_version)
    }

    /// See [`Status::is_too_many_requests`].
    #[doc(alias = "IsTooManyRequests")]
    pub fn is_too_many_requests(&self) -> bool {
        self.is(Status::is_too_many_requests)
    }

    /// See [`Status::is_request_entity_too_large`].
    #[doc(alias = "IsRequestEntityTooLargeError")]
    pub fn is_request_entity_too_large(&self) -> bool {
        self.is(Status::is_request_entity_too_large)
    }

    /// See [`Status::is_forbidden`].
    #[doc(alias = "IsForbidden")]
    pub fn is_forbidden(&self) -> bool {
        self.is(Status::is_forbidden)
    }

    /// See [`Status::is_unauthorized`].
    #[doc(alias = "IsUnauthorized")]
    pub fn is_unauthorized(&self) -> bool {
        self.is(Status::is_unauthorized)
    }

    /// See [`Status::is_not_found`].
    #[doc(alias = "IsNotFound")]
    pub fn is_not_found(&self) -> bool {
        self.is(Status::is_not_found)
    }

    /// See [`Status::is_conflict`].
    #[doc(alias = "IsConflict")]
    pub fn is_conflict(&self) -> bool {
        self.is(Status::is_conflict)
    }

    /// See [`Status::is_already_exists`].
    #[doc(alias = "IsAlreadyExists")]
    pub fn is_already_exists(&self) -> bool {
        self.is(Status::is_already_exists)
    }

    /// See [`Status::is_invalid`].
    #[doc(alias = "IsInvalid")]
    pub fn is_invalid(&self) -> bool {
        self.is(Status::is_invalid)
    }

    /// See [`Status::is_bad_request`].
    #[doc(alias = "IsBadRequest")]
    pub fn is_bad_request(&self) -> bool {
        self.is(Status::is_bad_request)
    }

    /// See [`Status::is_method_not_supported`].
    #[doc(alias = "IsMethodNotSupported")]
    pub fn is_method_not_supported(&self) -> bool {
        self.is(Status::is_method_not_supported)
    }

    /// See [`Status::is_not_acceptable`].
    #[doc(alias = "IsNotAcceptable")]
    pub fn is_not_acceptable(&self) -> bool {
        self.is(Status::is_not_acceptable)
    }

    /// See [`Status::is_unsupported_media_type`].
    #[doc(alias = "IsUnsupportedMediaType")]
    pub fn is_unsupported_media_type(&self) -> bool {
        self.is(Status::is_unsupported_media_type)
    }

    /// See [`Status::is_internal_error`].
    #[doc(alias = "IsInternalError")]
    pub fn is_internal_error(&self) -> bool {
        self.is(Status::is_internal_error)
    }

    /// See [`Status::is_service_unavailable`].
    #[doc(alias = "IsServiceUnavailable")]
    pub fn is_service_unavailable(&self) -> bool {
        self.is(Status::is_service_unavailable)
    }

    /// See [`Status::is_timeout`].
    #[doc(alias = "IsTimeout")]
    pub fn is_timeout(&self) -> bool {
        self.is(Status::is_timeout)
    }

    /// See [`Status::is_server_timeout`].
    #[doc(alias = "IsServerTimeout")]
    pub fn is_server_timeout(&self) -> bool {
        self.is(Status::is_server_timeout)
    }

    /// See [`Status::is_store_read_error`].
    #[doc(alias = "IsStoreReadError")]
    pub fn is_store_read_error(&self) -> bool {
        self.is(Status::is_store_read_error)
    }

    /// See [`Status::is_unexpected_server_error`].
    #[doc(alias = "IsUnexpectedServerError")]
    pub fn is_unexpected_server_error(&self) -> bool {
        self.is(Status::is_unexpected_server_error)
    }

    /// See [`Status::has_status_cause`].
    #[doc(alias = "HasStatusCause")]
    pub fn has_status_cause(&self, reason: &str) -> bool {
        self.status().is_some_and(|status| status.has_status_cause(reason))
    }

    fn is(&self, predicate: fn(&Status) -> bool) -> bool {
        self.status().is_some_and(predicate)
    }

    /// How long the server asks to wait before the next try.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self.status()?.details.as_ref()?.retry_after_seconds?;
        Some(Duration::from_secs(seconds.into()))
    }

    /// See [`Status::suggests_client_delay`].
    #[doc(alias = "SuggestsClientDelay")]
    pub fn suggests_client_delay(&self) -> Option<Duration> {
        self.status()?.suggests_client_delay()
    }

    /// The server was not reached, so that nothing is known of its state: a watch may go on without a new list.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Upstream { .. })
    }
}
