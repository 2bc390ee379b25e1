use std::rc::Rc;

use crate::api::{
    ApiGroup, ApiGroupDiscovery, ApiGroupDiscoveryList, ApiResource, ApiResourceDiscovery, ApiResourceList,
    ApiSubresourceDiscovery, GroupVersion, GroupVersionKind,
};

/// The aggregated form taken apart (client-go: `discovery/aggregated_discovery.go`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SplitDiscovery {
    pub groups: Vec<ApiGroup>,
    /// In the order of the groups and their versions.
    pub resources: Vec<Rc<ApiResourceList>>,
    /// The versions that are marked as stale; they are in neither of the others.
    pub stale: Vec<GroupVersion>,
}

/// Takes the aggregated form apart into groups and resources, as the legacy form has them
/// (client-go: `discovery/aggregated_discovery.go`, `SplitGroupsAndResources`).
#[doc(alias = "SplitGroupsAndResources")]
pub fn split_groups_and_resources(aggregated: &ApiGroupDiscoveryList) -> SplitDiscovery {
    let mut split = SplitDiscovery::default();
    for group in &aggregated.items {
        let group = convert_group(group, &mut split);
        split.groups.push(group);
    }
    split
}

fn convert_group(discovered: &ApiGroupDiscovery, split: &mut SplitDiscovery) -> ApiGroup {
    let mut group = ApiGroup { name: discovered.metadata.name.clone(), ..ApiGroup::default() };
    for version in &discovered.versions {
        let group_version = GroupVersion::new(&group.name, &version.version);
        if version.freshness == "Stale" {
            split.stale.push(group_version);
            continue;
        }
        group.versions.push((&group_version).into());
        let resources = version.resources.iter().flat_map(convert_resource).collect();
        split.resources.push(Rc::new(ApiResourceList { group_version: group_version.to_string(), resources }));
    }
    group.preferred_version = group.versions.first().cloned().unwrap_or_default();
    group
}

/// The resource, unless it has no kind, and its subresources that have one.
fn convert_resource(discovered: &ApiResourceDiscovery) -> Vec<ApiResource> {
    let kind = kind_of(&discovered.response_kind);
    let has_kind = kind.is_some();
    let GroupVersionKind { group, version, kind } = kind.cloned().unwrap_or_default();
    let resource = ApiResource {
        name: discovered.resource.clone(),
        singular_name: discovered.singular_resource.clone(),
        namespaced: discovered.scope == "Namespaced",
        group,
        version,
        kind,
        verbs: discovered.verbs.clone(),
        short_names: discovered.short_names.clone(),
        categories: discovered.categories.clone(),
    };
    let mut converted: Vec<_> =
        discovered.subresources.iter().filter_map(|subresource| convert_subresource(&resource, subresource)).collect();
    if has_kind {
        converted.insert(0, resource);
    }
    converted
}

fn convert_subresource(parent: &ApiResource, discovered: &ApiSubresourceDiscovery) -> Option<ApiResource> {
    let GroupVersionKind { group, version, kind } = kind_of(&discovered.response_kind)?.clone();
    Some(ApiResource {
        name: format!("{}/{}", parent.name, discovered.subresource),
        singular_name: parent.singular_name.clone(),
        namespaced: parent.namespaced,
        group,
        version,
        kind,
        verbs: discovered.verbs.clone(),
        ..ApiResource::default()
    })
}

fn kind_of(kind: &Option<GroupVersionKind>) -> Option<&GroupVersionKind> {
    kind.as_ref().filter(|kind| **kind != GroupVersionKind::default())
}
