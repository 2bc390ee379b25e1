use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

fn definition(scope: &str, columns: Value) -> Object {
    object(json!({
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "scope": scope,
            "versions": [{"name": "v1alpha1"}, {"name": "v1", "additionalPrinterColumns": columns}],
        },
    }))
}

fn now() -> Timestamp {
    "2026-11-29T10:00:00Z".parse().unwrap()
}

/// The text of the one additional column.
fn text(cell_type: &str, path: &str, spec: Value) -> String {
    let column = json!([{"name": "It", "type": cell_type, "jsonPath": path}]);
    let columns = CustomColumns::of_definition(&definition("Cluster", column), "v1").unwrap();
    let cells = columns.cells(&object(json!({"metadata": {"name": "a"}, "spec": spec})));
    cells[1].display(now())
}

#[test]
fn a_definition_without_columns_shows_the_age() {
    let names = |scope: &str, version: &str| {
        let columns = CustomColumns::of_definition(&definition(scope, json!([])), version)?;
        Some(columns.columns.iter().map(|column| column.name.to_string()).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(names("Namespaced", "v1").as_deref(), Some("NAMESPACE NAME AGE"));
    assert_eq!(names("Namespaced", "v1alpha1").as_deref(), Some("NAMESPACE NAME AGE"));
    assert_eq!(names("Cluster", "v1").as_deref(), Some("NAME AGE"));
    assert_eq!(names("Cluster", "v2"), None);
}

#[test]
fn a_row_has_the_cells_of_the_definition_s_columns() {
    let columns = json!([
        {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status",
            "description": "Whether it works"},
        {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas", "priority": 1},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]);
    let columns = CustomColumns::of_definition(&definition("Namespaced", columns), "v1").unwrap();
    let heads: Vec<_> = columns
        .columns
        .iter()
        .map(|column| (column.name.to_string(), column.description.to_string(), column.is_numeric, column.is_wide))
        .collect();
    let head = |name: &str, description: &str, is_numeric, is_wide| {
        (name.to_owned(), description.to_owned(), is_numeric, is_wide)
    };
    assert_eq!(
        heads[2..],
        [
            head("READY", "Whether it works", false, false),
            head("REPLICAS", "At .spec.replicas", true, true),
            head("AGE", "At .metadata.creationTimestamp", true, false),
        ]
    );
    let row = |value| {
        let cells = columns.cells(&object(value));
        cells.iter().map(|cell| cell.display(now())).collect::<Vec<_>>()
    };
    assert_eq!(
        row(json!({
            "metadata": {"name": "a", "namespace": "b", "creationTimestamp": "2026-11-29T09:00:00Z"},
            "spec": {"replicas": 3},
            "status": {"conditions": [{"type": "Old", "status": "False"}, {"type": "Ready", "status": "True"}]},
        })),
        ["b", "a", "True", "3", "60m"]
    );
    assert_eq!(row(json!({"metadata": {"name": "a", "namespace": "b"}})), ["b", "a", "", "", ""]);
}

/// apiextensions-apiserver: `Test_cellForJSONValue`, as kubectl prints its results.
#[test]
fn values_become_cells_of_their_column_s_type() {
    for (cell_type, value, expected) in [
        ("integer", json!(42), "42"),
        ("integer", json!(3.75), "3"),
        ("integer", json!(true), ""),
        ("integer", json!("foo"), ""),
        ("integer", json!([1]), ""),
        ("number", json!(42), "42"),
        ("number", json!(3.25), "3.25"),
        ("number", json!(1_234_567.5), "1.2345675e+06"),
        ("number", json!("foo"), ""),
        ("boolean", json!(42), ""),
        ("boolean", json!(true), "true"),
        ("boolean", json!("foo"), ""),
        ("string", json!(42), "42"),
        ("string", json!(3.5), "3.5"),
        ("string", json!(true), "true"),
        ("string", json!("foo"), "foo"),
        ("string", json!(""), ""),
        ("string", json!(null), "<no value>"),
        ("string", json!(["bar", "baz"]), "[\"bar\",\"baz\"]"),
        ("string", json!({"b": 1, "a": {}}), "{\"a\":{},\"b\":1}"),
        ("string", json!("one\ntwo"), "one..."),
        ("string", json!("\u{1b}[31mred"), "^[[31mred"),
        ("date", json!(42), ""),
        ("date", json!(null), ""),
        ("date", json!("2026-11-28T21:30:00Z"), "12h"),
        ("date", json!("2026-11-29T22:30:00Z"), "<invalid>"),
        ("date", json!("yesterday"), "<invalid>"),
        ("date", json!(""), "<unknown>"),
        ("unknown", json!("foo"), ""),
    ] {
        assert_eq!(text(cell_type, ".spec.it", json!({"it": value})), expected, "{cell_type} of {value}");
    }
}

/// apiextensions-apiserver: `Test_convertor_ConvertToTable`; of several values the first is shown.
#[test]
fn a_path_shows_the_first_value_that_it_leads_to() {
    let spec = json!({"servers": [{"hosts": ["foo"]}, {"hosts": ["bar", "baz"]}]});
    for (path, expected) in [
        (".spec.servers[0].hosts[0]", "foo"),
        (".spec.servers[1].hosts", "[\"bar\",\"baz\"]"),
        (".spec.servers[*].hosts", "[\"foo\"]"),
        (".spec.servers[7].hosts", ""),
        (".spec.servers.hosts", ""),
        ("spec.servers", ""),
    ] {
        assert_eq!(text("string", path, spec.clone()), expected, "{path}");
    }
}

#[test]
fn a_path_that_cannot_be_read_ends_the_columns() {
    let column = |name: &str, path: &str| json!({"name": name, "type": "string", "jsonPath": path});
    let columns = json!([column("a", ".a"), column("b", ".b["), column("c", ".c")]);
    let columns = CustomColumns::of_definition(&definition("Cluster", columns), "v1").unwrap();
    assert_eq!(columns.columns.iter().map(|column| &*column.name).collect::<Vec<_>>(), ["NAME", "A"]);
}

#[test]
fn a_person_may_ask_for_any_path_or_label() {
    let object = object(json!({
        "metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "web", "empty": ""}},
        "spec": {"image": "nginx"},
    }));
    for (asked, name, heading, shown) in [
        ("spec.image", ".spec.image", ".spec.image", "nginx"),
        ("{.spec.image}", ".spec.image", ".spec.image", "nginx"),
        (" .spec.none ", ".spec.none", ".spec.none", ""),
        ("label:app.kubernetes.io/name", "label:app.kubernetes.io/name", "NAME", "web"),
        ("label: empty", "label:empty", "EMPTY", ""),
        ("label:none", "label:none", "NONE", ""),
    ] {
        let column = CustomColumn::asked_for(asked).unwrap();
        assert_eq!((&*column.name, &*CustomColumn::heading(&column.name)), (name, heading));
        assert!(CustomColumn::is_asked_for(&column.name));
        assert_eq!(column.cell(&object).display(now()), shown, "{asked}");
    }
    assert!(!CustomColumn::is_asked_for("STATUS"));
}

#[test]
fn what_is_neither_a_path_nor_a_label_is_told_with_its_place() {
    for (asked, at) in [("", 0), ("label:", 6), ("label:a b", 6), (".spec[", 5)] {
        let error = CustomColumn::asked_for(asked).unwrap_err();
        assert_eq!(error.at, at, "{asked:?}: {error}");
    }
}
