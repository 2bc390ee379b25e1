use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::Value;

use super::Manifest;

/// A selector that cannot be read, or that the kind does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unable to parse requirement: {requirement}: {reason}")]
pub struct SelectorError {
    pub requirement: String,
    pub reason: &'static str,
}

impl SelectorError {
    fn new(requirement: &str, reason: &'static str) -> Self {
        Self { requirement: requirement.into(), reason }
    }
}

/// A label selector in its text form: `app=web,tier in (a,b),!legacy` (apimachinery: `pkg/labels/selector.go`).
///
/// The empty selector matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
    nothing: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
    GreaterThan(i64),
    LessThan(i64),
}

impl LabelSelector {
    /// The empty selector.
    pub fn everything() -> Self {
        Self::default()
    }

    /// The selector that matches nothing. No text stands for it.
    pub fn nothing() -> Self {
        Self { nothing: true, ..Self::default() }
    }

    /// Whether it is the empty selector, so that no labels need to be looked at.
    #[doc(alias = "Empty")]
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty() && !self.nothing
    }

    /// Whether it is [`nothing`](Self::nothing). Requirements that exclude each other are not found out.
    pub fn matches_nothing(&self) -> bool {
        self.nothing
    }

    /// Whether an object with these labels is selected.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.matches_by(|key| labels.get(key))
    }

    /// Whether an object is selected whose labels this function gives.
    pub fn matches_by<T: AsRef<str>>(&self, label: impl Fn(&str) -> Option<T>) -> bool {
        !self.nothing
            && self.requirements.iter().all(|requirement| {
                let value = label(&requirement.key);
                let value = value.as_ref().map(AsRef::as_ref);
                let number = || value?.parse::<i64>().ok();
                match &requirement.operator {
                    Operator::In(values) => value.is_some_and(|value| values.iter().any(|it| it == value)),
                    Operator::NotIn(values) => value.is_none_or(|value| values.iter().all(|it| it != value)),
                    Operator::Exists => value.is_some(),
                    Operator::DoesNotExist => value.is_none(),
                    Operator::GreaterThan(bound) => number().is_some_and(|number| number > *bound),
                    Operator::LessThan(bound) => number().is_some_and(|number| number < *bound),
                }
            })
    }
}

impl FromStr for LabelSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let requirements = split_outside_parentheses(text).map(parse_label_requirement).collect::<Result<_, _>>()?;
        Ok(Self { requirements, nothing: false })
    }
}

fn parse_label_requirement(text: &str) -> Result<Requirement, SelectorError> {
    let error = |reason| SelectorError::new(text, reason);
    let (key, operator) = if let Some(key) = text.strip_prefix('!') {
        (key, Operator::DoesNotExist)
    } else if let Some(at) = text.find(['=', '!', '<', '>']) {
        let (key, rest) = text.split_at(at);
        let sign_ends = rest.find(|c| !"=!<>".contains(c)).unwrap_or(rest.len());
        let (sign, value) = rest.split_at(sign_ends);
        let value = value.trim().to_owned();
        let number = || value.parse().map_err(|_| error("the value to compare with is not an integer"));
        let operator = match sign {
            "=" | "==" => Operator::In(vec![value]),
            "!=" => Operator::NotIn(vec![value]),
            ">" => Operator::GreaterThan(number()?),
            "<" => Operator::LessThan(number()?),
            _ => return Err(error("unknown operator")),
        };
        (key, operator)
    } else if let Some((key, set)) = text.split_once(char::is_whitespace) {
        let (word, values) = set.trim().split_once('(').ok_or_else(|| error("expected a set in parentheses"))?;
        let values = values.strip_suffix(')').ok_or_else(|| error("the set is not closed"))?;
        let values = values.split(',').map(|value| value.trim().to_owned()).collect();
        match word.trim() {
            "in" => (key, Operator::In(values)),
            "notin" => (key, Operator::NotIn(values)),
            _ => return Err(error("expected in or notin")),
        }
    } else {
        (text, Operator::Exists)
    };
    let key = key.trim();
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if key.is_empty() || !key.chars().all(legal) {
        return Err(error("the label's name is empty or has a character that no label may have"));
    }
    Ok(Requirement { key: key.into(), operator })
}

fn split_outside_parentheses(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let parts = text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// A field selector: `metadata.name=web-0,status.phase!=Running`.
///
/// The empty selector matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    requirements: Vec<FieldRequirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldRequirement {
    path: String,
    value: String,
    equal: bool,
}

impl FieldSelector {
    pub fn matches(&self, object: &Manifest) -> bool {
        self.requirements.iter().all(|requirement| {
            let found = field_text(object, &requirement.path);
            (found == requirement.value) == requirement.equal
        })
    }

    /// The paths the selector names, for a server to check against those that it offers.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.requirements.iter().map(|requirement| requirement.path.as_str())
    }
}

impl FromStr for FieldSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let parse = |part: &str| {
            let at = part.find(['=', '!']).ok_or_else(|| SelectorError::new(part, "expected =, == or !="))?;
            let (path, rest) = part.split_at(at);
            let (equal, value) = [("!=", false), ("==", true), ("=", true)]
                .into_iter()
                .find_map(|(sign, equal)| Some((equal, rest.strip_prefix(sign)?)))
                .ok_or_else(|| SelectorError::new(part, "expected =, == or !="))?;
            Ok(FieldRequirement { path: path.into(), value: value.into(), equal })
        };
        let requirements = text.split(',').filter(|part| !part.is_empty()).map(parse).collect::<Result<_, _>>()?;
        Ok(Self { requirements })
    }
}

/// A field that is absent is selected as the empty string.
pub(crate) fn field_text(object: &Manifest, path: &str) -> String {
    match path {
        "metadata.name" => return object.name().into(),
        "metadata.namespace" => return object.namespace().into(),
        _ => {}
    }
    let path: Vec<&str> = path.split('.').collect();
    match object.get(&path) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_selectors_match_as_kubectls_do() {
        let labels = BTreeMap::from([("app".to_owned(), "web".to_owned()), ("n".to_owned(), "3".to_owned())]);
        for (selector, matches) in [
            ("", true),
            ("app=web", true),
            ("app==web,n=3", true),
            ("app!=web", false),
            ("other!=web", true),
            ("app in (api, web)", true),
            ("app notin (api,db),n", true),
            ("!app", false),
            ("!other", true),
            ("n>2", true),
            ("n<3", false),
        ] {
            assert_eq!(selector.parse::<LabelSelector>().unwrap().matches(&labels), matches, "{selector}");
        }
    }

    #[test]
    fn everything_and_nothing_are_selectors() {
        let labels = BTreeMap::from([("app".to_owned(), "web".to_owned())]);
        let (everything, nothing) = (LabelSelector::everything(), LabelSelector::nothing());
        assert!(everything.matches(&labels) && everything.is_everything() && !everything.matches_nothing());
        assert!(!nothing.matches(&labels) && !nothing.is_everything() && nothing.matches_nothing());
        let some: LabelSelector = "app".parse().unwrap();
        assert!(!some.is_everything() && !some.matches_nothing());
        assert_eq!("".parse(), Ok(everything));
    }

    #[test]
    fn a_selector_that_cannot_be_read_names_the_requirement() {
        for selector in ["app in web", "app within (a)", "=web", "a b=c", "n>x", "app in (a", "app=!web"] {
            assert!(selector.parse::<LabelSelector>().is_err(), "{selector}");
        }
        assert!("status.phase".parse::<FieldSelector>().is_err());
    }

    #[test]
    fn field_selectors_read_metadata_and_nested_fields() {
        let pod: Manifest = serde_json::from_str(
            r#"{"metadata":{"name":"a","namespace":"b"},"spec":{"nodeName":"n"},"status":{"phase":"Running"}}"#,
        )
        .unwrap();
        for (selector, matches) in [
            ("metadata.name=a,metadata.namespace==b", true),
            ("spec.nodeName!=n", false),
            ("status.phase=Running", true),
            ("status.reason=", true),
        ] {
            assert_eq!(selector.parse::<FieldSelector>().unwrap().matches(&pod), matches, "{selector}");
        }
    }
}
