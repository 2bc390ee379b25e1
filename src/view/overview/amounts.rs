use std::ops::{Add, AddAssign};

use crate::api::ValueRef;
use crate::view::quantity;

/// Computing power and memory, in whole numbers that sums do not blur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Thousandths of a core.
    pub cpu_milli: i64,
    pub memory_bytes: i64,
}

impl Amounts {
    /// Of `{"cpu": "100m", "memory": "1Gi"}`; what is missing is zero.
    pub(in crate::view) fn of(map: Option<ValueRef<'_>>) -> Self {
        Self::sum(map.into_iter())
    }

    /// Of several such maps, rounded as a whole.
    pub(super) fn sum<'a>(maps: impl Iterator<Item = ValueRef<'a>>) -> Self {
        let (mut cores, mut bytes) = (0.0, 0.0);
        for map in maps {
            let read = |key: &str| map.get(key).and_then(plain_quantity).unwrap_or(0.0);
            cores += read("cpu");
            bytes += read("memory");
        }
        Self { cpu_milli: rounded_up(cores * 1000.0), memory_bytes: rounded_up(bytes) }
    }

    /// The larger of each.
    #[must_use]
    pub(super) fn max(self, other: Self) -> Self {
        Self { cpu_milli: self.cpu_milli.max(other.cpu_milli), memory_bytes: self.memory_bytes.max(other.memory_bytes) }
    }
}

impl Add for Amounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cpu_milli: self.cpu_milli.saturating_add(other.cpu_milli),
            memory_bytes: self.memory_bytes.saturating_add(other.memory_bytes),
        }
    }
}

impl AddAssign for Amounts {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// As a text or as a number: both are quantities.
pub(super) fn plain_quantity(value: ValueRef<'_>) -> Option<f64> {
    match value.as_str() {
        Some(text) => quantity(&text),
        None => value.as_f64(),
    }
}

/// A part of the smallest unit counts whole, as Kubernetes has it.
fn rounded_up(value: f64) -> i64 {
    // What is nearly whole is so by the error of the division.
    (value - 1e-6).ceil() as i64
}

/// `350m`, `2.4`, `16`: thousandths below one core.
pub fn cores_text(cpu_milli: i64) -> String {
    if cpu_milli < 1000 { format!("{cpu_milli}m") } else { tenths(cpu_milli, 1000) }
}

/// `512Mi`, `1.5Gi`
pub fn bytes_text(bytes: i64) -> String {
    const UNITS: [&str; 6] = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
    let mut place = 0;
    while place + 1 < UNITS.len() && bytes >> (10 * (place + 1)) > 0 {
        place += 1;
    }
    let unit = 1_i64 << (10 * place);
    let number = if bytes / unit >= 10 { (bytes / unit).to_string() } else { tenths(bytes, unit) };
    number + UNITS[place]
}

/// With one digit behind the point where it is not zero.
fn tenths(value: i64, unit: i64) -> String {
    let (whole, tenth) = (value / unit, value % unit * 10 / unit);
    if tenth == 0 { whole.to_string() } else { format!("{whole}.{tenth}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::Object;

    #[test]
    fn amounts_are_whole_numbers_of_their_smallest_unit() {
        for (map, cpu_milli, memory_bytes) in [
            (json!({ "cpu": "100m", "memory": "128Mi" }), 100, 134_217_728),
            (json!({ "cpu": "1.1", "memory": "1e3" }), 1100, 1000),
            (json!({ "cpu": 2, "memory": 64 }), 2000, 64),
            (json!({ "cpu": "100u" }), 1, 0),
            (json!({ "cpu": "123456789n", "memory": "1k" }), 124, 1000),
            (json!({ "cpu": "many" }), 0, 0),
        ] {
            let object: Object = serde_json::from_value(json!({ "map": map })).unwrap();
            assert_eq!(Amounts::of(object.get(&["map"])), Amounts { cpu_milli, memory_bytes }, "{map}");
        }
        assert_eq!(Amounts::of(None), Amounts::default());
    }

    #[test]
    fn amounts_read_as_people_write_them() {
        for (milli, text) in [(0, "0m"), (350, "350m"), (1000, "1"), (2450, "2.4"), (16_000, "16")] {
            assert_eq!(cores_text(milli), text);
        }
        for (bytes, text) in [
            (0, "0"),
            (1023, "1023"),
            (1 << 10, "1Ki"),
            (1536 << 20, "1.5Gi"),
            (16_374_428 << 10, "15Gi"),
            (512 << 20, "512Mi"),
            (i64::MAX, "8191Pi"),
        ] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}
