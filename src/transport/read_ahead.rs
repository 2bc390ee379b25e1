use std::cell::RefCell;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream;

use super::sockets::BACKLOG_LIMIT;
use crate::runtime::{Body, Inbox, Message, Runtime, TransportError};

/// A watch's body, read as fast as it comes, so that what its reader cannot follow waits here, counted, and not in the
/// browser, which takes in 69 MB before it stops. Beyond the limit the body is given up: its reader gets what had come,
/// and then an error, and goes on from there with a new watch.
pub(super) fn read_ahead(body: Body, runtime: &Runtime) -> Body {
    let inbox = Inbox::new(BACKLOG_LIMIT);
    let source = Rc::new(RefCell::new(Source { body: Some(body), error: None }));
    let reading = runtime.spawn({
        let (inbox, source) = (inbox.clone(), Rc::clone(&source));
        async move {
            while let Some(chunk) = stream::poll_fn(|context| source.borrow_mut().poll(context)).next().await {
                if !inbox.deliver(Message::Binary(chunk)) {
                    break;
                }
            }
            source.borrow_mut().body = None;
            inbox.end(Ok(()));
        }
    });
    let abort = AbortWhenDropped(Rc::clone(&source));
    let chunks = inbox.messages((reading, abort)).map(|message| match message {
        Ok(message) => Ok(message.into_bytes()),
        Err(error) => Err(TransportError(error.to_string())),
    });
    let error = stream::once(async move { source.borrow_mut().error.take() });
    chunks.chain(error.filter_map(|error| async { error.map(Err) })).boxed_local()
}

struct Source {
    /// None when it has ended or is to end.
    body: Option<Body>,
    error: Option<TransportError>,
}

impl Source {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        body.poll_next_unpin(context).map(|chunk| match chunk? {
            Ok(chunk) => Some(chunk),
            Err(error) => {
                self.error = Some(error);
                None
            }
        })
    }
}

/// The task that reads ends only at its next turn, and the request is to be aborted now.
struct AbortWhenDropped(Rc<RefCell<Source>>);

impl Drop for AbortWhenDropped {
    fn drop(&mut self) {
        let body = self.0.borrow_mut().body.take();
        drop(body);
    }
}
