use std::collections::VecDeque;

use super::Amounts;
use crate::api::Object;

/// What a node or pod uses now, as metrics.k8s.io says; a pod's containers taken together.
pub fn usage_of(metrics: &Object) -> Amounts {
    let containers = metrics.list_at(&["containers"]).filter_map(|container| container.get("usage"));
    Amounts::sum(containers.chain(metrics.get(&["usage"])))
}

/// The last measurements of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ring {
    points: VecDeque<Amounts>,
    /// When the last one was made, as the server writes it.
    last: String,
}

impl Ring {
    /// At four a minute, a quarter of an hour.
    pub const LENGTH: usize = 60;

    /// Takes a measurement, unless it has it.
    pub fn take(&mut self, metrics: &Object) {
        let at = metrics.str_at(&["timestamp"]).unwrap_or_default();
        if !at.is_empty() && *at == *self.last {
            return;
        }
        self.last = at.into_owned();
        self.push(usage_of(metrics));
    }

    pub fn push(&mut self, point: Amounts) {
        if self.points.len() == Self::LENGTH {
            self.points.pop_front();
        }
        self.points.push_back(point);
    }

    /// The sum of both, point by point from the newest on, as far back as both go.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let sums = self.points.iter().rev().zip(other.points.iter().rev()).map(|(one, two)| *one + *two);
        let mut points: VecDeque<_> = sums.collect();
        points.make_contiguous().reverse();
        Self { points, last: String::new() }
    }

    pub fn last(&self) -> Option<Amounts> {
        self.points.back().copied()
    }

    /// An SVG path of one of the amounts, in a box of this size whose top is the most there can be; the newest is at
    /// the right. Empty before there are two points.
    pub fn path(&self, amount: fn(Amounts) -> i64, most: i64, width: i64, height: i64) -> String {
        if self.points.len() < 2 {
            return String::new();
        }
        let first = Self::LENGTH - self.points.len();
        let mut path = String::new();
        for (at, point) in (first as i64..).zip(&self.points) {
            let x = at * width / (Self::LENGTH as i64 - 1);
            let y = height - amount(*point).clamp(0, most.max(1)).saturating_mul(height) / most.max(1);
            path.push(if path.is_empty() { 'M' } else { 'L' });
            path.push_str(&x.to_string());
            path.push(' ');
            path.push_str(&y.to_string());
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn node(timestamp: &str, cpu: &str) -> Object {
        let usage = json!({ "cpu": cpu, "memory": "1Ki" });
        serde_json::from_value(json!({ "metadata": { "name": "n1" }, "timestamp": timestamp, "usage": usage })).unwrap()
    }

    #[test]
    fn a_pod_uses_what_its_containers_use() {
        let usage = |cpu: &str| json!({ "usage": { "cpu": cpu, "memory": "2Ki" } });
        let pod = json!({ "containers": [usage("1500000n"), usage("2m")] });
        let used = usage_of(&serde_json::from_value(pod).unwrap());
        assert_eq!(used, Amounts { cpu_milli: 4, memory_bytes: 4096 });
    }

    #[test]
    fn a_measurement_counts_once_and_the_oldest_go() {
        let mut ring = Ring::default();
        for (at, cpu) in [("a", "1"), ("a", "1"), ("b", "2")] {
            ring.take(&node(at, cpu));
        }
        assert_eq!(ring.points.len(), 2);
        for at in 0..100 {
            ring.take(&node(&at.to_string(), "3"));
        }
        assert_eq!((ring.points.len(), ring.last().map(|it| it.cpu_milli)), (Ring::LENGTH, Some(3000)));
    }

    #[test]
    fn rings_are_added_from_their_newest_points_on() {
        let ring = |points: &[i64]| {
            let mut ring = Ring::default();
            points.iter().for_each(|it| ring.push(Amounts { cpu_milli: *it, memory_bytes: 0 }));
            ring
        };
        assert_eq!(ring(&[1, 2, 3]).plus(&ring(&[10, 20])), ring(&[12, 23]));
        assert_eq!(ring(&[1]).plus(&ring(&[])).last(), None);
    }

    #[test]
    fn the_newest_point_stands_at_the_right_and_the_most_at_the_top() {
        let mut ring = Ring::default();
        let path = |ring: &Ring| ring.path(|it| it.cpu_milli, 1000, 59, 10);
        ring.push(Amounts { cpu_milli: 500, memory_bytes: 0 });
        assert_eq!(path(&ring), "");
        ring.push(Amounts { cpu_milli: 1000, memory_bytes: 0 });
        ring.push(Amounts { cpu_milli: 4000, memory_bytes: 0 });
        assert_eq!(path(&ring), "M57 5L58 0L59 0");
        assert_eq!(ring.path(|it| it.memory_bytes, 0, 59, 10), "M57 10L58 10L59 10");
    }
}
