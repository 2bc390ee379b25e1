use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use watchglass::api::{Error, Manifest, Status, StatusDetails, WatchEvent};
use watchglass::cache::ListerWatcher;
use watchglass::runtime::Task;
use watchglass::testing::Sandbox;
use watchglass::watch_tools::RetryWatcher;

use super::scripted::{Item, ScriptedWatcher, added, describe, error};
use crate::fake_source::FakeSource;

const SECOND: Duration = Duration::from_secs(1);

/// What a reader of the stream has seen.
struct Reading {
    events: Rc<RefCell<Vec<String>>>,
    ended: Rc<Cell<bool>>,
    _task: Task,
}

fn read(sandbox: &Sandbox, version: &str, server: &Rc<ScriptedWatcher>) -> Reading {
    let (events, ended) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(false)));
    let (seen, at_end) = (Rc::clone(&events), Rc::clone(&ended));
    let mut watcher = RetryWatcher::new(sandbox.runtime(), version, Rc::clone(server)).expect("it is a version");
    let task = sandbox.spawn(async move {
        while let Some(event) = watcher.next().await {
            seen.borrow_mut().push(describe(&event.expect("the items are never errors")));
        }
        at_end.set(true);
    });
    Reading { events, ended, _task: task }
}

fn busy(code: u16, seconds: u32) -> Status {
    let details = StatusDetails { retry_after_seconds: Some(seconds), ..StatusDetails::default() };
    Status { details: Some(details), ..Status::failure(code, "busy") }
}

/// client-go: `TestNewRetryWatcher`. kubernetes/kubernetes#74022.
#[test]
fn a_watch_from_nowhere_or_from_any_state_is_refused() {
    let sandbox = Sandbox::new();
    for version in ["", "0"] {
        let server = Rc::new(ScriptedWatcher::new(sandbox.runtime(), []));
        let error = RetryWatcher::new(sandbox.runtime(), version, server).unwrap_err();
        let expected = format!("initial RV \"{version}\" is not supported due to issues with underlying WATCH");
        assert_eq!((error.to_string(), error.resource_version.as_str()), (expected, version));
    }
}

struct Case {
    name: &'static str,
    version: &'static str,
    history: Vec<Item>,
    first_starts: Vec<Result<Vec<Item>, Error>>,
    closes_after: Option<usize>,
    events: &'static [&'static str],
    starts: usize,
    ends: bool,
}

fn case(name: &'static str, version: &'static str, history: Vec<Item>, events: &'static [&'static str]) -> Case {
    Case { name, version, history, first_starts: Vec::new(), closes_after: None, events, starts: 1, ends: false }
}

fn cases_of_starts() -> Vec<Case> {
    let recovers = |name, first: Result<Vec<Item>, Error>| Case {
        first_starts: vec![first],
        starts: 2,
        ..case(name, "1", vec![added(2)], &["added 2"])
    };
    let refused = |name, code, events| Case {
        first_starts: vec![Err(Status::failure(code, "refused").into()), Ok(vec![added(6)])],
        ends: true,
        ..case(name, "5", vec![added(6)], events)
    };
    let unreachable = || Error::Unreachable { url: "pods".into(), reason: "test error".into() };
    vec![
        recovers("no connection", Err(unreachable())),
        recovers("expired at the start", Err(Status::failure(410, "too old").into())),
        recovers("a watch that is closed already", Ok(Vec::new())),
        refused("forbidden", 403, &["error 403"]),
        refused("unauthorized", 401, &["error 401"]),
    ]
}

fn cases_of_events() -> Vec<Case> {
    let between =
        |name, item| Case { starts: 2, ..case(name, "5", vec![added(6), item, added(7)], &["added 6", "added 7"]) };
    let odd = Error::Undecodable { url: "pods".into(), reason: "expected a Status".into() };
    let gone = || Status::failure(410, "gone");
    let ends = |name, item| Case {
        ends: true,
        ..case(name, "5", vec![added(5), added(6), item, added(7), added(8)], &["added 6", "error 410"])
    };
    vec![
        case("one event", "1", vec![added(2)], &["added 2"]),
        case("the events before are not given", "1", vec![added(1), added(2)], &["added 2"]),
        case("nothing after the version", "3", vec![added(2)], &[]),
        ends("gone", error(gone())),
        ends("gone as an error of the stream", Err(gone().into())),
        between("a timeout", error(Status::failure(504, "timed out"))),
        between("an internal error", error(Status::internal_error("broken"))),
        between("an unknown code", error(Status { code: 666, ..Status::default() })),
        between("an error that is no Status", Err(odd)),
        between("a Status as an error of the stream", Err(Status::failure(500, "broken").into())),
        between("a broken connection", Err(Error::Interrupted { reason: "reset".into() })),
    ]
}

fn cases_of_closed_watches() -> Vec<Case> {
    let closes = |version, history: &[u32], closes_after, events, starts| Case {
        closes_after: Some(closes_after),
        starts,
        ..case("closed watches", version, history.iter().copied().map(added).collect(), events)
    };
    const FOUR: &[&str] = &["added 5", "added 6", "added 7", "added 11"];
    const FIVE: &[&str] = &["added 2", "added 5", "added 6", "added 7", "added 11"];
    vec![
        closes("5", &[6], 1, &["added 6"], 2),
        closes("4", &[5, 6], 1, &["added 5", "added 6"], 3),
        closes("4", &[5, 7], 1, &["added 5", "added 7"], 3),
        closes("2", &[5, 7], 1, &["added 5", "added 7"], 3),
        closes("2", &[5, 6, 7, 11], 1, FOUR, 5),
        closes("2", &[1, 2, 5, 6, 7, 11], 1, FOUR, 5),
        closes("1", &[1, 2, 5, 6, 7, 11], 2, FIVE, 3),
    ]
}

/// client-go: `TestRetryWatcher`.
#[test]
fn a_watch_goes_on_from_where_it_was_until_nothing_can_be_done() {
    for case in cases_of_starts().into_iter().chain(cases_of_events()).chain(cases_of_closed_watches()) {
        let sandbox = Sandbox::new();
        let server = ScriptedWatcher::new(sandbox.runtime(), case.history).starting_with(case.first_starts);
        let server = Rc::new(match case.closes_after {
            Some(items) => server.closing_after(items),
            None => server,
        });
        let reading = read(&sandbox, case.version, &server);
        sandbox.advance(60 * SECOND);
        assert_eq!(*reading.events.borrow(), case.events, "{}", case.name);
        assert_eq!(server.versions().len(), case.starts, "{} from {}", case.name, case.version);
        assert_eq!(reading.ended.get(), case.ends, "{}", case.name);
        assert_eq!(server.watches_open(), usize::from(!case.ends), "{}", case.name);
    }
}

/// client-go: `TestRetryWatcherToFinishWithUnreadEvents`.
#[test]
fn dropping_it_gives_up_the_watch_with_events_unread() {
    let sandbox = Sandbox::new();
    let server = Rc::new(ScriptedWatcher::new(sandbox.runtime(), [added(2), added(3)]));
    let mut watcher = RetryWatcher::new(sandbox.runtime(), "1", Rc::clone(&server)).unwrap();
    assert!(server.versions().is_empty(), "nothing is requested before anybody reads");
    assert!(watcher.next().now_or_never().is_some());
    assert_eq!(server.watches_open(), 1);
    drop(watcher);
    assert_eq!(server.watches_open(), 0);
    sandbox.advance(60 * SECOND);
    assert_eq!((server.versions().len(), Rc::strong_count(&server)), (1, 1));
}

#[test]
fn bookmarks_are_asked_for_and_move_the_place_without_being_given() {
    let sandbox = Sandbox::new();
    let bookmark = WatchEvent::Bookmark { resource_version: "9".into(), initial_events_end: false };
    let server = ScriptedWatcher::new(sandbox.runtime(), []).starting_with([Ok(vec![added(2), Ok(bookmark)])]);
    let server = Rc::new(server);
    let reading = read(&sandbox, "1", &server);
    sandbox.advance(60 * SECOND);
    assert_eq!(*reading.events.borrow(), ["added 2"]);
    assert_eq!(server.versions(), ["1", "9"]);
    let options = server.options().remove(0);
    assert!(options.allow_watch_bookmarks);
    assert_eq!((options.limit, options.send_initial_events, options.timeout_seconds), (None, None, None));
}

#[test]
fn each_kind_of_event_moves_the_place() {
    let sandbox = Sandbox::new();
    let object = |version: u32| match added(version) {
        Ok(WatchEvent::Added(object)) => object,
        other => panic!("{other:?}"),
    };
    let server = ScriptedWatcher::new(sandbox.runtime(), [])
        .starting_with([Ok(vec![Ok(WatchEvent::Modified(object(3)))]), Ok(vec![Ok(WatchEvent::Deleted(object(4)))])]);
    let server = Rc::new(server);
    let reading = read(&sandbox, "1", &server);
    sandbox.advance(60 * SECOND);
    assert_eq!(*reading.events.borrow(), ["modified 3", "deleted 4"]);
    assert_eq!(server.versions(), ["1", "3", "4"]);
}

#[test]
fn an_event_without_a_version_ends_it_with_an_error_event() {
    let unversioned = [
        WatchEvent::Added(Manifest::default().into()),
        WatchEvent::Bookmark { resource_version: String::new(), initial_events_end: false },
    ];
    for event in unversioned {
        let sandbox = Sandbox::new();
        let first = vec![added(2), Ok(event), added(3)];
        let server = Rc::new(ScriptedWatcher::new(sandbox.runtime(), []).starting_with([Ok(first)]));
        let mut watcher = RetryWatcher::new(sandbox.runtime(), "1", Rc::clone(&server)).unwrap();
        assert!(sandbox.block_on(watcher.next()).is_some());
        let Some(Ok(WatchEvent::Error(status))) = sandbox.block_on(watcher.next()) else { panic!("no error event") };
        assert!(status.is_internal_error());
        assert!(status.message.ends_with("doesn't support resourceVersion"), "{}", status.message);
        assert_eq!(server.watches_open(), 0);
        assert_eq!(sandbox.block_on(watcher.next()), None);
        assert_eq!(server.versions().len(), 1);
    }
}

#[test]
fn two_starts_are_a_second_apart_and_a_watch_that_lasted_longer_is_opened_at_once() {
    let sandbox = Sandbox::new();
    let server = Rc::new(ScriptedWatcher::new(sandbox.runtime(), [added(2), added(3)]).closing_after(1));
    let _reading = read(&sandbox, "1", &server);
    sandbox.advance(10 * SECOND);
    assert_eq!(server.start_millis(), [0, 1000, 2000]);

    let sandbox = Sandbox::new();
    let slow = ScriptedWatcher::new(sandbox.runtime(), [added(2), added(3)]).closing_after(1);
    let slow = Rc::new(slow.delayed_by(Duration::from_millis(5500)));
    let _reading = read(&sandbox, "1", &slow);
    sandbox.advance(60 * SECOND);
    assert_eq!(slow.start_millis(), [0, 5500, 11_000]);
}

#[test]
fn a_start_waits_as_long_as_the_server_asks() {
    let sandbox = Sandbox::new();
    let server = ScriptedWatcher::new(sandbox.runtime(), []).starting_with([
        Ok(vec![added(2), error(busy(504, 7))]),
        Err(busy(429, 3).into()),
        Ok(vec![added(3), error(busy(500, 0))]),
    ]);
    let server = Rc::new(server);
    let _reading = read(&sandbox, "1", &server);
    sandbox.advance(60 * SECOND);
    assert_eq!(server.start_millis(), [0, 7000, 10_000, 11_000]);
    assert_eq!(server.versions(), ["1", "2", "2", "3"]);
}

#[test]
fn a_lister_watcher_is_a_watcher() {
    let sandbox = Sandbox::new();
    let source = FakeSource::default();
    let lister_watcher: Rc<dyn ListerWatcher> = Rc::new(source.clone());
    let mut watcher = RetryWatcher::new(sandbox.runtime(), "1", lister_watcher).unwrap();
    assert_eq!(watcher.next().now_or_never(), None);
    assert_eq!(source.requests(), ["watch rv=1"]);
}
