use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::arena::small;
use super::query::{Condition, Place, Test, is_shown};
use super::rows::Rows;
use super::values::{Kind, Values};
use super::{Filter, NONE};

/// A filter over many rows: each text, and each number, is looked at once however many rows show it.
pub(super) struct Search<'a> {
    rows: &'a Rows,
    now: Timestamp,
    /// By a namespace's number; empty for all.
    namespaces: Vec<bool>,
    terms: Vec<Term<'a>>,
}

struct Term<'a> {
    condition: &'a Condition,
    /// Where any of them may be found.
    hits: Vec<(&'a Values, Hits)>,
    place: Place,
}

/// How the cells of a column are compared.
enum Hits {
    /// By a namespace's number.
    Namespace(Vec<bool>),
    /// By slot.
    Name(Vec<bool>),
    /// By a text's number; the last is for the absence of one.
    Texts(Vec<bool>),
    /// By the cell's words, found out as they come.
    Numbers(FxHashMap<u64, bool>),
    /// Hardly two are equal, so each is written out, but for a number: that is in one of the four.
    Addresses {
        /// Whether it is in [`NONE`].
        is_none: bool,
        bytes: Option<Vec<bool>>,
    },
    /// Each for itself.
    Cells,
    /// The column never shows such a word.
    Never,
}

impl<'a> Search<'a> {
    pub(super) fn new(rows: &'a Rows, filter: &'a Filter, now: Timestamp) -> Self {
        let chosen = rows.namespaces().iter().map(|name| filter.has_namespace(name));
        let namespaces = if filter.namespaces.is_empty() { Vec::new() } else { chosen.collect() };
        let terms = filter.query.conditions().iter().filter_map(|condition| Term::new(condition, rows, filter.hidden));
        Self { rows, now, namespaces, terms: terms.collect() }
    }

    /// As [`Filter::matches`] of the row in this slot.
    pub(super) fn matches(&mut self, slot: u32) -> bool {
        let (rows, now) = (self.rows, self.now);
        if self.namespaces.get(rows.namespace(slot) as usize) == Some(&false) {
            return false;
        }
        self.terms.iter_mut().all(|term| term.finds(slot, rows, now) != term.condition.is_inverse)
    }
}

impl<'a> Term<'a> {
    /// None when it lets everything through.
    fn new(condition: &'a Condition, rows: &'a Rows, hidden: u64) -> Option<Self> {
        let place = condition.place(rows.resource())?;
        let is_looked_at = |at: usize| match place {
            Place::Cells => is_shown(at, hidden),
            Place::Column(column) => at == column,
            Place::Name | Place::Namespace | Place::Object | Place::Kind => false,
        };
        let columns = rows.columns().iter().enumerate().filter(|(at, _)| is_looked_at(*at));
        let hits = columns.map(|(_, values)| (values, Hits::of(&condition.test, values, rows))).collect();
        Some(Self { condition, hits, place })
    }

    fn finds(&mut self, slot: u32, rows: &Rows, now: Timestamp) -> bool {
        let test = &self.condition.test;
        match self.place {
            Place::Name => test.admits_text(name_of(rows, slot)),
            Place::Namespace => test.admits_text(rows.namespace_text(slot)),
            Place::Object => rows.object(slot).is_some_and(|object| self.condition.finds_in(object)),
            Place::Kind => {
                rows.object(slot).is_some_and(|object| self.condition.finds_in_kind(rows.resource(), object, now))
            }
            Place::Cells | Place::Column(_) => {
                self.hits.iter_mut().any(|(values, hits)| hits.find(test, slot, values, rows, now))
            }
        }
    }
}

impl Hits {
    fn of(test: &Test, values: &Values, rows: &Rows) -> Self {
        let word = test.word();
        let is_of = |characters: &str| word.is_some_and(|word| word.chars().all(|it| characters.contains(it)));
        let is_never = |characters: &str| word.is_some() && !is_of(characters);
        match values.kind() {
            Kind::Namespace => {
                Self::Namespace(rows.namespaces().iter().map(|name| test.admits_text(or_none(name))).collect())
            }
            Kind::Name => match (word.filter(|word| !word.contains('\n')), rows.name_list()) {
                (Some(word), Some(names)) => Self::Name(names.find(word)),
                _ => Self::Cells,
            },
            Kind::Text | Kind::Status | Kind::Quantity => {
                let texts = values.texts().iter().map(|text| test.admits_text(text));
                Self::Texts(texts.chain([test.admits_text(NONE)]).collect())
            }
            Kind::Ready if is_never("0123456789/") => Self::Never,
            Kind::Restarts if is_never("0123456789") => Self::Never,
            Kind::Address if is_never("0123456789abcdef.:") && !test.admits_text(NONE) => Self::Never,
            Kind::Address => {
                let bytes = || (0..=255).map(|byte: u8| test.admits_text(&byte.to_string())).collect();
                Self::Addresses { is_none: test.admits_text(NONE), bytes: is_of("0123456789").then(bytes) }
            }
            Kind::Number if is_never("-0123456789") => Self::Never,
            Kind::Ready | Kind::Restarts | Kind::Number => Self::Numbers(FxHashMap::default()),
            // Times have no text.
            Kind::Age | Kind::Since | Kind::Duration if matches!(test, Test::Text(_)) => Self::Never,
            _ => Self::Cells,
        }
    }

    fn find(&mut self, test: &Test, slot: u32, values: &Values, rows: &Rows, now: Timestamp) -> bool {
        if let Some(cell) = values.odd_cell(slot) {
            return test.admits(cell, now);
        }
        let (low, high) = values.words(slot);
        let look = || test.admits(&values.cell(slot, rows.names(slot)), now);
        match self {
            Self::Namespace(found) => is_found(found, rows.namespace(slot)),
            Self::Name(found) => is_found(found, slot),
            Self::Addresses { is_none, bytes } => match (values.address_bytes(slot), bytes) {
                (Some(four), Some(found)) => four.iter().any(|byte| is_found(found, u32::from(*byte))),
                _ => match values.address_text(slot, &mut [0; 15]) {
                    Some(text) => std::str::from_utf8(text).is_ok_and(|text| test.admits_text(text)),
                    None => *is_none,
                },
            },
            Self::Texts(found) => {
                let none = found.len() - 1;
                let id = match values.kind() {
                    Kind::Status => low as usize >> 3,
                    Kind::Quantity => low as usize,
                    _ => low.checked_sub(1).map_or(none, |id| id as usize),
                };
                is_found(found, small(id))
            }
            Self::Numbers(found) => {
                let number = match values.kind() {
                    Kind::Restarts => u64::from(high),
                    _ => u64::from(high) << 32 | u64::from(low),
                };
                *found.entry(number).or_insert_with(look)
            }
            Self::Cells if values.kind() == Kind::Name => test.admits_text(or_none(name_of(rows, slot))),
            Self::Cells => look(),
            Self::Never => false,
        }
    }
}

fn is_found(found: &[bool], at: u32) -> bool {
    found.get(at as usize).copied().unwrap_or_default()
}

/// Those in the list stand close to one another.
fn name_of(rows: &Rows, slot: u32) -> &str {
    rows.name_list().and_then(|list| list.get(slot)).unwrap_or_else(|| rows.name(slot))
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { NONE } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::rows_of_tests::{LIKE_PODS, object};
    use crate::view::{Cell, Health, Query, Row, Subject};

    fn now() -> Timestamp {
        Timestamp::from_second(1_796_000_000).unwrap()
    }

    fn row(at: u32) -> Row {
        let (namespace, name) = (format!("shop-{}", at % 3), format!("wéb-{at}"));
        let status = match at % 4 {
            0 => Cell::Text(Some("odd".into())),
            1 => Cell::Status { text: "CrashLoopBackOff".into(), health: Health::Error },
            _ => Cell::Status { text: "Running".into(), health: Health::Ok },
        };
        let address = ["", "10.0.0.7", "fd00::ab", "no address"][at as usize / 2 % 4];
        let cells = [
            Cell::text(&namespace),
            Cell::text(&name),
            Cell::Ready { ready: at % 2, total: 70_000 * (at / 10 % 2) + 1 },
            status,
            Cell::Restarts { count: i64::from(at) - 3, last: None },
            Cell::Age(
                (!at.is_multiple_of(5)).then(|| Timestamp::from_second(1_796_000_000 - i64::from(at) * 60).unwrap()),
            ),
            Cell::address(address),
            Cell::text(["", "node-1"][at as usize % 2]),
            Cell::Number(7 * i64::from(at) - 9),
            Cell::Quantity(["1Gi", "<unset>", "500Mi"][at as usize % 3].into()),
        ];
        Row {
            uid: name.clone().into(),
            namespace: namespace.into(),
            name: name.into(),
            cells: cells.into(),
            ..Row::default()
        }
    }

    #[test]
    fn many_rows_match_as_one_does() {
        let mut rows = Rows::new(&LIKE_PODS);
        let slots: Vec<_> = (0..40).map(|at| rows.insert(object(&row(at)))).collect();
        assert_eq!(rows.row(slots[7]), row(7), "also before it is read");
        rows.read_from(0, || false);
        rows.list_names();
        for text in [
            "",
            "run",
            "WÉB-1 back",
            "\"/1\"",
            "!run",
            "!ready",
            "!!ready shop",
            "/^w.b-1/ node",
            "!/[0-9]{3}/",
            "-f w1",
            "name:*-1? name!=wéb-12",
            "ns:(shop-1|shop-2)",
            "restarts>3",
            "restarts=3",
            "ready<1",
            "ready:1/1",
            "age<10m",
            "!age>=1200s",
            "status:Run*",
            "node=\"\"",
            "ip:10.*",
            "ip:/^fd/",
            "unknown:x",
            "!unknown:x 7",
            ".metadata.name~-3",
            "age<10m age>300s node",
            "1/1",
            "70001",
            "-3",
            "7",
            "none",
            "<none> node",
            "00::A",
            "odd",
            ".0.",
            "ddr",
            "-2",
            "gi",
            "unset",
        ] {
            let namespaces = ["shop-1", "shop-2"].into_iter().take(text.len() % 3).map(str::to_owned).collect();
            let hidden = if text.len() % 2 == 0 { 0b10_0101_0000 } else { 0 };
            let filter = Filter { namespaces, query: Query::parse(text), hidden };
            let mut search = Search::new(&rows, &filter, now());
            for slot in &slots {
                assert_eq!(rows.row(*slot), row(*slot), "nothing is lost");
                let (row, resource) = (row(*slot), &LIKE_PODS);
                let subject = Subject { resource, row: &row, object: &object(&row), hidden, now: now() };
                assert_eq!(search.matches(*slot), filter.matches(&subject), "{text:?} in {row:?}");
            }
        }
    }
}
