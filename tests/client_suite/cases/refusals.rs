//! What a server does not do, and how it says so.

use serde_json::json;
use watchglass::api::{
    CreateOptions, DeleteOptions, GetOptions, GroupVersionResource, ListOptions, Manifest, ResourcePath, UpdateOptions,
};

use super::{Context, Widgets, config_map, deployment, failure, namespaces, object, pod};

const GET: GetOptions = GetOptions { resource_version: String::new() };

fn plain() -> CreateOptions {
    CreateOptions::default()
}

const NO_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
    '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

pub async fn name_the_field_of_a_bad_name(context: Context) {
    let error = context.config_maps().create(&config_map("Bad_Name", json!({})), &plain()).await;
    assert!(error.as_ref().is_err_and(|error| error.is_invalid()));
    let why = format!("Invalid value: \"Bad_Name\": {NO_SUBDOMAIN}");
    let expected = json!({
        "status": "Failure", "code": 422, "reason": "Invalid",
        "message": format!("ConfigMap \"Bad_Name\" is invalid: metadata.name: {why}"),
        "details": {
            "name": "Bad_Name", "kind": "ConfigMap",
            "causes": [{ "reason": "FieldValueInvalid", "message": why, "field": "metadata.name" }],
        },
    });
    assert_eq!(failure(error), expected);
}

pub async fn ask_for_a_name(context: Context) {
    let nameless = object(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": {} }));
    let why = "Required value: name or generateName is required";
    let expected = json!({
        "status": "Failure", "code": 422, "reason": "Invalid",
        "message": format!("ConfigMap \"\" is invalid: metadata.name: {why}"),
        "details": {
            "kind": "ConfigMap",
            "causes": [{ "reason": "FieldValueRequired", "message": why, "field": "metadata.name" }],
        },
    });
    assert_eq!(failure(context.config_maps().create(&nameless, &plain()).await), expected);
}

pub async fn name_a_bad_label(context: Context) {
    let mut map = config_map("one", json!({}));
    map.metadata.labels.insert("app".into(), "a b".into());
    let answer = failure(context.config_maps().create(&map, &plain()).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(422), &json!("Invalid")));
    let cause = &answer["details"]["causes"][0];
    assert_eq!((&cause["reason"], &cause["field"]), (&json!("FieldValueInvalid"), &json!("metadata.labels")));
}

pub async fn leave_what_cannot_change(context: Context) {
    let map = object(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "fixed" }, "immutable": true,
        "data": { "a": "1" },
    }));
    let created = context.config_maps().create(&map, &plain()).await.expect("it is created");
    let mut changed = Manifest::clone(&created);
    changed.fields.insert("data".into(), json!({ "a": "2" }));
    let why = "Forbidden: field is immutable when `immutable` is set";
    let expected = json!({
        "status": "Failure", "code": 422, "reason": "Invalid",
        "message": format!("ConfigMap \"fixed\" is invalid: data: {why}"),
        "details": {
            "name": "fixed", "kind": "ConfigMap",
            "causes": [{ "reason": "FieldValueForbidden", "message": why, "field": "data" }],
        },
    });
    assert_eq!(failure(context.config_maps().update(&changed, &plain()).await), expected);
}

pub async fn tell_a_body_of_another_kind(context: Context) {
    let message = |expected: &str, internal: &str| {
        format!(
            "Pod in version \"v1\" cannot be handled as a {expected}: converting (v1.Pod) to ({internal}.{expected}): \
             unknown conversion"
        )
    };
    let refused =
        |message: String| json!({ "status": "Failure", "code": 400, "reason": "BadRequest", "message": message });
    let answer = failure(context.config_maps().create(&pod("one"), &plain()).await);
    assert_eq!(answer, refused(message("ConfigMap", "core")));
    let answer = failure(context.deployments().create(&pod("one"), &plain()).await);
    assert_eq!(answer, refused(message("Deployment", "apps")));
}

pub async fn tell_a_body_of_another_namespace(context: Context) {
    let mut map = config_map("one", json!({}));
    map.metadata.namespace = "default".into();
    let answer = failure(context.config_maps().create(&map, &plain()).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    let expected = "the namespace of the provided object does not match the namespace sent on the request";
    assert_eq!(answer["message"], expected);
}

pub async fn tell_a_body_of_another_name(context: Context) {
    context.create_config_maps(&["one"]).await;
    let path = context.path(&super::config_maps()).named("one");
    let answer = failure(context.rest().update(&path, &config_map("two", json!({})), &UpdateOptions::default()).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    assert_eq!(answer["message"], "the name of the object (two) does not match the name on the URL (one)");
}

pub async fn know_no_other_resource(context: Context) {
    let nothing = context.resource(&GroupVersionResource::core("gizmos"));
    let error = nothing.list(&ListOptions::default()).await.expect_err("there is none");
    assert!(error.is_not_found());
    let nothing = context.resource(&GroupVersionResource::new("gizmos.example.com", "v1", "gizmos"));
    assert!(nothing.get("one", &GET).await.expect_err("there is none").is_not_found());
}

pub async fn take_nothing_into_a_namespace_that_is_not_there(context: Context) {
    let nowhere = context.everywhere(&super::config_maps()).namespace("nowhere");
    let expected = json!({
        "status": "Failure", "code": 404, "reason": "NotFound", "message": "namespaces \"nowhere\" not found",
        "details": { "name": "nowhere", "kind": "namespaces" },
    });
    assert_eq!(failure(nowhere.create(&config_map("one", json!({})), &plain()).await), expected);
}

pub async fn take_nothing_into_a_namespace_that_ends(context: Context) {
    let ending = format!("{}-ends", context.namespace);
    context.create_other_namespace(&ending).await;
    let maps = context.everywhere(&super::config_maps()).namespace(&ending);
    let mut held = config_map("held", json!({}));
    held.metadata.finalizers = vec!["example.com/hold".into()];
    maps.create(&held, &plain()).await.expect("it is created");
    let all = context.everywhere(&namespaces());
    all.delete(&ending, &DeleteOptions::default()).await.expect("it begins to end");
    let namespace = all.get(&ending, &GET).await.expect("what it holds is held");
    assert_eq!(namespace.str_at(&["status", "phase"]), Some("Terminating"));
    let error = maps.create(&config_map("late", json!({})), &plain()).await.expect_err("it ends");
    assert!(error.is_forbidden());
    let why = format!("namespace {ending} is being terminated");
    let expected = json!({
        "status": "Failure", "code": 403, "reason": "Forbidden",
        "message": format!(
            "configmaps \"late\" is forbidden: unable to create new content in namespace {ending} because it is being \
             terminated"),
        "details": {
            "name": "late", "kind": "configmaps",
            "causes": [{ "reason": "NamespaceTerminating", "message": why, "field": "metadata.namespace" }],
        },
    });
    let answer = failure(Err::<(), _>(error));
    let mut held = Manifest::clone(&maps.get("held", &GET).await.expect("it is held"));
    held.metadata.finalizers.clear();
    maps.update(&held, &plain()).await.expect("it is let go");
    assert_eq!(answer, expected);
    context.until(async || all.get(&ending, &GET).await.is_err_and(|error| error.is_not_found())).await;
}

pub async fn hold_a_schema(context: Context) {
    let widgets = Widgets::define(&context).await;
    let answer = failure(widgets.client.create(&widgets.widget("one", json!({ "size": "large" })), &plain()).await);
    let why = "Invalid value: \"string\": spec.size in body must be of type integer: \"string\"";
    let expected = json!({
        "status": "Failure", "code": 422, "reason": "Invalid",
        "message": format!("Widget.{} \"one\" is invalid: spec.size: {why}", widgets.group),
        "details": {
            "name": "one", "kind": "Widget", "group": widgets.group,
            "causes": [{ "reason": "FieldValueTypeInvalid", "message": why, "field": "spec.size" }],
        },
    });
    assert_eq!(answer, expected);
}

pub async fn name_a_selector_that_does_not_match_the_template(context: Context) {
    let mut bad = deployment("web");
    bad.fields["spec"]["template"]["metadata"]["labels"] = json!({ "app": "other" });
    let answer = failure(context.deployments().create(&bad, &plain()).await);
    let why = "Invalid value: {\"app\":\"other\"}: `selector` does not match template `labels`";
    let expected = json!({
        "status": "Failure", "code": 422, "reason": "Invalid",
        "message": format!("Deployment.apps \"web\" is invalid: spec.template.metadata.labels: {why}"),
        "details": {
            "name": "web", "kind": "Deployment", "group": "apps",
            "causes": [{
                "reason": "FieldValueInvalid", "message": why, "field": "spec.template.metadata.labels",
            }],
        },
    });
    assert_eq!(answer, expected);
}

pub async fn say_which_methods_there_are(context: Context) {
    let path = ResourcePath::all(super::config_maps());
    let answer = failure(context.rest().create(&path, &config_map("one", json!({})), &plain()).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(405), &json!("MethodNotAllowed")));
    assert_eq!(answer["message"], "the server does not allow this method on the requested resource");
}
