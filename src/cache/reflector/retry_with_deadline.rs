use std::time::Duration;

use crate::runtime::Moment;

/// For how long an error that comes again and again is borne with (client-go: `tools/cache/retry_with_deadline.go`).
#[derive(Debug)]
pub(super) struct RetryWithDeadline {
    longest: Duration,
    /// The first and the last error of a series.
    series: Option<(Moment, Moment)>,
}

/// An error after a pause of this length begins a new series (client-go: `tools/cache/reflector.go`, `watch`).
const MEMORY: Duration = Duration::from_secs(60);

impl RetryWithDeadline {
    /// `longest`: how long a series of errors may last; zero allows none.
    pub(super) fn new(longest: Duration) -> Self {
        Self { longest, series: None }
    }

    /// An error of the kind that is borne with.
    pub(super) fn after_error(&mut self, now: Moment) {
        let first = match self.series {
            Some((first, last)) if now.since(last) < MEMORY => first,
            _ => now,
        };
        self.series = Some((first, now));
    }

    pub(super) fn should_retry(&mut self, now: Moment) -> bool {
        if self.longest.is_zero() {
            return false;
        }
        let in_time = self.series.is_some_and(|(first, _)| now.since(first) <= self.longest);
        if !in_time {
            self.series = None;
        }
        in_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment::after_start(Duration::from_secs(seconds))
    }

    /// client-go: `TestRetryWithDeadline`.
    #[test]
    fn errors_are_borne_with_for_so_long_after_the_first_of_a_series() {
        for (longest, errors_at, expected) in [
            (0, &[1, 2][..], &[false, false][..]),
            (1, &[1, 2, 3], &[true, true, false]),
            // After one that came too late the next begins a series.
            (1, &[1, 3, 4, 5, 6], &[true, false, true, true, false]),
            (30, &[1, 31, 32], &[true, true, false]),
            // 59 seconds later it is the same series, 60 seconds later another one.
            (30, &[1, 60], &[true, false]),
            (30, &[1, 61], &[true, true]),
        ] {
            let mut retry = RetryWithDeadline::new(Duration::from_secs(longest));
            let retries: Vec<_> = errors_at
                .iter()
                .map(|seconds| {
                    retry.after_error(at(*seconds));
                    retry.should_retry(at(*seconds))
                })
                .collect();
            assert_eq!(retries, expected, "{longest} s, errors at {errors_at:?}");
        }
        assert!(!RetryWithDeadline::new(Duration::from_secs(1)).should_retry(at(1)), "no error, no retry");
    }
}
