use std::rc::Rc;

use super::controller::Controller;
use super::event_handler::ResourceEventHandler;
use super::indexer::Indexer;
use super::informer_options::InformerOptions;
use super::list_watch::ListerWatcher;
use super::process_list::{Tell, process_in_turns};
use super::reflector::{Reflector, ReflectorOptions};
use super::store::ReflectorStore;
use crate::runtime::Runtime;

/// A store, and the controller that keeps it and tells one handler
/// (client-go: `tools/cache/controller.go`, `NewInformerWithOptions`).
///
/// The handler is called by the controller itself: a slow one holds up the store, and a panic ends
/// [`Controller::run`]. It is told of every update, also of those that change nothing. Where several handlers share a
/// store, or one may be slow, use a [`SharedInformer`](super::SharedInformer).
///
/// ```
/// # #[cfg(feature = "testing")] {
/// # use std::rc::Rc;
/// use watchglass::cache::{InformerOptions, ListerWatcherSource as _, ResourceEventHandlerFuncs, new_informer};
/// # use watchglass::{api::GroupVersionResource, rest::{Config, RestClient}, runtime::StopSource};
/// # use watchglass::testing::{Sandbox, apiserver::ApiServer, objects};
/// # let sandbox = Sandbox::new();
/// # let server = ApiServer::new(sandbox.runtime());
/// # server.create(objects::pod("default", "web-0")).unwrap();
/// let client = RestClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
/// let pods = client.lister_watcher(&GroupVersionResource::core("pods"), None);
/// let handler = ResourceEventHandlerFuncs::new().on_add(|pod, _is_in_initial_list| println!("{}", pod.name()));
/// let (store, controller) = new_informer(sandbox.runtime(), pods, Rc::new(handler), InformerOptions::default());
/// let stop = StopSource::new();
/// let token = stop.token();
/// let _running = sandbox.spawn(async move { controller.run(token).await });
/// sandbox.run_until_idle();
/// assert!(store.contains_key("default/web-0"));
/// # }
/// ```
#[doc(alias = "NewInformerWithOptions")]
#[doc(alias = "NewIndexerInformer")]
#[doc(alias = "NewTransformingInformer")]
pub fn new_informer(
    runtime: Runtime,
    lister_watcher: Rc<dyn ListerWatcher>,
    handler: Rc<dyn ResourceEventHandler>,
    options: InformerOptions,
) -> (Rc<Indexer>, Controller) {
    let indexer = options.new_indexer();
    let queue = options.new_queue(&runtime, &indexer);
    let audience: Rc<dyn Fn() -> Tell> = Rc::new(move || {
        let handler = Rc::clone(&handler);
        Box::new(move |notification| notification.tell(&*handler))
    });
    let process = process_in_turns(runtime.clone(), Rc::clone(&indexer), audience);
    let reflector_options = ReflectorOptions { resync_period: options.resync_period, ..options.reflector };
    let store = Rc::clone(&queue) as Rc<dyn ReflectorStore>;
    let reflector = Reflector::new(runtime.clone(), lister_watcher, store, reflector_options);
    (indexer, Controller::with_reflector(runtime, queue, process, true, reflector))
}
