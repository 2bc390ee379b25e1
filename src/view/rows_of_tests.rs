//! Objects that are printed as the rows that a test wants.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::columns::Resource;
use super::{Cell, Health, Row};
use crate::api::{Object, ValueRef};

/// Prints the objects of [`object`] in any columns.
pub(super) static ANY: Resource = Resource::for_tests(&[], print);
/// Prints them in the first eight columns of pods.
pub(super) static LIKE_PODS: Resource = Resource::for_tests(super::columns::PODS.columns.split_at(8).0, print);

/// An object that is printed as this row.
pub(super) fn object(row: &Row) -> Object {
    let cells: Vec<Value> = row.cells.iter().map(to_value).collect();
    let metadata = json!({ "uid": row.uid, "namespace": row.namespace, "name": row.name });
    serde_json::from_value(json!({ "metadata": metadata, "cells": cells })).unwrap()
}

fn print(object: &Object) -> Box<[Cell]> {
    object.list_at(&["cells"]).map(to_cell).collect()
}

fn to_value(cell: &Cell) -> Value {
    let seconds = |time: &Option<Timestamp>| time.map(|time| time.to_string());
    match cell {
        Cell::Text(text) => json!({ "kind": "text", "text": text }),
        Cell::Address(text) => json!({ "kind": "address", "text": text }),
        Cell::Status { text, health } => json!({ "kind": "status", "text": text, "health": *health as u8 }),
        Cell::Ready { ready, total } => json!({ "kind": "ready", "ready": ready, "total": total }),
        Cell::Restarts { count, last } => json!({ "kind": "restarts", "count": count, "time": seconds(last) }),
        Cell::Age(time) => json!({ "kind": "age", "time": seconds(time) }),
        Cell::Number(number) => json!({ "kind": "number", "number": number }),
        Cell::Quantity(text) => json!({ "kind": "quantity", "text": text }),
        Cell::Since(_) | Cell::Duration(_) => unreachable!("no test wants one"),
    }
}

fn to_cell(value: ValueRef<'_>) -> Cell {
    const HEALTH: [Health; 6] =
        [Health::Error, Health::Warning, Health::Unknown, Health::Progressing, Health::Ok, Health::Terminated];
    let text = |key| value.get(key).and_then(ValueRef::as_str);
    let number = |key| value.get(key).and_then(ValueRef::as_i64).unwrap();
    let time = || text("time").map(|time| time.parse().unwrap());
    let boxed = || text("text").map(|text| text.as_ref().into());
    match text("kind").unwrap().as_ref() {
        "text" => Cell::Text(boxed()),
        "address" => Cell::Address(boxed()),
        "status" => Cell::Status { text: boxed().unwrap(), health: HEALTH[number("health") as usize] },
        "ready" => Cell::Ready { ready: number("ready") as u32, total: number("total") as u32 },
        "restarts" => Cell::Restarts { count: number("count"), last: time() },
        "number" => Cell::Number(number("number")),
        "quantity" => Cell::Quantity(boxed().unwrap()),
        _ => Cell::Age(time()),
    }
}
