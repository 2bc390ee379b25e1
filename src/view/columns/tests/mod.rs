//! What kubernetes' own tests of its printers expect (`pkg/printers/internalversion/printers_test.go`), at one moment,
//! and cases that they do not have.

mod cluster;
mod config;
mod network;
mod storage;
mod tables;
mod told;
mod workloads;

use serde_json::{Value, json};

use super::*;
use crate::view::Health;

const NOW: &str = "2026-11-29T12:00:00Z";
/// Five minutes before.
const CREATED: &str = "2026-11-29T11:55:00Z";

/// The resource of `apps/v1/deployments`.
fn resource(path: &str) -> &'static Resource {
    let mut parts = path.rsplitn(3, '/');
    let (name, version, group) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap_or_default());
    built_in(&GroupVersionResource::new(group, version, name)).unwrap_or_else(|| panic!("{path} has a table"))
}

/// The object `x` in the namespace `ns`, with these fields besides.
fn object(fields: &Value) -> Object {
    let mut object = fields.clone();
    let metadata = json!({"name": "x", "namespace": "ns", "creationTimestamp": CREATED});
    for (key, value) in metadata.as_object().unwrap() {
        if object["metadata"].get(key).is_none() {
            object["metadata"][key] = value.clone();
        }
    }
    serde_json::from_value(object).unwrap()
}

/// All cells in one line.
fn printed(path: &str, fields: &Value) -> String {
    let (resource, now) = (resource(path), NOW.parse().unwrap());
    let cells = resource.row(&object(fields)).cells;
    assert_eq!(cells.len(), resource.columns.len());
    cells.iter().map(|cell| cell.display(now)).collect::<Vec<_>>().join(" | ")
}

fn check(path: &str, cases: &[(Value, &str)]) {
    for (fields, expected) in cases {
        assert_eq!(printed(path, fields), *expected, "{path} {fields}");
    }
}

/// The health of the cell in a column.
fn health(path: &str, column: &str, fields: &Value) -> Health {
    let resource = resource(path);
    match &resource.row(&object(fields)).cells[resource.column(column).unwrap()] {
        Cell::Status { health, .. } => *health,
        other => panic!("{other:?} is no status"),
    }
}

/// Two containers.
fn template() -> Value {
    json!({"spec": {"containers": [{"name": "web", "image": "web:1"}, {"name": "log", "image": "log:2"}]}})
}
