use std::ops::{Add, Sub};
use std::time::Duration;

use futures::future::LocalBoxFuture;
use jiff::Timestamp;

/// A point on a host's monotonic clock. Two clocks' moments cannot be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Duration);

impl Moment {
    /// The moment that lies this long after the clock's own start.
    pub const fn after_start(duration: Duration) -> Self {
        Self(duration)
    }

    /// How long ago `earlier` was; zero when it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}

impl Sub<Duration> for Moment {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(duration))
    }
}

/// A host's clock. All waits are deadlines on it.
pub trait Clock {
    fn now(&self) -> Moment;

    /// Wall time, to be shown; never to be waited for.
    fn wall(&self) -> Timestamp;

    /// Ends at or after the deadline, at once when it has passed. Dropping it cancels the wait.
    fn sleep_until(&self, deadline: Moment) -> LocalBoxFuture<'static, ()>;
}
