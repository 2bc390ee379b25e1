//! Merge, JSON and strategic merge patches.

use serde_json::{Value, json};
use watchglass::api::{CreateOptions, Error, GetOptions, Manifest, Patch, PatchOptions};

use super::{Context, Widgets, config_map, conflict, deployment, failure};

fn plain() -> CreateOptions {
    CreateOptions::default()
}

/// A ConfigMap `one` with a label and two data, changed by a patch.
async fn patched(context: &Context, patch: Patch) -> Result<Manifest, Error> {
    let mut map = config_map("one", json!({ "a": "1", "b": "2" }));
    map.metadata.labels.insert("app".into(), "web".into());
    context.config_maps().create(&map, &plain()).await.expect("it is created");
    context.config_maps().patch("one", &patch, &PatchOptions::default()).await
}

fn containers(deployment: &Manifest) -> &[Value] {
    deployment.list_at(&["spec", "template", "spec", "containers"])
}

pub async fn merge_what_they_name(context: Context) {
    let patch = json!({ "data": { "a": null, "c": "3" }, "metadata": { "labels": { "tier": "front" } } });
    let map = patched(&context, Patch::Merge(patch)).await.expect("it is patched");
    assert_eq!(map.get(&["data"]), Some(&json!({ "b": "2", "c": "3" })));
    assert_eq!(map.metadata.labels.len(), 2);
    let empty = context.config_maps().patch("one", &Patch::Merge(json!({})), &PatchOptions::default()).await;
    assert_eq!(empty.expect("nothing changes").resource_version(), map.resource_version());
}

pub async fn are_carried_out_step_by_step(context: Context) {
    let patch = json!([
        { "op": "test", "path": "/data/a", "value": "1" },
        { "op": "replace", "path": "/data/a", "value": "9" },
        { "op": "move", "from": "/data/b", "path": "/data/d" },
        { "op": "copy", "from": "/data/a", "path": "/data/c" },
        { "op": "add", "path": "/metadata/labels/tier", "value": "front" },
        { "op": "remove", "path": "/metadata/labels/app" },
    ]);
    let map = patched(&context, Patch::Json(patch)).await.expect("it is patched");
    assert_eq!(map.get(&["data"]), Some(&json!({ "a": "9", "c": "9", "d": "2" })));
    assert_eq!(map.metadata.labels.iter().collect::<Vec<_>>(), [(&"tier".to_owned(), &"front".to_owned())]);
}

pub async fn whose_test_fails_change_nothing(context: Context) {
    let patch = json!([
        { "op": "replace", "path": "/data/b", "value": "9" },
        { "op": "test", "path": "/data/a", "value": "2" },
    ]);
    let answer = failure(patched(&context, Patch::Json(patch)).await);
    let expected = json!({
        "status": "Failure", "code": 422, "reason": "Invalid",
        "message": "the server rejected our request due to an error in our request", "details": {},
    });
    assert_eq!(answer, expected);
    let map = context.config_maps().get("one", &GetOptions::default()).await.expect("it is there");
    assert_eq!(map.get(&["data"]), Some(&json!({ "a": "1", "b": "2" })));
}

pub async fn from_an_old_version_conflict(context: Context) {
    let patch = Patch::Merge(json!({ "metadata": { "resourceVersion": "1" }, "data": { "a": "2" } }));
    let error = patched(&context, patch).await.expect_err("the version is old");
    assert!(error.is_conflict());
    assert_eq!(failure(Err::<(), _>(error)), conflict());
}

pub async fn need_an_object(context: Context) {
    let patch = Patch::Merge(json!({ "data": {} }));
    let error = context.config_maps().patch("none", &patch, &PatchOptions::default()).await;
    assert!(error.expect_err("there is none").is_not_found());
}

pub async fn merge_lists_by_their_keys(context: Context) {
    let deployments = context.deployments();
    deployments.create(&deployment("web"), &plain()).await.expect("it is created");
    let patch = |containers: Value| {
        Patch::Strategic(json!({ "spec": { "template": { "spec": { "containers": containers } } } }))
    };
    let options = PatchOptions::default();
    let second = json!([{ "name": "side", "image": "registry.example/side:1" }]);
    let both = deployments.patch("web", &patch(second), &options).await.expect("it is patched");
    let names: Vec<_> = containers(&both).iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["side", "app"]);
    let newer = json!([{ "name": "app", "image": "registry.example/app:2" }]);
    let both = deployments.patch("web", &patch(newer), &options).await.expect("it is patched");
    let app = containers(&both).iter().find(|it| it["name"] == "app").expect("it is there");
    assert_eq!((containers(&both).len(), &app["image"]), (2, &json!("registry.example/app:2")));
    let gone = json!([{ "name": "side", "$patch": "delete" }]);
    let one = deployments.patch("web", &patch(gone), &options).await.expect("it is patched");
    assert_eq!((containers(&one).len(), &containers(&one)[0]["name"]), (1, &json!("app")));
}

pub async fn replace_lists_when_they_merge_plainly(context: Context) {
    let deployments = context.deployments();
    deployments.create(&deployment("web"), &plain()).await.expect("it is created");
    let containers = json!([{ "name": "side", "image": "registry.example/side:1" }]);
    let patch = Patch::Merge(json!({ "spec": { "template": { "spec": { "containers": containers } } } }));
    let patched = deployments.patch("web", &patch, &PatchOptions::default()).await.expect("it is patched");
    let containers = self::containers(&patched);
    assert_eq!((containers.len(), &containers[0]["name"]), (1, &json!("side")));
}

/// Strategic merges need to know the kind's merge keys, which definitions do not have.
pub async fn of_custom_resources_are_never_strategic(context: Context) {
    let widgets = Widgets::define(&context).await;
    widgets.create("one", 3).await;
    let patch = Patch::Strategic(json!({ "spec": { "size": 4 } }));
    let error = widgets.client.patch("one", &patch, &PatchOptions::default()).await.expect_err("it is not known");
    assert!(error.is_unsupported_media_type());
    let expected = json!({
        "status": "Failure", "code": 415, "reason": "UnsupportedMediaType",
        "message": "the body of the request was in an unknown format - accepted media types include: \
                    application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    });
    assert_eq!(failure(Err::<(), _>(error)), expected);
    let patch = Patch::Merge(json!({ "spec": { "size": 4 } }));
    let widget = widgets.client.patch("one", &patch, &PatchOptions::default()).await.expect("it is patched");
    assert_eq!(widget.int_at(&["spec", "size"]), Some(4));
}

/// Finalizers are a set to strategic merges.
pub async fn merge_sets_of_values(context: Context) {
    let mut map = config_map("one", json!({}));
    map.metadata.finalizers = vec!["example.com/a".into()];
    context.config_maps().create(&map, &plain()).await.expect("it is created");
    let patch = |patch: Value| Patch::Strategic(json!({ "metadata": patch }));
    let options = PatchOptions::default();
    let more = patch(json!({ "finalizers": ["example.com/b"] }));
    let both = context.config_maps().patch("one", &more, &options).await.expect("it is patched");
    let mut names = both.metadata.finalizers.clone();
    names.sort();
    assert_eq!(names, ["example.com/a", "example.com/b"]);
    let fewer = patch(json!({ "$deleteFromPrimitiveList/finalizers": ["example.com/a", "example.com/b"] }));
    let none = context.config_maps().patch("one", &fewer, &options).await.expect("it is patched");
    assert!(none.metadata.finalizers.is_empty());
}

pub async fn that_cannot_be_read_are_refused(context: Context) {
    let answer = failure(patched(&context, Patch::Json(json!({ "data": "no list" }))).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    let answer = failure(context.config_maps().patch("one", &Patch::Merge(json!([])), &PatchOptions::default()).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
}

/// The whole of what a patch may not touch.
pub async fn change_no_identity(context: Context) {
    let rename = Patch::Merge(json!({ "metadata": { "name": "two" } }));
    let answer = failure(patched(&context, rename).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    assert_eq!(answer["message"], "the name of the object (two) does not match the name on the URL (one)");
}
