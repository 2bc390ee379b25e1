//! Watches over WebSockets: opened one after another, and given up where they do not work.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;
use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::{StreamExt as _, TryStreamExt as _};

use crate::runtime::{
    Method, Moment, Request, Response, Runtime, Socket, SocketError, SocketRequest, SocketTransport, Traffic,
    Transport, TransportError,
};

/// How often in a row sockets may fail, while requests are answered, before they are left alone.
const FAILURES: u32 = 3;
/// For how long, if the host stays as it is: a network that comes back may be another one.
const LEFT_ALONE: Duration = Duration::from_secs(300);
/// As long as `kubectl proxy` tries to reach the server.
const OPENING: Duration = Duration::from_secs(30);
/// Between two openings at the most.
const SPREAD: Duration = Duration::from_millis(100);
const BEFORE_RETRY: Duration = Duration::from_secs(1);
/// More than any watch brings while a page is busy, and little enough for a page with many of them.
pub(super) const BACKLOG_LIMIT: usize = 8 * 1024 * 1024;

pub(super) struct Sockets {
    runtime: Runtime,
    transport: Rc<dyn SocketTransport>,
    /// Browsers open sockets to one host one after another, and punish those that fail.
    opening: Opening,
    failures: Cell<u32>,
    left_alone: RefCell<Option<LeftAlone>>,
}

/// One at a time.
#[derive(Default)]
struct Opening {
    is_taken: Cell<bool>,
    free: Event,
}

struct Turn<'a>(&'a Opening);

struct LeftAlone {
    until: Moment,
    host_changed: LocalBoxFuture<'static, ()>,
}

impl Opening {
    async fn turn(&self) -> Turn<'_> {
        while self.is_taken.replace(true) {
            self.free.listen().await;
        }
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.is_taken.set(false);
        self.0.free.notify(1);
    }
}

impl Sockets {
    pub(super) fn new(runtime: Runtime, transport: Rc<dyn SocketTransport>) -> Self {
        let (failures, left_alone) = (Cell::default(), RefCell::default());
        Self { runtime, transport, opening: Opening::default(), failures, left_alone }
    }

    /// Whether sockets are worth a try.
    pub(super) fn are_trusted(&self) -> bool {
        let Some(mut left_alone) = self.left_alone.take() else { return true };
        if (&mut left_alone.host_changed).now_or_never().is_some() {
            if self.runtime.host.state().is_online {
                left_alone.until = Moment::default();
            }
            left_alone.host_changed = self.runtime.host.changed();
        }
        let is_over = self.runtime.now() >= left_alone.until;
        if is_over {
            // One more failure is enough.
            self.failures.set(FAILURES - 1);
        } else {
            *self.left_alone.borrow_mut() = Some(left_alone);
        }
        is_over
    }

    /// It was not the sockets' fault.
    pub(super) fn trust(&self) {
        self.failures.set(0);
        self.left_alone.take();
    }

    /// A watch over a socket, or the answer to a plain request that says why there is none.
    /// None when sockets do not work here though requests do.
    pub(super) async fn watch(
        &self,
        request: &Request,
        requests: &dyn Transport,
    ) -> Option<Result<Response, TransportError>> {
        while self.are_trusted() {
            if let Ok(socket) = self.open(request).await? {
                self.trust();
                return Some(Ok(answer(socket)));
            }
            match requests.send(probe(request)).await {
                Ok(response) if (200..300).contains(&response.status) => self.failed().await,
                refused_or_unreachable => return Some(refused_or_unreachable),
            }
        }
        None
    }

    /// None when sockets were given up while this one waited for its turn.
    async fn open(&self, request: &Request) -> Option<Result<Socket, SocketError>> {
        let _turn = self.opening.turn().await;
        if !self.are_trusted() {
            return None;
        }
        self.runtime.sleep(SPREAD.mul_f64(self.runtime.random.unit())).await;
        let request = SocketRequest { path: request.path.clone(), protocols: Vec::new(), backlog_limit: BACKLOG_LIMIT };
        let deadline = self.runtime.now() + OPENING;
        let opened = self.runtime.timeout_at(deadline, self.transport.open(request)).await;
        Some(opened.unwrap_or_else(|| Err(SocketError::NotOpened { reason: "it took too long".into() })))
    }

    async fn failed(&self) {
        self.failures.set(self.failures.get() + 1);
        if self.failures.get() < FAILURES {
            self.runtime.sleep(BEFORE_RETRY.mul_f64(0.5 + self.runtime.random.unit() / 2.0)).await;
            return;
        }
        let until = self.runtime.now() + LEFT_ALONE;
        *self.left_alone.borrow_mut() = Some(LeftAlone { until, host_changed: self.runtime.host.changed() });
    }
}

/// Frames come as chunks; each is a whole event.
fn answer(socket: Socket) -> Response {
    let chunks = socket.messages.map_ok(|message| message.into_bytes());
    Response {
        status: 200,
        headers: vec![("content-type".into(), "application/json".into())],
        body: chunks.map_err(|error| TransportError(error.to_string())).boxed_local(),
    }
}

/// The shortest list of what is to be watched: whatever refuses the watch refuses it too, and says why.
fn probe(request: &Request) -> Request {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let kept = ["labelSelector=", "fieldSelector=", "pretty="];
    let mut probe = format!("{path}?limit=1");
    for pair in query.split('&').filter(|pair| kept.iter().any(|name| pair.starts_with(name))) {
        probe.push('&');
        probe.push_str(pair);
    }
    Request {
        method: Method::Get,
        path: probe,
        headers: request.headers.clone(),
        body: None,
        traffic: Traffic::Request,
    }
}
