use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures::future::FutureExt as _;
use jiff::Timestamp;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::Notices;
use super::redraw::painted;
use crate::cache::{FactoryOptions, InformerInUse, ListerWatcherSource, SharedInformerFactory};
use crate::rest::discovery::{CachedDiscoveryClient, DiscoveryClient, DiscoveryStorage};
use crate::rest::{Config, FirstPage, FirstPages, MetadataClient, RestClient};
use crate::runtime::{OpenRequest, Runtime, Storage, Task, Transport};
use crate::view::MAX_ROWS;

/// How long what a server has is believed on a visit before it has said it again.
const KEEP_DISCOVERY: Duration = Duration::from_hours(24 * 7);

/// What the page is opened on.
pub struct Options {
    pub runtime: Runtime,
    pub transport: Rc<dyn Transport>,
    pub storage: Rc<dyn Storage>,
    /// Where the cluster is reached, as people know it: `127.0.0.1:8001`.
    pub address: String,
    /// The cluster is made up and lives in the page.
    pub is_demo: bool,
}

/// One cluster: its client and its informers. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    inner: StoredValue<Inner, LocalStorage>,
    /// Wall time, a second old at most.
    pub(crate) now: Signal<Timestamp>,
    /// The API server's version, once it has told.
    pub(crate) version: RwSignal<Option<String>>,
}

struct Inner {
    options: Options,
    client: RestClient,
    factory: SharedInformerFactory,
    /// By namespace.
    factories: BTreeMap<String, SharedInformerFactory>,
    names: SharedInformerFactory,
    metadata: Rc<MetadataClient>,
    discovery: CachedDiscoveryClient,
    _ticking: Task,
    asking: Option<Task>,
    copying: Option<Task>,
}

impl Session {
    pub(crate) fn new(options: Options) -> Self {
        // Without a limit of our own: the server shares its time out between users (API priority and fairness), and a
        // person who opens a page should not wait for it.
        let config = Config::without_rate_limit(&options.runtime, Rc::clone(&options.transport));
        let client = RestClient::for_config(&config);
        let factory =
            SharedInformerFactory::new(options.runtime.clone(), Rc::new(first_screens(&client, &options.runtime)));
        let names = Rc::new(MetadataClient::for_config(&config));
        let metadata = Rc::clone(&names);
        let names = SharedInformerFactory::new(options.runtime.clone(), names);
        let key = format!("watchglass.discovery.{}", options.address);
        let storage = DiscoveryStorage::new(Rc::clone(&options.storage), &key, KEEP_DISCOVERY);
        let discovery = CachedDiscoveryClient::with_storage(DiscoveryClient::for_config(&config), storage);
        let clock = Rc::clone(&options.runtime.clock);
        let now = RwSignal::new(clock.wall());
        let ticking = options.runtime.spawn({
            let runtime = options.runtime.clone();
            async move {
                loop {
                    runtime.sleep(Duration::from_secs(1)).await;
                    now.set(runtime.clock.wall());
                }
            }
        });
        let (asking, copying) = (None, None);
        let inner = Inner {
            options,
            client,
            factory,
            factories: BTreeMap::new(),
            names,
            metadata,
            discovery,
            _ticking: ticking,
            asking,
            copying,
        };
        let inner = StoredValue::new_local(inner);
        Self { inner, now: now.into(), version: RwSignal::new(None) }
    }

    /// Asks for the server's version; without an answer it stays unknown.
    pub(crate) fn ask_version(&self) {
        let version = self.version;
        self.inner.update_value(|inner| {
            let client = inner.client.clone();
            inner.asking = Some(inner.options.runtime.spawn(async move {
                if let Ok(answer) = client.version().await {
                    version.set(Some(answer));
                }
            }));
        });
    }

    /// Copies a text, and says so.
    pub(crate) fn copy(&self, text: String, notices: Notices) {
        self.copy_as(text.clone(), text, notices);
    }

    /// Copies a text that is too long to be repeated, and says what it is.
    pub(crate) fn copy_as(&self, text: String, said: String, notices: Notices) {
        let window = window();
        if !window.is_secure_context() {
            notices.fail("Not copied: the browser allows it only over https or on this machine");
            return;
        }
        let copying = JsFuture::from(window.navigator().clipboard().write_text(&text));
        self.inner.update_value(|inner| {
            inner.copying = Some(inner.options.runtime.spawn(async move {
                match copying.await {
                    Ok(_) => notices.tell(format!("Copied {said}")),
                    Err(_) => notices.fail("Not copied: the browser did not allow it"),
                }
            }));
        });
    }

    pub(crate) fn runtime(&self) -> Runtime {
        self.inner.with_value(|inner| inner.options.runtime.clone())
    }

    pub(crate) fn client(&self) -> RestClient {
        self.inner.with_value(|inner| inner.client.clone())
    }

    pub(crate) fn factory(&self) -> SharedInformerFactory {
        self.inner.with_value(|inner| inner.factory.clone())
    }

    /// Of one namespace alone.
    pub(crate) fn factory_in(&self, namespace: &str) -> SharedInformerFactory {
        let known = self.inner.with_value(|inner| inner.factories.get(namespace).cloned());
        known.unwrap_or_else(|| {
            let options = FactoryOptions { namespace: Some(namespace.into()), ..FactoryOptions::default() };
            let source = Rc::new(first_screens(&self.client(), &self.runtime()));
            let factory = SharedInformerFactory::with_options(self.runtime(), source, options);
            self.inner.update_value(|inner| drop(inner.factories.insert(namespace.into(), factory.clone())));
            factory
        })
    }

    /// Where lists come from: of whole objects, or of objects without their content.
    pub(crate) fn source(&self, is_metadata: bool) -> Rc<dyn ListerWatcherSource> {
        self.inner.with_value(|inner| match is_metadata {
            true => Rc::clone(&inner.metadata) as _,
            false => Rc::new(inner.client.clone()) as _,
        })
    }

    /// Of objects without their content.
    pub(crate) fn names(&self) -> SharedInformerFactory {
        self.inner.with_value(|inner| inner.names.clone())
    }

    /// All informers that there are, and whether each is of objects without their content.
    pub(crate) fn informers(&self) -> Vec<(InformerInUse, bool)> {
        self.inner.with_value(|inner| {
            let of = |factory: &SharedInformerFactory, is_metadata| {
                factory.informers().into_iter().map(move |informer| (informer, is_metadata))
            };
            let parts = inner.factories.values().flat_map(|factory| of(factory, false));
            of(&inner.factory, false).chain(parts).chain(of(&inner.names, true)).collect()
        })
    }

    /// The lists, watches and streams that go on now.
    pub(crate) fn open_requests(&self) -> Vec<OpenRequest> {
        self.inner.with_value(|inner| inner.options.transport.open_requests())
    }

    pub(crate) fn discovery(&self) -> CachedDiscoveryClient {
        self.inner.with_value(|inner| inner.discovery.clone())
    }

    pub(crate) fn storage(&self) -> Rc<dyn Storage> {
        self.inner.with_value(|inner| Rc::clone(&inner.options.storage))
    }

    pub(crate) fn address(&self) -> String {
        self.inner.with_value(|inner| inner.options.address.clone())
    }

    pub(crate) fn is_demo(&self) -> bool {
        self.inner.with_value(|inner| inner.options.is_demo)
    }
}

/// Has a list's rows stand as soon as a screen of them has come.
fn first_screens(client: &RestClient, runtime: &Runtime) -> FirstPages {
    let runtime = runtime.clone();
    let until_shown = Rc::new(move || painted(runtime.clone()).boxed_local());
    FirstPages { client: client.clone(), page: FirstPage { size: MAX_ROWS as u32, until_shown } }
}
