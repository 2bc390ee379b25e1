use std::time::Duration;

use watchglass::runtime::Traffic::{Stream, Watch};

use super::network::{Asked, Page};

const SECOND: Duration = Duration::from_secs(1);

fn five_watches() -> (Page, Vec<Asked>) {
    let page = Page::without_sockets();
    let mut watches = Vec::new();
    for number in 0..4 {
        watches.push(page.asks(&format!("watch{number}"), Watch));
        page.sandbox.advance(SECOND);
    }
    watches.push(page.asks("watch4", Watch));
    (page, watches)
}

#[test]
fn the_watch_that_has_held_its_connection_longest_makes_room_after_ten_seconds() {
    let (page, watches) = five_watches();
    page.sandbox.advance(5 * SECOND);
    assert_eq!(page.network.open(), ["watch0", "watch1", "watch2", "watch3"]);
    page.sandbox.advance(SECOND);
    assert_eq!(page.network.open(), ["watch1", "watch2", "watch3", "watch4"]);
    assert_eq!(watches[0].end(), Some(Ok(())));
    page.sandbox.advance(3600 * SECOND);
    assert_eq!(page.network.open().len(), 4, "nobody waits, and nobody is ended");
}

#[test]
fn as_many_watches_make_room_as_others_wait() {
    let (page, _watches) = five_watches();
    let _more = [page.asks("watch5", Watch), page.asks("log", Stream)];
    page.sandbox.advance(8 * SECOND);
    assert_eq!(page.network.open(), ["watch3", "watch4", "watch5", "log"]);
}

/// A watch that comes back waits behind those that wait already: three rounds of four serve ten.
#[test]
fn nobody_waits_for_more_than_two_turns_of_others() {
    let page = Page::without_sockets();
    let mut watches: Vec<_> = (0..10).map(|number| page.asks(&format!("watch{number}"), Watch)).collect();
    let mut waited = [0; 10];
    for _ in 0..200 {
        page.sandbox.advance(SECOND);
        for (number, watch) in watches.iter_mut().enumerate() {
            waited[number] = if watch.status().is_none() { waited[number] + 1 } else { 0 };
            if watch.end().is_some() {
                *watch = page.asks(&format!("watch{number}"), Watch);
            }
        }
        assert!(waited.iter().all(|seconds| *seconds <= 20), "{waited:?}");
    }
    assert_eq!(page.network.count(), 4 + 4 * 20);
}

#[test]
fn a_watch_is_ended_after_an_event_and_not_within_one() {
    let (page, watches) = five_watches();
    let watch = page.network.last("watch0");
    page.sandbox.advance(5 * SECOND);
    watch.says("{\"type\":");
    page.sandbox.advance(SECOND);
    assert!(watch.is_open());
    watch.says("\"ADDED\"}\n");
    page.sandbox.run_until_idle();
    assert_eq!((watches[0].text().as_str(), watches[0].end()), ("{\"type\":\"ADDED\"}\n", Some(Ok(()))));
    assert!(!watch.is_open());
}

#[test]
fn a_watch_that_stops_within_an_event_is_ended_all_the_same() {
    let (page, watches) = five_watches();
    page.network.last("watch0").says("{\"type\":");
    page.sandbox.advance(6 * SECOND);
    assert_eq!(watches[0].end(), None);
    page.sandbox.advance(SECOND);
    assert_eq!(watches[0].end(), Some(Ok(())));
}

#[test]
fn a_watch_list_is_not_ended_for_others() {
    let page = Page::without_sockets();
    let lists: Vec<_> =
        (0..4).map(|number| page.asks(&format!("list{number}?watch=true&sendInitialEvents=true"), Watch)).collect();
    let waiting = page.asks("watch", Watch);
    page.sandbox.advance(60 * SECOND);
    assert!(lists.iter().all(|list| list.end().is_none()));
    page.network.last("list2?watch=true&sendInitialEvents=true").ends();
    page.sandbox.run_until_idle();
    assert_eq!(waiting.status(), Some(200));
}
