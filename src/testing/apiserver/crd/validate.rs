//! Whether a custom resource is as its schema says, in the real server's words (kube-openapi: `pkg/validation`).

use serde_json::{Map, Value};

use super::schema::{INT_OR_STRING, LIST_TYPE, join, pattern};
use crate::api::StatusCause;

pub(super) struct Validator {
    pub(super) causes: Vec<StatusCause>,
}

impl Validator {
    fn add(&mut self, reason: &str, field: &str, message: String) {
        self.causes.push(StatusCause { reason: format!("FieldValue{reason}"), field: field.into(), message });
    }

    /// A value that breaks a rule, which is said of what stands at the path.
    fn invalid(&mut self, path: &str, value: impl std::fmt::Display, rule: &str) {
        self.add("Invalid", path, format!("Invalid value: {value}: {path} in body {rule}"));
    }

    fn wrong_type(&mut self, path: &str, expected: &str, found: &str) {
        self.add(
            "TypeInvalid",
            path,
            format!("Invalid value: \"{found}\": {path} in body must be of type {expected}: \"{found}\""),
        );
    }

    pub(super) fn object(&mut self, schema: &Value, path: &str, fields: &Map<String, Value>) {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                self.add("Required", &join(path, name), "Required value".into());
            }
        }
        let bound = |name: &str| schema[name].as_u64().and_then(|bound| usize::try_from(bound).ok());
        if let Some(least) = bound("minProperties").filter(|least| fields.len() < *least) {
            self.invalid(path, fields.len(), &format!("should have at least {least} properties"));
        }
        if let Some(most) = bound("maxProperties").filter(|most| fields.len() > *most) {
            self.too_many(path, fields.len(), most);
        }
        for (name, value) in fields {
            match schema["properties"].get(name) {
                Some(property) => self.value(property, &join(path, name), value),
                None if schema["additionalProperties"].is_object() => {
                    self.value(&schema["additionalProperties"], &join(path, name), value);
                }
                None => {}
            }
        }
    }

    fn value(&mut self, schema: &Value, path: &str, value: &Value) {
        if value.is_null() && schema["nullable"] == true {
            return;
        }
        if !self.has_right_type(schema, path, value) {
            return;
        }
        match value {
            Value::Object(fields) => self.object(schema, path, fields),
            Value::Array(items) => self.array(schema, path, items),
            Value::String(text) => self.text(schema, path, text),
            Value::Number(_) => self.number(schema, path, value),
            _ => {}
        }
        if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
            let quoted = |value: &Value| if value.is_string() { value.to_string() } else { format!("\"{value}\"") };
            let allowed = allowed.iter().map(quoted).collect::<Vec<_>>().join(", ");
            self.add("NotSupported", path, format!("Unsupported value: {value}: supported values: {allowed}"));
        }
    }

    fn has_right_type(&mut self, schema: &Value, path: &str, value: &Value) -> bool {
        let found = type_of(value);
        let expected = match schema["type"].as_str() {
            None if schema[INT_OR_STRING] == true => "integer,string",
            None => return true,
            Some(expected) => expected,
        };
        let fits = expected.split(',').any(|it| it == found) || (expected == "number" && found == "integer");
        let format = schema["format"].as_str().unwrap_or_default();
        if fits {
            let is_too_large = format == "int32" && value.as_i64().is_some_and(|it| i32::try_from(it).is_err());
            if is_too_large {
                self.wrong_number(path, format);
            }
            return !is_too_large;
        }
        match (expected, found, format) {
            ("integer", "number", "") => self.wrong_type(path, expected, found),
            ("integer", "number", format) => self.wrong_type(path, format, "float64"),
            _ => self.wrong_type(path, expected, found),
        }
        if (expected, found) == ("integer", "number") {
            self.wrong_number(path, format);
        }
        false
    }

    fn wrong_number(&mut self, path: &str, format: &str) {
        let format = if format.is_empty() { "(default format)".into() } else { format!("with format {format}") };
        let message = format!("Invalid value: \"\": Checked value must be of type integer {format} in {path}");
        self.add("Invalid", "<nil>", message);
    }

    fn array(&mut self, schema: &Value, path: &str, items: &[Value]) {
        let bound = |name: &str| schema[name].as_u64().and_then(|bound| usize::try_from(bound).ok());
        if let Some(least) = bound("minItems").filter(|least| items.len() < *least) {
            self.invalid(path, items.len(), &format!("should have at least {least} items"));
        }
        if let Some(most) = bound("maxItems").filter(|most| items.len() > *most) {
            self.too_many(path, items.len(), most);
        }
        for (place, item) in items.iter().enumerate() {
            self.value(&schema["items"], &format!("{path}[{place}]"), item);
        }
        let keys: Vec<Value> = match schema[LIST_TYPE].as_str() {
            Some("set") => items.to_vec(),
            Some("map") => items.iter().map(|item| map_key(schema, item)).collect(),
            _ => return,
        };
        let mut told = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            if keys[..place].contains(key) && !told.contains(&key) {
                told.push(key);
                self.add("Duplicate", &format!("{path}[{place}]"), format!("Duplicate value: {key}"));
            }
        }
    }

    fn too_many(&mut self, path: &str, count: usize, most: usize) {
        let items = if most == 1 { "item" } else { "items" };
        self.add("TooMany", path, format!("Too many: {count}: must have at most {most} {items}"));
    }

    fn text(&mut self, schema: &Value, path: &str, text: &str) {
        let (quoted, length) = (Value::from(text), text.chars().count() as u64);
        if schema["format"] == "date-time" && text.parse::<jiff::Timestamp>().is_err() {
            let rule = format!("{path} in body must be of type date-time: {quoted}");
            self.add("TypeInvalid", path, format!("Invalid value: {quoted}: {rule}"));
        }
        if let Some(most) = schema["maxLength"].as_u64().filter(|most| length > *most) {
            self.add("TooLong", path, format!("Too long: may not be more than {most} bytes"));
        }
        if let Some(least) = schema["minLength"].as_u64().filter(|least| length < *least) {
            self.invalid(path, &quoted, &format!("should be at least {least} chars long"));
        }
        if let Some(pattern) = schema["pattern"].as_str().filter(|pattern| !pattern::matches(pattern, text)) {
            self.invalid(path, &quoted, &format!("should match '{pattern}'"));
        }
    }

    fn number(&mut self, schema: &Value, path: &str, value: &Value) {
        let number = value.as_f64().unwrap_or(0.0);
        if let Some(most) = schema["maximum"].as_f64() {
            let exclusive = schema["exclusiveMaximum"] == true;
            if number > most || (exclusive && number == most) {
                let rule = if exclusive { "less than" } else { "less than or equal to" };
                self.invalid(path, value, &format!("should be {rule} {most}"));
            }
        }
        if let Some(least) = schema["minimum"].as_f64() {
            let exclusive = schema["exclusiveMinimum"] == true;
            if number < least || (exclusive && number == least) {
                let rule = if exclusive { "greater than" } else { "greater than or equal to" };
                self.invalid(path, value, &format!("should be {rule} {least}"));
            }
        }
    }
}

fn map_key(schema: &Value, item: &Value) -> Value {
    let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten().filter_map(Value::as_str);
    keys.map(|key| (key.to_owned(), item[key].clone())).collect::<Map<_, _>>().into()
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(number) if number.fract() == 0.0 => "integer",
            _ => "number",
        },
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
