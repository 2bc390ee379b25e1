use std::time::Duration;

use crate::runtime::{Moment, Random};

/// Waits that grow (apimachinery: `pkg/util/wait/backoff.go`, `Backoff`).
///
/// ```
/// use std::time::Duration;
/// use watchglass::flow_control::Backoff;
/// use watchglass::runtime::SeededRandom;
///
/// let second = Duration::from_secs(1);
/// let mut backoff = Backoff { duration: second, factor: 2.0, steps: 3, ..Backoff::default() };
/// let random = SeededRandom::new(1);
/// assert_eq!([0; 4].map(|_| backoff.step(&random)), [second, 2 * second, 4 * second, 8 * second]);
/// assert_eq!(backoff.step(&random), 8 * second, "three steps changed it, no more will");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Backoff {
    /// The next wait, without its jitter.
    pub duration: Duration,
    /// What a step multiplies the next wait with. Zero: the wait stays as it is.
    pub factor: f64,
    /// Up to this part of a wait is added to it by chance; it does not carry over to the next. Zero or less: nothing.
    pub jitter: f64,
    /// How many steps may still change the wait.
    pub steps: u32,
    /// The longest wait, without its jitter. The step that would exceed it is the last that changes anything.
    pub cap: Option<Duration>,
}

impl Backoff {
    /// How long to wait this time; the next wait is another one while there are steps left.
    #[doc(alias = "Step")]
    pub fn step(&mut self, random: &dyn Random) -> Duration {
        let current = self.duration;
        if self.steps > 0 {
            self.steps -= 1;
            self.grow();
        }
        jittered(current, self.jitter, random)
    }

    fn grow(&mut self) {
        if self.factor == 0.0 {
            return;
        }
        self.duration = scaled(self.duration, self.factor);
        if let Some(cap) = self.cap.filter(|cap| self.duration > *cap) {
            self.duration = cap;
            self.steps = 0;
        }
    }
}

/// The duration times a factor, within what a [`Duration`] can hold.
pub(super) fn scaled(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor.max(0.0)).unwrap_or(Duration::MAX)
}

/// Up to the given part longer than the duration.
fn jittered(duration: Duration, jitter: f64, random: &dyn Random) -> Duration {
    if jitter <= 0.0 { duration } else { duration.saturating_add(scaled(duration, random.unit() * jitter)) }
}

/// A backoff, and after what time it starts over
/// (apimachinery: `pkg/util/wait/backoff.go`, what `Backoff.DelayWithReset` is called with).
#[derive(Clone, Debug, PartialEq)]
pub struct BackoffConfig {
    /// What it starts with, each time.
    pub initial: Backoff,
    /// Zero: each wait is a first one.
    pub reset_after: Duration,
}

impl BackoffConfig {
    /// What a reflector waits between its tries: 0.8 s, 1.6 s and so on to 30 s, each up to twice as long by chance,
    /// from the start again once two minutes have passed (client-go: `tools/cache/reflector.go`).
    pub const fn reflector() -> Self {
        let initial = Backoff {
            duration: Duration::from_millis(800),
            factor: 2.0,
            // The informers of many pages shall not come back together.
            jitter: 1.0,
            steps: 38,
            cap: Some(Duration::from_secs(30)),
        };
        Self { initial, reset_after: Duration::from_secs(120) }
    }
}

/// Waits that grow, and start over some time after they last started over
/// (apimachinery: `pkg/util/wait/backoff.go`, `Backoff.DelayWithReset`).
///
/// The time counts from the last start, not from the last wait.
#[doc(alias = "DelayWithReset")]
#[doc(alias = "BackoffManager")]
#[derive(Clone, Debug)]
pub struct BackoffWithReset {
    config: BackoffConfig,
    current: Backoff,
    last_reset: Moment,
}

impl BackoffWithReset {
    /// A backoff that starts now.
    pub fn new(config: BackoffConfig, now: Moment) -> Self {
        Self { current: config.initial.clone(), config, last_reset: now }
    }

    /// How long to wait this time.
    pub fn step(&mut self, now: Moment, random: &dyn Random) -> Duration {
        let BackoffConfig { initial, reset_after } = &self.config;
        if reset_after.is_zero() {
            self.current = initial.clone();
        } else if now.since(self.last_reset) > *reset_after {
            self.current = initial.clone();
            self.last_reset = now;
        }
        self.current.step(random)
    }

    /// How long to wait this time, when nothing has come meanwhile that would be a reason to start over.
    pub fn step_further(&mut self, random: &dyn Random) -> Duration {
        if self.config.reset_after.is_zero() {
            self.current = self.config.initial.clone();
        }
        self.current.step(random)
    }

    /// Starts over now, before its time: what was waited for has come.
    pub fn reset(&mut self, now: Moment) {
        self.current = self.config.initial.clone();
        self.last_reset = now;
    }
}
