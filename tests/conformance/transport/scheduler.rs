use std::time::Duration;

use watchglass::runtime::SeededRandom;
use watchglass::runtime::Traffic::{self, List, Request, Stream, Watch};

use super::network::{Answer, Asked, Page, Sent};

fn watches(page: &Page, count: usize) -> Vec<Asked> {
    (0..count).map(|number| page.asks(&format!("watch{number}"), Watch)).collect()
}

/// Case 27 of the browser test list; kubernetes-sigs/headlamp#1373, #1802, kubernetes/kubernetes#1685.
///
/// The network fails the test when a seventh connection is asked of it.
#[test]
fn a_request_is_sent_at_once_beside_ten_watches_and_two_lists() {
    let page = Page::without_sockets();
    let watches = watches(&page, 10);
    assert_eq!(page.network.open(), ["watch0", "watch1", "watch2", "watch3"]);
    assert!(watches[4..].iter().all(|watch| watch.status().is_none()));
    let lists = [page.asks("list0", List), page.asks("list1", List)];
    assert_eq!(lists.each_ref().map(Asked::status), [Some(200), None]);
    let get = page.asks("get", Request);
    assert_eq!(get.status(), Some(200));
    assert_eq!(page.network.open().len(), 6);
}

#[test]
fn lists_take_what_watches_leave_except_for_one_connection() {
    let page = Page::without_sockets();
    let mut lists: Vec<_> = (0..7).map(|number| page.asks(&format!("list{number}"), List)).collect();
    assert_eq!(page.network.open().len(), 5);
    let watch = page.asks("watch", Watch);
    assert_eq!(watch.status(), None);
    // A watch that came later waits for the two lists before it, and no longer.
    for list in &mut lists[..3] {
        list.aborts();
        page.sandbox.run_until_idle();
    }
    assert_eq!(page.network.open(), ["list3", "list4", "list5", "list6", "watch"]);
}

/// Case 28 of the browser test list.
#[test]
fn a_connection_is_free_as_soon_as_its_answer_ends_breaks_or_is_dropped() {
    let page = Page::without_sockets();
    page.network.answers([Answer::Late]);
    let mut watches = watches(&page, 8);
    assert_eq!(page.network.open(), ["watch0", "watch1", "watch2", "watch3"]);
    watches[0].aborts();
    page.sandbox.run_until_idle();
    assert_eq!(page.network.open(), ["watch1", "watch2", "watch3", "watch4"], "aborted before its head");
    watches[1].aborts();
    page.sandbox.run_until_idle();
    assert_eq!(page.network.open(), ["watch2", "watch3", "watch4", "watch5"], "aborted while it was read");
    page.network.last("watch2").ends();
    page.sandbox.run_until_idle();
    assert_eq!(page.network.open(), ["watch3", "watch4", "watch5", "watch6"]);
    page.network.last("watch3").breaks();
    page.sandbox.run_until_idle();
    assert_eq!(page.network.open(), ["watch4", "watch5", "watch6", "watch7"]);
    assert_eq!(watches[2].end(), Some(Ok(())));
    assert!(watches[3].end().is_some_and(|end| end.is_err()));
}

#[test]
fn a_watch_that_cannot_be_sent_gives_its_connection_back() {
    let page = Page::without_sockets();
    page.network.answers([Answer::Unreachable, Answer::Status(403)]);
    let watches = watches(&page, 6);
    assert!(watches[0].end().is_some_and(|end| end.is_err()));
    assert_eq!(watches[1].status(), Some(403));
    page.network.last("watch1").ends();
    page.sandbox.run_until_idle();
    assert_eq!(page.network.open(), ["watch2", "watch3", "watch4", "watch5"]);
}

#[test]
fn who_waits_is_served_in_the_order_of_coming_and_who_gave_up_is_passed_over() {
    let page = Page::without_sockets();
    let mut watches = watches(&page, 9);
    watches[4].aborts();
    watches[6].aborts();
    for number in 0..3 {
        page.network.last(&format!("watch{number}")).ends();
        page.sandbox.run_until_idle();
    }
    assert_eq!(page.network.open(), ["watch3", "watch5", "watch7", "watch8"]);
}

#[test]
fn streams_leave_watches_one_connection_to_take_turns_in() {
    let page = Page::without_sockets();
    let _streams: Vec<_> = (0..5).map(|number| page.asks(&format!("log{number}"), Stream)).collect();
    assert_eq!(page.network.open(), ["log0", "log1", "log2"]);
    let _watches = watches(&page, 2);
    assert_eq!(page.network.open(), ["log0", "log1", "log2", "watch0"]);
    page.sandbox.advance(Duration::from_secs(3600));
    assert_eq!(page.network.open(), ["log0", "log1", "log2", "watch1"], "a stream is not ended for others");
}

/// Whatever comes, ends, breaks and is dropped in whatever order, the counts hold and no connection is lost.
#[test]
fn the_counts_hold_in_any_order_of_events() {
    for seed in 0..50 {
        let (page, random) = (Page::without_sockets(), SeededRandom::new(seed));
        let mut asked = Vec::new();
        for step in 0..200 {
            let traffic = [Watch, Watch, Watch, List, Stream][random.below(5)];
            match random.below(6) {
                0 | 1 => asked.push(page.asks(&format!("{traffic:?}-{step}"), traffic)),
                2 if !asked.is_empty() => drop(asked.swap_remove(random.below(asked.len()))),
                3 => with_one_of_those_that_are_open(&page, &random, |sent| sent.ends()),
                4 => with_one_of_those_that_are_open(&page, &random, |sent| sent.breaks()),
                _ => page.sandbox.advance(Duration::from_secs(4)),
            }
            page.sandbox.run_until_idle();
            let count = |of: &str| page.network.open().iter().filter(|path| path.starts_with(of)).count();
            let (watches, lists, streams) = (count("Watch"), count("List"), count("Stream"));
            assert!(watches + streams <= 4 && streams <= 3 && watches + streams + lists <= 5, "seed {seed}");
            let wait_for = |of: Traffic| asked.iter().any(|it| it.traffic == of && it.is_waiting());
            assert!(!wait_for(List) || watches + streams + lists == 5, "seed {seed}: a list waits for nothing");
            assert!(!wait_for(Watch) || watches + streams == 4 || watches + streams + lists == 5, "seed {seed}");
        }
        drop(asked);
        page.sandbox.run_until_idle();
        assert_eq!(page.network.open(), [""; 0]);
        assert!((0..5).map(|_| page.asks("after", List)).collect::<Vec<_>>().iter().all(|list| !list.is_waiting()));
    }
}

fn with_one_of_those_that_are_open(page: &Page, random: &SeededRandom, act: impl Fn(Sent)) {
    let open = page.network.open();
    if !open.is_empty() {
        act(page.network.last(&open[random.below(open.len())]));
    }
}
