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

    /// Wall time, to be shown; never to be waited for. The server's as far as it is known, else the device's.
    fn wall(&self) -> Timestamp;

    /// Takes note of what a server's clock showed, cut to seconds, at some moment between `sent` and now.
    fn server_told(&self, _sent: Moment, _date: Timestamp) {}

    /// Ends at or after the deadline, at once when it has passed. Dropping it cancels the wait.
    fn sleep_until(&self, deadline: Moment) -> LocalBoxFuture<'static, ()>;
}

/// By how much a device's clock may differ from the server's before it is corrected, in milliseconds.
const TOLERANCE: i64 = 1_000;

/// What is to be added to a device's clock to have the server's, all in milliseconds.
///
/// `date` is the server's time, cut to seconds, at some moment that lay between `sent` and `received` by the device's
/// clock. What is `known` already stays as long as it can be true.
pub fn clock_offset_ms(known: i64, sent: i64, received: i64, date: i64) -> i64 {
    let (least, most) = (date - received, date + 999 - sent);
    match () {
        () if (least - TOLERANCE..=most + TOLERANCE).contains(&0) => 0,
        () if (least..=most).contains(&known) => known,
        () => least.midpoint(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_differs_from_the_server_s_is_corrected() {
        let (sent, received) = (5_200, 5_300);
        for (what, known, date, expected) in [
            ("the same second", 0, 5_000, 0),
            ("the next second, within what is tolerated", 0, 6_000, 0),
            ("right again", 70_000, 5_000, 0),
            ("an hour ahead", 0, 3_605_000, 3_600_249),
            ("an hour behind", 0, -3_595_000, -3_599_750),
            ("what is known may still be true", 3_600_000, 3_605_000, 3_600_000),
            ("what is known is not true any more", 3_600_000, 7_205_000, 7_200_249),
        ] {
            assert_eq!(clock_offset_ms(known, sent, received, date), expected, "{what}");
        }
    }

    #[test]
    fn a_slow_answer_tells_less() {
        assert_eq!(clock_offset_ms(0, 0, 60_000, 30_000), 0);
        assert_eq!(clock_offset_ms(-40_000, 0, 60_000, -20_000), -40_000);
    }
}
