//! What this controller is for: beside each source stands a copy of it, with its values in upper case.

use std::rc::Rc;

use serde_json::{Map, Value};
use watchglass::api::{
    CreateOptions, DeleteOptions, Error, GroupVersionResource, Manifest, Object, Preconditions, ResourcePath,
    UpdateOptions, ValueRef,
};
use watchglass::cache::{
    FactoryOptions, KeyFormatError, SharedInformer, SharedInformerFactory, split_meta_namespace_key,
};
use watchglass::rest::RestClient;
use watchglass::runtime::Runtime;

use crate::controller::{RESYNC_PERIOD, Reconcile};

/// What is to be copied.
pub const SOURCE_LABEL: &str = "watchglass.example/source";
/// What the controller has made, and may change and delete.
pub const COPY_LABEL: &str = "watchglass.example/copy";

const COPY_SUFFIX: &str = "-copy";

pub fn config_maps() -> GroupVersionResource {
    GroupVersionResource::core("configmaps")
}

/// The informers of a namespace's ConfigMaps with a label. A factory has one informer for a resource: two selections of
/// the same resource are two factories.
pub fn labelled(runtime: &Runtime, client: &RestClient, namespace: &str, label: &str) -> SharedInformerFactory {
    let label_selector = format!("{label}=true");
    let options = FactoryOptions {
        namespace: Some(namespace.into()),
        tweak_list_options: Some(Rc::new(move |options| options.label_selector.clone_from(&label_selector))),
        resync_period: RESYNC_PERIOD,
        ..FactoryOptions::default()
    };
    SharedInformerFactory::with_options(runtime.clone(), Rc::new(client.clone()), options)
}

/// A source is worked on under its own key.
pub fn key_of_source(key: &str) -> Option<String> {
    Some(key.to_owned())
}

/// A copy is worked on under the key of its source, so that one worker has both.
pub fn key_of_copy(key: &str) -> Option<String> {
    key.strip_suffix(COPY_SUFFIX).map(str::to_owned)
}

/// Makes copies as their sources are. It reads the caches, and asks the server only to change something.
///
/// The copies have no ownerReference: with one, the garbage collector would remove them without the controller.
pub struct Copies {
    pub client: RestClient,
    pub sources: SharedInformer,
    pub copies: SharedInformer,
}

/// Why a key has to be worked on again.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Another program changed the copy, or the cache has not heard yet of the last change.
    #[error("the copy is not what the cache holds: {0}")]
    Outdated(#[source] Error),

    /// Either as above, or somebody has a ConfigMap of the copy's name: rename that one, or the source.
    #[error("there is a ConfigMap of the copy's name already, and the cache knows no copy: {0}")]
    NameTaken(#[source] Error),

    #[error("the copy could not be written: {0}")]
    Write(#[source] Error),

    #[error(transparent)]
    Key(#[from] KeyFormatError),

    #[error("the copy in the cache cannot be read: {0}")]
    Read(#[from] serde_json::Error),
}

impl Reconcile for Copies {
    type Error = CopyError;

    async fn reconcile(&self, key: &str) -> Result<(), CopyError> {
        let source = self.sources.indexer().get_by_key(key);
        let copy = self.copies.indexer().get_by_key(&format!("{key}{COPY_SUFFIX}"));
        match (source, copy) {
            (None, None) => Ok(()),
            (None, Some(copy)) => self.delete(&copy).await,
            (Some(source), None) => self.create(key, &source).await,
            (Some(source), Some(copy)) if data(&copy) == data_of_copy(&source) => Ok(()),
            (Some(source), Some(copy)) => self.correct(&copy, &source).await,
        }
    }
}

impl Copies {
    async fn create(&self, key: &str, source: &Object) -> Result<(), CopyError> {
        let (namespace, name) = split_meta_namespace_key(key)?;
        let mut copy = Manifest { api_version: "v1".into(), kind: "ConfigMap".into(), ..Manifest::default() };
        copy.metadata.namespace = namespace.into();
        copy.metadata.name = format!("{name}{COPY_SUFFIX}");
        copy.metadata.labels.insert(COPY_LABEL.into(), "true".into());
        copy.fields.insert("data".into(), data_of_copy(source).into());
        let path = ResourcePath::all(config_maps()).in_namespace(namespace);
        self.client.create(&path, &copy, &CreateOptions::default()).await.map(drop).map_err(why)
    }

    /// Carries the resourceVersion of the object that was judged, so that no change made meanwhile is lost.
    async fn correct(&self, copy: &Object, source: &Object) -> Result<(), CopyError> {
        // Objects in a cache are shared: what is to be changed is a copy of its own.
        let mut correct = copy.to_manifest()?;
        correct.fields.insert("data".into(), data_of_copy(source).into());
        self.client.update(&path_of(copy), &correct, &UpdateOptions::default()).await.map(drop).map_err(why)
    }

    /// Only the very object that was judged: by now somebody may have another one of its name.
    async fn delete(&self, copy: &Object) -> Result<(), CopyError> {
        let preconditions = Preconditions { uid: Some(copy.uid().into_owned()), resource_version: None };
        match self.client.delete(&path_of(copy), &DeleteOptions { preconditions, ..DeleteOptions::default() }).await {
            Err(error) if !error.is_not_found() => Err(why(error)),
            _ => Ok(()),
        }
    }
}

fn path_of(copy: &Object) -> ResourcePath {
    ResourcePath::all(config_maps()).in_namespace(copy.namespace()).named(copy.name())
}

/// A ConfigMap without values may have an empty map, or none.
fn data(object: &Object) -> Map<String, Value> {
    match object.get(&["data"]).map(ValueRef::to_value) {
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    }
}

fn data_of_copy(source: &Object) -> Map<String, Value> {
    let upper = |value: &Value| value.as_str().unwrap_or_default().to_uppercase().into();
    data(source).iter().map(|(name, value)| (name.clone(), upper(value))).collect()
}

fn why(error: Error) -> CopyError {
    if error.is_conflict() || error.is_not_found() {
        CopyError::Outdated(error)
    } else if error.is_already_exists() {
        CopyError::NameTaken(error)
    } else {
        CopyError::Write(error)
    }
}
