use std::ops::Range;

use super::ansi::{AnsiRun, Ink};

/// A part of a line that looks the same throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    pub text: &'a str,
    pub ink: Ink,
    /// A search finds it.
    pub is_found: bool,
}

/// Cuts a line's text where its look changes: `runs` and `found` are in order.
pub fn segments<'a>(text: &'a str, runs: &[AnsiRun], found: &[Range<usize>]) -> Vec<Segment<'a>> {
    let mut edges: Vec<_> = runs.iter().flat_map(|run| [run.start, run.end]).collect();
    edges.extend(found.iter().flat_map(|range| [range.start, range.end]));
    edges.extend([0, text.len()]);
    edges.sort_unstable();
    edges.dedup();
    let pieces = edges.windows(2).filter_map(|edge| {
        let (start, end) = (edge[0], edge[1]);
        let ink = runs.iter().find(|run| run.start <= start && end <= run.end).map(|run| run.ink);
        let is_found = found.iter().any(|range| range.start <= start && end <= range.end);
        Some(Segment { text: text.get(start..end)?, ink: ink.unwrap_or_default(), is_found })
    });
    pieces.collect()
}

/// How much a line matters, when it says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Warning,
    Error,
}

/// So much of a line's beginning is looked at.
const HEAD: usize = 120;

/// What a line's first words say of it: klog's `E1129`, `ERROR`, `level=warn`, `"severity":"error"`.
pub fn level(text: &str) -> Option<Level> {
    let bytes = text.as_bytes();
    if bytes.get(1..5).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit)) && bytes.get(5) == Some(&b' ') {
        match bytes[0] {
            b'E' | b'F' => return Some(Level::Error),
            b'W' => return Some(Level::Warning),
            _ => {}
        }
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    let mut words = head.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut is_named = false;
    words.find_map(|word| {
        let is_loud = word.iter().all(u8::is_ascii_uppercase);
        let level = if is_loud || is_named { level_of(word) } else { None };
        is_named = ["level", "lvl", "severity"].iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()));
        level
    })
}

fn level_of(word: &[u8]) -> Option<Level> {
    let is = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()));
    if is(&["error", "err", "fatal", "panic", "critical", "crit"]) {
        return Some(Level::Error);
    }
    is(&["warn", "warning"]).then_some(Level::Warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_its_look_changes() {
        let red = Ink { colour: Some(1), ..Ink::default() };
        let runs = [AnsiRun { start: 2, end: 6, ink: red }];
        let pieces = |found: &[Range<usize>]| {
            let all = segments("abcdefgh", &runs, found);
            all.into_iter().map(|it| (it.text, it.ink == red, it.is_found)).collect::<Vec<_>>()
        };
        assert_eq!(pieces(&[]), [("ab", false, false), ("cdef", true, false), ("gh", false, false)]);
        assert_eq!(
            pieces(&[1..3, 7..8]),
            [
                ("a", false, false),
                ("b", false, true),
                ("c", true, true),
                ("def", true, false),
                ("g", false, false),
                ("h", false, true),
            ]
        );
        assert_eq!(segments("", &[], &[]), []);
        assert_eq!(segments("a", &[], &[]).len(), 1);
    }

    #[test]
    fn a_line_says_how_much_it_matters() {
        let (error, warning) = (Some(Level::Error), Some(Level::Warning));
        for (text, expected) in [
            ("E1129 10:00:00.000000 1 main.go:1] x", error),
            ("W1129 10:00:00.000000 1 main.go:1] x", warning),
            ("I1129 10:00:00.000000 1 main.go:1] x", None),
            ("2026-11-29 10:00:00 ERROR x", error),
            ("[WARN] x", warning),
            ("time=2026-11-29T10:00:00Z level=error msg=x", error),
            ("{\"severity\":\"warning\",\"msg\":\"x\"}", warning),
            ("{\"level\":\"info\",\"msg\":\"an error\"}", None),
            ("an error, and a warning", None),
            ("TERROR x", None),
            ("level=", None),
            ("", None),
            ("ééééé", None),
        ] {
            assert_eq!(level(text), expected, "{text}");
        }
    }
}
