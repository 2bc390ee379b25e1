use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt as _;
use watchglass::api::{Error, Status, WatchEvent};
use watchglass::cache::{Indexer, ListerWatcher, WatchStream};
use watchglass::testing::Sandbox;
use watchglass::watch_tools::{
    Condition, ConditionError, Precondition, UntilError, until, until_with_sync, until_without_retry,
};

use super::scripted::{Item, ScriptedWatcher, added, describe, error};
use crate::fake_source::{FakeSource, pod};

type Outcome = Result<Option<WatchEvent>, UntilError>;

const MINUTE: Option<Duration> = Some(Duration::from_secs(60));

fn is_added<'a>() -> Condition<'a> {
    Box::new(|event| Ok(matches!(event, WatchEvent::Added(_))))
}

fn is_modified<'a>() -> Condition<'a> {
    Box::new(|event| Ok(matches!(event, WatchEvent::Modified(_))))
}

fn is_deleted<'a>() -> Condition<'a> {
    Box::new(|event| Ok(matches!(event, WatchEvent::Deleted(_))))
}

fn modified(version: u32) -> Item {
    added(version).map(|event| match event {
        WatchEvent::Added(object) => WatchEvent::Modified(object),
        other => other,
    })
}

/// The items, and then nothing for ever.
fn open(items: impl IntoIterator<Item = Item> + 'static) -> WatchStream {
    let items: Vec<_> = items.into_iter().collect();
    futures::stream::iter(items).chain(futures::stream::pending()).boxed_local()
}

fn closed(items: impl IntoIterator<Item = Item> + 'static) -> WatchStream {
    let items: Vec<_> = items.into_iter().collect();
    futures::stream::iter(items).boxed_local()
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Ok(event) => event.as_ref().map_or("no event".into(), describe),
        Err(error) => format!("{error}, last {}", error.last_event().map_or("none".into(), describe)),
    }
}

fn wait(timeout: Option<Duration>, events: WatchStream, conditions: Vec<Condition<'_>>) -> (Sandbox, Outcome) {
    let sandbox = Sandbox::new();
    let result = sandbox.block_on(until_without_retry(&sandbox.runtime(), timeout, events, conditions));
    (sandbox, result)
}

/// client-go: `TestUntil`, `TestUntilTimeout`.
#[test]
fn conditions_are_met_one_after_the_other_with_and_without_a_time_limit() {
    for timeout in [MINUTE, None] {
        let (_, result) = wait(timeout, open([added(1), modified(2), modified(3)]), vec![is_added(), is_modified()]);
        assert_eq!(outcome(&result), "modified 2");
    }
}

/// client-go: `TestUntilMultipleConditions`.
#[test]
fn one_event_may_meet_several_conditions() {
    let (_, result) = wait(MINUTE, open([added(1)]), vec![is_added(), is_added()]);
    assert_eq!(outcome(&result), "added 1");
}

/// client-go: `TestUntilMultipleConditionsFail`.
#[test]
fn the_time_limit_ends_the_wait_with_the_last_event() {
    let ten_seconds = Duration::from_secs(10);
    let conditions = vec![is_added(), is_added(), is_deleted()];
    let (sandbox, result) = wait(Some(ten_seconds), open([added(1)]), conditions);
    assert!(matches!(result, Err(UntilError::Interrupted { .. })));
    assert_eq!(outcome(&result), "timed out waiting for the condition, last added 1");
    assert_eq!(sandbox.runtime().now().since(Default::default()), ten_seconds);
}

/// client-go: `TestUntilErrorCondition`.
#[test]
fn a_condition_that_fails_ends_the_wait() {
    let fails = || -> Condition { Box::new(|_| Err("something bad".into())) };
    let (_, result) = wait(MINUTE, open([added(1)]), vec![is_added(), fails()]);
    assert_eq!(outcome(&result), "something bad, last added 1");
    let (_, result) = wait(MINUTE, open([added(1), added(2)]), vec![fails()]);
    assert_eq!(outcome(&result), "something bad, last added 1");
}

#[test]
fn without_conditions_nothing_is_read() {
    let (_, result) = wait(MINUTE, open([]), Vec::new());
    assert_eq!(outcome(&result), "no event");
}

#[test]
fn a_watch_that_ends_ends_the_wait_with_its_reason() {
    let (_, result) = wait(MINUTE, closed([added(1)]), vec![is_modified()]);
    assert_eq!(outcome(&result), "watch closed before UntilWithoutRetry timeout, last added 1");
    assert!(matches!(result, Err(UntilError::WatchClosed { reason: None, .. })));
    let reset = Error::Interrupted { reason: "reset".into() };
    let (_, result) = wait(MINUTE, closed([Err(reset.clone())]), vec![is_modified()]);
    assert_eq!(outcome(&result), "watch closed before UntilWithoutRetry timeout, last none");
    assert!(matches!(result, Err(UntilError::WatchClosed { reason: Some(reason), .. }) if reason == reset));
}

#[test]
fn the_stream_is_let_go_with_the_wait() {
    let held = Rc::new(());
    let guard = Rc::clone(&held);
    let events = open([added(1)]).inspect(move |_| {
        let _held_as_long_as_the_stream = &guard;
    });
    let (_, result) = wait(MINUTE, events.boxed_local(), vec![is_added()]);
    assert!(result.is_ok());
    assert_eq!(Rc::strong_count(&held), 1);
}

#[test]
fn a_wait_with_retries_outlasts_closed_watches_and_not_a_version_that_is_too_old() {
    let sandbox = Sandbox::new();
    let runtime = sandbox.runtime();
    let server = Rc::new(ScriptedWatcher::new(runtime.clone(), [added(2), added(3)]).closing_after(1));
    let is_third = || -> Condition { Box::new(|event| Ok(describe(event) == "added 3")) };
    let result = sandbox.block_on(until(&runtime, MINUTE, "1", Rc::clone(&server), vec![is_third()]));
    assert_eq!((outcome(&result).as_str(), server.versions().len()), ("added 3", 2));
    assert_eq!(server.watches_open(), 0);

    let history = [added(2), error(Status::failure(410, "too old")), added(3)];
    let server = Rc::new(ScriptedWatcher::new(runtime.clone(), history));
    let result = sandbox.block_on(until(&runtime, MINUTE, "1", server, vec![is_third()]));
    assert_eq!(outcome(&result), "watch closed before UntilWithoutRetry timeout, last error 410");
}

#[test]
fn a_wait_with_retries_needs_a_version_and_keeps_to_its_time() {
    let sandbox = Sandbox::new();
    let runtime = sandbox.runtime();
    let server = Rc::new(ScriptedWatcher::new(runtime.clone(), []));
    let result = sandbox.block_on(until(&runtime, MINUTE, "0", Rc::clone(&server), vec![is_added()]));
    assert!(matches!(result, Err(UntilError::ResourceVersion(_))), "{}", outcome(&result));
    let result = sandbox.block_on(until(&runtime, MINUTE, "1", server, vec![is_added()]));
    assert_eq!(outcome(&result), "timed out waiting for the condition, last none");
    assert_eq!(runtime.now().since(Default::default()), Duration::from_secs(60));
}

struct Synced<'a> {
    name: &'static str,
    lists: bool,
    precondition: Option<Precondition<'a>>,
    condition: Condition<'a>,
    outcome: &'static str,
}

/// client-go: `TestUntilWithSync`.
#[test]
fn an_informer_s_events_are_waited_for_after_the_precondition() {
    let met = || -> Condition { Box::new(|_| Ok(true)) };
    let never = || -> Condition { Box::new(|_| Err("should never reach this".into())) };
    let holds = |indexer: &Indexer| Ok(indexer.get_by_key("ns/first").is_some());
    let cases = [
        Synced {
            name: "without a precondition the first list is not waited for",
            lists: false,
            precondition: None,
            condition: met(),
            outcome: "timed out waiting for the condition, last none",
        },
        Synced {
            name: "with one it is",
            lists: false,
            precondition: Some(Box::new(|_| Ok(true))),
            condition: met(),
            outcome: "UntilWithSync: unable to sync caches: context deadline exceeded, last none",
        },
        Synced {
            name: "a precondition that holds ends the wait",
            lists: true,
            precondition: Some(Box::new(holds)),
            condition: never(),
            outcome: "no event",
        },
        Synced {
            name: "a precondition that does not hold leads to the condition",
            lists: true,
            precondition: Some(Box::new(|_| Ok(false))),
            condition: is_added(),
            outcome: "added 1",
        },
        Synced {
            name: "a precondition that fails ends the wait",
            lists: true,
            precondition: Some(Box::new(|_| Err("no store".into()))),
            condition: never(),
            outcome: "no store, last none",
        },
    ];
    for case in cases {
        let (sandbox, source) = (Sandbox::new(), FakeSource::default());
        source.put(pod("first"));
        source.silence_lists(!case.lists);
        let lister_watcher: Rc<dyn ListerWatcher> = Rc::new(source.clone());
        let limit = Duration::from_millis(500);
        let runtime = sandbox.runtime();
        let waiting =
            until_with_sync(&runtime, Some(limit), Rc::clone(&lister_watcher), case.precondition, vec![case.condition]);
        let result = sandbox.block_on(waiting);
        assert_eq!(outcome(&result), case.outcome, "{}", case.name);
        let waited = runtime.now().since(Default::default());
        assert_eq!(waited == limit, !case.lists, "{}: waited {waited:?}", case.name);
        sandbox.run_until_idle();
        assert_eq!((source.watches_open(), Rc::strong_count(&lister_watcher)), (0, 1), "{}", case.name);
    }
}

/// The source can say what is left out: the deletion during the gap is seen all the same.
#[test]
fn a_wait_with_an_informer_outlasts_a_version_that_is_too_old() {
    let (sandbox, source) = (Sandbox::new(), FakeSource::default());
    source.put(pod("first"));
    let changing = source.clone();
    let seen = Rc::new(Cell::new(0));
    let counted = Rc::clone(&seen);
    let condition: Condition = Box::new(move |event| -> Result<bool, ConditionError> {
        counted.set(counted.get() + 1);
        if matches!(event, WatchEvent::Added(_)) {
            changing.delete_unseen("first");
            changing.break_with(Status::failure(410, "gone").into());
        }
        Ok(matches!(event, WatchEvent::Deleted(_)))
    });
    let lister_watcher: Rc<dyn ListerWatcher> = Rc::new(source);
    let runtime = sandbox.runtime();
    let result = sandbox.block_on(until_with_sync(&runtime, MINUTE, lister_watcher, None, vec![condition]));
    assert_eq!((outcome(&result).as_str(), seen.get()), ("deleted 1", 2));
}
