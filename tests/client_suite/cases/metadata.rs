//! Metadata without the objects.

use futures::StreamExt as _;
use serde_json::json;
use watchglass::api::{CreateOptions, DeleteOptions, GetOptions, ListOptions, Patch, PatchOptions, WatchEvent};
use watchglass::rest::{MetadataClient, MetadataResource};

use super::{Context, Widgets, config_map, config_maps, with_fields};

fn maps(context: &Context) -> MetadataResource {
    MetadataClient::for_config(&context.config).resource(&config_maps()).namespace(&context.namespace)
}

async fn create(context: &Context, name: &str) {
    let mut map = config_map(name, json!({ "a": "1" }));
    map.metadata.annotations.insert("note".into(), "kept".into());
    context.config_maps().create(&map, &CreateOptions::default()).await.expect("it is created");
}

pub async fn is_read_alone(context: Context) {
    create(&context, "one").await;
    let map = maps(&context).get("one", &GetOptions::default()).await.expect("it is there");
    assert_eq!((map.api_version.as_str(), map.kind.as_str()), ("meta.k8s.io/v1", "PartialObjectMetadata"));
    assert_eq!((map.name(), map.metadata.annotations["note"].as_str()), ("one", "kept"));
    assert!(map.fields.is_empty());
    let whole = context.config_maps().get("one", &GetOptions::default()).await.expect("it is there");
    assert_eq!(map.metadata, whole.metadata);
    let missing = maps(&context).get("none", &GetOptions::default()).await;
    assert!(missing.expect_err("there is none").is_not_found());
}

pub async fn is_listed_alone(context: Context) {
    create(&context, "one").await;
    create(&context, "two").await;
    let list = maps(&context).list(&with_fields("metadata.name!=kube-root-ca.crt")).await.expect("a list");
    assert_eq!((list.api_version.as_str(), list.kind.as_str()), ("meta.k8s.io/v1", "PartialObjectMetadataList"));
    assert!(!list.metadata.resource_version.is_empty());
    assert_eq!(list.items.iter().map(|it| it.name()).collect::<Vec<_>>(), ["one", "two"]);
    assert!(list.items.iter().all(|it| it.kind() == "PartialObjectMetadata" && it.get(&["data"]).is_none()));
}

pub async fn is_watched_alone(context: Context) {
    let list = maps(&context).list(&ListOptions::default()).await.expect("a list");
    let options = ListOptions { resource_version: list.metadata.resource_version, ..ListOptions::default() };
    let mut watch = maps(&context).watch(&options).await.expect("a watch");
    create(&context, "one").await;
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "tier": "front" } } }));
    let patched = maps(&context).patch("one", &patch, &PatchOptions::default()).await.expect("it is patched");
    assert_eq!((patched.kind.as_str(), patched.fields.len()), ("PartialObjectMetadata", 0));
    maps(&context).delete("one", &DeleteOptions::default()).await.expect("it is deleted");
    for expected in ["ADDED", "MODIFIED", "DELETED"] {
        let event = watch.next().await.expect("the watch goes on").expect("an event");
        let (kind, object) = match event {
            WatchEvent::Added(object) => ("ADDED", object),
            WatchEvent::Modified(object) => ("MODIFIED", object),
            WatchEvent::Deleted(object) => ("DELETED", object),
            other => panic!("{other:?}"),
        };
        assert_eq!((kind, object.name(), object.get(&["data"])), (expected, "one", None));
        assert_eq!(object.kind(), "PartialObjectMetadata");
    }
}

pub async fn of_a_custom_resource_is_read_alone(context: Context) {
    let widgets = Widgets::define(&context).await;
    widgets.create("one", 1).await;
    let client = MetadataClient::for_config(&context.config).resource(&widgets.resource).namespace(&context.namespace);
    let list = client.list(&ListOptions::default()).await.expect("a list");
    assert_eq!((list.kind.as_str(), list.items.len()), ("PartialObjectMetadataList", 1));
    assert!(list.items[0].get(&["data"]).is_none());
    client.delete_collection(&DeleteOptions::default(), &ListOptions::default()).await.expect("they are deleted");
    assert!(client.list(&ListOptions::default()).await.expect("a list").items.is_empty());
}
