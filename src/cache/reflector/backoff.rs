use std::time::Duration;

use crate::runtime::{Moment, Random};

/// The waits between failures (client-go: `tools/cache/reflector.go`, `ReflectorOptions.Backoff`; the algorithm is
/// apimachinery's `wait.Backoff` with `DelayWithReset`).
#[derive(Clone, Debug, PartialEq)]
pub struct BackoffConfig {
    /// The first wait.
    pub initial: Duration,
    /// How much longer each wait is than the one before; zero or less keeps them equal.
    pub factor: f64,
    /// No wait is longer than this, its jitter aside; zero is no cap.
    pub cap: Duration,
    /// A wait is lengthened by up to this share of itself, so that many clients do not come back together.
    pub jitter: f64,
    /// How often the wait grows.
    pub steps: u32,
    /// So long after the last start the waits start over.
    pub reset_after: Duration,
}

impl Default for BackoffConfig {
    /// client-go's numbers: 0.8 s doubling to 30 s, each up to twice as long, and anew after two minutes.
    fn default() -> Self {
        Self {
            initial: Duration::from_millis(800),
            factor: 2.0,
            cap: Duration::from_secs(30),
            jitter: 1.0,
            steps: 38,
            reset_after: Duration::from_secs(120),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Backoff {
    config: BackoffConfig,
    next: Duration,
    steps: u32,
    last_reset: Moment,
}

impl Backoff {
    pub(super) fn new(config: BackoffConfig, now: Moment) -> Self {
        Self { next: config.initial, steps: config.steps, last_reset: now, config }
    }

    /// How long to wait this time.
    pub(super) fn step(&mut self, now: Moment, random: &dyn Random) -> Duration {
        if now.since(self.last_reset) > self.config.reset_after {
            *self = Self::new(self.config.clone(), now);
        }
        let current = self.next;
        self.grow();
        current.mul_f64(1.0 + random.unit() * self.config.jitter.max(0.0))
    }

    fn grow(&mut self) {
        if self.steps == 0 || self.config.factor <= 0.0 {
            return;
        }
        self.steps -= 1;
        let longer = Duration::try_from_secs_f64(self.next.as_secs_f64() * self.config.factor);
        // Only an overflow or a factor that is no number fails here.
        self.next = longer.unwrap_or(Duration::MAX / 4);
        if !self.config.cap.is_zero() && self.next > self.config.cap {
            self.next = self.config.cap;
            self.steps = 0;
        }
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

    fn waits(config: BackoffConfig, count: usize) -> Vec<u128> {
        let mut backoff = Backoff::new(config, Moment::default());
        (0..count).map(|_| backoff.step(Moment::default(), &Fixed(0.0)).as_millis()).collect()
    }

    #[test]
    fn waits_double_up_to_the_cap_and_start_over_two_minutes_after_the_last_reset() {
        let start = Moment::default();
        let mut backoff = Backoff::new(BackoffConfig::default(), start);
        let mut step = |seconds| backoff.step(start + Duration::from_secs(seconds), &Fixed(0.0)).as_millis();
        let waits: Vec<_> = (0..7).map(&mut step).collect();
        assert_eq!(waits, [800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
        assert_eq!((step(120), step(121), step(241), step(242)), (30_000, 800, 1600, 800));
    }

    #[test]
    fn jitter_makes_a_wait_at_most_twice_as_long() {
        let mut backoff = Backoff::new(BackoffConfig::default(), Moment::default());
        assert_eq!(backoff.step(Moment::default(), &Fixed(0.5)).as_millis(), 1200);
        let calm = BackoffConfig { jitter: -1.0, ..BackoffConfig::default() };
        let mut backoff = Backoff::new(calm, Moment::default());
        assert_eq!(backoff.step(Moment::default(), &Fixed(0.5)).as_millis(), 800);
    }

    #[test]
    fn waits_grow_only_so_many_times_only_by_a_factor_and_beyond_all_bounds_without_a_cap() {
        let config = BackoffConfig { steps: 2, ..BackoffConfig::default() };
        assert_eq!(waits(config, 4), [800, 1600, 3200, 3200]);
        let config = BackoffConfig { factor: 0.0, ..BackoffConfig::default() };
        assert_eq!(waits(config, 2), [800, 800]);
        let config = BackoffConfig { cap: Duration::ZERO, factor: 100.0, ..BackoffConfig::default() };
        assert_eq!(waits(config.clone(), 3), [800, 80_000, 8_000_000]);
        assert_eq!(waits(config, 38).len(), 38, "a wait of for ever is no panic");
        let config = BackoffConfig { cap: Duration::from_millis(1600), ..BackoffConfig::default() };
        assert_eq!(waits(config, 3), [800, 1600, 1600], "exactly at the cap");
    }
}
