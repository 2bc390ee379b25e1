use std::collections::BTreeMap;

use crate::api::{Error, GroupVersion};

/// Why there is no discovery, or none of one version of a group.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DiscoveryError {
    /// The server did not answer, or refused.
    #[error(transparent)]
    Request(#[from] Error),

    /// Whoever serves the version cannot be reached, and the server remembers only what it said once
    /// (client-go: `discovery/aggregated_discovery.go`, `StaleGroupVersionError`).
    #[doc(alias = "StaleGroupVersionError")]
    #[error("stale GroupVersion discovery: {group_version}")]
    Stale { group_version: GroupVersion },

    /// The version is served and has no resources
    /// (client-go: `discovery/cached/memory/memcache.go`, `emptyResponseError`).
    #[error("received empty response for: {group_version}")]
    Empty { group_version: GroupVersion },

    /// The cache does not know the version. Invalidate it, and ask again
    /// (client-go: `discovery/cached/memory/memcache.go`, `ErrCacheNotFound`).
    #[doc(alias = "ErrCacheNotFound")]
    #[error("not found")]
    NotFound,

    /// No version was named.
    #[error("groupVersion shouldn't be empty")]
    NoGroupVersion,

    /// The server does not serve the version that the program needs
    /// (client-go: `discovery/helper.go`, `ServerSupportsVersion`).
    #[error("server does not support API version \"{group_version}\"")]
    UnsupportedVersion { group_version: GroupVersion },
}

impl DiscoveryError {
    /// The server was asked, and knows no such thing.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Request(error) if error.is_not_found())
    }

    /// Whether the next try may well succeed: no connection, a server's failure, or too many requests
    /// (client-go: `discovery/cached/memory/memcache.go`, `isTransientError`).
    pub fn is_transient(&self) -> bool {
        let Self::Request(error) = self else { return false };
        match error.status() {
            Some(status) => status.code >= 500 || error.is_too_many_requests(),
            None => !matches!(error, Error::Undecodable { .. }),
        }
    }
}

/// The versions of groups of which nothing is known, and why.
pub type FailedVersions = BTreeMap<GroupVersion, DiscoveryError>;

/// The text of client-go's `ErrGroupDiscoveryFailed`.
pub(super) fn failure_text(failed: &FailedVersions) -> String {
    let mut lines: Vec<String> = failed.iter().map(|(version, error)| format!("{version}: {error}")).collect();
    lines.sort();
    format!("unable to retrieve the complete list of server APIs: {}", lines.join(", "))
}
