use std::time::Duration;

use super::Status;

/// What a request can come to instead of an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The API server refused, and said why.
    #[error("{}", .0.message)]
    Status(Box<Status>),

    /// No answer at all: refused, reset, unknown host, or a browser that will not say which. Try again.
    #[error("no answer from {url}: {reason}")]
    Unreachable { url: String, reason: String },

    /// A proxy answered in the API server's place that it cannot reach it. Try again; nothing is known to have changed.
    #[error("the proxy cannot reach the API server ({code}): {text}")]
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

    pub fn is_gone(&self) -> bool {
        self.status().is_some_and(Status::is_gone)
    }

    /// See [`Status::is_resource_expired`].
    pub fn is_resource_expired(&self) -> bool {
        self.status().is_some_and(Status::is_resource_expired)
    }

    pub fn is_too_large_resource_version(&self) -> bool {
        self.status().is_some_and(Status::is_too_large_resource_version)
    }

    pub fn is_too_many_requests(&self) -> bool {
        self.status().is_some_and(Status::is_too_many_requests)
    }

    pub fn is_forbidden(&self) -> bool {
        self.status().is_some_and(Status::is_forbidden)
    }

    /// See [`Status::is_unauthorized`].
    pub fn is_unauthorized(&self) -> bool {
        self.status().is_some_and(Status::is_unauthorized)
    }

    /// See [`Status::is_internal_error`].
    pub fn is_internal_error(&self) -> bool {
        self.status().is_some_and(Status::is_internal_error)
    }

    pub fn is_not_found(&self) -> bool {
        self.status().is_some_and(Status::is_not_found)
    }

    /// The object has changed since it was read.
    #[doc(alias = "IsConflict")]
    pub fn is_conflict(&self) -> bool {
        self.status().is_some_and(Status::is_conflict)
    }

    /// There is an object of this name already.
    #[doc(alias = "IsAlreadyExists")]
    pub fn is_already_exists(&self) -> bool {
        self.status().is_some_and(Status::is_already_exists)
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
