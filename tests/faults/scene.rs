use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt as _;
use serde_json::{Value, json};
use watchglass::api::{
    CreateOptions, DeleteOptions, Error, GroupVersionResource, ListOptions, Manifest, Object, Patch, PatchOptions,
    ResourcePath,
};
use watchglass::cache::{InformerOptions, ListerWatcher, Phase, Registration, SharedInformer, meta_namespace_key};
use watchglass::rest::{Config, ResourceListWatch, RestClient};
use watchglass::runtime::{Body, Runtime, StopSource, Task, Traffic, Transport};

use crate::clock::SkippingClock;
use crate::cluster::{self, Cluster, cluster};
use crate::fault_proxy::FaultProxy;
use crate::sent::{Log, Recording};
use crate::told::Told;

/// Ends a test that hangs.
pub fn run(test: impl Future<Output = ()>) {
    cluster::run(Duration::from_secs(120), test);
}

pub async fn until(condition: impl Fn() -> bool) {
    cluster::until(condition).await;
}

/// A namespace of the real cluster, the fault proxy before its API server, and who acts without the proxy.
pub struct Scene {
    pub cluster: &'static Cluster,
    pub namespace: String,
    pub proxy: FaultProxy,
    pub clock: Rc<SkippingClock>,
    pub runtime: Runtime,
    /// What goes through the proxy.
    pub log: Rc<Log>,
    /// Goes past the proxy.
    pub admin: RestClient,
}

impl Scene {
    pub async fn new(name: &str) -> Self {
        let cluster = cluster();
        let server = cluster.setting("/server");
        let address = server.trim_start_matches("https://").parse().expect("an address and a port");
        let proxy = FaultProxy::start(address, None).await.expect("the proxy listens");
        let (clock, runtime) = SkippingClock::with_runtime();
        let namespace = format!("faults-{name}-{}", std::process::id());
        let admin = cluster.client("admin");
        let object = object("v1", "Namespace", "", &namespace, json!({}));
        admin.create(&path("", "v1", "namespaces"), &object, &CreateOptions::default()).await.expect("a namespace");
        Self { cluster, namespace, proxy, clock, runtime, log: Rc::default(), admin }
    }

    pub fn through_proxy(&self, token: &str) -> Rc<dyn Transport> {
        let server = format!("https://127.0.0.1:{}", self.proxy.port());
        let transport = Rc::new(self.cluster.transport_to(&server, token));
        Rc::new(Recording::new(transport, &self.log))
    }

    pub fn client(&self) -> RestClient {
        self.client_over(self.through_proxy(&self.cluster.setting("/admin/token")))
    }

    pub fn client_over(&self, transport: Rc<dyn Transport>) -> RestClient {
        RestClient::for_config(&Config::without_rate_limit(&self.runtime, transport))
    }

    pub fn path(&self, group: &str, version: &str, resource: &str) -> ResourcePath {
        path(group, version, resource).in_namespace(&self.namespace)
    }

    pub fn config_maps(&self) -> ResourcePath {
        self.path("", "v1", "configmaps")
    }

    /// In the scene's namespace, if the path is in it.
    pub async fn create(&self, path: &ResourcePath, kind: &str, name: &str, fields: Value) {
        let namespace = if path.to_string().contains(&self.namespace) { &self.namespace } else { "" };
        let object = object(&api_version(path), kind, namespace, name, fields);
        self.admin.create(path, &object, &CreateOptions::default()).await.expect("it is created");
    }

    /// What an object of the kind must have.
    pub fn fields(&self, kind: &str) -> Value {
        match kind {
            "Event" => json!({ "involvedObject": { "namespace": self.namespace } }),
            _ => json!({}),
        }
    }

    pub async fn create_config_map(&self, name: &str) {
        self.create(&self.config_maps(), "ConfigMap", name, json!({})).await;
    }

    /// Waits until the informer has heard of a change by a watch: one that brought nothing and breaks within a second
    /// is followed by a list.
    pub async fn is_watched_by(&self, watched: &Watched) {
        watched.connected().await;
        let kind = if watched.path == self.config_maps() { "ConfigMap" } else { "Event" };
        self.create(&watched.path, kind, "heard", self.fields(kind)).await;
        watched.until(|| watched.holds("heard")).await;
        watched.told.take_news();
    }

    pub async fn patch_config_map(&self, name: &str) {
        let patch = Patch::Merge(json!({ "data": { "changed": "yes" } }));
        let path = self.config_maps().named(name);
        self.admin.patch(&path, &patch, &PatchOptions::default()).await.expect("it is patched");
    }

    pub async fn delete(&self, path: ResourcePath, name: &str) {
        self.admin.delete(&path.named(name), &DeleteOptions::default()).await.expect("it is deleted");
    }

    /// An informer through the proxy, running.
    pub fn informer(&self, path: ResourcePath) -> Watched {
        self.informer_of(path.clone(), Rc::new(ResourceListWatch::new(self.client(), path)), |_| {})
    }

    /// An informer of five events that asks for them two by two, and whose question for the second page is held back.
    /// Events, because what the server has in its cache it gives whole, whatever the limit.
    pub async fn informer_before_page_two(&self) -> (ResourcePath, Watched) {
        let events = self.path("", "v1", "events");
        for name in ["a", "b", "c", "d", "e"] {
            self.create(&events, "Event", name, self.fields("Event")).await;
        }
        self.log.hold(|request| request.path.contains("continue="));
        let source = Rc::new(ResourceListWatch::new(self.client(), events.clone()));
        let watched = self.informer_of(events.clone(), source, |options| options.reflector.page_size = Some(2));
        self.log.has_held().await;
        (events, watched)
    }

    pub fn informer_of(
        &self,
        path: ResourcePath,
        source: Rc<dyn ListerWatcher>,
        shape: impl FnOnce(&mut InformerOptions),
    ) -> Watched {
        let mut options = InformerOptions::default();
        options.reflector.description = path.to_string();
        shape(&mut options);
        let informer = SharedInformer::with_options(self.runtime.clone(), source, options);
        let told = crate::told::handler();
        let registration = informer.add_event_handler(Rc::clone(&told) as _).expect("it has not stopped");
        let stop = StopSource::new();
        let (token, runs) = (stop.token(), informer.clone());
        let task = self.runtime.spawn(async move { runs.run(token).await });
        let (clock, log, admin) = (Rc::clone(&self.clock), Rc::clone(&self.log), self.admin.clone());
        Watched { informer, told, path, clock, log, admin, _registration: registration, _stop: stop, _task: task }
    }
}

/// An informer with a handler that keeps account.
pub struct Watched {
    pub informer: SharedInformer,
    pub told: Rc<Told>,
    path: ResourcePath,
    clock: Rc<SkippingClock>,
    log: Rc<Log>,
    admin: RestClient,
    _registration: Registration,
    _stop: StopSource,
    _task: Task,
}

impl Watched {
    /// Waits; the informer's own waits between its tries take no time.
    pub async fn until(&self, condition: impl Fn() -> bool) {
        while !condition() {
            self.skip_its_waits();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// A watch that is open is left its time, and so is a request that is under way.
    fn skip_its_waits(&self) {
        if self.log.is_quiet() && !self.is_connected() {
            self.clock.skip(Duration::from_secs(1));
        }
    }

    /// Waits while time flies.
    pub async fn until_late(&self, condition: impl Fn() -> bool) {
        while !condition() {
            self.clock.skip(Duration::from_secs(1));
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Why it is reconnecting, if it is.
    pub fn error(&self) -> Option<Error> {
        match self.informer.connection().phase {
            Phase::Reconnecting { error, .. } => Some(error),
            _ => None,
        }
    }

    pub fn is_connected(&self) -> bool {
        matches!(self.informer.connection().phase, Phase::Connected { .. })
    }

    pub fn store(&self) -> BTreeMap<String, String> {
        versions(self.informer.indexer().list().iter())
    }

    /// The store has it, and the handler was told of it.
    pub fn holds(&self, name: &str) -> bool {
        let (stored, known) = (self.store(), self.told.known());
        let is_named = |key: &&String| key.rsplit('/').next() == Some(name);
        stored.keys().any(|key| is_named(&key)) && known.keys().any(|key| is_named(&key))
    }

    pub async fn connected(&self) {
        self.until(|| self.informer.has_synced() && self.is_connected()).await;
    }

    /// Waits until the store and what the handler was told are what a fresh list is.
    pub async fn is_in_step(&self) {
        loop {
            let list = self.admin.list(&self.path, &ListOptions::default(), &|_| {}).await.expect("a fresh list");
            let fresh = versions(list.items.iter());
            if self.store() == fresh && self.told.known() == fresh {
                break;
            }
            self.skip_its_waits();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(self.told.wrong(), Vec::<String>::new());
    }
}

fn versions<'a>(objects: impl Iterator<Item = &'a Object>) -> BTreeMap<String, String> {
    objects.map(|object| (meta_namespace_key(object), object.resource_version().to_owned())).collect()
}

pub fn path(group: &str, version: &str, resource: &str) -> ResourcePath {
    ResourcePath::all(GroupVersionResource::new(group, version, resource))
}

fn api_version(path: &ResourcePath) -> String {
    let text = path.to_string();
    let mut parts = text.split('/');
    match parts.next() {
        Some("api") => "v1".into(),
        _ => format!("{}/{}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default()),
    }
}

pub fn object(api_version: &str, kind: &str, namespace: &str, name: &str, fields: Value) -> Manifest {
    let mut object = Manifest { api_version: api_version.into(), kind: kind.into(), ..Manifest::default() };
    object.metadata.namespace = namespace.into();
    object.metadata.name = name.into();
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    object.fields = fields;
    object
}

/// What was added and deleted since the last time this was asked, sorted.
///
/// A first list that another follows tells of what is there once more, as an update.
pub fn changes(watched: &Watched) -> Vec<String> {
    let mut news = watched.told.take_news();
    news.retain(|news| !news.starts_with('~'));
    news.sort();
    news
}

pub async fn whole(mut body: Body) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(chunk) = body.next().await {
        whole.extend(chunk.expect("it does not break off"));
    }
    whole
}

/// How many lists and watches were sent.
pub fn lists_and_watches(log: &Log) -> (usize, usize) {
    (log.count(Traffic::List), log.count(Traffic::Watch))
}
