//! The metadata of objects, from servers that can give it alone and from those that cannot.

use futures::StreamExt as _;
use serde_json::{Value, json};
use watchglass::api::{
    DeleteOptions, Error, GetOptions, GroupVersionResource, ListOptions, Patch, PatchOptions, WatchEvent,
};
use watchglass::cache::ListerWatcherSource as _;
use watchglass::rest::{Config, MetadataClient, MetadataResource};
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::{Sandbox, objects};

use crate::rest::scripted::{Scripted, answer, json};

fn resource() -> GroupVersionResource {
    GroupVersionResource::new("group", "v1", "resource")
}

fn client(server: &Scripted) -> MetadataResource {
    MetadataClient::for_config(&server.config()).resource(&resource()).namespace("ns")
}

fn whole() -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "name", "namespace": "ns" }, "spec": { "a": 1 } })
}

fn reduced() -> Value {
    let metadata = json!({ "name": "name", "namespace": "ns" });
    json!({ "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": metadata })
}

/// client-go: `TestClient`.
#[test]
fn whole_objects_are_reduced_to_their_metadata() {
    for body in [whole(), reduced()] {
        let list =
            json!({ "apiVersion": "v1", "kind": "PodList", "metadata": { "resourceVersion": "253" }, "items": [body] });
        let event = json!({ "type": "ADDED", "object": body }).to_string();
        let server = Scripted::new([json(200, &body), json(200, &list), answer(200).body(event), json(200, &body)]);
        let client = client(&server);
        server.block_on(async {
            let read = client.get("name", &GetOptions::default()).await.expect("metadata");
            assert_eq!(serde_json::to_value(&read).unwrap(), reduced());
            let list = client.list(&ListOptions::default()).await.expect("a list");
            assert_eq!((list.metadata.resource_version.as_str(), list.items[0].clone()), ("253", read.clone().into()));
            let events: Vec<_> = client.watch(&ListOptions::default()).await.expect("a watch").collect().await;
            assert_eq!(events, [Ok(WatchEvent::Added(read.clone().into()))]);
            let patch = Patch::Merge(json!({ "metadata": {} }));
            let patched = client.subresource("status").patch("name", &patch, &PatchOptions::default()).await;
            assert_eq!(patched, Ok(read));
        });
        let all = "apis/group/v1/namespaces/ns/resource";
        let lines = [
            format!("GET {all}/name"),
            format!("GET {all}"),
            format!("GET {all}?watch=true"),
            format!("PATCH {all}/name/status"),
        ];
        assert_eq!(server.lines(), lines);
        let list_of =
            |request: &watchglass::runtime::Request| request.header("accept").unwrap().contains("MetadataList;");
        assert_eq!(server.requests().iter().map(list_of).collect::<Vec<_>>(), [false, true, false, false]);
    }
}

/// client-go: `TestClient`.
#[test]
fn what_is_no_object_is_refused() {
    for (body, words) in [
        (json!({ "metadata": { "uid": "123" } }), "no kind"),
        (json!({ "apiVersion": "v1", "metadata": { "uid": "123" } }), "no kind"),
        (json!({ "kind": "Pod", "metadata": { "uid": "123" } }), "no apiVersion"),
        (
            json!({ "kind": "Pod", "apiVersion": "v1", "metadata": {} }),
            "does not appear to match the ObjectMeta schema",
        ),
    ] {
        let server = Scripted::new([json(200, &body)]);
        let error = server.block_on(client(&server).get("name", &GetOptions::default())).expect_err("it is no object");
        assert!(matches!(&error, Error::Undecodable { .. }) && error.to_string().contains(words), "{error}");
    }
    for field in ["uid", "name", "generateName"] {
        let server =
            Scripted::new([json(200, &json!({ "kind": "P", "apiVersion": "v1", "metadata": { field: "x" } }))]);
        assert!(server.block_on(client(&server).get("name", &GetOptions::default())).is_ok(), "{field}");
    }
}

/// client-go: `TestClient`.
#[test]
fn deletions_carry_json() {
    let server = Scripted::new([json(200, &json!({ "kind": "Status", "status": "Success" }))]);
    let client = client(&server);
    let (dry, which) = (DeleteOptions { dry_run: true, ..DeleteOptions::default() }, ListOptions::default());
    server.block_on(client.delete("name", &dry)).expect("it is deleted");
    server.block_on(client.delete_collection(&dry, &which)).expect("they are deleted");
    assert_eq!([server.body(0), server.body(1)], [json!({ "dryRun": ["All"] }), json!({ "dryRun": ["All"] })]);
    assert!(server.requests().iter().all(|it| it.header("content-type") == Some("application/json")));
    let all = "DELETE apis/group/v1/namespaces/ns/resource";
    assert_eq!(server.lines(), [format!("{all}/name"), all.to_owned()]);
}

/// client-go: `TestDoesClientSupportWatchListSemantics`, `TestList`, `TestPatch`.
#[test]
fn the_in_memory_server_s_objects_are_reduced_too() {
    let sandbox = Sandbox::new();
    let server = ApiServer::new(sandbox.runtime());
    server.seed(objects::pod("shop", "a")).expect("the server takes it");
    let client = MetadataClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
    let resource = GroupVersionResource::core("pods");
    assert!(!client.lister_watcher(&resource, None).supports_watch_list());
    let pods = client.resource(&resource).namespace("shop");
    let list = sandbox.block_on(pods.list(&ListOptions::default())).expect("a list");
    assert!(list.items.iter().all(|item| item.get(&["spec"]).is_none() && item.kind() == "PartialObjectMetadata"));
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "l": "1" } } }));
    let patched = sandbox.block_on(pods.patch("a", &patch, &PatchOptions::default())).expect("it is patched");
    assert_eq!((patched.metadata.labels["l"].as_str(), patched.fields.len()), ("1", 0));
    let missing = sandbox.block_on(pods.get("none", &GetOptions::default())).expect_err("there is none");
    assert!(missing.is_not_found());
}
