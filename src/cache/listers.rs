use std::rc::Rc;

use super::index::NAMESPACE_INDEX;
use super::indexer::Indexer;
use super::store::Store;
use crate::api::{Error, GroupVersionResource, LabelSelector, Object, Status, StatusDetails};

/// The store's objects that the selector matches, in no particular order
/// (client-go: `tools/cache/listers.go`, `ListAll`).
pub fn list_all(store: &dyn Store, selector: &LabelSelector) -> Vec<Object> {
    if selector.matches_nothing() {
        return Vec::new();
    }
    selected(store.list(), selector)
}

/// The objects of one namespace that the selector matches, in no particular order; of all for an empty namespace
/// (client-go: `tools/cache/listers.go`, `ListAllByNamespace`).
///
/// They are found by [`NAMESPACE_INDEX`]; without that index all objects are looked at.
pub fn list_all_by_namespace(indexer: &Indexer, namespace: &str, selector: &LabelSelector) -> Vec<Object> {
    if selector.matches_nothing() {
        return Vec::new();
    }
    if namespace.is_empty() {
        return list_all(indexer, selector);
    }
    let objects = indexer.by_index(NAMESPACE_INDEX, namespace).unwrap_or_else(|error| {
        tracing::warn!(%error, "all objects are looked at for those of one namespace");
        let mut objects = indexer.list();
        objects.retain(|object| object.namespace() == namespace);
        objects
    });
    selected(objects, selector)
}

fn selected(mut objects: Vec<Object>, selector: &LabelSelector) -> Vec<Object> {
    if !selector.is_everything() {
        objects.retain(|object| selector.matches_by(|key| object.label(key)));
    }
    objects
}

/// Reads an informer's objects as a client would read the server's
/// (client-go: `tools/cache/listers.go`, `GenericLister`).
///
/// Objects of all kinds are of one type here, so it is `dynamiclister` and `metadatalister` too.
///
/// ```
/// use std::rc::Rc;
/// use watchglass::api::{GroupVersionResource, LabelSelector, Manifest};
/// use watchglass::cache::{GenericLister, Indexer, Indexers};
///
/// let indexer = Rc::new(Indexer::new(Indexers::new()));
/// let mut pod = Manifest::default();
/// (pod.metadata.namespace, pod.metadata.name) = ("shop".into(), "web-0".into());
/// indexer.add(pod.into())?;
/// let pods = GenericLister::new(indexer, GroupVersionResource::core("pods"));
/// assert_eq!(pods.list(&LabelSelector::everything()).len(), 1);
/// assert!(pods.by_namespace("shop").get("web-0").is_ok());
/// assert!(pods.by_namespace("shop").get("web-1").unwrap_err().status().unwrap().is_not_found());
/// # Ok::<(), watchglass::cache::StoreError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "dynamiclister")]
#[doc(alias = "metadatalister")]
pub struct GenericLister {
    indexer: Rc<Indexer>,
    resource: GroupVersionResource,
}

impl GenericLister {
    /// A lister of the resource's objects, which the indexer holds.
    pub fn new(indexer: Rc<Indexer>, resource: GroupVersionResource) -> Self {
        Self { indexer, resource }
    }

    /// The objects of all namespaces that the selector matches, in no particular order.
    pub fn list(&self, selector: &LabelSelector) -> Vec<Object> {
        list_all(&*self.indexer, selector)
    }

    /// The object whose key this is: the name of a cluster-scoped one.
    ///
    /// # Errors
    /// As the server would answer, when there is none: a status with the reason `NotFound`.
    pub fn get(&self, name: &str) -> Result<Object, Error> {
        self.indexer.get_by_key(name).ok_or_else(|| not_found(&self.resource, name))
    }

    /// A lister of one namespace.
    #[doc(alias = "Namespace")]
    pub fn by_namespace(&self, namespace: impl Into<String>) -> GenericNamespaceLister {
        GenericNamespaceLister { lister: self.clone(), namespace: namespace.into() }
    }
}

/// Reads an informer's objects in one namespace (client-go: `tools/cache/listers.go`, `GenericNamespaceLister`).
#[derive(Clone, Debug)]
pub struct GenericNamespaceLister {
    lister: GenericLister,
    namespace: String,
}

impl GenericNamespaceLister {
    /// The namespace's objects that the selector matches, in no particular order.
    pub fn list(&self, selector: &LabelSelector) -> Vec<Object> {
        list_all_by_namespace(&self.lister.indexer, &self.namespace, selector)
    }

    /// The namespace's object of this name.
    ///
    /// # Errors
    /// As [`GenericLister::get`].
    pub fn get(&self, name: &str) -> Result<Object, Error> {
        let GenericLister { indexer, resource } = &self.lister;
        indexer.get_by_key(&format!("{}/{name}", self.namespace)).ok_or_else(|| not_found(resource, name))
    }
}

fn not_found(resource: &GroupVersionResource, name: &str) -> Error {
    let details = StatusDetails {
        group: resource.group.clone(),
        kind: resource.resource.clone(),
        name: name.into(),
        ..StatusDetails::default()
    };
    let status = Status::failure(404, format!("{resource} {name:?} not found"));
    Error::from(Status { details: Some(details), ..status })
}
