use bytes::Bytes;
use futures::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use watchglass::runtime::{Message, Socket, SocketError, SocketRequest};
use watchglass::testing::apiserver::{Fault, FaultRule};
use watchglass::testing::objects::{self, Build as _};

use super::client::{Client, summary};

const POD: &str = "api/v1/namespaces/default/pods/db-0";
const V5: &str = "v5.channel.k8s.io";
const V4: &str = "v4.channel.k8s.io";

fn server() -> Client {
    let client = Client::new();
    client
        .server
        .create(objects::pod("default", "db-0").with_field("spec.nodeName", "n1"))
        .expect("the test asks for what is there");
    client
}

fn open(client: &Client, path: &str, protocols: &[&'static str]) -> Result<Socket, SocketError> {
    let request = SocketRequest { path: path.into(), protocols: protocols.into(), backlog_limit: 1 << 20 };
    client.sandbox.block_on(client.server.sockets().open(request))
}

fn exec(client: &Client, query: &str, protocol: &'static str) -> Socket {
    open(client, &format!("{POD}/exec?{query}"), &[protocol]).unwrap_or_else(|error| panic!("{error}"))
}

/// All frames that are there; whether that is the end.
fn frames(socket: &mut Socket) -> (Vec<Bytes>, bool) {
    let mut frames = Vec::new();
    while let Some(next) = socket.messages.next().now_or_never() {
        match next {
            Some(message) => frames.push(message.expect("the socket holds").into_bytes()),
            None => return (frames, true),
        }
    }
    (frames, false)
}

fn status(frame: &[u8]) -> Value {
    assert_eq!(frame[0], 3);
    serde_json::from_slice(&frame[1..]).expect("a status is JSON")
}

#[test]
fn a_command_says_what_it_has_to_say_and_ends_with_a_status() {
    let client = server();
    let mut socket = exec(&client, "command=echo&command=hi&command=there&stdout=true", V5);
    assert_eq!(socket.protocol, V5);
    let (said, ended) = frames(&mut socket);
    assert!(ended);
    assert_eq!((&said[0][..], &said[1][..]), (&b"\x01"[..], &b"\x01hi there\n"[..]));
    assert_eq!(status(&said[2])["status"], "Success");
    assert_eq!(socket.wire.send(Message::Binary(Bytes::new())), Err(SocketError::Closed { code: 1000 }));
    let (said, _) = frames(&mut exec(&client, "command=sh&command=-c&command=exit%203&stdout=true", V4));
    let failure = status(&said[1]);
    assert_eq!((&failure["status"], &failure["reason"]), (&"Failure".into(), &"NonZeroExitCode".into()));
    assert_eq!(failure["details"]["causes"][0]["message"], "3");
    let (said, _) = frames(&mut exec(&client, "command=rm&stdout=true", V4));
    assert_eq!(status(&said[1])["reason"], "NotImplemented");
}

#[test]
fn cat_echoes_until_its_input_is_closed() {
    let client = server();
    let mut socket = exec(&client, "command=cat&stdin=true&stdout=true", V5);
    assert_eq!(frames(&mut socket), (vec![Bytes::from_static(b"\x01")], false));
    socket.wire.send(Message::Binary(Bytes::from_static(b"\x00abc"))).unwrap();
    assert_eq!(frames(&mut socket), (vec![Bytes::from_static(b"\x01abc")], false));
    socket.wire.send(Message::Binary(Bytes::from_static(b"\xff\x00"))).unwrap();
    let (said, ended) = frames(&mut socket);
    assert_eq!((status(&said[0])["status"].clone(), ended), ("Success".into(), true));
    let mut older = exec(&client, "command=cat&stdin=true&stdout=true", V4);
    older.wire.send(Message::Binary(Bytes::from_static(b"\xff\x00"))).unwrap();
    assert!(!frames(&mut older).1, "v4 cannot close a channel");
    older.wire.close();
    assert!(frames(&mut older).1);
}

#[test]
fn a_watch_sends_an_event_in_each_text_frame() {
    let client = server();
    let mut socket = open(&client, "api/v1/pods?watch=true", &[]).ok().unwrap();
    let mut event = || match client.sandbox.block_on(socket.messages.next()) {
        Some(Ok(Message::Text(text))) => serde_json::from_str::<Value>(&text).unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(summary(&event()), ("ADDED".into(), "db-0".into()));
    client.server.delete("pods", "default", "db-0").unwrap();
    assert_eq!(summary(&event()), ("DELETED".into(), "db-0".into()));
    client.server.inject(Fault::DropOpen);
    let end = client.sandbox.block_on(socket.messages.next());
    assert_eq!(end, Some(Err(SocketError::Closed { code: 1006 })));
}

#[test]
fn a_log_comes_in_binary_frames_and_closing_ends_it() {
    let client = server();
    client.server.append_log("default", "db-0", "main", "one").unwrap();
    let mut socket = open(&client, &format!("{POD}/log?follow=true"), &["binary.k8s.io"]).ok().unwrap();
    assert_eq!(frames(&mut socket), (vec![Bytes::new(), Bytes::from_static(b"one\n")], false));
    socket.wire.close();
    assert!(frames(&mut socket).1);
}

#[test]
fn a_socket_is_not_opened_where_there_is_nothing_to_open() {
    let client = server();
    let refused = |path: &str, protocols: &[&'static str]| match open(&client, path, protocols) {
        Err(SocketError::NotOpened { reason }) => reason,
        _ => panic!("{path} opened"),
    };
    for (path, protocols, code) in [
        ("api/v1/widgets?watch=true".to_owned(), &[][..], "404"),
        ("api/v1/pods".to_owned(), &[], "200"),
        (format!("{POD}/exec?command=cat&container=x"), &[V5], "400"),
        (POD.replace("db-0", "nope") + "/exec?command=cat", &[V5], "404"),
        (format!("{POD}/exec?command=cat"), &["base64.channel.k8s.io"], "501"),
        (format!("{POD}/exec?command=cat"), &[], "501"),
    ] {
        assert_eq!(refused(&path, protocols), format!("the server answered {code}"), "{path}");
    }
    client.server.forbid("get", "pods/exec", Some("default"));
    assert_eq!(refused(&format!("{POD}/exec?command=cat"), &[V5]), "the server answered 403");
    client.server.inject(FaultRule::from(Fault::Refuse).times(1));
    assert_eq!(refused("api/v1/pods?watch=true", &[]), "the server answered nothing");
}
