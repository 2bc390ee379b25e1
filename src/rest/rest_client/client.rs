use std::fmt;
use std::rc::Rc;

use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::api::{Error, GroupVersionResource, LogOptions, ResourcePath};
use crate::cache::{ListerWatcher, ListerWatcherSource};
use crate::rest::decode::{self, DecodeError};
use crate::rest::list_watch::ResourceListWatch;
use crate::rest::response::{self, shown};
use crate::rest::{Accept, Config};
use crate::runtime::{Request, Response, Traffic};

/// Requests to one API server (client-go: `rest.RESTClient`).
///
/// Dropping a request's future cancels it, also while it waits to be sent again.
#[derive(Clone, Debug)]
pub struct RestClient {
    pub(super) config: Config,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawAnswer {
    pub status: u16,
    /// Lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl RestClient {
    /// (client-go: `rest.RESTClientFor`.)
    #[doc(alias = "RESTClientFor")]
    pub fn for_config(config: &Config) -> Self {
        Self { config: config.clone() }
    }

    /// What it was made from.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// For who waits and tries again by itself, so that its waits can be seen and cut short.
    #[must_use]
    pub fn without_retries(&self) -> Self {
        Self { config: Config { max_retries: 0, ..self.config.clone() } }
    }

    /// Sends a request as it is, to any path below the server's root, and reads the whole answer
    /// (client-go: `rest/request.go`, `AbsPath` and `DoRaw`).
    ///
    /// # Errors
    /// As any request; [`Error::Interrupted`] when the answer breaks off.
    #[doc(alias = "DoRaw")]
    #[doc(alias = "AbsPath")]
    pub async fn raw(&self, request: Request) -> Result<RawAnswer, Error> {
        let mut response = self.send(relative(request)).await?;
        let (status, headers) = (response.status, std::mem::take(&mut response.headers));
        Ok(RawAnswer { status, headers, body: response::read_whole(response).await?.into() })
    }

    /// Sends a request as it is, and gives the answer's body while it comes: a log that is followed
    /// (client-go: `rest/request.go`, `Stream`). It is not sent again when the connection breaks.
    ///
    /// # Errors
    /// As any request.
    #[doc(alias = "Stream")]
    pub async fn stream(&self, request: Request) -> Result<Response, Error> {
        self.send(Request { traffic: Traffic::Stream, ..relative(request) }).await
    }

    /// What a container of a pod wrote, while it comes (client-go: `typed/core/v1/pod_expansion.go`, `GetLogs`).
    ///
    /// # Errors
    /// As any request.
    #[doc(alias = "GetLogs")]
    pub async fn logs(&self, pod: &ResourcePath, options: &LogOptions) -> Result<Response, Error> {
        let path = address(&pod.clone().subresource("log"), &options.to_query(), Accept::Object)?;
        self.stream(reading(path, "*/*")).await
    }

    /// Sends a request, and reads the whole of what came back.
    pub(in crate::rest) async fn answer<T: DeserializeOwned>(&self, request: Request) -> Result<T, Error> {
        let path = request.path.clone();
        decoded(&path, &self.answer_bytes(request).await?)
    }

    /// Sends a request, and gives the whole of what came back as it is.
    pub(in crate::rest) async fn answer_bytes(&self, request: Request) -> Result<Vec<u8>, Error> {
        response::read_whole(self.send(request).await?).await
    }
}

impl ListerWatcherSource for RestClient {
    fn lister_watcher(&self, resource: &GroupVersionResource, namespace: Option<&str>) -> Rc<dyn ListerWatcher> {
        Rc::new(ResourceListWatch::new(self.clone(), scope(resource, namespace)))
    }
}

pub(in crate::rest) fn decoded<T: DeserializeOwned>(path: &str, body: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(body).map_err(|error| undecodable_json(path, &decode::reason(&error)))
}

/// As transports take it.
fn relative(mut request: Request) -> Request {
    let slashes = request.path.len() - request.path.trim_start_matches('/').len();
    request.path.drain(..slashes);
    request
}

/// All objects of a resource, in one namespace or in all.
pub(in crate::rest) fn scope(resource: &GroupVersionResource, namespace: Option<&str>) -> ResourcePath {
    let all = ResourcePath::all(resource.clone());
    match namespace {
        Some(namespace) => all.in_namespace(namespace),
        None => all,
    }
}

/// A GET, whose answer is to be of this type.
pub(in crate::rest) fn reading(path: String, accept: &'static str) -> Request {
    Request::get(path).with_header("accept", accept)
}

/// The address of a request, with a query.
///
/// The server pretty-prints for browsers, which triples the bytes.
///
/// # Errors
/// As [`ResourcePath::validate`].
pub(in crate::rest) fn address(path: &ResourcePath, query: &str, accept: Accept) -> Result<String, Error> {
    path.validate()?;
    let mut address = path.to_string();
    address.push('?');
    for part in [query, accept.query()] {
        if !part.is_empty() {
            address.push_str(part);
            address.push('&');
        }
    }
    address.push_str("pretty=false");
    Ok(address)
}

pub(super) fn undecodable(path: &str, error: &DecodeError) -> Error {
    match error {
        DecodeError::Truncated { .. } => Error::Interrupted { reason: error.to_string() },
        _ => undecodable_json(path, error),
    }
}

pub(super) fn undecodable_json(path: &str, error: &dyn fmt::Display) -> Error {
    Error::Undecodable { url: shown(path).into(), reason: error.to_string() }
}
