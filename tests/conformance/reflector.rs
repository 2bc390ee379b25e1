use std::time::Duration;

use watchglass::api::{Error, Status, WatchEvent};
use watchglass::cache::{Phase, SharedInformer};
use watchglass::runtime::StopSource;
use watchglass::testing::Sandbox;

use super::fake_source::{FakeSource, pod};
use super::recorder::store;

struct Running {
    sandbox: Sandbox,
    source: FakeSource,
    informer: SharedInformer,
    _stop: StopSource,
    _task: watchglass::runtime::Task,
}

/// An informer over the source, run until nothing more happens at the first moment.
fn start(source: FakeSource) -> Running {
    let sandbox = Sandbox::new();
    let informer = SharedInformer::new(sandbox.runtime(), std::rc::Rc::new(source.clone()), "pods".into());
    let stop = StopSource::new();
    let (token, runs) = (stop.token(), informer.clone());
    let task = sandbox.spawn(async move { runs.run(token).await });
    sandbox.run_until_idle();
    Running { sandbox, source, informer, _stop: stop, _task: task }
}

fn with_one_pod() -> FakeSource {
    let source = FakeSource::default();
    source.put(pod("a"));
    source
}

fn unreachable() -> Error {
    Error::Unreachable { url: "api/v1/pods".into(), reason: "Failed to fetch".into() }
}

fn status(code: u16) -> Error {
    Status::failure(code, format!("failed with {code}")).into()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The longest wait after the nth failure in a row, the first being 0.
fn longest_wait(failure: u32) -> Duration {
    Duration::from_millis(1600 * 2_u64.pow(failure))
}

/// client-go: `TestReflectorListAndWatch`.
#[test]
fn it_lists_at_any_age_and_watches_from_the_list_s_version() {
    let running = start(with_one_pod());
    assert_eq!(running.source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
    assert!(running.informer.has_synced() && running.informer.connection().synced);
    assert!(matches!(running.informer.connection().phase, Phase::Connected { .. }));
    running.source.put(pod("b"));
    running.source.delete("a");
    running.sandbox.run_until_idle();
    assert_eq!(store(&running.informer), ["b 2"]);
    assert_eq!(running.informer.last_sync_resource_version(), "3");
}

/// client-go: `TestReflectorWatchHandler`; kubernetes/kubernetes#6513.
#[test]
fn a_watch_that_ends_is_opened_again_at_once_from_the_last_version_without_a_list() {
    for end in [None, Some(Error::Interrupted { reason: "reset".into() })] {
        let running = start(with_one_pod());
        running.source.bookmark();
        running.sandbox.advance(seconds(2));
        running.source.requests();
        match end {
            None => running.source.close(),
            Some(error) => running.source.break_with(error),
        }
        running.source.put_unseen(pod("missed"));
        running.sandbox.run_until_idle();
        assert_eq!(running.source.requests(), ["watch rv=2"]);
        assert!(matches!(running.informer.connection().phase, Phase::Connected { .. }));
    }
}

/// client-go: `TestReflectorListAndWatchWithErrors`; kubernetes/kubernetes#91073's neighbour 15.
#[test]
fn a_version_that_is_gone_leads_to_a_list_that_loses_nothing() {
    let running = start(with_one_pod());
    running.source.put(pod("b"));
    running.sandbox.advance(seconds(2));
    running.source.requests();
    running.source.send(WatchEvent::Error(Status::failure(410, "too old resource version")));
    running.source.close();
    running.source.delete_unseen("a");
    running.source.put_unseen(pod("c"));
    running.sandbox.advance(longest_wait(0));
    assert_eq!(running.source.requests(), ["list rv=2", "watch rv=4"]);
    assert_eq!(store(&running.informer), ["b 2", "c 4"]);
}

/// client-go: `TestReflectorExpiredExactResourceVersion`, `TestReflectorTooLargeResourceVersion`; k/k#91073.
#[test]
fn a_list_whose_version_the_server_does_not_know_is_repeated_at_once_for_the_newest() {
    let too_large = Status::failure(504, "Too large resource version: 9, current: 1").into();
    for error in [status(410), too_large] {
        let running = start(with_one_pod());
        running.source.requests();
        running.source.fail_next_lists([error]);
        running.source.break_with(status(500));
        running.sandbox.advance(longest_wait(0));
        assert_eq!(running.source.requests(), ["list rv=1", "list rv= limit=500", "watch rv=1"]);
    }
}

/// Case 15 of the browser test list: a refused connection says nothing of missed events.
#[test]
fn a_server_that_cannot_be_reached_is_watched_again_without_a_list_when_it_is_back() {
    let running = start(with_one_pod());
    running.source.fail_next_watches((0..5).map(|_| unreachable()));
    running.source.requests();
    running.sandbox.advance(seconds(2));
    running.source.close();
    running.sandbox.run_until_idle();
    let Phase::Reconnecting { error, attempts, .. } = running.informer.connection().phase else {
        panic!("it waits after the first failure")
    };
    assert_eq!((error, attempts), (unreachable(), 1));
    assert_eq!(store(&running.informer), ["a 1"], "what is held stays");
    (0..5).for_each(|failure| running.sandbox.advance(longest_wait(failure)));
    assert_eq!(running.source.requests(), vec!["watch rv=1"; 6]);
    assert!(matches!(running.informer.connection().phase, Phase::Connected { .. }));
}

/// client-go: `TestBackoffOnTooManyRequests`.
#[test]
fn a_busy_server_is_given_the_time_that_it_asks_for() {
    let mut busy = Status::failure(429, "too many requests");
    busy.details.get_or_insert_default().retry_after_seconds = Some(40);
    let source = with_one_pod();
    source.fail_next_watches([busy.into()]);
    let running = start(source);
    running.source.requests();
    running.sandbox.advance(seconds(39));
    assert!(running.source.requests().is_empty());
    running.sandbox.advance(seconds(1));
    assert_eq!(running.source.requests(), ["watch rv=1"]);
}

/// client-go: `TestReflectorWatchHandlerError`'s very short watch; kube-proxy in front of a dead server closes at once.
#[test]
fn a_watch_that_closes_at_once_and_empty_waits_and_lists() {
    let running = start(with_one_pod());
    running.source.requests();
    running.source.close();
    running.sandbox.run_until_idle();
    assert!(running.source.requests().is_empty());
    running.sandbox.advance(longest_wait(0));
    assert_eq!(running.source.requests(), ["list rv=1", "watch rv=1"]);
}

/// Case 22 of the browser test list; client-go#374, lens#4307.
#[test]
fn a_watch_that_has_bookmarks_and_falls_silent_is_replaced_after_three_minutes() {
    let running = start(with_one_pod());
    running.source.bookmark();
    running.sandbox.advance(seconds(179));
    running.source.requests();
    running.sandbox.advance(seconds(1));
    assert_eq!(running.source.requests(), ["watch rv=2"]);
    assert_eq!(running.source.watches_open(), 1, "the silent one is aborted");
}

#[test]
fn a_watch_without_bookmarks_is_replaced_when_the_server_should_have_ended_it() {
    let running = start(with_one_pod());
    running.source.requests();
    running.sandbox.advance(seconds(300));
    assert!(running.source.requests().is_empty());
    running.sandbox.advance(seconds(305));
    assert!(running.source.requests().iter().all(|request| request == "watch rv=1"));
    assert_eq!(running.source.watches_open(), 1);
}

#[test]
fn a_list_that_sends_nothing_for_a_minute_is_tried_again() {
    let source = with_one_pod();
    source.silence_lists(true);
    let running = start(source);
    running.sandbox.advance(seconds(59));
    assert_eq!(running.source.requests(), ["list rv=0 limit=500"]);
    assert!(matches!(running.informer.connection().phase, Phase::Listing { .. }));
    running.source.silence_lists(false);
    running.sandbox.advance(seconds(1) + longest_wait(0));
    assert_eq!(running.source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
}

#[test]
fn a_person_need_not_wait_for_the_next_try() {
    let source = with_one_pod();
    source.fail_next_lists([status(403)]);
    let running = start(source);
    let connection = running.informer.connection();
    assert!(!connection.synced && matches!(connection.phase, Phase::Reconnecting { .. }));
    running.source.requests();
    running.informer.retry_now();
    running.sandbox.run_until_idle();
    assert_eq!(running.source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
    assert!(running.informer.has_synced());
}

/// headlamp#7561: an error or a bookmark is no object, and an event without a version does not undo the last one.
#[test]
fn what_is_no_object_changes_neither_the_store_nor_the_version() {
    let running = start(with_one_pod());
    running.source.send(WatchEvent::Bookmark { resource_version: String::new(), initial_events_end: false });
    running.source.send(WatchEvent::Added(std::sync::Arc::default()));
    running.source.send(WatchEvent::Error(Status::failure(500, "etcd is ill")));
    running.sandbox.run_until_idle();
    assert_eq!(store(&running.informer), ["a 1"]);
    assert_eq!(running.informer.last_sync_resource_version(), "1");
}

#[test]
fn stopping_aborts_the_open_watch() {
    let Running { sandbox, source, informer, _stop, _task } = start(with_one_pod());
    assert_eq!(source.watches_open(), 1);
    drop(_stop);
    sandbox.run_until_idle();
    assert_eq!(source.watches_open(), 0);
    assert_eq!(informer.connection().phase, Phase::Stopped);
    assert_eq!(store(&informer), ["a 1"], "what was held can still be read");
}
