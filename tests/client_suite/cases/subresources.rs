//! Status and scale.

use serde_json::{Value, json};
use watchglass::api::{CreateOptions, GetOptions, GroupVersionResource, Manifest, Patch, PatchOptions, UpdateOptions};

use super::{Context, Widgets, config_maps, deployment, failure, object, pod};

const GET: GetOptions = GetOptions { resource_version: String::new() };

fn with(object: &Manifest, field: &str, value: Value) -> Manifest {
    let mut object = object.clone();
    object.fields.insert(field.into(), value);
    object
}

pub async fn the_status_is_written_apart(context: Context) {
    let pods = context.pods();
    let created = pods.create(&pod("web"), &CreateOptions::default()).await.expect("it is created");
    let mut sent = with(&created, "status", json!({ "phase": "Running", "message": "at last" }));
    sent.metadata.labels.insert("late".into(), "1".into());
    let updated = pods.update_status(&sent, &UpdateOptions::default()).await.expect("it is updated");
    assert_eq!(updated.str_at(&["status", "message"]), Some("at last"));
    // Most kinds keep their labels at that; pods, and they alone of these, do not.
    assert_eq!(updated.metadata.labels["late"], "1");
    let sent = with(&updated, "status", json!({ "phase": "Failed" }));
    let kept = pods.update(&sent, &UpdateOptions::default()).await.expect("it is updated");
    assert_eq!(kept.str_at(&["status", "phase"]), Some("Running"));
}

pub async fn the_status_of_a_custom_resource_is_written_apart(context: Context) {
    let widgets = Widgets::define(&context).await;
    let sent = with(&widgets.widget("one", json!({ "size": 1 })), "status", json!({ "phase": "Early" }));
    let created = widgets.client.create(&sent, &CreateOptions::default()).await.expect("it is created");
    assert_eq!(created.get(&["status"]), None, "a status cannot be created");
    let mut sent = with(&created, "status", json!({ "phase": "Ready" }));
    sent.fields.insert("spec".into(), json!({ "size": 7 }));
    sent.metadata.labels.insert("late".into(), "1".into());
    let updated = widgets.client.update_status(&sent, &UpdateOptions::default()).await.expect("it is updated");
    assert_eq!((updated.int_at(&["spec", "size"]), updated.str_at(&["status", "phase"])), (Some(1), Some("Ready")));
    assert_eq!((updated.metadata.generation, updated.metadata.labels.len()), (Some(1), 0));
    let mut sent = with(&updated, "status", json!({}));
    sent.fields.insert("spec".into(), json!({ "size": 2 }));
    let kept = widgets.client.update(&sent, &UpdateOptions::default()).await.expect("it is updated");
    assert_eq!((kept.int_at(&["spec", "size"]), kept.str_at(&["status", "phase"])), (Some(2), Some("Ready")));
}

pub async fn the_status_is_patched_apart(context: Context) {
    let widgets = Widgets::define(&context).await;
    widgets.create("one", 1).await;
    let patch = Patch::Merge(json!({ "spec": { "size": 9 }, "status": { "phase": "Ready" } }));
    let status = widgets.client.clone().subresource("status");
    let patched = status.patch("one", &patch, &PatchOptions::default()).await.expect("it is patched");
    assert_eq!((patched.int_at(&["spec", "size"]), patched.str_at(&["status", "phase"])), (Some(1), Some("Ready")));
    assert_eq!(status.get("one", &GET).await.expect("it can be read there"), patched);
    let stale = with(&widgets.widget("one", json!({ "size": 1 })), "status", json!({ "phase": "Late" }));
    let mut stale = stale;
    stale.metadata.resource_version = "1".into();
    let error = widgets.client.update_status(&stale, &UpdateOptions::default()).await.expect_err("it is old");
    assert!(error.is_conflict());
}

pub async fn kinds_without_a_status_have_no_address_for_it(context: Context) {
    context.create_config_maps(&["one"]).await;
    let status = context.resource(&config_maps()).subresource("status");
    let error = status.get("one", &GET).await.expect_err("there is no such thing");
    assert!(error.is_not_found());
    assert_eq!(failure(Err::<(), _>(error))["message"], "the server could not find the requested resource");
}

fn scale(name: &str, replicas: u32) -> Manifest {
    object(json!({
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": name },
        "spec": { "replicas": replicas },
    }))
}

pub async fn a_deployment_is_scaled(context: Context) {
    context.deployments().create(&deployment("web"), &CreateOptions::default()).await.expect("it is created");
    let scales = context.deployments().subresource("scale");
    let read = scales.get("web", &GET).await.expect("it has a scale");
    assert_eq!((read.api_version.as_str(), read.kind.as_str()), ("autoscaling/v1", "Scale"));
    assert_eq!((read.name(), read.namespace()), ("web", context.namespace.as_str()));
    // The server leaves zeros out.
    assert_eq!((read.get(&["spec"]), read.str_at(&["status", "selector"])), (Some(&json!({})), Some("app=web")));
    let mut paused = Manifest::clone(&read);
    paused.fields.insert("spec".into(), json!({ "replicas": 0 }));
    let patch = Patch::Merge(json!({ "spec": { "paused": true } }));
    context.deployments().patch("web", &patch, &PatchOptions::default()).await.expect("it is paused");
    let scaled = scales.update(&scale("web", 3), &UpdateOptions::default()).await.expect("it is scaled");
    assert_eq!(scaled.int_at(&["spec", "replicas"]), Some(3));
    let deployment = context.deployments().get("web", &GET).await.expect("it is there");
    assert_eq!(deployment.int_at(&["spec", "replicas"]), Some(3));
    let patch = Patch::Merge(json!({ "spec": { "replicas": 2 } }));
    let scaled = scales.patch("web", &patch, &PatchOptions::default()).await.expect("it is scaled");
    assert_eq!(scaled.int_at(&["spec", "replicas"]), Some(2));
}

pub async fn a_custom_resource_is_scaled(context: Context) {
    let widgets = Widgets::define(&context).await;
    let widget = widgets.widget("one", json!({ "size": 1, "replicas": 2 }));
    let created = widgets.client.create(&widget, &CreateOptions::default()).await.expect("it is created");
    let sent = with(&created, "status", json!({ "replicas": 1, "selector": "app=one" }));
    widgets.client.update_status(&sent, &UpdateOptions::default()).await.expect("it is updated");
    let scales = widgets.client.clone().subresource("scale");
    let read = scales.get("one", &GET).await.expect("it has a scale");
    assert_eq!(read.get(&["spec"]), Some(&json!({ "replicas": 2 })));
    assert_eq!(read.get(&["status"]), Some(&json!({ "replicas": 1, "selector": "app=one" })));
    let patch = Patch::Merge(json!({ "spec": { "replicas": 5 } }));
    scales.patch("one", &patch, &PatchOptions::default()).await.expect("it is scaled");
    let widget = widgets.client.get("one", &GET).await.expect("it is there");
    assert_eq!(widget.int_at(&["spec", "replicas"]), Some(5));
}

pub async fn a_scale_is_of_something(context: Context) {
    let error = context.deployments().subresource("scale").get("none", &GET).await.expect_err("there is none");
    assert!(error.is_not_found());
    assert_eq!(failure(Err::<(), _>(error))["message"], "deployments.apps \"none\" not found");
    let scales = context.resource(&GroupVersionResource::core("configmaps")).subresource("scale");
    assert!(scales.get("none", &GET).await.expect_err("there is none").is_not_found());
}
