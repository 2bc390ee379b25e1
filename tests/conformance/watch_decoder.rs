use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use futures::channel::mpsc;
use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};
use watchglass::api::{Error, GetOptions, GroupVersionResource, ListOptions, Object, ResourcePath, WatchEvent};
use watchglass::cache::WatchStream;
use watchglass::rest::decode::{DecodeError, WatchDecoder};
use watchglass::rest::{Config, IncludeObject, RestClient};
use watchglass::runtime::{Request, Response, Transport, TransportError};
use watchglass::testing::Sandbox;

type Chunks = mpsc::UnboundedSender<Result<Bytes, TransportError>>;

/// Answers one request with a body that the test writes.
struct Pipe {
    headers: Vec<(String, String)>,
    body: RefCell<Option<mpsc::UnboundedReceiver<Result<Bytes, TransportError>>>>,
}

impl Transport for Pipe {
    fn send(&self, _request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let body = self.body.take().expect("the test sends one request");
        let headers = self.headers.clone();
        async { Ok(Response { status: 200, headers, body: body.boxed_local() }) }.boxed_local()
    }
}

fn watch() -> (Chunks, WatchStream) {
    let (chunks, opened) = answered_with(&[]);
    (chunks, opened.expect("it is a watch"))
}

fn answered_with(headers: &[(&str, &str)]) -> (Chunks, Result<WatchStream, Error>) {
    let (chunks, body) = mpsc::unbounded();
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let client = RestClient::for_config(&Config::without_rate_limit(
        &Sandbox::new().runtime(),
        Rc::new(Pipe { headers, body: RefCell::new(Some(body)) }),
    ));
    let path = ResourcePath::all(GroupVersionResource::core("pods"));
    let opening = client.watch(&path, &ListOptions::default()).now_or_never();
    (chunks, opening.expect("the head is there"))
}

fn write(chunks: &Chunks, text: impl Into<Bytes>) {
    chunks.unbounded_send(Ok(text.into())).expect("the watch reads");
}

fn foo() -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "foo", "resourceVersion": "7" } })
}

fn frame(kind: &str, object: &Value) -> String {
    json!({ "type": kind, "object": object }).to_string()
}

fn next(events: &mut WatchStream) -> Option<Option<Result<WatchEvent, Error>>> {
    events.next().now_or_never()
}

/// client-go: `TestDecoder`.
#[test]
fn each_kind_of_event_is_read_and_the_end_of_the_bytes_is_the_end() {
    let object: Object = serde_json::from_value(foo()).unwrap();
    let (object, status) = (object, json!({ "kind": "Status", "code": 500, "message": "broken" }));
    let cases = [
        ("ADDED", foo(), WatchEvent::Added(object.clone())),
        ("DELETED", foo(), WatchEvent::Deleted(object.clone())),
        ("MODIFIED", foo(), WatchEvent::Modified(object)),
        ("ERROR", status.clone(), WatchEvent::Error(serde_json::from_value(status).unwrap())),
        ("BOOKMARK", foo(), WatchEvent::Bookmark { resource_version: "7".into(), initial_events_end: false }),
    ];
    for (kind, object, expected) in cases {
        let (chunks, mut events) = watch();
        write(&chunks, frame(kind, &object));
        assert_eq!(next(&mut events), Some(Some(Ok(expected))), "{kind}");
        assert_eq!(next(&mut events), None, "it waits for the next event");
        drop(chunks);
        assert_eq!(next(&mut events), Some(None), "{kind}");
    }
}

/// client-go: `TestDecoder_SourceClose`.
#[test]
fn a_watch_that_waits_ends_with_its_source_whatever_it_has_of_an_event() {
    for part in ["", r#"{"type":"ADDED","object":{"metadata""#] {
        let (chunks, mut events) = watch();
        write(&chunks, part);
        assert_eq!(next(&mut events), None);
        drop(chunks);
        assert_eq!(next(&mut events), Some(None), "{part}");
    }
}

/// client-go: `TestEncodeDecodeRoundTrip`.
#[test]
fn an_object_that_is_written_and_read_is_the_same() {
    let object: Object = serde_json::from_value(foo()).unwrap();
    for kind in ["ADDED", "MODIFIED", "DELETED"] {
        let events = decode(frame(kind, &serde_json::to_value(&object).unwrap()).as_bytes()).unwrap();
        let [WatchEvent::Added(read) | WatchEvent::Modified(read) | WatchEvent::Deleted(read)] = &events[..] else {
            panic!("{events:?}")
        };
        assert_eq!(*read, object, "{kind}");
    }
}

fn decode(bytes: &[u8]) -> Result<Vec<WatchEvent>, DecodeError> {
    let mut events = Vec::new();
    WatchDecoder::default().push(bytes, &mut |event| events.push(event))?;
    Ok(events)
}

#[test]
fn a_broken_connection_is_told_apart_from_its_end() {
    let (chunks, mut events) = watch();
    write(&chunks, frame("ADDED", &foo()));
    chunks.unbounded_send(Err(TransportError("reset".into()))).unwrap();
    assert!(matches!(next(&mut events), Some(Some(Ok(WatchEvent::Added(_))))));
    let broken = Error::Interrupted { reason: "reset".into() };
    assert_eq!(next(&mut events), Some(Some(Err(broken))));
    assert_eq!(next(&mut events), Some(None));
}

/// A frame that is no event ends the watch: what comes after it is not read (client-go: `StreamWatcher`).
#[test]
fn a_frame_that_is_no_event_is_the_last_item() {
    let cases = [
        (frame("MOVED", &foo()), "got invalid watch event type: MOVED"),
        (frame("ADDED", &json!("text")), "cannot read an event of the watch: expected "),
        (frame("ERROR", &foo()), "expected an event or a Status, got kind \"Pod\""),
        ("[]".to_owned(), "expected JSON, got: something else after an event"),
    ];
    for (bad, reason) in cases {
        let (chunks, mut events) = watch();
        write(&chunks, format!("{}\n{bad}\n{}\n", frame("ADDED", &foo()), frame("DELETED", &foo())));
        write(&chunks, frame("MODIFIED", &foo()));
        assert!(matches!(next(&mut events), Some(Some(Ok(WatchEvent::Added(_))))), "{bad}");
        let Some(Some(Err(error))) = next(&mut events) else { panic!("{bad} was read") };
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(next(&mut events), Some(None), "{bad}");
        assert!(chunks.is_closed(), "the request is given up");
    }
}

/// Case 24 of the browser test list; kube-rs/kube#2079, PR #2080, nklmilojevic/sofka#240, kubernetes/kubernetes PR #139308, PR #139925, PR #140140: each
/// part of such a stream is compressed for itself, and who stops after the first loses everything later without an
/// error.
#[test]
fn a_watch_that_comes_compressed_is_refused_at_its_head() {
    let (chunks, refused) = answered_with(&[("content-type", "application/json"), ("content-encoding", "gzip")]);
    let Err(Error::Undecodable { reason, .. }) = refused else { panic!("it was read") };
    assert_eq!(reason, "a watch must not be compressed, and it came as gzip");
    assert!(chunks.is_closed(), "the request is given up");
    let (chunks, plain) = answered_with(&[("content-encoding", "identity")]);
    write(&chunks, frame("ADDED", &foo()));
    assert!(matches!(next(&mut plain.unwrap()), Some(Some(Ok(WatchEvent::Added(_))))));
}

#[test]
fn dropping_the_watch_gives_up_the_request() {
    let (chunks, mut events) = watch();
    write(&chunks, frame("ADDED", &foo()) + &frame("DELETED", &foo()));
    assert!(matches!(next(&mut events), Some(Some(Ok(WatchEvent::Added(_))))));
    assert!(!chunks.is_closed());
    drop(events);
    assert!(chunks.is_closed());
}

/// Notes what is asked for, and answers nothing.
#[derive(Default)]
struct Asked(Rc<RefCell<Vec<String>>>);

impl Transport for Asked {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        self.0.borrow_mut().push(request.path);
        async { Err(TransportError("refused".into())) }.boxed_local()
    }
}

/// Case 26 of the browser test list: the server writes for people when a browser asks, which is three times as long.
#[test]
fn whatever_is_read_is_to_be_compact() {
    let asked = Asked::default();
    let paths = Rc::clone(&asked.0);
    let client = RestClient::for_config(&Config::new(&Sandbox::new().runtime(), Rc::new(asked)));
    let path = ResourcePath::all(GroupVersionResource::core("pods")).in_namespace("shop");
    let _ = client.list(&path, &ListOptions::default(), &|_| {}).now_or_never();
    let _ = client.watch(&path, &ListOptions { resource_version: "7".into(), ..Default::default() }).now_or_never();
    let _ = client.get(&path.clone().named("web-0"), &GetOptions::default()).now_or_never();
    let _ = client.table(&path, &ListOptions::default(), IncludeObject::default()).now_or_never();
    let _ = client.version().now_or_never();
    let paths = paths.take();
    let is_compact = |path: &String| path.split_once('?').is_some_and(|(_, query)| query.ends_with("pretty=false"));
    assert!(paths.len() == 5 && paths.iter().all(is_compact), "{paths:?}");
}
