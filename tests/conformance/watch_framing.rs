//! A watch's bytes, however a network cuts them: cases 1 to 12 of the browser test list, by number.

use std::rc::Rc;

use futures::{FutureExt as _, StreamExt as _};
use serde_json::json;
use watchglass::api::WatchEvent;
use watchglass::rest::decode::{DecodeError, WatchDecoder};

use super::reflector::{longest_wait, pods, start};
use super::wire::{Pipes, frame, named};

/// `ADDED a 1`, `BOOKMARK 2`, `ERROR 410`.
fn described(event: &WatchEvent) -> String {
    match event {
        WatchEvent::Added(object) => format!("ADDED {} {}", object.name(), object.resource_version()),
        WatchEvent::Modified(object) => format!("MODIFIED {} {}", object.name(), object.resource_version()),
        WatchEvent::Deleted(object) => format!("DELETED {} {}", object.name(), object.resource_version()),
        WatchEvent::Bookmark { resource_version, .. } => format!("BOOKMARK {resource_version}"),
        WatchEvent::Error(status) => format!("ERROR {}", status.code),
    }
}

/// The events of the pieces, and how it ended.
fn read(pieces: &[&[u8]]) -> (Vec<String>, Result<(), DecodeError>) {
    let (mut decoder, mut events) = (WatchDecoder::default(), Vec::new());
    let mut take = |event| events.push(described(&event));
    let result = pieces.iter().try_for_each(|piece| decoder.push(piece, &mut take));
    (events, result)
}

fn three(between: &str) -> String {
    let events = [
        frame("ADDED", &named("größe-日本-🦀", "1")),
        frame("MODIFIED", &named("a\u{0301}\"}{\\", "2")),
        frame("DELETED", &named("c", "3")),
    ];
    events.map(|event| event + between).concat()
}

const THREE: [&str; 3] = ["ADDED größe-日本-🦀 1", "MODIFIED a\u{0301}\"}{\\ 2", "DELETED c 3"];

/// At no cut, at each one, at each two, and after each byte.
fn assert_three_at_every_cut(text: &str) {
    let bytes = text.as_bytes();
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(read(&[head, b"", tail]), (THREE.map(str::to_owned).to_vec(), Ok(())), "cut at {cut}");
        for other in (0..=tail.len()).step_by(7) {
            let (middle, tail) = tail.split_at(other);
            assert_eq!(read(&[head, middle, tail]).0.len(), 3, "cut at {cut} and {other} bytes later");
        }
    }
    let each: Vec<_> = bytes.chunks(1).collect();
    assert_eq!(read(&each), (THREE.map(str::to_owned).to_vec(), Ok(())));
}

/// Case 1 of the browser test list: within a letter of several bytes, an escape, a string, between two events.
#[test]
fn three_events_are_the_same_at_every_cut() {
    assert_three_at_every_cut(&three("\n"));
}

/// Case 2 of the browser test list.
#[test]
fn several_events_may_come_in_one_piece() {
    let text = three("\n");
    assert_eq!(read(&[text.as_bytes()]), (THREE.map(str::to_owned).to_vec(), Ok(())));
    let twice = text.repeat(2);
    assert_eq!(read(&[twice.as_bytes()]).0.len(), 6);
}

/// Case 3 of the browser test list.
#[test]
fn no_newline_is_needed_between_events() {
    assert_three_at_every_cut(&three(""));
}

/// Case 4 of the browser test list.
#[test]
fn blank_lines_are_nothing() {
    assert_three_at_every_cut(&format!("\n\n{}\n \n", three("\n\n \t\n")));
    assert_eq!(read(&[b"\n", b"", b" \n"]), (vec![], Ok(())));
}

/// Case 5 of the browser test list.
#[test]
fn a_line_may_end_as_on_windows() {
    assert_three_at_every_cut(&three("\r\n"));
}

/// Case 6 of the browser test list (apimachinery: `pkg/runtime/serializer/streaming`): as long as any object may be and no
/// byte more, wherever it is cut.
#[test]
fn a_frame_of_16_mib_is_read_and_one_byte_more_is_refused() {
    const LIMIT: usize = 16 * 1024 * 1024;
    let of_length = |length: usize| {
        let empty = frame("ADDED", &json!({ "metadata": { "name": "a", "resourceVersion": "1" }, "data": "" }));
        let (head, tail) = empty.split_at(empty.rfind("\"data\":\"").unwrap_or_default() + 8);
        let mut whole = String::with_capacity(length);
        whole.push_str(head);
        whole.extend(std::iter::repeat_n('x', length - empty.len()));
        whole + tail
    };
    for (length, expected) in [(LIMIT, Ok(())), (LIMIT + 1, Err(DecodeError::TooLong { limit: LIMIT }))] {
        let text = of_length(length);
        assert_eq!(text.len(), length);
        for piece in [LIMIT + 1, 64 * 1024, 1_000_003] {
            let (mut decoder, mut events) = (WatchDecoder::default(), 0);
            let result = text.as_bytes().chunks(piece).try_for_each(|piece| {
                let pushed = decoder.push(piece, &mut |_| events += 1);
                assert!(decoder.buffered() <= LIMIT);
                pushed
            });
            assert_eq!((&result, events), (&expected, usize::from(expected.is_ok())), "in pieces of {piece}");
        }
    }
    // What never ends is refused as soon as it is too long, and not when the memory is used up.
    let mut decoder = WatchDecoder::default();
    let endless = std::iter::once(&b"{\"type\":\""[..]).chain(std::iter::repeat_n(&[b'x'; 1 << 16][..], 257));
    let result = endless.map(|piece| decoder.push(piece, &mut |_| {})).find(Result::is_err);
    assert_eq!(result, Some(Err(DecodeError::TooLong { limit: LIMIT })));
}

/// Case 7 of the browser test list: what is not whole has not come, and the next watch brings it.
#[test]
fn a_partial_event_at_the_end_is_dropped_and_its_version_not_taken() {
    let text = three("\n");
    for cut in 0..text.len() {
        let (events, result) = read(&[&text.as_bytes()[..cut]]);
        assert_eq!((result, events.as_slice()), (Ok(()), &THREE.map(str::to_owned)[..events.len()]), "cut at {cut}");
    }
    let pipes = Pipes::default();
    let running = start(pipes.clone(), pods());
    let (first, second) = (frame("ADDED", &named("a", "5")), frame("ADDED", &named("b", "6")));
    pipes.write(format!("{first}\n{}", &second[..second.len() - 2]));
    pipes.close();
    running.sandbox.run_until_idle();
    assert_eq!(running.store.listing(), ["a 5"]);
    assert_eq!(pipes.requests(), ["list rv=0 limit=500", "watch rv=1", "watch rv=5"]);
}

/// Case 8 of the browser test list: never read as if the letter were another one.
#[test]
fn invalid_utf_8_ends_the_watch() {
    let good = frame("ADDED", &named("a", "1")).into_bytes();
    for bad in [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\xa6", b"\xc0\xaf"] {
        let name = [b"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"", bad, b"\"}}}"].concat();
        let (events, result) = read(&[&good, &name, &good]);
        assert_eq!(events, ["ADDED a 1"]);
        assert!(matches!(result, Err(DecodeError::Value { .. })), "{bad:?}: {result:?}");
    }
    let (events, result) = read(&[b"\xef\xbb\xbf", &good]);
    assert!(events.is_empty() && matches!(result, Err(DecodeError::NotJson { .. })), "a mark before the first frame");
}

/// Case 9 of the browser test list.
#[test]
fn invalid_json_ends_the_watch_after_the_events_before_it() {
    let good = frame("ADDED", &named("a", "1"));
    for bad in ["<html>", "null", "[]", "x", "}", r#"{"type":"ADDED","object":}"#, r#"{"type":"ADDED""object":{}}"#] {
        let text = format!("{good}\n{bad}\n{good}");
        for cut in 0..=text.len() {
            let (head, tail) = text.as_bytes().split_at(cut);
            let (events, result) = read(&[head, tail]);
            assert_eq!(events, ["ADDED a 1"], "{bad} cut at {cut}");
            assert!(result.is_err(), "{bad} cut at {cut}");
        }
    }
}

/// Case 10 of the browser test list.
#[test]
fn an_unknown_type_ends_the_watch_with_its_name() {
    for kind in ["MOVED", "added", "", "ADDED "] {
        let (events, result) = read(&[frame(kind, &named("a", "1")).as_bytes()]);
        assert!(events.is_empty());
        let reason = result.expect_err("it is no event").to_string();
        assert!(reason.contains(&format!("got invalid watch event type: {kind}")), "{reason}");
    }
}

/// Case 11 of the browser test list: what came before it is kept, and the list asks for no older state.
#[test]
fn an_error_410_in_the_stream_leads_to_a_list_from_the_last_version() {
    let pipes = Pipes::default();
    let running = start(pipes.clone(), pods());
    let gone = json!({ "kind": "Status", "apiVersion": "v1", "code": 410, "reason": "Expired", "message": "too old" });
    pipes.write(format!("{}\n{}\n", frame("ADDED", &named("a", "5")), frame("ERROR", &gone)));
    running.sandbox.run_until_idle();
    assert_eq!(running.store.listing(), ["a 5"]);
    running.sandbox.advance(longest_wait(0));
    assert_eq!(pipes.requests(), ["list rv=0 limit=500", "watch rv=1", "list rv=5", "watch rv=1"]);
}

/// Case 12 of the browser test list: some proxies and old servers send a Status where an event is due.
#[test]
fn a_bare_status_counts_as_an_error_event() {
    let status = |code: u16| json!({ "kind": "Status", "apiVersion": "v1", "code": code, "message": "m" }).to_string();
    assert_eq!(read(&[status(500).as_bytes()]), (vec!["ERROR 500".to_owned()], Ok(())));
    let pipes = Pipes::default();
    let running = start(pipes.clone(), pods());
    pipes.write(status(410));
    running.sandbox.advance(longest_wait(0));
    assert_eq!(pipes.requests(), ["list rv=0 limit=500", "watch rv=1", "list rv=1", "watch rv=1"]);
    let other = json!({ "kind": "Pod", "metadata": { "name": "a" } }).to_string();
    assert!(read(&[other.as_bytes()]).1.is_err(), "an object alone is no event");
}

/// Case 16 of the browser test list: a reset says nothing of missed events, and the next watch begins where it was.
#[test]
fn a_reset_in_the_stream_leads_to_a_watch_from_the_last_whole_event() {
    let pipes = Pipes::default();
    let running = start(pipes.clone(), pods());
    let half = frame("ADDED", &named("b", "6"));
    pipes.write(format!("{}\n{}", frame("ADDED", &named("a", "5")), &half[..half.len() / 2]));
    running.sandbox.advance(super::reflector::seconds(3));
    pipes.reset();
    running.sandbox.run_until_idle();
    assert_eq!(pipes.requests(), ["list rv=0 limit=500", "watch rv=1", "watch rv=5"]);
    assert_eq!(running.store.listing(), ["a 5"]);
}

/// Dropping the stream ends the request, whatever of it was read already.
#[test]
fn nothing_comes_of_a_watch_that_was_dropped() {
    let pipes = Pipes::default();
    let lister_watcher: Rc<dyn watchglass::cache::ListerWatcher> = Rc::new(pipes.clone());
    let opening = lister_watcher.watch(watchglass::api::ListOptions::default()).now_or_never();
    let mut events = opening.expect("the head is there").expect("it is a watch");
    pipes.write(three("\n"));
    assert!(events.next().now_or_never().is_some());
    drop(events);
    assert!(pipes.is_closed());
}
