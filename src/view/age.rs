use std::time::Duration;

use jiff::Timestamp;

use crate::api::human_duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 365 * DAY;

/// How long ago a moment was, as `kubectl` prints it (`translateTimestampSince`).
pub fn age_text(then: Option<Timestamp>, now: Timestamp) -> String {
    let Some(then) = then else { return "<unknown>".into() };
    let seconds = (now.as_millisecond() - then.as_millisecond()).div_euclid(1000);
    match seconds {
        ..-1 => "<invalid>".into(),
        -1 => "0s".into(),
        _ => human_duration(Duration::from_secs(seconds.unsigned_abs())),
    }
}

/// How long [`age_text`] stays as it is; none when it never changes.
pub fn next_age_change(then: Option<Timestamp>, now: Timestamp) -> Option<Duration> {
    let elapsed_ms = now.as_millisecond() - then?.as_millisecond();
    let Ok(elapsed_ms) = u64::try_from(elapsed_ms) else {
        // A clock that is behind the server's: the text is at least `0s` once the moment has come.
        return Some(Duration::from_millis(elapsed_ms.unsigned_abs().max(1)));
    };
    let step_ms = 1000 * step_seconds(elapsed_ms / 1000);
    Some(Duration::from_millis(step_ms - elapsed_ms % step_ms))
}

/// The smallest unit that the text shows at this age.
fn step_seconds(seconds: u64) -> u64 {
    match seconds {
        _ if seconds < 10 * MINUTE => 1,
        _ if seconds < 8 * HOUR => MINUTE,
        _ if seconds < 8 * DAY => HOUR,
        _ if seconds < 8 * YEAR => DAY,
        _ => YEAR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_796_000_000 + seconds).unwrap()
    }

    #[test]
    fn ages_read_as_kubectl_prints_them() {
        for (seconds, text) in
            [(-5, "<invalid>"), (-1, "0s"), (0, "0s"), (119, "119s"), (300, "5m"), (5 * 86_400, "5d")]
        {
            assert_eq!(age_text(Some(at(0)), at(seconds)), text, "{seconds} s");
        }
        assert_eq!(age_text(None, at(0)), "<unknown>");
    }

    #[test]
    fn part_of_a_second_does_not_count() {
        let now = Timestamp::from_millisecond(at(1).as_millisecond() + 999).unwrap();
        assert_eq!(age_text(Some(at(0)), now), "1s");
        assert_eq!(next_age_change(Some(at(0)), now), Some(Duration::from_millis(1)));
    }

    #[test]
    fn a_text_stands_exactly_until_its_next_change() {
        let starts =
            [0, 1, 118, 119, 120, 599, 600, 601, 3 * 3600 - 1, 3 * 3600, 8 * 3600 - 1, 8 * 3600, 48 * 3600 - 1];
        let days = [2, 7, 8, 9, 364, 365, 729, 730, 731, 8 * 365 - 1, 8 * 365, 9 * 365].map(|days| days * 86_400);
        for start in starts.into_iter().chain(days).chain(days.map(|it| it - 1)) {
            let text = age_text(Some(at(0)), at(start));
            let change = next_age_change(Some(at(0)), at(start)).unwrap();
            let seconds = i64::try_from(change.as_secs()).unwrap();
            assert_eq!(age_text(Some(at(0)), at(start + seconds - 1)), text, "{start} s, before the change");
            let after = age_text(Some(at(0)), at(start + seconds));
            // From 3 h to 8 h the text `3h` has no minutes: at the boundaries a step may repeat the text.
            assert!(after != text || seconds <= 3600, "{start} s: {after} after {seconds} s");
        }
    }

    #[test]
    fn what_has_no_moment_never_changes() {
        assert_eq!(next_age_change(None, at(0)), None);
        assert_eq!(next_age_change(Some(at(5)), at(0)), Some(Duration::from_secs(5)));
    }
}
