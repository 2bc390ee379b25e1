use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use watchglass::cache::{DoneChecker, SyncResult, wait_for, wait_for_cache_sync, wait_for_named_cache_sync};
use watchglass::runtime::{Moment, Runtime, StopSource};
use watchglass::testing::Sandbox;

/// Writes down the events as `Waiting for="caches"`, with the seconds before them.
struct Log {
    lines: Arc<Mutex<Vec<String>>>,
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => self.fields += &format!(" {name}={value:?}"),
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _attributes: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.lines.lock().expect("one thread writes").push(line.message + &line.fields);
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

/// Is done so long after the start of the clock; never without a time.
struct After {
    name: &'static str,
    runtime: Runtime,
    time: Option<Duration>,
}

impl DoneChecker for After {
    fn name(&self) -> String {
        self.name.into()
    }

    fn is_done(&self) -> bool {
        self.time.is_some_and(|time| self.runtime.now() >= Moment::after_start(time))
    }

    fn done(&self) -> LocalBoxFuture<'static, ()> {
        match self.time {
            Some(time) => self.runtime.clock.sleep_until(Moment::after_start(time)),
            None => futures::future::pending().boxed_local(),
        }
    }
}

const SECONDS: fn(u64) -> Option<Duration> = |seconds| Some(Duration::from_secs(seconds));

fn checkers(runtime: &Runtime, times: &[(&'static str, Option<Duration>)]) -> Vec<Rc<dyn DoneChecker>> {
    let checker = |(name, time): &(&'static str, Option<Duration>)| -> Rc<dyn DoneChecker> {
        Rc::new(After { name, runtime: runtime.clone(), time: *time })
    };
    times.iter().map(checker).collect()
}

struct Case {
    what: &'static str,
    times: Vec<(&'static str, Option<Duration>)>,
    cancelled: Option<(Duration, &'static str)>,
    seconds: u64,
    unsynced: &'static [&'static str],
    log: &'static [&'static str],
}

fn cases() -> Vec<Case> {
    let three = || vec![("first", SECONDS(10)), ("second", SECONDS(5)), ("last", SECONDS(0))];
    let one_never = || vec![("first", SECONDS(10)), ("second", None), ("last", SECONDS(0))];
    let all_never = vec![("first", None), ("second", None), ("last", None)];
    let within = |seconds, cause| Some((Duration::from_secs(seconds), cause));
    let case = |what, times, cancelled, seconds, unsynced, log| Case { what, times, cancelled, seconds, unsynced, log };
    vec![
        case("", Vec::new(), None, 0, &[], &[]),
        case("caches", Vec::new(), None, 0, &[], &["Waiting for=\"caches\""]),
        case("", three(), None, 10, &[], &[]),
        case(
            "caches",
            three(),
            None,
            10,
            &[],
            &[
                "Waiting for=\"caches\"",
                "Done waiting for=\"caches\" instance=\"last\"",
                "Done waiting for=\"caches\" instance=\"second\"",
                "Done waiting for=\"caches\" instance=\"first\"",
            ],
        ),
        case(
            "caches",
            one_never(),
            within(60, "deadline exceeded"),
            60,
            &["second"],
            &[
                "Waiting for=\"caches\"",
                "Done waiting for=\"caches\" instance=\"last\"",
                "Done waiting for=\"caches\" instance=\"first\"",
                "Timed out waiting for=\"caches\" cause=deadline exceeded instances=[\"second\"]",
            ],
        ),
        case(
            "caches",
            one_never(),
            within(0, "canceled"),
            0,
            &["first", "second"],
            &[
                "Waiting for=\"caches\"",
                "Done waiting for=\"caches\" instance=\"last\"",
                "Timed out waiting for=\"caches\" cause=canceled instances=[\"first\", \"second\"]",
            ],
        ),
        case(
            "caches",
            one_never(),
            within(5, "go fish"),
            5,
            &["first", "second"],
            &[
                "Waiting for=\"caches\"",
                "Done waiting for=\"caches\" instance=\"last\"",
                "Timed out waiting for=\"caches\" cause=go fish instances=[\"first\", \"second\"]",
            ],
        ),
        case("", one_never(), within(5, "go fish"), 5, &["first", "second"], &[]),
        case(
            "caches",
            all_never,
            within(60, "deadline exceeded"),
            60,
            &["first", "last", "second"],
            &[
                "Waiting for=\"caches\"",
                "Timed out waiting for=\"caches\" cause=deadline exceeded instances=[\"first\", \"last\", \"second\"]",
            ],
        ),
    ]
}

/// client-go: `TestWaitFor`.
#[test]
fn a_wait_ends_when_the_last_is_done_or_it_is_cancelled_and_says_so() {
    for case in cases() {
        let sandbox = Sandbox::new();
        let runtime = sandbox.runtime();
        let checkers = checkers(&runtime, &case.times);
        let cancelled = async {
            let Some((time, cause)) = case.cancelled else { return std::future::pending().await };
            runtime.sleep(time).await;
            cause
        };
        let lines = Arc::default();
        let log = Log { lines: Arc::clone(&lines) };
        let wait = wait_for(case.what, cancelled, &checkers);
        let result = tracing::subscriber::with_default(log, || sandbox.block_on(wait));
        assert_eq!(*lines.lock().unwrap(), case.log);
        assert_eq!(runtime.now(), Moment::after_start(Duration::from_secs(case.seconds)), "{:?}", case.log);
        assert_eq!(result.is_done(), case.unsynced.is_empty());
        assert_eq!(result.synced.len(), case.times.len());
        assert_eq!(unsynced(&result), case.unsynced);
        let cause = result.error.map(|error| error.to_string());
        assert_eq!(cause.as_deref(), case.cancelled.map(|(_, cause)| cause));
    }
}

fn unsynced(result: &SyncResult) -> Vec<&str> {
    result.synced.iter().filter(|(_, synced)| !**synced).map(|(name, _)| name.as_str()).collect()
}

/// Is done although its future does not know yet.
struct DoneUnnoticed(&'static str, Cell<bool>);

impl DoneChecker for DoneUnnoticed {
    fn name(&self) -> String {
        self.0.into()
    }

    fn is_done(&self) -> bool {
        self.1.get()
    }

    fn done(&self) -> LocalBoxFuture<'static, ()> {
        futures::future::pending().boxed_local()
    }
}

#[test]
fn what_is_done_when_the_wait_is_cancelled_counts_as_done() {
    let done: Rc<dyn DoneChecker> = Rc::new(DoneUnnoticed("done", Cell::new(true)));
    let open: Rc<dyn DoneChecker> = Rc::new(DoneUnnoticed("open", Cell::new(false)));
    let wait = |checkers: &[Rc<dyn DoneChecker>]| wait_for("", async { "too late" }, checkers).now_or_never().unwrap();
    let result = wait(&[Rc::clone(&done)]);
    assert!(result.is_done());
    assert!(result.into_result().is_ok());
    assert_eq!(unsynced(&wait(&[done, open])), ["open"]);
}

#[test]
fn of_several_with_one_name_all_must_be_done() {
    let same = |done| -> Rc<dyn DoneChecker> { Rc::new(DoneUnnoticed("same", Cell::new(done))) };
    for order in [[true, false], [false, true]] {
        let result = wait_for("", async { "too late" }, &order.map(same)).now_or_never().unwrap();
        assert_eq!((result.is_done(), result.synced["same"]), (false, false));
    }
}

/// client-go: `TestSyncResult`.
#[test]
fn a_result_as_an_error_names_what_is_not_synced_sorted_and_wraps_the_cause() {
    assert!(SyncResult::default().into_result().is_ok());
    let error = |int, string| {
        let synced = [("string".to_owned(), string), ("int".to_owned(), int)].into();
        SyncResult { error: Some("my custom cancellation reason".into()), synced }.into_result().unwrap_err()
    };
    assert_eq!(error(true, false).to_string(), "failed to sync all caches: string: my custom cancellation reason");
    let both = error(false, false);
    assert_eq!(both.to_string(), "failed to sync all caches: int, string: my custom cancellation reason");
    assert_eq!(both.unsynced, ["int", "string"]);
    assert_eq!(both.source().unwrap().to_string(), "my custom cancellation reason");
}

#[test]
fn caches_are_waited_for_until_the_stop() {
    let sandbox = Sandbox::new();
    let runtime = sandbox.runtime();
    let mut source = StopSource::new();
    let stop = source.token();
    let synced = checkers(&runtime, &[("pods", SECONDS(3)), ("nodes", SECONDS(2))]);
    assert!(sandbox.block_on(wait_for_cache_sync(&stop, &synced)));
    assert_eq!(runtime.now(), Moment::after_start(Duration::from_secs(3)));
    let never = checkers(&runtime, &[("pods", SECONDS(3)), ("nodes", None)]);
    assert!(wait_for_cache_sync(&stop, &never).now_or_never().is_none());
    source.stop();
    assert_eq!(wait_for_cache_sync(&stop, &never).now_or_never(), Some(false));
    assert_eq!(wait_for_cache_sync(&stop, &synced).now_or_never(), Some(true), "each is looked at once");
    let lines = Arc::default();
    let log = Log { lines: Arc::clone(&lines) };
    let named = || wait_for_named_cache_sync("view", &stop, &never).now_or_never();
    assert_eq!(tracing::subscriber::with_default(log, named), Some(false));
    assert_eq!(lines.lock().unwrap().first().unwrap(), "Waiting for=\"view\"");
}
