//! What only changes a request.

use std::borrow::Cow;
use std::rc::Rc;

use futures::future::LocalBoxFuture;

use crate::runtime::{
    Request, Response, Socket, SocketError, SocketRequest, SocketTransport, Transport, TransportError,
};

/// Puts a path before each request's.
pub(super) struct BelowBasePath {
    pub(super) inner: Rc<dyn Transport>,
    pub(super) base: String,
}

impl Transport for BelowBasePath {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let path = below(&self.base, &request.path);
        self.inner.send(Request { path, ..request })
    }
}

/// Puts a path before each socket's.
pub(super) struct SocketsBelowBasePath {
    pub(super) inner: Rc<dyn SocketTransport>,
    pub(super) base: String,
}

impl SocketTransport for SocketsBelowBasePath {
    fn open(&self, request: SocketRequest) -> LocalBoxFuture<'static, Result<Socket, SocketError>> {
        let path = below(&self.base, &request.path);
        self.inner.open(SocketRequest { path, ..request })
    }
}

fn below(base: &str, path: &str) -> String {
    format!("{base}/{}", path.trim_start_matches('/'))
}

/// Adds headers, unless the request has a certain one.
pub(super) struct WithHeaders<N: AsRef<str>> {
    pub(super) inner: Rc<dyn Transport>,
    pub(super) unless: N,
    pub(super) headers: Vec<(Cow<'static, str>, String)>,
}

impl<N: AsRef<str>> Transport for WithHeaders<N> {
    fn send(&self, mut request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        if request.header(self.unless.as_ref()).is_none() {
            request.headers.extend_from_slice(&self.headers);
        }
        self.inner.send(request)
    }
}
