use std::rc::Rc;

use indexmap::IndexMap;

use super::error::{FailedVersions, failure_text};
use crate::api::{ApiGroup, ApiResource, ApiResourceList, GroupVersion, GroupVersionResource};

/// The resources of each version of each group, in the server's order.
pub type ResourcesByVersion = IndexMap<GroupVersion, Rc<ApiResourceList>>;

/// What the first two requests of a discovery brought
/// (client-go: `discovery/discovery_client.go`, `GroupsAndMaybeResources`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupsAndMaybeResources {
    /// The core group first.
    pub groups: Vec<ApiGroup>,
    /// None when the server answers in the legacy form: then each version is to be asked for.
    pub resources: Option<ResourcesByVersion>,
    /// Versions that the server marks as stale.
    pub failed: FailedVersions,
}

/// What a server serves, as far as that is known.
///
/// That something failed is normal: one extension that is down must not hide all others
/// (client-go: `discovery/discovery_client.go`, what comes beside `ErrGroupDiscoveryFailed`).
#[doc(alias = "ErrGroupDiscoveryFailed")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerResources {
    /// The core group first.
    pub groups: Vec<ApiGroup>,
    pub resources: ResourcesByVersion,
    /// Versions of which nothing is known, and why.
    pub failed: FailedVersions,
}

impl ServerResources {
    /// The lists of resources, in the server's order.
    pub fn lists(&self) -> impl Iterator<Item = &ApiResourceList> {
        self.resources.values().map(|list| &**list)
    }

    /// Each resource of a version, without subresources.
    pub fn each_resource(&self) -> impl Iterator<Item = (&GroupVersion, &ApiResource)> {
        self.resources.iter().flat_map(|(version, list)| {
            list.resources.iter().filter(|resource| !resource.is_subresource()).map(move |resource| (version, resource))
        })
    }

    /// What to tell of the failures, when there are some
    /// (client-go: `discovery/discovery_client.go`, `ErrGroupDiscoveryFailed`).
    pub fn failure(&self) -> Option<String> {
        (!self.failed.is_empty()).then(|| failure_text(&self.failed))
    }

    /// Each resource once, without subresources: in its group's preferred version if it is there, else in the first
    /// that has it. There is a list for each version, which may be empty
    /// (client-go: `discovery/discovery_client.go`, `ServerPreferredResources`).
    #[doc(alias = "ServerPreferredResources")]
    #[must_use]
    pub fn preferred(&self) -> Self {
        let mut chosen: IndexMap<(&str, &str), (&GroupVersion, &ApiResource)> = IndexMap::new();
        for (version, resource) in self.each_resource() {
            let is_preferred = self.preferred_version(&version.group) == Some(&version.version);
            let name = (version.group.as_str(), resource.name.as_str());
            if is_preferred || !chosen.contains_key(&name) {
                chosen.insert(name, (version, resource));
            }
        }
        let is_chosen = |version: &GroupVersion, resource: &ApiResource| {
            let name = (version.group.as_str(), resource.name.as_str());
            chosen.get(&name).is_some_and(|(chosen, _)| *chosen == version)
        };
        let resources = self.resources.iter().map(|(version, list)| {
            let resources = list.resources.iter().filter(|resource| !resource.is_subresource());
            let resources = resources.filter(|resource| is_chosen(version, resource)).cloned().collect();
            let list = ApiResourceList { group_version: list.group_version.clone(), resources };
            (version.clone(), Rc::new(list))
        });
        Self { groups: self.groups.clone(), resources: resources.collect(), failed: self.failed.clone() }
    }

    fn preferred_version(&self, group: &str) -> Option<&String> {
        let group = self.groups.iter().find(|known| known.name == group)?;
        Some(&group.preferred_version.version)
    }

    /// Only the resources that pass, and only the lists that have some
    /// (client-go: `discovery/helper.go`, `FilteredBy`).
    #[doc(alias = "FilteredBy")]
    #[must_use]
    pub fn filtered_by(&self, passes: impl Fn(&GroupVersion, &ApiResource) -> bool) -> Self {
        let resources = self.resources.iter().filter_map(|(version, list)| {
            let resources: Vec<_> =
                list.resources.iter().filter(|resource| passes(version, resource)).cloned().collect();
            let list = ApiResourceList { group_version: list.group_version.clone(), resources };
            (!list.resources.is_empty()).then(|| (version.clone(), Rc::new(list)))
        });
        Self { groups: self.groups.clone(), resources: resources.collect(), failed: self.failed.clone() }
    }

    /// The full names of all resources, subresources too (client-go: `discovery/helper.go`, `GroupVersionResources`).
    #[doc(alias = "GroupVersionResources")]
    pub fn group_version_resources(&self) -> impl Iterator<Item = GroupVersionResource> {
        self.resources.iter().flat_map(|(version, list)| {
            list.resources.iter().map(move |resource| version.with_resource(&resource.name))
        })
    }
}

impl ApiResource {
    /// Whether all of these can be done with it (client-go: `discovery/helper.go`, `SupportsAllVerbs`).
    #[doc(alias = "SupportsAllVerbs")]
    pub fn supports_all_verbs(&self, verbs: &[&str]) -> bool {
        verbs.iter().all(|wanted| self.verbs.iter().any(|verb| verb == wanted))
    }
}

/// The versions of all groups, `apps/v1`, in the server's order
/// (apimachinery: `pkg/apis/meta/v1/helpers.go`, `ExtractGroupVersions`).
#[doc(alias = "ExtractGroupVersions")]
pub fn extract_group_versions(groups: &[ApiGroup]) -> Vec<String> {
    groups.iter().flat_map(|group| &group.versions).map(|version| version.group_version.clone()).collect()
}

pub(super) fn by_version(lists: impl Iterator<Item = Rc<ApiResourceList>>) -> ResourcesByVersion {
    lists.map(|list| (GroupVersion::from_api_version(&list.group_version), list)).collect()
}

/// The versions of all groups.
pub(super) fn versions(groups: &[ApiGroup]) -> impl Iterator<Item = GroupVersion> {
    groups
        .iter()
        .flat_map(|group| group.versions.iter().map(|version| GroupVersion::new(&group.name, &version.version)))
}
