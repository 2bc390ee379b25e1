//! Create, get, list, update and delete.

use serde_json::{Value, json};
use watchglass::api::{CreateOptions, DeleteOptions, GetOptions, ListOptions, Manifest, UpdateOptions};

use super::{Context, Widgets, config_map, conflict, deployment, failure, object, pod};

const GET: GetOptions = GetOptions { resource_version: String::new() };

fn plain() -> CreateOptions {
    CreateOptions::default()
}

fn with_data(map: &Manifest, data: Value) -> Manifest {
    let mut map = map.clone();
    map.fields.insert("data".into(), data);
    map
}

pub async fn are_created_with_what_the_server_adds(context: Context) {
    let maps = context.config_maps();
    let created = maps.create(&config_map("one", json!({ "key": "value" })), &plain()).await.expect("it is created");
    assert_eq!((created.api_version.as_str(), created.kind.as_str()), ("v1", "ConfigMap"));
    assert_eq!((created.name(), created.namespace()), ("one", context.namespace.as_str()));
    assert!(!created.uid().is_empty() && !created.resource_version().is_empty());
    assert!(created.metadata.creation_timestamp.is_some());
    assert_eq!(created.get(&["data"]), Some(&json!({ "key": "value" })));
    assert_eq!(maps.get("one", &GET).await.expect("it is there"), created);
}

pub async fn of_one_name_exist_once(context: Context) {
    context.create_config_maps(&["one"]).await;
    let error = context.config_maps().create(&config_map("one", json!({})), &plain()).await.expect_err("it exists");
    assert!(error.is_already_exists() && !error.is_conflict());
    let expected = json!({
        "status": "Failure", "code": 409, "reason": "AlreadyExists", "message": "configmaps \"one\" already exists",
        "details": { "name": "one", "kind": "configmaps" },
    });
    assert_eq!(failure(Err::<(), _>(error)), expected);
}

pub async fn are_updated_from_their_newest_version_only(context: Context) {
    let maps = context.config_maps();
    let first = maps.create(&config_map("one", json!({ "a": "1" })), &plain()).await.expect("it is created");
    let changed = with_data(&first, json!({ "a": "2" }));
    let second = maps.update(&changed, &plain()).await.expect("nobody was faster");
    assert_eq!(second.get(&["data"]), Some(&json!({ "a": "2" })));
    assert_ne!(second.resource_version(), first.resource_version());
    let error = maps.update(&changed, &plain()).await.expect_err("the version is old");
    assert!(error.is_conflict() && !error.is_already_exists());
    assert_eq!(failure(Err::<(), _>(error)), conflict());
    assert_eq!(maps.get("one", &GET).await.expect("it is there"), second);
}

pub async fn without_a_version_are_replaced_whatever_they_are(context: Context) {
    let maps = context.config_maps();
    let first = maps.create(&config_map("one", json!({ "a": "1" })), &plain()).await.expect("it is created");
    let second = maps.update(&config_map("one", json!({ "b": "2" })), &plain()).await.expect("it is replaced");
    assert_eq!(second.get(&["data"]), Some(&json!({ "b": "2" })));
    assert_eq!(second.uid(), first.uid());
}

pub async fn that_do_not_change_keep_their_version(context: Context) {
    let maps = context.config_maps();
    let first = maps.create(&config_map("one", json!({ "a": "1" })), &plain()).await.expect("it is created");
    let second = maps.update(&first, &plain()).await.expect("it is the newest");
    assert_eq!(second.resource_version(), first.resource_version());
}

pub async fn that_are_missing_cannot_be_updated(context: Context) {
    let error = context.config_maps().update(&config_map("none", json!({})), &UpdateOptions::default()).await;
    let expected = json!({
        "status": "Failure", "code": 404, "reason": "NotFound", "message": "configmaps \"none\" not found",
        "details": { "name": "none", "kind": "configmaps" },
    });
    assert_eq!(failure(error), expected);
}

pub async fn of_another_uid_are_other_objects(context: Context) {
    let maps = context.config_maps();
    let first = maps.create(&config_map("one", json!({})), &plain()).await.expect("it is created");
    let mut other = with_data(&first, json!({ "a": "1" }));
    other.metadata.uid = "0c4e4c4e-0000-0000-0000-000000000000".into();
    other.metadata.resource_version.clear();
    let expected = json!({
        "status": "Failure", "code": 409, "reason": "Conflict",
        "message": format!(
            "Operation cannot be fulfilled on configmaps \"one\": StorageError: invalid object, Code: 4, Key: \
             /registry/configmaps/{}/one, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in \
             precondition: {}, UID in object meta: {}",
            context.namespace, other.uid(), first.uid(),
        ),
        "details": { "name": "one", "kind": "configmaps" },
    });
    assert_eq!(failure(maps.update(&other, &plain()).await), expected);
}

pub async fn get_a_name_from_their_prefix(context: Context) {
    let maps = context.config_maps();
    let prefixed = object(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "generateName": "note-" } }));
    let first = maps.create(&prefixed, &plain()).await.expect("it is created");
    let second = maps.create(&prefixed, &plain()).await.expect("it is created");
    assert_ne!(first.name(), second.name());
    for map in [first, second] {
        let suffix = map.name().strip_prefix("note-").expect("the prefix stays");
        assert!(suffix.len() == 5 && suffix.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c)), "{suffix}");
        assert_eq!(map.metadata.generate_name.as_deref(), Some("note-"));
    }
}

pub async fn are_listed_by_name(context: Context) {
    context.create_config_maps(&["b", "c", "a"]).await;
    let list = context.config_maps().list(&ListOptions::default()).await.expect("a list");
    assert_eq!((list.api_version.as_str(), list.kind.as_str()), ("v1", "ConfigMapList"));
    assert!(!list.metadata.resource_version.is_empty() && list.metadata.r#continue.is_empty());
    // A controller puts the certificates of the cluster into each namespace.
    let names: Vec<_> = list.items.iter().map(|item| item.name()).filter(|name| name.len() == 1).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(list.items.iter().all(|item| item.kind() == "ConfigMap" && item.api_version() == "v1"));
}

pub async fn are_deleted_once(context: Context) {
    context.create_config_maps(&["one"]).await;
    let maps = context.config_maps();
    maps.delete("one", &DeleteOptions::default()).await.expect("it is deleted");
    let errors = [maps.get("one", &GET).await.err(), maps.delete("one", &DeleteOptions::default()).await.err()];
    let expected = json!({
        "status": "Failure", "code": 404, "reason": "NotFound", "message": "configmaps \"one\" not found",
        "details": { "name": "one", "kind": "configmaps" },
    });
    for error in errors.map(|error| error.expect("it is gone")) {
        assert!(error.is_not_found());
        assert_eq!(failure(Err::<(), _>(error)), expected);
    }
}

pub async fn begin_in_the_server_s_state(context: Context) {
    let mut sent = pod("web");
    sent.fields.insert("status".into(), json!({ "phase": "Running" }));
    let created = context.pods().create(&sent, &plain()).await.expect("it is created");
    assert_eq!(created.str_at(&["status", "phase"]), Some("Pending"));
    assert_eq!(created.str_at(&["spec", "containers"]), None, "it is a list");
    assert_eq!(created.list_at(&["spec", "containers"])[0]["image"], "registry.example/app:1");
    let created = context.deployments().create(&deployment("web"), &plain()).await.expect("it is created");
    assert_eq!((created.metadata.generation, created.int_at(&["spec", "replicas"])), (Some(1), Some(0)));
}

pub async fn of_a_custom_resource_are_as_others(context: Context) {
    let widgets = Widgets::define(&context).await;
    let first = widgets.create("one", 3).await;
    assert_eq!((first.kind.as_str(), first.metadata.generation), ("Widget", Some(1)));
    let mut changed = Manifest::clone(&first);
    changed.fields.insert("spec".into(), json!({ "size": 4 }));
    let second = widgets.client.update(&changed, &plain()).await.expect("nobody was faster");
    assert_eq!((second.int_at(&["spec", "size"]), second.metadata.generation), (Some(4), Some(2)));
    let expected = json!({
        "status": "Failure", "code": 409, "reason": "Conflict",
        "message": format!(
            "Operation cannot be fulfilled on widgets.{} \"one\": the object has been modified; \
             please apply your changes to the latest version and try again", widgets.group),
        "details": { "name": "one", "kind": "widgets", "group": widgets.group },
    });
    assert_eq!(failure(widgets.client.update(&changed, &plain()).await), expected);
    let list = widgets.client.list(&ListOptions::default()).await.expect("a list");
    assert_eq!((list.kind.as_str(), list.items), ("WidgetList", vec![second.into()]));
    widgets.client.delete("one", &DeleteOptions::default()).await.expect("it is deleted");
    assert!(widgets.client.get("one", &GET).await.expect_err("it is gone").is_not_found());
}

pub async fn count_the_generations_of_their_spec(context: Context) {
    let widgets = Widgets::define(&context).await;
    let mut widget = Manifest::clone(&widgets.create("one", 3).await);
    widget.metadata.labels.insert("tier".into(), "front".into());
    let labelled = widgets.client.update(&widget, &plain()).await.expect("nobody was faster");
    assert_eq!(labelled.metadata.generation, Some(1), "labels are no part of it");
    let mut widget = Manifest::clone(&labelled);
    widget.fields.insert("spec".into(), json!({ "size": 5 }));
    let grown = widgets.client.update(&widget, &plain()).await.expect("nobody was faster");
    assert_eq!(grown.metadata.generation, Some(2));
}

/// A kind may have no spec, and its clients may set what they like at the top level.
pub async fn keep_what_the_server_gave_them(context: Context) {
    let maps = context.config_maps();
    let first = maps.create(&config_map("one", json!({})), &plain()).await.expect("it is created");
    let mut sent = config_map("one", json!({ "a": "1" }));
    sent.metadata.creation_timestamp = Some("2001-01-01T00:00:00Z".parse().expect("a time"));
    let second = maps.update(&sent, &plain()).await.expect("it is replaced");
    assert_eq!(second.metadata.creation_timestamp, first.metadata.creation_timestamp);
    assert_eq!(second.metadata.uid, first.metadata.uid);
}
