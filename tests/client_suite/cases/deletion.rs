//! Delete options, finalizers, owners and collections.

use serde_json::json;
use watchglass::api::{
    CreateOptions, DeleteOptions, GetOptions, ListOptions, Manifest, OwnerReference, Preconditions, PropagationPolicy,
    UpdateOptions,
};

use super::{Context, Widgets, config_map, failure, pod, with_labels};

const GET: GetOptions = GetOptions { resource_version: String::new() };

fn plain() -> DeleteOptions {
    DeleteOptions::default()
}

fn propagated(policy: PropagationPolicy) -> DeleteOptions {
    DeleteOptions { propagation_policy: Some(policy), ..plain() }
}

async fn create(context: &Context, map: &Manifest) -> Manifest {
    context.config_maps().create(map, &CreateOptions::default()).await.expect("it is created")
}

async fn is_gone(context: &Context, name: &str) -> bool {
    context.config_maps().get(name, &GET).await.is_err_and(|error| error.is_not_found())
}

pub async fn holds_only_under_its_preconditions(context: Context) {
    let map = create(&context, &config_map("one", json!({}))).await;
    let with = |preconditions| DeleteOptions { preconditions, ..plain() };
    let other_uid = with(Preconditions { uid: Some("other".into()), ..Preconditions::default() });
    let error = context.config_maps().delete("one", &other_uid).await.expect_err("it is another one");
    assert!(error.is_conflict());
    let expected = json!({
        "status": "Failure", "code": 409, "reason": "Conflict",
        "message": format!(
            "Operation cannot be fulfilled on ConfigMap \"one\": the UID in the precondition (other) does not match the \
             UID in record ({}). The object might have been deleted and then recreated", map.uid()),
        "details": { "name": "one", "kind": "ConfigMap" },
    });
    assert_eq!(failure(Err::<(), _>(error)), expected);
    let old = with(Preconditions { resource_version: Some("1".into()), ..Preconditions::default() });
    let answer = failure(context.config_maps().delete("one", &old).await);
    let expected = format!(
        "Operation cannot be fulfilled on ConfigMap \"one\": the ResourceVersion in the precondition (1) does not match \
         the ResourceVersion in record ({}). The object might have been modified",
        map.resource_version()
    );
    assert_eq!((&answer["code"], &answer["message"]), (&json!(409), &json!(expected)));
    let right = Preconditions { uid: Some(map.uid().into()), resource_version: Some(map.resource_version().into()) };
    context.config_maps().delete("one", &with(right)).await.expect("it is this one");
    assert!(is_gone(&context, "one").await);
}

pub async fn waits_for_finalizers(context: Context) {
    let mut held = config_map("held", json!({}));
    held.metadata.finalizers = vec!["example.com/hold".into()];
    let created = create(&context, &held).await;
    context.config_maps().delete("held", &plain()).await.expect("it is marked");
    let marked = context.config_maps().get("held", &GET).await.expect("it is held");
    assert!(marked.metadata.deletion_timestamp.is_some());
    assert_eq!(marked.metadata.deletion_grace_period_seconds, Some(0));
    assert_ne!(marked.resource_version(), created.resource_version());
    context.config_maps().delete("held", &plain()).await.expect("it is marked already");
    let again = context.config_maps().get("held", &GET).await.expect("it is held");
    assert_eq!(again.metadata.deletion_timestamp, marked.metadata.deletion_timestamp);

    let mut more = Manifest::clone(&marked);
    more.metadata.finalizers.push("example.com/more".into());
    let answer = failure(context.config_maps().update(&more, &UpdateOptions::default()).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(422), &json!("Invalid")));
    assert_eq!(answer["details"]["causes"][0]["field"], "metadata.finalizers");

    let mut free = Manifest::clone(&marked);
    free.metadata.finalizers.clear();
    context.config_maps().update(&free, &UpdateOptions::default()).await.expect("it is let go");
    assert!(is_gone(&context, "held").await);
}

fn owned_by(owner: &Manifest, name: &str, blocks: bool) -> Manifest {
    let mut map = config_map(name, json!({}));
    map.metadata.owner_references = vec![OwnerReference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        name: owner.name().into(),
        uid: owner.uid().into(),
        controller: Some(true),
        block_owner_deletion: Some(blocks),
    }];
    map
}

pub async fn takes_what_it_owns_afterwards(context: Context) {
    let owner = create(&context, &config_map("owner", json!({}))).await;
    create(&context, &owned_by(&owner, "owned", false)).await;
    context.config_maps().delete("owner", &propagated(PropagationPolicy::Background)).await.expect("it is deleted");
    assert!(is_gone(&context, "owner").await);
    context.until(async || is_gone(&context, "owned").await).await;
}

pub async fn takes_what_it_owns_first(context: Context) {
    let owner = create(&context, &config_map("owner", json!({}))).await;
    let mut owned = owned_by(&owner, "owned", true);
    owned.metadata.finalizers = vec!["example.com/hold".into()];
    create(&context, &owned).await;
    context.config_maps().delete("owner", &propagated(PropagationPolicy::Foreground)).await.expect("it is marked");
    let marked = context.config_maps().get("owner", &GET).await.expect("it waits for what it owns");
    assert!(marked.metadata.deletion_timestamp.is_some());
    assert_eq!(marked.metadata.finalizers, ["foregroundDeletion"]);
    let is_marked = async || {
        let owned = context.config_maps().get("owned", &GET).await.expect("it is held");
        owned.metadata.deletion_timestamp.is_some()
    };
    context.until(is_marked).await;
    let mut free = Manifest::clone(&context.config_maps().get("owned", &GET).await.expect("it is held"));
    free.metadata.finalizers.clear();
    context.config_maps().update(&free, &UpdateOptions::default()).await.expect("it is let go");
    context.until(async || is_gone(&context, "owner").await).await;
    assert!(is_gone(&context, "owned").await);
}

pub async fn leaves_orphans(context: Context) {
    let owner = create(&context, &config_map("owner", json!({}))).await;
    create(&context, &owned_by(&owner, "owned", false)).await;
    context.config_maps().delete("owner", &propagated(PropagationPolicy::Orphan)).await.expect("it is deleted");
    context.until(async || is_gone(&context, "owner").await).await;
    let owned = context.config_maps().get("owned", &GET).await.expect("it stays");
    assert!(owned.metadata.owner_references.is_empty());
}

/// Nobody who runs pods has seen it, so that there is nothing to end in good order.
pub async fn of_a_pod_on_no_node_is_at_once(context: Context) {
    context.pods().create(&pod("web"), &CreateOptions::default()).await.expect("it is created");
    context.pods().delete("web", &plain()).await.expect("it is deleted");
    assert!(context.pods().get("web", &GET).await.expect_err("it is gone").is_not_found());
    context.pods().create(&pod("web"), &CreateOptions::default()).await.expect("it is created");
    let now = DeleteOptions { grace_period_seconds: Some(0), ..plain() };
    context.pods().delete("web", &now).await.expect("it is deleted");
    assert!(context.pods().get("web", &GET).await.expect_err("it is gone").is_not_found());
}

pub async fn of_a_collection_follows_the_selector(context: Context) {
    for (name, tier) in [("a", "front"), ("b", "back"), ("c", "front")] {
        let mut map = config_map(name, json!({}));
        map.metadata.labels.insert("tier".into(), tier.into());
        create(&context, &map).await;
    }
    let maps = context.config_maps();
    maps.delete_collection(&plain(), &with_labels("tier=front")).await.expect("they are deleted");
    let left = maps.list(&with_labels("tier")).await.expect("a list");
    assert_eq!(left.items.iter().map(|map| map.name()).collect::<Vec<_>>(), ["b"]);
    let widgets = Widgets::define(&context).await;
    widgets.create("one", 1).await;
    widgets.create("two", 2).await;
    widgets.client.delete_collection(&plain(), &ListOptions::default()).await.expect("they are deleted");
    assert!(widgets.client.list(&ListOptions::default()).await.expect("a list").items.is_empty());
}

pub async fn of_a_definition_takes_its_objects(context: Context) {
    let widgets = Widgets::define(&context).await;
    widgets.create("one", 1).await;
    let name = format!("widgets.{}", widgets.group);
    context.everywhere(&super::definitions()).delete(&name, &plain()).await.expect("it is deleted");
    context.until(async || widgets.client.get("one", &GET).await.is_err_and(|error| error.is_not_found())).await;
    let is_unknown = async || {
        let list = widgets.client.list(&ListOptions::default()).await;
        list.is_err_and(|error| error.is_not_found())
    };
    context.until(is_unknown).await;
}
