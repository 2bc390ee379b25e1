use futures::StreamExt as _;
use watchglass::runtime::Traffic::{List, Watch};
use watchglass::runtime::{Response, Traffic, Transport as _, TransportError};

use super::network::{Page, Sent, request};

const MEBIBYTE: usize = 1 << 20;

/// An answer that nobody reads, and the server's side of it.
fn unread(page: &Page, traffic: Traffic) -> (Response, Sent) {
    let response = page.sandbox.block_on(page.connections.send(request("pods", traffic))).expect("a head comes");
    (response, page.network.last("pods"))
}

fn says_mebibytes(page: &Page, server: &Sent, count: usize) {
    let text: &str = Box::leak("x".repeat(MEBIBYTE).into_boxed_str());
    for _ in 0..count {
        server.says(text);
    }
    page.sandbox.run_until_idle();
}

/// The bytes that had come, and how it ended.
fn read_to_the_end(page: &Page, response: Response) -> (usize, Option<TransportError>) {
    let mut chunks: Vec<_> = page.sandbox.block_on(response.body.collect());
    let error = chunks.pop_if(|last| last.is_err()).and_then(Result::err);
    (chunks.iter().map(|chunk| chunk.as_ref().map_or(0, |chunk| chunk.len())).sum(), error)
}

/// Case 32 of the browser test list, for fetch: Chromium alone would take in 69 MB.
#[test]
fn a_watch_that_its_reader_cannot_follow_is_given_up_with_what_had_come() {
    let page = Page::without_sockets();
    let (response, server) = unread(&page, Watch);
    says_mebibytes(&page, &server, 8);
    assert!(server.is_open(), "eight MiB may wait");
    server.says("y");
    page.sandbox.run_until_idle();
    assert!(!server.is_open(), "its connection is closed");
    let (bytes, error) = read_to_the_end(&page, response);
    assert_eq!(bytes, 8 * MEBIBYTE);
    assert_eq!(error.expect("it is no good end").0, "given up: more than 8388608 bytes waited to be read");
}

#[test]
fn what_came_before_a_watch_broke_or_ended_is_read_first() {
    for breaks in [true, false] {
        let page = Page::without_sockets();
        let (response, server) = unread(&page, Watch);
        server.says("event\n");
        if breaks {
            server.breaks();
        } else {
            server.ends();
        }
        page.sandbox.run_until_idle();
        let error = breaks.then(|| TransportError("reset".into()));
        assert_eq!(read_to_the_end(&page, response), (6, error));
    }
}

#[test]
fn a_watch_is_aborted_as_soon_as_it_is_dropped() {
    let page = Page::without_sockets();
    let (response, server) = unread(&page, Watch);
    page.sandbox.run_until_idle();
    drop(response);
    assert!(!server.is_open());
}

#[test]
fn a_list_is_read_no_faster_than_it_is_asked_for() {
    let page = Page::without_sockets();
    let (response, server) = unread(&page, List);
    says_mebibytes(&page, &server, 10);
    assert!(server.is_open());
    server.ends();
    assert_eq!(read_to_the_end(&page, response), (10 * MEBIBYTE, None));
}
