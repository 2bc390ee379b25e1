use std::time::Duration;

use super::{Moment, Runtime};

/// Long work in turns, between which the host does its other work: a page must paint and take input.
pub struct Turn {
    runtime: Runtime,
    ends: Moment,
}

/// Half of a frame at 60 a second.
const LENGTH: Duration = Duration::from_millis(8);

impl Turn {
    /// A turn that starts now.
    pub fn start(runtime: &Runtime) -> Self {
        Self { runtime: runtime.clone(), ends: runtime.now() + LENGTH }
    }

    /// Gives way to the host when the turn is over, and starts the next one.
    pub async fn pause_when_over(&mut self) {
        if self.runtime.now() >= self.ends {
            self.runtime.spawner.yield_now().await;
            self.ends = self.runtime.now() + LENGTH;
        }
    }
}
