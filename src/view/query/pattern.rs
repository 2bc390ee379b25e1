use regex_lite::{Regex, RegexBuilder};

use crate::view::NONE;

/// What a text is compared with, whatever the case. The texts in it are in lower case.
#[derive(Clone, Debug)]
pub(in crate::view) enum Pattern {
    Contains(String),
    /// The whole text; the empty one stands for nothing, [`NONE`].
    Equals(String),
    /// The whole text: `*` stands for any letters, `?` for one.
    Glob(String),
    Regex(Regex),
    /// These letters in this order.
    InOrder(String),
    /// All of them: `2/2`, `True`, or `Ready` among words with commas.
    Ready,
}

impl Pattern {
    /// Only ASCII letters are alike in both cases.
    pub(super) fn regex(source: &str) -> Result<Self, regex_lite::Error> {
        // Nothing in it is more than a letter: a word is found much faster.
        if !source.contains(['\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$']) {
            return Ok(Self::Contains(source.to_lowercase()));
        }
        RegexBuilder::new(source).case_insensitive(true).build().map(Self::Regex)
    }

    pub(in crate::view) fn matches(&self, text: &str) -> bool {
        match self {
            Self::Contains(word) => occurs(word, text),
            Self::Equals(whole) if whole.is_empty() => text.is_empty() || text == NONE,
            Self::Equals(whole) => with_lower(text, |text| same(whole, text)),
            Self::Glob(glob) => with_lower(text, |text| globs(glob, text)),
            Self::Regex(regex) => regex.is_match(text),
            Self::InOrder(letters) => with_lower(text, |text| is_in_order(letters, text)),
            Self::Ready => match text.split_once('/') {
                Some((ready, total)) => ready == total,
                None => text.split(',').any(|it| same("ready", it) || same("true", it)),
            },
        }
    }
}

/// Whether a word in lower case occurs in a text.
pub(in crate::view) fn occurs(word: &str, text: &str) -> bool {
    match text.is_ascii() {
        true => occurs_in_ascii(word.as_bytes(), text.as_bytes()),
        false => text.to_lowercase().contains(word),
    }
}

/// Without a lower-case copy of the text, and a plain loop: a query goes through every name there is.
fn occurs_in_ascii(word: &[u8], text: &[u8]) -> bool {
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

/// ASCII is left as it is.
fn with_lower(text: &str, found: impl FnOnce(&str) -> bool) -> bool {
    if text.is_ascii() { found(text) } else { found(&text.to_lowercase()) }
}

const fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn is_in_order(letters: &str, text: &str) -> bool {
    let mut left = text.chars();
    letters.chars().all(|letter| left.any(|it| it.to_ascii_lowercase() == letter))
}

pub(in crate::view) fn globs(glob: &str, text: &str) -> bool {
    let (mut glob, mut text) = (glob.chars(), text.chars());
    // Behind the last star, and where its letters end so far.
    let mut star: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let next = glob.clone().next();
        let letter = text.clone().next().map(|it| it.to_ascii_lowercase());
        match next {
            None if letter.is_none() => return true,
            Some('*') => {
                glob.next();
                star = Some((glob.clone(), text.clone()));
            }
            Some(wanted) if letter.is_some() && (wanted == '?' || letter == Some(wanted)) => {
                glob.next();
                text.next();
            }
            _ => {
                let Some((behind, end)) = &mut star else { return false };
                if end.next().is_none() {
                    return false;
                }
                (glob, text) = (behind.clone(), end.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_the_whole_text() {
        for (glob, text, matches) in [
            ("worker-*", "worker-1", true),
            ("worker-*", "worker-", true),
            ("worker-*", "a-worker-1", false),
            ("*-a-*", "x-a-b-a-c", true),
            ("*a", "baab", false),
            ("**", "", true),
            ("?", "", false),
            ("w?b", "WÉB", true),
            ("w?b", "web1", false),
            ("*b*d", "abcbcd", true),
        ] {
            assert_eq!(Pattern::Glob(glob.into()).matches(text), matches, "{glob} {text}");
        }
    }

    #[test]
    fn letters_stand_in_their_order() {
        for (letters, text, matches) in
            [("wb0", "web-0", true), ("w0b", "web-0", false), ("", "", true), ("é", "WÉB", true), ("ww", "web", false)]
        {
            assert_eq!(Pattern::InOrder(letters.into()).matches(text), matches, "{letters} {text}");
        }
    }

    #[test]
    fn full_cells_are_ready() {
        for (text, is_ready) in [
            ("2/2", true),
            ("1/2", false),
            ("0/0", true),
            ("True", true),
            ("False", false),
            ("Ready,SchedulingDisabled", true),
            ("NotReady", false),
            ("<none>", false),
        ] {
            assert_eq!(Pattern::Ready.matches(text), is_ready, "{text}");
        }
    }
}
