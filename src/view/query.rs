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
        let is_in = |word: &str, cell: &Cell| cell.with_search_text(|text| occurs(word, text));
        self.words.iter().all(|word| row.cells.iter().any(|cell| is_in(word, cell)))
    }

    /// Each row that this matches is one that the other matches too: a word that became longer, or one more.
    pub fn narrows(&self, other: &Self) -> bool {
        other.words.iter().all(|old| self.words.iter().any(|new| new.contains(old.as_str())))
    }

    pub(super) fn words(&self) -> &[String] {
        &self.words
    }
}

/// Whether a word in lower case occurs in a text.
pub(super) fn occurs(word: &str, text: &str) -> bool {
    match text.is_ascii() {
        true => occurs_in_ascii(word.as_bytes(), text.as_bytes()),
        false => text.to_lowercase().contains(word),
    }
}

/// Without a lower-case copy of the text, and a plain loop: a query goes through every name there is.
pub(super) fn occurs_in_ascii(word: &[u8], text: &[u8]) -> bool {
    let Some((first, rest)) = word.split_first() else { return true };
    let mut left = text;
    while let Some((byte, after)) = left.split_first() {
        if left.len() < word.len() {
            return false;
        }
        if byte.to_ascii_lowercase() == *first && after[..rest.len()].eq_ignore_ascii_case(rest) {
            return true;
        }
        left = after;
    }
    false
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

    #[test]
    fn typing_on_narrows() {
        let narrows = |new: &str, old: &str| Query::parse(new).narrows(&Query::parse(old));
        assert!(narrows("w", "") && narrows("we", "w") && narrows("shop web", "we") && narrows("web-web", "web"));
        assert!(!narrows("", "w") && !narrows("w", "we") && !narrows("shop", "web"));
    }
}
