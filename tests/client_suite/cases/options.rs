//! Dry runs, field validation and warnings.

use std::rc::Rc;

use serde_json::{Value, json};
use watchglass::api::{
    ApplyOptions, CreateOptions, DeleteOptions, FieldValidation, GetOptions, Manifest, Patch, PatchOptions,
};
use watchglass::rest::{Config, WarningCollector};

use super::{Context, Widgets, config_map, definitions, deployment, failure};

const DRY: CreateOptions = CreateOptions { dry_run: true, field_manager: String::new(), field_validation: None };

fn validated(validation: FieldValidation) -> CreateOptions {
    CreateOptions { field_validation: Some(validation), ..CreateOptions::default() }
}

/// The context with a collector of warnings.
fn warned(context: &Context) -> (Context, Rc<WarningCollector>) {
    let warnings = Rc::new(WarningCollector::default());
    let config = Config { warning_handler: warnings.clone(), ..context.config.clone() };
    (context.with_config(config), warnings)
}

/// With a field that no Deployment has.
fn with_unknown_field(name: &str) -> Manifest {
    let mut it = deployment(name);
    it.fields["spec"]["colour"] = json!("red");
    it
}

pub async fn dry_runs_change_nothing(context: Context) {
    let maps = context.config_maps();
    let created = maps.create(&config_map("none", json!({})), &DRY).await.expect("it could be created");
    assert!(!created.uid().is_empty());
    assert!(maps.get("none", &GetOptions::default()).await.expect_err("it was not").is_not_found());

    let first = maps.create(&config_map("one", json!({ "a": "1" })), &CreateOptions::default()).await.expect("created");
    let updated = maps.update(&config_map("one", json!({ "a": "2" })), &DRY).await.expect("it could be updated");
    assert_eq!(updated.get(&["data"]), Some(&json!({ "a": "2" })));
    let patch = Patch::Merge(json!({ "data": { "a": "3" } }));
    let options = PatchOptions { dry_run: true, ..PatchOptions::default() };
    let patched = maps.patch("one", &patch, &options).await.expect("it could be patched");
    assert_eq!(patched.get(&["data"]), Some(&json!({ "a": "3" })));
    let options = ApplyOptions { dry_run: true, field_manager: "first".into(), force: true };
    let applied = maps.apply("one", &config_map("one", json!({ "a": "4" })), &options).await.expect("it could");
    assert_eq!(applied.get(&["data"]), Some(&json!({ "a": "4" })));
    let options = DeleteOptions { dry_run: true, ..DeleteOptions::default() };
    maps.delete("one", &options).await.expect("it could be deleted");
    assert_eq!(maps.get("one", &GetOptions::default()).await.expect("it is there"), first);
}

pub async fn dry_runs_are_refused_as_others(context: Context) {
    context.create_config_maps(&["one"]).await;
    let maps = context.config_maps();
    assert!(maps.create(&config_map("one", json!({})), &DRY).await.expect_err("it exists").is_already_exists());
    assert!(maps.create(&config_map("No", json!({})), &DRY).await.expect_err("no such name").is_invalid());
}

pub async fn strict_writes_refuse_unknown_fields(context: Context) {
    let answer =
        failure(context.deployments().create(&with_unknown_field("web"), &validated(FieldValidation::Strict)).await);
    let expected = json!({
        "status": "Failure", "code": 400, "reason": "BadRequest",
        "message": "Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding error: \
                    unknown field \"spec.colour\"",
    });
    assert_eq!(answer, expected);
}

pub async fn lenient_writes_warn_of_unknown_fields(context: Context) {
    let (context, warnings) = warned(&context);
    let create = async |name: &str, options: CreateOptions| {
        context.deployments().create(&with_unknown_field(name), &options).await.expect("it is created")
    };
    let created = create("ignored", validated(FieldValidation::Ignore)).await;
    assert_eq!((created.get(&["spec", "colour"]), warnings.texts().len()), (None, 0));
    let created = create("warned", validated(FieldValidation::Warn)).await;
    assert_eq!(created.get(&["spec", "colour"]), None);
    assert_eq!(warnings.texts(), ["unknown field \"spec.colour\""]);
    create("default", CreateOptions::default()).await;
    assert_eq!(warnings.texts(), ["unknown field \"spec.colour\""], "Warn is the default");
}

pub async fn unknown_fields_of_a_definition_are_dropped(context: Context) {
    let widgets = Widgets::define(&context).await;
    let odd = |name: &str| widgets.widget(name, json!({ "size": 1, "colour": "red" }));
    let widget = widgets.client.create(&odd("one"), &validated(FieldValidation::Ignore)).await.expect("it is created");
    assert_eq!(widget.get(&["spec"]), Some(&json!({ "size": 1 })));
    let answer = failure(widgets.client.create(&odd("two"), &validated(FieldValidation::Strict)).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    let expected =
        "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown field \"spec.colour\"";
    assert_eq!(answer["message"], expected);
}

/// A version that its definition calls deprecated.
pub async fn deprecated_versions_come_with_a_warning(context: Context) {
    let widgets = Widgets::define(&context).await;
    let version = json!([{ "op": "add", "path": "/spec/versions/0/deprecated", "value": true }]);
    let name = format!("widgets.{}", widgets.group);
    let all = context.everywhere(&definitions());
    all.patch(&name, &Patch::Json(version), &PatchOptions::default()).await.expect("it is patched");
    let expected = format!("{}/v1 Widget is deprecated", widgets.group);
    context
        .until(async || {
            let (context, warnings) = warned(&context);
            context.resource(&widgets.resource).list(&Default::default()).await.expect("a list");
            warnings.texts() == [expected.clone()]
        })
        .await;
}

/// The name of who writes, as `managedFields` keeps it.
pub async fn managers_have_names_of_limited_length(context: Context) {
    let options = CreateOptions { field_manager: "m".repeat(129), ..CreateOptions::default() };
    let answer = failure(context.config_maps().create(&config_map("one", json!({})), &options).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(422), &json!("Invalid")));
    let causes: &Value = &answer["details"]["causes"];
    assert_eq!(causes[0]["field"], "fieldManager", "{answer}");
}
