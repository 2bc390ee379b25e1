//! An API server in memory: lists, watches and writes as the real one answers them, and the faults in between.
//!
//! One implementation, several doors: [`ApiServer::transport`] and [`ApiServer::sockets`] for tests and for the page with
//! the demo cluster inside, and HTTP with WebSockets for end-to-end tests (`http`, feature `testing-http`).
//! `list`, `watch`, `discovery` only read; `write` and `deletion` alone change objects, and only through `store`.
//! What the server does not offer it refuses with a Status that says so.
//!
//! What differs from the real server:
//! - There is no kubelet and no controller but the garbage collector and the namespaces' controller, which do their part
//!   at once, within the request. Pods go at once, unless somebody says that he plays the kubelet.
//! - Of built-in kinds it knows no schemas: it fills in no defaults, checks metadata alone, and refuses
//!   `fieldValidation=Strict`, because it could not tell an unknown field. It warns of fields that stand twice.
//! - Configurations to apply are read as JSON only.
//! - Who sets which field is noted of what comes over the wire, not of what the same program creates.
//! - It leaves out the descriptions of a table's columns, the storage hashes of discovery, the API services that the real
//!   server registers for its own groups, and the roles that it begins with; everybody's right to read what the server
//!   says of itself is there all the same.

mod accept;
mod body;
mod crd;
mod deletion;
mod deletion_requests;
mod discovery;
mod effects;
mod exec;
mod faults;
mod kinds;
mod list;
mod log;
mod managed_fields;
mod patch;
mod patch_strategic;
mod query;
mod refusal;
mod render;
mod requests;
mod reviews;
mod rights;
mod routes;
mod scale;
mod selectors;
mod sockets;
mod store;
mod table;
mod transport;
mod update_rules;
mod validation;
mod watch;
mod write;

#[cfg(feature = "testing-http")]
pub mod http;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use event_listener::Event;
use serde::Serialize;

use super::objects;
use crate::api::Manifest;
use crate::runtime::Runtime;
use kinds::{Kind, Kinds};

pub use faults::{Fault, FaultRule};
pub use rights::User;

/// The numbers of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiServerOptions {
    /// How many changes of each resource are remembered, for watches and pages that start in the past. Each keeps an
    /// object alive, some 20 KB for a realistic pod.
    pub history: usize,
    /// How often a quiet watch that asked for bookmarks gets one.
    pub bookmark_interval: Duration,
    /// Whether a limit counts for lists with resourceVersion "0", as without the real server's watch cache.
    pub pages_from_cache: bool,
    /// Whether a watch may ask for the initial events and a bookmark that marks their end, as from Kubernetes 1.34 on.
    pub watch_list: bool,
    /// Of uids and generated names.
    pub seed: u64,
}

impl Default for ApiServerOptions {
    /// The real server's numbers; its history is 100 to 102,400 changes.
    fn default() -> Self {
        Self {
            history: 2_000,
            bookmark_interval: Duration::from_secs(60),
            pages_from_cache: false,
            watch_list: true,
            seed: 1,
        }
    }
}

/// An API server in memory. Clones are the same server.
#[derive(Clone)]
pub struct ApiServer {
    inner: Rc<Inner>,
}

struct Inner {
    runtime: Runtime,
    options: ApiServerOptions,
    kinds: RefCell<Kinds>,
    store: RefCell<store::Store>,
    faults: RefCell<faults::Faults>,
    rights: RefCell<rights::Rights>,
    logs: RefCell<log::Logs>,
    has_kubelet: Cell<bool>,
    open_watches: watch::OpenWatches,
    /// Wakes all watches to look again: at the store and at the faults.
    changed: Event,
}

impl ApiServer {
    /// A server with the namespaces `default` and `kube-system` and nothing else.
    pub fn new(runtime: Runtime) -> Self {
        Self::with_options(runtime, ApiServerOptions::default())
    }

    pub fn with_options(runtime: Runtime, options: ApiServerOptions) -> Self {
        let store = RefCell::new(store::Store::new(options.history, options.seed));
        let inner = Inner {
            runtime,
            options,
            kinds: RefCell::new(Kinds::new()),
            store,
            faults: RefCell::default(),
            rights: RefCell::default(),
            logs: RefCell::default(),
            has_kubelet: Cell::default(),
            open_watches: watch::OpenWatches::default(),
            changed: Event::new(),
        };
        let server = Self { inner: Rc::new(inner) };
        for name in ["default", "kube-system"] {
            server.create(objects::namespace(name)).expect("an empty server takes a namespace");
        }
        server
    }

    /// An object by its plural resource, or by the qualified one, `widgets.example.com`; the namespace is empty for
    /// cluster-scoped ones.
    pub fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Arc<Manifest>> {
        self.inner.store.borrow().get(&*self.kind(resource)?, namespace, name)
    }

    /// All objects of a resource, sorted by namespace and name; none of a resource that the server does not have.
    pub fn objects(&self, resource: &str) -> Vec<Arc<Manifest>> {
        let Some(kind) = self.kind(resource) else { return Vec::new() };
        let store = self.inner.store.borrow();
        store.objects_from(&kind, "").map(|(_, object)| Arc::clone(object)).collect()
    }

    /// The newest resourceVersion.
    pub fn resource_version(&self) -> String {
        self.inner.store.borrow().current().to_string()
    }

    /// Creates so many realistic running pods in the namespace, on nodes of their own that are created when missing.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn load_pods(&self, namespace: &str, count: usize) -> Result<(), Box<crate::api::Status>> {
        const PODS_PER_NODE: usize = 100;
        let present = self.objects("pods").iter().filter(|pod| pod.namespace() == namespace).count();
        for number in present..present + count {
            let node = format!("load-{}", number / PODS_PER_NODE);
            if self.get("nodes", "", &node).is_none() {
                self.create(objects::node(&node))?;
            }
            self.seed(objects::loaded_pod(namespace, number, &node, self.wall_seconds()))?;
        }
        Ok(())
    }

    /// Forgets the history: a watch or a page from any resourceVersion known until now is answered with 410.
    pub fn compact(&self) {
        self.inner.store.borrow_mut().compact();
        self.inner.changed.notify(usize::MAX);
    }

    /// Switches a fault on, until it is used up or cleared.
    pub fn inject(&self, fault: impl Into<FaultRule>) {
        self.inner.faults.borrow_mut().add(fault.into());
        self.inner.changed.notify(usize::MAX);
    }

    /// The faults that are switched on and not used up.
    pub fn faults(&self) -> Vec<FaultRule> {
        self.inner.faults.borrow().rules().to_vec()
    }

    /// The watches whose path with its query contains this and that have told everything so far, by numbers that each
    /// watch gets once. A watch that went silent or sent garbage is none of them.
    pub fn open_watches(&self, path: &str) -> Vec<u64> {
        self.inner.open_watches.numbers(path)
    }

    /// Switches all faults off. A watch that has gone silent stays so: its connection is dead.
    pub fn clear_faults(&self) {
        self.inner.faults.borrow_mut().clear();
    }

    /// Takes a right away from `demo`, who sends requests without a token.
    ///
    /// `verb` and `resource` may be `*`. The namespace is none for requests at the cluster scope, all namespaces
    /// included; `*` is every scope.
    pub fn forbid(&self, verb: &str, resource: &str, namespace: Option<&str>) {
        self.inner.rights.borrow_mut().forbid(verb, resource, namespace);
    }

    /// Whether somebody plays the kubelet: then a pod on a node that a client deletes is only marked as terminating,
    /// for that one to [`delete`](Self::delete).
    pub fn set_has_kubelet(&self, has_kubelet: bool) {
        self.inner.has_kubelet.set(has_kubelet);
    }

    /// Serves metrics.k8s.io too, as metrics-server does: to be read, and not to be watched. Its objects are written as
    /// any others, by the qualified names, `nodes.metrics.k8s.io`.
    pub fn serve_metrics(&self) {
        self.inner.kinds.borrow_mut().put_metrics();
    }

    /// A kind by its plural or its qualified name.
    fn kind(&self, resource: &str) -> Option<Rc<Kind>> {
        self.inner.kinds.borrow().by_resource(resource)
    }

    /// All kinds, also those of custom resources.
    fn kinds(&self) -> Vec<Rc<Kind>> {
        self.inner.kinds.borrow().all().to_vec()
    }

    /// Gives all rights back.
    pub fn allow_all(&self) {
        self.inner.rights.borrow_mut().allow_all();
    }
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer").field("resource_version", &self.resource_version()).finish_non_exhaustive()
    }
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("the server's own values have only texts as keys")
}
