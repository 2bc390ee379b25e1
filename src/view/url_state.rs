use std::collections::BTreeSet;

use super::has_namespace;
use crate::api::percent_encode;

/// All of the view that a link restores, as the page's hash has it: `#/pods?namespaces=a,b&query=text&sort=-AGE&object=a/web`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlState {
    /// The page's name; empty for the first one.
    pub page: String,
    /// Empty for all namespaces.
    pub namespaces: BTreeSet<String>,
    pub query: String,
    /// The sorted column and whether it descends; none for the order of the keys.
    pub sort: Option<(String, bool)>,
    /// Shows the columns of `kubectl get -o wide` too.
    pub wide: bool,
    /// The layout of the table's columns as [`ColumnLayout`](super::ColumnLayout) writes it; empty for the usual one.
    pub columns: String,
    /// The object in the side panel, one of the page's kind: `namespace/name`, or the name alone; empty for none.
    pub object: String,
    /// The tab that it is shown in; empty for the first one.
    pub tab: String,
    /// Events of this type only; empty for all.
    pub only: String,
}

/// `namespace/name`, or the name alone of an object that is in no namespace.
pub fn object_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.into() } else { [namespace, "/", name].concat() }
}

impl UrlState {
    /// An object beside the table of its kind, by its [key](object_key). The chosen namespaces stay as they are if the
    /// object is in one of them.
    pub fn of_object(page: &str, chosen: &BTreeSet<String>, key: &str) -> Self {
        let namespace = key.split_once('/').map(|(namespace, _)| namespace);
        let is_shown = |namespace| chosen.is_empty() || has_namespace(chosen, namespace);
        let namespaces = match namespace {
            Some(namespace) if !is_shown(namespace) => BTreeSet::from([namespace.to_owned()]),
            _ => chosen.clone(),
        };
        Self { page: page.into(), namespaces, object: key.into(), ..Self::default() }
    }

    /// Reads what it can: a hash typed by hand is never an error.
    pub fn parse(hash: &str) -> Self {
        let hash = hash.trim_start_matches('#').trim_start_matches('/');
        let (page, query) = hash.split_once('?').unwrap_or((hash, ""));
        let mut state = Self { page: percent_decode(page), ..Self::default() };
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            match name {
                "namespaces" => {
                    // Other programs encode the comma too; no namespace has one in its name.
                    let names = percent_decode(value);
                    state.namespaces = names.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
                }
                "query" => state.query = percent_decode(value),
                "type" => state.only = percent_decode(value),
                "wide" => state.wide = value == "true",
                "columns" => state.columns = percent_decode(value),
                "object" => state.object = percent_decode(value),
                "tab" => state.tab = percent_decode(value),
                "sort" => {
                    let column = percent_decode(value);
                    let (column, descending) =
                        column.strip_prefix('-').map_or((column.as_str(), false), |it| (it, true));
                    state.sort = (!column.is_empty()).then(|| (column.into(), descending));
                }
                _ => {}
            }
        }
        state
    }

    /// The hash, with its `#`; what is empty does not stand in it.
    pub fn to_hash(&self) -> String {
        let namespaces: Vec<_> = self.namespaces.iter().map(|it| percent_encode(it)).collect();
        let sort = self
            .sort
            .as_ref()
            .map(|(column, descending)| format!("{}{}", if *descending { "-" } else { "" }, percent_encode(column)));
        let pairs = [
            ("namespaces", namespaces.join(",")),
            ("query", percent_encode(&self.query)),
            ("sort", sort.unwrap_or_default()),
            ("wide", if self.wide { "true".into() } else { String::new() }),
            // A person reads these, and neither sign means anything here.
            ("columns", percent_encode(&self.columns).replace("%2C", ",").replace("%3A", ":")),
            // A slash needs no encoding where it stands.
            ("object", percent_encode(&self.object).replace("%2F", "/")),
            ("tab", percent_encode(&self.tab)),
            ("type", percent_encode(&self.only)),
        ];
        let pairs = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        let query = pairs.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&");
        let page = percent_encode(&self.page);
        if query.is_empty() { format!("#/{page}") } else { format!("#/{page}?{query}") }
    }
}

/// The text that was encoded; what is not an encoding stays as it is.
fn percent_decode(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let value = (*byte == b'%').then(|| hex(after)).flatten();
        rest = if value.is_some() { &after[2..] } else { after };
        decoded.push(value.unwrap_or(if *byte == b'+' { b' ' } else { *byte }));
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    let [high, low, ..] = digits else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(page: &str, namespaces: &[&str], query: &str, sort: Option<(&str, bool)>) -> UrlState {
        UrlState {
            page: page.into(),
            namespaces: namespaces.iter().map(|it| (*it).into()).collect(),
            query: query.into(),
            sort: sort.map(|(column, descending)| (column.into(), descending)),
            ..UrlState::default()
        }
    }

    #[test]
    fn a_state_and_its_hash_are_each_other() {
        for (state, hash) in [
            (state("", &[], "", None), "#/"),
            (state("pods", &[], "", None), "#/pods"),
            (state("pods", &["a", "b"], "text", None), "#/pods?namespaces=a,b&query=text"),
            (state("pods", &[], "a b&c=é,%", Some(("AGE", true))), "#/pods?query=a%20b%26c%3D%C3%A9%2C%25&sort=-AGE"),
            (state("pods", &["x"], "", Some(("NAME", false))), "#/pods?namespaces=x&sort=NAME"),
            (UrlState { wide: true, ..state("jobs.batch", &[], "", None) }, "#/jobs.batch?wide=true"),
            (
                UrlState { columns: "NAME,A B:120,label:a/b,.x[0%2C1]".into(), ..state("pods", &[], "", None) },
                "#/pods?columns=NAME,A%20B:120,label:a%2Fb,.x%5B0%252C1%5D",
            ),
            (UrlState { object: "a/x:y".into(), ..state("pods", &[], "", None) }, "#/pods?object=a/x%3Ay"),
            (
                UrlState { object: "node 1".into(), tab: "yaml".into(), ..state("nodes", &[], "", None) },
                "#/nodes?object=node%201&tab=yaml",
            ),
            (UrlState { only: "Warning".into(), ..state("x", &[], "", None) }, "#/x?type=Warning"),
        ] {
            assert_eq!(state.to_hash(), hash);
            assert_eq!(UrlState::parse(hash), state);
        }
    }

    #[test]
    fn an_object_is_shown_in_the_chosen_namespaces_if_it_is_there() {
        for (chosen, key, hash) in [
            (&[] as &[&str], "shop/web", "#/pods?object=shop/web"),
            (&["media", "shop"], "shop/web", "#/pods?namespaces=media,shop&object=shop/web"),
            (&["sh*"], "shop/web", "#/pods?namespaces=sh%2A&object=shop/web"),
            (&["media"], "shop/web", "#/pods?namespaces=shop&object=shop/web"),
            (&["media"], "node-1", "#/pods?namespaces=media&object=node-1"),
        ] {
            let chosen = chosen.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(UrlState::of_object("pods", &chosen, key).to_hash(), hash);
        }
        assert_eq!((object_key("a", "b"), object_key("", "b")), ("a/b".into(), "b".into()));
    }

    #[test]
    fn a_hash_typed_by_hand_is_read_as_far_as_it_makes_sense() {
        for (hash, expected) in [
            ("", state("", &[], "", None)),
            ("pods", state("pods", &[], "", None)),
            ("#pods?", state("pods", &[], "", None)),
            ("#/pods?namespaces=b,,a,b&x=1&query", state("pods", &["a", "b"], "", None)),
            ("#/pods?namespaces=a%2Cb", state("pods", &["a", "b"], "", None)),
            ("#/pods?query=a+b%2", state("pods", &[], "a b%2", None)),
            ("#/pods?query=%ff%zz", state("pods", &[], "\u{fffd}%zz", None)),
            ("#/pods?sort=-", state("pods", &[], "", None)),
            ("#/pods?object=a%2Fx", UrlState { object: "a/x".into(), ..state("pods", &[], "", None) }),
        ] {
            assert_eq!(UrlState::parse(hash), expected, "{hash}");
        }
    }
}
