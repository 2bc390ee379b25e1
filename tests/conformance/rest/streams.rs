//! Bodies that are read while they come.

use futures::StreamExt as _;
use watchglass::api::{Error, LogOptions};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::{Request, Traffic};

use super::scripted::{Scripted, answer, fails, json, pods};

/// client-go: `TestStream`, `TestRequestStream`.
#[test]
fn a_stream_gives_its_pieces_as_they_come() {
    let server = Scripted::new([answer(200).body("one\n").body("two\n").silent()]);
    let client = server.client();
    let options = LogOptions { container: "app".into(), follow: true, tail_lines: Some(5), ..LogOptions::default() };
    let mut log = server.block_on(client.logs(&pods().named("web"), &options)).expect("a log");
    let pieces: Vec<_> = server.block_on(log.body.by_ref().take(2).collect());
    assert_eq!(pieces, [Ok("one\n".into()), Ok("two\n".into())]);
    let line = "GET api/v1/namespaces/shop/pods/web/log?container=app&follow=true&tailLines=5";
    assert_eq!(server.lines(), [line]);
    assert_eq!(server.requests()[0].traffic, Traffic::Stream);
}

/// client-go: `TestRequestStream`.
#[test]
fn a_stream_that_is_refused_says_why() {
    let status = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "BadRequest", "code": 400,
        "message": "a container name must be specified for pod kube-dns-v20-mz5cv, choose one of: [kubedns dnsmasq healthz]",
    });
    let server = Scripted::new([json(400, &status)]);
    let error = server.block_on(server.client().stream(Request::get("log"))).err().expect("it is refused");
    assert!(error.is_bad_request() && error.to_string().contains("choose one of"), "{error}");
    let server = Scripted::new([fails("err")]);
    assert!(server.block_on(server.client().stream(Request::get("log"))).err().is_some_and(|it| it.is_unreachable()));
    let server = Scripted::new([answer(401), answer(200)]);
    assert!(server.block_on(server.client().stream(Request::get("log"))).err().is_some_and(|it| it.is_unauthorized()));
    assert_eq!(server.attempts(), 1);
    let bad = server.block_on(server.client().logs(&pods().named(".."), &LogOptions::default())).err();
    assert!(matches!(bad, Some(Error::NotSent { .. })));
}

/// client-go: `TestRequestStreamWithRetry`, `TestRequestStream`.
#[test]
fn a_stream_is_asked_for_again_when_the_server_wants_that_and_not_after_a_break() {
    let server = Scripted::new([answer(429).retry_after(1), answer(500).retry_after(1), answer(200).body("log")]);
    let client = RestClient::for_config(&Config { max_retries: 2, ..server.config() });
    let mut log = server.block_on(client.stream(Request::get("log"))).expect("a log");
    assert_eq!(server.block_on(log.body.next()), Some(Ok("log".into())));
    assert_eq!(server.waits(), [1, 1]);
    let server = Scripted::new([fails("connection reset by peer"), answer(200)]);
    assert!(server.block_on(server.client().stream(Request::get("log"))).is_err());
    assert_eq!(server.attempts(), 1);
}
