/// How well what was typed fits a word; the better, the less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    Exact,
    Prefix,
    /// Within the word, where a part of it begins: `policy` in `NetworkPolicy` and in `network-policy`.
    WordStart,
    /// All letters in their order, others between them.
    Subsequence,
}

impl Rank {
    /// None where it does not fit at all. Case is not looked at.
    pub fn of(typed: &str, word: &str) -> Option<Self> {
        let (typed, word) = (typed.as_bytes(), word.as_bytes());
        let is_at = |at: usize| word[at..].get(..typed.len()).is_some_and(|part| part.eq_ignore_ascii_case(typed));
        if is_at(0) {
            return Some(if typed.len() == word.len() { Self::Exact } else { Self::Prefix });
        }
        if (1..word.len()).any(|at| begins_part(word[at - 1], word[at]) && is_at(at)) {
            return Some(Self::WordStart);
        }
        let mut rest = word.iter();
        let is_within = typed.iter().all(|letter| rest.any(|other| other.eq_ignore_ascii_case(letter)));
        is_within.then_some(Self::Subsequence)
    }

    /// The best over several words.
    pub fn best<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        words.into_iter().filter_map(|word| Self::of(typed, word)).min()
    }
}

/// Things by their ranks; those of one rank stay in the order in which they came.
#[derive(Debug)]
pub(super) struct Ranked<T>([Vec<T>; 4]);

impl<T> Ranked<T> {
    pub(super) fn push(&mut self, rank: Rank, thing: T) {
        self.0[rank as usize].push(thing);
    }

    /// How many are of this rank or of a better one.
    pub(super) fn up_to(&self, rank: Rank) -> usize {
        self.0[..=rank as usize].iter().map(Vec::len).sum()
    }

    /// Those of the best rank that there is.
    pub(super) fn into_best(self) -> Vec<T> {
        self.0.into_iter().find(|things| !things.is_empty()).unwrap_or_default()
    }

    /// The best first.
    pub(super) fn into_all(self) -> impl Iterator<Item = T> {
        self.0.into_iter().flatten()
    }
}

impl<T> Default for Ranked<T> {
    fn default() -> Self {
        Self([const { Vec::new() }; 4])
    }
}

fn begins_part(before: u8, letter: u8) -> bool {
    !before.is_ascii_alphanumeric() && letter.is_ascii_alphanumeric()
        || before.is_ascii_lowercase() && letter.is_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_equal_to_begins_with_has_a_part_that_begins_with_or_holds_what_was_typed() {
        for (typed, word, expected) in [
            ("pods", "pods", Some(Rank::Exact)),
            ("POD", "pods", Some(Rank::Prefix)),
            ("policy", "NetworkPolicy", Some(Rank::WordStart)),
            ("system", "kube-system", Some(Rank::WordStart)),
            ("apps", "deployments.apps", Some(Rank::WordStart)),
            ("dpl", "deployments", Some(Rank::Subsequence)),
            ("ploy", "deployments", Some(Rank::Subsequence)),
            ("pods", "pod", None),
            ("zo", "oz", None),
            ("x", "", None),
            ("ä", "bär", Some(Rank::Subsequence)),
        ] {
            assert_eq!(Rank::of(typed, word), expected, "{typed} in {word}");
        }
        assert_eq!(Rank::best("po", ["pods", "pod", "po"]), Some(Rank::Exact));
        assert_eq!(Rank::best("po", []), None);
    }
}
