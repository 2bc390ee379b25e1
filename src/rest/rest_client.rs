use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use futures::StreamExt as _;
use serde::de::DeserializeOwned;

use super::decode::{DecodeError, ListDecoder, WatchDecoder};
use super::list_watch::ResourceListWatch;
use super::response;
use crate::api::{Error, GroupVersionResource, List, ListOptions, Object, ResourcePath, Table, WatchEvent};
use crate::cache::{ListerWatcher, ListerWatcherSource, WatchStream};
use crate::runtime::{Body, Request, Response, Transport, TransportError};

/// Typed requests to one API server (client-go: `rest.RESTClient`).
#[derive(Clone)]
pub struct RestClient {
    transport: Rc<dyn Transport>,
}

const JSON: &str = "application/json";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

impl RestClient {
    pub fn new(transport: Rc<dyn Transport>) -> Self {
        Self { transport }
    }

    /// One object.
    ///
    /// # Errors
    /// A Status "not found" when there is none; else as any request.
    pub async fn get(&self, path: &ResourcePath) -> Result<Arc<Object>, Error> {
        self.get_json(path.to_string(), JSON).await.map(Arc::new)
    }

    /// The API server's version, `v1.37.2`.
    ///
    /// # Errors
    /// As any request.
    pub async fn version(&self) -> Result<String, Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            git_version: String,
        }
        Ok(self.get_json::<Version>("version".into(), JSON).await?.git_version)
    }

    /// A resource as the server prints it.
    ///
    /// # Errors
    /// As any request.
    pub async fn table(&self, path: &ResourcePath) -> Result<Table, Error> {
        self.get_json(path.to_string(), TABLE).await
    }

    /// One page of a list; `on_item` is told how many items have come each time some have.
    ///
    /// # Errors
    /// As any request; [`Error::Interrupted`] when the list breaks off.
    pub async fn list(
        &self,
        path: &ResourcePath,
        options: &ListOptions,
        on_items: &dyn Fn(usize),
    ) -> Result<List, Error> {
        let url = url(path, options);
        let mut response = self.send(&url, JSON, false).await?;
        let (mut decoder, mut items) = (ListDecoder::default(), Vec::new());
        while let Some(chunk) = response.body.next().await {
            let chunk = chunk.map_err(response::interrupted)?;
            decoder.push(&chunk, &mut |item| items.push(Arc::new(item))).map_err(|error| undecodable(&url, &error))?;
            on_items(items.len());
        }
        let head = decoder.finish().map_err(|error| undecodable(&url, &error))?;
        let item_kind = head.kind.strip_suffix("List").unwrap_or_default();
        for item in items.iter_mut().filter(|item| item.kind.is_empty()) {
            // Nobody else holds the item yet, so that this copies nothing.
            let item = Arc::make_mut(item);
            item.kind = item_kind.into();
            item.api_version.clone_from(&head.api_version);
        }
        Ok(List { api_version: head.api_version, kind: head.kind, metadata: head.metadata, items })
    }

    /// Opens a watch. The stream ends when the server closes it, and aborts the request when dropped.
    ///
    /// # Errors
    /// As any request. Within the stream, an error is its last item.
    pub async fn watch(&self, path: &ResourcePath, options: &ListOptions) -> Result<WatchStream, Error> {
        let url = url(path, &ListOptions { watch: true, ..options.clone() });
        let response = self.send(&url, JSON, true).await?;
        if let Some(encoding) = response.header("content-encoding").filter(|encoding| *encoding != "identity") {
            // Browsers read only the first gzip member of such a stream, and say nothing of the events they drop.
            let reason = format!("a watch must not be compressed, and it came as {encoding}");
            return Err(Error::Undecodable { url, reason });
        }
        Ok(events(url, response.body).boxed_local())
    }

    async fn get_json<T: DeserializeOwned>(&self, path: String, accept: &str) -> Result<T, Error> {
        // The server pretty-prints for browsers, which triples the bytes.
        let url = format!("{path}?pretty=false");
        let response = self.send(&url, accept, false).await?;
        let body = response::read_whole(response).await?;
        serde_json::from_slice(&body).map_err(|error| Error::Undecodable { url, reason: error.to_string() })
    }

    async fn send(&self, url: &str, accept: &str, low_priority: bool) -> Result<Response, Error> {
        let headers = vec![("accept", accept.to_owned())];
        let request = Request { path: url.into(), headers, low_priority, ..Request::default() };
        let response = self.transport.send(request).await.map_err(|error| response::unreachable(url, error))?;
        response::successful(url, response).await
    }
}

impl ListerWatcherSource for RestClient {
    fn lister_watcher(&self, resource: &GroupVersionResource, namespace: Option<&str>) -> Rc<dyn ListerWatcher> {
        let all = ResourcePath::all(resource.clone());
        let path = match namespace {
            Some(namespace) => all.in_namespace(namespace),
            None => all,
        };
        Rc::new(ResourceListWatch::new(self.clone(), path))
    }
}

fn url(path: &ResourcePath, options: &ListOptions) -> String {
    match options.to_query().as_str() {
        "" => format!("{path}?pretty=false"),
        query => format!("{path}?{query}&pretty=false"),
    }
}

fn undecodable(url: &str, error: &DecodeError) -> Error {
    match error {
        DecodeError::Truncated { .. } => Error::Interrupted { reason: error.to_string() },
        _ => Error::Undecodable { url: url.split('?').next().unwrap_or(url).into(), reason: error.to_string() },
    }
}

/// A watch between two chunks.
struct Watch {
    url: String,
    body: Body,
    decoder: WatchDecoder,
    ready: VecDeque<Result<WatchEvent, Error>>,
}

fn events(url: String, body: Body) -> impl futures::Stream<Item = Result<WatchEvent, Error>> {
    let watch = Watch { url, body, decoder: WatchDecoder::default(), ready: VecDeque::new() };
    futures::stream::unfold(watch, |mut watch| async move {
        loop {
            if let Some(event) = watch.ready.pop_front() {
                return Some((event, watch));
            }
            let chunk = watch.body.next().await?;
            watch.take(chunk);
        }
    })
}

impl Watch {
    fn take(&mut self, chunk: Result<bytes::Bytes, TransportError>) {
        let Self { url, decoder, ready, .. } = self;
        let result = match chunk {
            Ok(chunk) => {
                decoder.push(&chunk, &mut |event| ready.push_back(Ok(event))).map_err(|error| undecodable(url, &error))
            }
            Err(error) => Err(response::interrupted(error)),
        };
        if let Err(error) = result {
            ready.push_back(Err(error));
            self.body = futures::stream::empty().boxed_local();
        }
    }
}
