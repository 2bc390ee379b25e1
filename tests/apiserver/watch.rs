use std::time::Duration;

use watchglass::testing::apiserver::{ApiServerOptions, Fault, FaultRule};
use watchglass::testing::objects::{self, Build as _};

use super::client::{Client, events};

fn add(client: &Client, name: &str) {
    client.server.seed(objects::pod("shop", name)).expect("the server takes a pod");
}

#[test]
fn a_watch_tells_exactly_what_came_later_in_order() {
    let client = Client::new();
    add(&client, "before");
    let start = client.server.resource_version();
    add(&client, "a");
    client.server.seed(objects::node("n")).unwrap();
    client.server.seed(objects::pod("payments", "elsewhere")).unwrap();
    let mut watch = client.watch(&format!("api/v1/namespaces/shop/pods?watch=true&resourceVersion={start}"));
    client
        .server
        .modify("pods", "shop", "before", |pod| pod.metadata.labels.extend([("a".into(), "b".into())]))
        .unwrap();
    client.server.delete("pods", "shop", "a").unwrap();
    assert_eq!(watch.ready(), events(&[("ADDED", "a"), ("MODIFIED", "before"), ("DELETED", "a")]));
    assert!(watch.ready().is_empty());
    add(&client, "b");
    let event = watch.event();
    assert_eq!((&event["type"], &event["object"]["kind"]), (&"ADDED".into(), &"Pod".into()));
    assert_eq!(event["object"]["metadata"]["resourceVersion"], client.server.resource_version());
}

#[test]
fn a_watch_from_nowhere_begins_with_what_is_there() {
    for start in ["", "&resourceVersion=0", "&resourceVersion="] {
        let client = Client::new();
        add(&client, "b");
        add(&client, "a");
        client
            .server
            .modify("pods", "shop", "b", |pod| pod.metadata.labels.extend([("a".into(), "b".into())]))
            .unwrap();
        let mut watch = client.watch(&format!("api/v1/pods?watch=true{start}"));
        assert_eq!(watch.ready(), events(&[("ADDED", "a"), ("ADDED", "b")]), "{start}");
        client.server.delete("pods", "shop", "a").unwrap();
        assert_eq!(watch.ready(), events(&[("DELETED", "a")]));
    }
}

#[test]
fn an_object_that_comes_under_the_selector_is_added_and_one_that_leaves_is_deleted() {
    let client = Client::new();
    add(&client, "a");
    let start = client.server.resource_version();
    let mut watch = client.watch(&format!("api/v1/pods?watch=true&labelSelector=app&resourceVersion={start}"));
    let set_label = |name: &str, value: &str| {
        let change = |pod: &mut watchglass::api::Manifest| {
            pod.metadata.labels.clear();
            pod.metadata.labels.insert(name.into(), value.into());
        };
        client.server.modify("pods", "shop", "a", change).unwrap();
    };
    set_label("app", "x");
    set_label("app", "y");
    set_label("other", "z");
    set_label("other", "zz");
    let names = [watch.event(), watch.event(), watch.event()];
    assert_eq!(names.each_ref().map(|event| event["type"].as_str().unwrap()), ["ADDED", "MODIFIED", "DELETED"]);
    assert_eq!(names[2]["object"]["metadata"]["labels"]["app"], "y");
    let left_at: u64 = names[2]["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    assert_eq!(left_at, start.parse::<u64>().unwrap() + 3);
    assert!(watch.ready().is_empty());
}

#[test]
fn bookmarks_come_each_minute_and_shortly_before_the_end_to_those_who_ask() {
    let client = Client::new();
    let start = client.server.resource_version();
    let path = format!("api/v1/pods?watch=true&timeoutSeconds=90&resourceVersion={start}");
    let mut plain = client.watch(&path);
    let mut watch = client.watch(&format!("{path}&allowWatchBookmarks=true"));
    client.server.seed(objects::node("n")).unwrap();
    let begin = client.sandbox.clock().clone();
    let elapsed = || {
        use watchglass::runtime::{Clock as _, Moment};
        begin.now().since(Moment::default()).as_secs()
    };
    let bookmark = watch.event();
    assert_eq!((&bookmark["type"], elapsed()), (&"BOOKMARK".into(), 60));
    assert_eq!(bookmark["object"]["metadata"]["resourceVersion"], client.server.resource_version());
    assert_eq!(bookmark["object"]["kind"], "Pod");
    assert_eq!((&watch.event()["type"], elapsed()), (&"BOOKMARK".into(), 88));
    assert!(watch.chunk().is_none());
    assert_eq!(elapsed(), 90);
    assert!(plain.chunk().is_none());
}

#[test]
fn behind_the_history_a_watch_is_answered_with_410_inside_the_stream() {
    let options = ApiServerOptions { history: 3, ..ApiServerOptions::default() };
    let client = Client::with_options(options);
    let start: u64 = client.server.resource_version().parse().unwrap();
    for name in ["a", "b", "c", "d", "e"] {
        client.server.create(objects::pod("default", name)).unwrap();
    }
    let mut watch = client.watch(&format!("api/v1/pods?watch=true&resourceVersion={}", start + 2));
    assert_eq!(watch.ready(), events(&[("ADDED", "c"), ("ADDED", "d"), ("ADDED", "e")]));
    let mut watch = client.watch(&format!("api/v1/pods?watch=true&resourceVersion={}", start + 1));
    let event = watch.event();
    assert_eq!((&event["type"], &event["object"]["code"]), (&"ERROR".into(), &410.into()));
    assert_eq!(event["object"]["reason"], "Expired");
    let message = format!("too old resource version: {} ({})", start + 1, start + 2);
    assert_eq!(event["object"]["message"], message);
    assert!(watch.chunk().is_none());
}

#[test]
fn forgetting_the_history_ends_no_watch_that_has_heard_everything() {
    let client = Client::new();
    add(&client, "a");
    let start = client.server.resource_version();
    let path = format!("api/v1/pods?watch=true&resourceVersion={start}");
    let mut watch = client.watch(&path);
    assert!(watch.ready().is_empty());
    client.server.compact();
    add(&client, "b");
    assert_eq!(watch.ready(), events(&[("ADDED", "b")]));
    assert_eq!(client.watch(&path).event()["object"]["code"], 410);
}

#[test]
fn a_reader_that_falls_behind_the_history_is_cut_off_in_good_order() {
    let options = ApiServerOptions { history: 2, ..ApiServerOptions::default() };
    let client = Client::with_options(options);
    let start = client.server.resource_version();
    let mut watch = client.watch(&format!("api/v1/pods?watch=true&resourceVersion={start}"));
    for name in ["a", "b", "c"] {
        client.server.create(objects::pod("default", name)).unwrap();
    }
    assert!(watch.chunk().is_none());
}

#[test]
fn a_watch_without_a_timeout_ends_between_half_an_hour_and_an_hour() {
    let client = Client::new();
    let start = client.server.resource_version();
    let mut watch = client.watch(&format!("api/v1/pods?watch=true&resourceVersion={start}"));
    client.sandbox.advance(Duration::from_secs(1799));
    assert!(watch.ready().is_empty());
    assert!(watch.chunk().is_none());
}

#[test]
fn a_watch_whose_resource_version_is_still_to_come_waits_for_it() {
    let client = Client::new();
    let now: u64 = client.server.resource_version().parse().unwrap();
    let mut watch = client.watch(&format!("api/v1/pods?watch=true&resourceVersion={}", now + 1));
    client.server.create(objects::pod("default", "a").with_label("told", "no")).unwrap();
    client.server.create(objects::pod("default", "b").with_label("told", "yes")).unwrap();
    assert_eq!(watch.ready(), events(&[("ADDED", "b")]));
}

const WATCH_LIST: &str =
    "api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

/// kubernetes/kubernetes#135895, PR #139716: fakes never marked the end, and tests hung.
#[test]
fn a_watch_list_brings_what_is_there_marks_its_end_and_goes_on() {
    for start in ["", "&resourceVersion=0", "&resourceVersion=2"] {
        let client = Client::new();
        add(&client, "b");
        add(&client, "a");
        let mut watch = client.watch(&format!("{WATCH_LIST}{start}"));
        assert_eq!([watch.event()["type"].clone(), watch.event()["type"].clone()], ["ADDED", "ADDED"], "{start}");
        let bookmark = watch.event();
        assert_eq!(bookmark["type"], "BOOKMARK");
        assert_eq!(bookmark["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
        assert_eq!(bookmark["object"]["metadata"]["resourceVersion"], client.server.resource_version());
        client.server.delete("pods", "shop", "a").unwrap();
        assert_eq!(watch.ready(), events(&[("DELETED", "a")]));
    }
}

#[test]
fn the_end_of_a_watch_list_is_marked_at_the_state_that_was_sent() {
    let client = Client::new();
    add(&client, "a");
    let state = client.server.resource_version();
    let mut watch = client.watch(WATCH_LIST);
    assert_eq!(watch.event()["type"], "ADDED");
    add(&client, "later");
    assert_eq!(watch.event()["object"]["metadata"]["resourceVersion"], state);
    assert_eq!(watch.ready(), events(&[("ADDED", "later")]));
}

#[test]
fn only_who_asks_for_bookmarks_is_told_of_the_end_and_initial_events_can_be_declined() {
    let client = Client::new();
    add(&client, "a");
    let mut unmarked = client.watch(&WATCH_LIST.replace("allowWatchBookmarks=true&", ""));
    assert_eq!(unmarked.ready(), events(&[("ADDED", "a")]));
    let declined = WATCH_LIST.replace("sendInitialEvents=true", "sendInitialEvents=false");
    let mut declined = client.watch(&declined);
    assert!(declined.ready().is_empty());
    add(&client, "b");
    assert_eq!(declined.ready(), events(&[("ADDED", "b")]));
    let declined_from_the_past = format!("{}&resourceVersion=1", WATCH_LIST.replace("Events=true", "Events=false"));
    assert_eq!(client.watch(&declined_from_the_past).ready(), events(&[("ADDED", "a"), ("ADDED", "b")]));
}

#[test]
fn a_server_without_watch_lists_refuses_them_and_one_with_faults_does_not_mark_the_end() {
    let without = Client::with_options(ApiServerOptions { watch_list: false, ..ApiServerOptions::default() });
    let refused = without.get(WATCH_LIST);
    assert_eq!((refused.status, &refused.json()["reason"]), (422, &"Invalid".into()));
    let client = Client::new();
    add(&client, "a");
    client.server.inject(FaultRule::from(Fault::NoInitialBookmark).times(1));
    let mut withheld = client.watch(WATCH_LIST);
    assert_eq!(withheld.ready(), events(&[("ADDED", "a")]));
    add(&client, "b");
    assert_eq!(withheld.ready(), events(&[("ADDED", "b")]));
    client.server.inject(FaultRule::from(Fault::CloseBeforeInitialBookmark).times(1));
    let mut closed = client.watch(WATCH_LIST);
    assert_eq!([closed.event()["type"].clone(), closed.event()["type"].clone()], ["ADDED", "ADDED"]);
    assert!(closed.chunk().is_none());
    assert_eq!(client.watch(WATCH_LIST).ready().len(), 3, "the faults are used up");
}
