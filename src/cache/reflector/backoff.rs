use std::time::Duration;

use crate::runtime::{Moment, Random};

/// The waits between failures (client-go: `tools/cache/reflector.go`, `backoffManager`; the algorithm is `wait.Backoff`).
#[derive(Clone, Debug)]
pub(super) struct Backoff {
    next: Duration,
    last_reset: Moment,
}

const INITIAL: Duration = Duration::from_millis(800);
const CAP: Duration = Duration::from_secs(30);
const FACTOR: u32 = 2;
/// A wait is up to twice its nominal length, so that the informers of many pages do not come back together.
const JITTER: f64 = 1.0;
const RESET_AFTER: Duration = Duration::from_secs(120);

impl Backoff {
    pub(super) fn new(now: Moment) -> Self {
        Self { next: INITIAL, last_reset: now }
    }

    /// How long to wait this time.
    pub(super) fn step(&mut self, now: Moment, random: &dyn Random) -> Duration {
        if now.since(self.last_reset) > RESET_AFTER {
            *self = Self::new(now);
        }
        let current = self.next;
        self.next = (current * FACTOR).min(CAP);
        current.mul_f64(1.0 + random.unit() * JITTER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(f64);

    impl Random for Fixed {
        fn unit(&self) -> f64 {
            self.0
        }
    }

    #[test]
    fn waits_double_up_to_the_cap_and_start_over_two_minutes_after_the_last_reset() {
        let start = Moment::default();
        let mut backoff = Backoff::new(start);
        let mut step = |seconds| backoff.step(start + Duration::from_secs(seconds), &Fixed(0.0)).as_millis();
        let waits: Vec<_> = (0..7).map(&mut step).collect();
        assert_eq!(waits, [800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
        assert_eq!((step(120), step(121)), (30_000, 800));
    }

    #[test]
    fn jitter_makes_a_wait_at_most_twice_as_long() {
        let mut backoff = Backoff::new(Moment::default());
        assert_eq!(backoff.step(Moment::default(), &Fixed(0.5)).as_millis(), 1200);
    }
}
