//! Opening a watch.

use futures::StreamExt as _;
use serde_json::json;
use watchglass::api::{Error, ListOptions, WatchEvent};
use watchglass::cache::{ListerWatcher, ListerWatcherSource};
use watchglass::rest::{Accept, Config, ResourceListWatch, RestClient};
use watchglass::runtime::Traffic;

use super::scripted;
use super::scripted::{Scripted, Step, answer, fails, list, pod, pods};

fn open(server: &Scripted, max_retries: u32) -> Result<Vec<Result<WatchEvent, Error>>, Error> {
    let client = RestClient::for_config(&Config { max_retries, ..server.config() });
    let options = ListOptions { resource_version: "7".into(), ..ListOptions::default() };
    server.block_on(async { Ok(client.watch(&pods(), &options).await?.collect().await) })
}

fn events() -> Step {
    let event = |kind: &str| json!({ "type": kind, "object": pod() }).to_string();
    answer(200).body(["ADDED", "MODIFIED", "DELETED"].map(event).join("\n"))
}

/// client-go: `TestWatch`, `TestRequestWatch`.
#[test]
fn a_watch_gives_the_events_and_ends_with_the_body() {
    for failures in [0, 3] {
        let failing = (0..failures).map(|_| answer(429).retry_after(1));
        let server = Scripted::new(failing.chain([events()]));
        let events = open(&server, 10).expect("a watch");
        let kinds: Vec<_> = events.iter().map(|event| event.as_ref().expect("no event is an error")).collect();
        assert!(matches!(kinds[..], [WatchEvent::Added(_), WatchEvent::Modified(_), WatchEvent::Deleted(_)]));
        assert_eq!(server.attempts(), failures + 1);
        assert_eq!(server.lines()[0], "GET api/v1/namespaces/shop/pods?watch=true&resourceVersion=7");
        assert_eq!(server.requests()[0].traffic, Traffic::Watch);
    }
}

/// client-go: `TestRequestWatch`. Where client-go gives an empty watch, here is an error that lets a reflector watch
/// again without a new list.
#[test]
fn a_watch_that_cannot_be_opened_says_why() {
    type Is = fn(&Error) -> bool;
    let forbidden =
        json!({ "kind": "Status", "status": "Failure", "reason": "Forbidden", "message": "m", "code": 403 });
    let unauthorized = json!({ "kind": "Status", "status": "Failure", "reason": "Unauthorized" });
    let cases: [(Step, u32, usize, Is); 10] = [
        (fails("err"), 0, 1, Error::is_unreachable),
        (scripted::json(403, &forbidden), 2, 1, Error::is_forbidden),
        (answer(403), 2, 1, Error::is_forbidden),
        (answer(401), 2, 1, Error::is_unauthorized),
        (scripted::json(401, &unauthorized), 2, 1, Error::is_unauthorized),
        (fails("EOF"), 0, 1, Error::is_unreachable),
        (fails("http: can't write HTTP request on broken connection"), 0, 1, Error::is_unreachable),
        (fails("foo: connection reset by peer"), 0, 1, Error::is_unreachable),
        (fails("EOF"), 2, 3, Error::is_unreachable),
        (answer(500).retry_after(1), 2, 3, Error::is_internal_error),
    ];
    for (step, max_retries, attempts, is) in cases {
        let server = Scripted::new([step]);
        let error = open(&server, max_retries).expect_err("it cannot be opened");
        assert!(is(&error), "{error:?}");
        assert_eq!(server.attempts(), attempts, "{error}");
    }
}

#[test]
fn only_a_200_opens_a_watch() {
    for code in [201, 202, 204, 206] {
        let server = Scripted::new([answer(code).body("{}")]);
        assert!(open(&server, 10).is_err(), "{code}");
    }
}

/// client-go: `TestRequestWatchWithRetry`.
#[test]
fn a_watch_is_opened_after_whatever_passes() {
    let server = Scripted::new([answer(429).retry_after(1), fails("unexpected EOF"), fails("i/o timeout"), events()]);
    assert_eq!(open(&server, 3).expect("a watch").len(), 3);
    assert_eq!(server.waits(), [1, 1, 1]);
}

/// client-go: `TestWatchNonDefaultContentType`, `TestWatchUnknownContentType`. What the bytes are is what counts.
#[test]
fn a_watch_reads_json_under_any_name_and_nothing_else() {
    for name in ["application/json", "application/vnd.kubernetes.protobuf", "foobar", ""] {
        let server = Scripted::new([events().header("content-type", name)]);
        assert_eq!(open(&server, 0).expect("a watch").len(), 3, "{name}");
        let server = Scripted::new([answer(200).header("content-type", name).body("foobar")]);
        let events = open(&server, 0).expect("a watch");
        assert!(matches!(events[..], [Err(Error::Undecodable { .. })]), "{name}: {events:?}");
    }
}

/// client-go retries these inside the client; see the comment at `ResourceListWatch`.
#[test]
fn a_reflector_s_first_page_and_its_watches_are_left_to_the_reflector() {
    let busy = || answer(429).retry_after(1);
    let server = Scripted::new([busy()]);
    let resource = pods().resource;
    let source = server.client().lister_watcher(&resource, Some("shop"));
    let watch = server.block_on(source.watch(ListOptions::default())).err().expect("the server is busy");
    assert!(watch.is_too_many_requests());
    let progress = std::rc::Rc::new(|_: watchglass::cache::ListProgress<'_>| {});
    let list_error = server.block_on(source.list(ListOptions::default(), progress.clone())).expect_err("it is busy");
    assert_eq!(list_error.retry_after(), Some(std::time::Duration::from_secs(1)));
    assert_eq!(server.attempts(), 2);

    let mut first = list(&[pod()]);
    first["metadata"]["continue"] = "token".into();
    let pages = [scripted::json(200, &first), busy(), busy(), scripted::json(200, &list(&[pod()]))];
    let server = Scripted::new(pages);
    let source = server.client().lister_watcher(&resource, None);
    let listed = server.block_on(source.list(ListOptions::default(), progress)).expect("the second page is waited for");
    assert_eq!((listed.list.items.len(), listed.paginated, server.waits()), (2, true, vec![0, 1, 1]));
}

#[test]
fn a_watch_of_metadata_gives_metadata_whatever_the_server_sends() {
    let mut whole = pod();
    whole["spec"] = json!({ "nodeName": "n" });
    let bookmark = json!({ "type": "BOOKMARK", "object": { "metadata": { "resourceVersion": "9" } } });
    let body = format!("{}\n{bookmark}", json!({ "type": "ADDED", "object": whole }));
    let server = Scripted::new([answer(200).body(body)]);
    let source = ResourceListWatch::new(server.client(), pods()).with_accept(Accept::Metadata);
    let events: Vec<_> = server.block_on(async { source.watch(ListOptions::default()).await.unwrap().collect().await });
    let [Ok(WatchEvent::Added(object)), Ok(WatchEvent::Bookmark { resource_version, .. })] = &events[..] else {
        panic!("{events:?} is not what was sent");
    };
    assert_eq!((object.kind(), object.name(), resource_version.as_str()), ("PartialObjectMetadata", "web", "9"));
    assert!(object.get(&["spec"]).is_none());
}
