use std::rc::Rc;

use super::error::RestMapperError;
use super::mapper::{RestMapper, RestMapping};
use crate::api::{GroupKind, GroupVersionKind, GroupVersionResource};

/// What any of several mappers finds (apimachinery: `pkg/api/meta/multirestmapper.go`, `MultiRESTMapper`).
#[doc(alias = "MultiRESTMapper")]
#[derive(Clone, Default)]
pub struct MultiRestMapper {
    mappers: Vec<Rc<dyn RestMapper>>,
}

impl MultiRestMapper {
    /// Asks the mappers in this order.
    pub fn new(mappers: Vec<Rc<dyn RestMapper>>) -> Self {
        Self { mappers }
    }

    /// What all have found together, without duplicates. That one finds nothing is no error.
    fn union<T: PartialEq>(
        &self,
        none: impl FnOnce() -> RestMapperError,
        find: impl Fn(&dyn RestMapper) -> Result<Vec<T>, RestMapperError>,
    ) -> Result<Vec<T>, RestMapperError> {
        let mut all: Vec<T> = Vec::new();
        for mapper in &self.mappers {
            match find(&**mapper) {
                Ok(found) => found.into_iter().for_each(|item| {
                    if !all.contains(&item) {
                        all.push(item);
                    }
                }),
                Err(error) if error.is_no_match() => {}
                Err(error) => return Err(error),
            }
        }
        if all.is_empty() { Err(none()) } else { Ok(all) }
    }
}

fn no_resource(resource: &GroupVersionResource) -> RestMapperError {
    RestMapperError::NoResourceMatch { resource: resource.clone() }
}

fn no_kind(kind: &GroupKind, versions: &[&str]) -> RestMapperError {
    let searched_versions = versions.iter().map(|version| (*version).to_owned()).collect();
    RestMapperError::NoKindMatch { kind: kind.clone(), searched_versions }
}

impl RestMapper for MultiRestMapper {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, RestMapperError> {
        self.union(|| no_resource(resource), |mapper| mapper.kinds_for(resource))
    }

    fn resources_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionResource>, RestMapperError> {
        self.union(|| no_resource(resource), |mapper| mapper.resources_for(resource))
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, RestMapperError> {
        self.union(|| no_kind(kind, versions), |mapper| mapper.rest_mappings(kind, versions))
    }

    /// The only one that any mapper has, though others may have failed.
    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, RestMapperError> {
        let (mut found, mut failure) = (Vec::new(), None);
        for mapper in &self.mappers {
            match mapper.rest_mapping(kind, versions) {
                Ok(mapping) => found.push(mapping),
                Err(error) if error.is_no_match() => {}
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match found.len() {
            0 => Err(failure.unwrap_or_else(|| no_kind(kind, versions))),
            1 => Ok(found.swap_remove(0)),
            _ => {
                let kinds = found.into_iter().map(|mapping| mapping.kind).collect();
                Err(RestMapperError::AmbiguousKind { kind: kind.clone(), kinds })
            }
        }
    }

    /// What the first mapper says that knows the resource; else what the last one says.
    fn resource_singularizer(&self, resource: &str) -> Result<String, RestMapperError> {
        let mut last = Err(no_resource(&GroupVersionResource::new("", "", resource)));
        for mapper in &self.mappers {
            last = mapper.resource_singularizer(resource);
            if last.is_ok() {
                break;
            }
        }
        last
    }
}
