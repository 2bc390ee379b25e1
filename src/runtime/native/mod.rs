//! The ports over tokio (one thread, a `LocalSet`) and reqwest.

mod clock;
mod http;
mod random;
mod spawn;

use std::rc::Rc;

pub use http::{HttpTransport, HttpTransportError};

use super::{AlwaysAwake, Runtime, TurnEnd};

/// Tokio's clock and the current `LocalSet`. Chance is seeded from the wall clock.
pub fn runtime() -> Runtime {
    Runtime {
        clock: Rc::new(clock::TokioClock::default()),
        spawner: Rc::new(spawn::TokioSpawn),
        random: Rc::new(random::seeded_from_time()),
        host: Rc::new(AlwaysAwake),
        turn: TurnEnd::default(),
    }
}
