use watchglass::api::{ListOptions, ResourceVersionMatch};

use ResourceVersionMatch::{Exact, NotOlderThan};

fn list(version: &str, resource_version_match: Option<ResourceVersionMatch>) -> ListOptions {
    ListOptions { resource_version: version.into(), resource_version_match, ..ListOptions::default() }
}

/// client-go: `TestPrepareWatchListOptionsFromListOptions`.
#[test]
fn a_list_becomes_a_watch_when_the_watch_brings_the_same() {
    let limited = |options: ListOptions| ListOptions { limit: Some(4), ..options };
    let able = [
        list("", None),
        list("0", None),
        list("100", None),
        limited(list("0", None)),
        list("0", Some(NotOlderThan)),
        list("100", Some(NotOlderThan)),
        limited(list("0", Some(NotOlderThan))),
        ListOptions { limit: Some(0), ..list("100", None) },
    ];
    for options in able {
        let expected = ListOptions {
            watch: true,
            allow_watch_bookmarks: true,
            send_initial_events: Some(true),
            resource_version_match: Some(NotOlderThan),
            resource_version: options.resource_version.clone(),
            ..ListOptions::default()
        };
        assert_eq!(options.to_watch_list(), Some(expected), "{options:?}");
    }
}

/// client-go: `TestPrepareWatchListOptionsFromListOptions`.
#[test]
fn a_list_that_a_watch_cannot_answer_stays_a_list() {
    let continued = |options: ListOptions| ListOptions { r#continue: "FakeToken".into(), ..options };
    let limited = |options: ListOptions| ListOptions { limit: Some(4), ..options };
    let unable = [
        continued(list("", None)),
        continued(list("0", None)),
        limited(list("", None)),
        limited(list("100", None)),
        list("", Some(NotOlderThan)),
        continued(list("0", Some(NotOlderThan))),
        limited(list("100", Some(NotOlderThan))),
        list("", Some(Exact)),
        list("0", Some(Exact)),
        list("100", Some(Exact)),
        limited(list("0", Some(Exact))),
        continued(list("0", Some(Exact))),
        ListOptions { send_initial_events: Some(false), ..list("0", None) },
    ];
    for options in unable {
        assert_eq!(options.to_watch_list(), None, "{options:?}");
    }
}

#[test]
fn the_selectors_and_the_time_limit_of_the_list_are_the_watch_s() {
    let options = ListOptions {
        label_selector: "app=web".into(),
        field_selector: "spec.nodeName=n1".into(),
        timeout_seconds: Some(30),
        ..list("0", None)
    };
    let watch = options.to_watch_list().unwrap();
    assert_eq!((watch.label_selector.as_str(), watch.field_selector.as_str()), ("app=web", "spec.nodeName=n1"));
    assert_eq!(watch.timeout_seconds, Some(30));
}
