//! The page's connections: requests, sockets, and slots that tabs share.

use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::FutureExt as _;
use serde_json::json;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;
use watchglass::api::{Error, ListOptions, ResourcePath};
use watchglass::cache::SharedInformerFactory;
use watchglass::rest::{Config, ExecClient, ExecOutput, RestClient};
use watchglass::runtime::web::{self, FetchTransport, WebSlots, WebSocketTransport};
use watchglass::runtime::{Message, Slots as _, Socket, SocketError, SocketRequest, SocketTransport as _};
use watchglass::transport::Connections;

use crate::doubles::{Doubles, SocketDouble};
use crate::pods;

fn client() -> RestClient {
    let transport = Rc::new(FetchTransport::new(&web::runtime(), "/"));
    RestClient::for_config(&Config::without_rate_limit(&web::runtime(), transport)).without_retries()
}

async fn sleep(millis: u64) {
    web::runtime().sleep(Duration::from_millis(millis)).await;
}

async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        sleep(5).await;
    }
}

fn watch_list() -> ListOptions {
    ListOptions { send_initial_events: Some(true), ..ListOptions::default() }
}

/// Case 26 of the browser test list.
#[wasm_bindgen_test]
async fn each_request_asks_the_browser_for_a_fresh_answer_and_the_server_for_a_compact_one() {
    let doubles = Doubles::new();
    doubles.answers(json!([{ "chunks": ["{\"items\":[]}"] }]));
    client().list(&ResourcePath::all(pods()), &ListOptions::default(), &|_| {}).await.expect("an empty list");
    let _watch = client().watch(&ResourcePath::all(pods()), &ListOptions::default()).await.expect("it opens");
    let requests = doubles.requests();
    assert_eq!(requests.len(), 2);
    for request in &requests {
        assert!(request["url"].as_str().is_some_and(|url| url.contains("pretty=false")), "{request}");
        let ours = ["cache", "credentials", "redirect", "accept", "range"].map(|name| request[name].clone());
        let expected = ["no-store", "same-origin", "error", "application/json"].map(|text| json!(text));
        assert_eq!((&ours[..4], &ours[4]), (&expected[..], &json!(null)));
    }
    assert_eq!((&requests[0]["priority"], &requests[1]["priority"]), (&json!("auto"), &json!("low")));
}

/// Cases 14 and 28 of the browser test list: the connection is the browser's again at once, and nothing comes after.
#[wasm_bindgen_test]
async fn a_dropped_watch_is_aborted_at_once() {
    let doubles = Doubles::new();
    let mut watch = client().watch(&ResourcePath::all(pods()), &ListOptions::default()).await.expect("it opens");
    assert!(watch.next().now_or_never().is_none());
    assert_eq!(doubles.aborted(), 0.0);
    drop(watch);
    assert_eq!(doubles.aborted(), 1.0);
}

/// Cases 15 and 16 of the browser test list: a watch goes on from the last event, without a new list.
#[wasm_bindgen_test]
async fn a_refused_or_reset_watch_goes_on_from_the_last_event() {
    let doubles = Doubles::new();
    let event =
        r#"{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"9"}}}"#;
    let list = r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}"#;
    doubles.answers(json!([{ "chunks": [list] }, { "end": "refused" }, { "chunks": [event], "end": "reset" }]));
    let factory = SharedInformerFactory::new(web::runtime(), Rc::new(client()));
    let informer = factory.informer_for(&pods());
    factory.start();
    until(|| doubles.requests().len() == 4).await;
    let paths = doubles.paths();
    assert!(paths[0].contains("limit="), "{paths:?}");
    for (path, version) in paths[1..].iter().zip(["7", "7", "9"]) {
        assert!(path.contains("watch=true") && path.contains(&format!("resourceVersion={version}&")), "{paths:?}");
    }
    assert_eq!(informer.indexer().len(), 1);
    factory.shutdown().await;
}

/// Cases 18, 19 and 20 of the browser test list.
#[wasm_bindgen_test]
async fn what_a_proxy_or_a_busy_server_answers_is_told_apart() {
    let doubles = Doubles::new();
    doubles.answers(json!([
        { "status": 500, "headers": { "content-type": "text/plain; charset=utf-8" }, "chunks": ["dial tcp: refused"] },
        { "status": 403, "headers": { "content-type": "text/plain; charset=utf-8" }, "chunks": ["Forbidden"] },
        { "status": 429, "headers": { "retry-after": "7" }, "chunks": ["slow down"] },
    ]));
    let client = client();
    let unreachable = client.version().await.unwrap_err();
    assert!(unreachable.is_unreachable() && unreachable.to_string().contains("dial tcp: refused"), "{unreachable}");
    let refused = client.version().await.unwrap_err();
    assert!(refused.is_forbidden() && refused.to_string().contains("Forbidden"), "{refused}");
    let busy = client.version().await.unwrap_err();
    assert!(busy.is_too_many_requests());
    assert_eq!(busy.retry_after(), Some(Duration::from_secs(7)));
}

/// Case 21 of the browser test list; kubernetes/kubectl#628.
#[wasm_bindgen_test]
async fn a_quiet_watch_whose_head_is_late_is_waited_for() {
    let doubles = Doubles::new();
    doubles.answers(json!([{ "late": 300, "end": "open" }]));
    let path = ResourcePath::all(pods());
    let client = client();
    let options = ListOptions::default();
    let mut opening = client.watch(&path, &options).boxed_local();
    let early = web::runtime().timeout_at(web::runtime().now() + Duration::from_millis(100), &mut opening).await;
    assert!(early.is_none());
    assert!(opening.await.is_ok());
}

/// Cases 23 and 24 of the browser test list; kube-rs/kube#2079: the browser gives what the first gzip member holds, and
/// nothing of the others.
#[wasm_bindgen_test]
async fn a_compressed_watch_is_refused_and_aborted() {
    let doubles = Doubles::new();
    let first = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n";
    doubles.answers(json!([{ "headers": { "content-encoding": "gzip" }, "chunks": [first], "end": "open" }]));
    let watch = client().watch(&ResourcePath::all(pods()), &watch_list()).await;
    let Err(Error::Undecodable { reason, .. }) = watch else { panic!("it was taken") };
    assert_eq!(reason, "a watch must not be compressed, and it came as gzip");
    assert_eq!(doubles.aborted(), 1.0);
}

/// Case 25 of the browser test list: the header that makes a browser ask for an answer that is not compressed.
#[wasm_bindgen_test]
async fn a_watch_list_over_fetch_asks_for_a_range() {
    let doubles = Doubles::new();
    let connections = Connections::new(&web::runtime(), Rc::new(FetchTransport::new(&web::runtime(), "/")), None);
    let client = RestClient::for_config(&Config::without_rate_limit(&web::runtime(), Rc::new(connections)));
    let path = ResourcePath::all(pods());
    let _watches = [client.watch(&path, &watch_list()).await.ok(), client.watch(&path, &Default::default()).await.ok()];
    let ranges: Vec<_> = doubles.requests().iter().map(|request| request["range"].clone()).collect();
    assert_eq!(ranges, [json!("bytes=0-"), json!(null)]);
}

fn socket_request(path: &str) -> SocketRequest {
    SocketRequest { path: path.into(), protocols: vec!["v5.channel.k8s.io"], backlog_limit: 10 }
}

/// A socket that the page has opened, and the server's side of it.
async fn opened(doubles: &Doubles) -> (Socket, SocketDouble) {
    let opening = WebSocketTransport::new("../api-server/").open(socket_request("api/v1/pods?watch=true"));
    let ours = async {
        until(|| !doubles.sockets().is_empty()).await;
        let server = doubles.sockets().pop().expect("it was tried");
        server.opens("v5.channel.k8s.io");
        server
    };
    let (socket, server) = futures::join!(opening, ours);
    (socket.expect("it opens"), server)
}

#[wasm_bindgen_test]
async fn a_socket_is_opened_beside_the_page_and_brings_texts_and_bytes() {
    let doubles = Doubles::new();
    let (mut socket, server) = opened(&doubles).await;
    let origin = web_sys::window().and_then(|window| window.location().origin().ok()).expect("a page has one");
    let url = format!("{}/api-server/api/v1/pods?watch=true", origin.replacen("http", "ws", 1));
    assert_eq!(server.field("url"), json!(url));
    assert_eq!(server.field("protocols"), json!(["v5.channel.k8s.io"]));
    assert_eq!(socket.protocol, "v5.channel.k8s.io");
    server.says("text");
    server.says_bytes(&[1, 255]);
    assert_eq!(socket.messages.next().await, Some(Ok(Message::Text("text".into()))));
    assert_eq!(socket.messages.next().await, Some(Ok(Message::Binary(vec![1, 255].into()))));
    socket.wire.send(Message::Text("in".into())).unwrap();
    socket.wire.send(Message::Binary(vec![0, 7].into())).unwrap();
    assert_eq!(server.field("sent"), json!(["in", [0, 7]]));
}

/// Case 31 of the browser test list.
#[wasm_bindgen_test]
async fn a_socket_ends_in_good_order_or_with_its_code() {
    for (code, end) in [(1000, None), (1005, None), (1006, Some(Err(SocketError::Closed { code: 1006 })))] {
        let doubles = Doubles::new();
        let (mut socket, server) = opened(&doubles).await;
        server.says("last");
        server.ends(code);
        assert_eq!(socket.messages.next().await, Some(Ok(Message::Text("last".into()))));
        assert_eq!(socket.messages.next().await, end);
        assert!(socket.wire.send(Message::Text("late".into())).is_err());
    }
}

/// Case 32 of the browser test list.
#[wasm_bindgen_test]
async fn a_socket_that_nobody_reads_is_closed() {
    let doubles = Doubles::new();
    let (socket, server) = opened(&doubles).await;
    server.says("0123456789");
    assert_eq!(server.field("closes"), json!([]));
    server.says("more");
    assert_eq!(server.field("closes"), json!([0]));
    let messages: Vec<_> = socket.messages.collect().await;
    assert_eq!(messages, [Ok(Message::Text("0123456789".into())), Err(SocketError::Overflow { limit: 10 })]);
}

#[wasm_bindgen_test]
async fn a_dropped_socket_is_closed_and_nothing_listens_to_it_any_more() {
    let doubles = Doubles::new();
    let (socket, server) = opened(&doubles).await;
    assert!(server.has_handlers());
    drop(socket.messages);
    assert_eq!((server.has_handlers(), server.field("closes")), (false, json!([0])));
    server.says("late");
    let opening = WebSocketTransport::new("/").open(socket_request("b"));
    assert!(opening.now_or_never().is_none());
    let dropped = doubles.sockets().pop().expect("it was tried");
    assert_eq!((dropped.has_handlers(), dropped.field("closes")), (false, json!([0])), "before it was open");
}

#[wasm_bindgen_test]
async fn a_command_runs_over_a_socket() {
    let doubles = Doubles::new();
    let config = Config::without_rate_limit(&web::runtime(), Rc::new(FetchTransport::new(&web::runtime(), "/")));
    let client = ExecClient::for_config(&config.with_sockets(Rc::new(WebSocketTransport::new("/"))));
    let options = watchglass::api::ExecOptions::new(["true"]);
    let server = async {
        until(|| !doubles.sockets().is_empty()).await;
        let server = doubles.sockets().pop().expect("it was tried");
        server.opens("v5.channel.k8s.io");
        server
    };
    let (execution, server) = futures::join!(client.exec("shop", "web-0", &options), server);
    let mut execution = execution.expect("it starts");
    server.says_bytes(b"\x01ok");
    server.says_bytes(b"\x03{\"status\":\"Success\"}");
    assert_eq!(execution.next().await, Some(Ok(ExecOutput::Stdout("ok".into()))));
    assert_eq!(execution.next().await, Some(Ok(ExecOutput::Exit(0))));
}

/// Case 30 of the browser test list, with the browser's own sockets: the test's page is served by who knows none.
#[wasm_bindgen_test]
async fn a_watch_whose_socket_is_refused_gets_the_answer_to_a_plain_request() {
    let refused = WebSocketTransport::new("/").open(socket_request("nothing-here")).await.err();
    assert!(matches!(refused, Some(SocketError::NotOpened { .. })), "{refused:?}");
    let (runtime, sockets) = (web::runtime(), Rc::new(WebSocketTransport::new("/")));
    let connections = Connections::new(&runtime, Rc::new(FetchTransport::new(&web::runtime(), "/")), Some(sockets));
    let config = Config::without_rate_limit(&runtime, Rc::new(connections));
    let error = RestClient::for_config(&config).watch(&ResourcePath::all(pods()), &watch_list()).await.err();
    assert!(error.as_ref().is_some_and(Error::is_not_found), "{error:?}");
}

/// Case 40 of the browser test list: tabs share the slots, and one that is closed gives its own back.
#[wasm_bindgen_test]
async fn slots_are_shared_between_tabs() {
    let runtime = web::runtime();
    let tabs = [(); 2].map(|()| WebSlots::new(&runtime, "watchglass.test.shared", 2));
    let first = tabs[0].take(true).await;
    let second = tabs[1].take(true).await;
    assert!(tabs[0].take(false).await.is_none() && tabs[1].take(false).await.is_none());
    drop(tabs[0].take(true));
    let mut waiting = tabs[0].take(true);
    let early = runtime.timeout_at(runtime.now() + Duration::from_millis(50), &mut waiting).await;
    assert!(early.is_none());
    drop(second);
    // Any of them may be the one that it waits for.
    drop(first);
    let _third = waiting.await;
    until_taken(&tabs[1]).await;
}

async fn until_taken(slots: &WebSlots) {
    while slots.take(false).await.is_none() {
        sleep(5).await;
    }
}

#[wasm_bindgen_test]
async fn who_holds_a_slot_learns_that_another_tab_waits_for_it() {
    let runtime = web::runtime();
    let slots = WebSlots::new(&runtime, "watchglass.test.wanted", 1);
    let held = slots.take(true).await.expect("it waits");
    let mut wanted = held.wanted();
    let early = runtime.timeout_at(runtime.now() + Duration::from_millis(50), &mut wanted).await;
    assert!(early.is_none());
    let waiting = runtime.spawn({
        let slots = slots.clone();
        async move { drop(slots.take(true).await) }
    });
    wanted.await;
    // Who asks only now learns it too.
    held.wanted().await;
    drop(waiting);
    sleep(50).await;
    let early = runtime.timeout_at(runtime.now() + Duration::from_millis(50), held.wanted()).await;
    assert!(early.is_none(), "who gave up waiting wants nothing");
}

/// Case 40 of the browser test list: the browser frees what a closed tab has held; a frame is as good as a tab.
#[wasm_bindgen_test]
async fn a_closed_tab_frees_its_slots() {
    let document = web_sys::window().and_then(|window| window.document()).expect("a page has one");
    let frame = document.create_element("iframe").expect("it can be made");
    document.document_element().expect("a page has one").append_child(&frame).expect("it is added");
    let held = js_sys::Function::new_with_args(
        "frame",
        "return new Promise((held) => frame.contentWindow.navigator.locks.request(
            'watchglass.test.closed.0', () => { held(); return new Promise(() => {}); }))",
    );
    let held = held.call1(&wasm_bindgen::JsValue::NULL, &frame).expect("it does not throw");
    wasm_bindgen_futures::JsFuture::from(held.unchecked_into::<js_sys::Promise>()).await.expect("it is held");
    let slots = WebSlots::new(&web::runtime(), "watchglass.test.closed", 1);
    assert!(slots.take(false).await.is_none());
    frame.remove();
    until_taken(&slots).await;
}
