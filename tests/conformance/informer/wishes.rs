//! What a person may want of an informer, and what it tells of itself.

use std::time::Duration;

use watchglass::api::Status;
use watchglass::cache::{InformerOptions, Pause, Phase};

use super::Fixture;
use crate::fake_source::pod;
use crate::recorder::{Recorder, store};

fn paused() -> Phase {
    Phase::Paused { pause: Pause::Asked }
}

#[test]
fn an_informer_that_is_paused_asks_for_nothing_and_goes_on_from_its_last_version() {
    let fixture = Fixture::new(&["a"]);
    let recorder = Recorder::new();
    let _registration = fixture.add(&recorder);
    fixture.run();
    fixture.source.requests();
    fixture.informer.pause();
    fixture.sandbox.run_until_idle();
    assert_eq!((fixture.source.watches_open(), fixture.informer.connection().phase), (0, paused()));
    fixture.source.put(pod("b"));
    fixture.sandbox.advance(Duration::from_secs(3600));
    assert_eq!((fixture.source.requests(), store(&fixture.informer)), (vec![], vec!["a 1".to_owned()]));
    assert!(fixture.informer.is_paused() && fixture.informer.has_synced());
    fixture.informer.resume();
    fixture.sandbox.run_until_idle();
    assert_eq!(fixture.source.requests(), ["watch rv=1"], "at once, and without a list");
    assert!(matches!(fixture.informer.connection().phase, Phase::Connected { .. }));
    fixture.source.put(pod("c"));
    fixture.sandbox.run_until_idle();
    assert!(store(&fixture.informer).contains(&"c 3".to_owned()));
}

#[test]
fn a_pause_that_is_wanted_before_the_first_list_or_within_a_wait_begins_at_once() {
    let fixture = Fixture::new(&["a"]);
    fixture.informer.pause();
    fixture.run();
    assert_eq!((fixture.source.requests(), fixture.informer.connection().phase), (vec![], paused()));
    fixture.source.fail_next_lists([Status::failure(500, "etcd is ill").into()]);
    fixture.informer.resume();
    fixture.sandbox.run_until_idle();
    assert!(matches!(fixture.informer.connection().phase, Phase::Reconnecting { .. }));
    fixture.informer.pause();
    fixture.sandbox.run_until_idle();
    assert_eq!(fixture.informer.connection().phase, paused());
    fixture.informer.resume();
    fixture.sandbox.run_until_idle();
    assert_eq!(store(&fixture.informer), ["a 1"]);
}

#[test]
fn a_paused_informer_can_be_stopped() {
    let fixture = Fixture::new(&["a"]);
    fixture.run();
    fixture.informer.pause();
    fixture.sandbox.run_until_idle();
    fixture.stop.borrow_mut().stop();
    fixture.sandbox.run_until_idle();
    assert!(fixture.informer.is_stopped());
}

#[test]
fn a_list_that_a_person_wants_takes_the_watch_s_place_and_brings_what_was_missed() {
    let fixture = Fixture::new(&["a"]);
    let recorder = Recorder::new();
    let _registration = fixture.add(&recorder);
    fixture.run();
    // Only what comes from now on is looked at.
    fixture.source.requests();
    recorder.calls();
    fixture.source.put_unseen(pod("b"));
    fixture.informer.list_again();
    fixture.sandbox.run_until_idle();
    let requests = fixture.source.requests();
    assert_eq!(requests.len(), 2, "{requests:?}");
    assert!(requests[0].starts_with("list") && !requests[0].contains("rv=1"), "the newest state: {requests:?}");
    assert_eq!((requests[1].as_str(), fixture.source.watches_open()), ("watch rv=2", 1));
    assert_eq!(store(&fixture.informer), ["a 1", "b 2"]);
    assert_eq!(fixture.informer.activity().lists, 2);
}

#[test]
fn an_informer_tells_what_it_has_done() {
    let fixture = Fixture::with(&["a"], InformerOptions::default());
    fixture.run();
    let activity = fixture.informer.activity();
    assert_eq!((activity.lists, activity.watches, activity.events, activity.restarts), (1, 1, 0, 0));
    assert_eq!((activity.last_event, activity.last_bookmark, activity.last_failure), (None, None, None));
    fixture.source.put(pod("b"));
    fixture.source.put(pod("b"));
    fixture.source.delete("b");
    fixture.source.bookmark();
    fixture.sandbox.run_until_idle();
    let activity = fixture.informer.activity();
    assert_eq!(activity.events, 3);
    assert!(activity.last_event.is_some() && activity.last_bookmark.is_some());
    fixture.source.break_with(Status::failure(410, "gone").into());
    fixture.sandbox.advance(Duration::from_secs(2));
    let activity = fixture.informer.activity();
    assert_eq!((activity.lists, activity.watches, activity.restarts), (2, 2, 1));
    assert!(activity.last_failure.is_some_and(|(_, error)| error.is_gone()));
}

#[test]
fn a_store_tells_its_memory() {
    let names: Vec<_> = (0..100).map(|number| format!("pod-{number}")).collect();
    let few = Fixture::new(&["a"]);
    few.run();
    let many = Fixture::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    many.run();
    let (few, many) = (few.informer.indexer().heap_bytes(), many.informer.indexer().heap_bytes());
    assert!(few > 24 && many > 100 * 24 && many < 100 * few, "{few} and {many}");
}
