//! Structural schemas: what a custom resource may hold. They are read as they stand in the definition.

use serde_json::{Map, Value};

/// The keywords that are understood here; a definition with any other is refused.
const OFFERED: [&str; 30] = [
    "additionalProperties",
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    INT_OR_STRING,
    "x-kubernetes-list-map-keys",
    LIST_TYPE,
    "x-kubernetes-map-type",
    PRESERVE,
];

pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
pub(super) const LIST_TYPE: &str = "x-kubernetes-list-type";

/// What [`check`] has found.
#[derive(Debug, PartialEq)]
pub(super) enum Problem {
    /// The real server takes it, and this one does not know what it means.
    NotOffered(String),
    /// A schema without a type, at this path: a required value with these words behind it.
    NoType(String, &'static str),
}

/// Whether all of the schema is understood.
///
/// # Errors
/// With the first problem, under the path that the real server gives it.
pub(super) fn check(schema: &Value, path: &str, place: &'static str) -> Result<(), Problem> {
    let keywords = schema.as_object().into_iter().flatten();
    for (keyword, value) in keywords {
        let is_known = match keyword.as_str() {
            "anyOf" => schema[INT_OR_STRING] == true,
            "format" => {
                ["date-time", "int32", "int64", "double", "float"].contains(&value.as_str().unwrap_or_default())
            }
            "pattern" => value.as_str().is_some_and(pattern::is_offered),
            keyword => OFFERED.contains(&keyword),
        };
        if !is_known {
            return Err(Problem::NotOffered(format!("the schema keyword {keyword}: {value}")));
        }
    }
    let has_type = schema["type"].as_str().is_some_and(|name| !name.is_empty());
    let is_free = schema[PRESERVE] == true || schema[INT_OR_STRING] == true;
    if !has_type && (!is_free || place.ends_with("root")) {
        return Err(Problem::NoType(format!("{path}.type"), place));
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        check(property, &format!("{path}.properties[{name}]"), "must not be empty for specified object fields")?;
    }
    if schema["items"].is_object() {
        check(&schema["items"], &format!("{path}.items"), "must not be empty for specified array items")?;
    }
    match &schema["additionalProperties"] {
        properties @ Value::Object(_) => {
            check(properties, &format!("{path}.additionalProperties"), "must not be empty for specified object fields")
        }
        _ => Ok(()),
    }
}

/// Takes away what the schema does not know, and gives the paths of it.
pub(super) fn prune(schema: &Value, fields: &mut Map<String, Value>, path: &str, dropped: &mut Vec<String>) {
    let keeps_all = schema[PRESERVE] == true || schema["additionalProperties"] == true;
    let others = &schema["additionalProperties"];
    fields.retain(|name, value| {
        let place = join(path, name);
        match schema["properties"].get(name) {
            Some(property) => prune_value(property, value, &place, dropped),
            None if others.is_object() => prune_value(others, value, &place, dropped),
            None if keeps_all => {}
            None => {
                dropped.push(place);
                return false;
            }
        }
        true
    });
}

fn prune_value(schema: &Value, value: &mut Value, path: &str, dropped: &mut Vec<String>) {
    match value {
        Value::Object(fields) => prune(schema, fields, path, dropped),
        Value::Array(items) => {
            for (place, item) in items.iter_mut().enumerate() {
                prune_value(&schema["items"], item, &format!("{path}[{place}]"), dropped);
            }
        }
        _ => {}
    }
}

/// Takes away nulls that may not be there, and fills in defaults.
pub(super) fn fill(schema: &Value, fields: &mut Map<String, Value>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if fields.get(name).is_some_and(Value::is_null) && property["nullable"] != true {
            fields.remove(name);
        }
        if !fields.contains_key(name)
            && let Some(default) = property.get("default")
        {
            fields.insert(name.clone(), default.clone());
        }
        if let Some(value) = fields.get_mut(name) {
            fill_value(property, value);
        }
    }
    let others = &schema["additionalProperties"];
    if others.is_object() {
        fields.iter_mut().for_each(|(_, value)| fill_value(others, value));
    }
}

fn fill_value(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => fill(schema, fields),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_value(&schema["items"], item)),
        _ => {}
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

/// Regular expressions; the page's server has none, which would be a tenth of its size.
pub(super) mod pattern {
    #[cfg(feature = "testing-http")]
    pub(in super::super) fn is_offered(pattern: &str) -> bool {
        regex_lite::Regex::new(pattern).is_ok()
    }

    #[cfg(not(feature = "testing-http"))]
    pub(in super::super) fn is_offered(_: &str) -> bool {
        false
    }

    #[cfg(feature = "testing-http")]
    pub(in super::super) fn matches(pattern: &str, text: &str) -> bool {
        regex_lite::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
    }

    #[cfg(not(feature = "testing-http"))]
    pub(in super::super) fn matches(_: &str, _: &str) -> bool {
        true
    }
}
