mod backoff;
mod item_backoff;
mod retry;
mod throttle;

use std::time::Duration;

use watchglass::runtime::Random;

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The same chance each time.
struct Fixed(f64);

impl Random for Fixed {
    fn unit(&self) -> f64 {
        self.0
    }
}
