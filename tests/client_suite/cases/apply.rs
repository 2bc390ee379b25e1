//! Server-side apply.

use serde_json::{Value, json};
use watchglass::api::{
    ApplyOptions, CreateOptions, GetOptions, ManagedBy, Manifest, Patch, PatchOptions, UpdateOptions,
};

use super::{Context, Widgets, config_map, deployment, failure, object};

fn by(manager: &str) -> ApplyOptions {
    ApplyOptions { field_manager: manager.into(), ..ApplyOptions::default() }
}

fn forced(manager: &str) -> ApplyOptions {
    ApplyOptions { force: true, ..by(manager) }
}

/// Manager, operation and subresource of each entry.
fn managers(object: &Manifest) -> Vec<(&str, &str, &str)> {
    let mut all: Vec<_> = object.metadata.managed_by.iter().map(names).collect();
    all.sort_unstable();
    all
}

fn names(entry: &ManagedBy) -> (&str, &str, &str) {
    (&entry.manager, &entry.operation, &entry.subresource)
}

fn replicas(number: u32) -> Manifest {
    object(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" }, "spec": { "replicas": number },
    }))
}

pub async fn creates_what_is_missing(context: Context) {
    let maps = context.config_maps();
    let map = maps.apply("one", &config_map("one", json!({ "a": "1" })), &by("first")).await.expect("it is applied");
    assert!(!map.uid().is_empty());
    assert_eq!(managers(&map), [("first", "Apply", "")]);
    let again = maps.apply("one", &config_map("one", json!({ "a": "1" })), &by("first")).await.expect("it is applied");
    assert_eq!(again.resource_version(), map.resource_version(), "nothing changed");
}

pub async fn removes_what_is_applied_no_more(context: Context) {
    let maps = context.config_maps();
    let both = config_map("one", json!({ "a": "1", "b": "2" }));
    maps.apply("one", &both, &by("first")).await.expect("it is applied");
    let patch = Patch::Merge(json!({ "data": { "c": "3" } }));
    let options = PatchOptions { field_manager: "other".into(), ..PatchOptions::default() };
    maps.patch("one", &patch, &options).await.expect("it is patched");
    let less = config_map("one", json!({ "a": "1" }));
    let map = maps.apply("one", &less, &by("first")).await.expect("it is applied");
    assert_eq!(map.get(&["data"]), Some(&json!({ "a": "1", "c": "3" })), "what another set stays");
    assert_eq!(managers(&map), [("first", "Apply", ""), ("other", "Update", "")]);
}

pub async fn shares_what_two_set_to_the_same(context: Context) {
    let maps = context.config_maps();
    let map = config_map("one", json!({ "a": "1" }));
    maps.apply("one", &map, &by("first")).await.expect("it is applied");
    let shared = maps.apply("one", &map, &by("second")).await.expect("they agree");
    assert_eq!(managers(&shared), [("first", "Apply", ""), ("second", "Apply", "")]);
    let nothing = config_map("one", json!({}));
    let kept = maps.apply("one", &nothing, &by("first")).await.expect("it is applied");
    assert_eq!(kept.get(&["data"]), Some(&json!({ "a": "1" })), "the second still owns it");
    let gone = maps.apply("one", &nothing, &by("second")).await.expect("it is applied");
    assert!(gone.get(&["data"]).is_none_or(|data| *data == json!({})), "nobody owns it");
}

pub async fn names_who_owns_what_it_would_change(context: Context) {
    let maps = context.config_maps();
    maps.apply("one", &config_map("one", json!({ "a": "1" })), &by("first")).await.expect("it is applied");
    let other = config_map("one", json!({ "a": "2" }));
    let error = maps.apply("one", &other, &by("second")).await.expect_err("it belongs to another");
    assert!(error.is_conflict() && error.has_status_cause("FieldManagerConflict"));
    let expected = json!({
        "status": "Failure", "code": 409, "reason": "Conflict",
        "message": "Apply failed with 1 conflict: conflict with \"first\": .data.a",
        "details": { "causes": [{
            "reason": "FieldManagerConflict", "message": "conflict with \"first\"", "field": ".data.a",
        }] },
    });
    assert_eq!(failure(Err::<(), _>(error)), expected);
    let map = maps.apply("one", &other, &forced("second")).await.expect("it is taken over");
    assert_eq!(map.get(&["data"]), Some(&json!({ "a": "2" })));
    let mut owners = managers(&map);
    owners.retain(|(manager, ..)| *manager == "second");
    assert_eq!(owners, [("second", "Apply", "")]);
}

pub async fn names_all_conflicts(context: Context) {
    let maps = context.config_maps();
    let mut map = config_map("one", json!({ "a": "1" }));
    map.metadata.labels.insert("app".into(), "web".into());
    maps.apply("one", &map, &by("first")).await.expect("it is applied");
    maps.update(&with_data(&map, "b"), &UpdateOptions { field_manager: "other".into(), ..UpdateOptions::default() })
        .await
        .expect("it is updated");
    let mut all = config_map("one", json!({ "a": "x", "b": "x" }));
    all.metadata.labels.insert("app".into(), "x".into());
    let answer = failure(maps.apply("one", &all, &by("second")).await);
    let causes = answer["details"]["causes"].as_array().expect("causes");
    let mut fields: Vec<_> = causes.iter().map(|cause| cause["field"].as_str().expect("a field")).collect();
    fields.sort_unstable();
    assert_eq!(fields, [".data.a", ".data.b", ".metadata.labels.app"], "{answer}");
}

fn with_data(map: &Manifest, key: &str) -> Manifest {
    let mut map = map.clone();
    map.fields["data"][key] = json!("1");
    map
}

pub async fn leaves_a_field_to_another_manager(context: Context) {
    let deployments = context.deployments();
    deployments.apply("web", &deployment("web"), &by("first")).await.expect("it is applied");
    let answer = failure(
        deployments
            .apply("web", &replicas(0), &by("scaler"))
            .await
            .map(|_| ())
            .and(deployments.apply("web", &replicas(1), &by("scaler")).await),
    );
    assert_eq!(answer["message"], "Apply failed with 1 conflict: conflict with \"first\": .spec.replicas");
    deployments.apply("web", &replicas(0), &forced("scaler")).await.expect("it is shared");
    let mut without = deployment("web");
    without.fields["spec"].as_object_mut().expect("a spec").remove("replicas");
    let applied = deployments.apply("web", &without, &by("first")).await.expect("it is left to the scaler");
    assert_eq!(applied.int_at(&["spec", "replicas"]), Some(0));
}

pub async fn merges_lists_by_their_keys(context: Context) {
    let deployments = context.deployments();
    deployments.apply("web", &deployment("web"), &by("first")).await.expect("it is applied");
    let side = |containers: Value| {
        let template = json!({ "spec": { "containers": containers } });
        object(json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
            "spec": { "template": template },
        }))
    };
    let added = side(json!([{ "name": "side", "image": "registry.example/side:1" }]));
    let both = deployments.apply("web", &added, &by("second")).await.expect("it is applied");
    let names = |deployment: &Manifest| -> Vec<String> {
        let containers = deployment.list_at(&["spec", "template", "spec", "containers"]);
        containers.iter().map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&both), ["app", "side"]);
    let conflict = side(json!([{ "name": "app", "image": "registry.example/app:2" }]));
    let answer = failure(deployments.apply("web", &conflict, &by("second")).await);
    let expected = "Apply failed with 1 conflict: conflict with \"first\": \
                    .spec.template.spec.containers[name=\"app\"].image";
    assert_eq!(answer["message"], expected);
    let none = object(json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } }));
    let one = deployments.apply("web", &none, &by("second")).await.expect("it is applied");
    assert_eq!(names(&one), ["app"]);
}

pub async fn merges_lists_of_a_definition_by_their_keys(context: Context) {
    let widgets = Widgets::define(&context).await;
    let parts = |parts: Value| widgets.widget("one", json!({ "size": 1, "parts": parts }));
    let first = parts(json!([{ "name": "wheel", "weight": 1 }]));
    widgets.client.apply("one", &first, &by("first")).await.expect("it is applied");
    let second = parts(json!([{ "name": "door", "weight": 2 }]));
    let both = widgets.client.apply("one", &second, &by("second")).await.expect("it is applied");
    let expected = json!([{ "name": "wheel", "weight": 1 }, { "name": "door", "weight": 2 }]);
    assert_eq!(both.get(&["spec", "parts"]), Some(&expected));
    let heavier = parts(json!([{ "name": "wheel", "weight": 9 }]));
    let answer = failure(widgets.client.apply("one", &heavier, &by("second")).await);
    let expected = "Apply failed with 1 conflict: conflict with \"first\": .spec.parts[name=\"wheel\"].weight";
    assert_eq!(answer["message"], expected);
}

pub async fn of_the_status_is_apart(context: Context) {
    let widgets = Widgets::define(&context).await;
    widgets.client.apply("one", &widgets.widget("one", json!({ "size": 1 })), &by("first")).await.expect("applied");
    let mut status = widgets.widget("one", json!({ "size": 9 }));
    status.fields.insert("status".into(), json!({ "phase": "Ready" }));
    let widget = widgets.client.apply_status("one", &status, &by("reporter")).await.expect("it is applied");
    assert_eq!((widget.int_at(&["spec", "size"]), widget.str_at(&["status", "phase"])), (Some(1), Some("Ready")));
    assert_eq!(managers(&widget), [("first", "Apply", ""), ("reporter", "Apply", "status")]);
}

pub async fn must_name_the_object(context: Context) {
    let other = config_map("two", json!({}));
    let answer = failure(context.config_maps().apply("one", &other, &by("first")).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    let found = context.config_maps().get("one", &GetOptions::default()).await;
    assert!(found.expect_err("nothing was made").is_not_found());
}

/// Who creates and updates without a name is called by its program.
pub async fn stands_beside_plain_writes(context: Context) {
    let maps = context.config_maps();
    let options = CreateOptions { field_manager: "creator".into(), ..CreateOptions::default() };
    maps.create(&config_map("one", json!({ "a": "1" })), &options).await.expect("it is created");
    let map = maps.apply("one", &config_map("one", json!({ "b": "1" })), &by("first")).await.expect("it is applied");
    assert_eq!(map.get(&["data"]), Some(&json!({ "a": "1", "b": "1" })));
    assert_eq!(managers(&map), [("creator", "Update", ""), ("first", "Apply", "")]);
}
