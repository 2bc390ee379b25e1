use std::rc::Rc;

use watchglass::api::{
    ApiResource, ApiResourceList, Error, GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource, Status,
};
use watchglass::rest::discovery::ServerResources;
use watchglass::rest::rest_mapper::{RestMapper, RestMapperError, RestMapping};

/// `group/version/resource`, each part may be empty.
pub fn resource(text: &str) -> GroupVersionResource {
    let parts: Vec<&str> = text.splitn(3, '/').collect();
    GroupVersionResource::new(parts[0], parts[1], parts[2])
}

pub fn resources(texts: &[&str]) -> Vec<GroupVersionResource> {
    texts.iter().map(|text| resource(text)).collect()
}

/// `group/version/Kind`, each part may be empty.
pub fn kind(text: &str) -> GroupVersionKind {
    let GroupVersionResource { group, version, resource } = resource(text);
    GroupVersionKind { group, version, kind: resource }
}

pub fn kinds(texts: &[&str]) -> Vec<GroupVersionKind> {
    texts.iter().map(|text| kind(text)).collect()
}

pub fn versions(texts: &[&str]) -> Vec<GroupVersion> {
    texts.iter().map(|text| GroupVersion::from_api_version(text)).collect()
}

pub fn mapping(text: &str) -> RestMapping {
    RestMapping { kind: kind(text), ..RestMapping::default() }
}

pub fn failure() -> RestMapperError {
    RestMapperError::Discovery(Error::from(Status::failure(500, "fail on this")).into())
}

pub fn no_resource(text: &str) -> RestMapperError {
    RestMapperError::NoResourceMatch { resource: resource(text) }
}

pub fn no_kind(name: &str, versions: &[&str]) -> RestMapperError {
    let searched_versions = versions.iter().map(|version| (*version).to_owned()).collect();
    RestMapperError::NoKindMatch { kind: GroupKind::new("", name), searched_versions }
}

/// Says what it was told to say (apimachinery: `fixedRESTMapper`).
#[derive(Clone, Default)]
pub struct Fixed {
    pub resources: Vec<GroupVersionResource>,
    pub kinds: Vec<GroupVersionKind>,
    pub mappings: Vec<RestMapping>,
    pub error: Option<RestMapperError>,
}

impl Fixed {
    pub fn failing(error: RestMapperError) -> Rc<dyn RestMapper> {
        Rc::new(Self { error: Some(error), ..Self::default() })
    }

    pub fn resources(texts: &[&str]) -> Rc<dyn RestMapper> {
        Rc::new(Self { resources: resources(texts), ..Self::default() })
    }

    pub fn kinds(texts: &[&str]) -> Rc<dyn RestMapper> {
        Rc::new(Self { kinds: kinds(texts), ..Self::default() })
    }

    pub fn mapping(text: &str) -> Rc<dyn RestMapper> {
        Rc::new(Self { mappings: vec![mapping(text)], ..Self::default() })
    }

    fn say<T: Clone>(&self, value: &T) -> Result<T, RestMapperError> {
        self.error.clone().map_or_else(|| Ok(value.clone()), Err)
    }
}

impl RestMapper for Fixed {
    fn kinds_for(&self, _: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, RestMapperError> {
        self.say(&self.kinds)
    }

    fn resources_for(&self, _: &GroupVersionResource) -> Result<Vec<GroupVersionResource>, RestMapperError> {
        self.say(&self.resources)
    }

    fn rest_mappings(&self, _: &GroupKind, _: &[&str]) -> Result<Vec<RestMapping>, RestMapperError> {
        self.say(&self.mappings)
    }

    fn rest_mapping(&self, _: &GroupKind, _: &[&str]) -> Result<RestMapping, RestMapperError> {
        Ok(self.say(&self.mappings)?.remove(0))
    }

    fn resource_singularizer(&self, name: &str) -> Result<String, RestMapperError> {
        self.say(&name.to_owned())
    }
}

/// Lists of resources, each as `name singular -short @category`; singular and kind may be `_`.
pub fn served(lists: &[(&str, &[&str])]) -> ServerResources {
    let list = |(version, resources): &(&str, &[&str])| {
        let resources = resources.iter().map(|text| api_resource(text)).collect();
        let list = ApiResourceList { group_version: (*version).into(), resources };
        (GroupVersion::from_api_version(version), list.into())
    };
    ServerResources { resources: lists.iter().map(list).collect(), ..ServerResources::default() }
}

fn api_resource(text: &str) -> ApiResource {
    let words: Vec<&str> = text.split(' ').collect();
    let marked = |mark: char| words.iter().filter_map(|word| word.strip_prefix(mark)).map(str::to_owned).collect();
    ApiResource {
        name: words[0].into(),
        singular_name: words.get(1).filter(|word| !word.starts_with(['-', '@'])).copied().unwrap_or_default().into(),
        namespaced: true,
        short_names: marked('-'),
        categories: marked('@'),
        ..ApiResource::default()
    }
}
