use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use jiff::SignedDuration;
use watchglass::api::{Error, Status};
use watchglass::cache::{Pause, Phase};
use watchglass::runtime::StopSource;
use watchglass::testing::Sandbox;

use super::script::{Script, closed, open};
use super::*;

fn paused(pause: Pause) -> Phase {
    Phase::Paused { pause }
}

fn phase(running: &Running) -> Phase {
    running.reflector.connection().phase
}

/// Case 35 of the browser test list: nothing that works is given up, nothing is tried while there is no network, and
/// then at once, from the last version and with short waits again.
#[test]
fn without_a_network_nothing_is_tried_again_until_there_is_one() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    running.sandbox.advance(seconds(2));
    running.sandbox.host().set_online(false);
    running.sandbox.advance(seconds(60));
    assert_eq!(source.watches_open(), 1, "an open watch may well work");
    source.fail_next_watches((0..3).map(|_| unreachable()));
    source.requests();
    source.close();
    running.sandbox.advance(seconds(3600));
    assert_eq!(source.requests(), ["watch rv=1"], "the connection was lost, and there is nothing to try for");
    assert_eq!(phase(&running), paused(Pause::Offline));
    running.sandbox.host().set_online(true);
    running.sandbox.run_until_idle();
    assert_eq!(source.requests(), ["watch rv=1"], "at once");
    let Phase::Reconnecting { error, .. } = phase(&running) else { panic!("a try is no success") };
    assert_eq!(error, unreachable());
    running.sandbox.advance(longest_wait(0));
    running.sandbox.advance(longest_wait(1));
    assert_eq!(source.requests(), ["watch rv=1", "watch rv=1"], "the waits are those of a first and a second failure");
    assert_eq!((source.watches_open(), running.store.listing()), (1, vec!["a 1".to_owned()]));
}

#[test]
fn a_wait_that_has_begun_ends_with_the_network_s_return() {
    let source = with_one_pod();
    source.fail_next_lists((0..6).map(|_| unreachable()));
    let running = start(source.clone(), pods());
    (0..5).for_each(|failure| running.sandbox.advance(longest_wait(failure)));
    source.requests();
    running.sandbox.host().set_online(false);
    running.sandbox.run_until_idle();
    assert_eq!(phase(&running), paused(Pause::Offline));
    running.sandbox.host().set_online(true);
    running.sandbox.run_until_idle();
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
}

/// A cluster on this very device works without any network; what it refuses is tried again in its time.
#[test]
fn a_server_that_answers_is_there_whatever_the_browser_says_of_the_network() {
    let source = with_one_pod();
    source.fail_next_lists([status(403)]);
    let sandbox = Sandbox::new();
    sandbox.host().set_online(false);
    let running = start_in(sandbox, source.clone(), Default::default(), pods());
    assert!(matches!(phase(&running), Phase::Reconnecting { .. }));
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.watches_open(), 1);
}

#[test]
fn a_person_may_try_without_a_network() {
    let source = with_one_pod();
    source.fail_next_lists([unreachable()]);
    let sandbox = Sandbox::new();
    sandbox.host().set_online(false);
    let running = start_in(sandbox, source.clone(), Default::default(), pods());
    assert_eq!(phase(&running), paused(Pause::Offline));
    running.reflector.retry_now();
    running.sandbox.run_until_idle();
    assert_eq!(source.watches_open(), 1);
}

/// The connections of a page that is put aside would keep it from being taken out again, and nobody reads them.
#[test]
fn a_frozen_page_holds_no_connection_and_goes_on_from_its_last_version() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.bookmark();
    running.sandbox.run_until_idle();
    source.requests();
    running.sandbox.host().set_frozen(true);
    running.sandbox.run_until_idle();
    assert_eq!((source.watches_open(), phase(&running)), (0, paused(Pause::Frozen)));
    running.sandbox.advance(seconds(3600));
    assert!(source.requests().is_empty());
    running.sandbox.host().set_frozen(false);
    running.sandbox.run_until_idle();
    let Phase::Reconnecting { attempts, .. } = phase(&running) else { panic!("it is not connected yet") };
    assert_eq!(attempts, 0, "to be put aside is no failure");
    running.sandbox.advance(seconds(2));
    assert_eq!((source.requests(), source.watches_open()), (vec!["watch rv=2".to_owned()], 1));
    source.break_with(Status::failure(410, "too old resource version").into());
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["list rv=2", "watch rv=2"]);
}

#[test]
fn a_list_or_a_watch_list_of_a_frozen_page_is_given_up_and_asked_for_again() {
    let source = with_one_pod();
    source.silence_lists(true);
    let running = start(source.clone(), pods());
    assert_eq!(source.lists_open(), 1);
    running.sandbox.host().set_frozen(true);
    running.sandbox.run_until_idle();
    assert_eq!(source.lists_open(), 0);
    source.silence_lists(false);
    running.sandbox.host().set_frozen(false);
    running.sandbox.advance(seconds(2));
    assert_eq!((source.watches_open(), running.store.listing()), (1, vec!["a 1".to_owned()]));

    let script = Script::new().with_watch_list().on_watch(|_| Ok(open([])));
    let running = start(script.clone(), pods());
    running.sandbox.host().set_frozen(true);
    running.sandbox.run_until_idle();
    running.sandbox.host().set_frozen(false);
    running.sandbox.advance(seconds(2));
    assert_eq!(script.asked(), ["watch-list rv=", "watch-list rv="]);
}

#[test]
fn a_page_that_is_frozen_from_the_start_asks_for_nothing() {
    let (sandbox, source) = (Sandbox::new(), with_one_pod());
    sandbox.host().set_frozen(true);
    let running = start_in(sandbox, source.clone(), Default::default(), pods());
    running.sandbox.advance(seconds(60));
    assert!(source.requests().is_empty());
    running.sandbox.host().set_frozen(false);
    running.sandbox.advance(seconds(2));
    assert_eq!(source.watches_open(), 1);
}

#[test]
fn the_watches_of_a_page_that_is_taken_out_again_come_back_one_by_one() {
    let (sandbox, source, _stop, tasks) = many(&pods());
    assert_eq!(source.watches_open(), tasks.len());
    sandbox.host().set_frozen(true);
    sandbox.run_until_idle();
    source.requests();
    sandbox.host().set_frozen(false);
    assert_they_come_back_spread_out(&sandbox, &source, tasks.len());
}

/// Case 34 of the browser test list: one watch each after the sleep; when the server has forgotten their version, one
/// list each.
#[test]
fn after_a_sleep_each_watch_is_opened_once_and_each_resource_listed_once() {
    let (sandbox, source, _stop, tasks) = many(&pods());
    source.requests();
    sandbox.clock().advance_wall(SignedDuration::from_hours(1));
    sandbox.advance(seconds(12));
    assert_eq!(source.requests(), vec!["watch rv=1"; tasks.len()]);
    source.put_unseen(pod("b"));
    source.break_with(Status::failure(410, "too old resource version").into());
    sandbox.advance(longest_wait(0));
    let requests = source.requests();
    let lists = requests.iter().filter(|it| *it == "list rv=1").count();
    assert_eq!((lists, requests.len()), (tasks.len(), 2 * tasks.len()), "{requests:?}");
    sandbox.advance(seconds(60));
    assert!(source.requests().is_empty());
}

#[test]
fn a_page_that_nobody_sees_keeps_its_watch_unless_it_shall_not() {
    for (pause_when_hidden, is_given_up) in [(None, false), (Some(seconds(600)), true)] {
        let source = with_one_pod();
        let running = start(source.clone(), ReflectorOptions { pause_when_hidden, ..pods() });
        running.sandbox.host().set_hidden(true);
        running.sandbox.advance(seconds(290));
        // The server ends the watch meanwhile, which is no reason to begin counting anew.
        source.close();
        running.sandbox.advance(seconds(309));
        assert_eq!(source.watches_open(), 1);
        source.requests();
        running.sandbox.advance(seconds(1));
        assert_eq!(source.watches_open() == 0, is_given_up);
        assert_eq!(phase(&running) == paused(Pause::Hidden), is_given_up);
        source.put(pod("b"));
        running.sandbox.host().set_hidden(false);
        running.sandbox.advance(seconds(2));
        assert_eq!(source.watches_open(), 1);
        assert_eq!(source.requests().len(), usize::from(is_given_up));
    }
}

#[test]
fn a_glance_at_the_page_starts_the_time_anew() {
    let source = with_one_pod();
    let options = ReflectorOptions { pause_when_hidden: Some(seconds(600)), ..pods() };
    let running = start(source.clone(), options);
    running.sandbox.host().set_hidden(true);
    running.sandbox.advance(seconds(599));
    running.sandbox.host().set_hidden(false);
    running.sandbox.run_until_idle();
    running.sandbox.host().set_hidden(true);
    running.sandbox.advance(seconds(599));
    assert_eq!(source.watches_open(), 1);
    running.sandbox.advance(seconds(1));
    assert_eq!(source.watches_open(), 0);
}

/// How long a reflector waits after each failure; the watch ends as the script says.
fn waits_of(script: Script, length: Duration) -> Vec<Duration> {
    let backoff = waits(|initial| initial.jitter = 0.0);
    let running = start(script.clone(), ReflectorOptions { backoff, ..pods() });
    let mut waited = Vec::new();
    let (mut passed, mut since) = (Duration::ZERO, Duration::ZERO);
    script.asked();
    while passed < length {
        running.sandbox.advance(Duration::from_millis(100));
        passed += Duration::from_millis(100);
        if !script.asked().is_empty() {
            waited.push(passed - since);
            since = passed;
        }
    }
    waited
}

/// client-go starts over every two minutes, whatever came.
#[test]
fn only_an_event_lets_the_waits_start_over_and_not_the_head_of_an_answer() {
    let silent = waits_of(Script::new().on_watch(|_| Ok(closed([]))), seconds(400));
    assert!(silent.is_sorted(), "{silent:?}");
    assert_eq!((silent.first(), silent.last()), (Some(&Duration::from_millis(800)), Some(&seconds(30))));
    let bookmark = watchglass::api::WatchEvent::Bookmark { resource_version: "2".into(), initial_events_end: false };
    let gone = watchglass::api::WatchEvent::Error(Status::failure(410, "too old"));
    let script = Script::new().on_watch(move |_| Ok(closed([bookmark.clone(), gone.clone()])));
    let heard = waits_of(script, seconds(400));
    assert!(heard.iter().filter(|wait| **wait == Duration::from_millis(800)).count() > 2, "{heard:?}");
}

#[test]
fn a_person_s_wish_makes_the_next_wait_a_short_one() {
    let source = with_one_pod();
    source.fail_next_lists((0..7).map(|_| status(500)));
    let running = start(source.clone(), pods());
    (0..5).for_each(|failure| running.sandbox.advance(longest_wait(failure)));
    source.requests();
    running.reflector.retry_now();
    running.sandbox.run_until_idle();
    assert_eq!(source.requests(), ["list rv=0 limit=500"], "it fails once more");
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.requests(), ["list rv=0 limit=500", "watch rv=1"]);
}

#[test]
fn that_it_has_stopped_is_told_once_and_so_is_everything_else() {
    let source = with_one_pod();
    let sandbox = Sandbox::new();
    let informer = watchglass::cache::SharedInformer::new(sandbox.runtime(), Rc::new(source), "pods".into());
    let phases: Rc<RefCell<Vec<Phase>>> = Rc::default();
    let seen = Rc::clone(&phases);
    let _guard = informer.on_connection(Rc::new(move |connection| seen.borrow_mut().push(connection.phase.clone())));
    let mut stop = StopSource::new();
    let token = stop.token();
    let _task = sandbox.spawn(async move { informer.run(token).await });
    sandbox.run_until_idle();
    phases.take();
    stop.stop();
    sandbox.run_until_idle();
    assert_eq!(phases.take(), [Phase::Stopped]);
}

#[test]
fn what_a_server_says_is_not_a_missing_network() {
    let refused: Error = status(429);
    let source = with_one_pod();
    source.fail_next_watches([refused]);
    let sandbox = Sandbox::new();
    sandbox.host().set_online(false);
    let running = start_in(sandbox, source.clone(), Default::default(), pods());
    running.sandbox.advance(longest_wait(0));
    assert_eq!(source.watches_open(), 1);
}
