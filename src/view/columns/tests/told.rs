use serde_json::{Value, json};

use super::super::{Resource, ServedTable};
use crate::api::{GroupVersionResource, Object};
use crate::view::{Beside, Cell, Filter, Query, Sort, TableModel};

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

fn now() -> jiff::Timestamp {
    jiff::Timestamp::from_second(1_796_000_000).unwrap()
}

fn plain(is_namespaced: bool) -> &'static Resource {
    Resource::plain(&GroupVersionResource::new("example.com", "v1", "parcels"), "Parcels", "Parcel", is_namespaced)
}

fn column(name: &str, rest: &Value) -> Value {
    let mut column =
        json!({ "name": name, "type": "string", "format": "", "description": "What it is", "priority": 0 });
    column.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    column
}

fn parcel(name: &str, uid: &str) -> Object {
    object(json!({ "metadata": { "namespace": "shop", "name": name, "uid": uid } }))
}

fn row(name: &str, uid: &str, weight: &Value, carrier: &Value) -> Value {
    let metadata = json!({ "namespace": "shop", "name": name, "uid": uid });
    json!({ "cells": [name, weight, "3m", carrier], "object": { "metadata": metadata } })
}

/// Parcels with a weight and, on wide tables, a carrier.
fn parcels(rows: &[Value]) -> Value {
    let columns = [
        column("Name", &json!({ "format": "name" })),
        column("Weight", &json!({ "type": "integer" })),
        column("Age", &json!({})),
        column("Carrier", &json!({ "priority": 1 })),
    ];
    json!({ "kind": "Table", "metadata": {}, "columnDefinitions": columns, "rows": rows })
}

#[test]
fn the_columns_are_those_that_the_server_tells() {
    let table = ServedTable::read(&object(parcels(&[])), true).unwrap();
    assert!(!table.fits(plain(true)));
    let resource = table.resource(plain(true));
    let columns = resource.columns.iter().map(|it| (it.name, it.is_numeric, it.wide, it.is_beside()));
    assert_eq!(
        columns.collect::<Vec<_>>(),
        [
            ("NAMESPACE", false, false, false),
            ("NAME", false, false, false),
            ("WEIGHT", true, false, true),
            ("AGE", true, false, false),
            ("CARRIER", false, true, true),
        ]
    );
    assert!(table.fits(resource) && resource.asks_server() && table.is_whole);
    assert_eq!((resource.title, resource.version), ("Parcels", "v1"));
}

#[test]
fn odd_tables_are_read_as_far_as_they_make_sense() {
    let columns = |definitions: Value, is_namespaced| {
        let answer = object(json!({ "kind": "Table", "columnDefinitions": definitions }));
        let table = ServedTable::read(&answer, is_namespaced).unwrap();
        table.resource(plain(is_namespaced)).columns.iter().map(|it| it.name).collect::<Vec<_>>()
    };
    let names = |names: &[&str]| names.iter().map(|name| column(name, &json!({}))).collect::<Value>();
    assert_eq!(columns(names(&[]), false), ["NAME"]);
    assert_eq!(columns(names(&["Weight"]), true), ["NAMESPACE", "NAME", "WEIGHT"]);
    assert_eq!(
        columns(names(&["Namespace", "Name", "Weight", "weight", "Name"]), true),
        ["NAMESPACE", "NAME", "WEIGHT"]
    );
    assert_eq!(columns(names(&["Name", "Created At"]), false), ["NAME", "CREATED AT"]);
    let titled = json!([column("Title", &json!({ "format": "name" })), column("State", &json!({}))]);
    assert_eq!(columns(titled, false), ["NAME", "STATE"], "the name is told by its format");
    for other in [json!({ "kind": "ParcelList", "items": [] }), json!({ "kind": "Status" }), json!({})] {
        assert!(ServedTable::read(&object(other), true).is_none());
    }
}

#[test]
fn names_and_ages_are_enough_where_the_server_tells_no_more() {
    let columns = [column("Name", &json!({ "format": "name" })), column("Age", &json!({ "type": "date" }))];
    let table = object(json!({ "kind": "Table", "columnDefinitions": columns }));
    assert!(ServedTable::read(&table, true).unwrap().fits(plain(true)));
    assert!(ServedTable::read(&table, false).unwrap().fits(plain(false)));
}

#[test]
fn a_part_of_a_table_is_told_to_be_one() {
    let mut answer = parcels(&[]);
    answer["metadata"] = json!({ "continue": "abc" });
    assert!(!ServedTable::read(&object(answer), true).unwrap().is_whole);
}

/// A table with the rows of two parcels, `a` and `b`, of which the first one's cells are told.
fn model() -> TableModel {
    let answer = parcels(&[row("a", "ua", &json!(12), &json!("post"))]);
    let table = ServedTable::read(&object(answer), true).unwrap();
    let mut model = TableModel::new(table.resource(plain(true)));
    for (name, uid) in [("a", "ua"), ("b", "ub")] {
        model.upsert(&parcel(name, uid), now());
    }
    assert!(!model.set_beside(Beside::new(table.rows)));
    model
}

fn told(model: &mut TableModel, rows: &[Value], is_lit: bool) {
    let table = ServedTable::read(&object(parcels(rows)), true).unwrap();
    assert!(model.set_beside(Beside::new(table.rows)));
    assert_eq!(model.show_beside(0, now(), is_lit, || false), None);
}

fn weights(model: &TableModel) -> Vec<(String, String)> {
    let text = |row: crate::view::VisibleRow| (row.row.name.to_string(), row.row.cells[2].display(now()));
    model.window(0..9).into_iter().map(text).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, weight)| ((*name).into(), (*weight).into())).collect()
}

#[test]
fn cells_that_are_told_stand_in_the_rows_of_their_objects() {
    let mut model = model();
    assert_eq!(weights(&model), pairs(&[("a", "12"), ("b", "")]), "also before the cells are read");
    model.read_ahead(|| false);
    told(&mut model, &[row("b", "ub", &json!(7.5), &Value::Null), row("a", "old", &json!(1), &json!("x"))], false);
    assert_eq!(weights(&model), pairs(&[("a", ""), ("b", "7.5")]), "of an object that is gone nothing stays");
    assert_eq!(model.get("shop/b").unwrap().cells[4], Cell::exact(""));
}

#[test]
fn rows_are_sorted_and_found_by_what_is_told() {
    let mut model = model();
    model.set_sort(Sort { column: model_column("WEIGHT"), is_descending: true });
    told(&mut model, &[row("a", "ua", &json!(9), &json!("post")), row("b", "ub", &json!(10), &json!("bike"))], true);
    assert_eq!(weights(&model), pairs(&[("b", "10"), ("a", "9")]));
    model.set_filter(Filter { query: Query::parse("weight>9"), ..Filter::default() });
    assert_eq!(weights(&model), pairs(&[("b", "10")]));
    told(&mut model, &[row("a", "ua", &json!(11), &json!("post")), row("b", "ub", &json!(8), &json!("bike"))], true);
    assert_eq!(weights(&model), pairs(&[("a", "11")]));
    model.upsert(&parcel("b", "ub"), now());
    model.set_filter(Filter { query: Query::parse("carrier:bike"), ..Filter::default() });
    assert_eq!(weights(&model), pairs(&[("b", "8")]), "an update keeps what is told");
}

#[test]
fn a_cell_that_changes_lights_where_that_is_wanted() {
    let mut model = model();
    model.read_ahead(|| false);
    let lit = |model: &TableModel| model.get("shop/a").map(|_| model.window(0..1)[0].row.lit);
    told(&mut model, &[row("a", "ua", &json!(13), &json!("post"))], false);
    assert_eq!(lit(&model), Some(0));
    told(&mut model, &[row("a", "ua", &json!(14), &json!("post"))], true);
    assert_eq!(lit(&model), Some(0b100));
}

#[test]
fn what_is_told_is_shown_in_turns() {
    let mut model = model();
    model.read_ahead(|| false);
    let rows = ["a", "b"].map(|name| row(name, &["u", name].concat(), &json!(1), &Value::Null));
    let table = ServedTable::read(&object(parcels(&rows)), true).unwrap();
    model.set_beside(Beside::new(table.rows));
    let next = model.show_beside(0, now(), false, || true);
    assert_eq!(next, Some(1));
    assert_eq!(weights(&model), pairs(&[("a", "1"), ("b", "")]));
    assert_eq!(model.show_beside(1, now(), false, || true), Some(2));
    assert_eq!(model.show_beside(2, now(), false, || true), None);
    assert_eq!(weights(&model), pairs(&[("a", "1"), ("b", "1")]));
}

fn model_column(name: &str) -> Option<usize> {
    let table = ServedTable::read(&object(parcels(&[])), true).unwrap();
    table.resource(plain(true)).column(name)
}
