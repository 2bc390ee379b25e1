use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{LocalBoxFuture, pending, select};

use super::connection::{Connection, ConnectionCell, Phase};
use super::controller::{Controller, ProcessInTurns};
use super::event_handler::ResourceEventHandler;
use super::index::{IndexError, Indexers};
use super::indexer::Indexer;
use super::informer_options::{HandlerOptions, InformerOptions};
use super::latch::Latch;
use super::list_watch::ListerWatcher;
use super::observers::ObserverGuard;
use super::process_list::{Tell, process_in_turns};
use super::queue::Queue;
use super::reflector::{Reflector, WatchErrorHandler};
use super::shared_processor::{Registration, SharedProcessor};
use super::store::{ReflectorStore, TransformFunc};
use super::wait::DoneChecker;
use crate::api::Object;
use crate::runtime::{Runtime, StopToken};

/// Keeps a local copy of a resource's objects and tells handlers of every change
/// (client-go: `tools/cache/shared_informer.go`, `SharedIndexInformer`).
///
/// A handle: clones are of the same informer. It runs once; a stopped one is never started again.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// # use std::rc::Rc;
/// use watchglass::cache::{ListerWatcherSource as _, ResourceEventHandlerFuncs, SharedInformer};
/// # use watchglass::{api::GroupVersionResource, rest::{Config, RestClient}, runtime::StopSource};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer, objects};
/// # let sandbox = Sandbox::new();
/// # let server = ApiServer::new(sandbox.runtime());
/// # server.create(objects::pod("default", "web-0")).unwrap();
/// let client = RestClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
/// let pods = client.lister_watcher(&GroupVersionResource::core("pods"), None);
/// let informer = SharedInformer::new(sandbox.runtime(), pods, "pods".into());
/// let handler = ResourceEventHandlerFuncs::new().on_add(|pod, _is_in_initial_list| println!("{}", pod.name()));
/// let registration = informer.add_event_handler(Rc::new(handler)).unwrap();
/// let (running, stop) = (informer.clone(), StopSource::new());
/// let token = stop.token();
/// let _running = sandbox.spawn(async move { running.run(token).await });
/// sandbox.block_on(registration.synced());
/// assert!(informer.indexer().contains_key("default/web-0"));
/// # }
/// ```
#[doc(alias = "SharedIndexInformer")]
#[derive(Clone)]
pub struct SharedInformer {
    inner: Rc<Inner>,
}

struct Inner {
    runtime: Runtime,
    lister_watcher: Rc<dyn ListerWatcher>,
    options: RefCell<InformerOptions>,
    indexer: Rc<Indexer>,
    processor: Rc<SharedProcessor>,
    connection: Rc<ConnectionCell>,
    /// How often the reflector asks whether a handler wants a resync: the shortest wish that came before the start.
    resync_check_period: Cell<Duration>,
    /// Made at the start.
    controller: RefCell<Option<Rc<Controller>>>,
    synced: Latch,
    stopped: Latch,
}

/// Nobody needs everything again more often than this (client-go: `minimumResyncPeriod`).
const MINIMUM_RESYNC_PERIOD: Duration = Duration::from_secs(1);

/// What cannot be asked of an informer any more
/// (client-go: `tools/cache/shared_informer.go`, the texts of its errors).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InformerError {
    /// What shapes an informer must be set before it runs.
    #[error("informer has already started")]
    AlreadyStarted,
    /// It would never be told anything. Make a new informer.
    #[error("handler was not added to shared informer because it has stopped already")]
    HandlerAfterStop,
    /// Its store changes no more. Make a new informer.
    #[error("indexer was not added because it has stopped already")]
    IndexerAfterStop,
    /// The store refused the indexes; see [`IndexError::Conflict`].
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl SharedInformer {
    /// `description` names the resource in messages: `deployments.apps`.
    pub fn new(runtime: Runtime, lister_watcher: Rc<dyn ListerWatcher>, description: String) -> Self {
        let mut options = InformerOptions::default();
        options.reflector.description = description;
        Self::with_options(runtime, lister_watcher, options)
    }

    /// An informer that has not started. Handlers and indexes can be added at once.
    pub fn with_options(runtime: Runtime, lister_watcher: Rc<dyn ListerWatcher>, options: InformerOptions) -> Self {
        let indexer = options.new_indexer();
        let processor = SharedProcessor::new(runtime.clone(), &options);
        let inner = Inner {
            runtime,
            lister_watcher,
            resync_check_period: Cell::new(options.resync_period),
            options: RefCell::new(options),
            indexer,
            processor: Rc::new(processor),
            connection: Rc::default(),
            controller: RefCell::default(),
            synced: Latch::default(),
            stopped: Latch::default(),
        };
        Self { inner: Rc::new(inner) }
    }

    /// Adds a handler, before or while the informer runs. It is told of every object that is there already, and resyncs
    /// as often as the informer does by default.
    ///
    /// # Errors
    /// When the informer has stopped.
    pub fn add_event_handler(&self, handler: Rc<dyn ResourceEventHandler>) -> Result<Registration, InformerError> {
        self.add_event_handler_with_options(handler, HandlerOptions::default())
    }

    /// As [`add_event_handler`](Self::add_event_handler), with a name and a resync period of the handler's own.
    ///
    /// # Errors
    /// When the informer has stopped.
    #[doc(alias = "AddEventHandlerWithResyncPeriod")]
    pub fn add_event_handler_with_options(
        &self,
        handler: Rc<dyn ResourceEventHandler>,
        options: HandlerOptions,
    ) -> Result<Registration, InformerError> {
        if self.is_stopped() {
            return Err(InformerError::HandlerAfterStop);
        }
        let wish = options.resync_period.unwrap_or(self.inner.options.borrow().resync_period);
        let period = self.agree_on_resync_period(wish);
        let name = format!("{} + event handler {}", self.name(), options.name.as_deref().unwrap_or("without a name"));
        Ok(self.inner.processor.add(handler, name, self.inner.indexer.list(), period))
    }

    /// Before the start the informer looks as often as its most eager handler wants; later the handler must take what
    /// it gets. An informer that does not resync lets no handler do so (client-go: `determineResyncPeriod`).
    fn agree_on_resync_period(&self, wish: Duration) -> Duration {
        let check = &self.inner.resync_check_period;
        if wish.is_zero() || check.get().is_zero() {
            return Duration::ZERO;
        }
        let wish = wish.max(MINIMUM_RESYNC_PERIOD);
        if wish >= check.get() {
            return wish;
        }
        if self.is_started() {
            let period = check.get();
            tracing::warn!(?wish, ?period, "the handler resyncs less often than it wants: the informer runs");
            return period;
        }
        check.set(wish);
        wish
    }

    /// The local copy, for reading.
    pub fn indexer(&self) -> &Indexer {
        &self.inner.indexer
    }

    pub(super) fn shared_indexer(&self) -> Rc<Indexer> {
        Rc::clone(&self.inner.indexer)
    }

    /// Adds indexes, over what is already there too; also while the informer runs.
    ///
    /// # Errors
    /// When the informer has stopped, or an index of one of the names exists.
    pub fn add_indexers(&self, indexers: Indexers) -> Result<(), InformerError> {
        if self.is_stopped() {
            return Err(InformerError::IndexerAfterStop);
        }
        Ok(self.inner.indexer.add_indexers(indexers)?)
    }

    /// Changes each object before anything else sees it.
    ///
    /// # Errors
    /// When the informer has started.
    pub fn set_transform(&self, transform: TransformFunc) -> Result<(), InformerError> {
        self.shape(|options| options.transform = Some(transform))
    }

    /// Is told of each failed list and watch, with the resource's description. It must not block.
    ///
    /// # Errors
    /// When the informer has started.
    pub fn set_watch_error_handler(&self, handler: WatchErrorHandler) -> Result<(), InformerError> {
        self.shape(|options| options.reflector.watch_error_handler = Some(handler))
    }

    fn shape(&self, change: impl FnOnce(&mut InformerOptions)) -> Result<(), InformerError> {
        if self.is_started() {
            return Err(InformerError::AlreadyStarted);
        }
        change(&mut self.inner.options.borrow_mut());
        Ok(())
    }

    /// The whole first list stands in the store. Handlers may not have been told yet: see
    /// [`Registration::has_synced`].
    pub fn has_synced(&self) -> bool {
        self.inner.synced.is_set()
    }

    /// Waits for [`has_synced`](Self::has_synced).
    pub async fn synced(&self) {
        self.inner.synced.wait().await;
    }

    /// [`has_synced`](Self::has_synced) to be waited for together with others.
    #[doc(alias = "HasSyncedChecker")]
    pub fn checker(&self) -> Rc<dyn DoneChecker> {
        Rc::new(self.clone())
    }

    /// Its name in messages; the handlers' names begin with it.
    fn name(&self) -> String {
        format!("SharedIndexInformer {}", self.inner.options.borrow().reflector.description)
    }

    /// Whether [`run`](Self::run) was called, also when it has ended since.
    pub fn is_started(&self) -> bool {
        self.inner.controller.borrow().is_some()
    }

    /// Whether it has run and will not again.
    pub fn is_stopped(&self) -> bool {
        self.inner.stopped.is_set()
    }

    /// Waits for [`is_stopped`](Self::is_stopped).
    pub async fn stopped(&self) {
        self.inner.stopped.wait().await;
    }

    /// Both are handles of one informer.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.inner, &other.inner)
    }

    /// How it stands with the server now.
    pub fn connection(&self) -> Connection {
        self.inner.connection.get()
    }

    /// Calls the observer at each change of the connection, until the guard is dropped.
    pub fn on_connection(&self, observer: Rc<dyn Fn(&Connection)>) -> ObserverGuard {
        self.inner.connection.observers.add(observer)
    }

    /// Calls the observer with the objects of the first list while it comes, until the guard is dropped: a page shows
    /// its first rows long before the list is whole (client-go has no such thing).
    ///
    /// Only a preview: the list may break off, and the store and the handlers get what is in it when it is whole.
    /// The objects are as the server sent them, before any transformation.
    pub fn on_first_list(&self, observer: FirstListObserver) -> ObserverGuard {
        self.inner.connection.preview.add(observer)
    }

    /// Ends a wait between two tries at once; a person has asked, or the network has come back.
    pub fn retry_now(&self) {
        if let Some(controller) = &*self.inner.controller.borrow() {
            controller.retry_now();
        }
    }

    /// Lists anew, whatever it is doing: a person doubts what is shown. Until the list is whole nothing changes, and
    /// then handlers are told of differences only.
    pub fn list_again(&self) {
        if let Some(controller) = &*self.inner.controller.borrow() {
            controller.list_again();
        }
    }

    /// The resourceVersion of the last list or event; empty before.
    pub fn last_sync_resource_version(&self) -> String {
        let controller = self.inner.controller.borrow();
        controller.as_ref().map(|controller| controller.last_sync_resource_version()).unwrap_or_default()
    }

    /// How many notifications all handlers together have not been told yet.
    pub fn pending_notifications(&self) -> usize {
        self.inner.processor.pending()
    }

    /// Lists and watches until stopped. An informer runs once: a second call returns at once.
    ///
    /// What handlers have not been told when it stops they never are.
    pub async fn run(&self, stop: StopToken) {
        if self.is_started() {
            tracing::warn!("the informer was started before; it runs only once");
            return;
        }
        let _stopped = StoppedOnDrop(&self.inner);
        let queue = self.inner.options.borrow().new_queue(&self.inner.runtime, &self.inner.indexer);
        let controller = Rc::new(self.new_controller(Rc::clone(&queue)));
        self.inner.controller.replace(Some(Rc::clone(&controller)));
        let announce_sync = async {
            queue.synced().await;
            self.announce_sync();
            pending::<()>().await;
        };
        select(std::pin::pin!(controller.run(stop)), std::pin::pin!(announce_sync)).await;
    }

    fn new_controller(&self, queue: Rc<dyn Queue>) -> Controller {
        let Inner { runtime, lister_watcher, processor, connection, .. } = &*self.inner;
        let asked = Rc::clone(processor);
        let options = self.inner.options.borrow();
        let process = self.new_process();
        let mut options = options.reflector.clone();
        options.resync_period = self.inner.resync_check_period.get();
        options.should_resync = Some(Rc::new(move || asked.begin_resync()));
        let store = Rc::clone(&queue) as Rc<dyn ReflectorStore>;
        let reflector = Reflector::with_connection(
            runtime.clone(),
            Rc::clone(lister_watcher),
            store,
            options,
            Rc::clone(connection),
        );
        Controller::with_reflector(runtime.clone(), queue, process, true, reflector)
    }

    /// What comes goes into the store, and from there to the handlers.
    fn new_process(&self) -> ProcessInTurns {
        let Inner { runtime, indexer, processor, .. } = &*self.inner;
        let processor = Rc::clone(processor);
        let audience: Rc<dyn Fn() -> Tell> = Rc::new(move || {
            let (audience, processor) = (processor.audience(), Rc::clone(&processor));
            Box::new(move |notification| processor.distribute(&audience, notification))
        });
        process_in_turns(runtime.clone(), Rc::clone(indexer), audience)
    }

    fn announce_sync(&self) {
        self.inner.synced.set();
        self.inner.processor.upstream_has_synced();
        self.inner.connection.update(|connection| connection.synced = true);
    }
}

/// Is told of what has come of a first list; see [`SharedInformer::on_first_list`].
pub type FirstListObserver = Rc<dyn Fn(&[Object])>;

/// An informer stops when it is told to, and also when whoever runs it is dropped.
struct StoppedOnDrop<'a>(&'a Inner);

impl Drop for StoppedOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stopped.set();
        self.0.processor.stop();
        self.0.connection.update(|connection| connection.phase = Phase::Stopped);
    }
}

impl DoneChecker for SharedInformer {
    fn name(&self) -> String {
        self.name()
    }

    fn is_done(&self) -> bool {
        self.has_synced()
    }

    fn done(&self) -> LocalBoxFuture<'static, ()> {
        let informer = self.clone();
        Box::pin(async move { informer.synced().await })
    }
}

impl fmt::Debug for SharedInformer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.inner.indexer.len();
        f.debug_struct("SharedInformer").field("len", &len).field("synced", &self.has_synced()).finish_non_exhaustive()
    }
}
