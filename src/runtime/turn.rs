use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use super::{Moment, Runtime};

/// Long work in turns, between which the host does its other work: a page must paint and take input.
///
/// There is one turn at a time: all tasks have their work done in it, and whoever finds it over gives way for all.
pub struct Turn {
    runtime: Runtime,
    /// Small steps since the last look at the clock.
    steps: u32,
}

/// When the turn ends that all tasks of a host have in common. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct TurnEnd(Rc<Cell<Option<Moment>>>);

/// Half of a frame at 60 a second.
const LENGTH: Duration = Duration::from_millis(8);

impl Turn {
    /// The turn that others have begun, or one that starts now.
    pub fn start(runtime: &Runtime) -> Self {
        let turn = Self { runtime: runtime.clone(), steps: 0 };
        turn.renew();
        turn
    }

    /// As [`pause_when_over`](Self::pause_when_over), for steps so small that a look at the clock takes as long.
    pub async fn pause_now_and_then(&mut self) {
        const STEPS_PER_LOOK: u32 = 64;
        self.steps += 1;
        if self.steps == STEPS_PER_LOOK {
            self.steps = 0;
            self.pause_when_over().await;
        }
    }

    /// The host's other work has waited for long enough.
    pub fn is_over(&self) -> bool {
        self.runtime.turn.0.get().is_none_or(|end| self.runtime.now() >= end)
    }

    /// Gives way to the host when the turn is over.
    pub async fn pause_when_over(&mut self) {
        if self.is_over() {
            self.runtime.spawner.yield_now().await;
            self.renew();
        }
    }

    /// Starts the next turn, unless another task has done so.
    fn renew(&self) {
        if self.is_over() {
            self.runtime.turn.0.set(Some(self.runtime.now() + LENGTH));
        }
    }
}
