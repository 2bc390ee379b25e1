use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::runtime::{Clock, Moment};

/// Notices that the device slept, from the two clocks.
///
/// Nothing else tells: a sleeping device keeps a watch's connection open, the server or a router between has long
/// forgotten it, and no error ever comes. Whoever holds a watch asks this at least every [`EVERY`](Self::EVERY),
/// because other deadlines may be minutes away and count only the time that the device is awake.
pub(super) struct SleepDetector {
    checked: Moment,
    wall: Timestamp,
}

/// By how much more than the monotonic clock, which may stand still meanwhile, the wall clock has moved.
const JUMP: SignedDuration = SignedDuration::from_secs(10);

/// By how much a timer is late. A page in the background gets its timers once a minute, which is no sleep.
const LATE: Duration = Duration::from_secs(60 + 30);

impl SleepDetector {
    pub(super) const EVERY: Duration = Duration::from_secs(10);

    pub(super) fn start(clock: &dyn Clock) -> Self {
        Self { checked: clock.now(), wall: clock.wall() }
    }

    /// When to ask next, at the latest.
    pub(super) fn next_check(&self) -> Moment {
        self.checked + Self::EVERY
    }

    /// Whether the device slept since the last time this was asked; `due` is what the timer was set to that woke the
    /// caller.
    pub(super) fn slept(&mut self, clock: &dyn Clock, due: Moment) -> bool {
        let before = std::mem::replace(self, Self::start(clock));
        let awake = SignedDuration::try_from(self.checked.since(before.checked)).unwrap_or(SignedDuration::MAX);
        let passed = self.wall.duration_since(before.wall);
        passed.saturating_sub(awake) > JUMP || self.checked.since(due) > LATE
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures::future::LocalBoxFuture;

    use super::*;

    /// Both clocks in milliseconds.
    #[derive(Default)]
    struct Clocks {
        now: Cell<u64>,
        wall: Cell<i64>,
    }

    impl Clock for Clocks {
        fn now(&self) -> Moment {
            Moment::after_start(Duration::from_millis(self.now.get()))
        }

        fn wall(&self) -> Timestamp {
            Timestamp::from_millisecond(self.wall.get()).unwrap()
        }

        fn sleep_until(&self, _deadline: Moment) -> LocalBoxFuture<'static, ()> {
            unreachable!("a detector does not wait")
        }
    }

    impl Clocks {
        fn advance(&self, now: u64, wall: i64) {
            self.now.set(self.now.get() + now);
            self.wall.set(self.wall.get() + wall);
        }
    }

    #[test]
    fn a_wall_clock_that_jumps_ahead_tells_of_a_sleep_and_one_that_is_set_back_does_not() {
        let clocks = Clocks::default();
        let mut detector = SleepDetector::start(&clocks);
        for (now, wall, slept) in [
            (60_000, 60_000, false),
            (0, 10_000, false),
            (0, -3_600_000, false),
            (5_000, 15_000, false),
            (5_000, 15_001, true),
            (10_000, 10_000, false),
            (0, 3_600_000, true),
        ] {
            clocks.advance(now, wall);
            let due = clocks.now();
            assert_eq!(detector.slept(&clocks, due), slept, "{now} ms awake, {wall} ms passed");
        }
    }

    #[test]
    fn a_timer_that_comes_far_too_late_tells_of_a_sleep_where_both_clocks_count_it() {
        let clocks = Clocks::default();
        let mut detector = SleepDetector::start(&clocks);
        let due = detector.next_check();
        assert_eq!(due, clocks.now() + Duration::from_secs(10));
        clocks.advance(100_000, 100_000);
        assert!(!detector.slept(&clocks, due), "a page in the background");
        let due = detector.next_check();
        assert_eq!(due, clocks.now() + Duration::from_secs(10));
        clocks.advance(100_001, 100_001);
        assert!(detector.slept(&clocks, due));
    }
}
