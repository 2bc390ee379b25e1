use watchglass::cache::{Phase, Refused};

use super::*;

/// What a person asks of a reflector that watches, lists or waits; client-go has nothing like it.
#[test]
fn a_list_that_a_person_asks_for_takes_the_place_of_the_watch_and_loses_nothing() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.delete_unseen("a");
    source.put_unseen(pod("b"));
    source.requests();
    running.reflector.list_again();
    running.sandbox.run_until_idle();
    assert_eq!(source.requests(), ["list rv= limit=500", "watch rv=3"], "the newest state is asked for");
    assert_eq!((running.store.listing(), source.watches_open()), (vec!["b 3".to_owned()], 1));
    running.sandbox.advance(seconds(600));
    assert!(!source.requests().iter().any(|request| request.starts_with("list")), "it was asked for once");
}

#[test]
fn a_list_that_a_person_asks_for_ends_a_wait_for_a_watch() {
    let source = with_one_pod();
    let running = start(source.clone(), pods());
    source.fail_next_watches([unreachable(), unreachable()]);
    source.requests();
    source.close();
    running.sandbox.advance(seconds(2));
    source.requests();
    source.fail_next_watches([unreachable()]);
    source.close();
    running.sandbox.run_until_idle();
    assert!(matches!(running.reflector.connection().phase, Phase::Reconnecting { .. }));
    source.requests();
    running.reflector.list_again();
    running.sandbox.run_until_idle();
    assert_eq!(source.requests().first().map(String::as_str), Some("list rv= limit=500"));
}

/// Rights come and go while the page is open.
#[test]
fn what_the_server_refuses_is_told_until_it_is_allowed() {
    let source = with_one_pod();
    source.fail_next_lists([status(403)]);
    source.fail_next_watches([status(403)]);
    let running = start(source.clone(), pods());
    let refused = || running.reflector.connection().refused;
    assert_eq!((refused(), running.store.listing().len()), (Some(Refused::List), 0));
    running.sandbox.advance(longest_wait(0));
    assert_eq!((refused(), running.store.listing().len()), (Some(Refused::Watch), 1), "the list stands");
    running.sandbox.advance(longest_wait(1));
    assert_eq!(refused(), None);
    assert!(matches!(running.reflector.connection().phase, Phase::Connected { .. }));
    source.fail_next_lists([status(500), status(403)]);
    running.reflector.list_again();
    running.sandbox.run_until_idle();
    assert_eq!(refused(), None, "another failure says nothing of rights");
    running.sandbox.advance(longest_wait(0));
    assert_eq!((refused(), running.store.listing().len()), (Some(Refused::List), 1));
}

/// Who may list and not watch gets the whole list after each wait.
#[test]
fn a_reflector_that_may_not_watch_lists_again_and_again() {
    let source = with_one_pod();
    source.fail_next_watches((0..20).map(|_| status(403)));
    let running = start(source.clone(), pods());
    (0..6).for_each(|failure| running.sandbox.advance(longest_wait(failure)));
    source.put_unseen(pod("b"));
    source.requests();
    running.sandbox.advance(seconds(60));
    let lists = source.requests().iter().filter(|request| request.starts_with("list")).count();
    assert!((1..=3).contains(&lists), "{lists} lists in a minute");
    assert_eq!(running.store.listing(), ["a 1", "b 2"]);
    assert_eq!(running.reflector.connection().refused, Some(Refused::Watch));
}
