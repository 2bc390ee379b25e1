//! The ports: all that the core needs from its host.
//!
//! Time, tasks, chance, bytes over the network, a little storage, and whether the host lets the program work.
//! `web` is their browser version, `native` the one over tokio; tests bring a clock and an executor of their own.

mod clock;
mod host;
pub mod metrics;
#[cfg(feature = "metrics")]
mod prometheus;
mod random;
mod slots;
mod socket;
mod spawn;
mod stop;
mod storage;
mod transport;
mod turn;

#[cfg(all(feature = "native", not(target_arch = "wasm32")))]
pub mod native;
#[cfg(target_arch = "wasm32")]
pub mod web;

use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;

pub use clock::{Clock, Moment, clock_offset_ms};
pub use host::{AlwaysAwake, Host, HostState};
pub use random::{Random, SeededRandom};
pub use slots::{Slot, Slots, Unshared};
pub use socket::{Inbox, Message, Messages, NoSockets, Socket, SocketError, SocketRequest, SocketTransport, Wire};
pub use spawn::{Spawn, Task};
pub use stop::{StopSource, StopToken};
pub use storage::{MemoryStorage, Storage};
pub use transport::{Body, Method, OpenRequest, Request, Response, Traffic, Transport, TransportError, Way};
pub use turn::{Turn, TurnEnd};

/// A host's clock, executor, source of chance and moods, handed to everything that waits or starts a task.
#[derive(Clone)]
pub struct Runtime {
    pub clock: Rc<dyn Clock>,
    pub spawner: Rc<dyn Spawn>,
    pub random: Rc<dyn Random>,
    pub host: Rc<dyn Host>,
    pub turn: TurnEnd,
}

impl Runtime {
    /// Starts a task that ends when its [`Task`] is dropped.
    pub fn spawn(&self, future: impl Future<Output = ()> + 'static) -> Task {
        Task::start(&*self.spawner, future)
    }

    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// A wait that starts now, whenever it is first polled.
    pub fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.clock.sleep_until(self.now() + duration)
    }

    /// Ends at the deadline or with the future, whichever comes first; none at the deadline.
    pub async fn timeout_at<F: Future>(&self, deadline: Moment, future: F) -> Option<F::Output> {
        let future = std::pin::pin!(future);
        match futures::future::select(future, self.clock.sleep_until(deadline)).await {
            futures::future::Either::Left((output, _)) => Some(output),
            futures::future::Either::Right(_) => None,
        }
    }
}
