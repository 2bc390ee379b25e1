use std::cell::Cell;
use std::rc::Rc;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use watchglass::api::{Error, GroupVersionKind, List, ListOptions, Object, Status, StatusCause, StatusDetails};
use watchglass::cache::{
    Connection, ListProgress, ListResult, ListerWatcher, Phase, Reflector, ReflectorOptions, ReflectorStore as _,
    WatchStream,
};
use watchglass::testing::Sandbox;

use super::mirror::Mirror;
use super::script::{Script, closed, in_turn, list_at, open, versioned};
use super::*;

fn pod_list(resource_version: &str, names: &[&str]) -> List {
    list_at(resource_version, names.iter().map(|name| versioned(name, resource_version)))
}

/// client-go: `TestReflectorListAndWatch`; kube-rs/kube#219, kube-rs/kube#285 (a list gives the version to start from,
/// bookmarks are asked for, and no watch starts at "0").
#[test]
fn it_lists_at_any_age_and_watches_from_the_list_s_version() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
    assert!(matches!(running.reflector.connection().phase, Phase::Connected { .. }));
    source.put(pod("b"));
    source.delete("a");
    running.sandbox.run_until_idle();
    assert_eq!(running.store.listing(), ["b 2"]);
    assert_eq!(running.reflector.last_sync_resource_version(), "3");
    assert_eq!(running.store.calls(), ["replace 1 at 1", "add b 2", "seen 2", "delete ns/a 3", "seen 3"]);
}

/// client-go: `TestReflectorResyncWithResourceVersion`; kubernetes/kubernetes PR #86430 (a list after the first one asks
/// for the last known version, which the server's cache answers).
#[test]
fn a_second_list_asks_for_what_is_not_older_than_the_last_version() {
    let script = Script::new().on_page(|_| Ok(pod_list("10", &["a"]))).on_watch(|_| Ok(closed([])));
    let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
    let reflector = reflector(&sandbox, script.clone(), &store, pods());
    for _ in 0..2 {
        assert_eq!(sandbox.block_on(reflector.list_and_watch()), Ok(()));
        assert_eq!(reflector.last_sync_resource_version(), "10");
    }
    let asked = script.asked();
    assert_eq!(asked, ["list rv=0 limit=500", "watch rv=10", "list rv=10", "watch rv=10"]);
}

/// client-go: `TestReflectorListAndWatchWithErrors`; kubernetes/kubernetes#86483, the case of PR #86430.
#[test]
fn a_version_that_is_gone_leads_to_a_list_that_loses_nothing() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.put(pod("b"));
    running.sandbox.advance(seconds(2));
    source.requests();
    source.send(watchglass::api::WatchEvent::Error(Status::failure(410, "too old resource version")));
    source.close();
    source.delete_unseen("a");
    source.put_unseen(pod("c"));
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["list rv=2", "watch rv=4"]);
    assert_eq!(running.store.listing(), ["b 2", "c 4"]);
}

/// client-go: `TestReflectorExpiredExactResourceVersion`, `TestReflectorFullListIfTooLarge`; kubernetes/kubernetes#91073,
/// #92537, #92688, #107133, kubernetes-client/java#2190, gardener/dashboard#771, #774, PR #772.
#[test]
fn a_list_whose_version_the_server_does_not_know_is_repeated_once_and_at_once_for_the_newest() {
    let cause = |reason: &str, message: &str| StatusCause {
        reason: reason.into(),
        message: message.into(),
        ..StatusCause::default()
    };
    let caused = |message: &str, cause| {
        let details = StatusDetails { causes: vec![cause], ..StatusDetails::default() };
        Status { details: Some(details), ..Status::failure(504, message) }
    };
    let text = "Too large resource version";
    for refusal in [
        Status::failure(410, "the provided resource version has expired"),
        Status { reason: String::new(), ..Status::failure(410, "gone") },
        caused("Timeout", cause("ResourceVersionTooLarge", "any")),
        caused("Timeout", cause("", text)),
        Status::failure(504, format!("Timeout: {text}: 30, current: 20")),
    ] {
        let answer = in_turn(["20", "30", "40"]);
        let refused = refusal.clone();
        let script = Script::new()
            .on_page(move |options| match options.resource_version.as_str() {
                "20" | "30" => Err(refused.clone().into()),
                _ => Ok(pod_list(answer(), &["a"])),
            })
            .on_watch(|_| Ok(closed([])));
        let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
        let reflector = reflector(&sandbox, script.clone(), &store, pods());
        let mut lists = Vec::new();
        for _ in 0..3 {
            assert_eq!(sandbox.block_on(reflector.list_and_watch()), Ok(()));
            lists.extend(script.asked().into_iter().filter(|it| it.starts_with("list")));
        }
        let newest = "list rv= limit=500";
        assert_eq!(lists, ["list rv=0 limit=500", "list rv=20", newest, "list rv=30", newest], "{refusal:?}");
        assert_eq!(reflector.last_sync_resource_version(), "40");
    }
}

/// kubernetes/kubernetes#107133: the last version of a quiet resource became older than what a server still knew.
#[test]
fn bookmarks_move_the_version_from_which_a_quiet_resource_is_listed() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    (0..3).for_each(|_| source.bookmark());
    running.sandbox.run_until_idle();
    assert_eq!(running.reflector.last_sync_resource_version(), "4");
    source.requests();
    source.break_with(status(410));
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["list rv=4", "watch rv=4"]);
}

/// kubernetes/kubernetes#100745.
#[test]
fn a_list_that_is_refused_for_the_newest_version_too_is_an_error_and_waits_as_long_as_the_server_asks() {
    let mut refusal = Status::failure(504, "Too large resource version: 9, current: 1");
    refusal.details.get_or_insert_default().retry_after_seconds = Some(7);
    let source = with_one_pod();
    source.fail_next_lists([refusal.clone().into(), refusal.into()]);
    let running = start(source.clone(), pods());
    assert_eq!(source.requests(), ["list rv=0 limit=500", "list rv= limit=500"]);
    running.sandbox.advance(std::time::Duration::from_millis(6999));
    assert!(source.requests().is_empty());
    running.sandbox.advance(std::time::Duration::from_millis(1));
    assert_eq!(source.requests(), ["list rv= limit=500", "watch rv=1"], "the newest is still asked for");
}

/// Ten pods in pages of four, at version 10.
fn paged(options: &ListOptions) -> List {
    let from = match options.r#continue.as_str() {
        "C1" => 4,
        "C2" => 8,
        _ => 0,
    };
    let to = if options.limit.is_none() { 10 } else { (from + 4).min(10) };
    let mut list = list_at("10", (from..to).map(|number| versioned(&format!("pod-{number}"), "10")));
    list.metadata.r#continue = match to {
        4 => "C1".into(),
        8 => "C2".into(),
        _ => String::new(),
    };
    list
}

fn four_at_a_time() -> ReflectorOptions {
    ReflectorOptions { page_size: Some(4), ..pods() }
}

/// client-go: `TestReflectorWatchListPageSize`; kubernetes/kubernetes#85221 (the token alone, without a version).
#[test]
fn a_page_size_of_the_caller_s_own_holds_for_every_page() {
    let script = Script::new().on_page(|options| Ok(paged(options))).on_watch(|_| Ok(closed([])));
    let (result, store) = round(script.clone(), four_at_a_time());
    assert_eq!((result, store.objects().len()), (Ok(()), 10));
    let pages = ["list rv=0 limit=4", "list rv= limit=4 continue=C1", "list rv= limit=4 continue=C2", "watch rv=10"];
    assert_eq!(script.asked(), pages);
    let (_, store) = round(script.clone(), ReflectorOptions { page_size: Some(0), ..pods() });
    assert_eq!(script.asked()[0], "list rv=0 limit=500", "a size of nothing is no size");
    assert_eq!(store.objects().len(), 10);
}

/// client-go: `TestReflectorNotPaginatingNotConsistentReads`, `TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled`.
#[test]
fn a_later_list_is_asked_for_whole_unless_the_first_came_in_pages() {
    for (in_pages, second) in [(false, "list rv=10"), (true, "list rv=10 limit=500")] {
        let script = Script::new().on_watch(|_| Ok(closed([]))).on_page(move |options| {
            let mut list = paged(options);
            if !in_pages {
                list.metadata.r#continue.clear();
            }
            Ok(list)
        });
        let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
        let reflector = reflector(&sandbox, script.clone(), &store, pods());
        sandbox.block_on(reflector.list_and_watch()).unwrap();
        script.asked();
        sandbox.block_on(reflector.list_and_watch()).unwrap();
        assert_eq!(script.asked()[0], second);
    }
}

/// client-go: `TestReflectorFullListIfExpired`.
#[test]
fn a_page_that_has_expired_leads_to_the_whole_list_at_the_same_version() {
    let first_round = Rc::new(Cell::new(true));
    let is_first = Rc::clone(&first_round);
    let script = Script::new().on_watch(|_| Ok(closed([]))).on_page(move |options| {
        if is_first.get() {
            return Ok(pod_list("10", &["a"]));
        }
        match options.r#continue.as_str() {
            "" => Ok(paged(options)),
            _ => Err(status(410)),
        }
    });
    let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
    let reflector = reflector(&sandbox, script.clone(), &store, four_at_a_time());
    sandbox.block_on(reflector.list_and_watch()).unwrap();
    first_round.set(false);
    sandbox.block_on(reflector.list_and_watch()).unwrap();
    let asked: Vec<_> = script.asked().into_iter().filter(|it| it.starts_with("list")).collect();
    let later = ["list rv=0 limit=4", "list rv=10 limit=4", "list rv= limit=4 continue=C1", "list rv=10"];
    assert_eq!(asked, later);
    assert_eq!(store.objects().len(), 10);
}

/// client-go: `TestReflectorListExtract`; kubernetes/kubernetes#113305, #111370, #102718, kubernetes/client-go#1138,
/// #871.
#[test]
fn an_object_that_survives_keeps_no_other_of_its_page_in_memory() {
    let listed: Rc<std::cell::RefCell<Vec<Object>>> = Rc::default();
    let made = Rc::clone(&listed);
    let script = Script::new().on_watch(|_| Ok(closed([]))).on_page(move |options| {
        let list = paged(options);
        made.borrow_mut().extend(list.items.iter().cloned());
        Ok(list)
    });
    let (result, store) = round(script, four_at_a_time());
    result.unwrap();
    let survivors: Vec<_> = ["pod-0", "pod-4", "pod-8"].into_iter().map(|name| versioned(name, "10")).collect();
    for object in store.objects() {
        if !survivors.iter().any(|survivor| survivor.name() == object.name()) {
            store.delete(object.into()).unwrap();
        }
    }
    let held = listed.borrow().iter().filter(|object| object.is_shared()).count();
    assert_eq!((listed.borrow().len(), held), (10, 3));
}

/// client-go: `TestGetTypeDescriptionFromObject`, `TestGetExpectedGVKFromObject`.
#[test]
fn a_reflector_is_called_as_the_caller_says_or_after_the_kind_it_expects() {
    let kind =
        |group: &str, kind: &str| GroupVersionKind { group: group.into(), version: "v1".into(), kind: kind.into() };
    for (description, expected_kind, shown) in [
        ("", None, "<unspecified>"),
        ("", Some(kind("apps", "Deployment")), "apps/v1, Kind=Deployment"),
        ("", Some(kind("", "Pod")), "/v1, Kind=Pod"),
        ("pods", Some(kind("", "Pod")), "pods"),
    ] {
        let options =
            ReflectorOptions { description: description.into(), expected_kind, ..ReflectorOptions::default() };
        let reflector =
            Reflector::new(Sandbox::new().runtime(), Rc::new(Script::new()), Rc::<Mirror>::default(), options);
        assert_eq!(reflector.description(), shown);
    }
}

/// client-go: `TestIsUnsupportedTableObject`, its list's half.
#[test]
fn a_list_of_rows_instead_of_objects_is_refused() {
    let script = Script::new().on_page(|_| {
        let mut list = pod_list("7", &["a"]);
        (list.kind, list.api_version) = ("Table".into(), "meta.k8s.io/v1".into());
        Ok(list)
    });
    let (result, store) = round(script.clone(), pods());
    assert_eq!(
        result.unwrap_err().to_string(),
        "pods did not answer as an API server does: unsupported list gvk: meta.k8s.io/v1, Kind=Table"
    );
    assert!(store.calls().is_empty());
    assert_eq!(script.asked(), ["list rv=0 limit=500"]);
}

#[test]
fn a_store_that_refuses_a_list_fails_the_round_and_leaves_the_version() {
    let store = Mirror::default();
    store.fail_after("replace", 0);
    let (sandbox, store) = (Sandbox::new(), Rc::new(store));
    let reflector = reflector(&sandbox, with_one_pod(), &store, pods());
    let error = sandbox.block_on(reflector.list_and_watch()).unwrap_err();
    assert_eq!(error, Error::Interrupted { reason: "unable to sync list result: no replace".into() });
    assert_eq!(reflector.last_sync_resource_version(), "");
}

#[test]
fn a_list_that_sends_nothing_for_a_minute_is_tried_again() {
    let source = with_one_pod();
    source.silence_lists(true);
    let running = start(source.clone(), pods());
    running.sandbox.advance(seconds(59));
    assert_eq!(source.requests(), ["list rv=0 limit=500"]);
    assert!(matches!(running.reflector.connection().phase, Phase::Listing { .. }));
    source.silence_lists(false);
    running.sandbox.advance(seconds(1) + longest_wait(0));
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
}

/// A list that takes its time and tells how far it has come.
struct Slow {
    runtime: watchglass::runtime::Runtime,
    pause: std::time::Duration,
}

impl ListerWatcher for Slow {
    fn list(
        &self,
        _options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        let (runtime, pause) = (self.runtime.clone(), self.pause);
        async move {
            for received in 1..=4 {
                runtime.sleep(pause).await;
                progress(ListProgress { received, expected: Some(4), ..ListProgress::default() });
            }
            runtime.sleep(pause).await;
            Ok(ListResult { list: pod_list("7", &["a"]), paginated: false })
        }
        .boxed_local()
    }

    fn watch(&self, _options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        async { Ok(open([])) }.boxed_local()
    }
}

#[test]
fn a_long_list_is_waited_for_as_long_as_something_comes() {
    for (pause, comes) in [(59, true), (61, false)] {
        let sandbox = Sandbox::new();
        let source = Slow { runtime: sandbox.runtime(), pause: seconds(pause) };
        let running = start_in(sandbox, source, Mirror::default(), pods());
        assert_eq!(running.reflector.connection().phase, Phase::Listing { received: 0, expected: None });
        assert!(!running.reflector.uses_watch_list(), "a source that says nothing does not support it");
        running.sandbox.advance(seconds(2 * pause));
        let progress = Phase::Listing { received: 2, expected: Some(4) };
        assert_eq!(running.reflector.connection().phase == progress, comes);
        running.sandbox.advance(seconds(3 * pause));
        assert_eq!(running.store.listing().len(), usize::from(comes));
    }
}

#[test]
fn a_try_is_not_shown_as_a_success() {
    let source = with_one_pod();
    source.fail_next_lists([status(500)]);
    let running = start(source.clone(), pods());
    source.silence_lists(true);
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.lists_open(), 1);
    assert!(matches!(running.reflector.connection().phase, Phase::Reconnecting { attempts: 1, .. }));
}

#[test]
fn whoever_observes_the_connection_is_told_of_its_changes_until_the_guard_is_dropped() {
    let source = with_one_pod();
    let mut running = start(source.clone(), pods());
    let phases: Rc<std::cell::RefCell<Vec<Phase>>> = Rc::default();
    let told = Rc::clone(&phases);
    let observer = Rc::new(move |connection: &Connection| told.borrow_mut().push(connection.phase.clone()));
    let guard = running.reflector.on_connection(observer);
    source.break_with(status(410));
    running.sandbox.run_until_idle();
    assert!(matches!(phases.take()[..], [Phase::Reconnecting { attempts: 1, .. }]));
    drop(guard);
    running.stop.stop();
    running.sandbox.run_until_idle();
    assert!(phases.take().is_empty());
}

/// client-go keeps the request of a list that nobody waits for any more.
#[test]
fn stopping_aborts_a_list_on_its_way() {
    let source = with_one_pod();
    source.silence_lists(true);
    let mut running = start(source.clone(), pods());
    assert_eq!(source.lists_open(), 1);
    running.stop.stop();
    running.sandbox.run_until_idle();
    assert_eq!(source.lists_open(), 0);
    assert_eq!(running.reflector.connection().phase, Phase::Stopped);
}

/// kubernetes/kubernetes#74022.
#[test]
fn the_objects_that_a_watch_from_nowhere_begins_with_do_not_give_the_version() {
    let added = |name, version| watchglass::api::WatchEvent::Added(versioned(name, version));
    let events = [added("a", "9"), added("b", "5")];
    for (listed_at, after_added) in [("", ""), ("0", "0"), ("3", "5")] {
        let events = events.clone();
        let script =
            Script::new().on_page(move |_| Ok(list_at(listed_at, []))).on_watch(move |_| Ok(open(events.clone())));
        let running = start(script.clone(), pods());
        assert_eq!(running.reflector.last_sync_resource_version(), after_added, "listed at {listed_at:?}");
        assert_eq!(running.store.listing(), ["a 9", "b 5"]);
    }
    let script = Script::new().on_page(|_| Ok(list_at("", []))).on_watch(move |_| {
        let modified = watchglass::api::WatchEvent::Modified(versioned("a", "11"));
        Ok(open([added("a", "9"), modified, added("c", "12")]))
    });
    let running = start(script, pods());
    assert_eq!(running.reflector.last_sync_resource_version(), "12", "a change ends what was there before");
}

/// client-go: `NewFilteredListWatchFromClient`.
#[test]
fn a_resource_is_listed_and_watched_with_the_options_that_the_caller_changes() {
    use watchglass::api::{GroupVersionResource, ResourcePath};
    use watchglass::rest::{Config, ResourceListWatch, RestClient};
    let sandbox = Sandbox::new();
    let server = watchglass::testing::apiserver::ApiServer::new(sandbox.runtime());
    let path = ResourcePath::all(GroupVersionResource::core("namespaces"));
    let modifier = |options: &mut ListOptions| options.field_selector = "metadata.name=shop".into();
    let source = ResourceListWatch::new(
        RestClient::for_config(&Config::without_rate_limit(&sandbox.runtime(), server.transport())),
        path,
    );
    let filtered = |source| watchglass::cache::FilteredListWatch::new(Rc::new(source), Rc::new(modifier));
    assert!(filtered(source.clone().with_watch_list(true)).supports_watch_list());
    let source = filtered(source);
    assert!(!source.supports_watch_list());
    let running = start_in(sandbox, source, Mirror::default(), pods());
    assert!(running.store.listing().is_empty(), "the server has two others");
    for name in ["bank", "shop"] {
        server.create(watchglass::testing::objects::namespace(name)).unwrap();
    }
    running.sandbox.run_until_idle();
    let names: Vec<_> = running.store.objects().iter().map(|object| object.name().to_owned()).collect();
    assert_eq!(names, ["shop"]);
}
