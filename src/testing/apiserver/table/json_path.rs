//! The columns of custom resources: the part of `kubectl`'s JSONPath that definitions are written with.

use serde_json::Value;

use super::Column;
use super::text::Now;
use crate::api::Manifest;

/// A column as a definition describes it.
#[derive(Debug)]
pub(in super::super) struct PrinterColumn {
    pub(super) definition: Column,
    path: Vec<Step>,
}

#[derive(Debug, PartialEq)]
enum Step {
    Field(String),
    /// Negative from the end.
    Index(i64),
    All,
    /// Those whose value at the path is, or is not, this text.
    Filter {
        path: Vec<Step>,
        equal: bool,
        text: String,
    },
}

impl PrinterColumn {
    /// From an entry of `additionalPrinterColumns`; none when its path is not of the part that is offered.
    pub(in super::super) fn read(entry: &Value) -> Option<Self> {
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let json_path = text("jsonPath");
        let description = match text("description") {
            none if none.is_empty() => {
                format!("Custom resource definition column (in JSONPath format): {json_path}")
            }
            description => description,
        };
        let definition = Column {
            name: text("name"),
            r#type: text("type"),
            format: text("format"),
            description,
            priority: entry["priority"].as_i64().unwrap_or(0),
        };
        Some(Self { definition, path: parse(&json_path)? })
    }

    /// Without columns of its own, a custom resource has its age.
    pub(in super::super) fn age() -> Self {
        let definition = Column { name: "Age".into(), r#type: "date".into(), ..Column::default() };
        let path = ["metadata", "creationTimestamp"].map(|name| Step::Field(name.into())).into();
        Self { definition, path }
    }
}

pub(super) fn cells(columns: &[PrinterColumn], object: &Manifest, now: Now) -> Vec<Value> {
    let whole = serde_json::to_value(object).unwrap_or_default();
    let cells = columns.iter().map(|column| cell(&column.definition.r#type, find(&column.path, &whole), now));
    std::iter::once(object.name().into()).chain(cells).collect()
}

/// The first of what the path finds. A wrong type or nothing at all is an empty cell.
fn find<'a>(path: &[Step], value: &'a Value) -> Option<&'a Value> {
    let mut found = vec![value];
    for step in path {
        found = found.into_iter().flat_map(|value| step.apply(value)).collect();
    }
    found.into_iter().next()
}

impl Step {
    fn apply<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        match self {
            Self::Field(name) => value.get(name).into_iter().collect(),
            Self::Index(index) => {
                let place = if *index < 0 { items.len() as i64 + index } else { *index };
                usize::try_from(place).ok().and_then(|place| items.get(place)).into_iter().collect()
            }
            Self::All => items.iter().collect(),
            Self::Filter { path, equal, text } => {
                let passes = |item: &&Value| find(path, item).is_some_and(|found| (found == text) == *equal);
                items.iter().filter(passes).collect()
            }
        }
    }
}

fn cell(r#type: &str, value: Option<&Value>, now: Now) -> Value {
    let Some(value) = value else { return Value::Null };
    let cell = match r#type {
        "string" => Some(printed(value)),
        "integer" => value.as_i64().or_else(|| value.as_f64().map(|number| number as i64)).map(Value::from),
        "number" => value.is_number().then(|| value.clone()),
        "boolean" => value.is_boolean().then(|| value.clone()),
        "date" => value.as_str().map(|text| match text.parse() {
            Ok(time) => now.since(Some(time)).into(),
            Err(_) => "<invalid>".into(),
        }),
        _ => None,
    };
    cell.unwrap_or_default()
}

/// As Go prints a value.
fn printed(value: &Value) -> Value {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Null => "<no value>".into(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or(0.0);
            if number == 0.0 || (1e-4..1e21).contains(&number.abs()) {
                return number.to_string().into();
            }
            let text = format!("{number:e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()).into()
        }
        other => other.to_string().into(),
    }
}

/// `.status.conditions[?(@.type=="Ready")].status` and simpler ones; none for anything else.
fn parse(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let end = if inside.starts_with('?') { inside.find(")]")? + 1 } else { inside.find(']')? };
            steps.push(parse_bracket(&inside[..end])?);
            rest = &inside[end + 1..];
        } else {
            let (name, behind) = parse_name(rest.strip_prefix('.')?);
            if name.is_empty() || name.contains(['*', '$', '@', '{', '}', '(']) {
                return None;
            }
            steps.push(Step::Field(name));
            rest = behind;
        }
    }
    (!steps.is_empty()).then_some(steps)
}

/// A name up to the next dot or bracket, in which a backslash makes a dot part of the name.
fn parse_name(text: &str) -> (String, &str) {
    let (mut name, mut escaped) = (String::new(), false);
    for (place, letter) in text.char_indices() {
        match letter {
            '\\' if !escaped => escaped = true,
            '.' | '[' if !escaped => return (name, &text[place..]),
            _ => {
                name.push(letter);
                escaped = false;
            }
        }
    }
    (name, "")
}

fn parse_bracket(inside: &str) -> Option<Step> {
    if inside == "*" {
        return Some(Step::All);
    }
    if let Some(name) = quoted(inside) {
        return Some(Step::Field(name.into()));
    }
    let Some(filter) = inside.strip_prefix("?(").and_then(|text| text.strip_suffix(')')) else {
        return inside.parse().ok().map(Step::Index);
    };
    let (path, equal, text) = match (filter.split_once("=="), filter.split_once("!=")) {
        (Some((path, text)), None) => (path, true, text),
        (None, Some((path, text))) => (path, false, text),
        _ => return None,
    };
    let path = parse(path.trim().strip_prefix('@')?)?;
    Some(Step::Filter { path, equal, text: quoted(text.trim())?.into() })
}

/// What stands between quotes of either kind.
fn quoted(text: &str) -> Option<&str> {
    let between = |quote| text.strip_prefix(quote)?.strip_suffix(quote).filter(|inner: &&str| !inner.contains(quote));
    between('"').or_else(|| between('\''))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_of_the_offered_part_find_their_value_and_others_are_none() {
        let value = json!({ "a": { "b.c": 1, "list": [{ "type": "X", "v": 2 }, { "type": "Y", "v": 3 }], "n": null } });
        for (path, found) in [
            (r".a.b\.c", json!(1)),
            (".a['b.c']", json!(1)),
            (".a.list[0].v", json!(2)),
            (".a.list[-1].v", json!(3)),
            (".a.list[*].v", json!(2)),
            (r#".a.list[?(@.type=="Y")].v"#, json!(3)),
            (".a.list[?(@.type != 'X')].v", json!(3)),
        ] {
            assert_eq!(find(&parse(path).unwrap(), &value), Some(&found), "{path}");
        }
        for path in [".a.list[9]", ".a.x.y", ".a.list[?(@.type==\"Z\")].v"] {
            assert_eq!(find(&parse(path).unwrap(), &value), None, "{path}");
        }
        for path in ["", "a", ".a..b", ".a[1:2]", ".a[?(@.v>1)]", ".*", ".a[0,1]", "$.a"] {
            assert_eq!(parse(path), None, "{path}");
        }
    }

    #[test]
    fn numbers_read_as_go_prints_them() {
        let text = |value: Value| printed(&value);
        assert_eq!([text(json!(1.5)), text(json!(100_000.25)), text(json!(7))], ["1.5", "100000.25", "7"]);
        assert_eq!([text(json!(1.5e21)), text(json!(2e-7)), text(json!(0.0))], ["1.5e+21", "2e-07", "0"]);
    }
}
