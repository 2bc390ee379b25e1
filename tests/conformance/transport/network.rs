//! A browser's network as a page meets it: six connections to one host, and sockets beside them.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use bytes::Bytes;
use futures::channel::mpsc;
use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::stream::StreamExt as _;
use watchglass::runtime::{
    Inbox, Message, Request, Response, Runtime, Socket, SocketError, SocketRequest, SocketTransport, Task, Traffic,
    Transport, TransportError, Wire,
};
use watchglass::testing::Sandbox;
use watchglass::transport::Connections;

const CONNECTIONS: usize = 6;

/// Sends a seventh request only when one of six has ended, and says nothing of it, as a browser does.
#[derive(Clone, Default)]
pub(super) struct Network {
    sent: Rc<RefCell<Vec<Sent>>>,
    answers: Rc<RefCell<VecDeque<Answer>>>,
}

/// What comes instead of an open, empty answer.
pub(super) enum Answer {
    Status(u16),
    Unreachable,
    /// No head for now.
    Late,
}

/// A request that was sent.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) request: Request,
    is_open: Rc<Cell<bool>>,
    body: mpsc::UnboundedSender<Result<Bytes, TransportError>>,
}

impl Sent {
    pub(super) fn is_open(&self) -> bool {
        self.is_open.get()
    }

    /// The server sends a part of the body.
    pub(super) fn says(&self, text: &'static str) {
        self.body.unbounded_send(Ok(text.into())).expect("somebody listens");
    }

    pub(super) fn ends(&self) {
        self.body.close_channel();
    }

    pub(super) fn breaks(&self) {
        self.body.unbounded_send(Err(TransportError("reset".into()))).expect("somebody listens");
    }
}

struct Open(Rc<Cell<bool>>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl Network {
    pub(super) fn answers(&self, answers: impl IntoIterator<Item = Answer>) {
        self.answers.borrow_mut().extend(answers);
    }

    /// The paths of the requests that are on their way or being answered, in the order of their sending.
    pub(super) fn open(&self) -> Vec<String> {
        self.sent.borrow().iter().filter(|sent| sent.is_open()).map(|sent| sent.request.path.clone()).collect()
    }

    /// How many requests were sent.
    pub(super) fn count(&self) -> usize {
        self.sent.borrow().len()
    }

    /// The last request with this path.
    pub(super) fn last(&self, path: &str) -> Sent {
        let sent = self.sent.borrow();
        sent.iter().rfind(|sent| sent.request.path == path).expect("it was sent").clone()
    }

    fn answer(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let (body, chunks) = mpsc::unbounded();
        let is_open = Rc::new(Cell::new(true));
        self.sent.borrow_mut().push(Sent { request, is_open: Rc::clone(&is_open), body });
        let open = Open(is_open);
        let answer = self.answers.borrow_mut().pop_front();
        async move {
            let status = match answer {
                None => 200,
                Some(Answer::Status(status)) => status,
                Some(Answer::Unreachable) => return Err(TransportError("refused".into())),
                Some(Answer::Late) => std::future::pending().await,
            };
            let chunks = chunks.map(move |chunk| {
                let _open = &open;
                chunk
            });
            Ok(Response { status, headers: Vec::new(), body: chunks.boxed_local() })
        }
        .boxed_local()
    }
}

impl Transport for Network {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let network = self.clone();
        async move {
            assert!(network.open().len() < CONNECTIONS, "{} stalls without a sign", request.path);
            network.answer(request).await
        }
        .boxed_local()
    }
}

/// Sockets that open at once, unless they are told otherwise.
#[derive(Clone, Default)]
pub(super) struct SocketNetwork {
    /// What the server chooses.
    pub(super) protocol: Rc<Cell<&'static str>>,
    tries: Rc<RefCell<Vec<SocketRequest>>>,
    opened: Rc<RefCell<Vec<OpenSocket>>>,
    script: Rc<RefCell<VecDeque<Opening>>>,
    pub(super) all_fail: Rc<Cell<bool>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    Opens,
    Fails,
    Hangs,
}

#[derive(Clone)]
pub(super) struct OpenSocket {
    pub(super) inbox: Inbox,
    wire: Rc<RecordingWire>,
    is_open: Rc<Cell<bool>>,
}

impl OpenSocket {
    pub(super) fn is_open(&self) -> bool {
        self.is_open.get()
    }

    /// What was sent through it.
    pub(super) fn sent(&self) -> Vec<Bytes> {
        self.wire.0.borrow().clone()
    }

    /// The server sends a frame; a host closes a socket whose inbox is full.
    pub(super) fn says(&self, text: &str) {
        if !self.inbox.deliver(Message::Text(text.into())) {
            self.is_open.set(false);
        }
    }
}

impl SocketNetwork {
    pub(super) fn script(&self, script: impl IntoIterator<Item = Opening>) {
        self.script.borrow_mut().extend(script);
    }

    /// How many sockets were tried.
    pub(super) fn count(&self) -> usize {
        self.tries.borrow().len()
    }

    pub(super) fn request(&self, number: usize) -> SocketRequest {
        self.tries.borrow()[number].clone()
    }

    pub(super) fn opened(&self, number: usize) -> OpenSocket {
        self.opened.borrow()[number].clone()
    }

    pub(super) fn open_count(&self) -> usize {
        self.opened.borrow().iter().filter(|socket| socket.is_open()).count()
    }
}

#[derive(Default)]
struct RecordingWire(RefCell<Vec<Bytes>>);

impl Wire for RecordingWire {
    fn send(&self, message: Message) -> Result<(), SocketError> {
        self.0.borrow_mut().push(message.into_bytes());
        Ok(())
    }

    fn close(&self) {}
}

impl SocketTransport for SocketNetwork {
    fn open(&self, request: SocketRequest) -> LocalBoxFuture<'static, Result<Socket, SocketError>> {
        let inbox = Inbox::new(request.backlog_limit);
        self.tries.borrow_mut().push(request);
        let scripted = self.script.borrow_mut().pop_front();
        let opening = if self.all_fail.get() { Opening::Fails } else { scripted.unwrap_or(Opening::Opens) };
        let (opened, protocol) = (Rc::clone(&self.opened), self.protocol.get().to_owned());
        async move {
            match opening {
                Opening::Opens => {}
                Opening::Fails => return Err(SocketError::NotOpened { reason: "1006".into() }),
                Opening::Hangs => std::future::pending().await,
            }
            let (is_open, wire) = (Rc::new(Cell::new(true)), Rc::new(RecordingWire::default()));
            let messages = inbox.messages(Open(Rc::clone(&is_open)));
            opened.borrow_mut().push(OpenSocket { inbox, wire: Rc::clone(&wire), is_open });
            Ok(Socket { protocol, messages, wire })
        }
        .boxed_local()
    }
}

/// A page over such a network.
pub(super) struct Page {
    pub(super) sandbox: Sandbox,
    pub(super) network: Network,
    pub(super) sockets: SocketNetwork,
    pub(super) connections: Connections,
}

impl Page {
    pub(super) fn with_sockets() -> Self {
        let (sandbox, network, sockets) = (Sandbox::new(), Network::default(), SocketNetwork::default());
        let connections =
            Connections::new(&sandbox.runtime(), Rc::new(network.clone()), Some(Rc::new(sockets.clone())));
        Self { sandbox, network, sockets, connections }
    }

    pub(super) fn without_sockets() -> Self {
        let (sandbox, network, sockets) = (Sandbox::new(), Network::default(), SocketNetwork::default());
        let connections = Connections::new(&sandbox.runtime(), Rc::new(network.clone()), None);
        Self { sandbox, network, sockets, connections }
    }

    pub(super) fn runtime(&self) -> Runtime {
        self.sandbox.runtime()
    }

    pub(super) fn asks(&self, path: &str, traffic: Traffic) -> Asked {
        self.asks_with(request(path, traffic))
    }

    /// Sends a request and reads its answer to the end, as long as the result lives.
    pub(super) fn asks_with(&self, request: Request) -> Asked {
        let asked = asked(&self.runtime(), &self.connections, request);
        self.sandbox.run_until_idle();
        asked
    }
}

pub(super) fn request(path: &str, traffic: Traffic) -> Request {
    Request {
        path: path.into(),
        headers: vec![("accept".into(), "application/json".into())],
        traffic,
        ..Request::default()
    }
}

/// What a request has come to so far.
pub(super) struct Asked {
    pub(super) traffic: Traffic,
    answer: Rc<RefCell<Progress>>,
    task: Option<Task>,
}

#[derive(Default)]
struct Progress {
    status: Option<u16>,
    text: String,
    end: Option<Result<(), TransportError>>,
}

pub(super) fn asked(runtime: &Runtime, transport: &dyn Transport, request: Request) -> Asked {
    let answer = Rc::new(RefCell::new(Progress::default()));
    let traffic = request.traffic;
    let (progress, sending) = (Rc::clone(&answer), transport.send(request));
    let task = runtime.spawn(async move {
        let mut response = match sending.await {
            Ok(response) => response,
            Err(error) => return progress.borrow_mut().end = Some(Err(error)),
        };
        progress.borrow_mut().status = Some(response.status);
        while let Some(chunk) = response.body.next().await {
            match chunk {
                Ok(chunk) => progress.borrow_mut().text += std::str::from_utf8(&chunk).expect("a text"),
                Err(error) => return progress.borrow_mut().end = Some(Err(error)),
            }
        }
        progress.borrow_mut().end = Some(Ok(()));
    });
    Asked { traffic, answer, task: Some(task) }
}

impl Asked {
    pub(super) fn status(&self) -> Option<u16> {
        self.answer.borrow().status
    }

    /// It has no answer and no error yet.
    pub(super) fn is_waiting(&self) -> bool {
        self.status().is_none() && self.end().is_none()
    }

    pub(super) fn text(&self) -> String {
        self.answer.borrow().text.clone()
    }

    pub(super) fn end(&self) -> Option<Result<(), TransportError>> {
        self.answer.borrow().end.clone()
    }

    pub(super) fn aborts(&mut self) {
        self.task = None;
    }
}
