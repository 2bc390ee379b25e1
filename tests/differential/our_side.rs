//! Our informer, over HTTP as client-go's.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use watchglass::api::{GroupVersionResource, Object, ResourcePath};
use watchglass::cache::{
    DeletedObject, HandlerOptions, InformerOptions, QueueKind, Registration, ResourceEventHandler, SharedInformer,
    meta_namespace_key,
};
use watchglass::rest::{Config, ResourceListWatch, RestClient};
use watchglass::runtime::native::{self, HttpTransport};
use watchglass::runtime::{Request, Response, StopSource, Task, Transport, TransportError};

use super::call::{Call, HandlerSpec, Kind, State};
use super::script::Mode;

/// Says in each request's query whose it is and whether it is a watch, for faults that befall only some.
struct Marked(HttpTransport);

impl Transport for Marked {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let kind = if request.path.contains("watch=true") { "watch" } else { "list" };
        request.path = format!("{}&client=ours.{kind}", request.path);
        self.0.send(request)
    }
}

pub struct OurInformer {
    informer: SharedInformer,
    calls: Rc<RefCell<Vec<Call>>>,
    registrations: RefCell<HashMap<usize, Registration>>,
    _run: Task,
    _stop: StopSource,
}

impl OurInformer {
    pub fn start(mode: Mode, url: &str, handlers: &[HandlerSpec]) -> Self {
        let runtime = native::runtime();
        let transport = HttpTransport::new(url).expect("a client starts");
        let path = ResourcePath::all(GroupVersionResource::core("configmaps")).in_namespace("default");
        let client = RestClient::for_config(&Config::without_rate_limit(&runtime, Rc::new(Marked(transport))));
        let source = ResourceListWatch::new(client, path).with_watch_list(mode == Mode::WatchList);
        // The period that handlers' own are measured by: without one, they would get none.
        let periods = handlers.iter().map(HandlerSpec::resync_period).filter(|period| !period.is_zero());
        let options = InformerOptions {
            resync_period: periods.min().unwrap_or_default(),
            queue: if mode == Mode::PlainQueue { QueueKind::RealFifo } else { QueueKind::AtomicRealFifo },
            ..InformerOptions::default()
        };
        let informer = SharedInformer::with_options(runtime.clone(), Rc::new(source), options);
        let stop = StopSource::new();
        let (running, token) = (informer.clone(), stop.token());
        let ours = Self {
            informer,
            calls: Rc::default(),
            registrations: RefCell::default(),
            _run: runtime.spawn(async move { running.run(token).await }),
            _stop: stop,
        };
        handlers.iter().for_each(|spec| ours.add_handler(*spec));
        ours
    }

    pub fn add_handler(&self, spec: HandlerSpec) {
        let recorder = Recorder { handler: spec.handler, calls: Rc::clone(&self.calls) };
        let options = HandlerOptions { resync_period: Some(spec.resync_period()), ..HandlerOptions::default() };
        let registration = self.informer.add_event_handler_with_options(Rc::new(recorder), options);
        let registration = registration.expect("the informer runs");
        self.registrations.borrow_mut().insert(spec.handler, registration);
    }

    pub fn remove_handler(&self, handler: usize) {
        let registration = self.registrations.borrow_mut().remove(&handler);
        drop(registration);
    }

    pub fn calls(&self) -> &RefCell<Vec<Call>> {
        &self.calls
    }

    pub fn state(&self) -> State {
        let objects = self.informer.indexer().list();
        let store = objects.iter().map(|object| (meta_namespace_key(object), object.resource_version().to_owned()));
        State { version: self.informer.last_sync_resource_version(), store: store.collect() }
    }
}

struct Recorder {
    handler: usize,
    calls: Rc<RefCell<Vec<Call>>>,
}

impl Recorder {
    fn record(&self, kind: Kind, key: String, versions: [Option<&Object>; 2], [initial, tombstone]: [bool; 2]) {
        let [old, new] = versions.map(|object| object.map(|it| it.resource_version().to_owned()).unwrap_or_default());
        self.calls.borrow_mut().push(Call { handler: self.handler, kind, key, old, new, initial, tombstone });
    }
}

impl ResourceEventHandler for Recorder {
    fn on_add(&self, object: &Object, is_in_initial_list: bool) {
        self.record(Kind::Add, meta_namespace_key(object), [None, Some(object)], [is_in_initial_list, false]);
    }

    fn on_update(&self, old: &Object, new: &Object) {
        self.record(Kind::Update, meta_namespace_key(new), [Some(old), Some(new)], [false; 2]);
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        let tombstone = matches!(deleted, DeletedObject::FinalStateUnknown { .. });
        self.record(Kind::Delete, deleted.key(), [deleted.object(), None], [false, tombstone]);
    }
}
