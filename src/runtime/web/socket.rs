use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use futures::channel::oneshot;
use futures::future::{FutureExt as _, LocalBoxFuture};
use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{BinaryType, CloseEvent, MessageEvent, WebSocket};

use super::fetch::describe;
use crate::runtime::{Inbox, Message, Socket, SocketError, SocketRequest, SocketTransport, Wire};

/// WebSockets to an API server below a base address that may be relative to the page.
///
/// A page that is not served over HTTP has the origin `null`, which API servers refuse.
#[derive(Clone, Debug)]
pub struct WebSocketTransport {
    base: String,
}

impl WebSocketTransport {
    /// `base` ends with a slash, as that of the requests: `../` when the page lies one folder below the API server's
    /// root.
    pub fn new(base: &str) -> Self {
        Self { base: base.into() }
    }
}

impl SocketTransport for WebSocketTransport {
    fn open(&self, request: SocketRequest) -> LocalBoxFuture<'static, Result<Socket, SocketError>> {
        let path = format!("{}{}", self.base, request.path);
        async move {
            let not_opened = |reason| SocketError::NotOpened { reason };
            let opening = Opening::start(&path, &request).map_err(|error| not_opened(describe(&error)))?;
            opening.finish().await.ok_or_else(|| not_opened("the browser does not say why".into()))
        }
        .boxed_local()
    }
}

/// A normal close (RFC 6455, 7.4.1).
const NORMAL: u16 = 1000;
/// What a browser says of a close that had no code.
const NO_CODE: u16 = 1005;

struct Opening {
    socket: Connected,
    inbox: Inbox,
    opened: oneshot::Receiver<()>,
}

/// A socket with its handlers: dropping it takes them off and closes it, so that nothing arrives any more.
struct Connected {
    socket: WebSocket,
    _handlers: Handlers,
}

struct Handlers {
    _open: Closure<dyn FnMut()>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _close: Closure<dyn FnMut(CloseEvent)>,
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.socket.set_onopen(None);
        self.socket.set_onmessage(None);
        self.socket.set_onclose(None);
        // Fails for no code at all; does nothing when it is closed already.
        let _ = self.socket.close();
    }
}

impl Opening {
    fn start(path: &str, request: &SocketRequest) -> Result<Self, JsValue> {
        let protocols: Array = request.protocols.iter().map(|protocol| JsValue::from_str(protocol)).collect();
        let socket = WebSocket::new_with_str_sequence(&address(path)?, &protocols)?;
        socket.set_binary_type(BinaryType::Arraybuffer);
        let inbox = Inbox::new(request.backlog_limit);
        let (sender, opened) = oneshot::channel();
        let sender = Rc::new(RefCell::new(Some(sender)));
        let on_open = Closure::new({
            let sender = Rc::clone(&sender);
            move || {
                if let Some(sender) = sender.take() {
                    // Nobody waits any more when the future was dropped.
                    let _ = sender.send(());
                }
            }
        });
        let on_message = Closure::new({
            let (inbox, socket) = (inbox.clone(), socket.clone());
            move |event: MessageEvent| {
                if !inbox.deliver(message(&event.data())) {
                    let _ = socket.close();
                }
            }
        });
        let on_close = Closure::new({
            let inbox = inbox.clone();
            move |event: CloseEvent| {
                sender.take();
                let code = event.code();
                inbox.end(if matches!(code, NORMAL | NO_CODE) { Ok(()) } else { Err(SocketError::Closed { code }) });
            }
        });
        socket.set_onopen(Some(on_open.as_ref().unchecked_ref()));
        socket.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        socket.set_onclose(Some(on_close.as_ref().unchecked_ref()));
        let handlers = Handlers { _open: on_open, _message: on_message, _close: on_close };
        Ok(Self { socket: Connected { socket, _handlers: handlers }, inbox, opened })
    }

    /// None when it is closed before it opens.
    async fn finish(self) -> Option<Socket> {
        self.opened.await.ok()?;
        let wire = Rc::new(WebWire(self.socket.socket.clone()));
        Some(Socket { protocol: wire.0.protocol(), messages: self.inbox.messages(self.socket), wire })
    }
}

struct WebWire(WebSocket);

impl Wire for WebWire {
    fn send(&self, message: Message) -> Result<(), SocketError> {
        if self.0.ready_state() != WebSocket::OPEN {
            return Err(SocketError::Closed { code: NO_CODE });
        }
        let sent = match &message {
            Message::Text(text) => self.0.send_with_str(text),
            Message::Binary(bytes) => self.0.send_with_u8_array(bytes),
        };
        sent.map_err(|_| SocketError::Closed { code: NO_CODE })
    }

    fn close(&self) {
        let _ = self.0.close_with_code(NORMAL);
    }
}

fn message(data: &JsValue) -> Message {
    match data.dyn_ref::<ArrayBuffer>() {
        Some(buffer) => Message::Binary(Bytes::from(Uint8Array::new(buffer).to_vec())),
        None => Message::Text(data.as_string().unwrap_or_default()),
    }
}

/// The page's own address is the base, whatever the browser makes of relative addresses of sockets.
fn address(path: &str) -> Result<String, JsValue> {
    let base = web_sys::window().and_then(|window| window.document()?.base_uri().ok()?).unwrap_or_default();
    let url = web_sys::Url::new_with_base(path, &base)?;
    url.set_protocol(if url.protocol() == "https:" { "wss:" } else { "ws:" });
    Ok(url.href())
}
