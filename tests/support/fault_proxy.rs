//! A TCP proxy on a loopback port that breaks connections as networks do. TLS passes through untouched.

#![allow(dead_code, reason = "each program uses its own part of it")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use watchglass::runtime::SeededRandom;

/// What the proxy does to a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Forwards all bytes both ways.
    #[default]
    Pass,
    /// Resets it; a new one is accepted first.
    Cut,
    /// Holds it: bytes of both sides wait until the mode changes.
    Stall,
    /// Loses what the server sends, its end too, as a router does that has forgotten a connection. What was lost is
    /// lost: such a connection never comes back.
    HalfOpen,
    /// Forwards what the server sends byte by byte, with this pause after each.
    Trickle(Duration),
    /// Forwards what the server sends until all clients together were sent so many bytes, and holds it then.
    StallAt(usize),
    /// Resets it, and does not listen: a new one is refused.
    Refuse,
}

/// Listens as long as it lives.
pub struct FaultProxy {
    shared: Rc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    server: SocketAddr,
    port: u16,
    /// Of the connections to come.
    mode: watch::Sender<Mode>,
    open: RefCell<BTreeMap<usize, watch::Sender<Mode>>>,
    accepted: Cell<usize>,
    answered_bytes: Cell<usize>,
}

impl FaultProxy {
    /// In front of a server, on a port of its own or a given one; within a `LocalSet`.
    pub async fn start(server: SocketAddr, port: Option<u16>) -> io::Result<Self> {
        let listener = listen(port).await?;
        let shared = Rc::new(Shared {
            server,
            port: listener.local_addr()?.port(),
            mode: watch::Sender::default(),
            open: RefCell::default(),
            accepted: Cell::default(),
            answered_bytes: Cell::default(),
        });
        let accepting = tokio::task::spawn_local(accept(Rc::clone(&shared), listener));
        Ok(Self { shared, accepting })
    }

    pub fn port(&self) -> u16 {
        self.shared.port
    }

    /// For the connections that are open and those to come.
    pub fn set(&self, mode: Mode) {
        self.set_open(mode);
        self.shared.mode.send_replace(mode);
    }

    /// For the connections that are open now.
    pub fn set_open(&self, mode: Mode) {
        for connection in self.shared.open.borrow().values() {
            connection.send_replace(mode);
        }
    }

    /// For one connection, if it is open.
    pub fn set_one(&self, connection: usize, mode: Mode) {
        if let Some(connection) = self.shared.open.borrow().get(&connection) {
            connection.send_replace(mode);
        }
    }

    /// Those that are open, by the order in which they came.
    pub fn open(&self) -> Vec<usize> {
        self.shared.open.borrow().keys().copied().collect()
    }

    /// How many connections there have been.
    pub fn accepted(&self) -> usize {
        self.shared.accepted.get()
    }

    /// How many bytes of the server clients were sent.
    pub fn answered_bytes(&self) -> usize {
        self.shared.answered_bytes.get()
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Without a given port one below those that the kernel gives to outgoing connections: while the proxy refuses, the
/// clients that try would else now and then get its own.
async fn listen(port: Option<u16>) -> io::Result<TcpListener> {
    if let Some(port) = port {
        return TcpListener::bind(("127.0.0.1", port)).await;
    }
    let random = SeededRandom::new(jiff::Timestamp::now().as_nanosecond() as u64);
    loop {
        let port = 20_000 + random.below(12_000) as u16;
        match TcpListener::bind(("127.0.0.1", port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            result => return result,
        }
    }
}

async fn accept(shared: Rc<Shared>, mut listener: TcpListener) {
    let mut connections = JoinSet::new();
    let mut mode = shared.mode.subscribe();
    loop {
        loop {
            let stream = tokio::select! {
                () = reaches(&mut mode, |mode| mode == Mode::Refuse) => break,
                accepted = listener.accept() => accepted,
            };
            // A client that is gone already is no reason to end.
            if let Ok((client, _)) = stream {
                connections.spawn_local(serve(Rc::clone(&shared), client));
            }
            while connections.try_join_next().is_some() {}
        }
        drop(listener);
        reaches(&mut mode, |mode| mode != Mode::Refuse).await;
        listener = listen(Some(shared.port)).await.expect("nobody else takes the port");
    }
}

async fn reaches(mode: &mut watch::Receiver<Mode>, wanted: impl Fn(Mode) -> bool) {
    if mode.wait_for(|mode| wanted(*mode)).await.is_err() {
        std::future::pending::<()>().await;
    }
}

async fn serve(shared: Rc<Shared>, mut client: TcpStream) {
    let id = shared.accepted.get();
    shared.accepted.set(id + 1);
    let modes = watch::Sender::new(*shared.mode.borrow());
    let (mut mode, forwarding) = (modes.subscribe(), modes.subscribe());
    shared.open.borrow_mut().insert(id, modes);
    let reset = tokio::select! {
        () = reaches(&mut mode, |mode| matches!(mode, Mode::Cut | Mode::Refuse)) => true,
        reached = forward(&shared, &mut client, forwarding) => reached.is_err(),
    };
    if reset {
        // It may be closed already.
        let _ = client.set_zero_linger();
    }
    shared.open.borrow_mut().remove(&id);
}

async fn forward(shared: &Shared, client: &mut TcpStream, mut mode: watch::Receiver<Mode>) -> io::Result<()> {
    reaches(&mut mode, |mode| mode != Mode::Stall).await;
    let mut server = TcpStream::connect(shared.server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.split(), server.split());
    let answered = Answered { bytes: &shared.answered_bytes, is_lost: Cell::new(false) };
    let requests = std::pin::pin!(pump(from_client, to_server, mode.clone(), None));
    let answers = std::pin::pin!(pump(from_server, to_client, mode, Some(&answered)));
    match select(requests, answers).await {
        // A client that ends its side may still be answered.
        Either::Left((_, answers)) if !answered.is_lost.get() => answers.await,
        Either::Right((_, requests)) => requests.await,
        Either::Left(_) => {}
    }
    Ok(())
}

/// What became of what the server sent.
struct Answered<'a> {
    bytes: &'a Cell<usize>,
    is_lost: Cell<bool>,
}

impl Answered<'_> {
    /// Whether these bytes, or this end, are to reach the client.
    fn passes(&self, mode: Mode) -> bool {
        self.is_lost.set(self.is_lost.get() || mode == Mode::HalfOpen);
        !self.is_lost.get()
    }
}

/// Moves one direction's bytes until their end; `answered` is given for those of the server.
async fn pump(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    mut mode: watch::Receiver<Mode>,
    answered: Option<&Answered<'_>>,
) {
    let mut buffer = [0; 16 * 1024];
    loop {
        reaches(&mut mode, |mode| mode != Mode::Stall).await;
        let now = *mode.borrow_and_update();
        let (limit, pause) = match (now, answered) {
            (Mode::Trickle(pause), Some(_)) => (1, Some(pause)),
            (Mode::StallAt(bytes), Some(answered)) => (bytes.saturating_sub(answered.bytes.get()), None),
            _ => (buffer.len(), None),
        };
        if limit == 0 {
            reaches(&mut mode, |mode| mode != now).await;
            continue;
        }
        let limit = limit.min(buffer.len());
        let count = tokio::select! {
            biased;
            _ = mode.changed() => continue,
            read = from.read(&mut buffer[..limit]) => read.unwrap_or(0),
        };
        if answered.is_some_and(|answered| !answered.passes(now)) {
            if count == 0 {
                return std::future::pending().await;
            }
            continue;
        }
        if count == 0 || to.write_all(&buffer[..count]).await.is_err() {
            break;
        }
        if let Some(Answered { bytes, .. }) = answered {
            bytes.set(bytes.get() + count);
        }
        if let Some(pause) = pause {
            let _: Result<(), _> = tokio::time::timeout(pause, reaches(&mut mode, |mode| mode != now)).await;
        }
    }
    // The other side may have closed it already.
    let _ = to.shutdown().await;
}
