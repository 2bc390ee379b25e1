use std::marker::PhantomData;

use super::Kind;
use super::typed_event::from_object;
use crate::api::{Error, LabelSelector, Object};
use crate::cache::{GenericLister, GenericNamespaceLister, SharedInformer, SharedInformerFactory};

/// A factory's informer of one kind, and a lister that gives its objects by their type
/// (client-go: `informers/core/v1/pod.go`, `PodInformer`, and its siblings).
///
/// The store holds what it always holds; whoever reads by the type has a copy made.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::rc::Rc;
/// use k8s_openapi::api::core::v1::Pod;
/// use watchglass::{api::LabelSelector, cache::SharedInformerFactory};
/// use watchglass::rest::{Config, RestClient, clientset::TypedInformer};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer, objects};
/// # let sandbox = Sandbox::new();
/// # let server = ApiServer::new(sandbox.runtime());
/// # server.seed(objects::pod("shop", "web-0")).unwrap();
/// let client = RestClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
/// let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(client));
/// let pods = TypedInformer::<Pod>::of(&factory);
/// factory.start();
/// sandbox.block_on(factory.wait_for_cache_sync());
/// let pods = pods.lister().list(&LabelSelector::everything())?;
/// assert_eq!(pods[0].metadata.name.as_deref(), Some("web-0"));
/// # }
/// # Ok::<(), watchglass::api::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TypedInformer<K> {
    informer: SharedInformer,
    lister: TypedLister<K>,
}

impl<K: Kind> TypedInformer<K> {
    /// The factory's informer of this kind, made at the first call.
    pub fn of(factory: &SharedInformerFactory) -> Self {
        let generic = factory.for_resource(&K::resource());
        Self { informer: generic.informer, lister: TypedLister { lister: generic.lister, kind: PhantomData } }
    }

    /// For handlers and indexes. A handler's objects become typed by [`from_object`].
    pub fn informer(&self) -> &SharedInformer {
        &self.informer
    }

    /// Reads the informer's store; it is empty until the informer has synced.
    pub fn lister(&self) -> &TypedLister<K> {
        &self.lister
    }
}

/// Reads an informer's objects by their type (client-go: `listers/core/v1/pod.go`, `PodLister`, and its siblings).
#[derive(Clone, Debug)]
pub struct TypedLister<K> {
    lister: GenericLister,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> TypedLister<K> {
    /// The objects of all namespaces that the selector matches, in no particular order.
    ///
    /// # Errors
    /// [`Error::Undecodable`] for the first object that is not as its type has it.
    pub fn list(&self, selector: &LabelSelector) -> Result<Vec<K>, Error> {
        decoded(&self.lister.list(selector))
    }

    /// The object whose key this is: the name of a cluster-scoped one.
    ///
    /// # Errors
    /// A Status "not found" when there is none; [`Error::Undecodable`] when it is not as its type has it.
    pub fn get(&self, key: &str) -> Result<K, Error> {
        from_object(&self.lister.get(key)?)
    }

    /// A lister of one namespace.
    #[doc(alias = "Pods")]
    pub fn by_namespace(&self, namespace: &str) -> TypedNamespaceLister<K> {
        TypedNamespaceLister { lister: self.lister.by_namespace(namespace), kind: PhantomData }
    }
}

/// Reads an informer's objects in one namespace by their type
/// (client-go: `listers/core/v1/pod.go`, `PodNamespaceLister`, and its siblings).
#[derive(Clone, Debug)]
pub struct TypedNamespaceLister<K> {
    lister: GenericNamespaceLister,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> TypedNamespaceLister<K> {
    /// The namespace's objects that the selector matches, in no particular order.
    ///
    /// # Errors
    /// As [`TypedLister::list`].
    pub fn list(&self, selector: &LabelSelector) -> Result<Vec<K>, Error> {
        decoded(&self.lister.list(selector))
    }

    /// The namespace's object of this name.
    ///
    /// # Errors
    /// As [`TypedLister::get`].
    pub fn get(&self, name: &str) -> Result<K, Error> {
        from_object(&self.lister.get(name)?)
    }
}

fn decoded<K: Kind>(objects: &[Object]) -> Result<Vec<K>, Error> {
    objects.iter().map(from_object).collect()
}
