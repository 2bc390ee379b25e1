//! The HTTP door's WebSockets: between the socket, which may move between threads, and the server, which may not.

use axum::extract::ws::{CloseFrame, Message as HttpMessage, WebSocket, WebSocketUpgrade, close_code};
use axum::http::HeaderMap;
use axum::response::Response as HttpResponse;
use bytes::Bytes;
use futures::{FutureExt as _, StreamExt as _};
use tokio::sync::{mpsc, oneshot};

use super::super::ApiServer;
use super::super::exec::Exec;
use super::super::sockets::Session;
use super::{Bridge, Head, Job, no_head, send_body, write_response};
use crate::runtime::{Message, Request};

/// What the server has to say, what it is told, and the protocol; or the answer in the place of a socket.
struct Opened {
    protocol: String,
    outgoing: mpsc::Receiver<HttpMessage>,
    incoming: mpsc::UnboundedSender<Bytes>,
}

pub(super) async fn answer(
    bridge: Bridge,
    request: Request,
    upgrade: WebSocketUpgrade,
    headers: &HeaderMap,
) -> HttpResponse {
    let asked = headers.get_all("sec-websocket-protocol").iter().filter_map(|value| value.to_str().ok());
    let protocols: Vec<_> = asked.flat_map(|list| list.split(',')).map(|name| name.trim().to_owned()).collect();
    let (reply, answer) = oneshot::channel();
    let job: Job = Box::new(move |server| carry(server, request, protocols, reply).boxed_local());
    if bridge.jobs.send(job).is_err() {
        return no_head("the server is gone");
    }
    match answer.await {
        Ok(Ok(opened)) => upgrade.protocols([opened.protocol.clone()]).on_upgrade(move |socket| pump(socket, opened)),
        Ok(Err(Some(head))) => write_response(head),
        Ok(Err(None)) | Err(_) => no_head("the server did not answer"),
    }
}

/// Opens a session and carries it, for as long as somebody reads what it says.
async fn carry(
    server: ApiServer,
    request: Request,
    protocols: Vec<String>,
    reply: oneshot::Sender<Result<Opened, Option<Head>>>,
) {
    let (sender, outgoing) = mpsc::channel(4);
    let (incoming, heard) = mpsc::unbounded_channel();
    match server.open_socket(request, &protocols).await {
        Ok((protocol, session)) => {
            if reply.send(Ok(Opened { protocol, outgoing, incoming })).is_ok() {
                speak(session, sender, heard).await;
            }
        }
        Err(None) => drop(reply.send(Err(None))),
        Err(Some(response)) => {
            let (sender, body) = mpsc::channel(4);
            let head = Head { status: response.status, headers: response.headers, body };
            if reply.send(Err(Some(head))).is_ok() {
                send_body(response.body, sender).await;
            }
        }
    }
}

/// Says what the session says. A break is left to the socket, which is dropped without a closing frame then.
async fn speak(session: Session, sender: mpsc::Sender<HttpMessage>, heard: mpsc::UnboundedReceiver<Bytes>) {
    match session {
        Session::Exec(exec) => converse(exec, &sender, heard).await,
        Session::Body { body, is_text } => {
            let mut frames = Session::frames(body, is_text);
            loop {
                let frame = tokio::select! {
                    frame = frames.next() => frame,
                    () = sender.closed() => return,
                };
                let message = match frame {
                    None => break,
                    Some(Err(_)) => return,
                    Some(Ok(Message::Text(text))) => HttpMessage::Text(text.into()),
                    Some(Ok(Message::Binary(bytes))) => HttpMessage::Binary(bytes),
                };
                if sender.send(message).await.is_err() {
                    return;
                }
            }
        }
    }
    let end = CloseFrame { code: close_code::NORMAL, reason: "".into() };
    let _ = sender.send(HttpMessage::Close(Some(end))).await;
}

async fn converse(mut exec: Exec, sender: &mpsc::Sender<HttpMessage>, mut heard: mpsc::UnboundedReceiver<Bytes>) {
    let mut frames = exec.start();
    loop {
        for frame in frames {
            if sender.send(HttpMessage::Binary(frame)).await.is_err() {
                return;
            }
        }
        if exec.has_ended() {
            return;
        }
        let Some(message) = heard.recv().await else { return };
        frames = exec.receive(&message);
    }
}

/// Moves messages both ways until one side is done.
async fn pump(mut socket: WebSocket, mut opened: Opened) {
    loop {
        tokio::select! {
            message = opened.outgoing.recv() => {
                let Some(message) = message else { return };
                if socket.send(message).await.is_err() {
                    return;
                }
            }
            message = socket.recv() => {
                let Some(Ok(message)) = message else { return };
                if !matches!(message, HttpMessage::Ping(_) | HttpMessage::Pong(_) | HttpMessage::Close(_)) {
                    let _ = opened.incoming.send(message.into_data());
                }
            }
        }
    }
}
