//! Waits between requests to a server that is not well.

use std::time::Duration;

use watchglass::rest::RestClient;
use watchglass::runtime::Request;

use super::scripted::{Scripted, answer};

const SECOND: Duration = Duration::from_secs(1);

fn ask(server: &Scripted, client: &RestClient, times: usize) {
    for _ in 0..times {
        server.block_on(client.raw(Request::get("a"))).ok();
    }
}

/// client-go: `TestBackoffLifecycle`, `TestURLBackoffFunctionality`.
#[test]
fn each_failure_doubles_the_wait_and_any_other_answer_ends_it() {
    let steps = [504, 504, 504, 504, 200, 200, 429, 500, 599, 404, 200].map(answer);
    let server = Scripted::new(steps);
    let client = RestClient::for_config(&server.config().with_url_backoff(SECOND, 60 * SECOND));
    ask(&server, &client, 11);
    assert_eq!(server.waits(), [1, 2, 4, 8, 0, 0, 1, 2, 4, 0]);
}

/// client-go: `TestCreateBackoffManager`, `TestNoBackoff`, `TestBackoffManagerNopContext`.
#[test]
fn the_wait_has_a_limit_and_without_one_there_is_none() {
    let server = Scripted::new([answer(500)]);
    let client = RestClient::for_config(&server.config().with_url_backoff(SECOND, 2 * SECOND));
    ask(&server, &client, 5);
    assert_eq!(server.waits(), [1, 2, 2, 2]);

    let server = Scripted::new([answer(500)]);
    ask(&server, &server.client(), 3);
    let none = RestClient::for_config(&server.config().with_url_backoff(SECOND, Duration::ZERO));
    ask(&server, &none, 3);
    assert_eq!(server.waits(), [0; 5]);
}

/// client-go: `TestURLBackoffFunctionalityCollisions`. A transport is one host.
#[test]
fn servers_have_waits_of_their_own_and_clients_of_one_server_share_them() {
    let server = Scripted::new([answer(500)]);
    let config = server.config().with_url_backoff(10 * SECOND, 60 * SECOND);
    let [one, another] = [RestClient::for_config(&config), RestClient::for_config(&config)];
    ask(&server, &one, 1);
    ask(&server, &server.client(), 1);
    ask(&server, &another, 1);
    assert_eq!(server.waits(), [0, 10]);
}

#[test]
fn the_longer_of_two_waits_counts_and_not_their_sum() {
    let asks = |seconds| answer(503).retry_after(seconds);
    let server = Scripted::new([asks(5), asks(1), answer(200)]);
    let client = RestClient::for_config(&server.config().with_url_backoff(SECOND, 60 * SECOND));
    ask(&server, &client, 1);
    assert_eq!(server.waits(), [5, 2]);
}
