use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Poll, Waker};

use bytes::Bytes;
use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::stream::{LocalBoxStream, StreamExt as _};

/// Opens WebSockets to an API server.
///
/// Dropping the future or the messages it gave closes the socket.
pub trait SocketTransport {
    /// Opens a socket, and waits until it is open.
    ///
    /// # Errors
    /// [`SocketError::NotOpened`] for whatever reason; a browser knows none.
    fn open(&self, request: SocketRequest) -> LocalBoxFuture<'static, Result<Socket, SocketError>>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketRequest {
    /// Path and query below the API server's root, without a leading slash.
    pub path: String,
    /// Sub-protocols, the preferred one first.
    pub protocols: Vec<&'static str>,
    /// How many bytes may have been received and not been read before the socket is given up.
    pub backlog_limit: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Text(String),
    Binary(Bytes),
}

impl Message {
    pub fn into_bytes(self) -> Bytes {
        match self {
            Self::Text(text) => Bytes::from(text),
            Self::Binary(bytes) => bytes,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }
}

/// What a socket receives. It ends when the server closes the socket in good order; an error is the last item.
pub type Messages = LocalBoxStream<'static, Result<Message, SocketError>>;

/// An open socket.
pub struct Socket {
    /// The sub-protocol that the server chose; empty without one.
    pub protocol: String,
    /// Dropping them closes the socket.
    pub messages: Messages,
    pub wire: Rc<dyn Wire>,
}

/// The sending side of an open socket.
pub trait Wire {
    /// Hands a message to the host, which sends it when it can.
    ///
    /// # Errors
    /// [`SocketError::Closed`] when the socket is not open any more.
    fn send(&self, message: Message) -> Result<(), SocketError>;

    /// Closes the socket in good order. What was received before can still be read.
    fn close(&self);
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SocketError {
    /// It was closed before it was open. Ask by a plain request why.
    #[error("the WebSocket was not opened: {reason}")]
    NotOpened { reason: String },

    /// It was open, and is closed; 1006 is a connection that broke.
    #[error("the WebSocket was closed with code {code}")]
    Closed { code: u16 },

    /// It was given up, because nobody read what it brought. What came before was whole.
    #[error("given up: more than {limit} bytes waited to be read")]
    Overflow { limit: usize },
}

/// A host without WebSockets: none is ever opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSockets;

impl SocketTransport for NoSockets {
    fn open(&self, _: SocketRequest) -> LocalBoxFuture<'static, Result<Socket, SocketError>> {
        let error = SocketError::NotOpened { reason: "this program has no WebSockets".into() };
        std::future::ready(Err(error)).boxed_local()
    }
}

/// Where a host puts what a socket receives: sockets have no back-pressure, so that what nobody reads must be bounded.
///
/// Clones are the same inbox.
#[derive(Clone, Debug)]
pub struct Inbox {
    shared: Rc<RefCell<Received>>,
}

#[derive(Debug)]
struct Received {
    messages: VecDeque<Message>,
    backlog: usize,
    limit: usize,
    end: Option<Result<(), SocketError>>,
    reader: Option<Waker>,
}

impl Inbox {
    /// An inbox that holds this many bytes, or a single message of any length.
    pub fn new(limit: usize) -> Self {
        let received = Received { messages: VecDeque::new(), backlog: 0, limit, end: None, reader: None };
        Self { shared: Rc::new(RefCell::new(received)) }
    }

    /// Bytes that were received and not read yet.
    pub fn backlog(&self) -> usize {
        self.shared.borrow().backlog
    }

    /// Takes in a message; false when nothing more is taken in, and the socket is to be closed.
    #[must_use]
    pub fn deliver(&self, message: Message) -> bool {
        self.change(|received| {
            if received.end.is_some() {
                return false;
            }
            let backlog = received.backlog + message.len();
            if received.backlog > 0 && backlog > received.limit {
                received.end = Some(Err(SocketError::Overflow { limit: received.limit }));
                return false;
            }
            received.backlog = backlog;
            received.messages.push_back(message);
            true
        })
    }

    /// Nothing more will come. Only the first end counts.
    pub fn end(&self, end: Result<(), SocketError>) {
        self.change(|received| {
            received.end.get_or_insert(end);
        });
    }

    /// What is delivered, for one reader, who owns `socket`: it is dropped with the messages, and when they end.
    pub fn messages(&self, socket: impl Sized + 'static) -> Messages {
        let state = Some((Rc::clone(&self.shared), socket));
        futures::stream::unfold(state, |state| async move {
            let (shared, socket) = state?;
            let next = std::future::poll_fn(|context| shared.borrow_mut().poll_next(context.waker())).await?;
            Some(match next {
                Ok(message) => (Ok(message), Some((shared, socket))),
                Err(error) => (Err(error), None),
            })
        })
        .boxed_local()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Received) -> T) -> T {
        let (result, reader) = {
            let mut received = self.shared.borrow_mut();
            (change(&mut received), received.reader.take())
        };
        if let Some(reader) = reader {
            reader.wake();
        }
        result
    }
}

impl Received {
    fn poll_next(&mut self, waker: &Waker) -> Poll<Option<Result<Message, SocketError>>> {
        if let Some(message) = self.messages.pop_front() {
            self.backlog -= message.len();
            return Poll::Ready(Some(Ok(message)));
        }
        match self.end.clone() {
            Some(Ok(())) => Poll::Ready(None),
            Some(Err(error)) => Poll::Ready(Some(Err(error))),
            None => {
                self.reader = Some(waker.clone());
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(length: usize) -> Message {
        Message::Text("x".repeat(length))
    }

    fn next(messages: &mut Messages) -> Option<Option<Result<Message, SocketError>>> {
        messages.next().now_or_never()
    }

    /// Case 32 of the browser test list.
    #[test]
    fn an_inbox_gives_what_it_took_in_and_then_says_that_it_was_full() {
        let (inbox, socket) = (Inbox::new(10), Rc::new(()));
        let mut messages = inbox.messages(Rc::clone(&socket));
        assert!(next(&mut messages).is_none());
        assert!(inbox.deliver(text(12)), "a single message may have any length");
        assert_eq!(next(&mut messages), Some(Some(Ok(text(12)))));
        assert!(inbox.deliver(text(4)) && inbox.deliver(text(6)));
        assert_eq!(inbox.backlog(), 10);
        assert!(!inbox.deliver(text(1)) && !inbox.deliver(text(0)));
        inbox.end(Ok(()));
        let received: Vec<_> = std::iter::from_fn(|| next(&mut messages).flatten()).collect();
        assert_eq!(received, [Ok(text(4)), Ok(text(6)), Err(SocketError::Overflow { limit: 10 })]);
        assert_eq!(Rc::strong_count(&socket), 1, "the socket is dropped with the error");
    }

    #[test]
    fn messages_end_in_good_order_after_the_last_one() {
        let inbox = Inbox::new(10);
        let mut messages = inbox.messages(());
        assert!(inbox.deliver(text(1)));
        inbox.end(Ok(()));
        assert_eq!(next(&mut messages), Some(Some(Ok(text(1)))));
        assert_eq!(next(&mut messages), Some(None));
    }
}
