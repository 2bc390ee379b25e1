use super::{Cell, Row};

/// A text filter: words in any order and case, each of which must occur in some cell of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Lower case.
    words: Vec<String>,
}

impl Query {
    pub fn parse(text: &str) -> Self {
        Self { words: text.split_whitespace().map(str::to_lowercase).collect() }
    }

    /// Every row matches.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn matches(&self, row: &Row) -> bool {
        self.words.iter().all(|word| row.cells.iter().any(|cell| occurs(word, cell)))
    }
}

fn occurs(word: &str, cell: &Cell) -> bool {
    cell.with_search_text(|text| match text.is_ascii() {
        true => text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes())),
        false => text.to_lowercase().contains(word),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let status = Cell::Status { text: "CrashLoopBackOff".into(), health: super::super::Health::Error };
        let cells =
            [Cell::text("shop"), Cell::text("wéb-0"), Cell::Ready { ready: 0, total: 1 }, status, Cell::text("")];
        Row { cells: cells.into(), ..Row::default() }
    }

    #[test]
    fn every_word_must_occur_in_some_cell_whatever_its_case() {
        for (query, matches) in [
            ("", true),
            ("  ", true),
            ("shop", true),
            ("SHO crashloop", true),
            ("backoff shop wéb", true),
            ("WÉB", true),
            ("0/1", true),
            ("<none>", true),
            ("shop web", false),
            ("shopw", false),
            ("a-word-longer-than-any-of-the-cells-of-this-row", false),
        ] {
            assert_eq!(Query::parse(query).matches(&row()), matches, "{query:?}");
        }
        assert!(Query::parse(" \t").is_empty());
    }
}
