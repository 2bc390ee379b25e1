use std::rc::Rc;

use indexmap::IndexMap;

use super::default_mapper::DefaultRestMapper;
use super::guess::unsafe_guess_kind_to_resource;
use super::mapper::{RestMapper, RestScope};
use super::multi::MultiRestMapper;
use super::priority::{ANY, PriorityRestMapper};
use crate::api::{ApiGroup, ApiResource, ApiResourceList, GroupVersion};
use crate::rest::discovery::ServerResources;

/// A group with the resources of its versions (client-go: `restmapper/discovery.go`, `APIGroupResources`).
#[doc(alias = "APIGroupResources")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApiGroupResources {
    pub group: ApiGroup,
    /// By version, `v1`. A version that failed is missing.
    pub versioned_resources: IndexMap<String, Rc<ApiResourceList>>,
}

/// Puts groups and resources together. What failed is missing, and all else is there
/// (client-go: `restmapper/discovery.go`, `GetAPIGroupResources`).
#[doc(alias = "GetAPIGroupResources")]
pub fn api_group_resources(served: &ServerResources) -> Vec<ApiGroupResources> {
    let of_group = |group: &ApiGroup| {
        let versioned_resources = group.versions.iter().filter_map(|version| {
            let list = served.resources.get(&GroupVersion::new(&group.name, &version.version))?;
            Some((version.version.clone(), list.clone()))
        });
        ApiGroupResources { versioned_resources: versioned_resources.collect(), group: group.clone() }
    };
    served.groups.iter().map(of_group).collect()
}

/// A mapper of all that was discovered. It prefers the core group's `v1`, then each group's preferred version, then
/// its other versions, in the server's order (client-go: `restmapper/discovery.go`, `NewDiscoveryRESTMapper`).
#[doc(alias = "NewDiscoveryRESTMapper")]
pub fn new_discovery_rest_mapper(groups: &[ApiGroupResources]) -> PriorityRestMapper {
    let mut mappers: Vec<Rc<dyn RestMapper>> = Vec::new();
    let mut priority = vec![GroupVersion::new("", "v1")];
    for ApiGroupResources { group, versioned_resources } in groups {
        let preferred = group.preferred_version.version.as_str();
        if versioned_resources.contains_key(preferred) {
            priority.push(GroupVersion::new(&group.name, preferred));
        }
        for version in &group.versions {
            let Some(list) = versioned_resources.get(&version.version) else { continue };
            let group_version = GroupVersion::new(&group.name, &version.version);
            mappers.push(Rc::new(version_mapper(&group_version, &list.resources)));
            if version.version != preferred {
                priority.push(group_version);
            }
        }
    }
    priority.extend(groups.iter().map(|group| GroupVersion::new(&group.group.name, ANY)));
    PriorityRestMapper {
        delegate: Rc::new(MultiRestMapper::new(mappers)),
        resource_priority: priority.iter().map(|version| version.with_resource(ANY)).collect(),
        kind_priority: priority.iter().map(|version| version.with_kind(ANY)).collect(),
    }
}

fn version_mapper(version: &GroupVersion, resources: &[ApiResource]) -> DefaultRestMapper {
    let mut mapper = DefaultRestMapper::new(vec![version.clone()]);
    for resource in resources.iter().filter(|resource| !resource.is_subresource()) {
        let scope = if resource.namespaced { RestScope::Namespace } else { RestScope::Root };
        let kind = version.with_kind(&resource.kind);
        let singular = match resource.singular_name.as_str() {
            // Old servers name none.
            "" => unsafe_guess_kind_to_resource(&kind).1,
            singular => version.with_resource(singular),
        };
        let plural = version.with_resource(&resource.name);
        let lower_case = version.with_kind(&resource.kind.to_lowercase());
        mapper.add_specific(&lower_case, plural.clone(), singular.clone(), scope);
        mapper.add_specific(&kind, plural, singular, scope);
        mapper.add(&version.with_kind(&format!("{}List", resource.kind)), scope);
    }
    mapper.add(&version.with_kind("List"), RestScope::Root);
    mapper
}
