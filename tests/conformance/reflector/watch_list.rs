use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use watchglass::api::{Error, GroupVersionResource, ResourcePath, ResourceVersionMatch, Status, WatchEvent};
use watchglass::cache::{ListerWatcher, Phase, ReflectorOptions, TransformFunc, WatchStream};
use watchglass::rest::{Config, ResourceListWatch, RestClient};
use watchglass::testing::Sandbox;
use watchglass::testing::apiserver::{ApiServer, ApiServerOptions, Fault};

use super::mirror::Mirror;
use super::script::{Script, bookmark, broken, closed, end_of_initial, list_at, open, piped, versioned};
use super::*;
use crate::fake_source::editing;

fn added(name: &str, resource_version: &str) -> WatchEvent {
    WatchEvent::Added(versioned(name, resource_version))
}

fn modified(name: &str, resource_version: &str) -> WatchEvent {
    WatchEvent::Modified(versioned(name, resource_version))
}

fn deleted(name: &str, resource_version: &str) -> WatchEvent {
    WatchEvent::Deleted(versioned(name, resource_version))
}

/// Answers WatchLists with these streams in turn, plain watches with silence, lists with pod p1 at version 1.
fn streaming(streams: impl IntoIterator<Item = Result<WatchStream, Error>>) -> Script {
    let streams = RefCell::new(streams.into_iter().collect::<std::collections::VecDeque<_>>());
    Script::new().with_watch_list().on_page(|_| Ok(list_at("1", [versioned("p1", "1")]))).on_watch(move |options| {
        match options.send_initial_events {
            Some(_) => streams.borrow_mut().pop_front().unwrap_or_else(|| Ok(open([]))),
            None => Ok(open([])),
        }
    })
}

const FALLEN_BACK: [&str; 3] = ["watch-list rv=", "list rv=0 limit=500", "watch rv=1"];

/// client-go: `TestReflectorListAndWatch`, `TestWatchList`; kubernetes/kubernetes#138670 (a stream may be slower than a
/// list, so it shows how far it is).
#[test]
fn the_first_state_comes_by_a_stream_that_goes_on_as_the_watch() {
    let (sender, stream) = piped();
    let script = streaming([Ok(stream)]);
    let running = start(script.clone(), pods());
    let send = |event| sender.unbounded_send(Ok(event)).unwrap();
    [added("foo", "1"), added("foo", "2"), added("bar", "3")].into_iter().for_each(send);
    running.sandbox.run_until_idle();
    assert!(running.store.calls().is_empty(), "nothing reaches the store before the end is marked");
    let received = |count| Phase::Listing { received: count, expected: None };
    assert_eq!(running.reflector.connection().phase, received(1), "not told of each of many");
    running.sandbox.advance(Duration::from_millis(99));
    send(modified("bar", "3"));
    running.sandbox.run_until_idle();
    assert_eq!(running.reflector.connection().phase, received(1));
    running.sandbox.advance(Duration::from_millis(1));
    send(modified("bar", "3"));
    running.sandbox.run_until_idle();
    assert_eq!(running.reflector.connection().phase, received(2));
    send(end_of_initial("3"));
    running.sandbox.run_until_idle();
    assert_eq!(running.store.calls(), ["replace 2 at 3"]);
    assert!(matches!(running.reflector.connection().phase, Phase::Connected { .. }));
    [added("baz", "4"), added("qux", "5"), added("zoo", "6")].into_iter().for_each(send);
    running.sandbox.run_until_idle();
    assert_eq!(running.store.listing(), ["bar 3", "baz 4", "foo 2", "qux 5", "zoo 6"]);
    assert_eq!(running.reflector.last_sync_resource_version(), "6");
    let options = &script.options()[0];
    assert_eq!((options.limit, options.send_initial_events), (None, Some(true)));
    assert_eq!(options.resource_version_match, Some(ResourceVersionMatch::NotOlderThan));
    assert!((300..=600).contains(&options.timeout_seconds.unwrap()));
    assert_eq!(script.asked(), ["watch-list rv="]);
}

/// client-go: `TestWatchList`.
#[test]
fn changes_before_the_end_of_the_state_are_part_of_it() {
    let events = [
        added("p1", "1"),
        added("p2", "2"),
        modified("p1", "3"),
        added("p3", "4"),
        deleted("p3", "5"),
        end_of_initial("5"),
    ];
    let running = start(streaming([Ok(open(events))]), pods());
    assert_eq!(running.store.listing(), ["p1 3", "p2 2"]);
    assert_eq!(running.store.calls(), ["replace 2 at 5"]);
}

/// client-go: `TestNewReflectorWithDisablementWatchList`, `TestToListWatcherWithWatchListSemantics`,
/// `TestDoesClientNotSupportWatchListSemantics`; kubernetes/kubernetes#135895, PR #139716 (a source that is not known
/// to mark the end is not asked), #138670 (it is chosen for each resource).
#[test]
fn a_watch_list_is_asked_for_only_where_it_is_wanted_and_supported() {
    for (wanted, supported, first) in [
        (true, true, "watch-list rv="),
        (true, false, "list rv=0 limit=500"),
        (false, true, "list rv=0 limit=500"),
        (false, false, "list rv=0 limit=500"),
    ] {
        let script = if supported { Script::new().with_watch_list() } else { Script::new() };
        let running = start(script.clone(), ReflectorOptions { watch_list: wanted, ..pods() });
        assert_eq!(script.asked()[0], first);
        assert_eq!(running.reflector.uses_watch_list(), wanted && supported);
    }
    let sandbox = Sandbox::new();
    let server = ApiServer::new(sandbox.runtime());
    let pods = ResourcePath::all(GroupVersionResource::core("pods"));
    let resource = ResourceListWatch::new(
        RestClient::for_config(&Config::without_rate_limit(&sandbox.runtime(), server.transport())),
        pods,
    );
    assert!(!resource.supports_watch_list());
    assert!(resource.clone().with_watch_list(true).supports_watch_list());
    assert!(!resource.with_watch_list(true).with_watch_list(false).supports_watch_list());
}

/// client-go: `TestWatchListResourceVersion`.
#[test]
fn the_version_comes_from_the_marked_bookmark_alone() {
    for (events, version) in [
        (vec![], ""),
        (vec![added("a", "1"), added("b", "2")], ""),
        (vec![added("a", "1"), modified("a", "2"), bookmark("2")], ""),
        (vec![added("a", "1"), end_of_initial("2")], "2"),
    ] {
        let running = start(streaming([Ok(open(events.clone()))]), pods());
        assert_eq!(running.reflector.last_sync_resource_version(), version, "{events:?}");
    }
}

/// client-go: `TestWatchList`.
#[test]
fn a_stream_that_cannot_be_had_leads_to_a_list_at_once() {
    for (error, next_round) in [
        (status(422), "list rv=1"),
        (status(400), "list rv=1"),
        // What does not say that the server never does it is asked for again.
        (status(500), "watch-list rv=1"),
        (status(403), "watch-list rv=1"),
    ] {
        let script = streaming([Err(error.clone())]);
        let running = start(script.clone(), pods());
        assert_eq!(script.asked(), FALLEN_BACK, "{error}");
        assert_eq!(running.store.listing(), ["p1 1"]);
        assert_eq!(running.reflector.uses_watch_list(), next_round.starts_with("watch-list"), "{error}");
    }
}

/// client-go: `TestWatchList`.
#[test]
fn a_busy_or_absent_server_is_asked_for_the_stream_again_after_a_wait() {
    for error in [status(429), unreachable()] {
        let stream = open([added("p1", "1"), end_of_initial("2")]);
        let script = streaming([Err(error.clone()), Err(error.clone()), Ok(stream)]);
        let running = start(script.clone(), pods());
        assert_eq!(script.asked(), ["watch-list rv="]);
        assert!(matches!(running.reflector.connection().phase, Phase::Reconnecting { attempts: 1, .. }));
        running.sandbox.advance(longest_wait(0));
        running.sandbox.advance(longest_wait(1));
        assert_eq!(script.asked(), ["watch-list rv=", "watch-list rv="], "{error}");
        assert_eq!(running.store.listing(), ["p1 1"]);
        assert!(running.reflector.uses_watch_list());
    }
}

/// client-go cannot stop such a wait.
#[test]
fn a_wait_for_the_next_stream_can_be_stopped_and_cut_short() {
    let script = streaming([Err(status(429)), Err(status(429)), Err(status(429))]);
    let mut running = start(script.clone(), pods());
    running.reflector.retry_now();
    running.sandbox.run_until_idle();
    assert_eq!(script.asked().len(), 2);
    running.stop.stop();
    running.sandbox.run_until_idle();
    assert_eq!(running.reflector.connection().phase, Phase::Stopped);
    running.sandbox.advance(seconds(3600));
    assert!(script.asked().is_empty());
}

/// client-go: `TestWatchList`, whose stream is asked for again without a wait; kubernetes/kubernetes#115478 (a server
/// cuts off who reads too slowly).
#[test]
fn a_stream_that_breaks_before_the_end_is_asked_for_again_after_a_wait_and_leaves_nothing_behind() {
    let script = streaming([Ok(broken([added("leaked", "1")])), Ok(open([added("p1", "2"), end_of_initial("3")]))]);
    let running = start(script.clone(), pods());
    assert_eq!(script.asked(), ["watch-list rv="]);
    running.sandbox.advance(longest_wait(0));
    assert_eq!(script.asked(), ["watch-list rv="]);
    assert_eq!(running.store.listing(), ["p1 2"]);
}

/// client-go: `TestWatchList`.
#[test]
fn behind_the_state_the_stream_is_a_watch_like_any_other() {
    let state = [added("p1", "1"), added("p2", "2"), end_of_initial("2"), added("p3", "3")];
    let script = streaming([Ok(closed(state))]);
    let running = start(script.clone(), pods());
    assert_eq!(script.asked(), ["watch-list rv=", "watch rv=3"]);
    assert_eq!(running.store.listing(), ["p1 1", "p2 2", "p3 3"]);
}

/// client-go: `TestWatchList`.
#[test]
fn a_version_that_is_gone_after_the_stream_is_an_error_and_keeps_the_store() {
    let state = [added("p1", "1"), end_of_initial("2"), added("p3", "3")];
    let state = Cell::new(Some(closed(state)));
    let script = Script::new().with_watch_list().on_watch(move |options| match options.send_initial_events {
        Some(_) => Ok(state.take().expect("one stream is asked for")),
        None => Err(status(410)),
    });
    let (result, store) = round(script.clone(), pods());
    assert_eq!((result, store.listing()), (Err(status(410)), vec!["p1 1".to_owned(), "p3 3".to_owned()]));
    assert_eq!(script.asked(), ["watch-list rv=", "watch rv=3"]);
}

/// kubernetes/kubernetes#91073's case in a stream.
#[test]
fn a_version_of_no_use_is_given_up_for_the_newest_at_once() {
    let too_large = || Status::failure(504, "Timeout: Too large resource version: 9, current: 1");
    for refusal in [Status::failure(410, "too old"), too_large()] {
        for in_stream in [false, true] {
            let refusal = if in_stream {
                Ok(closed([WatchEvent::Error(refusal.clone())]))
            } else {
                Err(Error::from(refusal.clone()))
            };
            let first = closed([end_of_initial("7")]);
            let script = streaming([Ok(first), refusal, Ok(open([end_of_initial("9")]))]);
            let plain = script.clone().on_watch({
                let streams = script.clone();
                move |options| match options.send_initial_events {
                    Some(_) => streams.stream(options),
                    None => Err(status(500)),
                }
            });
            let running = start(plain.clone(), pods());
            running.sandbox.advance(longest_wait(0));
            assert_eq!(plain.asked(), ["watch-list rv=", "watch-list rv=7", "watch-list rv="]);
            assert_eq!(running.reflector.last_sync_resource_version(), "9");
        }
    }
}

/// kubernetes/kubernetes#140890: the server ends the watch without having marked the end of the state.
#[test]
fn a_stream_that_ends_unmarked_leads_to_a_list_after_a_wait_and_is_never_asked_for_again() {
    let script = streaming([Ok(closed([added("leaked", "1")]))]);
    let running = start(script.clone(), pods());
    assert_eq!(script.asked(), ["watch-list rv="]);
    assert!(matches!(running.reflector.connection().phase, Phase::Reconnecting { .. }));
    running.sandbox.advance(longest_wait(0));
    assert_eq!(script.asked(), ["list rv=0 limit=500", "watch rv=1"]);
    assert_eq!(running.store.listing(), ["p1 1"]);
    assert!(!running.reflector.uses_watch_list());
}

#[test]
fn a_stream_that_ends_at_once_leads_to_a_list_and_says_nothing_of_the_server() {
    let script = streaming([Ok(closed([]))]);
    let running = start(script.clone(), pods());
    assert_eq!(script.asked(), FALLEN_BACK);
    assert!(running.reflector.uses_watch_list());
}

/// client-go: `TestWatchList` (the value "false" marks nothing). derailed/k9s#4044, PR #4186, kcp-dev/kcp#4384 (an
/// empty and silent stream), antrea-io/antrea#8123, PR #8124, PR #8139 (bookmarks that do not mark the end).
#[test]
fn without_the_marked_bookmark_and_without_an_event_for_thirty_seconds_it_lists() {
    for events in [vec![], vec![added("p2", "2"), bookmark("2")]] {
        let script = streaming([Ok(open(events.clone()))]);
        let running = start(script.clone(), pods());
        running.sandbox.advance(Duration::from_millis(29_999));
        assert_eq!(script.asked(), ["watch-list rv="], "{events:?}");
        assert!(running.store.calls().is_empty());
        running.sandbox.advance(Duration::from_millis(1));
        assert_eq!(script.asked(), ["list rv=0 limit=500", "watch rv=1"]);
        assert_eq!(running.store.listing(), ["p1 1"]);
        assert!(!running.reflector.uses_watch_list());
    }
}

#[test]
fn a_server_that_does_not_mark_the_end_is_remembered_by_each_reflector_for_itself() {
    let source = with_one_pod();
    source.support_watch_list();
    source.withhold_initial_bookmark(true);
    let running = start(source.clone(), pods());
    running.sandbox.advance(seconds(30));
    assert_eq!(source.requests(), ["watch-list rv=", "list rv=0 limit=500", "watch rv=1"]);
    source.withhold_initial_bookmark(false);
    source.break_with(status(410));
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["list rv=1", "watch rv=1"]);
    let other = start(source.clone(), pods());
    assert_eq!(source.requests(), ["watch-list rv="]);
    source.put(pod("b"));
    other.sandbox.run_until_idle();
    assert_eq!(other.store.listing(), ["a 1", "b 2"]);
}

#[test]
fn each_event_extends_the_time_for_the_marked_bookmark() {
    let (sender, stream) = piped();
    let script = streaming([Ok(stream)]);
    let running = start(script.clone(), pods());
    for version in 1..=5 {
        running.sandbox.advance(seconds(29));
        sender.unbounded_send(Ok(added("a", &version.to_string()))).unwrap();
    }
    running.sandbox.advance(seconds(29));
    sender.unbounded_send(Ok(end_of_initial("9"))).unwrap();
    running.sandbox.run_until_idle();
    assert_eq!((script.asked().len(), running.store.listing()), (1, vec!["a 5".to_owned()]));
}

#[test]
fn a_head_that_does_not_come_in_that_time_leads_to_a_list_too() {
    let source = with_one_pod();
    source.support_watch_list();
    source.silence_watches(true);
    let running = start(source.clone(), pods());
    running.sandbox.advance(seconds(29));
    assert_eq!(source.requests(), ["watch-list rv="]);
    source.silence_watches(false);
    running.sandbox.advance(seconds(1));
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
}

/// phenixblue/k8shark#153.
#[test]
fn a_marked_bookmark_without_a_version_is_of_no_use() {
    let script = streaming([Ok(open([added("p2", "2"), end_of_initial("")]))]);
    let running = start(script.clone(), pods());
    assert_eq!(script.asked(), FALLEN_BACK);
    assert_eq!(running.store.listing(), ["p1 1"]);
}

/// kubernetes/kubernetes#126958, PR #127012.
#[test]
fn after_the_marked_bookmark_no_other_is_waited_for_longer_than_for_any() {
    let script = streaming([Ok(open([end_of_initial("2")]))]);
    let running = start(script.clone(), pods());
    running.sandbox.advance(seconds(179));
    assert_eq!(script.asked().len(), 1);
    running.sandbox.advance(seconds(1));
    assert_eq!(script.asked(), ["watch rv=2"], "three bookmarks are missing");
}

#[test]
fn a_store_that_refuses_the_state_fails_the_round() {
    let store = Rc::new(Mirror::default());
    store.fail_after("replace", 0);
    let sandbox = Sandbox::new();
    let script = streaming([Ok(open([end_of_initial("2")]))]);
    let reflector = reflector(&sandbox, script.clone(), &store, pods());
    let error = sandbox.block_on(reflector.list_and_watch()).unwrap_err();
    assert_eq!(error, Error::Interrupted { reason: "unable to sync watch-list result: no replace".into() });
    assert_eq!((script.asked().len(), reflector.uses_watch_list()), (1, true));
}

/// client-go: `TestReflectorRespectStoreTransformer`.
#[test]
fn the_store_s_transformer_sees_the_state_on_its_way_and_again_in_the_store() {
    let calls = Rc::new(Cell::new(0));
    let counts = Rc::clone(&calls);
    let transformer: TransformFunc = editing(move |object| {
        counts.set(counts.get() + 1);
        object.metadata.annotations.insert("transformed".into(), "yes".into());
        Ok(())
    });
    let events = [added("p1", "1"), added("p2", "2"), end_of_initial("2"), added("p3", "3")];
    let store = Mirror::with_transformer(transformer);
    let running = start_in(Sandbox::new(), streaming([Ok(open(events))]), store, pods());
    let objects = running.store.objects();
    assert_eq!((objects.len(), calls.get()), (3, 5));
    assert!(objects.iter().all(|object| object.annotation("transformed").unwrap() == "yes"));
}

/// What the check says of a stream that brought p1 at version 1 and a list of something.
fn inconsistencies(listed_version: &'static str, failing_lists: usize) -> (Vec<String>, Vec<String>) {
    let left = Cell::new(failing_lists);
    let script = streaming([Ok(open([added("p1", "1"), end_of_initial("2")]))]).on_page(move |_| match left.get() {
        0 => Ok(list_at("2", [versioned("p1", listed_version)])),
        more => {
            left.set(more - 1);
            Err(status(500))
        }
    });
    let told: Rc<RefCell<Vec<String>>> = Rc::default();
    let tells = Rc::clone(&told);
    let tell = move |text: &str| tells.borrow_mut().push(text.to_owned());
    let options = ReflectorOptions { check_consistency: Some(Rc::new(tell)), ..pods() };
    let running = start(script.clone(), options);
    running.sandbox.advance(seconds(failing_lists as u64));
    assert_eq!(running.store.listing(), ["p1 1"]);
    (told.take(), script.asked())
}

/// client-go: `TestReflectorDataConsistencyDetector`, `TestDataConsistencyChecker`.
#[test]
fn what_a_stream_brings_can_be_compared_with_a_list_of_exactly_that_state() {
    let asked = ["watch-list rv=", "list rv=2 exact"];
    assert_eq!(inconsistencies("1", 0), (vec![], asked.map(str::to_owned).to_vec()));
    let (told, _) = inconsistencies("9", 0);
    assert_eq!(told, ["data inconsistency detected for pods: the list has [p1@9], the stream brought [p1@1]"]);
}

/// client-go: `TestDataConsistencyCheckerRetry`.
#[test]
fn the_list_for_that_is_asked_for_each_second_until_it_comes() {
    let (told, asked) = inconsistencies("1", 4);
    assert_eq!((told.len(), asked.len()), (0, 1 + 5));
}

fn against(server: &ApiServer, sandbox: Sandbox) -> Running {
    let path = ResourcePath::all(GroupVersionResource::core("namespaces"));
    let source = ResourceListWatch::new(
        RestClient::for_config(&Config::without_rate_limit(&sandbox.runtime(), server.transport())),
        path,
    )
    .with_watch_list(true);
    let running = start_in(sandbox, source, Mirror::default(), pods());
    running.sandbox.advance(seconds(31));
    running
}

#[test]
fn against_a_server_the_stream_the_refusal_and_the_missing_mark_all_lead_to_the_same_store() {
    for (has_watch_list, fault, used) in [
        (true, None, true),
        (false, None, false),
        (true, Some(Fault::NoInitialBookmark), false),
        (true, Some(Fault::CloseBeforeInitialBookmark), false),
    ] {
        let sandbox = Sandbox::new();
        let options = ApiServerOptions { watch_list: has_watch_list, ..ApiServerOptions::default() };
        let server = ApiServer::with_options(sandbox.runtime(), options);
        fault.clone().into_iter().for_each(|fault| server.inject(fault));
        let running = against(&server, sandbox);
        let names: Vec<_> = running.store.objects().iter().map(|object| object.name().to_owned()).collect();
        assert_eq!(names, ["default", "kube-system"], "{fault:?}");
        assert_eq!(running.reflector.uses_watch_list(), used, "{fault:?}");
        server.create(watchglass::testing::objects::namespace("shop")).unwrap();
        running.sandbox.run_until_idle();
        assert_eq!(running.store.objects().len(), 3);
    }
}
