use std::cell::Cell;
use std::rc::Rc;

use watchglass::api::{Error, GroupVersionKind, Manifest, Object, Status, WatchEvent};
use watchglass::cache::{Phase, ReflectorOptions};
use watchglass::runtime::StopSource;
use watchglass::testing::Sandbox;

use super::mirror::Mirror;
use super::script::{Script, bookmark, broken, closed, end_of_initial, list_at, open, piped, versioned};
use super::*;

fn interrupted() -> Error {
    Error::Interrupted { reason: "reset".into() }
}

/// kubernetes/kubernetes#6513, kubernetes-client/java#1578, #1370, kubernetes-sigs/external-dns#1458,
/// zalando-incubator/stackset-controller#263: whoever cuts a watch off, the server, a proxy or a load balancer, has
/// ended it and nothing else.
#[test]
fn a_watch_that_ends_is_opened_again_at_once_from_the_last_version_without_a_list() {
    for end in [None, Some(interrupted())] {
        let source = with_one_pod();
        let running = start(source.clone(), pods());
        source.bookmark();
        running.sandbox.advance(seconds(2));
        source.requests();
        match end {
            None => source.close(),
            Some(error) => source.break_with(error),
        }
        source.put_unseen(pod("missed"));
        running.sandbox.run_until_idle();
        assert_eq!(source.requests(), ["watch rv=2"]);
        assert!(matches!(running.reflector.connection().phase, Phase::Connected { .. }));
    }
}

/// client-go: `TestCloseWatchChannelOnError`.
#[test]
fn an_error_in_the_stream_ends_the_watch_and_the_round() {
    let source = with_one_pod();
    let sandbox = Sandbox::new();
    let reflector = reflector(&sandbox, source.clone(), &Rc::default(), pods());
    let ended = Rc::new(Cell::new(None));
    let (runs, result) = (Rc::clone(&reflector), Rc::clone(&ended));
    let _task = sandbox.spawn(async move { result.set(Some(runs.list_and_watch().await)) });
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), ended.take()), (1, None));
    source.send(WatchEvent::Error(Status::failure(500, "etcd is ill")));
    sandbox.run_until_idle();
    assert_eq!((source.watches_open(), ended.take()), (0, Some(Ok(()))));
}

/// client-go: `TestRunUntil`, `TestReflectorWatchStoppedAfter`, `TestReflectorHandleWatchStoppedAfter`,
/// `TestReflectorStopWatch`.
#[test]
fn stopping_aborts_the_open_watch() {
    let source = with_one_pod();
    let mut running = start(source.clone(), pods());
    running.sandbox.advance(std::time::Duration::from_millis(10));
    assert_eq!(source.watches_open(), 1);
    running.stop.stop();
    running.sandbox.run_until_idle();
    assert_eq!(source.watches_open(), 0);
    assert_eq!(running.reflector.connection().phase, Phase::Stopped);
    assert_eq!(running.store.listing(), ["a 1"], "what was held can still be read");
    source.requests();
    running.sandbox.advance(seconds(3600));
    assert!(source.requests().is_empty());
}

/// client-go: `TestReflectorWatchStoppedBefore`, `TestReflectorHandleWatchStoppedBefore`.
#[test]
fn a_reflector_that_is_stopped_before_it_runs_asks_for_nothing() {
    let (sandbox, source) = (Sandbox::new(), with_one_pod());
    let reflector = reflector(&sandbox, source.clone(), &Rc::default(), pods());
    let mut stop = StopSource::new();
    stop.stop();
    sandbox.block_on(reflector.run(stop.token()));
    assert!(source.requests().is_empty());
}

/// Case 17 of the browser test list; client-go: `TestReflectorHandleWatchResultChanClosedBefore`,
/// `TestReflectorHandleWatchResultChanClosedAfter`.
#[test]
fn a_watch_that_closes_at_once_and_empty_waits_and_lists() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.requests();
    running.sandbox.advance(std::time::Duration::from_millis(999));
    source.close();
    running.sandbox.run_until_idle();
    assert!(source.requests().is_empty());
    let Phase::Reconnecting { error, .. } = running.reflector.connection().phase else { panic!("it waits") };
    assert!(error.to_string().contains("less than a second"), "{error}");
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["list rv=1", "watch rv=1"]);
}

#[test]
fn a_watch_is_not_too_short_when_it_lasted_a_second_or_brought_something_of_use() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.requests();
    running.sandbox.advance(seconds(1));
    source.close();
    running.sandbox.run_until_idle();
    source.put(pod("b"));
    source.close();
    running.sandbox.run_until_idle();
    source.send(WatchEvent::Added(Manifest::default().into()));
    source.close();
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["watch rv=1", "watch rv=2", "list rv=2", "watch rv=2"]);
}

fn expecting_pods() -> ReflectorOptions {
    let kind = GroupVersionKind { group: String::new(), version: "v1".into(), kind: "Pod".into() };
    ReflectorOptions { expected_kind: Some(kind), ..pods() }
}

fn of_kind(api_version: &str, kind: &str, resource_version: &str) -> Object {
    let mut object = versioned("rejected", resource_version).to_manifest().expect("it is an object");
    (object.api_version, object.kind) = (api_version.into(), kind.into());
    object.into()
}

/// client-go: `TestReflectorWatchHandler`.
#[test]
fn events_change_the_store_and_those_of_another_kind_count_for_nothing() {
    let script =
        Script::new().on_page(|_| Ok(list_at("1", [versioned("foo", "1"), versioned("bar", "1")]))).on_watch(|_| {
            Ok(open([
                WatchEvent::Added(of_kind("v1", "Service", "70")),
                WatchEvent::Deleted(versioned("foo", "20")),
                WatchEvent::Modified(versioned("bar", "55")),
                WatchEvent::Added(versioned("baz", "32")),
                WatchEvent::Modified(of_kind("v2", "Pod", "80")),
                WatchEvent::Added(of_kind("meta.k8s.io/v1", "Table", "90")),
            ]))
        });
    let running = start(script, expecting_pods());
    assert_eq!(running.store.listing(), ["bar 55", "baz 32"]);
    assert_eq!(running.reflector.last_sync_resource_version(), "32");
}

/// The watch's half of client-go's `isUnsupportedTableObject`, where any kind is taken.
#[test]
fn rows_instead_of_objects_are_dropped_and_make_a_watch_no_longer() {
    let script = Script::new().on_watch(|_| {
        let row = |version| WatchEvent::Added(of_kind(version, "Table", "9"));
        Ok(closed([row("meta.k8s.io/v1"), row("meta.k8s.io/v1beta1")]))
    });
    let (result, store) = round(script.clone(), pods());
    assert_eq!((result, script.asked().len()), (Ok(()), 2), "too short a watch");
    assert_eq!(store.calls(), ["replace 0 at 1"]);
    let script = Script::new().on_watch(|_| Ok(open([WatchEvent::Added(of_kind("furniture/v1", "Table", "9"))])));
    assert_eq!(start(script, pods()).store.listing(), ["rejected 9"]);
}

/// headlamp#7561: an error or a bookmark is no object, and an event without a version does not undo the last one.
#[test]
fn what_is_no_object_changes_neither_the_store_nor_the_version() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.send(WatchEvent::Bookmark { resource_version: String::new(), initial_events_end: false });
    source.send(WatchEvent::Added(Manifest::default().into()));
    source.send(WatchEvent::Error(Status::failure(500, "etcd is ill")));
    running.sandbox.run_until_idle();
    assert_eq!(running.store.calls(), ["replace 1 at 1"]);
    assert_eq!(running.reflector.last_sync_resource_version(), "1");
}

/// client-go: `TestReflectorResourceVersionUpdate`.
#[test]
fn the_store_is_told_of_every_version_and_bookmarks_are_not_stored() {
    let script = Script::new().on_watch(|_| {
        Ok(open([
            WatchEvent::Added(versioned("a", "10")),
            WatchEvent::Modified(versioned("a", "20")),
            bookmark("30"),
            // Where it means nothing: no WatchList was asked for.
            end_of_initial("35"),
            WatchEvent::Deleted(versioned("a", "40")),
        ]))
    });
    let running = start(script, pods());
    let calls = running.store.calls();
    let seen: Vec<_> = calls.iter().filter(|call| call.starts_with("seen")).collect();
    assert_eq!(seen, ["seen 10", "seen 20", "seen 30", "seen 35", "seen 40"]);
    assert_eq!(calls.iter().filter(|call| call.starts_with("bookmark")).count(), 2);
    assert!(running.store.listing().is_empty());
}

#[test]
fn a_store_that_refuses_an_event_does_not_end_the_watch() {
    let store = Mirror::default();
    store.fail_after("add", 0);
    let source = with_one_pod();
    let running = start_in(Sandbox::new(), source.clone(), store, pods());
    source.put(pod("b"));
    source.put(pod("a"));
    running.sandbox.run_until_idle();
    assert_eq!(running.store.listing(), ["a 3"]);
    assert_eq!(running.reflector.last_sync_resource_version(), "3");
    assert_eq!(source.watches_open(), 1);
}

/// client-go: `TestReflectorListAndWatchWithErrors`.
#[test]
fn the_store_holds_what_the_last_round_left_when_the_next_begins() {
    let foo_and_bar = || vec![versioned("foo", "2"), versioned("bar", "3")];
    let bar_and_qux = || vec![versioned("bar", "3"), versioned("qux", "5")];
    let (added, deleted) = (WatchEvent::Added, WatchEvent::Deleted);
    let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
    for (list, events, end, expected) in [
        (Ok(("1", vec![])), vec![added(versioned("foo", "2")), added(versioned("bar", "3"))], None, Ok(())),
        (Ok(("3", foo_and_bar())), vec![deleted(versioned("foo", "4")), added(versioned("qux", "5"))], None, Ok(())),
        (Err(status(500)), vec![], None, Err(status(500))),
        (Ok(("5", bar_and_qux())), vec![], Some(status(403)), Err(status(403))),
        (Ok(("5", bar_and_qux())), vec![added(versioned("baz", "6"))], None, Ok(())),
        (Ok(("6", [bar_and_qux(), vec![versioned("baz", "6")]].concat())), vec![], None, Ok(())),
    ] {
        if let Ok((_, list)) = &list {
            let mut expected: Vec<_> =
                list.iter().map(|it| format!("{} {}", it.name(), it.resource_version())).collect();
            expected.sort();
            assert_eq!(store.listing(), expected);
        }
        let first = Cell::new(true);
        let script = Script::new()
            .on_page(move |_| list.clone().map(|(version, items)| list_at(version, items)))
            .on_watch(move |_| match (&end, first.replace(false)) {
                (Some(error), _) => Err(error.clone()),
                (None, true) => Ok(closed(events.clone())),
                (None, false) => Ok(closed([])),
            });
        let reflector = reflector(&sandbox, script, &store, pods());
        assert_eq!(sandbox.block_on(reflector.list_and_watch()), expected);
    }
}

/// client-go: `TestReflectorReplacesStoreOnUnsafeDelete`.
#[test]
fn an_object_that_the_server_cannot_read_any_more_goes_with_the_next_list() {
    let unreadable = Status { reason: "StorageReadError".into(), ..Status::failure(500, "corrupt object") };
    let lists = super::script::in_turn([
        list_at("1", [versioned("foo", "1"), versioned("corrupt", "1")]),
        list_at("5", [versioned("foo", "1")]),
    ]);
    let is_first = Cell::new(true);
    let script = Script::new().on_page(move |_| Ok(lists())).on_watch(move |_| match is_first.replace(false) {
        true => Ok(closed([WatchEvent::Error(unreadable.clone())])),
        false => Ok(open([])),
    });
    let store = Mirror::default();
    let seen: Rc<std::cell::RefCell<Vec<Vec<String>>>> = Rc::default();
    let sees = Rc::clone(&seen);
    store.before_replace(move |store| sees.borrow_mut().push(store.listing()));
    let running = start_in(Sandbox::new(), script.clone(), store, pods());
    running.sandbox.advance(longest_wait(0));
    assert_eq!(seen.take(), [vec![], vec!["corrupt 1".to_owned(), "foo 1".to_owned()]]);
    assert_eq!(
        (running.store.listing(), running.reflector.last_sync_resource_version()),
        (vec!["foo 1".to_owned()], "5".into())
    );
    assert_eq!(script.asked(), ["list rv=0 limit=500", "watch rv=1", "list rv=1", "watch rv=5"]);
}

/// client-go: `TestWatchTimeout`; kubernetes/kubernetes#6770, #6513.
#[test]
fn watches_are_asked_to_last_between_the_shortest_time_and_its_double_at_random() {
    for (shortest, expected) in [(seconds(300), 300..=600), (seconds(1), 300..=600), (seconds(1800), 1800..=3600)] {
        let script = Script::new().on_watch(|_| Ok(broken([bookmark("2")])));
        let left = Cell::new(200);
        let source = script.clone().on_watch(move |_| match left.replace(left.get() - 1) {
            1.. => Ok(broken([bookmark("2")])),
            _ => Ok(closed([])),
        });
        let options = ReflectorOptions { min_watch_timeout: shortest, ..pods() };
        round(source.clone(), options).0.unwrap();
        let mut timeouts: Vec<_> = source.options().iter().filter_map(|options| options.timeout_seconds).collect();
        assert!(timeouts.len() > 200 && timeouts.iter().all(|it| expected.contains(it)), "{shortest:?}");
        timeouts.sort_unstable();
        timeouts.dedup();
        assert!(timeouts.len() > 50, "they do not end together");
    }
}

/// Case 22 of the browser test list; kubernetes/client-go#374, #755, kubernetes/kubernetes#65012, #65087, #48638,
/// #77957.
#[test]
fn a_watch_that_has_bookmarks_and_falls_silent_is_replaced_after_three_minutes() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    running.sandbox.advance(seconds(5));
    source.bookmark();
    running.sandbox.advance(seconds(179));
    source.requests();
    running.sandbox.advance(seconds(1));
    assert_eq!(source.requests(), ["watch rv=2"]);
    assert_eq!(source.watches_open(), 1, "the silent one is aborted");
}

/// Case 22 of the browser test list; kube-rs/kube#1798, #1945, kubeovn/kube-ovn#123: no limit of time for the request
/// cuts a healthy watch off.
#[test]
fn a_watch_without_bookmarks_is_replaced_when_the_server_should_have_ended_it() {
    let script = Script::new();
    let running = start(script.clone(), pods());
    let asked_for = script.options()[1].timeout_seconds.unwrap();
    script.asked();
    running.sandbox.advance(seconds(u64::from(asked_for) + 5) - std::time::Duration::from_millis(1));
    assert!(script.asked().is_empty());
    running.sandbox.advance(std::time::Duration::from_millis(1));
    assert_eq!(script.asked(), ["watch rv=1"]);
}

/// kube-rs/kube#1798, #1945: a quiet watch is not a dead one.
#[test]
fn a_watch_that_has_nothing_but_bookmarks_stays_open() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.requests();
    for quiet in [179, 121] {
        source.bookmark();
        running.sandbox.advance(seconds(quiet));
    }
    assert_eq!((source.requests().len(), source.watches_open()), (0, 1));
    assert!(matches!(running.reflector.connection().phase, Phase::Connected { .. }));
}

/// Case 21 of the browser test list; kubernetes/kubernetes#11678, PR #10678, kubernetes/kubectl#628.
#[test]
fn a_head_that_is_held_back_is_no_failure_until_the_watch_should_have_ended() {
    let source = with_one_pod();
    source.silence_watches(true);
    let running = start(source.clone(), pods());
    source.requests();
    running.sandbox.advance(seconds(300));
    assert!(source.requests().is_empty());
    assert!(matches!(running.reflector.connection().phase, Phase::Listing { .. }));
    source.silence_watches(false);
    running.sandbox.advance(seconds(305) + longest_wait(0));
    assert_eq!(source.requests(), ["watch rv=1"], "and then there is nothing to list for");
    assert_eq!(source.watches_open(), 1);
}

/// kube-rs's watcher keeps the version and asks again for ever.
#[test]
fn a_version_that_is_gone_when_the_watch_is_opened_leads_to_a_list() {
    let source = with_one_pod();
    source.fail_next_watches([status(410)]);
    let running = start(source.clone(), pods());
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["list rv=1", "watch rv=1"]);
}

/// kubernetes/kubernetes PR #136008.
#[test]
fn a_store_without_room_leaves_the_next_event_in_the_stream() {
    let (sender, stream) = piped();
    let stream = std::cell::RefCell::new(Some(stream));
    let script = Script::new().on_watch(move |_| Ok(stream.take().unwrap_or_else(|| open([]))));
    let running = start(script, pods());
    running.store.set_full(true);
    for (name, version) in [("a", "2"), ("b", "3"), ("c", "4")] {
        sender.unbounded_send(Ok(WatchEvent::Added(versioned(name, version)))).unwrap();
    }
    running.sandbox.advance(seconds(60));
    assert_eq!(running.store.listing(), ["a 2"]);
    running.store.set_full(false);
    running.sandbox.run_until_idle();
    assert_eq!(running.store.listing(), ["a 2", "b 3", "c 4"]);
}

#[test]
fn the_time_of_the_last_event_is_known_and_a_success_forgets_the_failures_before_it() {
    let source = with_one_pod();
    source.fail_next_watches([unreachable(), unreachable()]);
    let running = start(source.clone(), pods());
    running.sandbox.advance(longest_wait(0));
    assert!(matches!(running.reflector.connection().phase, Phase::Reconnecting { attempts: 2, .. }));
    running.sandbox.advance(longest_wait(1));
    let opened = running.reflector.connection().last_contact.expect("the head is a contact");
    running.sandbox.advance(seconds(7));
    source.bookmark();
    running.sandbox.run_until_idle();
    let wall = watchglass::runtime::Clock::wall(running.sandbox.clock());
    assert!(wall > opened);
    assert_eq!(running.reflector.connection().last_contact, Some(wall));
    source.fail_next_watches([unreachable()]);
    source.close();
    running.sandbox.run_until_idle();
    assert!(matches!(running.reflector.connection().phase, Phase::Reconnecting { attempts: 1, .. }));
}
