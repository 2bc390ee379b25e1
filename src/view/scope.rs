/// So many names stand in a sentence; the others are counted.
const MOST_NAMES: usize = 6;

/// How far a table of a kind reaches: what of it the user may list and watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The server's words for that the user may not list all namespaces at once; none where that is allowed.
    pub refusal: Option<String>,
    /// The namespaces that are asked for one by one, by name.
    pub parts: Vec<(String, Access)>,
    /// It is still being found out which of them there are.
    pub is_asking: bool,
    /// Namespaces that are known and were not asked for: they are too many.
    pub unasked: usize,
    /// All namespaces may be listed at once, but not watched.
    pub is_unwatched: bool,
}

/// What the user may do with a kind in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Not known yet.
    Asking,
    /// List and watch.
    Whole,
    /// List, but not watch.
    Unwatched,
    Refused,
}

impl Scope {
    /// Which namespaces the rows are of, and which are missing; none where none is.
    pub fn sentence(&self, nouns: &str) -> Option<String> {
        let (listed, refused) = (self.names(&[Access::Whole, Access::Unwatched]), self.names(&[Access::Refused]));
        if self.refusal.is_none() || listed.is_empty() {
            return None;
        }
        let mut text = match refused.is_empty() {
            true => ["You may list ", nouns, " in ", &counted(listed.len()), ": "].concat(),
            false => {
                let all = counted(listed.len() + refused.len());
                ["You may list ", nouns, " in ", &listed.len().to_string(), " of ", &all, ": "].concat()
            }
        };
        text.push_str(&enumeration(&listed));
        if !refused.is_empty() {
            text.push_str(". Not in: ");
            text.push_str(&enumeration(&refused));
        }
        if self.unasked > 0 {
            text.push_str(". Choose namespaces to see others: ");
            text.push_str(&self.unasked.to_string());
            text.push_str(" were not asked for");
        }
        Some(text)
    }

    /// That the rows do not follow changes, and where; none where they do.
    pub fn unwatched(&self, nouns: &str) -> Option<String> {
        let unwatched = self.names(&[Access::Unwatched]);
        let listed = self.names(&[Access::Whole, Access::Unwatched]).len();
        let place = match unwatched.len() {
            _ if self.is_unwatched && self.refusal.is_none() => String::new(),
            0 => return None,
            all if all == listed => String::new(),
            _ => [" in ", &enumeration(&unwatched)].concat(),
        };
        Some(["Not live: you may not watch ", nouns, &place].concat())
    }

    /// Where the user may not list, as the end of a sentence: nothing is to be seen there.
    pub fn nowhere(&self) -> String {
        match self.parts.len() {
            0 => " in all namespaces".into(),
            _ => [" in ", &enumeration(&self.names(&[Access::Refused]))].concat(),
        }
    }

    /// Each of the namespaces that were asked for is refused.
    pub fn is_refused(&self) -> bool {
        self.refusal.is_some() && !self.is_asking && self.parts.iter().all(|(_, access)| *access == Access::Refused)
    }

    fn names(&self, wanted: &[Access]) -> Vec<&str> {
        let parts = self.parts.iter().filter(|(_, access)| wanted.contains(access));
        parts.map(|(name, _)| name.as_str()).collect()
    }
}

fn counted(namespaces: usize) -> String {
    match namespaces {
        1 => "1 namespace".into(),
        many => [&many.to_string(), " namespaces"].concat(),
    }
}

fn enumeration(names: &[&str]) -> String {
    let (first, more) = names.split_at(names.len().min(MOST_NAMES));
    let mut text = first.join(", ");
    if !more.is_empty() {
        text.push_str(" and ");
        text.push_str(&more.len().to_string());
        text.push_str(" more");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(parts: &[(&str, Access)]) -> Scope {
        let parts = parts.iter().map(|(name, access)| ((*name).to_owned(), *access)).collect();
        Scope { refusal: Some("pods is forbidden".into()), parts, ..Scope::default() }
    }

    #[test]
    fn it_says_where_the_rows_are_from_and_what_is_missing() {
        use Access::{Asking, Refused, Unwatched, Whole};
        for (parts, sentence) in [
            (&[] as &[_], None),
            (&[("a", Asking)], None),
            (&[("a", Refused)], None),
            (&[("a", Whole)], Some("You may list pods in 1 namespace: a")),
            (&[("a", Whole), ("b", Unwatched)], Some("You may list pods in 2 namespaces: a, b")),
            (
                &[("a", Whole), ("b", Refused), ("c", Whole), ("d", Asking)],
                Some("You may list pods in 2 of 3 namespaces: a, c. Not in: b"),
            ),
            (
                &[
                    ("a", Whole),
                    ("b", Refused),
                    ("c", Refused),
                    ("d", Refused),
                    ("e", Refused),
                    ("f", Refused),
                    ("g", Refused),
                    ("h", Refused),
                    ("i", Refused),
                ],
                Some("You may list pods in 1 of 9 namespaces: a. Not in: b, c, d, e, f, g and 2 more"),
            ),
        ] {
            assert_eq!(scope(parts).sentence("pods").as_deref(), sentence, "{parts:?}");
        }
        assert_eq!(Scope::default().sentence("pods"), None);
        let many = Scope { unasked: 1800, ..scope(&[("a", Whole)]) };
        let told = "You may list pods in 1 namespace: a. Choose namespaces to see others: 1800 were not asked for";
        assert_eq!(many.sentence("pods").as_deref(), Some(told));
    }

    #[test]
    fn rows_that_are_not_watched_are_not_live() {
        use Access::{Refused, Unwatched, Whole};
        let whole = "Not live: you may not watch pods";
        for (scope, told) in [
            (Scope::default(), None),
            (Scope { is_unwatched: true, ..Scope::default() }, Some(whole)),
            (scope(&[("a", Unwatched), ("b", Refused)]), Some(whole)),
            (scope(&[("a", Unwatched), ("b", Whole)]), Some("Not live: you may not watch pods in a")),
            (scope(&[("b", Whole)]), None),
        ] {
            assert_eq!(scope.unwatched("pods").as_deref(), told, "{scope:?}");
        }
    }

    #[test]
    fn nothing_is_to_be_seen_where_all_is_refused() {
        let refused = scope(&[("a", Access::Refused), ("b", Access::Refused)]);
        assert!(refused.is_refused() && scope(&[]).is_refused());
        assert_eq!((refused.nowhere().as_str(), scope(&[]).nowhere().as_str()), (" in a, b", " in all namespaces"));
        assert!(!Scope { is_asking: true, ..scope(&[]) }.is_refused());
        assert!(!scope(&[("a", Access::Whole)]).is_refused() && !Scope::default().is_refused());
    }
}
