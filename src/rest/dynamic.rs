use std::rc::Rc;

use super::config::Config;
use super::rest_client::RestClient;
use crate::api::{
    ApplyOptions, CreateOptions, DeleteOptions, Error, GetOptions, GroupVersionResource, List, ListOptions, Manifest,
    Patch, PatchOptions, ResourcePath, UpdateOptions,
};
use crate::cache::{ListerWatcher, ListerWatcherSource, WatchStream};

/// Reads and writes any resource, known or not: those of custom resource definitions too
/// (client-go: `dynamic/simple.go`).
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use serde_json::json;
/// use watchglass::api::{GroupVersionResource, Patch, PatchOptions};
/// use watchglass::rest::{Config, DynamicClient};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer, objects};
/// # let sandbox = Sandbox::new();
/// # let server = ApiServer::new(sandbox.runtime());
/// # server.seed(objects::pod("shop", "web-0")).unwrap();
/// # sandbox.block_on(async {
/// let config = Config::new(&sandbox.runtime(), server.transport());
/// let pods = DynamicClient::for_config(&config).resource(&GroupVersionResource::core("pods")).namespace("shop");
/// let label = Patch::Merge(json!({ "metadata": { "labels": { "app": "web" } } }));
/// let pod = pods.patch("web-0", &label, &PatchOptions::default()).await?;
/// assert_eq!(pod.metadata.labels["app"], "web");
/// # Ok::<(), watchglass::api::Error>(())
/// # }).unwrap();
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DynamicClient {
    client: RestClient,
}

impl DynamicClient {
    /// (client-go: `dynamic.NewForConfig`.)
    pub fn for_config(config: &Config) -> Self {
        Self { client: RestClient::for_config(config) }
    }

    /// All objects of a resource, until a namespace is named.
    pub fn resource(&self, resource: &GroupVersionResource) -> DynamicResource {
        DynamicResource { client: self.client.clone(), path: ResourcePath::all(resource.clone()) }
    }
}

impl ListerWatcherSource for DynamicClient {
    fn lister_watcher(&self, resource: &GroupVersionResource, namespace: Option<&str>) -> Rc<dyn ListerWatcher> {
        self.client.lister_watcher(resource, namespace)
    }
}

/// One resource, in one namespace or in all (client-go: `dynamic/interface.go`, `ResourceInterface`).
///
/// Names that cannot stand in a path are refused with [`Error::NotSent`].
#[derive(Clone, Debug)]
pub struct DynamicResource {
    client: RestClient,
    path: ResourcePath,
}

impl DynamicResource {
    /// Only what is in this namespace; all for an empty one.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.path.namespace = (!namespace.is_empty()).then(|| namespace.into());
        self
    }

    /// Below the object, `status` or `scale` for example.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.path.subresources.push(subresource.into());
        self
    }

    /// Creates an object, and gives it back with what the server added. With a subresource, below the object of this
    /// name.
    ///
    /// # Errors
    /// As [`RestClient::create`].
    pub async fn create(&self, object: &Manifest, options: &CreateOptions) -> Result<Manifest, Error> {
        if self.path.subresources.is_empty() {
            return self.client.create(&self.path, object, options).await;
        }
        self.client.create(&self.named(object.name()), object, options).await
    }

    /// Replaces the object of this name.
    ///
    /// # Errors
    /// As [`RestClient::update`].
    pub async fn update(&self, object: &Manifest, options: &UpdateOptions) -> Result<Manifest, Error> {
        self.client.update(&self.named(object.name()), object, options).await
    }

    /// Replaces the status of the object of this name, and leaves the rest.
    ///
    /// # Errors
    /// As [`RestClient::update`].
    pub async fn update_status(&self, object: &Manifest, options: &UpdateOptions) -> Result<Manifest, Error> {
        self.client.update(&self.named(object.name()).subresource("status"), object, options).await
    }

    /// Deletes the object of this name.
    ///
    /// # Errors
    /// As [`RestClient::delete`].
    pub async fn delete(&self, name: &str, options: &DeleteOptions) -> Result<(), Error> {
        self.client.delete(&self.named(name), options).await
    }

    /// Deletes all objects that the list's selectors match.
    ///
    /// # Errors
    /// As [`RestClient::delete_collection`].
    pub async fn delete_collection(&self, options: &DeleteOptions, which: &ListOptions) -> Result<(), Error> {
        self.client.delete_collection(&self.path, options, which).await
    }

    /// Reads the object of this name.
    ///
    /// # Errors
    /// As [`RestClient::get`].
    pub async fn get(&self, name: &str, options: &GetOptions) -> Result<Manifest, Error> {
        self.client.get(&self.named(name), options).await
    }

    /// Lists one page.
    ///
    /// # Errors
    /// As [`RestClient::list`].
    pub async fn list(&self, options: &ListOptions) -> Result<List, Error> {
        self.client.list(&self.path, options, &|_| {}).await
    }

    /// Opens a watch.
    ///
    /// # Errors
    /// As [`RestClient::watch`].
    pub async fn watch(&self, options: &ListOptions) -> Result<WatchStream, Error> {
        self.client.watch(&self.path, options).await
    }

    /// Changes the object of this name.
    ///
    /// # Errors
    /// As [`RestClient::patch`].
    pub async fn patch(&self, name: &str, patch: &Patch, options: &PatchOptions) -> Result<Manifest, Error> {
        self.client.patch(&self.named(name), patch, options).await
    }

    /// Owns the fields that stand in the object: server-side apply.
    ///
    /// # Errors
    /// As [`RestClient::apply`].
    pub async fn apply(&self, name: &str, object: &Manifest, options: &ApplyOptions) -> Result<Manifest, Error> {
        self.client.apply(&self.named(name), object, options).await
    }

    /// Owns the fields of the status that stand in the object.
    ///
    /// # Errors
    /// As [`RestClient::apply`].
    pub async fn apply_status(&self, name: &str, object: &Manifest, options: &ApplyOptions) -> Result<Manifest, Error> {
        self.client.apply(&self.named(name).subresource("status"), object, options).await
    }

    fn named(&self, name: &str) -> ResourcePath {
        self.path.clone().named(name)
    }
}
