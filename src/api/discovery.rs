use serde::{Deserialize, Serialize};

use super::meta::null_as_default;
use super::{GroupVersion, GroupVersionKind};

/// An API group with the versions in which it is served (apimachinery: `metav1.APIGroup`).
#[doc(alias = "APIGroup")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiGroup {
    /// Empty for the core group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// In the server's order.
    #[serde(deserialize_with = "null_as_default")]
    pub versions: Vec<GroupVersionForDiscovery>,
    /// Empty when there is no version.
    pub preferred_version: GroupVersionForDiscovery,
}

/// A version of a group, by itself and with the group (apimachinery: `metav1.GroupVersionForDiscovery`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GroupVersionForDiscovery {
    /// `apps/v1`.
    pub group_version: String,
    /// `v1`.
    pub version: String,
}

impl From<&GroupVersion> for GroupVersionForDiscovery {
    fn from(group_version: &GroupVersion) -> Self {
        Self { group_version: group_version.to_string(), version: group_version.version.clone() }
    }
}

/// All groups but the core group, as `/apis` lists them (apimachinery: `metav1.APIGroupList`).
#[doc(alias = "APIGroupList")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiGroupList {
    #[serde(deserialize_with = "null_as_default")]
    pub groups: Vec<ApiGroup>,
}

/// The versions of the core group, as `/api` lists them (apimachinery: `metav1.APIVersions`).
#[doc(alias = "APIVersions")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiVersions {
    #[serde(deserialize_with = "null_as_default")]
    pub versions: Vec<String>,
}

/// The resources of one version of a group (apimachinery: `metav1.APIResourceList`).
#[doc(alias = "APIResourceList")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiResourceList {
    /// `apps/v1`.
    pub group_version: String,
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<ApiResource>,
}

/// A resource or a subresource, and what can be done with it (apimachinery: `metav1.APIResource`).
#[doc(alias = "APIResource")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiResource {
    /// Plural and lower case; `pods/log` for a subresource.
    pub name: String,
    /// Empty when the server gives none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub singular_name: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// The kind's group, when it is not the list's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The kind's version, when it is not the list's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    pub kind: String,
    #[serde(deserialize_with = "null_as_default")]
    pub verbs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub short_names: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub categories: Vec<String>,
}

impl ApiResource {
    /// A part of another resource: `pods/log`.
    pub fn is_subresource(&self) -> bool {
        self.name.contains('/')
    }
}

/// Groups, versions and resources in one answer (`apidiscovery.k8s.io`, `v2.APIGroupDiscoveryList`).
#[doc(alias = "APIGroupDiscoveryList")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiGroupDiscoveryList {
    #[serde(deserialize_with = "null_as_default")]
    pub items: Vec<ApiGroupDiscovery>,
}

/// A group within [`ApiGroupDiscoveryList`].
#[doc(alias = "APIGroupDiscovery")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiGroupDiscovery {
    pub metadata: DiscoveryName,
    #[serde(deserialize_with = "null_as_default")]
    pub versions: Vec<ApiVersionDiscovery>,
}

/// All that is needed of a discovered group's metadata.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DiscoveryName {
    /// Empty for the core group.
    pub name: String,
}

/// A version within [`ApiGroupDiscoveryList`].
#[doc(alias = "APIVersionDiscovery")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiVersionDiscovery {
    pub version: String,
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<ApiResourceDiscovery>,
    /// `Current`, or `Stale` when whoever serves the version cannot be reached.
    pub freshness: String,
}

/// A resource within [`ApiGroupDiscoveryList`].
#[doc(alias = "APIResourceDiscovery")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiResourceDiscovery {
    pub resource: String,
    pub response_kind: Option<GroupVersionKind>,
    /// `Namespaced` or `Cluster`.
    pub scope: String,
    pub singular_resource: String,
    #[serde(deserialize_with = "null_as_default")]
    pub verbs: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    pub short_names: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    pub categories: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    pub subresources: Vec<ApiSubresourceDiscovery>,
}

/// A subresource within [`ApiGroupDiscoveryList`].
#[doc(alias = "APISubresourceDiscovery")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiSubresourceDiscovery {
    /// `log`, without the resource.
    pub subresource: String,
    pub response_kind: Option<GroupVersionKind>,
    #[serde(deserialize_with = "null_as_default")]
    pub verbs: Vec<String>,
}

/// What an API server says of its build (apimachinery: `pkg/version`, `Info`).
#[doc(alias = "Info")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VersionInfo {
    pub major: String,
    pub minor: String,
    /// `v1.37.2`.
    pub git_version: String,
    pub git_commit: String,
    pub git_tree_state: String,
    pub build_date: String,
    pub go_version: String,
    pub compiler: String,
    pub platform: String,
}

/// Where the OpenAPI documents lie (kube-openapi: `pkg/handler3`, `OpenAPIV3Discovery`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct OpenApiV3Discovery {
    pub paths: std::collections::BTreeMap<String, OpenApiV3Path>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct OpenApiV3Path {
    #[serde(rename = "serverRelativeURL")]
    pub server_relative_url: String,
}
