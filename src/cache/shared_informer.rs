use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use event_listener::Event;

use super::connection::{Connection, ConnectionCell, ConnectionGuard, Phase};
use super::controller::process_loop;
use super::delta_fifo::{DeltaFifo, DeltaFifoOptions};
use super::index::{IndexFunc, Indexers, NAMESPACE_INDEX, namespace_index};
use super::indexer::Indexer;
use super::known_objects::KnownObjects;
use super::list_watch::ListerWatcher;
use super::queue::Queue as _;
use super::reflector::Reflector;
use super::shared_processor::{Registration, ResourceEventHandler, SharedProcessor};
use crate::runtime::{Runtime, StopToken};

/// Keeps a local copy of a resource's objects and tells handlers of every change
/// (client-go: `cache.SharedIndexInformer`).
///
/// A handle: clones are of the same informer.
#[derive(Clone)]
pub struct SharedInformer {
    inner: Rc<Inner>,
}

struct Inner {
    indexer: Rc<Indexer>,
    queue: Rc<DeltaFifo>,
    processor: Rc<SharedProcessor>,
    reflector: Reflector,
    connection: Rc<ConnectionCell>,
    started: Cell<bool>,
    synced: Rc<Event>,
    runtime: Runtime,
}

impl SharedInformer {
    /// `description` names the resource in messages: `deployments.apps`.
    pub fn new(runtime: Runtime, lister_watcher: Rc<dyn ListerWatcher>, description: String) -> Self {
        let by_namespace: IndexFunc = Rc::new(namespace_index);
        let indexer = Rc::new(Indexer::new(Indexers::from([(NAMESPACE_INDEX.to_owned(), by_namespace)])));
        let known_objects = Some(Rc::clone(&indexer) as Rc<dyn KnownObjects>);
        let options = DeltaFifoOptions { known_objects, emit_delta_type_replaced: true, ..DeltaFifoOptions::default() };
        let queue = Rc::new(DeltaFifo::new(options));
        let connection = Rc::new(ConnectionCell::default());
        let reflector =
            Reflector::new(runtime.clone(), lister_watcher, Rc::clone(&queue), Rc::clone(&connection), description);
        let processor = Rc::new(SharedProcessor::new(runtime.clone()));
        let started = Cell::new(false);
        let synced = Rc::new(Event::new());
        Self { inner: Rc::new(Inner { indexer, queue, processor, reflector, connection, started, synced, runtime }) }
    }

    /// Adds a handler, before or while the informer runs. It is told of every object that is there already.
    pub fn add_event_handler(&self, handler: Rc<dyn ResourceEventHandler>) -> Registration {
        self.inner.processor.add(handler, self.inner.indexer.list())
    }

    /// The local copy, for reading.
    pub fn indexer(&self) -> &Indexer {
        &self.inner.indexer
    }

    /// The whole first list stands in the store.
    pub fn has_synced(&self) -> bool {
        self.inner.queue.has_synced()
    }

    /// Waits for [`has_synced`](Self::has_synced).
    pub async fn synced(&self) {
        loop {
            let synced = self.inner.synced.listen();
            if self.has_synced() {
                return;
            }
            synced.await;
        }
    }

    pub fn connection(&self) -> Connection {
        self.inner.connection.get()
    }

    /// Calls the observer at each change of the connection, until the guard is dropped.
    pub fn on_connection(&self, observer: Rc<dyn Fn(&Connection)>) -> ConnectionGuard {
        self.inner.connection.observe(observer)
    }

    /// Ends a wait between two tries at once; a person has asked, or the network has come back.
    pub fn retry_now(&self) {
        self.inner.reflector.retry_now();
    }

    /// The resourceVersion of the last list or event; empty before.
    pub fn last_sync_resource_version(&self) -> String {
        self.inner.reflector.last_sync_resource_version()
    }

    /// Lists and watches until stopped. An informer runs once: a second call returns at once.
    pub async fn run(&self, stop: StopToken) {
        if self.inner.started.replace(true) {
            tracing::warn!("the informer was started before; it runs only once");
            return;
        }
        let inner = Rc::clone(&self.inner);
        let queue = Rc::clone(&inner.queue);
        let processor = Rc::clone(&inner.processor);
        let indexer = Rc::clone(&inner.indexer);
        let (connection, synced) = (Rc::clone(&inner.connection), Rc::clone(&inner.synced));
        let controller = inner.runtime.spawn(async move {
            process_loop(&queue, &indexer, &processor, &|| {
                connection.update(|connection| connection.synced = true);
                synced.notify(usize::MAX);
            })
            .await;
        });
        let _ = stop.unless_stopped(inner.reflector.run()).await;
        inner.queue.close();
        drop(controller);
        inner.processor.stop();
        inner.connection.update(|connection| connection.phase = Phase::Stopped);
    }
}

impl fmt::Debug for SharedInformer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.inner.indexer.len();
        f.debug_struct("SharedInformer").field("len", &len).field("synced", &self.has_synced()).finish_non_exhaustive()
    }
}
