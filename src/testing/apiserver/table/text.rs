//! Words and numbers as cells have them.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::api::{Manifest, human_duration};

/// The server's time, which ages are counted from.
#[derive(Clone, Copy)]
pub(super) struct Now(pub(super) Timestamp);

impl Now {
    /// How long ago something was, as `kubectl` prints it.
    pub(super) fn since(self, then: Option<Timestamp>) -> String {
        let Some(then) = then else { return "<unknown>".into() };
        match self.0.duration_since(then) {
            age if age.as_secs() < -1 => "<invalid>".into(),
            age => human_duration(Duration::try_from(age).unwrap_or_default()),
        }
    }

    pub(super) fn age(self, object: &Manifest) -> Value {
        self.since(object.metadata.creation_timestamp).into()
    }

    /// Of a time in an object.
    pub(super) fn since_text(self, text: &str) -> String {
        self.since(text.parse().ok())
    }
}

/// The value at a dotted path below the object, its metadata excepted.
pub(super) fn at<'a>(object: &'a Manifest, path: &str) -> &'a Value {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let value = object.fields.get(first).unwrap_or(&Value::Null);
    if rest.is_empty() { value } else { below(value, rest) }
}

/// The value at a dotted path below another.
pub(super) fn below<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, name| &value[name])
}

/// The text at a path; empty when it is absent.
pub(super) fn text<'a>(object: &'a Manifest, path: &str) -> &'a str {
    at(object, path).as_str().unwrap_or_default()
}

pub(super) fn text_or<'a>(object: &'a Manifest, path: &str, absent: &'a str) -> &'a str {
    at(object, path).as_str().filter(|text| !text.is_empty()).unwrap_or(absent)
}

/// The number at a path; 0 when it is absent.
pub(super) fn number(object: &Manifest, path: &str) -> i64 {
    at(object, path).as_i64().unwrap_or(0)
}

/// The list at a path; empty when it is absent.
pub(super) fn list<'a>(object: &'a Manifest, path: &str) -> &'a [Value] {
    items(at(object, path))
}

pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The texts under a name in each of the values.
pub(super) fn texts<'a>(values: &'a [Value], name: &str) -> Vec<&'a str> {
    values.iter().map(|value| value[name].as_str().unwrap_or_default()).collect()
}

/// Whether a condition of this type is true.
pub(super) fn has_condition(conditions: &[Value], name: &str) -> bool {
    conditions.iter().any(|condition| condition["type"] == name && condition["status"] == "True")
}

pub(super) fn bool_text(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    }
}

/// A map of labels; `<none>` when it is empty.
pub(super) fn labels(map: &Value) -> String {
    let Some(map) = map.as_object().filter(|map| !map.is_empty()) else { return "<none>".into() };
    sorted(map.iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))).join(",")
}

/// A label selector; empty when it selects everything or is absent.
pub(super) fn selector(value: &Value) -> String {
    let mut parts: Vec<(&str, String)> = Vec::new();
    for (name, value) in value["matchLabels"].as_object().into_iter().flatten() {
        parts.push((name, format!("{name}={}", value.as_str().unwrap_or_default())));
    }
    for expression in items(&value["matchExpressions"]) {
        let key = expression["key"].as_str().unwrap_or_default();
        let values = sorted(items(&expression["values"]).iter().filter_map(Value::as_str).map(str::to_owned)).join(",");
        let part = match expression["operator"].as_str().unwrap_or_default() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            _ => format!("!{key}"),
        };
        parts.push((key, part));
    }
    parts.sort_by_key(|(key, _)| *key);
    parts.into_iter().map(|(_, part)| part).collect::<Vec<_>>().join(",")
}

/// A label selector; `<none>` when it selects everything or is absent.
pub(super) fn selector_or_none(value: &Value) -> String {
    Some(selector(value)).filter(|text| !text.is_empty()).unwrap_or_else(|| "<none>".into())
}

pub(super) fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<_> = texts.collect();
    texts.sort();
    texts
}

/// The first three, and how many more there are; `absent` when there is none.
pub(super) fn first_three(all: &[String], absent: &str) -> String {
    match all.len() {
        0 => absent.into(),
        1..=3 => all.join(","),
        count => format!("{} + {} more...", all[..3].join(","), count - 3),
    }
}
