use std::time::Duration;

use super::{Moment, Runtime};

/// Long work in turns, between which the host does its other work: a page must paint and take input.
pub struct Turn {
    runtime: Runtime,
    ends: Moment,
    /// Small steps since the last look at the clock.
    steps: u32,
}

/// Half of a frame at 60 a second.
const LENGTH: Duration = Duration::from_millis(8);

impl Turn {
    /// A turn that starts now.
    pub fn start(runtime: &Runtime) -> Self {
        Self { runtime: runtime.clone(), ends: runtime.now() + LENGTH, steps: 0 }
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
        self.runtime.now() >= self.ends
    }

    /// Gives way to the host when the turn is over, and starts the next one.
    pub async fn pause_when_over(&mut self) {
        if self.is_over() {
            self.runtime.spawner.yield_now().await;
            self.ends = self.runtime.now() + LENGTH;
        }
    }
}
