use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::yaml::{is_secret, is_secret_at};
use super::{Column, CustomColumn, Row, YamlOptions, yaml_lines, yaml_text};
use crate::api::Object;

/// What stands for a value that is kept secret.
const MASK: &str = "••••••••";

/// Rows as comma-separated values with a header: the columns at these places, as the table shows them at this moment
/// (RFC 4180). A cell that a spreadsheet would take for a formula has an apostrophe before it.
pub fn csv(columns: &[Column], places: &[usize], rows: &[Row], now: Timestamp) -> String {
    let mut text = String::new();
    let heads = places.iter().filter_map(|at| columns.get(*at));
    line(&mut text, heads.map(|column| CustomColumn::heading(column.name).into_owned()));
    for row in rows {
        line(&mut text, places.iter().map(|at| row.cells.get(*at).map(|cell| cell.display(now)).unwrap_or_default()));
    }
    text
}

fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            text.push(',');
        }
        let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<i64>().is_err();
        let cell = if is_formula { ["'", &cell].concat() } else { cell };
        if cell.contains(['"', ',', '\r', '\n']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(&cell);
        }
    }
    text.push_str("\r\n");
}

/// Objects as documents of YAML, without their managed fields; Secrets' values are masked unless they are wanted.
pub fn yaml(objects: &[Object], with_secrets: bool) -> String {
    let mut text = String::new();
    for object in objects {
        if !text.is_empty() {
            text.push_str("---\n");
        }
        if with_secrets || !is_secret(object) {
            text.push_str(&yaml_text(object, false));
            continue;
        }
        let options = YamlOptions { managed_fields: false, revealed: &BTreeSet::new() };
        for line in yaml_lines(object, &options) {
            text.push_str(&line.text());
            text.push('\n');
        }
    }
    text
}

/// Objects as a list in JSON, without their managed fields; Secrets' values are masked unless they are wanted.
pub fn json(objects: &[Object], with_secrets: bool) -> String {
    let items = objects.iter().map(|object| {
        let mut value = object.to_value();
        if !with_secrets && is_secret(object) {
            mask(&mut value);
        }
        value
    });
    let mut text = String::from("{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"List\",\n  \"items\": ");
    write(&mut text, &Value::Array(items.collect()), 1);
    text.push_str("\n}\n");
    text
}

fn mask(secret: &mut Value) {
    for path in [&["data"][..], &["stringData"], &["metadata", "annotations"]] {
        let below = path.iter().try_fold(&mut *secret, |value, key| value.get_mut(*key));
        for (key, value) in below.and_then(Value::as_object_mut).into_iter().flatten() {
            if is_secret_at(path, key) {
                *value = MASK.into();
            }
        }
    }
}

/// Written here, because what writes a value on one line is in the program anyway.
fn write(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                begin(text, at, depth + 1);
                write(text, item, depth + 1);
            }
            end(text, depth, ']');
        }
        Value::Object(entries) if !entries.is_empty() => {
            text.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                begin(text, at, depth + 1);
                text.push_str(&Value::String(key.clone()).to_string());
                text.push_str(": ");
                write(text, value, depth + 1);
            }
            end(text, depth, '}');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

fn begin(text: &mut String, at: usize, depth: usize) {
    text.push_str(if at > 0 { ",\n" } else { "\n" });
    text.extend(std::iter::repeat_n("  ", depth));
}

fn end(text: &mut String, depth: usize, sign: char) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
    text.push(sign);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::view::Cell;
    use crate::view::columns::PODS;

    fn object(value: Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    fn secret() -> Object {
        object(json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {
                "name": "s", "managedFields": [{"manager": "kubectl"}],
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\"cGFzcw==\"}", "a": "plain"},
            },
            "data": {"password": "cGFzcw=="},
        }))
    }

    #[test]
    fn a_table_is_written_as_rfc_4180_has_it() {
        let row =
            |texts: &[&str]| Row { cells: texts.iter().map(|text| Cell::exact(text)).collect(), ..Row::default() };
        let rows = [row(&["shop", "web-0"]), row(&["a,b", "say \"hi\""]), row(&["", "two\nlines"])];
        let text = csv(PODS.columns, &[1, 0], &rows, Timestamp::UNIX_EPOCH);
        assert_eq!(text, "NAME,NAMESPACE\r\nweb-0,shop\r\n\"say \"\"hi\"\"\",\"a,b\"\r\ntwo...,\r\n");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (cell, written) in [
            ("=1+2", "'=1+2"),
            ("+1 a", "'+1 a"),
            ("-x", "'-x"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("=a,b", "\"'=a,b\""),
            ("-5", "-5"),
            ("a=b", "a=b"),
        ] {
            let row = Row { cells: Box::new([Cell::exact(cell)]), ..Row::default() };
            let text = csv(PODS.columns, &[0], &[row], Timestamp::UNIX_EPOCH);
            assert_eq!(text, format!("NAMESPACE\r\n{written}\r\n"));
        }
    }

    #[test]
    fn json_is_a_list_without_managed_fields() {
        let text = json(
            &[object(json!({"metadata": {"name": "a", "managedFields": []}, "spec": {"n": [1, {}], "e": []}}))],
            false,
        );
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            value,
            json!({
                "apiVersion": "v1", "kind": "List",
                "items": [{"metadata": {"name": "a"}, "spec": {"n": [1, {}], "e": []}}],
            })
        );
        assert!(text.contains("\n      \"metadata\": {\n        \"name\": \"a\"\n      },\n"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&json(&[], false)).unwrap()["items"], json!([]));
    }

    #[test]
    fn yaml_has_a_document_for_each_object() {
        let named = |name: &str| object(json!({"kind": "Pod", "metadata": {"name": name}}));
        let text = yaml(&[named("a"), named("b")], false);
        assert_eq!(text, "kind: Pod\nmetadata:\n  name: a\n---\nkind: Pod\nmetadata:\n  name: b\n");
    }

    #[test]
    fn a_secret_s_values_are_masked_unless_they_are_wanted() {
        for write in [json, yaml] {
            let text = write(&[secret()], false);
            assert!(!text.contains("cGFzcw") && !text.contains("managedFields"), "{text}");
            assert!(text.contains("password") && text.contains("plain") && text.contains('•'), "{text}");
            let text = write(&[secret()], true);
            assert!(text.contains("cGFzcw==") && !text.contains('•'), "{text}");
        }
    }
}
