use std::time::Duration;

use futures::FutureExt as _;
use watchglass::runtime::{Request, TransportError};
use watchglass::testing::apiserver::{Fault, FaultRule};
use watchglass::testing::objects;

use super::client::{Client, events};

const PODS: &str = "api/v1/pods";

fn request() -> Request {
    Request { path: PODS.into(), ..Request::default() }
}

fn watch_path(client: &Client) -> String {
    format!("api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion={}", client.server.resource_version())
}

fn add(client: &Client, name: &str) {
    client.server.create(objects::pod("default", name)).expect("the server takes a pod");
}

#[test]
fn a_refused_connection_has_no_head_until_the_fault_is_cleared() {
    let client = Client::new();
    client.server.inject(Fault::Refuse);
    for _ in 0..2 {
        assert_eq!(client.try_send(request()).err(), Some(TransportError("connection refused".into())));
    }
    client.server.clear_faults();
    assert_eq!(client.get(PODS).status, 200);
}

#[test]
fn a_delay_holds_the_head_back() {
    let client = Client::new();
    client.server.inject(FaultRule::from(Fault::Delay { milliseconds: 1500 }).times(1));
    let mut answer = client.server.transport().send(request());
    assert!((&mut answer).now_or_never().is_none());
    client.sandbox.advance(Duration::from_millis(1499));
    assert!((&mut answer).now_or_never().is_none());
    client.sandbox.advance(Duration::from_millis(1));
    assert_eq!(answer.now_or_never().unwrap().unwrap().status, 200);
}

#[test]
fn a_body_breaks_or_ends_after_so_many_bytes() {
    let client = Client::new();
    client.server.load_pods("load", 50).unwrap();
    client.server.inject(FaultRule::from(Fault::Truncate { after_bytes: 70_000 }).times(1));
    let truncated = client.get(PODS);
    assert_eq!((truncated.status, truncated.body.unwrap().len()), (200, 70_000));
    client.server.inject(FaultRule::from(Fault::Drop { after_bytes: 70_000 }).times(1));
    assert!(client.get(PODS).body.is_err());
    client.server.inject(FaultRule::from(Fault::Drop { after_bytes: 0 }).on_path("watch=true").times(1));
    assert!(client.get(PODS).body.is_ok());
    assert!(client.watch(&watch_path(&client)).chunk().unwrap().is_err());
}

#[test]
fn open_watches_break_at_once_and_new_ones_hold() {
    let client = Client::new();
    let mut pods = client.watch(&watch_path(&client));
    let mut nodes = client.watch(&watch_path(&client).replace("pods", "nodes"));
    assert!(pods.ready().is_empty() && nodes.ready().is_empty());
    client.server.inject(FaultRule::from(Fault::DropOpen).on_path("pods"));
    assert!(pods.chunk().unwrap().is_err());
    assert!(pods.chunk().is_none());
    let mut again = client.watch(&watch_path(&client));
    add(&client, "a");
    client.server.seed(objects::node("n")).unwrap();
    assert_eq!(again.ready(), events(&[("ADDED", "a")]));
    assert_eq!(nodes.ready(), events(&[("ADDED", "n")]));
}

#[test]
fn a_410_befalls_the_next_list_or_watch() {
    let client = Client::new();
    client.server.inject(FaultRule::from(Fault::Gone).times(2));
    assert_eq!(client.get("api/v1/namespaces/default").status, 200);
    assert_eq!(client.get(PODS).status, 410);
    let mut watch = client.watch(&watch_path(&client));
    assert_eq!(watch.event()["object"]["reason"], "Expired");
    assert!(watch.chunk().is_none());
    assert_eq!(client.get(PODS).status, 200);
}

#[test]
fn too_many_requests_say_when_to_come_back() {
    let client = Client::new();
    client.server.inject(FaultRule::from(Fault::TooManyRequests { retry_after_seconds: 3 }).times(1));
    let refused = client.get(PODS);
    assert_eq!(refused.status, 429);
    assert!(refused.headers.contains(&("retry-after".into(), "3".into())));
    assert_eq!(refused.json()["details"]["retryAfterSeconds"], 3);
    assert_eq!(client.get(PODS).status, 200);
}

#[test]
fn a_silent_watch_stays_open_and_never_speaks_again() {
    let client = Client::new();
    let mut watch = client.watch(&watch_path(&client));
    assert!(watch.ready().is_empty());
    client.server.inject(Fault::Silence);
    let mut later = client.watch(&watch_path(&client));
    assert!(later.ready().is_empty());
    client.sandbox.advance(Duration::from_secs(2));
    add(&client, "a");
    assert!(watch.ready().is_empty() && later.ready().is_empty());
    client.sandbox.advance(Duration::from_secs(7200));
    assert!(watch.ready().is_empty());
    client.server.clear_faults();
    add(&client, "b");
    assert!(watch.ready().is_empty() && later.ready().is_empty());
    let mut new = client.watch(&watch_path(&client));
    add(&client, "c");
    assert_eq!(new.ready(), events(&[("ADDED", "c")]));
    client.server.inject(Fault::DropOpen);
    assert!(watch.chunk().unwrap().is_err());
}

#[test]
fn a_watch_sends_one_frame_of_garbage_and_goes_on() {
    let client = Client::new();
    let mut watch = client.watch(&watch_path(&client));
    client.server.inject(Fault::GarbageFrame);
    let frame = watch.chunk().unwrap().unwrap();
    assert!(frame.ends_with(b"\n"));
    assert!(serde_json::from_slice::<serde_json::Value>(&frame).is_err());
    add(&client, "a");
    assert_eq!(watch.ready(), events(&[("ADDED", "a")]));
}

#[test]
fn other_answers_come_in_the_servers_place() {
    let client = Client::new();
    for (fault, status, content_type, text) in [
        (Fault::HtmlPage, 200, "text/html; charset=utf-8", "<!DOCTYPE html>"),
        (Fault::ProxyError, 500, "text/plain; charset=utf-8", "dial tcp 127.0.0.1:6443: connect: connection refused"),
        (Fault::Forbidden, 403, "application/json", "cannot list resource \\\"pods\\\""),
    ] {
        client.server.inject(FaultRule::from(fault.clone()).times(1));
        let answer = client.get(PODS);
        assert_eq!(answer.status, status, "{fault:?}");
        assert!(answer.headers.contains(&("content-type".into(), content_type.into())), "{fault:?}");
        assert!(answer.body.unwrap().contains(text), "{fault:?}");
        assert_eq!(client.get(PODS).status, 200);
    }
}

#[test]
fn open_watches_end_in_good_order_and_new_ones_hold() {
    let client = Client::new();
    let mut pods = client.watch(&watch_path(&client));
    let mut nodes = client.watch(&watch_path(&client).replace("pods", "nodes"));
    client.server.inject(FaultRule::from(Fault::CloseOpen).on_path("pods"));
    add(&client, "missed");
    assert!(pods.chunk().is_none());
    assert!(nodes.ready().is_empty());
    let mut again = client.watch(&watch_path(&client));
    add(&client, "a");
    assert_eq!(again.ready(), events(&[("ADDED", "a")]));
}

#[test]
fn an_error_event_ends_an_open_watch_before_what_happened_later_and_then_a_new_one() {
    let client = Client::new();
    let mut open = client.watch(&watch_path(&client));
    client.server.inject(FaultRule::from(Fault::ErrorEvent { code: 429 }).on_path("pods").times(2));
    add(&client, "missed");
    let error = open.event();
    assert_eq!((&error["type"], &error["object"]["kind"]), (&"ERROR".into(), &"Status".into()));
    assert_eq!((&error["object"]["code"], &error["object"]["reason"]), (&429.into(), &"TooManyRequests".into()));
    assert!(open.chunk().is_none());
    assert_eq!(client.get(PODS).status, 200);
    assert_eq!(client.server.faults(), [FaultRule::from(Fault::ErrorEvent { code: 429 }).on_path("pods").times(1)]);
    assert_eq!(client.watch(&watch_path(&client)).event()["type"], "ERROR");
    assert_eq!(client.server.faults(), []);
}

#[test]
fn watches_that_have_told_everything_are_counted_until_they_end() {
    let client = Client::new();
    let open = || client.server.open_watches("pods");
    let path = watch_path(&client);
    add(&client, "a");
    let mut first = client.watch(&path);
    assert_eq!(first.event()["type"], "ADDED");
    assert!(open().is_empty());
    assert!(first.ready().is_empty());
    let numbers = open();
    assert_eq!((numbers.len(), client.server.open_watches("nodes").len()), (1, 0));
    let mut second = client.watch(&watch_path(&client));
    assert!(second.ready().is_empty());
    assert_eq!((open().len(), open()[0]), (2, numbers[0]));
    drop(first);
    assert_eq!((open().len(), open().contains(&numbers[0])), (1, false));
    client.server.inject(Fault::DropOpen);
    assert!(second.chunk().unwrap().is_err());
    assert!(open().is_empty());
    client.server.inject(Fault::GarbageFrame);
    let mut garbled = client.watch(&watch_path(&client));
    assert!(garbled.chunk().unwrap().is_ok());
    assert!(garbled.ready().is_empty());
    assert!(open().is_empty());
}
