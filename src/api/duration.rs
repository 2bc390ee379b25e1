use std::time::Duration;

/// A duration as `kubectl` prints ages: `5s`, `3m12s`, `28h`, `4d6h`, `2y30d` (apimachinery: `duration.HumanDuration`).
pub fn human_duration(duration: Duration) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    const YEAR: u64 = 365 * DAY;
    let seconds = duration.as_secs();
    let (minutes, hours, days) = (seconds / MINUTE, seconds / HOUR, seconds / DAY);
    match seconds {
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if minutes < 10 => two_units(minutes, "m", seconds % MINUTE, "s"),
        _ if minutes < 3 * 60 => format!("{minutes}m"),
        _ if hours < 8 => two_units(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 8 * 24 => two_units(days, "d", hours % 24, "h"),
        _ if hours < 2 * 365 * 24 => format!("{days}d"),
        _ if hours < 8 * 365 * 24 => two_units(seconds / YEAR, "y", days % 365, "d"),
        _ => format!("{}y", seconds / YEAR),
    }
}

fn two_units(major: u64, major_unit: &str, minor: u64, minor_unit: &str) -> String {
    match minor {
        0 => format!("{major}{major_unit}"),
        _ => format!("{major}{major_unit}{minor}{minor_unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases of apimachinery's `TestHumanDuration` that apply to positive durations.
    #[test]
    fn durations_read_as_kubectl_prints_them() {
        let (second, minute, hour) = (1, 60, 3600);
        let day = 24 * hour;
        for (seconds, text) in [
            (0, "0s"),
            (second, "1s"),
            (70 * second, "70s"),
            (190 * second, "3m10s"),
            (70 * minute, "70m"),
            (47 * hour, "47h"),
            (49 * hour, "2d1h"),
            (8 * day + 2 * hour, "8d"),
            (367 * day, "367d"),
            (365 * 2 * day + 25 * hour, "2y1d"),
            (365 * 8 * day + 2 * hour, "8y"),
            (120, "2m"),
            (600, "10m"),
            (3 * hour, "3h"),
            (8 * hour, "8h"),
        ] {
            assert_eq!(human_duration(Duration::from_secs(seconds)), text, "{seconds} s");
        }
    }
}
