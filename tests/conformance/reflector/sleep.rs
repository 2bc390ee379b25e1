use std::time::Duration;

use jiff::SignedDuration;
use watchglass::api::Status;
use watchglass::cache::Phase;

use super::script::{Script, list_at, open};
use super::*;

/// The device sleeps for an hour, in which its monotonic clock stands still.
fn sleep_an_hour(running: &Running) {
    running.sandbox.clock().advance_wall(SignedDuration::from_hours(1));
}

/// Case 34 of the browser test list.
#[test]
fn after_a_sleep_the_watch_is_opened_again_once_from_the_last_version_within_twelve_seconds() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.bookmark();
    running.sandbox.advance(seconds(9));
    source.requests();
    sleep_an_hour(&running);
    running.sandbox.run_until_idle();
    assert_eq!((source.requests().len(), source.watches_open()), (0, 1), "nothing has woken it yet");
    running.sandbox.advance(seconds(1));
    assert_eq!(source.watches_open(), 0, "the connection of before is given up");
    let Phase::Reconnecting { attempts, .. } = running.reflector.connection().phase else {
        panic!("it says that it is not connected")
    };
    assert_eq!(attempts, 0, "to sleep is no failure");
    running.sandbox.advance(seconds(2));
    assert_eq!((source.requests(), source.watches_open()), (vec!["watch rv=2".to_owned()], 1));
    running.sandbox.advance(seconds(60));
    assert!(source.requests().is_empty());
}

#[test]
fn what_the_server_has_forgotten_meanwhile_is_listed() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    running.sandbox.advance(seconds(5));
    source.requests();
    sleep_an_hour(&running);
    source.put_unseen(pod("b"));
    running.sandbox.advance(seconds(7));
    assert_eq!(source.requests(), ["watch rv=1"]);
    source.break_with(Status::failure(410, "too old resource version").into());
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["list rv=1", "watch rv=2"]);
    assert_eq!(running.store.listing(), ["a 1", "b 2"]);
}

/// Case 36 of the browser test list.
#[test]
fn a_clock_that_is_set_back_or_a_little_ahead_does_no_harm() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.requests();
    for change in [SignedDuration::from_hours(-1), SignedDuration::from_secs(10)] {
        running.sandbox.clock().advance_wall(change);
        running.sandbox.advance(seconds(10));
        assert!(source.requests().is_empty() && source.watches_open() == 1);
    }
}

/// Case 33 of the browser test list.
#[test]
fn a_page_in_the_background_whose_timers_come_once_a_minute_keeps_its_watch() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.requests();
    for _ in 0..4 {
        // All at once, as a throttled timer comes, and not in steps.
        running.sandbox.clock().advance(seconds(60));
        running.sandbox.run_until_idle();
    }
    assert!(source.requests().is_empty());
    running.sandbox.clock().advance(seconds(100) + Duration::from_millis(1));
    running.sandbox.run_until_idle();
    assert_eq!(source.watches_open(), 0, "later than any throttling");
    running.sandbox.advance(seconds(2));
    assert_eq!(source.requests(), ["watch rv=1"]);
}

#[test]
fn a_sleep_before_the_watch_has_its_head_is_noticed_too() {
    let source = with_one_pod();
    source.silence_watches(true);
    let running = start(source.clone(), pods());
    source.requests();
    sleep_an_hour(&running);
    source.silence_watches(false);
    running.sandbox.advance(seconds(12));
    assert_eq!((source.requests(), source.watches_open()), (vec!["watch rv=1".to_owned()], 1));
}

#[test]
fn a_sleep_during_a_watch_list_leads_to_another_one() {
    let script = Script::new().with_watch_list().on_page(|_| Ok(list_at("1", []))).on_watch(|_| Ok(open([])));
    let running = start(script.clone(), pods());
    assert_eq!(script.asked(), ["watch-list rv="]);
    sleep_an_hour(&running);
    running.sandbox.advance(seconds(12));
    assert_eq!(script.asked(), ["watch-list rv="]);
    assert!(running.reflector.uses_watch_list());
}

#[test]
fn reflectors_that_wake_together_come_back_one_by_one() {
    let (sandbox, source, _stop, tasks) = many(&pods());
    sandbox.clock().advance_wall(SignedDuration::from_hours(1));
    sandbox.advance(seconds(10));
    source.requests();
    assert_they_come_back_spread_out(&sandbox, &source, tasks.len());
}
