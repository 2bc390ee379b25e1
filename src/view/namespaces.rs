use std::collections::BTreeSet;

use super::query::globs;

/// The longest name that a namespace may have (RFC 1123, a DNS label).
const LONGEST: usize = 63;

/// Whether it stands for all namespaces that it fits: `team-*`.
pub fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Whether a namespace is among the chosen names and patterns.
pub fn has_namespace(chosen: &BTreeSet<String>, namespace: &str) -> bool {
    chosen.contains(namespace) || chosen.iter().any(|it| is_pattern(it) && globs(it, namespace))
}

/// The namespaces that are meant: the chosen names, known or not, and the known ones that fit a chosen pattern.
pub fn expand_namespaces(chosen: &BTreeSet<String>, known: &BTreeSet<String>) -> BTreeSet<String> {
    let named = chosen.iter().filter(|name| !is_pattern(name));
    let fitting = known.iter().filter(|name| has_namespace(chosen, name));
    named.chain(fitting).cloned().collect()
}

/// The names and patterns in a text that a person typed, between spaces or commas.
///
/// # Errors
/// What cannot be one, in words.
pub fn read_namespaces(text: &str) -> Result<Vec<String>, String> {
    let names = text.split([',', ' ']).map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty());
    names.map(|name| if is_name(&name) { Ok(name) } else { Err(reason(&name)) }).collect()
}

fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '*' | '?');
    name.len() <= LONGEST && name.chars().all(is_letter) && !name.starts_with('-') && !name.ends_with('-')
}

fn reason(name: &str) -> String {
    ["“", name, "” is no namespace: letters, digits and - in between, at most 63; * stands for any"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn patterns_stand_for_the_namespaces_that_they_fit() {
        let known = set(&["default", "team-a", "team-b", "x-team"]);
        for (chosen, meant) in [
            (&["team-*"] as &[&str], &["team-a", "team-b"] as &[&str]),
            (&["team-?", "default"], &["default", "team-a", "team-b"]),
            (&["unknown", "team-*"], &["team-a", "team-b", "unknown"]),
            (&["none-*"], &[]),
        ] {
            assert_eq!(expand_namespaces(&set(chosen), &known), set(meant), "{chosen:?}");
        }
        assert!(has_namespace(&set(&["a", "*-b"]), "team-b") && !has_namespace(&set(&["a"]), "aa"));
    }

    #[test]
    fn what_a_person_types_is_names_or_says_why_not() {
        assert_eq!(read_namespaces(" Team-*, prod  dev,"), Ok(["team-*", "prod", "dev"].map(String::from).into()));
        assert_eq!(read_namespaces(" "), Ok(Vec::new()));
        for wrong in ["a_b", "-a", "a-", "ä", &"a".repeat(64)] {
            assert!(read_namespaces(wrong).is_err_and(|reason| reason.contains(wrong)), "{wrong}");
        }
    }
}
