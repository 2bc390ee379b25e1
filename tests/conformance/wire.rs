use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use futures::channel::mpsc;
use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};
use watchglass::api::{Error, GroupVersionResource, ListOptions, ResourcePath};
use watchglass::cache::{ListProgress, ListResult, ListerWatcher, WatchStream};
use watchglass::rest::{Config, ResourceListWatch, RestClient};
use watchglass::runtime::{Request, Response, Traffic, Transport, TransportError};
use watchglass::testing::Sandbox;

type Chunk = Result<Bytes, TransportError>;

/// A server whose lists are empty at version 1, and whose watches are bytes that a test writes.
#[derive(Clone)]
pub struct Pipes {
    wire: Wire,
    source: Rc<ResourceListWatch>,
}

#[derive(Clone, Default)]
struct Wire {
    requests: Rc<RefCell<Vec<String>>>,
    last: Rc<RefCell<Option<mpsc::UnboundedSender<Chunk>>>>,
}

impl Default for Pipes {
    fn default() -> Self {
        let wire = Wire::default();
        let config = Config::new(&Sandbox::new().runtime(), Rc::new(wire.clone()));
        let path = ResourcePath::all(GroupVersionResource::core("pods"));
        let source = Rc::new(ResourceListWatch::new(RestClient::for_config(&config), path));
        Self { wire, source }
    }
}

impl Pipes {
    /// Into the last watch.
    pub fn write(&self, text: impl Into<Bytes>) {
        self.send(Ok(text.into()));
    }

    pub fn reset(&self) {
        self.send(Err(TransportError("reset".into())));
    }

    /// Ends the last watch cleanly.
    pub fn close(&self) {
        self.wire.last.take();
    }

    /// Whether the last watch was given up.
    pub fn is_closed(&self) -> bool {
        self.wire.last.borrow().as_ref().is_none_or(mpsc::UnboundedSender::is_closed)
    }

    /// The requests since the last call, as `list rv=0 limit=500` and `watch rv=7`.
    pub fn requests(&self) -> Vec<String> {
        self.wire.requests.take()
    }

    fn send(&self, chunk: Chunk) {
        let last = self.wire.last.borrow();
        last.as_ref().expect("a watch is open").unbounded_send(chunk).expect("the watch reads");
    }
}

fn described(request: &Request) -> String {
    let kind = if request.traffic == Traffic::Watch { "watch" } else { "list" };
    let query = request.path.split_once('?').map_or("", |(_, query)| query);
    let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let limit = value("limit").map(|limit| format!(" limit={limit}")).unwrap_or_default();
    format!("{kind} rv={}{limit}", value("resourceVersion").unwrap_or_default())
}

impl Transport for Wire {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        self.requests.borrow_mut().push(described(&request));
        let body = if request.traffic == Traffic::Watch {
            let (chunks, body) = mpsc::unbounded();
            self.last.replace(Some(chunks));
            body.boxed_local()
        } else {
            let list =
                json!({ "kind": "PodList", "apiVersion": "v1", "metadata": { "resourceVersion": "1" }, "items": [] });
            futures::stream::iter([Ok(list.to_string().into())]).boxed_local()
        };
        async { Ok(Response { status: 200, headers: vec![], body }) }.boxed_local()
    }
}

impl ListerWatcher for Pipes {
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        self.source.list(options, progress)
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        self.source.watch(options)
    }

    fn supports_watch_list(&self) -> bool {
        false
    }
}

/// A watch's event as the server writes it, without a newline.
pub fn frame(kind: &str, object: &Value) -> String {
    json!({ "type": kind, "object": object }).to_string()
}

pub fn named(name: &str, resource_version: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "namespace": "ns", "resourceVersion": resource_version },
    })
}
