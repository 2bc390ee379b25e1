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
        // By the length and not by the end, which may lie beyond all that an `Instant` can hold.
        tokio::time::sleep(deadline.since(self.now())).boxed_local()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_deadline_beyond_all_time_is_no_panic() {
        let clock = TokioClock::default();
        assert!(clock.sleep_until(Moment::after_start(Duration::MAX)).now_or_never().is_none());
        clock.sleep_until(clock.now()).await;
        let deadline = clock.now() + Duration::from_millis(2);
        clock.sleep_until(deadline).await;
        assert!(clock.now() >= deadline);
    }
}
