use indexmap::IndexMap;

use super::error::RestMapperError;
use super::guess::unsafe_guess_kind_to_resource;
use super::mapper::{RestMapper, RestMapping, RestScope};
use crate::api::{GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource};

/// apimachinery: `pkg/runtime`, `APIVersionInternal`: no version that a server has.
const INTERNAL: &str = "__internal";

/// Maps the kinds it was told of (apimachinery: `pkg/api/meta/restmapper.go`, `DefaultRESTMapper`).
#[doc(alias = "DefaultRESTMapper")]
#[derive(Clone, Debug, Default)]
pub struct DefaultRestMapper {
    default_group_versions: Vec<GroupVersion>,
    /// By singular and plural names.
    resource_to_kind: IndexMap<GroupVersionResource, GroupVersionKind>,
    kind_to_resource: IndexMap<GroupVersionKind, (GroupVersionResource, RestScope)>,
    plural_to_singular: IndexMap<GroupVersionResource, GroupVersionResource>,
}

impl DefaultRestMapper {
    /// Knows nothing yet. The versions are those to be used where none is asked for, the preferred ones first.
    #[doc(alias = "NewDefaultRESTMapper")]
    pub fn new(default_group_versions: Vec<GroupVersion>) -> Self {
        Self { default_group_versions, ..Self::default() }
    }

    /// Adds a kind, whose resource is guessed from its name.
    pub fn add(&mut self, kind: &GroupVersionKind, scope: RestScope) {
        let (plural, singular) = unsafe_guess_kind_to_resource(kind);
        self.add_specific(kind, plural, singular, scope);
    }

    /// Adds a kind with its resource.
    pub fn add_specific(
        &mut self,
        kind: &GroupVersionKind,
        plural: GroupVersionResource,
        singular: GroupVersionResource,
        scope: RestScope,
    ) {
        self.resource_to_kind.insert(singular.clone(), kind.clone());
        self.resource_to_kind.insert(plural.clone(), kind.clone());
        self.kind_to_resource.insert(kind.clone(), (plural.clone(), scope));
        self.plural_to_singular.insert(plural, singular);
    }

    /// In the order of preference, then by name.
    fn sorted<T>(&self, mut found: Vec<T>, split: impl Fn(&T) -> (GroupVersion, String)) -> Vec<T> {
        found.sort_by_cached_key(|item| {
            let (version, name) = split(item);
            let rank = self.default_group_versions.iter().position(|known| *known == version);
            (rank.unwrap_or(usize::MAX), version, name)
        });
        found
    }
}

/// What stands under the name. An exact group comes before one that only begins so: `storageclasses.storage` is found
/// in `storage.k8s.io`.
fn matching<'a, T: Clone + PartialEq + 'a>(
    wanted: &GroupVersionResource,
    known: &[(&GroupVersionResource, &'a T)],
) -> Result<Vec<T>, RestMapperError> {
    let resource = wanted.resource.to_lowercase();
    let version = if wanted.version == INTERNAL { "" } else { &wanted.version };
    let group = wanted.group.as_str();
    if resource.is_empty() {
        return Err(RestMapperError::NoResource { resource: wanted.clone() });
    }
    let found = |passes: &dyn Fn(&GroupVersionResource) -> bool| {
        let mut found: Vec<T> = Vec::new();
        for (_, item) in known.iter().filter(|(name, _)| name.resource == resource && passes(name)) {
            if !found.contains(item) {
                found.push((*item).clone());
            }
        }
        found
    };
    let in_version = |name: &GroupVersionResource| version.is_empty() || name.version == version;
    let mut matches = match group {
        "" => found(&in_version),
        group => found(&|name| name.group == group && in_version(name)),
    };
    if matches.is_empty() && !group.is_empty() && version.is_empty() {
        matches = found(&|name| name.group.starts_with(group));
    }
    match matches.is_empty() {
        true => Err(RestMapperError::NoResourceMatch { resource: wanted.clone() }),
        false => Ok(matches),
    }
}

impl RestMapper for DefaultRestMapper {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, RestMapperError> {
        let known: Vec<_> = self.resource_to_kind.iter().collect();
        Ok(self.sorted(matching(resource, &known)?, |kind| (kind.group_version(), kind.kind.clone())))
    }

    fn resources_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionResource>, RestMapperError> {
        let names = self.plural_to_singular.iter();
        let known: Vec<_> = names.flat_map(|(plural, singular)| [(singular, plural), (plural, plural)]).collect();
        Ok(self.sorted(matching(resource, &known)?, |found| (found.group_version(), found.resource.clone())))
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, RestMapperError> {
        let in_version = |version: &str| GroupVersion::new(&kind.group, version).with_kind(&kind.kind);
        let named: Vec<_> = versions.iter().filter(|version| !matches!(**version, "" | INTERNAL)).collect();
        let candidates: Vec<GroupVersionKind> = match named.as_slice() {
            [] => {
                let defaults = self.default_group_versions.iter().filter(|known| known.group == kind.group);
                defaults.map(|known| in_version(&known.version)).collect()
            }
            named => {
                let mut kinds = named.iter().map(|version| in_version(version));
                kinds.find(|kind| self.kind_to_resource.contains_key(kind)).into_iter().collect()
            }
        };
        if candidates.is_empty() {
            let searched_versions = versions.iter().map(|version| (*version).to_owned()).collect();
            return Err(RestMapperError::NoKindMatch { kind: kind.clone(), searched_versions });
        }
        let mapping = |kind: GroupVersionKind| {
            let (resource, scope) = self.kind_to_resource.get(&kind)?.clone();
            Some(RestMapping { resource, kind, scope })
        };
        let mappings: Vec<_> = candidates.into_iter().filter_map(mapping).collect();
        if mappings.is_empty() {
            let resource = GroupVersionResource::new(&kind.group, "", &kind.kind);
            return Err(RestMapperError::NoResourceMatch { resource });
        }
        Ok(mappings)
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, RestMapperError> {
        Ok(self.rest_mappings(kind, versions)?.swap_remove(0))
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, RestMapperError> {
        let plurals = self.resources_for(&GroupVersionResource::new("", "", resource))?;
        let mut singulars = plurals.iter().filter_map(|plural| self.plural_to_singular.get(plural));
        let first = singulars.next().map(|singular| &singular.resource);
        match first {
            Some(first) if singulars.all(|other| other.resource == *first) => Ok(first.clone()),
            _ => Err(RestMapperError::NoSingular { resource: resource.to_owned() }),
        }
    }
}
