use std::rc::Rc;

use super::error::RestMapperError;
use super::mapper::{RestMapper, RestMapping, ambiguous};
use crate::api::{GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource};

/// In a pattern, whatever group, version, resource or kind
/// (apimachinery: `pkg/api/meta/priority.go`, `AnyGroup`, `AnyVersion`, `AnyResource`, `AnyKind`).
#[doc(alias = "AnyGroup")]
pub const ANY: &str = "*";

/// Chooses among what another mapper finds (apimachinery: `pkg/api/meta/priority.go`, `PriorityRESTMapper`).
///
/// Patterns narrow the matches down, one after the other: a pattern that none of them fits is passed over, and one
/// that several fit leaves only those.
#[doc(alias = "PriorityRESTMapper")]
#[derive(Clone)]
pub struct PriorityRestMapper {
    /// Finds all matches.
    pub delegate: Rc<dyn RestMapper>,
    /// Patterns of resources; see [`ANY`].
    pub resource_priority: Vec<GroupVersionResource>,
    /// Patterns of kinds; see [`ANY`].
    pub kind_priority: Vec<GroupVersionKind>,
}

/// The one that is left of the matches.
fn narrow<T, P>(matches: &[T], patterns: &[P], fits: impl Fn(&P, &T) -> bool) -> Option<T>
where
    T: Clone,
{
    let mut remaining: Vec<&T> = matches.iter().collect();
    for pattern in patterns {
        if remaining.len() == 1 {
            break;
        }
        let fitting: Vec<&T> = remaining.iter().filter(|item| fits(pattern, item)).copied().collect();
        if !fitting.is_empty() {
            remaining = fitting;
        }
    }
    match remaining.as_slice() {
        [one] => Some((*one).clone()),
        _ => None,
    }
}

fn fits(pattern: &str, value: &str) -> bool {
    pattern == ANY || pattern == value
}

fn fits_kind(pattern: &GroupVersionKind, kind: &GroupVersionKind) -> bool {
    fits(&pattern.group, &kind.group) && fits(&pattern.version, &kind.version) && fits(&pattern.kind, &kind.kind)
}

impl RestMapper for PriorityRestMapper {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, RestMapperError> {
        self.delegate.kinds_for(resource)
    }

    fn resources_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionResource>, RestMapperError> {
        self.delegate.resources_for(resource)
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, RestMapperError> {
        self.delegate.rest_mappings(kind, versions)
    }

    /// The versions that are asked for come before all patterns.
    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, RestMapperError> {
        let mappings = self.delegate.rest_mappings(kind, versions)?;
        let asked = versions.iter().map(|version| GroupVersion::new(&kind.group, version).with_kind(ANY));
        let patterns: Vec<_> = asked.chain(self.kind_priority.iter().cloned()).collect();
        narrow(&mappings, &patterns, |pattern, mapping| fits_kind(pattern, &mapping.kind)).ok_or_else(|| {
            let kinds = mappings.into_iter().map(|mapping| mapping.kind).collect();
            RestMapperError::AmbiguousKind { kind: kind.clone(), kinds }
        })
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, RestMapperError> {
        self.delegate.resource_singularizer(resource)
    }

    fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, RestMapperError> {
        let kinds = self.delegate.kinds_for(resource)?;
        narrow(&kinds, &self.kind_priority, fits_kind).ok_or_else(|| ambiguous(resource, Vec::new(), kinds))
    }

    fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, RestMapperError> {
        let resources = self.delegate.resources_for(resource)?;
        let fits_resource = |pattern: &GroupVersionResource, found: &GroupVersionResource| {
            let GroupVersionResource { group, version, resource } = pattern;
            fits(group, &found.group) && fits(version, &found.version) && fits(resource, &found.resource)
        };
        narrow(&resources, &self.resource_priority, fits_resource)
            .ok_or_else(|| ambiguous(resource, resources, Vec::new()))
    }
}
