//! Watches.

use futures::StreamExt as _;
use serde_json::json;
use watchglass::api::{
    CreateOptions, DeleteOptions, Error, ListOptions, Object, Patch, PatchOptions, ResourceVersionMatch, WatchEvent,
};
use watchglass::cache::WatchStream;

use super::{Context, Widgets, config_map, failure, with_fields, with_labels};

/// The next event that is no bookmark: kind and object.
async fn next(watch: &mut WatchStream) -> Option<(&'static str, Object)> {
    loop {
        return match watch.next().await?.expect("the watch goes on") {
            WatchEvent::Added(object) => Some(("ADDED", object)),
            WatchEvent::Modified(object) => Some(("MODIFIED", object)),
            WatchEvent::Deleted(object) => Some(("DELETED", object)),
            WatchEvent::Bookmark { .. } => continue,
            WatchEvent::Error(status) => panic!("the watch failed: {status:?}"),
        };
    }
}

/// Kind and name of the next events.
async fn events(watch: &mut WatchStream, count: usize) -> Vec<String> {
    let mut events = Vec::new();
    while events.len() < count {
        let (kind, object) = next(watch).await.expect("the watch goes on");
        events.push(format!("{kind} {}", object.name()));
    }
    events
}

/// From now on.
async fn from_now(context: &Context, options: ListOptions) -> ListOptions {
    let list = context.config_maps().list(&ListOptions::default()).await.expect("a list");
    ListOptions { resource_version: list.metadata.resource_version, ..options }
}

async fn label(context: &Context, name: &str, value: serde_json::Value) {
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "tier": value } } }));
    context.config_maps().patch(name, &patch, &PatchOptions::default()).await.expect("it is patched");
}

pub async fn tell_what_happens_in_its_order(context: Context) {
    let options = from_now(&context, ListOptions { allow_watch_bookmarks: true, ..ListOptions::default() }).await;
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    context.create_config_maps(&["a", "b"]).await;
    label(&context, "a", json!("front")).await;
    context.config_maps().delete("b", &DeleteOptions::default()).await.expect("it is deleted");
    context.create_config_maps(&["b"]).await;
    let seen = events(&mut watch, 5).await;
    assert_eq!(seen, ["ADDED a", "ADDED b", "MODIFIED a", "DELETED b", "ADDED b"]);
}

pub async fn go_on_from_any_version(context: Context) {
    let options = from_now(&context, ListOptions::default()).await;
    context.create_config_maps(&["a"]).await;
    label(&context, "a", json!("front")).await;
    context.config_maps().delete("a", &DeleteOptions::default()).await.expect("it is deleted");
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    let (_, added) = next(&mut watch).await.expect("the watch goes on");
    assert_eq!(events(&mut watch, 2).await, ["MODIFIED a", "DELETED a"]);
    let later = ListOptions { resource_version: added.resource_version().into(), ..ListOptions::default() };
    let mut watch = context.config_maps().watch(&later).await.expect("a watch");
    assert_eq!(events(&mut watch, 1).await, ["MODIFIED a"]);
    let (kind, deleted) = next(&mut watch).await.expect("the watch goes on");
    assert_eq!(kind, "DELETED");
    assert_ne!(deleted.resource_version(), added.resource_version(), "the version of its deletion");
    assert_eq!(deleted.label("tier").expect("it has one"), "front", "its last state");
}

pub async fn begin_with_what_is_there(context: Context) {
    context.create_config_maps(&["a", "b"]).await;
    let options = ListOptions { resource_version: "0".into(), ..with_fields("metadata.name!=kube-root-ca.crt") };
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    let mut first = events(&mut watch, 2).await;
    first.sort();
    assert_eq!(first, ["ADDED a", "ADDED b"]);
    context.create_config_maps(&["c"]).await;
    assert_eq!(events(&mut watch, 1).await, ["ADDED c"]);
}

pub async fn see_what_their_selector_sees(context: Context) {
    context.create_config_maps(&["a"]).await;
    let options = from_now(&context, with_labels("tier=front")).await;
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    label(&context, "a", json!("back")).await;
    label(&context, "a", json!("front")).await;
    let patch = Patch::Merge(json!({ "data": { "key": "value" } }));
    context.config_maps().patch("a", &patch, &PatchOptions::default()).await.expect("it is patched");
    label(&context, "a", json!("back")).await;
    context.config_maps().delete("a", &DeleteOptions::default()).await.expect("it is deleted");
    let mut front = config_map("b", json!({}));
    front.metadata.labels.insert("tier".into(), "front".into());
    context.config_maps().create(&front, &CreateOptions::default()).await.expect("it is created");
    assert_eq!(events(&mut watch, 4).await, ["ADDED a", "MODIFIED a", "DELETED a", "ADDED b"]);
}

/// What leaves a selector is told in the state in which it was last seen, with the version of its leaving.
pub async fn tell_leaving_with_the_state_before(context: Context) {
    let mut front = config_map("a", json!({}));
    front.metadata.labels.insert("tier".into(), "front".into());
    context.config_maps().create(&front, &CreateOptions::default()).await.expect("it is created");
    let options = from_now(&context, with_labels("tier=front")).await;
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    label(&context, "a", json!("back")).await;
    let (kind, object) = next(&mut watch).await.expect("the watch goes on");
    assert_eq!((kind, object.label("tier").as_deref()), ("DELETED", Some("front")));
    let now = context.config_maps().get("a", &Default::default()).await.expect("it is there");
    assert_eq!(object.resource_version(), now.resource_version());
}

pub async fn of_one_object_see_no_other(context: Context) {
    let options = from_now(&context, with_fields("metadata.name=b")).await;
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    context.create_config_maps(&["a", "b", "c"]).await;
    context.config_maps().delete("a", &DeleteOptions::default()).await.expect("it is deleted");
    context.config_maps().delete("b", &DeleteOptions::default()).await.expect("it is deleted");
    assert_eq!(events(&mut watch, 2).await, ["ADDED b", "DELETED b"]);
}

/// A WatchList: what is there, then a bookmark that marks the end of it, then what happens.
pub async fn may_begin_with_a_marked_state(context: Context) {
    context.create_config_maps(&["a", "b"]).await;
    let options = ListOptions {
        send_initial_events: Some(true),
        resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
        allow_watch_bookmarks: true,
        ..with_fields("metadata.name!=kube-root-ca.crt")
    };
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    let mut first = events(&mut watch, 2).await;
    first.sort();
    assert_eq!(first, ["ADDED a", "ADDED b"]);
    let mark = watch.next().await.expect("the watch goes on").expect("an event");
    let WatchEvent::Bookmark { resource_version, initial_events_end } = mark else { panic!("no bookmark: {mark:?}") };
    assert!(initial_events_end && !resource_version.is_empty());
    context.create_config_maps(&["c"]).await;
    assert_eq!(events(&mut watch, 1).await, ["ADDED c"]);
}

pub async fn refuse_half_of_a_watch_list(context: Context) {
    let half = ListOptions { send_initial_events: Some(true), ..ListOptions::default() };
    let Err(error) = context.config_maps().watch(&half).await else { panic!("it is not refused") };
    let answer = failure(Err::<(), _>(error));
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(422), &json!("Invalid")));
    assert_eq!(answer["details"]["causes"][0]["field"], "resourceVersionMatch");
}

pub async fn end_in_good_order_when_their_time_is_over(context: Context) {
    let options = from_now(&context, ListOptions { timeout_seconds: Some(1), ..ListOptions::default() }).await;
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    context.create_config_maps(&["a"]).await;
    assert_eq!(events(&mut watch, 1).await, ["ADDED a"]);
    assert!(next(&mut watch).await.is_none());
}

pub async fn refuse_a_version_that_is_none(context: Context) {
    let options = ListOptions { resource_version: "nonsense".into(), ..ListOptions::default() };
    let error: Error = match context.config_maps().watch(&options).await {
        Err(error) => error,
        Ok(_) => panic!("it is not refused"),
    };
    let expected = json!({
        "status": "Failure", "code": 500,
        "message": "resourceVersion: Invalid value: \"nonsense\": strconv.ParseUint: parsing \"nonsense\": invalid syntax",
    });
    assert_eq!(failure(Err::<(), _>(error)), expected);
}

pub async fn of_a_custom_resource_are_as_others(context: Context) {
    let widgets = Widgets::define(&context).await;
    let list = widgets.client.list(&ListOptions::default()).await.expect("a list");
    let options = ListOptions { resource_version: list.metadata.resource_version, ..ListOptions::default() };
    let mut watch = widgets.client.watch(&options).await.expect("a watch");
    widgets.create("one", 1).await;
    let patch = Patch::Merge(json!({ "spec": { "size": 2 } }));
    widgets.client.patch("one", &patch, &PatchOptions::default()).await.expect("it is patched");
    widgets.client.delete("one", &DeleteOptions::default()).await.expect("it is deleted");
    assert_eq!(events(&mut watch, 3).await, ["ADDED one", "MODIFIED one", "DELETED one"]);
}

/// Below a finalizer a deletion is a change first.
pub async fn tell_a_deletion_when_it_is_over(context: Context) {
    let mut held = config_map("held", json!({}));
    held.metadata.finalizers = vec!["example.com/hold".into()];
    let options = from_now(&context, ListOptions::default()).await;
    let mut watch = context.config_maps().watch(&options).await.expect("a watch");
    context.config_maps().create(&held, &CreateOptions::default()).await.expect("it is created");
    context.config_maps().delete("held", &DeleteOptions::default()).await.expect("it is marked");
    let patch = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    context.config_maps().patch("held", &patch, &PatchOptions::default()).await.expect("it is let go");
    assert_eq!(events(&mut watch, 3).await, ["ADDED held", "MODIFIED held", "DELETED held"]);
}
