//! WebSockets: watches with an event in each text frame, logs in binary ones, and commands in containers.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::stream::{self, AbortHandle, StreamExt as _};

use super::ApiServer;
use super::exec::{self, Exec};
use super::query::Query;
use super::refusal;
use super::transport::refused;
use crate::runtime::{
    Body, Inbox, Message, Request, Response, Socket, SocketError, SocketRequest, SocketTransport, Traffic, Wire,
};

/// How a connection broke that was not closed.
const ABNORMAL: u16 = 1006;

/// What flows through an open socket.
pub(super) enum Session {
    /// Text is for events, and bytes for logs.
    Body {
        body: Body,
        is_text: bool,
    },
    Exec(Exec),
}

impl ApiServer {
    /// WebSockets to this server, without a network in between. Faults befall them as they do other requests.
    ///
    /// What waits to be read is not bounded by the request's limit, save for commands: watches and logs are made as
    /// they are read.
    pub fn sockets(&self) -> Rc<dyn SocketTransport> {
        Rc::new(self.clone())
    }

    /// The protocol that was chosen, and what flows.
    ///
    /// # Errors
    /// With the answer that is given in the place of a socket; a fault lets none through.
    pub(super) async fn open_socket(
        &self,
        mut request: Request,
        protocols: &[String],
    ) -> Result<(String, Session), Option<Response>> {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let (query, is_exec, is_log) = (Query::parse(query), path.ends_with("/exec"), path.ends_with("/log"));
        let is_watch = query.flag("watch") == Some(true) && !is_log;
        let known: &[&str] = match (is_exec, is_log) {
            (true, _) => &exec::PROTOCOLS,
            (_, true) => &["binary.k8s.io"],
            _ => &[],
        };
        request.headers.push(("upgrade".into(), "websocket".into()));
        let response = self.answer(request).await.map_err(|_| None)?;
        let protocol = protocols.iter().find(|asked| known.contains(&asked.as_str())).cloned().unwrap_or_default();
        let offers = if is_exec { !protocol.is_empty() } else { !protocol.is_empty() || protocols.is_empty() };
        let session = match response.status {
            101 => Session::Exec(Exec::new(&query, &protocol)),
            200 if is_watch || is_log => Session::Body { body: response.body, is_text: is_watch },
            _ => return Err(Some(response)),
        };
        if offers {
            return Ok((protocol, session));
        }
        let what = format!("a WebSocket with the sub-protocols {protocols:?}");
        Err(Some(refused(&refusal::not_offered(&what))))
    }
}

impl Session {
    /// The frames of a body. Logs begin with an empty one.
    pub(super) fn frames(body: Body, is_text: bool) -> crate::runtime::Messages {
        let first = (!is_text).then(|| Ok(Message::Binary(Bytes::new())));
        let frame = move |chunk: Bytes| match is_text {
            true => Message::Text(String::from_utf8_lossy(&chunk).into_owned()),
            false => Message::Binary(chunk),
        };
        let frames = body.map(move |chunk| chunk.map(frame).map_err(|_| SocketError::Closed { code: ABNORMAL }));
        stream::iter(first).chain(frames).boxed_local()
    }
}

impl SocketTransport for ApiServer {
    fn open(&self, request: SocketRequest) -> LocalBoxFuture<'static, Result<Socket, SocketError>> {
        let server = self.clone();
        async move {
            let SocketRequest { path, protocols, backlog_limit } = request;
            let protocols: Vec<_> = protocols.into_iter().map(str::to_owned).collect();
            let request = Request { path, traffic: Traffic::Watch, ..Request::default() };
            let opened = server.open_socket(request, &protocols).await;
            let (protocol, session) = opened.map_err(|response| {
                let status = response.map_or_else(|| "nothing".into(), |response| response.status.to_string());
                SocketError::NotOpened { reason: format!("the server answered {status}") }
            })?;
            Ok(match session {
                Session::Body { body, is_text } => {
                    let (messages, handle) = stream::abortable(Session::frames(body, is_text));
                    Socket { protocol, messages: messages.boxed_local(), wire: Rc::new(ReadOnly(handle)) }
                }
                Session::Exec(mut exec) => {
                    let inbox = Inbox::new(backlog_limit);
                    deliver(&inbox, exec.start(), exec.has_ended());
                    let messages = inbox.messages(());
                    Socket { protocol, messages, wire: Rc::new(Terminal { exec: RefCell::new(exec), inbox }) }
                }
            })
        }
        .boxed_local()
    }
}

fn deliver(inbox: &Inbox, frames: Vec<Bytes>, has_ended: bool) {
    let all = frames.into_iter().all(|frame| inbox.deliver(Message::Binary(frame)));
    if all && has_ended {
        inbox.end(Ok(()));
    }
}

/// The sending side of a watch or a log, to which nobody listens.
struct ReadOnly(AbortHandle);

impl Wire for ReadOnly {
    fn send(&self, _: Message) -> Result<(), SocketError> {
        if self.0.is_aborted() { Err(SocketError::Closed { code: 1000 }) } else { Ok(()) }
    }

    fn close(&self) {
        self.0.abort();
    }
}

/// The sending side of a command.
struct Terminal {
    exec: RefCell<Exec>,
    inbox: Inbox,
}

impl Wire for Terminal {
    fn send(&self, message: Message) -> Result<(), SocketError> {
        let (frames, has_ended) = {
            let mut exec = self.exec.borrow_mut();
            if exec.has_ended() {
                return Err(SocketError::Closed { code: 1000 });
            }
            (exec.receive(&message.into_bytes()), exec.has_ended())
        };
        deliver(&self.inbox, frames, has_ended);
        Ok(())
    }

    fn close(&self) {
        self.inbox.end(Ok(()));
    }
}
