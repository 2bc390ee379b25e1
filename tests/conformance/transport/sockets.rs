use std::time::Duration;

use watchglass::runtime::Traffic::Watch;
use watchglass::runtime::{Message, Request, SocketError, Transport as _, Way};

use super::network::{Answer, Asked, Opening, Page, request};

const SECOND: Duration = Duration::from_secs(1);
const WATCH: &str = "api/v1/pods?watch=true&labelSelector=a%3Db&resourceVersion=7&pretty=false";

/// A page whose connections for watches are all taken.
fn page() -> (Page, Vec<Asked>) {
    let page = Page::with_sockets();
    let taken = (0..4).map(|number| page.asks(&format!("watch{number}"), Watch)).collect();
    assert_eq!(page.network.open().len(), 4);
    (page, taken)
}

fn settled(page: &Page, path: &str) -> Asked {
    let watch = page.asks(path, Watch);
    page.sandbox.advance(5 * SECOND);
    watch
}

#[test]
fn watches_beyond_the_fourth_go_over_sockets() {
    let (page, _taken) = page();
    let mut watch = settled(&page, WATCH);
    assert_eq!((watch.status(), page.network.count()), (Some(200), 4));
    let tried = page.sockets.request(0);
    assert_eq!((tried.path.as_str(), tried.protocols.len()), (WATCH, 0));
    let socket = page.sockets.opened(0);
    socket.says("{\"type\":\"ADDED\"}");
    socket.says("{\"type\":\"DELETED\"}");
    page.sandbox.run_until_idle();
    assert_eq!(watch.text(), "{\"type\":\"ADDED\"}{\"type\":\"DELETED\"}");
    watch.aborts();
    page.sandbox.run_until_idle();
    assert!(!socket.is_open());
}

#[test]
fn what_goes_on_and_how_can_be_seen() {
    let (page, taken) = page();
    let mut watch = settled(&page, WATCH);
    let ways = |page: &Page| page.connections.open_requests().into_iter().map(|it| it.way).collect::<Vec<_>>();
    assert_eq!(ways(&page), [Way::Fetch, Way::Fetch, Way::Fetch, Way::Fetch, Way::WebSocket]);
    assert_eq!(page.connections.open_requests()[4].path, WATCH);
    let headers = vec![("authorization".into(), "Bearer x".to_owned())];
    let waits = page.asks_with(Request { headers, ..request(WATCH, Watch) });
    page.sandbox.run_until_idle();
    assert_eq!(ways(&page).last(), Some(&Way::Waiting));
    watch.aborts();
    drop((taken, waits));
    page.sandbox.run_until_idle();
    assert!(ways(&page).is_empty());
}

/// Over a socket it would be answered with whole objects, or to somebody else.
#[test]
fn what_needs_a_head_of_its_own_waits_for_a_connection() {
    let metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    for header in [("accept", metadata), ("impersonate-user", "somebody"), ("authorization", "Bearer x")] {
        let (page, _taken) = page();
        let headers = vec![(header.0.into(), header.1.to_owned())];
        let watch = page.asks_with(Request { headers, ..request(WATCH, Watch) });
        page.sandbox.advance(SECOND);
        assert_eq!((watch.status(), page.sockets.count()), (None, 0), "{header:?}");
        page.network.last("watch0").ends();
        page.sandbox.run_until_idle();
        assert_eq!(watch.status(), Some(200));
    }
}

/// Case 25 of the browser test list; kube-rs/kube#2079, kubernetes/kubernetes#139308.
#[test]
fn a_watch_list_goes_over_a_socket_or_asks_for_a_range_and_nothing_else_does() {
    let path = "api/v1/pods?watch=true&sendInitialEvents=true";
    let page = Page::with_sockets();
    let _watch = settled(&page, path);
    assert_eq!((page.sockets.open_count(), page.network.count()), (1, 0));
    let page = Page::without_sockets();
    let _watches = [settled(&page, path), settled(&page, WATCH)];
    let headers = |path| page.network.last(path).request.headers;
    assert!(headers(path).contains(&("range".into(), "bytes=0-".into())));
    assert!(headers(WATCH).iter().all(|(name, _)| *name != "range"));
}

/// Case 29 of the browser test list.
#[test]
fn sockets_are_opened_one_after_another_at_moments_of_chance() {
    let (page, _taken) = page();
    page.sockets.script([Opening::Hangs]);
    let _watches: Vec<_> = (0..5).map(|number| page.asks(&format!("socket{number}"), Watch)).collect();
    page.sandbox.advance(SECOND);
    assert_eq!(page.sockets.count(), 1, "one at a time");
    page.sandbox.advance(29 * SECOND);
    let mut moments = Vec::new();
    for millis in 0..2_000 {
        page.sandbox.advance(Duration::from_millis(1));
        if moments.len() + 1 < page.sockets.count() {
            assert_eq!(page.sockets.count(), moments.len() + 2, "two within a millisecond");
            moments.push(millis);
        }
    }
    let mut pauses: Vec<_> = moments[..4].windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses.iter().all(|pause| *pause <= 100), "{pauses:?}");
    pauses.dedup();
    assert!(pauses.len() > 1, "{pauses:?}");
}

/// Case 30 of the browser test list; kubernetes/apiserver#113.
#[test]
fn a_socket_that_does_not_open_is_answered_by_the_reason() {
    for status in [401, 403, 404, 410, 500] {
        let (page, _taken) = page();
        page.sockets.script([Opening::Fails]);
        page.network.answers([Answer::Status(status)]);
        let watch = settled(&page, WATCH);
        assert_eq!(watch.status(), Some(status));
        let probe = page.network.last("api/v1/pods?limit=1&labelSelector=a%3Db&pretty=false");
        probe.says("why");
        page.sandbox.run_until_idle();
        assert_eq!(watch.text(), "why");
        assert_eq!(settled(&page, WATCH).status(), Some(200), "the next socket opens");
        assert_eq!(page.sockets.open_count(), 1);
    }
}

#[test]
fn a_server_that_is_not_reached_says_nothing_against_sockets() {
    let (page, _taken) = page();
    page.sockets.script([Opening::Fails; 5]);
    page.network.answers((0..5).map(|_| Answer::Unreachable));
    for _ in 0..5 {
        assert!(settled(&page, WATCH).end().is_some_and(|end| end.is_err()));
    }
    assert_eq!(settled(&page, WATCH).status(), Some(200));
    assert_eq!(page.sockets.count(), 6);
}

/// Case 30 of the browser test list.
#[test]
fn after_three_failures_watches_stay_on_fetch_and_take_turns() {
    let (page, _taken) = page();
    page.sockets.all_fail.set(true);
    let watch = page.asks(WATCH, Watch);
    page.sandbox.advance(5 * SECOND);
    assert_eq!((page.sockets.count(), watch.status()), (3, None));
    page.sandbox.advance(5 * SECOND);
    assert_eq!(watch.status(), Some(200), "the first of the four has made room");
    assert!(page.network.last(WATCH).is_open());
    let other = page.asks("other", Watch);
    page.sandbox.advance(10 * SECOND);
    assert_eq!((page.sockets.count(), other.status()), (3, Some(200)));
}

#[test]
fn sockets_are_tried_again_after_five_minutes_and_one_failure_is_enough_then() {
    let (page, _taken) = page();
    page.sockets.all_fail.set(true);
    let _failed = settled(&page, WATCH);
    page.sandbox.advance(300 * SECOND);
    let _failed = settled(&page, "again");
    assert_eq!(page.sockets.count(), 4);
    page.sockets.all_fail.set(false);
    page.sandbox.advance(300 * SECOND);
    let _watches: Vec<_> = (0..5).map(|number| page.asks(&format!("more{number}"), Watch)).collect();
    page.sandbox.advance(SECOND);
    assert!(page.sockets.open_count() > 0);
}

#[test]
fn sockets_are_tried_again_when_the_host_is_online_again() {
    let (page, _taken) = page();
    page.sockets.all_fail.set(true);
    let _failed = settled(&page, WATCH);
    page.sandbox.host().set_online(false);
    let _offline = settled(&page, "offline");
    assert_eq!(page.sockets.count(), 3);
    page.sandbox.host().set_online(true);
    page.sockets.all_fail.set(false);
    let watch = settled(&page, "online");
    assert_eq!((page.sockets.count(), watch.status()), (4, Some(200)));
}

/// Who may list and not watch gets no socket either, and a request for the reason succeeds.
#[test]
fn a_watch_that_is_refused_over_fetch_too_says_nothing_against_sockets() {
    let (page, mut taken) = page();
    page.sockets.script([Opening::Fails; 3]);
    page.network.answers((0..3).map(|_| Answer::Status(200)).chain([Answer::Status(403)]));
    let watch = settled(&page, WATCH);
    assert_eq!(watch.status(), None);
    taken[0].aborts();
    page.sandbox.run_until_idle();
    assert_eq!(watch.status(), Some(403));
    assert_eq!(settled(&page, "next").status(), Some(200));
    assert_eq!(page.sockets.open_count(), 1);
}

#[test]
fn a_socket_that_never_opens_is_given_up_and_the_next_one_is_not_held_back_for_ever() {
    let (page, _taken) = page();
    page.sockets.script([Opening::Hangs]);
    let watches = [page.asks("first", Watch), page.asks("second", Watch)];
    page.sandbox.advance(32 * SECOND);
    assert_eq!(watches.each_ref().map(Asked::status), [Some(200); 2]);
    assert_eq!(page.sockets.open_count(), 2);
}

/// Case 31 of the browser test list.
#[test]
fn a_socket_s_close_in_good_order_is_a_watch_s_end_and_any_other_is_a_break() {
    let (page, _taken) = page();
    let watches = [settled(&page, "ends"), settled(&page, "breaks")];
    page.sockets.opened(0).inbox.end(Ok(()));
    page.sockets.opened(1).says("{}");
    page.sockets.opened(1).inbox.end(Err(SocketError::Closed { code: 1006 }));
    page.sandbox.run_until_idle();
    assert_eq!(watches[0].end(), Some(Ok(())));
    assert_eq!(watches[1].text(), "{}");
    assert_eq!(watches[1].end().unwrap().unwrap_err().to_string(), "the WebSocket was closed with code 1006");
}

/// Case 32 of the browser test list.
#[test]
fn a_socket_that_nobody_reads_is_given_up_at_eight_mebibytes() {
    use futures::StreamExt as _;
    use watchglass::runtime::Transport as _;
    let (page, _taken) = page();
    let sending = page.connections.send(request(WATCH, Watch));
    let mut response = page.sandbox.block_on(sending).expect("it opens");
    let socket = page.sockets.opened(0);
    let frame = "x".repeat(1 << 20);
    for _ in 0..8 {
        socket.says(&frame);
    }
    assert!(socket.is_open());
    assert_eq!(socket.inbox.backlog(), 8 << 20);
    socket.says("more");
    assert!(!socket.is_open() && !socket.inbox.deliver(Message::Text("too late".into())));
    let chunks: Vec<_> = page.sandbox.block_on(response.body.by_ref().collect());
    assert!(chunks[..8].iter().all(|chunk| chunk.as_ref().is_ok_and(|chunk| chunk.len() == frame.len())));
    let error = chunks[8].as_ref().unwrap_err().to_string();
    assert_eq!(error, "given up: more than 8388608 bytes waited to be read");
    assert_eq!(chunks.len(), 9);
}
