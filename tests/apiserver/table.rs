use serde_json::{Value, json};
use watchglass::api::Manifest;
use watchglass::runtime::Request;

use super::client::{Answer, Client};

/// What a real server 1.37 printed of its objects: path, time, columns, and rows of cells and object.
const RECORDED: &str = include_str!("tables.json");

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const METADATA: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

fn get(client: &Client, path: &str, accept: &str) -> Answer {
    let headers = vec![("accept".into(), accept.to_owned())];
    client.send(Request { path: path.into(), headers, ..Request::default() })
}

/// A server at a wall time, with the recorded objects, behind the definition of their kind.
fn server_with(recording: &Value, definition: Option<&Value>) -> Client {
    let client = Client::new();
    let now: jiff::Timestamp = recording["now"]
        .as_str()
        .expect("the test asks for what is there")
        .parse()
        .expect("the test asks for what is there");
    let ahead = now.duration_since(client.sandbox.runtime().clock.wall());
    // The real server's time was recorded in whole seconds.
    client.sandbox.clock().advance_wall(ahead + jiff::SignedDuration::from_millis(900));
    for row in definition
        .into_iter()
        .chain(recording["rows"].as_array().expect("the test asks for what is there").iter().map(|row| &row[1]))
    {
        let mut object: Manifest = serde_json::from_value(row.clone()).expect("the test asks for what is there");
        object.metadata.resource_version.clear();
        client.server.seed(object).expect("the test asks for what is there");
    }
    client
}

fn key(object: &Value) -> String {
    let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
    format!("{}/{}", text("namespace"), text("name"))
}

#[test]
fn columns_and_cells_are_those_of_the_real_server() {
    let recordings: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    let mut compared = 0;
    let definitions = recordings.iter().find(|it| it["path"].as_str().unwrap().ends_with("customresourcedefinitions"));
    let definition = definitions.map(|it| it["rows"][0][1].clone());
    for recording in &recordings {
        let path = recording["path"].as_str().unwrap();
        let client = server_with(recording, definition.as_ref().filter(|_| path.starts_with("apis/example.com")));
        let answer = get(&client, path, TABLE);
        if REFUSED.iter().any(|kind| path.ends_with(kind)) {
            assert_eq!((answer.status, &answer.json()["reason"]), (406, &"NotAcceptable".into()), "{path}");
            continue;
        }
        assert_eq!(answer.status, 200, "{path}");
        let table = answer.json();
        let columns = table["columnDefinitions"].as_array().unwrap().iter();
        let columns: Vec<_> = columns.map(|it| json!([it["name"], it["type"], it["format"], it["priority"]])).collect();
        assert_eq!(Value::from(columns), recording["columns"], "{path}");
        for recorded in recording["rows"].as_array().unwrap() {
            let row = table["rows"].as_array().unwrap().iter().find(|row| key(&row["object"]) == key(&recorded[1]));
            let row = row.unwrap_or_else(|| panic!("{path}: a row for {}", key(&recorded[1])));
            assert_eq!(row["cells"], recorded[0], "{path}");
            compared += 1;
        }
    }
    assert!(compared > 90, "{compared}");
}

/// Whose cells are quantities in their canonical form, or depend on the other rows.
const REFUSED: [&str; 6] = [
    "/endpoints",
    "/persistentvolumeclaims",
    "/persistentvolumes",
    "/resourcequotas",
    "/horizontalpodautoscalers",
    "/storageclasses",
];

const CONFIG_MAPS: &str = "api/v1/namespaces/default/configmaps";

fn with_config_map() -> Client {
    let client = Client::new();
    let mut object = watchglass::testing::objects::object("v1", "ConfigMap", "default", "cm");
    object.fields.insert("data".into(), json!({ "a": "1" }));
    client.server.create(object).expect("the test asks for what is there");
    client
}

#[test]
fn a_row_holds_the_metadata_the_object_or_nothing_as_asked() {
    let client = with_config_map();
    for (query, kind) in [
        ("", "PartialObjectMetadata".into()),
        ("?includeObject=Metadata", "PartialObjectMetadata".into()),
        ("?includeObject=Object", "ConfigMap".into()),
        ("?includeObject=None", Value::Null),
    ] {
        for path in [CONFIG_MAPS.to_owned(), format!("{CONFIG_MAPS}/cm")] {
            let table = get(&client, &format!("{path}{query}"), TABLE).json();
            assert_eq!((&table["kind"], &table["apiVersion"]), (&"Table".into(), &"meta.k8s.io/v1".into()));
            assert_eq!(table["rows"][0]["object"]["kind"], kind, "{path}{query}");
            assert_eq!(table["rows"][0]["cells"], json!(["cm", 1, "0s"]));
            assert!(!table["metadata"]["resourceVersion"].as_str().unwrap().is_empty());
        }
    }
    let refused = get(&client, &format!("{CONFIG_MAPS}?includeObject=Foo"), TABLE).json();
    let message = "Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": \
                   must be 'Metadata', 'Object', 'None', or empty";
    assert_eq!((&refused["code"], &refused["message"]), (&400.into(), &message.into()));
}

#[test]
fn the_first_clause_that_is_offered_decides_the_form() {
    let client = with_config_map();
    for (accept, kind) in [
        ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json".to_owned(), "Table"),
        ("application/json;as=Table;v=v1beta1;g=meta.k8s.io".to_owned(), "Table"),
        ("application/json;as=Table,application/json".to_owned(), "ConfigMapList"),
        (format!("application/vnd.kubernetes.protobuf,{TABLE}"), "Table"),
        (format!("{TABLE};q=0.5,application/json"), "ConfigMapList"),
        ("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io".to_owned(), "PartialObjectMetadataList"),
        ("application/json;as=Table".to_owned(), "Status"),
        ("application/json;as=Other;v=v1;g=meta.k8s.io".to_owned(), "Status"),
    ] {
        let answer = get(&client, CONFIG_MAPS, &accept);
        assert_eq!(answer.json()["kind"], kind, "{accept}");
        assert_eq!(answer.status, if kind == "Status" { 406 } else { 200 }, "{accept}");
    }
}

#[test]
fn metadata_alone_is_asked_for_as_a_list_or_as_an_object() {
    let client = with_config_map();
    let list = METADATA.replace("Metadata;", "MetadataList;");
    let one = get(&client, &format!("{CONFIG_MAPS}/cm"), METADATA).json();
    assert_eq!((&one["kind"], &one["metadata"]["name"]), (&"PartialObjectMetadata".into(), &"cm".into()));
    assert_eq!(one["data"], Value::Null);
    let items = get(&client, CONFIG_MAPS, &list).json();
    assert_eq!(items["items"][0]["kind"], "PartialObjectMetadata");
    assert_eq!(items["items"][0]["apiVersion"], "meta.k8s.io/v1");
    for (path, accept, message) in [
        (
            CONFIG_MAPS,
            METADATA,
            "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
        ),
        (
            "api/v1/namespaces/default/configmaps/cm",
            &list,
            "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
        ),
    ] {
        let refused = get(&client, path, accept);
        assert_eq!((refused.status, &refused.json()["message"]), (406, &message.into()));
    }
}

#[test]
fn a_watch_names_its_columns_in_the_first_event_only_and_a_bookmark_is_a_row_of_nothing() {
    let client = with_config_map();
    let query = "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    let mut watch = client.watch_as(&format!("{CONFIG_MAPS}?{query}&includeObject=None"), TABLE);
    let added = watch.event();
    assert_eq!((&added["type"], &added["object"]["kind"]), (&"ADDED".into(), &"Table".into()));
    assert_eq!(added["object"]["columnDefinitions"].as_array().unwrap().len(), 3);
    assert_eq!(added["object"]["rows"], json!([{ "cells": ["cm", 1, "0s"], "object": null }]));
    let bookmark = watch.event();
    assert_eq!(bookmark["type"], "BOOKMARK");
    assert_eq!(bookmark["object"]["columnDefinitions"], Value::Null);
    let row = &bookmark["object"]["rows"][0];
    assert_eq!(row["cells"], json!(["", 0, "<unknown>"]));
    assert_eq!(row["object"]["metadata"]["annotations"], json!({ "k8s.io/initial-events-end": "true" }));
    client.server.delete("configmaps", "default", "cm").unwrap();
    let deleted = watch.event();
    assert_eq!((&deleted["type"], &deleted["object"]["columnDefinitions"]), (&"DELETED".into(), &Value::Null));
}

#[test]
fn a_watch_of_metadata_holds_metadata() {
    let client = with_config_map();
    let mut watch = client.watch_as(&format!("{CONFIG_MAPS}?watch=true"), METADATA);
    let object = watch.event()["object"].clone();
    assert_eq!((&object["kind"], &object["metadata"]["name"]), (&"PartialObjectMetadata".into(), &"cm".into()));
    assert_eq!(object["data"], Value::Null);
}
