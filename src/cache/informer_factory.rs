use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Deref;
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::future::{join_all, select};
use indexmap::IndexMap;

use super::informer_options::InformerOptions;
use super::list_watch::{FilteredListWatch, ListerWatcher, OptionsModifier};
use super::listers::GenericLister;
use super::shared_informer::SharedInformer;
use crate::api::GroupVersionResource;
use crate::runtime::{Runtime, StopSource, Task};

/// Gives the lister-watcher of a resource, in one namespace or in all; a client to an API server is one
/// (client-go has no such thing: its factories take a client).
pub trait ListerWatcherSource {
    /// Lists and watches the resource; in all namespaces when none is given.
    fn lister_watcher(&self, resource: &GroupVersionResource, namespace: Option<&str>) -> Rc<dyn ListerWatcher>;
}

/// What a factory's informers have in common (client-go: `informers/factory.go`, `SharedInformerOption`).
#[derive(Clone, Default)]
pub struct FactoryOptions {
    /// Of all resources that have no period of their own; never when zero.
    pub resync_period: Duration,
    /// The periods of single resources; never when zero.
    #[doc(alias = "WithCustomResyncConfig")]
    pub custom_resync_periods: IndexMap<GroupVersionResource, Duration>,
    /// All namespaces when absent.
    pub namespace: Option<String>,
    /// Changes the options of every list and watch, selectors for example.
    #[doc(alias = "WithTweakListOptions")]
    pub tweak_list_options: Option<OptionsModifier>,
    /// The resync period and the description are the factory's own.
    pub informer: InformerOptions,
}

/// One informer for each resource, however many use it
/// (client-go: `informers/factory.go`, `dynamic/dynamicinformer/informer.go`, `metadata/metadatainformer/informer.go`;
/// since all objects are of one type here, these are one).
///
/// A handle: clones are of the same factory. The informers end with [`shutdown`](Self::shutdown), or with the last
/// handle.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::rc::Rc;
/// use watchglass::{api::GroupVersionResource, cache::SharedInformerFactory, rest::{Config, RestClient}};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer, objects};
/// # let sandbox = Sandbox::new();
/// # let server = ApiServer::new(sandbox.runtime());
/// # server.create(objects::pod("default", "web-0")).unwrap();
/// let client = RestClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
/// let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(client));
/// let pods = factory.for_resource(&GroupVersionResource::core("pods"));
/// factory.start();
/// sandbox.block_on(factory.wait_for_cache_sync());
/// assert!(pods.lister.by_namespace("default").get("web-0").is_ok());
/// # }
/// ```
#[doc(alias = "DynamicSharedInformerFactory")]
#[derive(Clone)]
pub struct SharedInformerFactory {
    inner: Rc<Inner>,
}

struct Inner {
    runtime: Runtime,
    source: Rc<dyn ListerWatcherSource>,
    options: FactoryOptions,
    entries: RefCell<IndexMap<GroupVersionResource, Entry>>,
    is_shut_down: Cell<bool>,
}

struct Entry {
    informer: SharedInformer,
    running: Option<Running>,
    /// Who holds leases, by the name that each gave.
    users: Vec<&'static str>,
    /// It was asked for without a lease, so that it stays as long as the factory.
    is_kept: bool,
}

struct Running {
    _task: Task,
    _stop: StopSource,
}

impl SharedInformerFactory {
    /// All namespaces, no resyncs.
    pub fn new(runtime: Runtime, source: Rc<dyn ListerWatcherSource>) -> Self {
        Self::with_options(runtime, source, FactoryOptions::default())
    }

    /// A factory without informers yet; each is made when it is first asked for.
    pub fn with_options(runtime: Runtime, source: Rc<dyn ListerWatcherSource>, options: FactoryOptions) -> Self {
        let (entries, is_shut_down) = (RefCell::default(), Cell::new(false));
        Self { inner: Rc::new(Inner { runtime, source, options, entries, is_shut_down }) }
    }

    /// The resource's informer, made at the first call; [`start`](Self::start) starts it. A stopped one is replaced.
    #[doc(alias = "InformerFor")]
    pub fn informer_for(&self, resource: &GroupVersionResource) -> SharedInformer {
        self.inner.with_entry(resource, |entry| {
            entry.is_kept = true;
            entry.informer.clone()
        })
    }

    /// The resource's informer and a lister over its store.
    #[doc(alias = "ForResource")]
    pub fn for_resource(&self, resource: &GroupVersionResource) -> GenericInformer {
        let informer = self.informer_for(resource);
        let lister = GenericLister::new(informer.shared_indexer(), resource.clone());
        GenericInformer { informer, lister }
    }

    /// The resource's informer, started, for as long as the lease is held. With its last lease it stops and is
    /// forgotten, unless [`informer_for`](Self::informer_for) gave it away: the definition of a custom resource may be
    /// deleted, and nobody should ask for its objects for ever (kubernetes/kubernetes#79610).
    pub fn lease(&self, resource: &GroupVersionResource) -> InformerLease {
        self.lease_for(resource, "")
    }

    /// As [`lease`](Self::lease), by somebody whom [`informers`](Self::informers) names.
    pub fn lease_for(&self, resource: &GroupVersionResource, user: &'static str) -> InformerLease {
        let informer = self.inner.with_entry(resource, |entry| {
            entry.users.push(user);
            entry.informer.clone()
        });
        self.inner.start(resource);
        InformerLease { factory: Rc::downgrade(&self.inner), resource: resource.clone(), informer, user }
    }

    /// The informers that there are, in the order in which they were first asked for.
    pub fn informers(&self) -> Vec<InformerInUse> {
        let entries = self.inner.entries.borrow();
        let all = entries.iter().map(|(resource, entry)| InformerInUse {
            resource: resource.clone(),
            namespace: self.inner.options.namespace.clone(),
            informer: entry.informer.clone(),
            users: entry.users.clone(),
        });
        all.collect()
    }

    /// Starts the informers that have not been started. Does nothing after a shutdown.
    pub fn start(&self) {
        let resources: Vec<_> = self.inner.entries.borrow().keys().cloned().collect();
        resources.iter().for_each(|resource| self.inner.start(resource));
    }

    /// Waits until each started informer has received its first list, or has stopped; tells which are synced.
    pub async fn wait_for_cache_sync(&self) -> IndexMap<GroupVersionResource, bool> {
        let started = self.started();
        let waits = started.into_iter().map(|(resource, informer)| async move {
            select(std::pin::pin!(informer.synced()), std::pin::pin!(informer.stopped())).await;
            (resource, informer.has_synced())
        });
        join_all(waits).await.into_iter().collect()
    }

    /// Stops all informers and waits until they have ended.
    pub async fn shutdown(&self) {
        self.inner.is_shut_down.set(true);
        let started = self.started();
        // Taken out first: the end of a task may come back here.
        let running: Vec<_> = self.inner.entries.borrow_mut().values_mut().filter_map(|it| it.running.take()).collect();
        let (tasks, stops): (Vec<_>, Vec<_>) = running.into_iter().map(|it| (it._task, it._stop)).unzip();
        drop(stops);
        join_all(started.iter().map(|(_, informer)| informer.stopped())).await;
        drop(tasks);
    }

    fn started(&self) -> Vec<(GroupVersionResource, SharedInformer)> {
        let entries = self.inner.entries.borrow();
        let started = entries.iter().filter(|(_, entry)| entry.running.is_some());
        started.map(|(resource, entry)| (resource.clone(), entry.informer.clone())).collect()
    }
}

impl Inner {
    /// Calls with the resource's entry, a new one if there is none or its informer has stopped.
    fn with_entry<R>(&self, resource: &GroupVersionResource, call: impl FnOnce(&mut Entry) -> R) -> R {
        let is_usable = |entry: &Entry| !entry.informer.is_stopped() || self.is_shut_down.get();
        if !self.entries.borrow().get(resource).is_some_and(is_usable) {
            let entry =
                Entry { informer: self.new_informer(resource), running: None, users: Vec::new(), is_kept: false };
            let stopped = self.entries.borrow_mut().insert(resource.clone(), entry);
            drop(stopped);
        }
        call(&mut self.entries.borrow_mut()[resource])
    }

    fn new_informer(&self, resource: &GroupVersionResource) -> SharedInformer {
        let FactoryOptions { resync_period, custom_resync_periods, namespace, tweak_list_options, informer } =
            &self.options;
        let mut lister_watcher = self.source.lister_watcher(resource, namespace.as_deref());
        if let Some(tweak) = tweak_list_options {
            lister_watcher = Rc::new(FilteredListWatch::new(lister_watcher, Rc::clone(tweak)));
        }
        let mut options = informer.clone();
        options.resync_period = custom_resync_periods.get(resource).copied().unwrap_or(*resync_period);
        options.reflector.description = resource.to_string();
        SharedInformer::with_options(self.runtime.clone(), lister_watcher, options)
    }

    fn start(&self, resource: &GroupVersionResource) {
        let idle = |entry: &Entry| entry.running.is_none().then(|| entry.informer.clone());
        let informer = self.entries.borrow().get(resource).and_then(idle);
        let Some(informer) = informer.filter(|_| !self.is_shut_down.get()) else { return };
        let stop = StopSource::new();
        let token = stop.token();
        let task = self.runtime.spawn(async move { informer.run(token).await });
        if let Some(entry) = self.entries.borrow_mut().get_mut(resource) {
            entry.running = Some(Running { _task: task, _stop: stop });
        }
    }

    fn release(&self, resource: &GroupVersionResource, informer: &SharedInformer, user: &str) {
        let mut entries = self.entries.borrow_mut();
        // The lease may be of an informer that stopped and was replaced.
        let Some(entry) = entries.get_mut(resource).filter(|entry| entry.informer.is_same(informer)) else { return };
        if let Some(at) = entry.users.iter().position(|other| *other == user) {
            entry.users.swap_remove(at);
        }
        if !entry.users.is_empty() || entry.is_kept {
            return;
        }
        let released = entries.shift_remove(resource);
        drop(entries);
        drop(released);
    }
}

/// An informer with its lister (client-go: `informers/generic.go`, `GenericInformer`).
#[derive(Clone, Debug)]
pub struct GenericInformer {
    /// For handlers and indexes.
    pub informer: SharedInformer,
    /// Reads the informer's store; it is empty until the informer has synced.
    pub lister: GenericLister,
}

/// An informer of a factory, and who uses it (client-go has no such thing).
#[derive(Clone, Debug)]
pub struct InformerInUse {
    /// What it lists and watches.
    pub resource: GroupVersionResource,
    /// In which namespace; none for all.
    pub namespace: Option<String>,
    /// The informer itself, which does not stay for this.
    pub informer: SharedInformer,
    /// A name for each lease, empty for those that gave none.
    pub users: Vec<&'static str>,
}

/// Keeps an informer running (client-go has no such thing; kubernetes/kubernetes#79610 asks for it).
#[must_use = "the informer may stop when this is dropped"]
pub struct InformerLease {
    factory: Weak<Inner>,
    resource: GroupVersionResource,
    informer: SharedInformer,
    user: &'static str,
}

impl Deref for InformerLease {
    type Target = SharedInformer;

    fn deref(&self) -> &SharedInformer {
        &self.informer
    }
}

impl Drop for InformerLease {
    fn drop(&mut self) {
        if let Some(factory) = self.factory.upgrade() {
            factory.release(&self.resource, &self.informer, self.user);
        }
    }
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resources: Vec<_> = self.inner.entries.borrow().keys().map(ToString::to_string).collect();
        f.debug_struct("SharedInformerFactory").field("informers", &resources).finish_non_exhaustive()
    }
}

impl fmt::Debug for InformerLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerLease").field("resource", &self.resource.to_string()).finish_non_exhaustive()
    }
}
