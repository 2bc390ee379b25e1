use futures::future::{FutureExt as _, LocalBoxFuture};
use jiff::Timestamp;
use tokio::time::Instant;

use crate::runtime::{Clock, Moment};

/// Tokio's clock, so that a paused one is followed.
pub(super) struct TokioClock {
    start: Instant,
}

impl Default for TokioClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Moment {
        Moment::after_start(self.start.elapsed())
    }

    fn wall(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep_until(&self, deadline: Moment) -> LocalBoxFuture<'static, ()> {
        let deadline = self.start + deadline.since(Moment::default());
        tokio::time::sleep_until(deadline).boxed_local()
    }
}
