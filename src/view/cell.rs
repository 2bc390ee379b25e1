use std::cmp::Ordering;
use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;

use super::{Health, age_text, next_age_change};

/// What `kubectl` prints where there is nothing.
pub const NONE: &str = "<none>";

/// One value of a row: what is sorted and compared; its text is made for the moment it is shown at.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// None reads [`NONE`].
    Text(Option<Box<str>>),
    /// None reads [`NONE`]; sorted by its numbers.
    Address(Option<Box<str>>),
    Status {
        text: Box<str>,
        health: Health,
    },
    /// `1/2`
    Ready {
        ready: u32,
        total: u32,
    },
    /// `3 (5m ago)`
    Restarts {
        count: i64,
        last: Option<Timestamp>,
    },
    /// How long ago that was.
    Age(Option<Timestamp>),
}

impl Cell {
    /// A text, none when it is empty.
    pub fn text(text: &str) -> Self {
        Self::Text((!text.is_empty()).then(|| text.into()))
    }

    /// An IP address, none when it is empty.
    pub fn address(text: &str) -> Self {
        Self::Address((!text.is_empty()).then(|| text.into()))
    }

    /// The text as `kubectl` prints it at this moment.
    pub fn display(&self, now: Timestamp) -> String {
        match self {
            Self::Text(text) | Self::Address(text) => text.as_deref().unwrap_or(NONE).into(),
            Self::Status { text, .. } => text.as_ref().into(),
            Self::Ready { ready, total } => format!("{ready}/{total}"),
            Self::Restarts { count, last: Some(last) } if *count != 0 => {
                format!("{count} ({} ago)", age_text(Some(*last), now))
            }
            Self::Restarts { count, .. } => count.to_string(),
            Self::Age(then) => age_text(*then, now),
        }
    }

    /// How long [`display`](Self::display) stays as it is without a change of the object; none when for good.
    pub fn next_change(&self, now: Timestamp) -> Option<Duration> {
        match self {
            Self::Age(then) => next_age_change(*then, now),
            Self::Restarts { count, last } if *count != 0 => next_age_change(*last, now),
            _ => None,
        }
    }

    /// There is nothing to look at: [`NONE`], or no restart.
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::Text(None) | Self::Address(None) | Self::Restarts { count: 0, .. })
    }

    /// Where it stands among cells of other kinds.
    const fn rank(&self) -> u8 {
        match self {
            Self::Text(_) => 0,
            Self::Age(_) => 2,
            _ => 1,
        }
    }

    /// Ascending: texts by their bytes, numbers by size, addresses by their numbers, ages from young to old.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Address(a), Self::Address(b)) => compare_addresses(a.as_deref(), b.as_deref()),
            (Self::Status { text: a, .. }, Self::Status { text: b, .. }) => a.cmp(b),
            (Self::Ready { ready: a, total: of_a }, Self::Ready { ready: b, total: of_b }) => {
                let cross = (u64::from(*a) * u64::from(*of_b)).cmp(&(u64::from(*b) * u64::from(*of_a)));
                cross.then(of_a.cmp(of_b))
            }
            (Self::Restarts { count: a, last: last_a }, Self::Restarts { count: b, last: last_b }) => {
                a.cmp(b).then(last_a.cmp(last_b))
            }
            (Self::Age(a), Self::Age(b)) => b.cmp(a),
            // Cells of one column are of one kind, but where a value is missing or not what its column holds.
            _ => self.rank().cmp(&other.rank()),
        }
    }

    /// The text a query is matched with. Ages have none: a row must not come and go as time passes.
    pub(super) fn with_search_text<R>(&self, found: impl FnOnce(&str) -> R) -> R {
        match self {
            Self::Text(text) | Self::Address(text) => found(text.as_deref().unwrap_or(NONE)),
            Self::Status { text, .. } => found(text),
            Self::Ready { ready, total } => found(&format!("{ready}/{total}")),
            Self::Restarts { count, .. } => found(&count.to_string()),
            Self::Age(_) => found(""),
        }
    }
}

fn compare_addresses(a: Option<&str>, b: Option<&str>) -> Ordering {
    let parsed = |text: Option<&str>| text.and_then(|it| it.parse::<IpAddr>().ok());
    parsed(a).cmp(&parsed(b)).then(a.cmp(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_796_000_000 + seconds).unwrap()
    }

    #[test]
    fn cells_read_as_kubectl_prints_them() {
        let now = at(300);
        for (cell, text) in [
            (Cell::text("web-0"), "web-0"),
            (Cell::text(""), "<none>"),
            (Cell::address(""), "<none>"),
            (Cell::Ready { ready: 1, total: 2 }, "1/2"),
            (Cell::Restarts { count: 3, last: Some(at(0)) }, "3 (5m ago)"),
            (Cell::Restarts { count: 3, last: None }, "3"),
            (Cell::Restarts { count: 0, last: Some(at(0)) }, "0"),
            (Cell::Age(Some(at(0))), "5m"),
            (Cell::Age(None), "<unknown>"),
        ] {
            assert_eq!(cell.display(now), text);
        }
    }

    #[test]
    fn cells_sort_by_what_they_mean() {
        let sorted = |cells: &[Cell]| cells.is_sorted_by(|a, b| a.compare(b) == Ordering::Less);
        assert!(sorted(&["", "10.0.0.9", "10.0.0.10", "10.0.1.1", "fd00::1"].map(Cell::address)));
        assert!(sorted(&["", "a", "b"].map(Cell::text)));
        assert!(sorted(&[(0, 1), (0, 2), (1, 2), (2, 2), (3, 3)].map(|(ready, total)| Cell::Ready { ready, total })));
        assert!(sorted(&[9, 10, 11].map(|count| Cell::Restarts { count, last: None })));
        assert!(sorted(&[Cell::Age(Some(at(60))), Cell::Age(Some(at(0))), Cell::Age(None)]));
        assert!(sorted(&[Cell::text("a"), Cell::Restarts { count: 1, last: None }, Cell::Age(Some(at(0)))]));
    }

    #[test]
    fn only_ages_change_by_themselves() {
        assert_eq!(Cell::text("a").next_change(at(0)), None);
        assert_eq!(Cell::Restarts { count: 0, last: Some(at(0)) }.next_change(at(9)), None);
        assert_eq!(Cell::Age(Some(at(0))).next_change(at(9)), Some(Duration::from_secs(1)));
    }
}
