use std::rc::Rc;

use futures::future::{FutureExt as _, LocalBoxFuture};

use super::fetched::{Hold, ended_between_events, held};
use super::open_requests::{Noted, OpenRequests};
use super::read_ahead::read_ahead;
use super::scheduler::{LONGEST_HELD, Scheduler};
use super::sockets::Sockets;
use crate::runtime::{
    OpenRequest, Request, Response, Runtime, Slots, SocketTransport, Traffic, Transport, TransportError, Unshared, Way,
};

/// Shares the few connections that a browser has for one host, so that a request never waits behind a watch.
///
/// A browser opens six HTTP/1.1 connections to one host, for all its tabs together, and keeps a seventh request back
/// without any sign (kubernetes-sigs/headlamp#1373). Of these six
///
/// - watches and streams hold four at the most, streams three of them, because nothing ends a stream for others;
/// - with the lists that are being read they are five at the most: one is always there for a request, and two as
///   long as nothing is listed;
/// - requests are sent at once, and never counted.
///
/// Who waits is served in the order of coming, lists apart from watches. A connection is free again as soon as its
/// answer ends or is dropped.
///
/// A watch that finds no connection goes over a WebSocket, which browsers do not count among the six, if it asks for
/// plain JSON: nothing can be said in a socket's head. A WatchList does so from the start, because sockets are never
/// compressed. A socket that does not open is followed by a plain request for the reason, which becomes the watch's
/// answer. When requests are answered and sockets fail three times in a row all the same, sockets are left alone for
/// five minutes, or until the host has another state: it is online again, or the page is seen again.
///
/// The watches that wait for a connection then take turns: the one that has held its connection longest, at least
/// ten seconds, is ended in good order after an event, and its reflector goes on from there when its turn comes.
/// WatchLists are let be, because one that ends before its mark counts as unsupported.
///
/// What nobody reads does not grow: a watch is given up when eight MiB wait, over whatever it came, and goes on from
/// what was read. Lists and streams are read no faster than somebody asks for them.
#[derive(Clone)]
pub struct Connections {
    shared: Rc<Shared>,
}

struct Shared {
    runtime: Runtime,
    requests: Rc<dyn Transport>,
    sockets: Option<Sockets>,
    slots: Rc<dyn Slots>,
    scheduler: Rc<Scheduler>,
    open: Rc<OpenRequests>,
}

impl Connections {
    /// How many watches and streams are open at a time; as many slots are to be shared with other programs.
    pub const WATCHES: usize = LONGEST_HELD;

    /// `requests` sends what is not sent over `sockets`; without sockets, all watches take turns.
    pub fn new(runtime: &Runtime, requests: Rc<dyn Transport>, sockets: Option<Rc<dyn SocketTransport>>) -> Self {
        Self::sharing(runtime, requests, sockets, Rc::new(Unshared))
    }

    /// Connections that other programs of the host use too; `slots` is asked for each watch and stream.
    pub fn sharing(
        runtime: &Runtime,
        requests: Rc<dyn Transport>,
        sockets: Option<Rc<dyn SocketTransport>>,
        slots: Rc<dyn Slots>,
    ) -> Self {
        let scheduler = Scheduler::new(Rc::clone(&runtime.clock));
        let sockets = sockets.map(|sockets| Sockets::new(runtime.clone(), sockets));
        let open = Rc::default();
        Self { shared: Rc::new(Shared { runtime: runtime.clone(), requests, sockets, slots, scheduler, open }) }
    }
}

impl Transport for Connections {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let shared = Rc::clone(&self.shared);
        match request.traffic {
            Traffic::Request => self.shared.requests.send(request),
            Traffic::List | Traffic::Watch | Traffic::Stream => {
                async move { shared.noted(request).await }.boxed_local()
            }
        }
    }

    fn open_requests(&self) -> Vec<OpenRequest> {
        self.shared.open.all()
    }
}

impl Shared {
    async fn noted(&self, request: Request) -> Result<Response, TransportError> {
        let noted = self.open.note(&request);
        let mut response = self.long(request, &noted).await?;
        response.body = noted.with(response.body);
        Ok(response)
    }

    async fn long(&self, request: Request, noted: &Noted) -> Result<Response, TransportError> {
        let is_watch_list = is_watch_list(&request);
        let sockets = self.sockets.as_ref().filter(|sockets| is_plain_watch(&request) && sockets.are_trusted());
        let (mut untried, mut failed) = (sockets, None);
        let hold = loop {
            let goes_over_a_socket_first = is_watch_list && untried.is_some();
            if !goes_over_a_socket_first && let Some(hold) = self.hold(request.traffic, untried.is_none()).await {
                break hold;
            }
            if let Some(sockets) = untried.take() {
                noted.goes_by(Way::WebSocket);
                if let Some(answer) = sockets.watch(&request, &*self.requests).await {
                    return answer;
                }
                failed = Some(sockets);
                noted.goes_by(Way::Waiting);
            }
        };
        noted.goes_by(Way::Fetch);
        let response = self.fetch(request, hold, is_watch_list).await?;
        if let Some(sockets) = failed.filter(|_| !is_success(&response)) {
            // Somebody may list, but not watch: that is why no socket was opened.
            sockets.trust();
        }
        Ok(response)
    }

    /// None only when it does not wait.
    async fn hold(&self, traffic: Traffic, waits: bool) -> Option<Hold> {
        let permit = match waits {
            true => self.scheduler.acquire(traffic).await,
            false => self.scheduler.try_acquire(traffic)?,
        };
        let slot = match traffic {
            Traffic::Watch | Traffic::Stream => Some(self.slots.take(waits).await?),
            Traffic::Request | Traffic::List => None,
        };
        Some(Hold::new(permit, slot))
    }

    async fn fetch(&self, request: Request, hold: Hold, is_watch_list: bool) -> Result<Response, TransportError> {
        let is_watch = request.traffic == Traffic::Watch;
        let request = if is_watch_list { uncompressed(request) } else { request };
        let mut response = self.requests.send(request).await?;
        let is_open_watch = is_watch && is_success(&response);
        let others_turn = (is_open_watch && !is_watch_list).then(|| hold.take_turns(&self.runtime));
        if is_open_watch {
            response.body = read_ahead(response.body, &self.runtime);
        }
        response.body = held(response.body, hold);
        if let Some(others_turn) = others_turn {
            response.body = ended_between_events(response.body, others_turn, &self.runtime);
        }
        Ok(response)
    }
}

fn is_success(response: &Response) -> bool {
    (200..300).contains(&response.status)
}

/// Whether a socket, which has no head of ours, is answered the same.
fn is_plain_watch(request: &Request) -> bool {
    request.traffic == Traffic::Watch
        && request.headers.iter().all(|(name, value)| name == "accept" && value == "application/json")
}

fn is_watch_list(request: &Request) -> bool {
    request.traffic == Traffic::Watch && request.path.contains("sendInitialEvents=true")
}

/// Servers compress WatchLists member by member, and browsers read the first member only. A page cannot say
/// `Accept-Encoding: identity`, but a browser does beside a range (<https://fetch.spec.whatwg.org/#http-network-or-cache-fetch>).
/// The server does not heed the range.
fn uncompressed(request: Request) -> Request {
    request.with_header("range", "bytes=0-")
}
