use std::rc::Rc;

use super::config::Config;
use super::list_watch::ResourceListWatch;
use super::response::shown;
use super::rest_client::{Accept, RestClient, scope};
use crate::api::{
    DeleteOptions, Error, GetOptions, GroupVersionResource, List, ListOptions, Manifest, Object, Patch, PatchOptions,
    ResourcePath, WatchEvent,
};
use crate::cache::{ListerWatcher, ListerWatcherSource, WatchStream};

/// Reads the metadata of any resource's objects, and nothing else of them, which is a fraction of their bytes
/// (client-go: `metadata/metadata.go`).
///
/// Servers that know only whole objects are put up with: their answers are reduced here.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use watchglass::api::{GetOptions, GroupVersionResource};
/// use watchglass::rest::{Config, MetadataClient};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer, objects};
/// # let sandbox = Sandbox::new();
/// # let server = ApiServer::new(sandbox.runtime());
/// # server.seed(objects::pod("shop", "web-0")).unwrap();
/// # sandbox.block_on(async {
/// let config = Config::new(&sandbox.runtime(), server.transport());
/// let pods = MetadataClient::for_config(&config).resource(&GroupVersionResource::core("pods")).namespace("shop");
/// let pod = pods.get("web-0", &GetOptions::default()).await?;
/// assert_eq!((pod.name(), pod.get(&["spec"])), ("web-0", None));
/// # Ok::<(), watchglass::api::Error>(())
/// # }).unwrap();
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MetadataClient {
    client: RestClient,
}

impl MetadataClient {
    /// (client-go: `metadata.NewForConfig`.)
    pub fn for_config(config: &Config) -> Self {
        Self { client: RestClient::for_config(config) }
    }

    /// All objects of a resource, until a namespace is named.
    pub fn resource(&self, resource: &GroupVersionResource) -> MetadataResource {
        MetadataResource { client: self.client.clone(), path: ResourcePath::all(resource.clone()) }
    }
}

impl ListerWatcherSource for MetadataClient {
    fn lister_watcher(&self, resource: &GroupVersionResource, namespace: Option<&str>) -> Rc<dyn ListerWatcher> {
        let objects = ResourceListWatch::new(self.client.clone(), scope(resource, namespace));
        Rc::new(objects.with_accept(Accept::Metadata))
    }
}

/// The metadata of one resource's objects (client-go: `metadata/interface.go`, `ResourceInterface`).
#[derive(Clone, Debug)]
pub struct MetadataResource {
    client: RestClient,
    path: ResourcePath,
}

impl MetadataResource {
    /// Only what is in this namespace; all for an empty one.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.path.namespace = (!namespace.is_empty()).then(|| namespace.into());
        self
    }

    /// Below the object, `status` for example.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.path.subresources.push(subresource.into());
        self
    }

    /// Reads the metadata of the object of this name.
    ///
    /// # Errors
    /// As [`RestClient::get`]; [`Error::Undecodable`] when what came is no object.
    pub async fn get(&self, name: &str, options: &GetOptions) -> Result<Manifest, Error> {
        self.client.get_as(&self.path.clone().named(name), options, Accept::Metadata).await
    }

    /// Lists one page of metadata.
    ///
    /// # Errors
    /// As [`RestClient::list`].
    pub async fn list(&self, options: &ListOptions) -> Result<List, Error> {
        self.client.list_as(&self.path, options, Accept::Metadata, &|_| {}).await
    }

    /// Opens a watch of metadata.
    ///
    /// # Errors
    /// As [`RestClient::watch`].
    pub async fn watch(&self, options: &ListOptions) -> Result<WatchStream, Error> {
        self.client.watch_as(&self.path, options, Accept::Metadata).await
    }

    /// Changes the object of this name, and gives back its metadata.
    ///
    /// # Errors
    /// As [`RestClient::patch`].
    pub async fn patch(&self, name: &str, patch: &Patch, options: &PatchOptions) -> Result<Manifest, Error> {
        self.client.patch_as(&self.path.clone().named(name), patch, options, Accept::Metadata).await
    }

    /// Deletes the object of this name.
    ///
    /// # Errors
    /// As [`RestClient::delete`].
    pub async fn delete(&self, name: &str, options: &DeleteOptions) -> Result<(), Error> {
        self.client.delete(&self.path.clone().named(name), options).await
    }

    /// Deletes all objects that the list's selectors match.
    ///
    /// # Errors
    /// As [`RestClient::delete_collection`].
    pub async fn delete_collection(&self, options: &DeleteOptions, which: &ListOptions) -> Result<(), Error> {
        self.client.delete_collection(&self.path, options, which).await
    }
}

const PARTIAL: &str = "PartialObjectMetadata";

/// The object in the form that was asked for, whatever the server gave.
pub(super) fn reduced(object: Object, accept: Accept) -> Object {
    if accept != Accept::Metadata || object.kind() == PARTIAL {
        return object;
    }
    object.metadata_only("meta.k8s.io/v1", PARTIAL)
}

fn reduced_manifest(object: Manifest) -> Manifest {
    Manifest {
        kind: PARTIAL.into(),
        api_version: "meta.k8s.io/v1".into(),
        metadata: object.metadata,
        ..Manifest::default()
    }
}

pub(super) fn reduced_event(event: WatchEvent, accept: Accept) -> WatchEvent {
    if accept != Accept::Metadata {
        return event;
    }
    let reduced = |object| reduced(object, accept);
    match event {
        WatchEvent::Added(object) => WatchEvent::Added(reduced(object)),
        WatchEvent::Modified(object) => WatchEvent::Modified(reduced(object)),
        WatchEvent::Deleted(object) => WatchEvent::Deleted(reduced(object)),
        other => other,
    }
}

/// A single answer in the form that was asked for, if it is an object at all.
pub(super) fn checked(path: &str, object: Manifest, accept: Accept) -> Result<Manifest, Error> {
    if accept != Accept::Metadata {
        return Ok(object);
    }
    let undecodable = |reason: &str| Err(Error::Undecodable { url: shown(path).into(), reason: reason.into() });
    if object.kind.is_empty() || object.api_version.is_empty() {
        return undecodable("the object has no kind or no apiVersion");
    }
    let metadata = &object.metadata;
    let has_name = !metadata.name.is_empty() || metadata.generate_name.as_ref().is_some_and(|name| !name.is_empty());
    if has_name || !metadata.uid.is_empty() || metadata.creation_timestamp.is_some() {
        return Ok(reduced_manifest(object));
    }
    undecodable("the object does not appear to match the ObjectMeta schema")
}
