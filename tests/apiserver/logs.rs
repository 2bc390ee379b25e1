use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use watchglass::api::Manifest;
use watchglass::runtime::{Body, Request};
use watchglass::testing::objects::{self, Build as _};

use super::client::{Answer, Client};

const POD: &str = "api/v1/namespaces/default/pods/db-0";

fn pod(name: &str, containers: &[&str]) -> Manifest {
    let containers: Vec<Value> = containers.iter().map(|name| serde_json::json!({ "name": name })).collect();
    objects::pod("default", name).with_field("spec.containers", containers).with_field("spec.nodeName", "n1")
}

/// A pod that has said `line 1` to `line 5`, one a second.
fn with_log() -> Client {
    let client = Client::new();
    client.server.create(pod("db-0", &["c1"])).expect("the test asks for what is there");
    for number in 1..=5 {
        client.sandbox.advance(Duration::from_secs(1));
        client
            .server
            .append_log("default", "db-0", "c1", &format!("line {number}"))
            .expect("the test asks for what is there");
    }
    client
}

fn text(answer: Answer) -> String {
    assert_eq!(answer.status, 200);
    assert!(answer.headers.contains(&("content-type".into(), "text/plain".into())));
    answer.body.expect("the test asks for what is there")
}

#[test]
fn a_log_is_cut_as_asked() {
    let client = with_log();
    for (query, expected) in [
        ("", "line 1\nline 2\nline 3\nline 4\nline 5\n"),
        ("tailLines=2", "line 4\nline 5\n"),
        ("tailLines=0", ""),
        ("limitBytes=10", "line 1\nlin"),
        ("sinceSeconds=1", "line 4\nline 5\n"),
        ("sinceTime=2026-01-01T00:00:05Z", "line 5\n"),
        ("container=c1&tailLines=1&timestamps=true", "2026-01-01T00:00:05.000000000Z line 5\n"),
    ] {
        assert_eq!(text(client.get(&format!("{POD}/log?{query}"))), expected, "{query}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_the_real_servers_words() {
    let client = with_log();
    client.server.create(pod("web", &["c1", "c2"])).unwrap();
    let web = "api/v1/namespaces/default/pods/web";
    for (path, status, message) in [
        (format!("{web}/log"), 400, "a container name must be specified for pod web, choose one of: [c1 c2]"),
        (format!("{web}/log?container=nope"), 400, "container nope is not valid for pod web"),
        (POD.replace("db-0", "nope") + "/log", 404, "pods \"nope\" not found"),
        (format!("{POD}/log?tailLines=x"), 400, "strconv.ParseInt: parsing \"x\": invalid syntax"),
        (
            format!("{POD}/log?tailLines=-1"),
            422,
            "PodLogOptions \"db-0\" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0",
        ),
        (
            format!("{POD}/log?limitBytes=0"),
            422,
            "PodLogOptions \"db-0\" is invalid: limitBytes: Invalid value: 0: must be greater than 0",
        ),
        (
            format!("{POD}/log?sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z"),
            422,
            "PodLogOptions \"db-0\" is invalid: []: Forbidden: \
             at most one of `sinceTime` or `sinceSeconds` may be specified",
        ),
        (
            format!("{POD}/log?stream=Stderr"),
            422,
            "PodLogOptions \"db-0\" is invalid: stream: Forbidden: may not be specified",
        ),
        (format!("{POD}/log?previous=true"), 400, "previous terminated container \"c1\" in pod \"db-0\" not found"),
        (format!("{POD}/exec?command=ls&stdout=true"), 400, "Upgrade request required"),
        (
            format!("{web}/exec?command=ls"),
            400,
            "a container name must be specified for pod web, choose one of: [c1 c2]",
        ),
    ] {
        let refused = client.get(&path);
        assert_eq!((refused.status, &refused.json()["message"]), (status, &message.into()), "{path}");
    }
    client.server.create(objects::pod("default", "unscheduled")).unwrap();
    assert_eq!(client.get("api/v1/namespaces/default/pods/unscheduled/log").status, 204);
}

#[test]
fn a_container_that_was_started_again_has_a_previous_log() {
    let client = with_log();
    client.server.rotate_log("default", "db-0", "c1").unwrap();
    client.server.append_log("default", "db-0", "c1", "again").unwrap();
    assert_eq!(text(client.get(&format!("{POD}/log"))), "again\n");
    assert_eq!(text(client.get(&format!("{POD}/log?previous=true&tailLines=1"))), "line 5\n");
}

fn follow(client: &Client, query: &str) -> Body {
    let request = Request { path: format!("{POD}/log?follow=true{query}"), ..Request::default() };
    client.try_send(request).expect("the test asks for what is there").body
}

fn next(body: &mut Body) -> Option<Option<String>> {
    let chunk = body.next().now_or_never()?;
    Some(chunk.map(|chunk| {
        String::from_utf8(chunk.expect("the test asks for what is there").to_vec())
            .expect("the test asks for what is there")
    }))
}

#[test]
fn a_followed_log_tells_each_line_and_ends_with_the_pod() {
    let client = with_log();
    let mut log = follow(&client, "&tailLines=1");
    assert_eq!(next(&mut log), Some(Some("line 5\n".into())));
    assert_eq!(next(&mut log), None);
    client.server.append_log("default", "db-0", "c1", "more").unwrap();
    assert_eq!(next(&mut log), Some(Some("more\n".into())));
    client.server.append_log("default", "db-0", "c1", "last").unwrap();
    client.server.delete("pods", "default", "db-0").unwrap();
    assert_eq!(next(&mut log), Some(Some("last\n".into())));
    assert_eq!(next(&mut log), Some(None));
    client.server.create(pod("db-0", &["c1"])).unwrap();
    assert_eq!(text(client.get(&format!("{POD}/log"))), "", "another pod of the same name has said nothing");
}

#[test]
fn a_followed_log_ends_at_its_limit() {
    let client = with_log();
    let mut log = follow(&client, "&tailLines=0&limitBytes=6");
    client.server.append_log("default", "db-0", "c1", "abcdefg").unwrap();
    assert_eq!(next(&mut log), Some(Some("abcdef".into())));
    assert_eq!(next(&mut log), Some(None));
}
