//! The dynamic client with the in-memory server, which stands where client-go has fake clients.

use serde_json::json;
use watchglass::api::{
    CreateOptions, DeleteOptions, GetOptions, GroupVersionResource, ListOptions, Patch, PatchOptions,
};
use watchglass::rest::{Config, DynamicClient, DynamicResource};
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::{Sandbox, objects};

fn world() -> (Sandbox, ApiServer, DynamicResource) {
    let sandbox = Sandbox::new();
    let server = ApiServer::new(sandbox.runtime());
    for (namespace, name) in [("shop", "a"), ("shop", "b"), ("other", "c")] {
        server.seed(objects::config_map(namespace, name)).expect("the server takes it");
    }
    let client = DynamicClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
    let maps = client.resource(&GroupVersionResource::core("configmaps"));
    (sandbox, server, maps)
}

/// client-go: `TestGet`, `TestGetDecoding`.
#[test]
fn an_object_is_found_in_its_namespace_alone() {
    let (sandbox, _server, maps) = world();
    let get = |namespace: &str, name: &str| {
        sandbox.block_on(maps.clone().namespace(namespace).get(name, &GetOptions::default()))
    };
    let found = get("shop", "a").expect("it is there");
    assert_eq!((found.kind.as_str(), found.api_version.as_str(), found.name()), ("ConfigMap", "v1", "a"));
    assert!(get("shop", "c").expect_err("it is elsewhere").is_not_found());
}

/// client-go: `TestList`, `TestListDecoding`, `Test_ListKind`.
#[test]
fn a_list_has_a_kind_also_when_it_is_empty() {
    let (sandbox, _server, maps) = world();
    for (namespace, expected) in [("shop", vec!["a", "b"]), ("", vec!["a", "b", "c"]), ("nobody", vec![])] {
        let in_namespace = maps.clone().namespace(namespace);
        let list = sandbox.block_on(in_namespace.list(&ListOptions::default())).expect("a list");
        let mut names: Vec<_> = list.items.iter().map(|item| item.name().to_owned()).collect();
        names.sort();
        assert_eq!(
            (list.kind.as_str(), list.api_version.as_str(), names.len()),
            ("ConfigMapList", "v1", expected.len())
        );
        assert_eq!(names, expected);
        assert!(list.items.iter().all(|item| item.kind() == "ConfigMap"));
    }
}

/// client-go: `TestPatch`.
#[test]
fn a_patch_changes_what_it_names() {
    let (sandbox, _server, maps) = world();
    let maps = maps.namespace("shop");
    let patch = Patch::Merge(json!({ "data": { "key": "value" }, "metadata": { "labels": { "l": "1" } } }));
    let patched = sandbox.block_on(maps.patch("a", &patch, &PatchOptions::default())).expect("it is patched");
    assert_eq!((patched.str_at(&["data", "key"]), patched.metadata.labels["l"].as_str()), (Some("value"), "1"));
    let read = sandbox.block_on(maps.get("a", &GetOptions::default())).expect("it is there");
    assert_eq!(read, patched);
    let missing = sandbox.block_on(maps.patch("none", &patch, &PatchOptions::default()));
    assert!(missing.expect_err("there is none").is_not_found());
}

#[test]
fn an_object_is_created_changed_and_deleted() {
    let (sandbox, _server, maps) = world();
    let maps = maps.namespace("shop");
    sandbox.block_on(async {
        let options = CreateOptions::default();
        let new = maps.create(&objects::config_map("shop", "new"), &options).await.expect("it is created");
        let again = maps.create(&objects::config_map("shop", "new"), &options).await;
        assert!(again.expect_err("it exists").is_already_exists());
        maps.update(&new, &options).await.expect("nobody was faster");
        maps.delete("new", &DeleteOptions::default()).await.expect("it is deleted");
        assert!(maps.get("new", &GetOptions::default()).await.expect_err("it is gone").is_not_found());
    });
}
