use std::rc::Rc;

use serde::de::DeserializeOwned;

use crate::api::{Error, GroupVersionResource, ListOptions, ResourcePath};
use crate::cache::{ListerWatcher, ListerWatcherSource};
use crate::rest::Config;
use crate::rest::decode::DecodeError;
use crate::rest::list_watch::ResourceListWatch;
use crate::rest::response;
use crate::runtime::{Request, Response};

/// Typed requests to one API server (client-go: `rest.RESTClient`).
#[derive(Clone)]
pub struct RestClient {
    config: Config,
}

pub(super) const JSON: &str = "application/json";

impl RestClient {
    /// (client-go: `rest.RESTClientFor`.)
    #[doc(alias = "RESTClientFor")]
    pub fn for_config(config: &Config) -> Self {
        Self { config: config.clone() }
    }

    /// Sends a request, and reads the whole of what came back.
    pub(in crate::rest) async fn answer<T: DeserializeOwned>(&self, request: Request) -> Result<T, Error> {
        let url = request.path.clone();
        let response = self.send(request).await?;
        let body = response::read_whole(response).await?;
        serde_json::from_slice(&body).map_err(|error| Error::Undecodable { url, reason: error.to_string() })
    }

    /// Sends a request, and gives the head of an answer that succeeded.
    pub(in crate::rest) async fn send(&self, request: Request) -> Result<Response, Error> {
        let url = request.path.clone();
        let response = self.config.transport.send(request).await.map_err(|error| response::unreachable(&url, error))?;
        response::successful(&url, response).await
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

/// A GET, whose answer is to be of this type.
pub(super) fn reading(url: String, accept: &str) -> Request {
    Request { path: url, headers: vec![("accept", accept.to_owned())], ..Request::default() }
}

/// The server pretty-prints for browsers, which triples the bytes.
pub(super) fn compact(path: &impl std::fmt::Display) -> String {
    format!("{path}?pretty=false")
}

pub(super) fn with_options(path: &ResourcePath, options: &ListOptions) -> String {
    match options.to_query().as_str() {
        "" => compact(path),
        query => format!("{path}?{query}&pretty=false"),
    }
}

pub(super) fn undecodable(url: &str, error: &DecodeError) -> Error {
    match error {
        DecodeError::Truncated { .. } => Error::Interrupted { reason: error.to_string() },
        _ => Error::Undecodable { url: url.split('?').next().unwrap_or(url).into(), reason: error.to_string() },
    }
}
