use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _, stream};
use watchglass::api::{Error, Status, WatchEvent};
use watchglass::cache::{Phase, ReflectorMetrics, ReflectorOptions};
use watchglass::runtime::{Clock as _, Moment, Runtime};
use watchglass::testing::Sandbox;

use super::mirror::Mirror;
use super::script::{Script, closed, list_at, open, versioned};
use super::*;

/// How long a reflector takes to have a watch open when the first tries are refused.
fn time_until_open(backoff: BackoffConfig, refusals: usize) -> Duration {
    let sandbox = Sandbox::new();
    let (clock, opened) = (sandbox.clock().clone(), Rc::new(Cell::new(None)));
    let (left, seen) = (Cell::new(refusals), Rc::clone(&opened));
    let script = Script::new().on_watch(move |_| match left.get() {
        0 => {
            seen.set(seen.get().or(Some(clock.now())));
            Ok(open([]))
        }
        more => {
            left.set(more - 1);
            Err(unreachable())
        }
    });
    let running = start_in(sandbox, script.clone(), Mirror::default(), ReflectorOptions { backoff, ..pods() });
    running.sandbox.advance(seconds(3600));
    assert_eq!(script.asked().iter().filter(|it| it.starts_with("list")).count(), 1, "no list for a refused watch");
    opened.get().expect("a watch is open").since(Moment::default())
}

/// client-go: `TestReflectorListAndWatchInitConnBackoff`.
#[test]
fn a_server_that_refuses_the_connection_is_asked_less_and_less_often() {
    let milliseconds = Duration::from_millis;
    let backoff = waits(|initial| {
        (initial.duration, initial.cap, initial.steps) = (milliseconds(1), Some(milliseconds(50)), 1000);
    });
    let short = time_until_open(backoff.clone(), 5);
    assert!((milliseconds(31)..=milliseconds(62)).contains(&short), "{short:?}");
    let long = time_until_open(backoff, 40);
    let flat = milliseconds(1 + 2 + 4 + 8 + 16 + 32 + 34 * 50);
    assert!((flat..=flat * 2).contains(&long), "{long:?}");
}

/// client-go: `TestNewReflectorWithCustomBackoff`; kubernetes/kubernetes#136943.
#[test]
fn the_waits_are_the_caller_s_own() {
    let usual = time_until_open(BackoffConfig::reflector(), 2);
    assert!((Duration::from_millis(2400)..=Duration::from_millis(4800)).contains(&usual), "{usual:?}");
    let backoff = waits(|initial| {
        (initial.duration, initial.jitter) = (Duration::from_millis(10), 0.0);
        initial.cap = Some(Duration::from_millis(100));
    });
    assert_eq!(time_until_open(backoff, 5), Duration::from_millis(250));
}

/// Case 15 of the browser test list: a refused connection says nothing of missed events.
#[test]
fn a_server_that_cannot_be_reached_is_watched_again_without_a_list_when_it_is_back() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.fail_next_watches((0..5).map(|_| unreachable()));
    source.requests();
    running.sandbox.advance(seconds(2));
    source.close();
    running.sandbox.run_until_idle();
    let Phase::Reconnecting { error, attempts, .. } = running.reflector.connection().phase else {
        panic!("it waits after the first failure")
    };
    assert_eq!((error, attempts), (unreachable(), 1));
    assert_eq!(running.store.listing(), ["a 1"], "what is held stays");
    (0..5).for_each(|failure| running.sandbox.advance(longest_wait(failure)));
    assert_eq!(source.requests(), vec!["watch rv=1"; 6]);
    assert!(matches!(running.reflector.connection().phase, Phase::Connected { .. }));
}

fn too_many() -> Status {
    Status::failure(429, "too many requests")
}

/// client-go: `TestBackoffOnTooManyRequests`.
#[test]
fn a_busy_server_is_given_time_whether_it_says_so_at_the_start_or_in_the_stream() {
    let number = Cell::new(0);
    let script = Script::new().on_watch(move |_| {
        number.set(number.get() + 1);
        match number.get() {
            1 => Err(too_many().into()),
            2 => Ok(closed([WatchEvent::Error(too_many())])),
            _ => Ok(closed([])),
        }
    });
    let backoff = waits(|initial| initial.jitter = 0.0);
    let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
    let reflector = reflector(&sandbox, script.clone(), &store, ReflectorOptions { backoff, ..pods() });
    assert_eq!(sandbox.block_on(reflector.list_and_watch()), Ok(()));
    assert_eq!(sandbox.clock().now().since(Moment::default()), Duration::from_millis(800 + 1600), "two waits");
    assert_eq!(script.asked().len(), 4);
}

/// client-go: `TestNoRelistOnTooManyRequests`.
#[test]
fn a_busy_server_is_asked_for_no_new_list() {
    let left = Cell::new(4);
    let script = Script::new().on_watch(move |_| match left.replace(left.get() - 1) {
        1.. => Err(too_many().into()),
        _ => Ok(closed([])),
    });
    assert_eq!(round(script.clone(), pods()).0, Ok(()));
    let asked = script.asked();
    assert_eq!((asked.len(), &*asked[0]), (6, "list rv=0 limit=500"));
    assert!(asked[1..].iter().all(|it| it == "watch rv=1"), "{asked:?}");
}

/// kubernetes/kubernetes#100745: the server that answers the watch is behind the one that answered the list, and asks
/// for a second each time.
#[test]
fn a_server_that_is_behind_again_and_again_is_asked_less_and_less_often() {
    let mut behind = Status::failure(504, "Too large resource version: 9, current: 1");
    behind.details.get_or_insert_default().retry_after_seconds = Some(1);
    let (sandbox, refused_at) = (Sandbox::new(), Rc::new(RefCell::new(Vec::new())));
    let (clock, notes) = (sandbox.clock().clone(), Rc::clone(&refused_at));
    let script = Script::new().on_watch(move |_| {
        notes.borrow_mut().push(clock.now());
        Err(behind.clone().into())
    });
    let backoff = waits(|initial| initial.jitter = 0.0);
    let running = start_in(sandbox, script.clone(), Mirror::default(), ReflectorOptions { backoff, ..pods() });
    running.sandbox.advance(seconds(26));
    let waited: Vec<_> = refused_at.borrow().windows(2).map(|pair| pair[1].since(pair[0]).as_millis()).collect();
    assert_eq!(waited, [1000, 1600, 3200, 6400, 12_800]);
    assert_eq!(script.asked().iter().filter(|it| it.starts_with("list")).count(), 6, "what was listed is listed anew");
}

/// Case 20 of the browser test list.
#[test]
fn a_busy_server_is_given_the_time_that_it_asks_for() {
    let mut busy = too_many();
    busy.details.get_or_insert_default().retry_after_seconds = Some(40);
    let source = with_one_pod();
    source.fail_next_watches([busy.into()]);
    let running = start(source.clone(), pods());
    source.requests();
    running.sandbox.advance(seconds(39));
    assert!(source.requests().is_empty());
    running.sandbox.advance(seconds(1));
    assert_eq!(source.requests(), ["watch rv=1"]);
}

/// Watches that each end with an internal error after a second, the tenth a minute later.
fn failing_watches(runtime: Runtime, with_pause: bool) -> Script {
    let number = Cell::new(0);
    Script::new().on_watch(move |_| {
        number.set(number.get() + 1);
        let length = seconds(if with_pause && number.get() == 10 { 61 } else { 1 });
        let wait = runtime.sleep(length);
        let error = WatchEvent::Error(Status::failure(500, "etcdserver: no leader"));
        Ok(stream::once(wait.map(|()| Ok(error))).boxed_local())
    })
}

/// client-go: `TestRetryInternalError`, `TestRetryWithDeadline`.
#[test]
fn internal_errors_are_borne_with_for_as_long_as_the_caller_says() {
    for (longest, with_pause, retries) in [(0, false, 0), (30, false, 31), (30, true, 40)] {
        let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
        let script = failing_watches(sandbox.runtime(), with_pause);
        let options = ReflectorOptions { max_internal_error_retry: seconds(longest), ..pods() };
        let reflector = reflector(&sandbox, script.clone(), &store, options);
        assert_eq!(sandbox.block_on(reflector.list_and_watch()), Ok(()));
        let watches = script.asked().iter().filter(|it| it.starts_with("watch")).count();
        assert_eq!(watches - 1, retries, "{longest} s, pause {with_pause}");
    }
}

#[test]
fn the_handler_is_told_of_rounds_that_fail_and_not_of_watches_that_end() {
    let told: Rc<RefCell<Vec<String>>> = Rc::default();
    let tells = Rc::clone(&told);
    let handler = move |resource: &str, error: &Error| tells.borrow_mut().push(format!("{resource}: {error}"));
    let source = with_one_pod();
    source.fail_next_lists([status(403)]);
    source.fail_next_watches([status(500)]);
    let options = ReflectorOptions { watch_error_handler: Some(Rc::new(handler)), ..pods() };
    let running = start(source.clone(), options);
    assert_eq!(told.take(), ["pods: failed with 403"]);
    running.sandbox.advance(longest_wait(0));
    assert_eq!(told.take(), ["pods: failed with 500"]);
    running.sandbox.advance(longest_wait(1));
    source.break_with(status(410));
    running.sandbox.advance(longest_wait(2));
    assert!(told.take().is_empty());
    assert_eq!(source.watches_open(), 1);
}

#[test]
fn a_person_need_not_wait_for_the_next_try() {
    let source = with_one_pod();
    source.fail_next_lists([status(403)]);
    let running = start(source.clone(), pods());
    assert!(matches!(running.reflector.connection().phase, Phase::Reconnecting { attempts: 1, .. }));
    source.requests();
    running.reflector.retry_now();
    running.sandbox.run_until_idle();
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
    assert_eq!(running.store.listing(), ["a 1"]);
}

#[derive(Default)]
struct Measured(RefCell<Vec<String>>);

impl ReflectorMetrics for Measured {
    fn listed(&self, duration: Duration, items: usize) {
        self.0.borrow_mut().push(format!("listed {items} in {duration:?}"));
    }

    fn watched(&self, duration: Duration, events: usize, short: bool) {
        self.0.borrow_mut().push(format!("watched {events} in {duration:?}, short: {short}"));
    }

    fn last_resource_version(&self, resource_version: &str) {
        self.0.borrow_mut().push(format!("at {resource_version}"));
    }
}

#[test]
fn lists_watches_and_the_last_version_are_measured() {
    let measured = Rc::new(Measured::default());
    let lasts = Cell::new(false);
    let sandbox = Sandbox::new();
    let runtime = sandbox.runtime();
    let script = Script::new().on_page(|_| Ok(list_at("7", [versioned("a", "3")]))).on_watch(move |_| {
        if lasts.replace(true) {
            return Ok(closed([]));
        }
        let events = [WatchEvent::Added(versioned("b", "8")), WatchEvent::Added(versioned("", "9"))];
        let wait = runtime.sleep(seconds(2)).map(|()| None).into_stream().filter_map(std::future::ready);
        Ok(closed(events).chain(wait).boxed_local())
    });
    let options = ReflectorOptions { metrics: measured.clone(), ..pods() };
    let reflector = reflector(&sandbox, script, &Default::default(), options);
    sandbox.block_on(reflector.list_and_watch()).unwrap();
    let expected =
        ["listed 1 in 0ns", "at 7", "at 8", "watched 1 in 2s, short: false", "watched 0 in 0ns, short: true"];
    assert_eq!(measured.0.take(), expected);
}
