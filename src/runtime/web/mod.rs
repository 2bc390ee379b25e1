//! The ports over a browser's window.

mod clock;
mod fetch;
mod host;
mod random;
mod slots;
mod socket;
mod spawn;
mod storage;

use std::rc::Rc;

pub use fetch::FetchTransport;
pub use slots::WebSlots;
pub use socket::WebSocketTransport;
pub use storage::LocalStorage;

use super::{Runtime, TurnEnd};

/// The page's clock, event loop, source of chance and life.
pub fn runtime() -> Runtime {
    let host = host::WebHost::default();
    Runtime {
        clock: Rc::new(clock::WebClock::new(host.clone())),
        spawner: Rc::new(spawn::WebSpawn::default()),
        random: Rc::new(random::WebRandom),
        host: Rc::new(host),
        turn: TurnEnd::default(),
    }
}
