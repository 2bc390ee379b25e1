use std::rc::Rc;

use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::stream::StreamExt as _;

use crate::runtime::{
    Method, Request, Response, Socket, SocketError, SocketRequest, SocketTransport, Transport, TransportError,
};

/// Lets through what only reads: GET, and sockets that watch.
///
/// Anything else, also a GET that would open a shell, is answered at once with a Status 405 (MethodNotAllowed) that
/// says so, and no byte of it is sent. That holds for reviews of one's own rights too, which are asked by a POST.
#[derive(Clone)]
pub struct ReadOnly {
    requests: Rc<dyn Transport>,
    sockets: Rc<dyn SocketTransport>,
    /// What a person can do to write after all: "open the page without …".
    how_to_lift: Rc<str>,
}

impl ReadOnly {
    /// `how_to_lift` tells a person what to do to write after all, as the end of a sentence.
    pub fn new(requests: Rc<dyn Transport>, sockets: Rc<dyn SocketTransport>, how_to_lift: &str) -> Self {
        Self { requests, sockets, how_to_lift: how_to_lift.into() }
    }

    fn reason(&self, what: &str, path: &str) -> String {
        let path = path.split('?').next().unwrap_or_default();
        format!("{what} {path} was not sent, because this connection is read-only; to allow it, {}", self.how_to_lift)
    }
}

impl Transport for ReadOnly {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        if request.method == Method::Get && !reaches_into_a_pod(&request.path) {
            return self.requests.send(request);
        }
        let reason = self.reason(request.method.as_str(), &request.path);
        std::future::ready(Ok(refusal(&reason))).boxed_local()
    }
}

impl SocketTransport for ReadOnly {
    fn open(&self, request: SocketRequest) -> LocalBoxFuture<'static, Result<Socket, SocketError>> {
        let query = request.path.split_once('?').map_or("", |(_, query)| query);
        if query.split('&').any(|pair| pair == "watch=true") && !reaches_into_a_pod(&request.path) {
            return self.sockets.open(request);
        }
        let reason = self.reason("WebSocket", &request.path);
        std::future::ready(Err(SocketError::NotOpened { reason })).boxed_local()
    }
}

/// Whether the request is for a way into a container, through which anything may be done.
fn reaches_into_a_pod(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    ["/exec", "/attach", "/portforward"].iter().any(|way| path.ends_with(way))
}

/// By hand: a serializer of its own would be a large part of this.
fn refusal(message: &str) -> Response {
    // Texts can always be written.
    let message = serde_json::to_string(message).unwrap_or_default();
    let (before, after) = (
        r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"MethodNotAllowed","code":405,"message":"#,
        "}",
    );
    Response {
        status: 405,
        headers: vec![("content-type".into(), "application/json".into())],
        body: futures::stream::iter([Ok([before, &message, after].concat().into())]).boxed_local(),
    }
}
