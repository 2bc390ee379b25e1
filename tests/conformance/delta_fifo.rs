use std::rc::Rc;
use std::sync::Arc;

use futures::FutureExt as _;
use watchglass::api::Object;
use watchglass::cache::{DeletedObject, Delta, DeltaFifo, Deltas, Indexer, Indexers};

use super::fake_source::pod;

fn version(name: &str, version: &str) -> Arc<Object> {
    let mut pod = pod(name);
    pod.metadata.resource_version = version.into();
    Arc::new(pod)
}

fn fifo(known: &[&str]) -> DeltaFifo {
    let indexer = Indexer::new(Indexers::new());
    known.iter().for_each(|name| indexer.add(version(name, "known")).expect("it has a key"));
    DeltaFifo::new(Rc::new(indexer))
}

fn pop(fifo: &DeltaFifo) -> Vec<String> {
    fifo.pop_all().now_or_never().flatten().expect("something is queued").iter().map(describe).collect()
}

fn describe(Deltas { key, deltas, is_in_initial_list }: &Deltas) -> String {
    let describe = |delta: &Delta| match delta {
        Delta::Added(object) => format!("added {}", object.resource_version()),
        Delta::Updated(object) => format!("updated {}", object.resource_version()),
        Delta::Sync(_) | Delta::SyncAll | Delta::ReplacedAll { .. } | Delta::Bookmark { .. } => format!("{delta:?}"),
        Delta::Replaced(object) => format!("replaced {}", object.resource_version()),
        Delta::Deleted(DeletedObject::Known(object)) => format!("deleted {}", object.resource_version()),
        Delta::Deleted(DeletedObject::FinalStateUnknown { object, .. }) => {
            format!("gone {}", object.as_ref().map_or("-", |object| object.resource_version()))
        }
    };
    let deltas: Vec<_> = deltas.iter().map(describe).collect();
    format!("{key}: {}{}", deltas.join(", "), if *is_in_initial_list { " (initial)" } else { "" })
}

/// client-go: `TestDeltaFIFO_addUpdate`, `TestDeltaFIFO_enqueueingWithLister`.
#[test]
fn the_changes_of_a_key_stay_together_and_keys_in_the_order_they_were_touched() {
    let fifo = fifo(&["c"]);
    fifo.add(version("a", "1"));
    fifo.update(version("b", "2"));
    fifo.update(version("a", "3"));
    fifo.delete(version("c", "4"));
    assert_eq!(pop(&fifo), ["ns/a: added 1, updated 3", "ns/b: updated 2", "ns/c: deleted 4"]);
    assert!(fifo.pop_all().now_or_never().is_none(), "an empty queue waits");
}

/// client-go: `TestDeltaFIFO_addReplace`, `TestDeltaFIFO_ReplaceMakesDeletions`.
#[test]
fn a_list_deletes_what_is_known_or_queued_and_not_in_it() {
    let fifo = fifo(&["known", "both", "stays"]);
    fifo.add(version("queued", "1"));
    fifo.update(version("both", "2"));
    fifo.replace(vec![version("stays", "3"), version("new", "4")]);
    assert_eq!(
        pop(&fifo),
        [
            "ns/queued: added 1, gone 1",
            "ns/both: updated 2, gone 2",
            "ns/stays: replaced 3",
            "ns/new: replaced 4",
            "ns/known: gone known",
        ]
    );
}

/// client-go: `TestDeltaFIFO_UpdateResyncRace`'s neighbour `isDeletionDup`.
#[test]
fn of_two_deletions_the_one_that_saw_the_final_state_stays() {
    let fifo = fifo(&["a"]);
    fifo.delete(version("a", "1"));
    fifo.replace(vec![]);
    fifo.delete(version("a", "2"));
    assert_eq!(pop(&fifo), ["ns/a: deleted 1"]);
    fifo.replace(vec![]);
    fifo.delete(version("a", "3"));
    assert_eq!(pop(&fifo), ["ns/a: deleted 3"]);
}

/// client-go: `TestDeltaFIFO_DeleteExistingNonPropagated`.
#[test]
fn the_deletion_of_what_nobody_knows_is_ignored() {
    let fifo = fifo(&[]);
    fifo.delete(version("a", "1"));
    assert!(fifo.is_empty());
}

/// client-go: `TestDeltaFIFO_HasSynced`, `TestDeltaFIFO_HasSyncedCorrectOnDeletion`; the difference, that the last
/// item's handlers have been told when it is synced, is k/k#115658's neighbour 13.
#[test]
fn it_is_synced_when_the_first_list_was_processed_and_stays_so() {
    let fifo = fifo(&["old"]);
    assert!(!fifo.has_synced());
    fifo.replace(vec![version("a", "1")]);
    fifo.add(version("b", "2"));
    assert_eq!(pop(&fifo), ["ns/a: replaced 1 (initial)", "ns/old: gone known (initial)", "ns/b: added 2"]);
    assert!(!fifo.has_synced());
    fifo.processed(3);
    assert!(fifo.has_synced());
    fifo.replace(vec![version("a", "3")]);
    assert!(fifo.has_synced());
}

#[test]
fn an_empty_first_list_is_told_once() {
    let fifo = fifo(&[]);
    fifo.replace(vec![]);
    assert!(pop(&fifo).is_empty() && fifo.has_synced());
    assert!(fifo.pop_all().now_or_never().is_none());
}

/// client-go: `TestDeltaFIFO_PopShouldUnblockWhenClosed`.
#[test]
fn a_closed_queue_gives_what_it_holds_and_then_ends() {
    let fifo = fifo(&[]);
    fifo.add(version("a", "1"));
    fifo.close();
    assert_eq!(pop(&fifo), ["ns/a: added 1"]);
    assert_eq!(fifo.pop_all().now_or_never(), Some(None));
}
