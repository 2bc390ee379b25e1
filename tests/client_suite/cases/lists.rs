//! Selectors, pages and resourceVersions of lists.

use serde_json::json;
use watchglass::api::{CreateOptions, DeleteOptions, GetOptions, List, ListOptions, ResourceVersionMatch};
use watchglass::rest::{ListPager, Page};

use super::{Context, Widgets, config_map, failure, pod, with_fields, with_labels};

fn names(list: &List) -> Vec<&str> {
    list.items.iter().map(|item| item.name()).collect()
}

/// Of ConfigMaps whose names are one letter: a controller puts another one into each namespace.
fn letters(list: &List) -> String {
    names(list).into_iter().filter(|name| name.len() == 1).collect()
}

pub async fn select_by_labels(context: Context) {
    for (name, labels) in
        [("a", json!({ "tier": "front", "app": "x" })), ("b", json!({ "tier": "back" })), ("c", json!({ "app": "y" }))]
    {
        let mut map = config_map(name, json!({}));
        map.metadata.labels = serde_json::from_value(labels).expect("labels");
        context.config_maps().create(&map, &CreateOptions::default()).await.expect("it is created");
    }
    let cases = [
        ("tier=front", "a"),
        ("tier==front", "a"),
        ("tier!=front", "bc"),
        ("tier in (front,back)", "ab"),
        ("tier notin (front)", "bc"),
        ("tier", "ab"),
        ("!tier", "c"),
        ("tier,app", "a"),
        ("tier=front,app=y", ""),
        ("app in (x,y),!tier", "c"),
    ];
    for (selector, expected) in cases {
        let list = context.config_maps().list(&with_labels(selector)).await.expect("a list");
        assert_eq!(letters(&list), expected, "{selector}");
    }
}

pub async fn select_by_fields(context: Context) {
    context.create_config_maps(&["a", "b"]).await;
    let maps = context.config_maps();
    let list = async |selector: &str| maps.list(&with_fields(selector)).await.expect("a list");
    assert_eq!(letters(&list("metadata.name=a").await), "a");
    assert_eq!(letters(&list("metadata.name!=a").await), "b");
    assert_eq!(letters(&list(&format!("metadata.namespace={}", context.namespace)).await), "ab");
    assert_eq!(letters(&list("metadata.namespace=other").await), "");
    context.pods().create(&pod("web"), &CreateOptions::default()).await.expect("it is created");
    for (selector, count) in [
        ("status.phase=Pending", 1),
        ("status.phase=Running", 0),
        ("spec.nodeName=", 1),
        ("spec.schedulerName=nobody", 1),
    ] {
        let pods = context.pods().list(&with_fields(selector)).await.expect("a list");
        assert_eq!(pods.items.len(), count, "{selector}");
    }
    let widgets = Widgets::define(&context).await;
    widgets.create("one", 1).await;
    let named = widgets.client.list(&with_fields("metadata.name=one")).await.expect("a list");
    assert_eq!(names(&named), ["one"]);
}

pub async fn refuse_selectors_that_they_do_not_know(context: Context) {
    let answer = failure(context.config_maps().list(&with_fields("data.a=1")).await);
    let expected = json!({
        "status": "Failure", "code": 400, "reason": "BadRequest",
        "message": "\"data.a\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
    });
    assert_eq!(answer, expected);
    for selector in ["tier in", "=front", "a b", "tier=a b"] {
        let answer = failure(context.config_maps().list(&with_labels(selector)).await);
        assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")), "{selector}");
    }
}

pub async fn come_in_pages(context: Context) {
    context.create_config_maps(&["a", "b", "c", "d", "e"]).await;
    let maps = context.config_maps();
    let all = with_fields("metadata.name!=kube-root-ca.crt");
    let whole = maps.list(&all).await.expect("a list");
    assert_eq!(letters(&whole), "abcde");
    let first = maps.list(&ListOptions { limit: Some(2), ..ListOptions::default() }).await.expect("a page");
    assert_eq!(letters(&first), "ab");
    assert!(!first.metadata.r#continue.is_empty());
    assert!(first.metadata.remaining_item_count.is_some_and(|left| left >= 3));
    // What comes later does not show: all pages are of one moment.
    context.create_config_maps(&["cc"]).await;
    let next = |page: &List, limit| ListOptions {
        limit: Some(limit),
        r#continue: page.metadata.r#continue.clone(),
        ..ListOptions::default()
    };
    let second = maps.list(&next(&first, 2)).await.expect("a page");
    assert_eq!((names(&second), &second.metadata.resource_version), (vec!["c", "d"], &first.metadata.resource_version));
    let last = maps.list(&next(&second, 500)).await.expect("a page");
    assert_eq!(letters(&last), "e");
    assert!(last.metadata.r#continue.is_empty() && last.metadata.remaining_item_count.is_none());
}

/// Selectors leave unsaid how many are left.
pub async fn come_in_pages_of_what_is_selected(context: Context) {
    for (name, tier) in [("a", "front"), ("b", "back"), ("c", "front"), ("d", "front")] {
        let mut map = config_map(name, json!({}));
        map.metadata.labels.insert("tier".into(), tier.into());
        context.config_maps().create(&map, &CreateOptions::default()).await.expect("it is created");
    }
    let options = ListOptions { limit: Some(2), ..with_labels("tier=front") };
    let first = context.config_maps().list(&options).await.expect("a page");
    assert_eq!((letters(&first).as_str(), first.metadata.remaining_item_count), ("ac", None));
    let options = ListOptions { r#continue: first.metadata.r#continue, ..options };
    assert_eq!(letters(&context.config_maps().list(&options).await.expect("a page")), "d");
}

pub async fn are_put_together_by_the_pager(context: Context) {
    context.create_config_maps(&["a", "b", "c", "d", "e"]).await;
    let (maps, asked) = (context.config_maps(), std::cell::Cell::new(0));
    let page = async |options: ListOptions| {
        asked.set(asked.get() + 1);
        maps.list(&options).await
    };
    let pages = Pages(page);
    let pager = ListPager { page_size: Some(2), ..ListPager::default() };
    let (list, paginated) = pager.list(&pages, ListOptions::default()).await.expect("a list");
    assert_eq!((letters(&list).as_str(), paginated), ("abcde", true));
    assert!(asked.get() >= 3);
}

struct Pages<F>(F);

impl<F: AsyncFn(ListOptions) -> Result<List, watchglass::api::Error>> Page for Pages<F> {
    async fn page(&self, options: ListOptions) -> Result<List, watchglass::api::Error> {
        (self.0)(options).await
    }
}

pub async fn refuse_tokens_that_are_none(context: Context) {
    let options = ListOptions { limit: Some(2), r#continue: "nonsense".into(), ..ListOptions::default() };
    let answer = failure(context.config_maps().list(&options).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    let message = answer["message"].as_str().expect("a message");
    assert!(message.starts_with("invalid continue token: continue key is not valid: "), "{message}");
    context.create_config_maps(&["a", "b"]).await;
    let first = ListOptions { limit: Some(1), ..ListOptions::default() };
    let first = context.config_maps().list(&first).await.expect("a page");
    let options = ListOptions {
        limit: Some(1),
        r#continue: first.metadata.r#continue,
        resource_version: first.metadata.resource_version,
        ..ListOptions::default()
    };
    let answer = failure(context.config_maps().list(&options).await);
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    assert_eq!(answer["message"], "specifying resource version is not allowed when using continue");
}

pub async fn show_the_past_exactly(context: Context) {
    context.create_config_maps(&["a"]).await;
    let past = context.config_maps().list(&ListOptions::default()).await.expect("a list");
    context.create_config_maps(&["b"]).await;
    context.config_maps().delete("a", &DeleteOptions::default()).await.expect("it is deleted");
    let at = |matched| ListOptions {
        resource_version: past.metadata.resource_version.clone(),
        resource_version_match: Some(matched),
        ..ListOptions::default()
    };
    let exact = context.config_maps().list(&at(ResourceVersionMatch::Exact)).await.expect("the past");
    assert_eq!((letters(&exact), &exact.metadata.resource_version), ("a".into(), &past.metadata.resource_version));
    let newer = context.config_maps().list(&at(ResourceVersionMatch::NotOlderThan)).await.expect("a list");
    assert!(["a", "ab", "b"].contains(&letters(&newer).as_str()));
    let any = ListOptions { resource_version: "0".into(), ..ListOptions::default() };
    context.config_maps().list(&any).await.expect("whatever the server has at hand");
}

pub async fn refuse_odd_versions(context: Context) {
    let list = async |version: &str, matched, limit| {
        let options = ListOptions {
            resource_version: version.into(),
            resource_version_match: matched,
            limit,
            ..ListOptions::default()
        };
        failure(context.config_maps().list(&options).await)
    };
    let bad = |field: &str, why: &str| {
        let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: {why}");
        (json!(422), json!("Invalid"), json!(message))
    };
    let of = |answer: serde_json::Value| (answer["code"].clone(), answer["reason"].clone(), answer["message"].clone());
    let exact = Some(ResourceVersionMatch::Exact);
    let why = "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
    assert_eq!(of(list("", exact, None).await), bad("resourceVersionMatch", why));
    let why = "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
    assert_eq!(of(list("0", exact, None).await), bad("resourceVersionMatch", why));
    let answer = list("nonsense", None, None).await;
    assert_eq!((&answer["code"], &answer["reason"]), (&json!(400), &json!("BadRequest")));
    assert_eq!(
        answer["message"],
        "invalid resource version: resourceVersion: Invalid value: \"nonsense\": strconv.ParseUint: parsing \"nonsense\": invalid syntax"
    );
}

/// The server waits a little for its cache to come so far, and gives up.
pub async fn from_the_future_are_too_large(context: Context) {
    let map = config_map("a", json!({}));
    let map = context.config_maps().create(&map, &CreateOptions::default()).await.expect("it is created");
    let now: u64 = map.resource_version().parse().expect("the servers at hand count");
    let options = ListOptions { resource_version: (now + 1_000_000).to_string(), ..ListOptions::default() };
    let client = context.rest().without_retries();
    let error = client.list(&context.path(&super::config_maps()), &options, &|_| {}).await.expect_err("not yet");
    assert!(error.is_too_large_resource_version() && error.is_timeout());
    let status = error.status().expect("the server answered");
    assert!(
        status.message.starts_with(&format!("Timeout: Too large resource version: {}, current: ", now + 1_000_000))
    );
    let details = status.details.as_ref().expect("details");
    assert_eq!(details.retry_after_seconds, Some(1));
    assert_eq!(details.causes[0].reason, "ResourceVersionTooLarge");
    let options = GetOptions { resource_version: (now + 1_000_000).to_string() };
    let path = context.path(&super::config_maps()).named("a");
    let error = client.get(&path, &options).await.expect_err("not yet");
    assert!(error.is_too_large_resource_version());
}

pub async fn of_all_namespaces_hold_them_all(context: Context) {
    let other = format!("{}-too", context.namespace);
    context.create_other_namespace(&other).await;
    let mut map = config_map("a", json!({}));
    map.metadata.labels.insert("suite".into(), context.namespace.clone());
    context.config_maps().create(&map, &CreateOptions::default()).await.expect("it is created");
    let elsewhere = context.everywhere(&super::config_maps()).namespace(&other);
    elsewhere.create(&map, &CreateOptions::default()).await.expect("it is created");
    let selector = with_labels(&format!("suite={}", context.namespace));
    let list = context.everywhere(&super::config_maps()).list(&selector).await.expect("a list");
    let namespaces: Vec<_> = list.items.iter().map(|item| item.namespace()).collect();
    // By the keys of the storage, in which `/` follows the name.
    assert_eq!(namespaces, [other.as_str(), &context.namespace]);
}
