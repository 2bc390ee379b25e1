use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::{ClusterResourceScope, List, ListableResource, Metadata, NamespaceResourceScope, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::typed_event::{TypedWatch, typed_events};
use crate::api::{
    ApplyOptions, CreateOptions, DeleteOptions, Error, GetOptions, GroupVersionResource, ListOptions, Patch,
    PatchOptions, ResourcePath, UpdateOptions,
};
use crate::rest::rest_client::{address, patching, reading, writing};
use crate::rest::{Accept, Config, RestClient};
use crate::runtime::{Method, Request, Traffic};

/// What can be read and written by its type: all of k8s-openapi's kinds, and structs of custom resources that implement
/// its traits.
pub trait Kind: Resource + Metadata<Ty = ObjectMeta> + Serialize + DeserializeOwned + 'static {
    /// What URLs call it.
    fn resource() -> GroupVersionResource {
        GroupVersionResource::new(Self::GROUP, Self::VERSION, Self::URL_PATH_SEGMENT)
    }
}

impl<K: Resource + Metadata<Ty = ObjectMeta> + Serialize + DeserializeOwned + 'static> Kind for K {}

/// The objects of one kind, in one namespace or in all (client-go: `gentype/type.go`, and what `PodsGetter` gives).
///
/// A kind that lacks one of the verbs answers with a Status "method not allowed" or "not found".
pub struct Api<K> {
    pub(super) client: RestClient,
    path: ResourcePath,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Api<K> {
    /// All objects of the kind, in whatever namespace.
    pub fn all(config: &Config) -> Self {
        Self::new(&RestClient::for_config(config), None)
    }

    pub(super) fn new(client: &RestClient, namespace: Option<&str>) -> Self {
        let namespace = namespace.filter(|namespace| !namespace.is_empty()).map(str::to_owned);
        let path = ResourcePath { namespace, ..ResourcePath::all(K::resource()) };
        Self { client: client.clone(), path, kind: PhantomData }
    }

    pub(super) fn cluster(client: &RestClient) -> Self
    where
        K: Resource<Scope = ClusterResourceScope>,
    {
        Self::new(client, None)
    }

    pub(super) fn namespaced(client: &RestClient, namespace: &str) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        Self::new(client, Some(namespace))
    }

    /// Creates an object, and gives it back with what the server added.
    ///
    /// # Errors
    /// As [`RestClient::create`]; [`Error::Undecodable`] when what came is of another kind.
    pub async fn create(&self, object: &K, options: &CreateOptions) -> Result<K, Error> {
        self.client.answer(writing(Method::Post, &self.path, &options.to_query(), object)?).await
    }

    /// Replaces the object of this name.
    ///
    /// # Errors
    /// As [`RestClient::update`].
    pub async fn update(&self, object: &K, options: &UpdateOptions) -> Result<K, Error> {
        self.put(&self.named(name(object)), object, options).await
    }

    /// Replaces the status of the object of this name, and leaves the rest.
    ///
    /// # Errors
    /// As [`RestClient::update`].
    pub async fn update_status(&self, object: &K, options: &UpdateOptions) -> Result<K, Error> {
        self.put(&self.named(name(object)).subresource("status"), object, options).await
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
    /// As [`RestClient::get`]; [`Error::Undecodable`] when what came is of another kind.
    pub async fn get(&self, name: &str, options: &GetOptions) -> Result<K, Error> {
        self.read(&self.named(name), options).await
    }

    /// Lists one page, with what the server says of the list.
    ///
    /// # Errors
    /// As [`RestClient::list`]; [`Error::Undecodable`] when what came is of another kind.
    pub async fn list(&self, options: &ListOptions) -> Result<List<K>, Error>
    where
        K: ListableResource,
    {
        let path = address(&self.path, &options.to_query(), Accept::Object)?;
        let request = reading(path, Accept::Object.list_header());
        self.client.answer(Request { traffic: Traffic::List, ..request }).await
    }

    /// Opens a watch. Its objects come without `managedFields`.
    ///
    /// # Errors
    /// As [`RestClient::watch`]. Within the stream, [`Error::Undecodable`] when an object is of another kind.
    pub async fn watch(&self, options: &ListOptions) -> Result<TypedWatch<K>, Error> {
        Ok(typed_events(self.client.watch(&self.path, options).await?))
    }

    /// Changes the object of this name.
    ///
    /// # Errors
    /// As [`RestClient::patch`].
    pub async fn patch(&self, name: &str, patch: &Patch, options: &PatchOptions) -> Result<K, Error> {
        self.client.answer(patching(&self.named(name), patch, options, Accept::Object)?).await
    }

    /// Owns the fields that stand in the object: server-side apply.
    ///
    /// The type's fields that are no options are always sent, and so owned; where that is too much, a
    /// [`Patch::Apply`] names the fields one by one.
    ///
    /// # Errors
    /// As [`RestClient::apply`].
    pub async fn apply(&self, object: &K, options: &ApplyOptions) -> Result<K, Error> {
        self.apply_at(&self.named(name(object)), object, options).await
    }

    /// Owns the fields of the status that stand in the object.
    ///
    /// # Errors
    /// As [`RestClient::apply`].
    pub async fn apply_status(&self, object: &K, options: &ApplyOptions) -> Result<K, Error> {
        self.apply_at(&self.named(name(object)).subresource("status"), object, options).await
    }

    pub(super) fn named(&self, name: &str) -> ResourcePath {
        self.path.clone().named(name)
    }

    pub(super) async fn read<T: DeserializeOwned>(&self, path: &ResourcePath, how: &GetOptions) -> Result<T, Error> {
        self.client.answer(reading(address(path, &how.to_query(), Accept::Object)?, Accept::Object.header())).await
    }

    pub(super) async fn post<T: Serialize, A: DeserializeOwned>(
        &self,
        path: &ResourcePath,
        body: &T,
        options: &CreateOptions,
    ) -> Result<A, Error> {
        self.client.answer(writing(Method::Post, path, &options.to_query(), body)?).await
    }

    pub(super) async fn put<T: Serialize + DeserializeOwned>(
        &self,
        path: &ResourcePath,
        body: &T,
        options: &UpdateOptions,
    ) -> Result<T, Error> {
        self.client.answer(writing(Method::Put, path, &options.to_query(), body)?).await
    }

    pub(super) async fn apply_at<T: Serialize + DeserializeOwned>(
        &self,
        path: &ResourcePath,
        body: &T,
        options: &ApplyOptions,
    ) -> Result<T, Error> {
        let mut body = serde_json::to_value(body).map_err(|error| Error::NotSent { reason: error.to_string() })?;
        // The server refuses an apply that says who owns what.
        if let Some(metadata) = body.get_mut("metadata").and_then(serde_json::Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        self.client.answer(patching(path, &Patch::Apply(body), &options.into(), Accept::Object)?).await
    }
}

/// Empty when there is none, which no path takes.
fn name<K: Kind>(object: &K) -> &str {
    object.metadata().name.as_deref().unwrap_or_default()
}

impl<K> Clone for Api<K> {
    fn clone(&self) -> Self {
        Self { client: self.client.clone(), path: self.path.clone(), kind: PhantomData }
    }
}

impl<K> fmt::Debug for Api<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("path", &self.path.to_string()).finish_non_exhaustive()
    }
}
