//! Create, get, list, update and delete.

use serde_json::{Value, json};
use watchglass::api::{ListOptions, Object};

use super::{Context, object};

pub(super) fn config_map(name: &str, data: Value) -> Object {
    object(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data }))
}

pub async fn are_created_with_what_the_server_adds(context: Context) {
    let (client, maps) = (context.rest(), context.core("configmaps"));
    let created = client.create(&maps, &config_map("one", json!({ "key": "value" }))).await.expect("it is created");
    assert_eq!((created.api_version.as_str(), created.kind.as_str()), ("v1", "ConfigMap"));
    assert_eq!((created.name(), created.namespace()), ("one", context.namespace.as_str()));
    assert!(!created.uid().is_empty() && !created.resource_version().is_empty());
    assert!(created.metadata.creation_timestamp.is_some());
    assert_eq!(created.get(&["data"]), Some(&json!({ "key": "value" })));
    assert_eq!(client.get(&maps.named("one")).await.expect("it is there"), created);
}

pub async fn of_one_name_exist_once(context: Context) {
    let (client, maps) = (context.rest(), context.core("configmaps"));
    client.create(&maps, &config_map("one", json!({}))).await.expect("it is created");
    let error = client.create(&maps, &config_map("one", json!({}))).await.expect_err("it exists");
    assert!(error.is_already_exists() && !error.is_conflict());
    let status = error.status().expect("the server answered");
    assert_eq!((status.code, status.reason.as_str()), (409, "AlreadyExists"));
    assert_eq!(status.message, "configmaps \"one\" already exists");
    let details = status.details.as_ref().expect("details");
    assert_eq!((details.name.as_str(), details.kind.as_str(), details.group.as_str()), ("one", "configmaps", ""));
}

pub async fn are_updated_from_their_newest_version_only(context: Context) {
    let (client, maps) = (context.rest(), context.core("configmaps"));
    let first = client.create(&maps, &config_map("one", json!({ "a": "1" }))).await.expect("it is created");
    let path = maps.named("one");
    let mut changed = Object::clone(&first);
    changed.fields.insert("data".into(), json!({ "a": "2" }));
    let second = client.update(&path, &changed).await.expect("nobody was faster");
    assert_eq!(second.get(&["data"]), Some(&json!({ "a": "2" })));
    assert_ne!(second.resource_version(), first.resource_version());
    let error = client.update(&path, &changed).await.expect_err("the version is old");
    assert!(error.is_conflict() && !error.is_already_exists());
    let status = error.status().expect("the server answered");
    assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
    let expected = "Operation cannot be fulfilled on configmaps \"one\": the object has been modified; \
                    please apply your changes to the latest version and try again";
    assert_eq!(status.message, expected);
    assert_eq!(client.get(&path).await.expect("it is there"), second);
}

pub async fn are_listed_by_name(context: Context) {
    let (client, maps) = (context.rest(), context.core("configmaps"));
    for name in ["b", "c", "a"] {
        client.create(&maps, &config_map(name, json!({}))).await.expect("it is created");
    }
    let list = client.list(&maps, &ListOptions::default(), &|_| {}).await.expect("a list");
    assert_eq!((list.api_version.as_str(), list.kind.as_str()), ("v1", "ConfigMapList"));
    assert!(!list.metadata.resource_version.is_empty() && list.metadata.r#continue.is_empty());
    // A controller puts the certificates of the cluster into each namespace.
    let names: Vec<_> = list.items.iter().map(|item| item.name()).filter(|name| name.len() == 1).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(list.items.iter().all(|item| item.kind == "ConfigMap" && item.api_version == "v1"));
}

pub async fn are_deleted_once(context: Context) {
    let (client, maps) = (context.rest(), context.core("configmaps"));
    client.create(&maps, &config_map("one", json!({}))).await.expect("it is created");
    let path = maps.named("one");
    client.delete(&path).await.expect("it is deleted");
    for error in [client.get(&path).await.err(), client.delete(&path).await.err()] {
        let error = error.expect("it is gone");
        assert!(error.is_not_found());
        let status = error.status().expect("the server answered");
        assert_eq!((status.code, status.reason.as_str()), (404, "NotFound"));
        assert_eq!(status.message, "configmaps \"one\" not found");
        let details = status.details.as_ref().expect("details");
        assert_eq!((details.name.as_str(), details.kind.as_str()), ("one", "configmaps"));
    }
}
