use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use watchglass::cache::ReflectorOptions;
use watchglass::testing::Sandbox;

use super::mirror::Mirror;
use super::script::{Script, closed};
use super::*;

fn every(period: Duration) -> ReflectorOptions {
    ReflectorOptions { resync_period: period, ..pods() }
}

fn resyncs(store: &Mirror) -> usize {
    store.calls().iter().filter(|call| *call == "resync").count()
}

/// client-go: `TestReflectorResyncChan`.
#[test]
fn the_store_is_told_to_resync_at_each_end_of_the_period_and_not_before() {
    let running = start(with_one_pod(), every(seconds(30)));
    running.sandbox.advance(Duration::from_millis(29_999));
    assert_eq!(resyncs(&running.store), 0);
    running.sandbox.advance(Duration::from_millis(1));
    assert_eq!(resyncs(&running.store), 1);
    running.sandbox.advance(seconds(90));
    assert_eq!(resyncs(&running.store), 3);
}

/// Case 33 of the browser test list: a timer that comes once a minute is no reason to resync twice at once.
#[test]
fn a_resync_that_is_late_is_done_once_and_the_next_a_period_later() {
    let running = start(with_one_pod(), every(seconds(25)));
    running.store.calls();
    for _ in 0..10 {
        running.sandbox.clock().advance(seconds(60));
        running.sandbox.run_until_idle();
        assert_eq!(running.store.calls(), ["resync"]);
    }
    running.sandbox.advance(seconds(24));
    assert!(running.store.calls().is_empty());
    running.sandbox.advance(seconds(1));
    assert_eq!(running.store.calls(), ["resync"]);
}

#[test]
fn without_a_period_there_is_no_resync() {
    let running = start(with_one_pod(), every(Duration::ZERO));
    running.sandbox.advance(seconds(3600));
    assert_eq!(resyncs(&running.store), 0);
}

/// client-go: `TestReflectorResync`.
#[test]
fn a_store_that_cannot_resync_ends_the_watch_and_the_round_without_an_error() {
    let (sandbox, store) = (Sandbox::new(), Rc::new(Mirror::default()));
    store.fail_after("resync", 1);
    let source = with_one_pod();
    let reflector = reflector(&sandbox, source.clone(), &store, every(Duration::from_millis(1)));
    assert_eq!(sandbox.block_on(reflector.list_and_watch()), Ok(()));
    assert_eq!(store.calls(), ["replace 1 at 1", "resync", "resync"]);
    assert_eq!(source.watches_open(), 0);
}

#[test]
fn the_caller_decides_at_each_end_of_the_period_whether_to_resync() {
    let (wanted, asked) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(0)));
    let (wants, asks) = (Rc::clone(&wanted), Rc::clone(&asked));
    let should_resync = move || {
        asks.set(asks.get() + 1);
        wants.get()
    };
    let options = ReflectorOptions { should_resync: Some(Rc::new(should_resync)), ..every(seconds(10)) };
    let running = start(with_one_pod(), options);
    running.sandbox.advance(seconds(20));
    assert_eq!((resyncs(&running.store), asked.get()), (0, 2));
    wanted.set(true);
    running.sandbox.advance(seconds(10));
    assert_eq!((resyncs(&running.store), asked.get()), (1, 3));
}

/// kubernetes/kubernetes#15683: nothing is shared by which the periods of several reflectors could line up.
#[test]
fn each_reflector_counts_its_period_from_its_own_list() {
    let late = with_one_pod();
    late.fail_next_lists([status(500)]);
    let backoff = waits(|initial| (initial.duration, initial.jitter) = (seconds(7), 0.0));
    let running = start(late, ReflectorOptions { backoff, ..every(seconds(30)) });
    running.sandbox.advance(seconds(36));
    assert_eq!(resyncs(&running.store), 0);
    running.sandbox.advance(seconds(1));
    assert_eq!(resyncs(&running.store), 1);
}

#[test]
fn the_store_is_told_to_resync_while_the_watch_is_being_opened_again() {
    let script = Script::new().on_watch(|_| Err(unreachable()));
    let running = start(script, every(seconds(5)));
    running.sandbox.advance(seconds(20));
    assert_eq!(resyncs(&running.store), 4);
}

#[test]
fn a_new_round_counts_anew() {
    let script = Script::new().on_watch(|_| Ok(closed([])));
    let running = start(script.clone(), every(Duration::from_millis(700)));
    running.sandbox.advance(seconds(600));
    assert!(script.asked().len() > 20, "no watch lasts");
    assert_eq!(resyncs(&running.store), 0, "no period came to its end within a round");
}
