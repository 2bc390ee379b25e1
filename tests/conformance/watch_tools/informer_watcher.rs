use std::rc::Rc;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use watchglass::api::{Status, WatchEvent};
use watchglass::cache::ListerWatcher;
use watchglass::testing::Sandbox;
use watchglass::watch_tools::IndexerInformerWatcher;

use super::scripted::describe;
use crate::fake_source::{FakeSource, pod};

struct Fixture {
    sandbox: Sandbox,
    source: FakeSource,
    lister_watcher: Rc<dyn ListerWatcher>,
    watcher: IndexerInformerWatcher,
}

impl Fixture {
    fn new(pods: &[&str]) -> Self {
        let (sandbox, source) = (Sandbox::new(), FakeSource::default());
        pods.iter().for_each(|name| drop(source.put(pod(name))));
        let lister_watcher: Rc<dyn ListerWatcher> = Rc::new(source.clone());
        let watcher = IndexerInformerWatcher::new(&sandbox.runtime(), Rc::clone(&lister_watcher), "pods".into());
        Self { sandbox, source, lister_watcher, watcher }
    }

    /// The events that wait to be read.
    fn read(&mut self) -> Vec<String> {
        self.sandbox.run_until_idle();
        let mut events = Vec::new();
        while let Some(item) = self.watcher.next().now_or_never() {
            let event = item.expect("it never ends").expect("it gives no errors");
            let (WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object)) = &event
            else {
                panic!("{event:?} is no event of an object");
            };
            events.push(format!("{} of {}", describe(&event), object.name()));
        }
        events
    }

    fn drop_the_watcher(self) {
        drop(self.watcher);
        self.sandbox.run_until_idle();
        assert_eq!(self.source.watches_open(), 0);
        assert_eq!(Rc::strong_count(&self.lister_watcher), 1, "nothing is held any more");
    }
}

/// client-go: `TestEventProcessorExit`. kubernetes/kubernetes#134565: nothing goes on after the stop.
#[test]
fn dropping_it_stops_the_informer_with_any_number_of_events_unread() {
    for unread in 0..3 {
        let mut it = Fixture::new(&["a", "b", "c"]);
        it.sandbox.run_until_idle();
        assert_eq!(it.source.watches_open(), 1);
        for _ in unread..3 {
            assert!(it.watcher.next().now_or_never().is_some());
        }
        it.drop_the_watcher();
    }
}

#[test]
fn dropping_it_before_it_ran_starts_nothing() {
    let it = Fixture::new(&["a"]);
    let source = it.source.clone();
    it.drop_the_watcher();
    assert!(source.requests().is_empty());
}

/// client-go: `TestEventProcessorOrdersEvents`.
#[test]
fn a_thousand_events_wait_in_their_order() {
    let mut it = Fixture::new(&[]);
    assert!(it.read().is_empty());
    for number in 1..=1000 {
        it.source.put(pod(&format!("pod-{number}")));
    }
    let expected: Vec<_> = (1..=1000).map(|number| format!("added {number} of pod-{number}")).collect();
    assert_eq!(it.read(), expected);
}

/// client-go: `TestNewInformerWatcher`.
#[test]
fn the_list_comes_as_additions_then_the_changes_and_no_bookmarks() {
    let mut it = Fixture::new(&["a", "b", "c"]);
    assert!(!it.watcher.has_synced());
    let mut initial = it.read();
    initial.sort();
    assert_eq!(initial, ["added 1 of a", "added 2 of b", "added 3 of c"]);
    assert!(it.watcher.has_synced());
    assert!(it.watcher.synced().now_or_never().is_some());
    it.source.put(pod("d"));
    it.source.bookmark();
    it.source.put(pod("b"));
    it.source.delete("c");
    assert_eq!(it.read(), ["added 4 of d", "modified 6 of b", "deleted 7 of c"]);
    assert!(it.read().is_empty());
    assert_eq!(it.watcher.indexer().len(), 3);
    it.source.put(pod("e"));
    it.source.put(pod("b"));
    it.drop_the_watcher();
}

/// client-go: `TestInformerWatcherDeletedFinalStateUnknown`.
#[test]
fn a_deletion_that_was_missed_is_told_with_the_last_known_object() {
    let mut it = Fixture::new(&["a"]);
    assert_eq!(it.read(), ["added 1 of a"]);
    it.source.delete_unseen("a");
    it.source.break_with(Status::failure(410, "gone").into());
    it.sandbox.advance(Duration::from_secs(60));
    assert_eq!(it.read(), ["deleted 1 of a"]);
    let requests = it.source.requests();
    assert!(requests.iter().filter(|request| request.starts_with("list")).count() >= 2, "{requests:?}");
    assert!(requests.iter().any(|request| request.starts_with("watch")), "{requests:?}");
    assert!(it.watcher.indexer().is_empty());
    it.drop_the_watcher();
}

#[test]
fn a_reader_that_waits_is_woken() {
    let mut it = Fixture::new(&[]);
    assert!(it.read().is_empty());
    let (source, runtime) = (it.source.clone(), it.sandbox.runtime());
    let _later = it.sandbox.spawn(async move {
        runtime.sleep(Duration::from_secs(3)).await;
        source.put(pod("a"));
    });
    let event = it.sandbox.block_on(it.watcher.next()).unwrap().unwrap();
    assert_eq!(describe(&event), "added 1");
}
