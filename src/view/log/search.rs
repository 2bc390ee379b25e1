use std::ops::Range;

use regex_lite::{Regex, RegexBuilder};

use crate::view::query::occurs;

/// What is looked for in a log, whatever the case: some words, or an expression between slashes, as in a table's query.
#[derive(Clone, Debug)]
pub struct LogSearch {
    /// In lower case; found much faster than by the expression.
    words: Option<String>,
    regex: Regex,
}

impl LogSearch {
    /// None of an empty text.
    ///
    /// # Errors
    /// What is wrong in the expression.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let expression = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|it| !it.is_empty());
        let words = expression.is_none().then(|| text.to_ascii_lowercase()).filter(|words| words.is_ascii());
        let source = expression.map_or_else(|| regex_lite::escape(text), str::to_owned);
        let regex = RegexBuilder::new(&source).case_insensitive(true).build();
        regex.map(|regex| Some(Self { words, regex })).map_err(|error| error.to_string())
    }

    pub fn finds(&self, text: &str) -> bool {
        match &self.words {
            Some(words) if text.is_ascii() => occurs(words, text),
            _ => self.regex.is_match(text),
        }
    }

    /// All places in a text, in order; empty matches are none.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        self.regex.find_iter(text).map(|found| found.range()).filter(|range| !range.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is looked for, in which text, and from where to where it is found.
    type Case<'a> = (&'a str, &'a str, &'a [(usize, usize)]);

    fn ends(search: &LogSearch, text: &str) -> Vec<(usize, usize)> {
        search.places(text).iter().map(|place| (place.start, place.end)).collect()
    }

    #[test]
    fn words_and_expressions_are_found_whatever_the_case() {
        let cases: [Case<'_>; 9] = [
            ("error", "an Error, ERROR", &[(3, 8), (10, 15)]),
            ("a.c", "abc a.c", &[(4, 7)]),
            ("/a.c/", "abc a.c", &[(0, 3), (4, 7)]),
            ("/^w[0-9]+$/", "W12", &[(0, 3)]),
            ("/a/b", "path /a/b", &[(5, 9)]),
            ("/", "a/b", &[(1, 2)]),
            ("//", "a//b", &[(1, 3)]),
            ("thírd", "the thírd", &[(4, 10)]),
            ("end", "thírd end", &[(7, 10)]),
        ];
        for (search, text, places) in cases {
            let search = LogSearch::parse(search).expect("it is right").expect("it is not empty");
            assert_eq!(ends(&search, text), places, "{search:?} in {text:?}");
            assert!(search.finds(text));
            assert!(!search.finds("nothing of it"));
        }
        assert!(matches!(LogSearch::parse(""), Ok(None)));
        assert!(LogSearch::parse("/(/").is_err());
        let empty = LogSearch::parse("/x*/").expect("it is right").expect("it is not empty");
        assert_eq!(ends(&empty, "axb"), [(1, 2)]);
    }
}
