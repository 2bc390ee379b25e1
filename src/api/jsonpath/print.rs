use std::borrow::Cow;

use serde_json::Value;

use super::{Found, Scalar};
use crate::api::go_number::{float_text, json_float_text};

impl<'a> Found<'a> {
    /// The value as kubectl prints it: texts as they are, lists and objects as JSON (client-go: `PrintResults`).
    pub fn text(self) -> Cow<'a, str> {
        if let Some(scalar) = self.scalar() {
            return scalar.text();
        }
        match self {
            Self::Value(value) if !value.is_null() => {
                let mut json = String::new();
                push_json(&value.to_value(), &mut json);
                json.into()
            }
            _ => "<no value>".into(),
        }
    }
}

impl<'a> Scalar<'a> {
    /// As Go prints it.
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            Self::Integer(number) => number.to_string().into(),
            Self::Float(number) => float_text(number).into(),
            Self::Bool(true) => "true".into(),
            Self::Bool(false) => "false".into(),
        }
    }
}

/// As Go's `json.Marshal` writes it: keys sorted, and nothing in it that HTML would take for its own.
fn push_json(value: &Value, json: &mut String) {
    match value {
        Value::Null => json.push_str("null"),
        Value::Bool(flag) => json.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => json.push_str(&json_float_text(number)),
            None => json.push_str(&number.to_string()),
        },
        Value::String(text) => push_json_text(text, json),
        Value::Array(items) => push_list(json, ['[', ']'], items.iter(), push_json),
        Value::Object(entries) => push_list(json, ['{', '}'], entries.iter(), |(key, value), json| {
            push_json_text(key, json);
            json.push(':');
            push_json(value, json);
        }),
    }
}

fn push_list<T>(json: &mut String, around: [char; 2], items: impl Iterator<Item = T>, push: impl Fn(T, &mut String)) {
    json.push(around[0]);
    for (at, item) in items.enumerate() {
        if at > 0 {
            json.push(',');
        }
        push(item, json);
    }
    json.push(around[1]);
}

fn push_json_text(text: &str, json: &mut String) {
    for character in serde_json::to_string(text).unwrap_or_default().chars() {
        match character {
            '<' => json.push_str("\\u003c"),
            '>' => json.push_str("\\u003e"),
            '&' => json.push_str("\\u0026"),
            '\u{2028}' => json.push_str("\\u2028"),
            '\u{2029}' => json.push_str("\\u2029"),
            _ => json.push(character),
        }
    }
}
