use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use futures::channel::oneshot;
use indexmap::IndexMap;

use super::list_watch::ListerWatcher;
use super::shared_informer::SharedInformer;
use crate::api::GroupVersionResource;
use crate::runtime::{Runtime, StopSource, Task};

/// Gives the lister-watcher of a resource in all namespaces; a client to an API server is one.
pub trait ListerWatcherSource {
    fn lister_watcher(&self, resource: &GroupVersionResource) -> Rc<dyn ListerWatcher>;
}

/// One informer for each resource, however many use it
/// (client-go: `informers.SharedInformerFactory`, `dynamicinformer.DynamicSharedInformerFactory`).
///
/// A handle: clones are of the same factory. The informers end with [`shutdown`](Self::shutdown), or with the last handle.
#[derive(Clone)]
pub struct SharedInformerFactory {
    inner: Rc<Inner>,
}

struct Inner {
    runtime: Runtime,
    source: Rc<dyn ListerWatcherSource>,
    informers: RefCell<IndexMap<GroupVersionResource, SharedInformer>>,
    running: RefCell<IndexMap<GroupVersionResource, Running>>,
    stop: RefCell<StopSource>,
}

struct Running {
    ended: oneshot::Receiver<()>,
    _task: Task,
}

impl SharedInformerFactory {
    pub fn new(runtime: Runtime, source: Rc<dyn ListerWatcherSource>) -> Self {
        let inner = Inner {
            runtime,
            source,
            informers: RefCell::default(),
            running: RefCell::default(),
            stop: RefCell::new(StopSource::new()),
        };
        Self { inner: Rc::new(inner) }
    }

    /// The resource's informer, made at the first call; [`start`](Self::start) starts it.
    pub fn informer_for(&self, resource: &GroupVersionResource) -> SharedInformer {
        if let Some(informer) = self.inner.informers.borrow().get(resource) {
            return informer.clone();
        }
        let lister_watcher = self.inner.source.lister_watcher(resource);
        let informer = SharedInformer::new(self.inner.runtime.clone(), lister_watcher, resource.to_string());
        self.inner.informers.borrow_mut().insert(resource.clone(), informer.clone());
        informer
    }

    /// Starts the informers that have not been started. Does nothing after a shutdown.
    pub fn start(&self) {
        let stop = self.inner.stop.borrow().token();
        if stop.is_stopped() {
            return;
        }
        let idle: Vec<_> = {
            let (informers, running) = (self.inner.informers.borrow(), self.inner.running.borrow());
            let idle = informers.iter().filter(|(resource, _)| !running.contains_key(*resource));
            idle.map(|(resource, informer)| (resource.clone(), informer.clone())).collect()
        };
        for (resource, informer) in idle {
            let (end, ended) = oneshot::channel();
            let stop = stop.clone();
            let task = self.inner.runtime.spawn(async move {
                informer.run(stop).await;
                // Nobody waits when the factory was dropped.
                let _ = end.send(());
            });
            self.inner.running.borrow_mut().insert(resource, Running { ended, _task: task });
        }
    }

    /// Waits until each started informer has received its first list.
    pub async fn wait_for_cache_sync(&self) {
        let started: Vec<_> = self.inner.running.borrow().keys().cloned().collect();
        for resource in started {
            self.informer_for(&resource).synced().await;
        }
    }

    /// Stops all informers and waits until they have ended.
    pub async fn shutdown(&self) {
        self.inner.stop.borrow_mut().stop();
        let running = self.inner.running.take();
        for (_, running) in running {
            // An error is the end of a task that was dropped, which is an end too.
            let _ = running.ended.await;
        }
    }
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resources: Vec<_> = self.inner.informers.borrow().keys().map(ToString::to_string).collect();
        f.debug_struct("SharedInformerFactory").field("informers", &resources).finish_non_exhaustive()
    }
}
