use std::collections::BTreeSet;

use crate::api::{GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource};
use crate::rest::discovery::DiscoveryError;

/// Why a name leads to no resource or kind, or to no single one (apimachinery: `pkg/api/meta/errors.go`).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RestMapperError {
    /// There is no such resource.
    #[doc(alias = "NoResourceMatchError")]
    #[error("no matches for {}", asked(.resource))]
    NoResourceMatch { resource: GroupVersionResource },

    /// There is no such kind, or not in one of these versions.
    #[doc(alias = "NoKindMatchError")]
    #[error("no matches for kind \"{}\" in {}", .kind.kind, searched(.kind, .searched_versions))]
    NoKindMatch { kind: GroupKind, searched_versions: Vec<String> },

    /// Several resources, or kinds, are called so. Name the group, and the version.
    #[doc(alias = "AmbiguousResourceError")]
    #[error("{} matches multiple {}", asked(.resource), matches(.resources, .kinds))]
    AmbiguousResource {
        resource: GroupVersionResource,
        resources: Vec<GroupVersionResource>,
        kinds: Vec<GroupVersionKind>,
    },

    /// Several kinds are called so. Name the group, and the version.
    #[doc(alias = "AmbiguousKindError")]
    #[error("{kind} matches multiple {}", matches(&[], .kinds))]
    AmbiguousKind { kind: GroupKind, kinds: Vec<GroupVersionKind> },

    /// Nothing was named.
    #[error("a resource must be present, got: {}", asked(.resource))]
    NoResource { resource: GroupVersionResource },

    /// The resource has several singular names, or none.
    #[error("there is not one singular name of {resource}")]
    NoSingular { resource: String },

    /// The server does not tell what it serves.
    #[error(transparent)]
    Discovery(#[from] DiscoveryError),
}

impl RestMapperError {
    /// There is no such resource or kind (apimachinery: `IsNoMatchError`).
    #[doc(alias = "IsNoMatchError")]
    pub fn is_no_match(&self) -> bool {
        matches!(self, Self::NoResourceMatch { .. } | Self::NoKindMatch { .. })
    }

    /// There are several (apimachinery: `IsAmbiguousError`).
    #[doc(alias = "IsAmbiguousError")]
    pub fn is_ambiguous(&self) -> bool {
        matches!(self, Self::AmbiguousResource { .. } | Self::AmbiguousKind { .. })
    }
}

/// What was asked for, as far as it was named.
fn asked(resource: &GroupVersionResource) -> String {
    match resource.version.as_str() {
        "" => resource.to_string(),
        version => format!("{resource} in version {version}"),
    }
}

fn searched(kind: &GroupKind, versions: &[String]) -> String {
    let group_version = |version: &String| format!("\"{}\"", GroupVersion::new(&kind.group, version));
    let versions: Vec<String> = versions.iter().map(group_version).collect::<BTreeSet<_>>().into_iter().collect();
    match versions.as_slice() {
        [] => format!("group \"{}\"", kind.group),
        [version] => format!("version {version}"),
        versions => format!("versions [{}]", versions.join(" ")),
    }
}

fn matches(resources: &[GroupVersionResource], kinds: &[GroupVersionKind]) -> String {
    let resources: Vec<String> = resources.iter().map(asked).collect();
    let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    match (resources.is_empty(), kinds.is_empty()) {
        (false, true) => format!("resources [{}]", resources.join("; ")),
        (true, false) => format!("kinds [{}]", kinds.join("; ")),
        (true, true) => "resources or kinds".into(),
        (false, false) => format!("resources [{}] and kinds [{}]", resources.join("; "), kinds.join("; ")),
    }
}
