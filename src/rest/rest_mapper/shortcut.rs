use std::rc::Rc;

use super::error::RestMapperError;
use super::mapper::{RestMapper, RestMapping};
use crate::api::{ApiResource, GroupKind, GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource};
use crate::rest::discovery::ServerResources;

/// Is told in one sentence of each resource that a short name could mean too.
pub type WarningHandler = Rc<dyn Fn(&str)>;

/// Understands short names, `po` and `deploy` (client-go: `restmapper/shortcut.go`, `NewShortcutExpander`).
#[doc(alias = "NewShortcutExpander")]
#[derive(Clone)]
pub struct ShortcutExpander {
    delegate: Rc<dyn RestMapper>,
    served: ServerResources,
    warn: Option<WarningHandler>,
}

impl ShortcutExpander {
    /// `served` tells the short names, and the delegate finds what they stand for.
    pub fn new(delegate: Rc<dyn RestMapper>, served: ServerResources, warn: Option<WarningHandler>) -> Self {
        Self { delegate, served, warn }
    }

    /// The resource that a short name stands for; unchanged when it is none, or when it is a resource's name as well.
    ///
    /// The first resource that claims a short name has it. Groups may be shortened when no group is called so.
    pub fn expand(&self, asked: &GroupVersionResource) -> GroupVersionResource {
        let in_group = |version: &GroupVersion| asked.group.is_empty() || version.group == asked.group;
        let lists = || self.served.resources.iter().map(|(version, list)| (version, &list.resources));
        let is_name = |resource: &ApiResource| [&resource.name, &resource.singular_name].contains(&&asked.resource);
        if lists().any(|(version, resources)| in_group(version) && resources.iter().any(is_name)) {
            return asked.clone();
        }
        let claims = || {
            let all =
                lists().flat_map(|(version, resources)| resources.iter().map(move |resource| (version, resource)));
            all.filter(|(_, resource)| resource.short_names.contains(&asked.resource))
                .map(|(version, resource)| GroupResource::new(&version.group, &resource.name))
        };
        let mut exact = claims().filter(|claim| asked.group.is_empty() || claim.group == asked.group);
        if let Some(first) = exact.next() {
            self.warn_of(&asked.resource, &first, exact);
            return GroupVersionResource::new(&first.group, "", &first.resource);
        }
        match claims().find(|claim| claim.group.starts_with(&asked.group)) {
            Some(claim) => GroupVersionResource::new(&claim.group, &asked.version, &claim.resource),
            None => asked.clone(),
        }
    }

    /// Versions of one resource do not compete, and each loser is named once.
    fn warn_of(&self, short_name: &str, winner: &GroupResource, others: impl Iterator<Item = GroupResource>) {
        let Some(warn) = &self.warn else { return };
        let mut warned = vec![winner.clone()];
        for loser in others {
            if !warned.contains(&loser) {
                warn(&format!("short name \"{short_name}\" could also match lower priority resource {loser}"));
                warned.push(loser);
            }
        }
    }
}

impl RestMapper for ShortcutExpander {
    fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, RestMapperError> {
        self.delegate.kinds_for(&self.expand(resource))
    }

    fn resources_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionResource>, RestMapperError> {
        self.delegate.resources_for(&self.expand(resource))
    }

    fn rest_mappings(&self, kind: &GroupKind, versions: &[&str]) -> Result<Vec<RestMapping>, RestMapperError> {
        self.delegate.rest_mappings(kind, versions)
    }

    fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, RestMapperError> {
        self.delegate.rest_mapping(kind, versions)
    }

    fn resource_singularizer(&self, resource: &str) -> Result<String, RestMapperError> {
        self.delegate.resource_singularizer(&self.expand(&GroupVersionResource::new("", "", resource)).resource)
    }

    fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, RestMapperError> {
        self.delegate.kind_for(&self.expand(resource))
    }

    fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, RestMapperError> {
        self.delegate.resource_for(&self.expand(resource))
    }
}
