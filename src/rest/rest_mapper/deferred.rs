use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use super::discovery_mapper::{api_group_resources, new_discovery_rest_mapper};
use super::error::RestMapperError;
use super::mapper::{RestMapper, RestMapping};
use super::shortcut::{ShortcutExpander, WarningHandler};
use crate::api::{GroupKind, GroupVersionKind, GroupVersionResource};
use crate::rest::discovery::{CachedDiscoveryClient, DiscoveryError};

/// Maps what the server serves; asks it at the first question, and again when something is not found that may have
/// come since (client-go: `restmapper/discovery.go`, `DeferredDiscoveryRESTMapper`).
///
/// Its methods are those of [`RestMapper`], but they may have to wait for the server.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::rc::Rc;
/// use watchglass::api::GroupVersionResource;
/// use watchglass::rest::discovery::{CachedDiscoveryClient, DiscoveryClient};
/// use watchglass::rest::{Config, rest_mapper::DeferredDiscoveryRestMapper};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer};
/// # let sandbox = Sandbox::new();
/// # let server = ApiServer::new(sandbox.runtime());
/// let client = DiscoveryClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
/// let mapper = DeferredDiscoveryRestMapper::new(CachedDiscoveryClient::new(client)).with_shortcuts(None);
/// let deploy = GroupVersionResource::new("", "", "deploy");
/// let found = sandbox.block_on(mapper.resource_for(&deploy)).unwrap();
/// assert_eq!(found, GroupVersionResource::new("apps", "v1", "deployments"));
/// # }
/// ```
#[doc(alias = "DeferredDiscoveryRESTMapper")]
pub struct DeferredDiscoveryRestMapper {
    discovery: CachedDiscoveryClient,
    shortcuts: Option<Option<WarningHandler>>,
    delegate: RefCell<Option<Delegate>>,
}

#[derive(Clone)]
struct Delegate {
    mapper: Rc<dyn RestMapper>,
    /// After so many invalidations.
    generation: u64,
    /// No version is missing that discovery may find when it is asked again.
    is_whole: bool,
}

impl DeferredDiscoveryRestMapper {
    /// Asks nothing yet.
    #[doc(alias = "NewDeferredDiscoveryRESTMapper")]
    pub fn new(discovery: CachedDiscoveryClient) -> Self {
        Self { discovery, shortcuts: None, delegate: RefCell::default() }
    }

    /// Understands short names too; see [`ShortcutExpander`].
    #[must_use]
    pub fn with_shortcuts(self, warn: Option<WarningHandler>) -> Self {
        Self { shortcuts: Some(warn), ..self }
    }

    /// The one kind that a resource is of.
    ///
    /// # Errors
    /// When there is none, or no single one; or as discovery.
    pub async fn kind_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionKind, RestMapperError> {
        self.look_up(|mapper| mapper.kind_for(resource)).await
    }

    /// All kinds that a resource may be of, the preferred ones first.
    ///
    /// # Errors
    /// When there is none; or as discovery.
    pub async fn kinds_for(&self, resource: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, RestMapperError> {
        self.look_up(|mapper| mapper.kinds_for(resource)).await
    }

    /// The one resource of a name.
    ///
    /// # Errors
    /// When there is none, or no single one; or as discovery.
    pub async fn resource_for(&self, resource: &GroupVersionResource) -> Result<GroupVersionResource, RestMapperError> {
        self.look_up(|mapper| mapper.resource_for(resource)).await
    }

    /// All resources of a name, the preferred ones first.
    ///
    /// # Errors
    /// When there is none; or as discovery.
    pub async fn resources_for(
        &self,
        resource: &GroupVersionResource,
    ) -> Result<Vec<GroupVersionResource>, RestMapperError> {
        self.look_up(|mapper| mapper.resources_for(resource)).await
    }

    /// A kind's resource, in the first of the versions that is known; without versions in the preferred one.
    ///
    /// # Errors
    /// When there is none, or no single one; or as discovery.
    pub async fn rest_mapping(&self, kind: &GroupKind, versions: &[&str]) -> Result<RestMapping, RestMapperError> {
        self.look_up(|mapper| mapper.rest_mapping(kind, versions)).await
    }

    /// A kind's resources.
    ///
    /// # Errors
    /// When there is none; or as discovery.
    pub async fn rest_mappings(
        &self,
        kind: &GroupKind,
        versions: &[&str],
    ) -> Result<Vec<RestMapping>, RestMapperError> {
        self.look_up(|mapper| mapper.rest_mappings(kind, versions)).await
    }

    /// A resource's singular name.
    ///
    /// # Errors
    /// When there is no such resource, or not one such name; or as discovery.
    pub async fn resource_singularizer(&self, resource: &str) -> Result<String, RestMapperError> {
        self.look_up(|mapper| mapper.resource_singularizer(resource)).await
    }

    /// Forgets everything, discovery too: the next question asks the server.
    pub fn reset(&self) {
        self.discovery.invalidate();
        self.delegate.take();
    }

    /// Looks for it among what is known, and once more after asking the server when that is old.
    async fn look_up<T>(
        &self,
        find: impl Fn(&dyn RestMapper) -> Result<T, RestMapperError>,
    ) -> Result<T, RestMapperError> {
        let Delegate { mapper, is_whole, .. } = self.delegate().await?;
        let found = find(&*mapper);
        match self.discovery.is_fresh() {
            _ if found.is_ok() => return found,
            true if is_whole => return found,
            true => drop(self.delegate.take()),
            false => self.reset(),
        }
        find(&*self.delegate().await?.mapper)
    }

    async fn delegate(&self) -> Result<Delegate, RestMapperError> {
        let generation = self.discovery.generation();
        if let Some(delegate) = self.delegate.borrow().as_ref().filter(|it| it.generation == generation) {
            return Ok(delegate.clone());
        }
        let served = self.discovery.server_groups_and_resources().await?;
        let is_whole = !served.failed.values().any(DiscoveryError::is_transient);
        let mut mapper: Rc<dyn RestMapper> = Rc::new(new_discovery_rest_mapper(&api_group_resources(&served)));
        if let Some(warn) = &self.shortcuts {
            mapper = Rc::new(ShortcutExpander::new(mapper, served, warn.clone()));
        }
        let delegate = Delegate { mapper, generation, is_whole };
        self.delegate.replace(Some(delegate.clone()));
        Ok(delegate)
    }
}

impl fmt::Debug for DeferredDiscoveryRestMapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredDiscoveryRestMapper").field("discovery", &self.discovery).finish_non_exhaustive()
    }
}
