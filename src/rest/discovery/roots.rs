use std::rc::Rc;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::aggregated::split_groups_and_resources;
use super::error::DiscoveryError;
use super::resources::{GroupsAndMaybeResources, by_version};
use crate::api::{ApiGroup, ApiGroupList, ApiResourceList, ApiVersions, Error, GroupVersion};

/// What `/api` and `/apis` said.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Roots {
    pub(super) api: Root,
    pub(super) apis: Root,
}

impl Roots {
    /// The core group first. For safety, resources only when both answers had them.
    pub(super) fn joined(&self) -> GroupsAndMaybeResources {
        let both = || [&self.api, &self.apis].into_iter();
        let resources = both().all(|root| root.resources.is_some());
        let lists = || both().flat_map(|root| root.resources.iter().flatten().cloned());
        let stale = both().flat_map(|root| &root.stale).cloned();
        GroupsAndMaybeResources {
            groups: both().flat_map(|root| &root.groups).cloned().collect(),
            resources: resources.then(|| by_version(lists())),
            failed: stale
                .map(|group_version| (group_version.clone(), DiscoveryError::Stale { group_version }))
                .collect(),
        }
    }
}

/// What one of the two said.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Root {
    /// By which the server tells whether it would say the same again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) etag: Option<String>,
    groups: Vec<ApiGroup>,
    /// None for the legacy form.
    resources: Option<Vec<Rc<ApiResourceList>>>,
    #[serde(skip_serializing_if = "Vec::is_empty", with = "texts")]
    stale: Vec<GroupVersion>,
}

impl Root {
    /// Of a server that has no core group: it counts as aggregated, and empty.
    pub(super) fn absent() -> Self {
        Self { resources: Some(Vec::new()), ..Self::default() }
    }

    /// From an answer to `/api`.
    pub(super) fn of_api(answer: &Answer) -> Result<Self, Error> {
        if answer.is_aggregated() {
            return Self::aggregated(answer);
        }
        let ApiVersions { versions } = answer.decode()?;
        let versions: Vec<_> = versions.iter().map(|version| (&GroupVersion::new("", version)).into()).collect();
        let preferred_version = versions.first().cloned().unwrap_or_default();
        let group = ApiGroup { name: String::new(), versions, preferred_version };
        Ok(Self { etag: answer.etag.clone(), groups: vec![group], ..Self::default() })
    }

    /// From an answer to `/apis`.
    pub(super) fn of_apis(answer: &Answer) -> Result<Self, Error> {
        if answer.is_aggregated() {
            return Self::aggregated(answer);
        }
        let ApiGroupList { groups } = answer.decode()?;
        Ok(Self { etag: answer.etag.clone(), groups, ..Self::default() })
    }

    fn aggregated(answer: &Answer) -> Result<Self, Error> {
        let split = split_groups_and_resources(&answer.decode()?);
        let etag = answer.etag.clone();
        Ok(Self { etag, groups: split.groups, resources: Some(split.resources), stale: split.stale })
    }
}

/// The whole of an answer.
pub(super) struct Answer {
    pub(super) url: String,
    pub(super) content_type: String,
    pub(super) etag: Option<String>,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) fn decode<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body)
            .map_err(|error| Error::Undecodable { url: self.url.clone(), reason: error.to_string() })
    }

    fn is_aggregated(&self) -> bool {
        is_aggregated(&self.content_type)
    }
}

/// Whether the content type is JSON of an aggregated discovery, in whatever order its parameters come
/// (client-go: `discovery/discovery_client.go`, `ContentTypeIsGVK`).
fn is_aggregated(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|base| base.eq_ignore_ascii_case("application/json"));
    let parameters: Vec<_> = parts.filter_map(|part| part.split_once('=')).collect();
    let is = |name: &str, wanted: &[&str]| {
        let named = parameters.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        named.is_some_and(|(_, value)| wanted.contains(&value.trim().trim_matches('"')))
    };
    is_json && is("g", &["apidiscovery.k8s.io"]) && is("v", &["v2", "v2beta1"]) && is("as", &["APIGroupDiscoveryList"])
}

/// Versions of groups as `group/version`.
mod texts {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::api::GroupVersion;

    pub(super) fn serialize<S: Serializer>(versions: &[GroupVersion], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(versions.iter().map(ToString::to_string))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<GroupVersion>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        Ok(texts.iter().map(|text| GroupVersion::from_api_version(text)).collect())
    }
}
