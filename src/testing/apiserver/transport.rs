//! From a request to an answer, faults and all: the one way through which every door leads.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};

use super::faults::Fault;
use super::refusal::{self, Refusal, WireStatus};
use super::routes::{self, Call};
use super::{ApiServer, rights::User};
use crate::runtime::{Body, Request, Response, Transport, TransportError};

const HTML_PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\
                         <body><h1>Sign in to the network</h1></body></html>\n";

const PROXY_ERROR: &str = "dial tcp 127.0.0.1:6443: connect: connection refused\n";

/// The door for the same program: a test, or the page with the demo cluster inside.
struct InProcess {
    server: ApiServer,
}

impl Transport for InProcess {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let server = self.server.clone();
        async move { server.answer(request).await }.boxed_local()
    }
}

impl ApiServer {
    /// Requests to this server, without a network in between. Faults befall them all the same.
    pub fn transport(&self) -> Rc<dyn Transport> {
        Rc::new(InProcess { server: self.clone() })
    }

    /// # Errors
    /// When a fault lets no head through.
    pub(super) async fn answer(&self, request: Request) -> Result<Response, TransportError> {
        let call = match Call::read(self, &request) {
            Ok(call) => call,
            Err(refusal) => return Ok(refused(&refusal)),
        };
        let user = match self.identify(&request, &call.attributes()) {
            Ok(user) => user,
            Err(refusal) => return Ok(refused(&refusal)),
        };
        let faults = self.inner.faults.borrow_mut().of_request(&request.path, call.verb);
        for fault in &faults {
            if let Fault::Delay { milliseconds } = fault {
                self.inner.runtime.sleep(Duration::from_millis(*milliseconds)).await;
            }
        }
        for fault in &faults {
            if let Some(instead) = self.answer_of_fault(&call, &user, fault) {
                return instead;
            }
        }
        let response = routes::answer(self, &user, &call, &request).unwrap_or_else(|refusal| refused(&refusal));
        Ok(faults.iter().fold(response, cut))
    }

    /// What comes instead of the answer, with the faults that replace it.
    fn answer_of_fault(&self, call: &Call, user: &User, fault: &Fault) -> Option<Result<Response, TransportError>> {
        Some(Ok(match fault {
            Fault::Refuse => return Some(Err(TransportError("connection refused".into()))),
            Fault::HtmlPage => text(200, "text/html; charset=utf-8", HTML_PAGE),
            Fault::ProxyError => text(500, "text/plain; charset=utf-8", PROXY_ERROR),
            Fault::TooManyRequests { retry_after_seconds } => {
                let mut response = refused(&refusal::too_many_requests(*retry_after_seconds));
                response.headers.push(("retry-after".into(), retry_after_seconds.to_string()));
                response
            }
            Fault::Gone => routes::gone(self, call),
            Fault::Forbidden => {
                call.target.as_ref()?;
                refused(&refusal::forbidden(&user.name, &call.attributes()))
            }
            _ => return None,
        }))
    }
}

/// An answer whose whole body is at hand.
pub(super) fn whole(status: u16, content_type: &str, body: impl Into<Bytes>) -> Response {
    streamed(status, content_type, stream::iter([Ok(body.into())]).boxed_local())
}

pub(super) fn streamed(status: u16, content_type: &str, body: Body) -> Response {
    let headers = [("content-type", content_type), ("cache-control", "no-cache, private")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Response { status, headers, body }
}

pub(super) fn refused(refusal: &Refusal) -> Response {
    if refusal.status.is_empty() {
        let mut response = whole(refusal.code, "text/plain; charset=utf-8", format!("{}\n", refusal.message));
        response.headers.push(("x-content-type-options".into(), "nosniff".into()));
        return response;
    }
    whole(refusal.code, "application/json", super::to_json(&WireStatus::from(&**refusal)))
}

fn text(status: u16, content_type: &str, body: &'static str) -> Response {
    whole(status, content_type, Bytes::from_static(body.as_bytes()))
}

/// The answer as the faults that break bodies leave it.
fn cut(mut response: Response, fault: &Fault) -> Response {
    let (after_bytes, breaks) = match fault {
        Fault::Drop { after_bytes } => (*after_bytes, true),
        Fault::Truncate { after_bytes } => (*after_bytes, false),
        _ => return response,
    };
    let state = (response.body, usize::try_from(after_bytes).unwrap_or(usize::MAX));
    let kept = stream::unfold(state, |(mut body, left)| async move {
        if left == 0 {
            return None;
        }
        let mut chunk = body.next().await?;
        if let Ok(bytes) = &mut chunk {
            bytes.truncate(left);
        }
        let left = left - chunk.as_ref().map_or(0, Bytes::len);
        Some((chunk, (body, left)))
    });
    let end = breaks.then(|| Err(TransportError("connection reset by peer".into())));
    response.body = kept.chain(stream::iter(end)).boxed_local();
    response
}
