use std::rc::Rc;

use bytes::Bytes;
use watchglass::api::{Error, ExecOptions};
use watchglass::rest::{BearerToken, Config, ExecClient, ExecOutput, Execution};
use watchglass::runtime::{Message, SocketError};
use watchglass::transport::ReadOnly;

use super::network::{OpenSocket, Opening, Page};

const PATH: &str = "api/v1/namespaces/shop/pods/web-0/exec?command=cat&stdin=true&stdout=true&stderr=true";

fn config(page: &Page) -> Config {
    let config = Config::without_rate_limit(&page.runtime(), Rc::new(page.connections.clone()));
    config.with_sockets(Rc::new(page.sockets.clone()))
}

fn exec(page: &Page, config: &Config) -> Result<Execution, Error> {
    let options = ExecOptions { stdin: true, ..ExecOptions::new(["cat"]) };
    page.sandbox.block_on(ExecClient::for_config(config).exec("shop", "web-0", &options))
}

fn started(protocol: &'static str) -> (Page, Execution, OpenSocket) {
    let page = Page::with_sockets();
    page.sockets.protocol.set(protocol);
    let execution = exec(&page, &config(&page)).expect("it starts");
    let socket = page.sockets.opened(0);
    (page, execution, socket)
}

fn frame(socket: &OpenSocket, frame: &'static [u8]) {
    assert!(socket.inbox.deliver(Message::Binary(Bytes::from_static(frame))));
}

/// client-go: `TestWebSocketClient_LoopbackStdinToStdout`, `TestWebSocketClient_LoopbackStdinAsPipe`,
/// `TestWebSocketClient_LoopbackStdinToStderr`, `TestWebSocketClient_MultipleReadChannels`,
/// `TestWebSocketClient_MultipleWriteChannels`.
#[test]
fn a_command_reads_and_writes_and_ends_with_a_code() {
    let (page, mut execution, socket) = started("v5.channel.k8s.io");
    let request = page.sockets.request(0);
    assert_eq!(
        (request.path.as_str(), &request.protocols[..]),
        (PATH, &["v5.channel.k8s.io", "v4.channel.k8s.io"][..])
    );
    let input = execution.input();
    input.write(b"hello").unwrap();
    input.resize(80, 24).unwrap();
    input.close().unwrap();
    assert_eq!(socket.sent(), [&b"\0hello"[..], b"\x04{\"Width\":80,\"Height\":24}", b"\xff\0"]);
    frame(&socket, b"\x01");
    frame(&socket, b"\x01hello");
    frame(&socket, b"\x02oh");
    frame(&socket, b"\x03{\"status\":\"Success\"}");
    let next = |execution: &mut Execution| page.sandbox.block_on(execution.next());
    assert_eq!(next(&mut execution), Some(Ok(ExecOutput::Stdout("hello".into()))));
    assert_eq!(next(&mut execution), Some(Ok(ExecOutput::Stderr("oh".into()))));
    assert_eq!(next(&mut execution), Some(Ok(ExecOutput::Exit(0))));
    assert_eq!(next(&mut execution), None);
    drop(execution);
    assert!(!socket.is_open());
}

/// client-go: `TestWebSocketClient_ErrorStream`.
#[test]
fn a_command_that_fails_tells_its_code() {
    let (page, mut execution, socket) = started("v5.channel.k8s.io");
    let end = b"\x03{\"status\":\"Failure\",\"reason\":\"NonZeroExitCode\",\
                \"details\":{\"causes\":[{\"reason\":\"ExitCode\",\"message\":\"42\"}]}}";
    frame(&socket, end);
    assert_eq!(page.sandbox.block_on(execution.next()), Some(Ok(ExecOutput::Exit(42))));
}

/// client-go: `TestWebSocketClient_TextMessageTypeError`, `TestWebSocketClient_EmptyMessageHandled`.
#[test]
fn a_frame_that_is_none_ends_the_command_s_output() {
    for broken in [Message::Text("\u{1}out".into()), Message::Binary(Bytes::new())] {
        let (page, mut execution, socket) = started("v5.channel.k8s.io");
        assert!(socket.inbox.deliver(broken));
        assert!(page.sandbox.block_on(execution.next()).is_some_and(|output| output.is_err()));
        assert!(page.sandbox.block_on(execution.next()).is_none());
    }
}

/// client-go: `TestWebSocketClient_ProtocolVersions`.
#[test]
fn an_older_server_cannot_be_told_that_the_input_has_ended() {
    let (_page, execution, socket) = started("v4.channel.k8s.io");
    assert!(matches!(execution.input().close(), Err(Error::NotSent { .. })));
    assert!(socket.sent().is_empty());
    let page = Page::with_sockets();
    let error = exec(&page, &config(&page)).err().expect("no protocol was chosen");
    assert!(matches!(error, Error::Undecodable { .. }), "{error:?}");
}

#[test]
fn a_connection_that_ends_before_the_command_is_an_error() {
    for (end, text) in [
        (Ok(()), "the answer broke off: the connection closed before the command ended"),
        (Err(SocketError::Closed { code: 1006 }), "the answer broke off: the WebSocket was closed with code 1006"),
    ] {
        let (page, mut execution, socket) = started("v5.channel.k8s.io");
        socket.inbox.end(end);
        let error = page.sandbox.block_on(execution.next()).unwrap().unwrap_err();
        assert_eq!(error.to_string(), text);
        assert!(page.sandbox.block_on(execution.next()).is_none());
    }
}

/// client-go: `TestWebSocketClient_BadHandshake`.
///
/// Case 19 of the browser test list: what `kubectl proxy` says of exec, which a socket cannot tell.
#[test]
fn a_command_that_is_refused_says_why() {
    let refused = |status, text: &'static str| {
        let page = Page::with_sockets();
        page.sockets.script([Opening::Fails]);
        page.network.answers([super::network::Answer::Status(status)]);
        let network = page.network.clone();
        let _task = page.sandbox.spawn({
            let runtime = page.runtime();
            async move {
                runtime.sleep(std::time::Duration::from_secs(1)).await;
                network.last(PATH).says(text);
                network.last(PATH).ends();
            }
        });
        exec(&page, &config(&page)).err().expect("no socket opens")
    };
    let error = refused(403, "Forbidden");
    assert!(error.is_forbidden());
    assert_eq!(error.to_string(), "api/v1/namespaces/shop/pods/web-0/exec answered 403: Forbidden");
    let upgrade = r#"{"kind":"Status","status":"Failure","message":"Upgrade request required","reason":"BadRequest"}"#;
    let error = refused(400, upgrade);
    assert_eq!(
        error.to_string(),
        "no answer from api/v1/namespaces/shop/pods/web-0/exec: the WebSocket was not opened: 1006"
    );
}

#[test]
fn a_read_only_page_runs_nothing() {
    let page = Page::with_sockets();
    let read_only = Rc::new(ReadOnly::new(Rc::new(page.network.clone()), Rc::new(page.sockets.clone()), "ask"));
    let config = Config::new(&page.runtime(), read_only.clone()).with_sockets(read_only);
    let error = exec(&page, &config).err().expect("refused");
    assert!(error.to_string().contains("read-only"), "{error}");
    assert_eq!((page.network.count(), page.sockets.count()), (0, 0));
}

/// A socket carries no token: it would run the command as whoever the proxy is.
#[test]
fn a_client_with_another_identity_has_no_sockets() {
    let page = Page::with_sockets();
    page.network.answers([super::network::Answer::Unreachable]);
    let config = config(&page).with_base_path("k8s").with_bearer_token(BearerToken::fixed("x"));
    assert!(exec(&page, &config).is_err());
    assert_eq!(page.sockets.count(), 0);
    page.sockets.protocol.set("v5.channel.k8s.io");
    let below = self::config(&page).with_base_path("k8s/c-1/");
    assert!(exec(&page, &below).is_ok());
    assert_eq!(page.sockets.request(0).path, format!("k8s/c-1/{PATH}"));
}
