use super::error::RestMapperError;
use crate::api::{GroupKind, GroupVersionKind, GroupVersionResource};

/// Whether objects live in namespaces (apimachinery: `pkg/api/meta/interfaces.go`, `RESTScope`).
#[doc(alias = "RESTScope")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RestScope {
    #[default]
    Namespace,
    /// They belong to the whole cluster.
    Root,
}

/// A kind and the resource that holds its objects (apimachinery: `pkg/api/meta/interfaces.go`, `RESTMapping`).
#[doc(alias = "RESTMapping")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RestMapping {
    pub resource: GroupVersionResource,
    pub kind: GroupVersionKind,
    pub scope: RestScope,
}

/// Finds resources and kinds by what people call them (apimachinery: `pkg/api/meta/interfaces.go`, `RESTMapper`).
///
/// Of what is asked for, group and version may be empty, and the resource may be the singular name.
#[doc(alias = "RESTMapper")]
pub trait RestMapper {
    /// All kinds that a resource may be of, the preferred ones first.
    ///
    /// # Errors
    /// When there is none.
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, RestMapperError>;

    /// All resources of a name, the preferred ones first.
    ///
    /// # Errors
    /// When there is none.
    fn resources_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionResource>, RestMapperError>;

    /// A kind's resources, in the first of the versions that is known; without versions in all that are preferred.
    ///
    /// # Errors
    /// When there is none.
    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, RestMapperError>;

    /// A kind's resource, in the first of the versions that is known; without versions in the preferred one.
    ///
    /// # Errors
    /// When there is none, or no single one.
    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, RestMapperError>;

    /// A resource's singular name: `pod` for `pods`.
    ///
    /// # Errors
    /// When there is no such resource, or not one such name.
    fn resource_singularizer(&self, resource: &str) -> Result<String, RestMapperError>;

    /// The one kind that a resource is of.
    ///
    /// # Errors
    /// When there is none, or no single one.
    fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, RestMapperError> {
        only(self.kinds_for(resource)?).map_err(|kinds| ambiguous(resource, Vec::new(), kinds))
    }

    /// The one resource of a name.
    ///
    /// # Errors
    /// When there is none, or no single one.
    fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, RestMapperError> {
        only(self.resources_for(resource)?).map_err(|resources| ambiguous(resource, resources, Vec::new()))
    }
}

/// The only one; all when there are more.
pub(super) fn only<T>(mut found: Vec<T>) -> Result<T, Vec<T>> {
    match found.pop() {
        Some(one) if found.is_empty() => Ok(one),
        last => {
            found.extend(last);
            Err(found)
        }
    }
}

pub(super) fn ambiguous(
    resource: &GroupVersionResource,
    resources: Vec<GroupVersionResource>,
    kinds: Vec<GroupVersionKind>,
) -> RestMapperError {
    RestMapperError::AmbiguousResource { resource: resource.clone(), resources, kinds }
}
