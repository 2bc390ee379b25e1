use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

/// Moves bytes between the core and an API server.
///
/// Dropping the future or the body it gave aborts the request.
pub trait Transport {
    /// Sends a request and waits for the head of the answer.
    ///
    /// # Errors
    /// When no head came. An answer with an error's status is an answer.
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>>;

    /// The lists, watches and streams that go on now; none where nobody keeps count of them.
    fn open_requests(&self) -> Vec<OpenRequest> {
        Vec::new()
    }
}

/// A request that goes on, for people to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRequest {
    /// Path and query below the API server's root.
    pub path: String,
    pub traffic: Traffic,
    pub way: Way,
}

/// How a request's answer comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// It waits for a connection.
    #[default]
    Waiting,
    Fetch,
    WebSocket,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    #[default]
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

#[derive(Clone, Default, PartialEq)]
pub struct Request {
    pub method: Method,
    /// Path and query below the API server's root, without a leading slash.
    pub path: String,
    /// Lower-case names.
    pub headers: Vec<(Cow<'static, str>, String)>,
    pub body: Option<Bytes>,
    pub traffic: Traffic,
}

/// Without what headers and body hold: tokens, and objects that may be Secrets.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| &**name).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("header_names", &names)
            .field("body_bytes", &self.body.as_ref().map(Bytes::len))
            .field("traffic", &self.traffic)
            .finish()
    }
}

/// How long an answer takes, and who waits for it: what shares a host's few connections needs to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Traffic {
    /// Short, and somebody waits for it.
    #[default]
    Request,
    /// A whole list, which may be long.
    List,
    /// A watch: open for minutes, and nothing is lost when it is ended and opened again.
    Watch,
    /// Open for as long as somebody looks, and not to be ended before: a log that is followed.
    Stream,
}

/// The chunks of an answer's body, cut anywhere.
pub type Body = LocalBoxStream<'static, Result<Bytes, TransportError>>;

pub struct Response {
    pub status: u16,
    /// Lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

impl Request {
    /// A GET of a path below the API server's root.
    pub fn get(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// With one header more; its name is in lower case.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// A header's first value by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Response {
    /// A header's value by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The connection failed; in the host's own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TransportError(pub String);
