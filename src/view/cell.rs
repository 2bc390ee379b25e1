use std::cmp::Ordering;
use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;

use super::natural::compare_values;
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
    /// How long ago that was; none reads `<unknown>`.
    Age(Option<Timestamp>),
    /// How long ago that was; none reads [`NONE`].
    Since(Option<Timestamp>),
    /// How long something took, or takes by now; none is empty.
    Duration(Option<Span>),
    /// A whole number.
    Number(i64),
    /// A quantity as the server writes it, `500Mi`, or a word in its place; sorted by value, words first.
    Quantity(Box<str>),
}

/// A length of time, which goes on unless it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// It has ended after so many seconds.
    Seconds(i64),
    /// It goes on since that moment.
    Since(Timestamp),
}

impl Cell {
    /// A text, none when it is empty.
    pub fn text(text: &str) -> Self {
        Self::Text((!text.is_empty()).then(|| text.into()))
    }

    /// A text that is shown as it is, also when it is empty.
    pub fn exact(text: &str) -> Self {
        Self::Text(Some(text.into()))
    }

    /// An IP address, none when it is empty.
    pub fn address(text: &str) -> Self {
        Self::Address((!text.is_empty()).then(|| text.into()))
    }

    /// The text as `kubectl` prints it at this moment.
    pub fn display(&self, now: Timestamp) -> String {
        match self {
            Self::Text(text) | Self::Address(text) => one_line(text.as_deref().unwrap_or(NONE)),
            Self::Status { text, .. } => one_line(text),
            Self::Quantity(text) => text.as_ref().into(),
            Self::Ready { ready, total } => format!("{ready}/{total}"),
            Self::Number(number) => number.to_string(),
            Self::Duration(None) => String::new(),
            Self::Duration(Some(Span::Seconds(seconds))) => {
                let end = Timestamp::from_second(*seconds).unwrap_or(Timestamp::MAX);
                age_text(Some(Timestamp::UNIX_EPOCH), end)
            }
            Self::Since(None) => NONE.into(),
            Self::Restarts { count, last: Some(last) } if *count != 0 => {
                format!("{count} ({} ago)", age_text(Some(*last), now))
            }
            Self::Restarts { count, .. } => count.to_string(),
            Self::Age(then) | Self::Since(then) => age_text(*then, now),
            Self::Duration(Some(Span::Since(then))) => age_text(Some(*then), now),
        }
    }

    /// How long [`display`](Self::display) stays as it is without a change of the object; none when for good.
    pub fn next_change(&self, now: Timestamp) -> Option<Duration> {
        match self {
            Self::Age(then) | Self::Since(then) => next_age_change(*then, now),
            Self::Duration(Some(Span::Since(then))) => next_age_change(Some(*then), now),
            Self::Restarts { count, last } if *count != 0 => next_age_change(*last, now),
            _ => None,
        }
    }

    /// There is nothing to look at: [`NONE`], or no restart.
    pub const fn is_none(&self) -> bool {
        matches!(
            self,
            Self::Text(None)
                | Self::Address(None)
                | Self::Restarts { count: 0, .. }
                | Self::Since(None)
                | Self::Duration(None)
        )
    }

    /// Ascending: texts by the numbers in them and quantities by size, addresses by their numbers, ages from young to
    /// old, durations from short to long and after them those that go on. Cells of different kinds by their kinds.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => compare_texts(a.as_deref(), b.as_deref()),
            (Self::Address(a), Self::Address(b)) => compare_addresses(a.as_deref(), b.as_deref()),
            (Self::Status { text: a, .. }, Self::Status { text: b, .. }) => a.cmp(b),
            (Self::Ready { ready: a, total: of_a }, Self::Ready { ready: b, total: of_b }) => {
                let cross = (u64::from(*a) * u64::from(*of_b)).cmp(&(u64::from(*b) * u64::from(*of_a)));
                cross.then(of_a.cmp(of_b))
            }
            (Self::Restarts { count: a, last: last_a }, Self::Restarts { count: b, last: last_b }) => {
                a.cmp(b).then(last_a.cmp(last_b))
            }
            (Self::Age(a), Self::Age(b)) | (Self::Since(a), Self::Since(b)) => b.cmp(a),
            (Self::Duration(a), Self::Duration(b)) => compare_spans(*a, *b),
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::Quantity(a), Self::Quantity(b)) => compare_values(a, b),
            // A word in the place of a number.
            _ => self.kind().cmp(&other.kind()),
        }
    }

    const fn kind(&self) -> u8 {
        match self {
            Self::Text(_) => 0,
            Self::Address(_) => 1,
            Self::Status { .. } => 2,
            Self::Ready { .. } => 3,
            Self::Restarts { .. } => 4,
            Self::Age(_) => 5,
            Self::Since(_) => 6,
            Self::Duration(_) => 7,
            Self::Number(_) => 8,
            Self::Quantity(_) => 9,
        }
    }

    /// The text a query is matched with. Ages have none: a row must not come and go as time passes.
    pub(super) fn with_search_text<R>(&self, found: impl FnOnce(&str) -> R) -> R {
        match self {
            Self::Text(text) | Self::Address(text) => found(text.as_deref().unwrap_or(NONE)),
            Self::Status { text, .. } | Self::Quantity(text) => found(text),
            Self::Ready { ready, total } => found(&format!("{ready}/{total}")),
            Self::Restarts { count, .. } => found(&count.to_string()),
            Self::Number(number) => found(&number.to_string()),
            Self::Age(_) | Self::Since(_) | Self::Duration(_) => found(""),
        }
    }
}

/// The first line of a text, without control of terminals, as `kubectl` prints it (cli-runtime: `appendCellValue`).
fn one_line(text: &str) -> String {
    let line = match text.find(['\n', '\r', '\u{c}']) {
        Some(end) => [&text[..end], "..."].concat(),
        None => text.into(),
    };
    if line.contains('\u{1b}') { line.replace('\u{1b}', "^[") } else { line }
}

/// The order of [`Cell::Text`].
pub(super) fn compare_texts(a: Option<&str>, b: Option<&str>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare_values(a, b),
        _ => a.cmp(&b),
    }
}

fn compare_spans(a: Option<Span>, b: Option<Span>) -> Ordering {
    let seconds = |span| match span {
        None => Some(i64::MIN),
        Some(Span::Seconds(seconds)) => Some(seconds),
        Some(Span::Since(_)) => None,
    };
    match (a, b) {
        (Some(Span::Since(a)), Some(Span::Since(b))) => b.cmp(&a),
        _ => seconds(a).is_none().cmp(&seconds(b).is_none()).then(seconds(a).cmp(&seconds(b))),
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
            (Cell::Since(Some(at(0))), "5m"),
            (Cell::Since(None), "<none>"),
            (Cell::Duration(None), ""),
            (Cell::Duration(Some(Span::Since(at(0)))), "5m"),
            (Cell::Duration(Some(Span::Seconds(0))), "0s"),
            (Cell::Duration(Some(Span::Seconds(-1))), "0s"),
            (Cell::Duration(Some(Span::Seconds(-9))), "<invalid>"),
            (Cell::Duration(Some(Span::Seconds(3_723))), "62m"),
            (Cell::Number(-7), "-7"),
            (Cell::Quantity("1Gi".into()), "1Gi"),
            (Cell::exact(""), ""),
            (Cell::exact("Back-off\nrestarting"), "Back-off..."),
            (Cell::exact("\rabc"), "..."),
            (Cell::exact("\u{1b}[31mred\u{1b}[0m"), "^[[31mred^[[0m"),
        ] {
            assert_eq!(cell.display(now), text);
        }
    }

    #[test]
    fn cells_sort_by_what_they_mean() {
        let sorted = |cells: &[Cell]| cells.is_sorted_by(|a, b| a.compare(b) == Ordering::Less);
        assert!(sorted(&["", "10.0.0.9", "10.0.0.10", "10.0.1.1", "fd00::1"].map(Cell::address)));
        assert!(sorted(&["", "a", "b", "v1.9", "v1.10", "9", "10"].map(Cell::text)));
        assert!(sorted(&[(0, 1), (0, 2), (1, 2), (2, 2), (3, 3)].map(|(ready, total)| Cell::Ready { ready, total })));
        assert!(sorted(&[9, 10, 11].map(|count| Cell::Restarts { count, last: None })));
        assert!(sorted(&[Cell::text("a"), Cell::Restarts { count: 1, last: None }, Cell::Age(Some(at(0)))]));
        assert!(sorted(&[Some(at(60)), Some(at(0)), None].map(Cell::Age)));
        assert!(sorted(&[Some(at(60)), Some(at(0)), None].map(Cell::Since)));
        let spans = [Span::Seconds(-1), Span::Seconds(9), Span::Seconds(10), Span::Since(at(60)), Span::Since(at(0))];
        assert!(sorted(&[None].into_iter().chain(spans.map(Some)).map(Cell::Duration).collect::<Vec<_>>()));
        assert!(sorted(&[i64::MIN, -1, 0, 9, 10].map(Cell::Number)));
        let quantities = ["", "50%", "<none>", "N/A", "0", "100m", "1", "1k", "1Ki", "500M", "500Mi", "1Gi", "2Gi"];
        assert!(sorted(&quantities.map(|it| Cell::Quantity(it.into()))));
        assert!(sorted(&[Cell::exact("<unset>"), Cell::Number(-1)]));
        assert!(sorted(&[Cell::text("N/A"), Cell::Ready { ready: 0, total: 1 }, Cell::Quantity("1".into())]));
    }

    #[test]
    fn only_ages_change_by_themselves() {
        assert_eq!(Cell::text("a").next_change(at(0)), None);
        assert_eq!(Cell::Restarts { count: 0, last: Some(at(0)) }.next_change(at(9)), None);
        assert_eq!(Cell::Duration(Some(Span::Seconds(9))).next_change(at(9)), None);
        for cell in [Cell::Age(Some(at(0))), Cell::Since(Some(at(0))), Cell::Duration(Some(Span::Since(at(0))))] {
            assert_eq!(cell.next_change(at(9)), Some(Duration::from_secs(1)));
        }
    }
}
