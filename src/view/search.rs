use rustc_hash::FxHashMap;

use super::arena::small;
use super::query::{occurs, occurs_in_ascii};
use super::rows::Rows;
use super::values::{Kind, Values};
use super::{Filter, NONE};

/// A filter over many rows: each text, and each number, is looked at once however many rows show it.
pub(super) struct Search<'a> {
    rows: &'a Rows,
    /// By a namespace's number; empty for all.
    namespaces: Vec<bool>,
    words: Vec<Word<'a>>,
}

struct Word<'a> {
    text: &'a str,
    columns: Vec<Hits>,
}

/// How the cells of a column are compared with a word.
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
        /// Whether the word is in [`NONE`].
        is_none: bool,
        bytes: Option<Vec<bool>>,
    },
    /// The column never shows such a word.
    Never,
}

impl<'a> Search<'a> {
    pub(super) fn new(rows: &'a Rows, filter: &'a Filter) -> Self {
        let chosen = rows.namespaces().iter().map(|name| filter.namespaces.contains(name));
        let namespaces = if filter.namespaces.is_empty() { Vec::new() } else { chosen.collect() };
        let hits = |text: &str| rows.columns().iter().map(|values| Hits::of(text, values, rows)).collect();
        let words = filter.query.words().iter().map(|text| Word { text, columns: hits(text) }).collect();
        Self { rows, namespaces, words }
    }

    /// As [`Filter::matches`] of the row in this slot.
    pub(super) fn matches(&mut self, slot: u32) -> bool {
        let rows = self.rows;
        if self.namespaces.get(rows.namespace(slot) as usize) == Some(&false) {
            return false;
        }
        self.words.iter_mut().all(|word| {
            let mut columns = word.columns.iter_mut().zip(rows.columns());
            columns.any(|(hits, values)| hits.matches(word.text, slot, values, rows))
        })
    }
}

impl Hits {
    fn of(word: &str, values: &Values, rows: &Rows) -> Self {
        let is_of = |characters: &str| word.chars().all(|it| characters.contains(it));
        match values.kind() {
            Kind::Namespace => {
                Self::Namespace(rows.namespaces().iter().map(|name| occurs(word, or_none(name))).collect())
            }
            Kind::Name => Self::Name(rows.name_list().map(|names| names.find(word)).unwrap_or_default()),
            Kind::Text | Kind::Status | Kind::Quantity => {
                let texts = values.texts().iter().map(|text| occurs(word, text));
                Self::Texts(texts.chain([occurs(word, NONE)]).collect())
            }
            Kind::Ready if !is_of("0123456789/") => Self::Never,
            Kind::Restarts if !is_of("0123456789") => Self::Never,
            Kind::Address if !is_of("0123456789abcdef.:") && !occurs(word, NONE) => Self::Never,
            Kind::Address => {
                let bytes = || (0..=255).map(|byte: u8| byte.to_string().contains(word)).collect();
                Self::Addresses { is_none: occurs(word, NONE), bytes: is_of("0123456789").then(bytes) }
            }
            Kind::Number if !is_of("-0123456789") => Self::Never,
            Kind::Age | Kind::Since | Kind::Duration | Kind::Unknown => Self::Never,
            Kind::Ready | Kind::Restarts | Kind::Number => Self::Numbers(FxHashMap::default()),
        }
    }

    fn matches(&mut self, word: &str, slot: u32, values: &Values, rows: &Rows) -> bool {
        if let Some(cell) = values.odd_cell(slot) {
            return cell.with_search_text(|text| occurs(word, text));
        }
        let (low, high) = values.words(slot);
        match self {
            Self::Namespace(found) => is_found(found, rows.namespace(slot)),
            Self::Name(found) => is_found(found, slot),
            Self::Addresses { is_none, bytes } => match (values.address_bytes(slot), bytes) {
                (Some(four), Some(found)) => four.iter().any(|byte| is_found(found, u32::from(*byte))),
                _ => match values.address_text(slot, &mut [0; 15]) {
                    Some(text) => occurs_in_ascii(word.as_bytes(), text),
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
                let look = || values.cell(slot, rows.names(slot)).with_search_text(|text| occurs(word, text));
                *found.entry(number).or_insert_with(look)
            }
            Self::Never => false,
        }
    }
}

fn is_found(found: &[bool], at: u32) -> bool {
    found.get(at as usize).copied().unwrap_or_default()
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { NONE } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::rows_of_tests::{LIKE_PODS, object};
    use crate::view::{Cell, Health, Query, Row};

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
            Cell::Age(None),
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
            "/1",
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
            let filter = Filter { namespaces, query: Query::parse(text) };
            let mut search = Search::new(&rows, &filter);
            for slot in &slots {
                assert_eq!(rows.row(*slot), row(*slot), "nothing is lost");
                assert_eq!(search.matches(*slot), filter.matches(&row(*slot)), "{text:?} in {:?}", row(*slot));
            }
        }
    }
}
