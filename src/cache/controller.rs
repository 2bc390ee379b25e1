use std::fmt;
use std::rc::Rc;

use futures::future::{FutureExt as _, LocalBoxFuture, join};

use super::list_watch::ListerWatcher;
use super::queue::{KeyedDelta, Queue};
use super::reflector::{Reflector, ReflectorOptions};
use super::store::{ReflectorStore, StoreError};
use crate::runtime::{Runtime, StopToken, Turn};

/// Takes changes in, oldest first; the flag says that they are of the first list
/// (client-go: `tools/cache/controller.go`, `ProcessFunc` and `ProcessBatchFunc`).
#[doc(alias = "ProcessBatchFunc")]
pub type ProcessFunc = Rc<dyn Fn(Vec<KeyedDelta>, bool) -> Result<(), StoreError>>;

/// A [`ProcessFunc`] that may give way to the host where much has come at once.
pub(super) type ProcessInTurns = Rc<dyn Fn(Vec<KeyedDelta>, bool) -> LocalBoxFuture<'static, Result<(), StoreError>>>;

/// What a [`Controller`] is made of (client-go: `tools/cache/controller.go`, `Config`).
pub struct ControllerConfig {
    /// What the reflector fills and the controller empties; closed when the controller is stopped.
    pub queue: Rc<dyn Queue>,
    /// Where the objects come from.
    pub lister_watcher: Rc<dyn ListerWatcher>,
    /// An error is logged, and the changes it came of are lost: the queue does not bring them again.
    pub process: ProcessFunc,
    /// Hand the changes of several objects to `process` at once, where the queue can.
    pub in_batches: bool,
    /// How it lists and watches, its resyncs included.
    pub reflector: ReflectorOptions,
}

/// A reflector that fills a queue, and a loop that empties it (client-go: `tools/cache/controller.go`).
///
/// An informer is one of these with a store and handlers; this is for programs that keep neither.
///
/// ```
/// use std::rc::Rc;
/// use watchglass::cache::*;
/// use watchglass::runtime::{Runtime, StopToken};
///
/// async fn print_changes(runtime: Runtime, pods: Rc<dyn ListerWatcher>, stop: StopToken) {
///     let queue = Rc::new(RealFifo::atomic(RealFifoOptions::default()));
///     let process: ProcessFunc = Rc::new(|deltas, _is_in_initial_list| {
///         deltas.iter().for_each(|KeyedDelta { key, delta }| println!("{key}: {delta:?}"));
///         Ok(())
///     });
///     let reflector = ReflectorOptions::default();
///     let config = ControllerConfig { queue, lister_watcher: pods, process, in_batches: false, reflector };
///     Controller::new(runtime, config).run(stop).await;
/// }
/// ```
pub struct Controller {
    runtime: Runtime,
    queue: Rc<dyn Queue>,
    process: ProcessInTurns,
    in_batches: bool,
    reflector: Reflector,
}

impl Controller {
    /// A controller that has not started (client-go: `New`).
    pub fn new(runtime: Runtime, config: ControllerConfig) -> Self {
        let ControllerConfig { queue, lister_watcher, process, in_batches, reflector } = config;
        let store = Rc::clone(&queue) as Rc<dyn ReflectorStore>;
        let reflector = Reflector::new(runtime.clone(), lister_watcher, store, reflector);
        let process: ProcessInTurns = Rc::new(move |deltas, is_in_initial_list| {
            std::future::ready(process(deltas, is_in_initial_list)).boxed_local()
        });
        Self { runtime, queue, process, in_batches, reflector }
    }

    pub(super) fn with_reflector(
        runtime: Runtime,
        queue: Rc<dyn Queue>,
        process: ProcessInTurns,
        in_batches: bool,
        reflector: Reflector,
    ) -> Self {
        Self { runtime, queue, process, in_batches, reflector }
    }

    /// Lists, watches and processes until stopped; what is queued then is still processed.
    pub async fn run(&self, stop: StopToken) {
        let reflect = async {
            self.reflector.run(stop).await;
            self.queue.close();
        };
        join(reflect, self.process_loop()).await;
    }

    /// The whole first list was processed.
    pub fn has_synced(&self) -> bool {
        self.queue.has_synced()
    }

    /// The resourceVersion of the last list or event; empty before.
    pub fn last_sync_resource_version(&self) -> String {
        self.reflector.last_sync_resource_version()
    }

    /// Ends a wait between two tries at once; a person has asked, or the network has come back.
    pub fn retry_now(&self) {
        self.reflector.retry_now();
    }

    /// Lists anew, whatever the reflector is doing; see [`Reflector::list_again`].
    pub fn list_again(&self) {
        self.reflector.list_again();
    }

    async fn process_loop(&self) {
        let mut turn = Turn::start(&self.runtime);
        loop {
            let next = if self.in_batches { self.queue.pop_batch() } else { self.queue.pop() };
            let Some(popped) = next.await else { return };
            let is_in_initial_list = popped.is_in_initial_list;
            let (deltas, processing) = popped.into_parts();
            if let Err(error) = (self.process)(deltas, is_in_initial_list).await {
                tracing::error!(%error, "changes could not be processed, and are lost");
            }
            drop(processing);
            turn.pause_when_over().await;
        }
    }
}

impl fmt::Debug for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller").field("reflector", &self.reflector).finish_non_exhaustive()
    }
}
