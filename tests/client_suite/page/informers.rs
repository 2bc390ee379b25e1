//! Informers over a page's few connections, for tests that look at them from outside.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen::prelude::wasm_bindgen;
use watchglass::api::{GroupVersionResource, Object};
use watchglass::cache::{
    DeletedObject, FactoryOptions, Registration, ResourceEventHandlerFuncs, SharedInformer, SharedInformerFactory,
    meta_namespace_key,
};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::web::{self, FetchTransport, WebSlots, WebSocketTransport};
use watchglass::runtime::{Request, SocketTransport};
use watchglass::transport::Connections;

/// An informer for each of several resources.
#[wasm_bindgen]
pub struct Informers {
    factory: SharedInformerFactory,
    client: RestClient,
    informers: Vec<(String, SharedInformer)>,
    told: Rc<Told>,
    _registrations: Vec<Registration>,
}

/// What the handlers were told.
#[derive(Default)]
struct Told {
    /// Resource and key, and the newest version.
    objects: RefCell<BTreeMap<(String, String), String>>,
    deleted: RefCell<Vec<String>>,
    count: Cell<u32>,
}

#[wasm_bindgen]
impl Informers {
    /// `resources` are such as `v1/pods apps/v1/deployments`; an empty namespace is all of them.
    #[wasm_bindgen(constructor)]
    pub fn new(resources: &str, namespace: &str, with_sockets: bool) -> Self {
        let runtime = web::runtime();
        let sockets: Rc<dyn SocketTransport> = Rc::new(WebSocketTransport::new("../"));
        let slots = Rc::new(WebSlots::new(&runtime, "client-suite", Connections::WATCHES));
        let requests = Rc::new(FetchTransport::new(&runtime, "../"));
        let transport = Connections::sharing(&runtime, requests, with_sockets.then_some(sockets), slots);
        let client = RestClient::for_config(&Config::without_rate_limit(&runtime, Rc::new(transport)));
        let namespace = (!namespace.is_empty()).then(|| namespace.to_owned());
        let options = FactoryOptions { namespace, ..FactoryOptions::default() };
        let factory = SharedInformerFactory::with_options(runtime, Rc::new(client.clone()), options);
        let told: Rc<Told> = Rc::default();
        let (mut informers, mut registrations) = (Vec::new(), Vec::new());
        for name in resources.split_whitespace() {
            let informer = factory.informer_for(&resource(name));
            registrations.push(informer.add_event_handler(handler(name, &told)).expect("it runs"));
            informers.push((name.to_owned(), informer));
        }
        factory.start();
        Self { factory, client, informers, told, _registrations: registrations }
    }

    /// Ends when all have received their first list.
    pub async fn synced(&self) {
        self.factory.wait_for_cache_sync().await;
    }

    /// Keys and resourceVersions of a resource's objects, one a line in order.
    pub fn store(&self, resource: &str) -> String {
        let (_, informer) = self.informers.iter().find(|(name, _)| name == resource).expect("it was asked for");
        let mut lines: Vec<_> = informer.indexer().list().iter().map(|object| line(object)).collect();
        lines.sort();
        lines.join("\n")
    }

    /// The same, as it follows from what the handlers were told.
    pub fn told(&self, resource: &str) -> String {
        let objects = self.told.objects.borrow();
        let of_resource = objects.iter().filter(|((of, _), _)| of == resource);
        let mut lines: Vec<_> = of_resource.map(|((_, key), version)| format!("{key} {version}")).collect();
        lines.sort();
        lines.join("\n")
    }

    /// The keys of all deletions in their order, one a line.
    pub fn deleted(&self) -> String {
        self.told.deleted.borrow().join("\n")
    }

    /// How often a handler was called.
    pub fn count(&self) -> u32 {
        self.told.count.get()
    }

    /// Forgets the deletions, of which a long run has many.
    pub fn forget(&self) {
        self.told.deleted.borrow_mut().clear();
    }

    /// The status of the answer to a plain request.
    pub async fn get(&self, path: String) -> u16 {
        match self.client.raw(Request::get(path)).await {
            Ok(answer) => answer.status,
            Err(error) => error.status().map_or(0, |status| status.code),
        }
    }
}

fn resource(name: &str) -> GroupVersionResource {
    match name.split('/').collect::<Vec<_>>()[..] {
        [version, resource] => GroupVersionResource::new("", version, resource),
        [group, version, resource] => GroupVersionResource::new(group, version, resource),
        _ => panic!("{name} is no resource"),
    }
}

fn line(object: &Object) -> String {
    format!("{} {}", meta_namespace_key(object), object.resource_version())
}

fn handler(name: &str, told: &Rc<Told>) -> Rc<ResourceEventHandlerFuncs> {
    let of = |told: &Rc<Told>| (name.to_owned(), Rc::clone(told));
    let (added, updated, deleted) = (of(told), of(told), of(told));
    let set = |(name, told): &(String, Rc<Told>), object: &Object| {
        told.count.set(told.count.get() + 1);
        let key = (name.clone(), meta_namespace_key(object));
        told.objects.borrow_mut().insert(key, object.resource_version().into());
    };
    let handler = ResourceEventHandlerFuncs::new()
        .on_add(move |object, _| set(&added, object))
        .on_update(move |_, object| set(&updated, object))
        .on_delete(move |object: &DeletedObject| {
            let (name, told) = &deleted;
            told.count.set(told.count.get() + 1);
            let key = object.key();
            told.objects.borrow_mut().remove(&(name.clone(), key.clone()));
            told.deleted.borrow_mut().push(key);
        });
    Rc::new(handler)
}
