//! What writes in `RestClient`, against the server as its clients see it.

use serde_json::json;
use watchglass::api::{
    CreateOptions, DeleteOptions, Error, GetOptions, GroupVersionResource, Manifest, Patch, PatchOptions,
    Preconditions, ResourcePath, UpdateOptions,
};
use watchglass::rest::{Config, RestClient};
use watchglass::testing::objects::{self, Build as _};

use super::client::Client;

fn in_shop(resource: &str) -> ResourcePath {
    ResourcePath::all(GroupVersionResource::core(resource)).in_namespace("shop")
}

/// A server with one pod and one ConfigMap, and a client to it.
fn world() -> (Client, RestClient) {
    let world = Client::new();
    world.server.seed(objects::pod("shop", "web")).expect("the server takes a pod");
    let settings = objects::config_map("shop", "settings").with_field("data", json!({ "a": "1", "b": "2" }));
    world.server.seed(settings).expect("the server takes a ConfigMap");
    let client =
        RestClient::for_config(&Config::without_rate_limit(&world.sandbox.runtime(), world.server.transport()));
    (world, client)
}

#[test]
fn what_is_created_comes_back_with_what_the_server_gave() {
    let (world, client) = world();
    let maps = in_shop("configmaps");
    let new = objects::object("v1", "ConfigMap", "shop", "new").with_field("data", json!({ "key": "value" }));
    let created = world.sandbox.block_on(client.create(&maps, &new, &CreateOptions::default())).expect("it is created");
    assert!(!created.uid().is_empty() && !created.resource_version().is_empty());
    assert_eq!(created.str_at(&["data", "key"]), Some("value"));
    let read = world.sandbox.block_on(client.get(&maps.named("new"), &GetOptions::default())).expect("it is there");
    assert_eq!(read, created);
}

#[test]
fn a_second_object_of_the_same_name_is_refused() {
    let (world, client) = world();
    let again = objects::config_map("shop", "settings");
    let error = world
        .sandbox
        .block_on(client.create(&in_shop("configmaps"), &again, &CreateOptions::default()))
        .expect_err("it exists");
    assert!(error.is_already_exists() && !error.is_conflict(), "{error:?}");
}

#[test]
fn an_update_is_carried_out_once_and_conflicts_when_it_comes_from_an_old_version() {
    let (world, client) = world();
    let path = in_shop("configmaps").named("settings");
    let old = world.sandbox.block_on(client.get(&path, &GetOptions::default())).expect("it is there");
    let changed = |value: &str| Manifest::clone(&old).with_field("data", json!({ "a": value }));
    let updated = world
        .sandbox
        .block_on(client.update(&path, &changed("first"), &UpdateOptions::default()))
        .expect("nobody was faster");
    assert_eq!(updated.get(&["data"]), Some(&json!({ "a": "first" })));
    assert_ne!(updated.resource_version(), old.resource_version());
    let error = world
        .sandbox
        .block_on(client.update(&path, &changed("second"), &UpdateOptions::default()))
        .expect_err("the version is old");
    assert!(matches!(&error, Error::Status(status) if status.code == 409), "{error:?}");
    assert!(error.is_conflict() && !error.is_already_exists());
    assert_eq!(world.sandbox.block_on(client.get(&path, &GetOptions::default())).expect("it is there"), updated);
}

#[test]
fn an_update_of_the_status_leaves_the_rest() {
    let (world, client) = world();
    let path = in_shop("pods").named("web");
    let pod = world.sandbox.block_on(client.get(&path, &GetOptions::default())).expect("it is there");
    let sent = Manifest::clone(&pod).with_field("status.phase", "Running").with_field("spec.nodeName", "late");
    let updated = world
        .sandbox
        .block_on(client.update(&path.subresource("status"), &sent, &UpdateOptions::default()))
        .expect("it is updated");
    assert_eq!((updated.str_at(&["status", "phase"]), updated.get(&["spec", "nodeName"])), (Some("Running"), None));
}

#[test]
fn a_merge_patch_changes_what_it_names_and_removes_what_is_null() {
    let (world, client) = world();
    let path = in_shop("configmaps").named("settings");
    let patch = json!({ "data": { "a": null, "c": "3" }, "metadata": { "labels": { "app": "web" } } });
    let patched = world
        .sandbox
        .block_on(client.patch(&path, &Patch::Merge(patch), &PatchOptions::default()))
        .expect("it is patched");
    assert_eq!(patched.get(&["data"]), Some(&json!({ "b": "2", "c": "3" })));
    assert_eq!(patched.metadata.labels["app"], "web");
    let stale = json!({ "metadata": { "resourceVersion": "1" } });
    assert!(
        world
            .sandbox
            .block_on(client.patch(&path, &Patch::Merge(stale), &PatchOptions::default()))
            .expect_err("it is not the newest")
            .is_conflict()
    );
}

#[test]
fn a_write_to_what_is_not_there_says_so() {
    let (world, client) = world();
    let path = in_shop("configmaps").named("absent");
    let absent: Manifest = objects::config_map("shop", "absent");
    let patch = json!({});
    let errors = [
        world.sandbox.block_on(client.update(&path, &absent, &UpdateOptions::default())).err(),
        world.sandbox.block_on(client.patch(&path, &Patch::Merge(patch), &PatchOptions::default())).err(),
        world.sandbox.block_on(client.delete(&path, &DeleteOptions::default())).err(),
    ];
    assert!(errors.iter().all(|error| error.as_ref().is_some_and(Error::is_not_found)), "{errors:?}");
}

#[test]
fn a_deletion_keeps_to_its_preconditions_and_takes_the_object_without_any() {
    let (world, client) = world();
    let path = in_shop("configmaps").named("settings");
    let settings = world.sandbox.block_on(client.get(&path, &GetOptions::default())).expect("it is there");
    let only = |uid: &str, version: Option<&str>| DeleteOptions {
        preconditions: Preconditions { uid: Some(uid.into()), resource_version: version.map(str::to_owned) },
        ..DeleteOptions::default()
    };
    for options in [only("other", None), only(settings.uid(), Some("1"))] {
        let error = world.sandbox.block_on(client.delete(&path, &options)).expect_err("it is another one");
        assert!(error.is_conflict(), "{error:?}");
    }
    let options = only(settings.uid(), Some(settings.resource_version()));
    world.sandbox.block_on(client.delete(&path, &options)).expect("it is the one");
    assert!(world.sandbox.block_on(client.get(&path, &GetOptions::default())).expect_err("it is gone").is_not_found());
    world
        .sandbox
        .block_on(client.delete(&in_shop("pods").named("web"), &DeleteOptions::default()))
        .expect("it is deleted");
    assert!(world.server.objects("pods").is_empty());
}
