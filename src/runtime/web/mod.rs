//! The ports over a browser's window.

mod clock;
mod fetch;
mod random;
mod spawn;
mod storage;

use std::rc::Rc;

pub use fetch::FetchTransport;
pub use storage::LocalStorage;

use super::{AlwaysAwake, Runtime};

/// The page's clock, event loop and source of chance.
pub fn runtime() -> Runtime {
    Runtime {
        clock: Rc::new(clock::WebClock),
        spawner: Rc::new(spawn::WebSpawn),
        random: Rc::new(random::WebRandom),
        host: Rc::new(AlwaysAwake),
    }
}
