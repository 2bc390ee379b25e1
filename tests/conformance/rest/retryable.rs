//! What is sent again, by verb and by what came instead of an answer.

use watchglass::api::ListOptions;
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::{Method, Request};

use super::scripted::{Scripted, Step, answer, fails, pods};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Do,
    Stream,
    Watch,
}

const EVERY_KIND: [Kind; 3] = [Kind::Do, Kind::Stream, Kind::Watch];

/// With two retries.
fn attempts(step: &Step, kind: Kind, method: Method) -> usize {
    let server = Scripted::new([step.clone()]);
    let client = RestClient::for_config(&Config { max_retries: 2, ..server.config() });
    let request = Request { method, ..Request::get("api/v1/pods") };
    match kind {
        Kind::Do => drop(server.block_on(client.raw(request))),
        Kind::Stream => drop(server.block_on(client.stream(request))),
        Kind::Watch => drop(server.block_on(client.watch(&pods(), &ListOptions::default()))),
    }
    server.attempts()
}

const METHODS: [Method; 5] = [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete];

/// client-go: `TestRetryableConditions`.
#[test]
fn what_the_server_asks_to_send_again_is_sent_again_whatever_it_is() {
    for kind in EVERY_KIND {
        for method in METHODS {
            for code in [429, 500, 501, 503, 504] {
                assert_eq!(attempts(&answer(code).retry_after(0), kind, method), 3, "{kind:?} {method:?} {code}");
                assert_eq!(attempts(&answer(code), kind, method), 1, "{kind:?} {method:?} {code} without a wait");
                let date = answer(code).header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
                assert_eq!(attempts(&date, kind, method), 1, "{kind:?} {method:?} {code} with a date");
            }
            for code in [200, 301, 403, 409] {
                assert_eq!(attempts(&answer(code).retry_after(0), kind, method), 1, "{kind:?} {method:?} {code}");
            }
        }
    }
}

/// client-go: `TestRetryableConditions`.
#[test]
fn a_connection_that_broke_off_is_tried_again_only_by_what_reads() {
    for text in [
        "EOF",
        "unexpected EOF",
        "connection reset by peer",
        "Connection reset by peer (os error 104)",
        "connection closed before message completed",
        "http: can't write HTTP request on broken connection",
        "http2: server sent GOAWAY and closed the connection",
        "use of closed network connection",
    ] {
        let step = fails(text);
        assert_eq!(EVERY_KIND.map(|kind| attempts(&step, kind, Method::Get)), [3, 1, 3], "{text}");
        for method in &METHODS[1..] {
            assert_eq!(attempts(&step, Kind::Do, *method), 1, "{method:?} {text}");
        }
    }
}

/// client-go: `TestRetryableConditions`. In a browser every failure is the same one, and none is tried again.
#[test]
fn a_server_that_is_not_there_is_not_asked_again_and_a_slow_one_only_for_a_watch() {
    for text in ["connection refused", "Failed to fetch", "dns error: no such host"] {
        assert_eq!(EVERY_KIND.map(|kind| attempts(&fails(text), kind, Method::Get)), [1, 1, 1], "{text}");
    }
    for text in ["i/o timeout", "operation timed out"] {
        assert_eq!(EVERY_KIND.map(|kind| attempts(&fails(text), kind, Method::Get)), [1, 1, 3], "{text}");
    }
}
