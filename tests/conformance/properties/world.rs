use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use jiff::SignedDuration;
use proptest::prelude::TestCaseError;
use proptest::prop_assert_eq;
use watchglass::api::{GroupVersionResource, ResourcePath};
use watchglass::cache::{InformerOptions, QueueKind, Registration, SharedInformer};
use watchglass::rest::{Config, ResourceListWatch, RestClient};
use watchglass::runtime::{Clock as _, StopSource, Task};
use watchglass::testing::apiserver::{ApiServer, ApiServerOptions, Fault, FaultRule};
use watchglass::testing::{Sandbox, objects};
use watchglass::workqueue::{RateLimitingQueue, default_controller_rate_limiter};

use super::history::{History, View};
use super::steps::Step;
use super::workers::Workers;

/// What differs between worlds.
#[derive(Clone, Debug)]
pub struct Settings {
    pub seed: u64,
    pub queue: QueueKind,
    pub unbounded_notifications: bool,
    pub watch_list: bool,
    pub bookmark_seconds: u64,
    pub resync_seconds: u64,
}

/// A server, an informer, handlers and workers.
pub struct World {
    sandbox: Sandbox,
    server: ApiServer,
    informer: SharedInformer,
    is_merged: bool,
    handlers: RefCell<Vec<(Rc<History>, Registration)>>,
    queue: RateLimitingQueue<String>,
    workers: Workers,
    _running: (StopSource, Task),
}

const NAMESPACE: &str = "default";
/// Longer than the longest watch and the longest wait of a back-off.
const LONG_ENOUGH: Duration = Duration::from_secs(1200);

impl World {
    pub fn new(settings: &Settings) -> Self {
        let sandbox = Sandbox::with_random_order(settings.seed);
        let runtime = sandbox.runtime();
        let options = ApiServerOptions {
            history: 40,
            bookmark_interval: Duration::from_secs(settings.bookmark_seconds),
            seed: settings.seed,
            ..ApiServerOptions::default()
        };
        let server = ApiServer::with_options(runtime.clone(), options);
        let path = ResourcePath::all(GroupVersionResource::core("configmaps")).in_namespace(NAMESPACE);
        let source = ResourceListWatch::new(
            RestClient::for_config(&Config::without_rate_limit(&runtime, server.transport())),
            path,
        );
        let options = InformerOptions {
            queue: settings.queue,
            unbounded_notifications: settings.unbounded_notifications,
            resync_period: Duration::from_secs(settings.resync_seconds),
            ..InformerOptions::default()
        };
        let source = Rc::new(source.with_watch_list(settings.watch_list));
        let informer = SharedInformer::with_options(runtime.clone(), source, options);
        let queue = RateLimitingQueue::new(&runtime, Rc::new(default_controller_rate_limiter(&runtime)));
        let workers = Workers::start(3, informer.clone(), queue.clone(), runtime.clone());
        let stop = StopSource::new();
        let (token, runs) = (stop.token(), informer.clone());
        let running = (stop, runtime.spawn(async move { runs.run(token).await }));
        let (is_merged, handlers) = (!settings.unbounded_notifications, RefCell::default());
        let world = Self { sandbox, server, informer, is_merged, handlers, queue, workers, _running: running };
        world.add_handler();
        world.add_handler();
        world
    }

    pub fn take(&self, step: &Step) {
        match step {
            Step::Put(name) => self.put(*name),
            Step::Delete(name) => self.delete(*name),
            Step::Recreate(name) => {
                self.delete(*name);
                self.put(*name);
            }
            Step::Burst(name, count) => (0..*count).for_each(|_| self.put(*name)),
            Step::Flood => (0..1100_usize).for_each(|number| self.put(number % 2)),
            Step::Fault(fault, count) => self.server.inject(FaultRule::from(fault.clone()).times(*count)),
            Step::DropOpen => self.server.inject(Fault::DropOpen),
            Step::CloseOpen => self.server.inject(Fault::CloseOpen),
            Step::Compact => self.server.compact(),
            Step::Run => self.sandbox.run_until_idle(),
            Step::Advance(milliseconds) => self.sandbox.advance(Duration::from_millis(*milliseconds)),
            Step::Sleep(seconds) => self.sandbox.clock().advance_wall(SignedDuration::from_secs(*seconds)),
            Step::AddHandler => self.add_handler(),
            Step::RemoveHandler(at) => {
                let mut handlers = self.handlers.borrow_mut();
                let removed = (*at < handlers.len()).then(|| handlers.remove(*at));
                drop(removed);
            }
            Step::SlowHandler(at) => {
                if let Some((history, _)) = self.handlers.borrow().get(*at) {
                    history.rest_next();
                }
            }
            Step::RetryNow => self.informer.retry_now(),
        }
    }

    fn put(&self, name: usize) {
        let name = format!("c{name}");
        let changed = self.server.modify("configmaps", NAMESPACE, &name, |_| {});
        changed.or_else(|_| self.server.create(objects::config_map(NAMESPACE, &name))).expect("it can be written");
    }

    /// Of what is not there nothing is deleted.
    fn delete(&self, name: usize) {
        let _ = self.server.delete("configmaps", NAMESPACE, &format!("c{name}"));
    }

    fn add_handler(&self) {
        let history = History::new(self.queue.clone(), self.is_merged);
        let registration = self.informer.add_event_handler(history.clone()).expect("it runs");
        self.handlers.borrow_mut().push((history, registration));
        // It is not told of what ended before it came, and the handlers before it may have gone without having been
        // told.
        self.workers.view().into_keys().for_each(|key| self.queue.add(key));
    }

    /// Nothing goes wrong any more, and there is time enough.
    pub fn settle(&self) {
        self.server.clear_faults();
        let end = self.sandbox.clock().now() + LONG_ENOUGH;
        while self.sandbox.clock().now() < end && self.check().is_err() {
            self.sandbox.advance(Duration::from_secs(10));
        }
        // What is right must stay so.
        self.sandbox.advance(Duration::from_secs(60));
    }

    pub fn check(&self) -> Result<(), TestCaseError> {
        let on_server = versions(
            self.server.objects("configmaps").iter().map(|it| (it.namespace(), it.name(), it.resource_version())),
        );
        prop_assert_eq!(
            &versions(self.informer.indexer().list().iter().map(|it| (
                it.namespace(),
                it.name(),
                it.resource_version()
            ))),
            &on_server,
            "the store is not the server"
        );
        for (history, registration) in &*self.handlers.borrow() {
            prop_assert_eq!(history.faults(), Vec::<String>::new(), "a handler was told what cannot have been");
            prop_assert_eq!(&history.view(), &on_server, "a handler knows something else than the server");
            prop_assert_eq!((registration.has_synced(), registration.pending()), (true, 0));
        }
        prop_assert_eq!(self.workers.faults(), Vec::<String>::new());
        if !self.handlers.borrow().is_empty() {
            prop_assert_eq!(&self.workers.view(), &on_server, "a worker saw something else than the server");
        }
        Ok(())
    }
}

fn versions<'a>(objects: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> View {
    objects.map(|(namespace, name, version)| (format!("{namespace}/{name}"), version.to_owned())).collect()
}
