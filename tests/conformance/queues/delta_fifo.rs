use std::rc::Rc;

use watchglass::cache::{DeletedObject, DeltaFifo, DeltaFifoOptions, KnownObjects, Queue as _, ReflectorStore as _};

use super::Op::{Add, Delete, Replace, Resync, Tombstone, Update};
use super::{Known, Op, describe, drain, object, picky_key_func, pop, run};

const FOO_BAR_BAZ: &[(&str, u32)] = &[("foo", 5), ("bar", 6), ("baz", 7)];

fn fifo(known: Option<&[(&str, u32)]>, emit_delta_type_replaced: bool) -> DeltaFifo {
    let known_objects = known.map(|known| Known::of(known) as Rc<dyn KnownObjects>);
    DeltaFifo::new(DeltaFifoOptions { known_objects, emit_delta_type_replaced, ..DeltaFifoOptions::default() })
}

fn check(fifo: &DeltaFifo, ops: &[Op], expected: &[&str]) {
    run(fifo, ops);
    assert_eq!(fifo.len(), expected.len(), "{ops:?}");
    assert_eq!(drain(fifo), expected, "{ops:?}");
    assert!(fifo.is_empty());
}

/// client-go: `TestDeltaFIFO_addUpdate`, `TestDeltaFIFO_enqueueingNoLister`,
/// `TestDeltaFIFO_DeleteExistingNonPropagated`.
#[test]
fn the_changes_of_a_key_stay_together_and_keys_in_the_order_they_were_touched() {
    for (known, ops, expected) in [
        (
            None,
            vec![Add("foo", 10), Update("foo", 12), Delete("foo", 15)],
            vec!["added foo 10, updated foo 12, deleted foo 15"],
        ),
        (
            None,
            vec![Add("foo", 10), Update("bar", 15), Add("qux", 17), Delete("qux", 18), Delete("baz", 20)],
            vec!["added foo 10", "updated bar 15", "added qux 17, deleted qux 18"],
        ),
        (Some(&[][..]), vec![Add("foo", 5), Delete("foo", 6)], vec!["added foo 5, deleted foo 6"]),
    ] {
        check(&fifo(known, false), &ops, &expected);
    }
}

/// client-go: `TestDeltaFIFO_enqueueingWithLister`.
#[test]
fn a_deletion_is_queued_only_for_what_is_queued_or_known() {
    let ops = [Add("foo", 10), Update("bar", 15), Delete("baz", 20)];
    check(&fifo(Some(FOO_BAR_BAZ), false), &ops, &["added foo 10", "updated bar 15", "deleted baz 20"]);
    for known in [Some(&[][..]), None] {
        let fifo = fifo(known, false);
        check(&fifo, &[Delete("baz", 20)], &[]);
        assert!(fifo.has_synced(), "it was a change nevertheless");
    }
}

/// client-go: `TestDeltaFIFO_detectLineJumpers`.
#[test]
fn a_key_keeps_its_place_and_goes_to_the_end_after_it_was_popped() {
    let fifo = fifo(None, false);
    run(&fifo, &[Add("foo", 10), Add("bar", 1), Add("foo", 11), Add("foo", 13), Add("zab", 30)]);
    assert_eq!(describe(&pop(&fifo).unwrap()), "added foo 10, added foo 11, added foo 13");
    run(&fifo, &[Add("foo", 14)]);
    assert_eq!(drain(&fifo), ["added bar 1", "added zab 30", "added foo 14"]);
}

/// Without the list's entry an informer would not tell of an object that was made again.
///
/// client-go: `TestDeltaFIFO_replaceWithDeleteDeltaIn`, `TestDeltaFIFO_addReplace`.
#[test]
fn a_list_is_queued_behind_whatever_is_there() {
    check(
        &fifo(Some(&[("foo", 1)]), false),
        &[Delete("foo", 1), Replace(&[("foo", 2)])],
        &["deleted foo 1, sync foo 2"],
    );
    check(&fifo(None, false), &[Add("foo", 10), Replace(&[("foo", 15)])], &["added foo 10, sync foo 15"]);
}

/// client-go: `TestDeltaFIFO_ReplaceMakesDeletions`.
#[test]
fn a_list_deletes_what_is_queued_or_known_and_not_in_it() {
    for (known, ops, expected) in [
        (Some(FOO_BAR_BAZ), vec![Delete("baz", 10)], vec!["deleted baz 10", "sync foo 5", "gone bar 6"]),
        (Some(FOO_BAR_BAZ), vec![Add("baz", 10)], vec!["added baz 10, gone baz 10", "sync foo 5", "gone bar 6"]),
        (
            Some(FOO_BAR_BAZ),
            vec![Delete("bar", 6), Add("bar", 100)],
            vec!["deleted bar 6, added bar 100, gone bar 100", "sync foo 5", "gone baz 7"],
        ),
        (None, vec![Add("baz", 10)], vec!["added baz 10, gone baz 10", "sync foo 5"]),
    ] {
        let ops = [ops, vec![Replace(&[("foo", 5)])]].concat();
        check(&fifo(known, false), &ops, &expected);
    }
    let lists = [Replace(&[("bar", 100), ("foo", 5)]), Replace(&[("foo", 5)])];
    let expected = ["initial: sync bar 100, gone bar 100", "initial: sync foo 5, sync foo 5", "initial: gone baz 7"];
    check(&fifo(Some(FOO_BAR_BAZ), false), &lists, &expected);
}

/// client-go: `TestDeltaFIFO_ReplaceDeltaType`, `TestDeltaFIFO_ReplaceMakesDeletionsReplaced`;
/// kubernetes/kubernetes PR #86015.
#[test]
fn a_list_is_told_from_a_resync_when_that_is_asked_for() {
    check(&fifo(Some(&[("foo", 5)]), true), &[Replace(&[("foo", 5)])], &["initial: replaced foo 5"]);
    let ops = [Delete("baz", 10), Replace(&[("foo", 6)])];
    check(&fifo(Some(FOO_BAR_BAZ), true), &ops, &["deleted baz 10", "replaced foo 6", "gone bar 6"]);
}

/// An object that came and went while it was only queued stands in no store, so only the queue can delete it
/// (kubernetes/kubernetes#115658).
///
/// client-go: `TestDeltaFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue`.
#[test]
fn a_list_deletes_once_what_is_only_queued() {
    const FOO: &[(&str, u32)] = &[("foo", 2)];
    for (replaced, ops, expected) in [
        (false, vec![Add("foo", 2)], "added foo 2, gone foo 2"),
        (true, vec![Add("foo", 2), Replace(FOO)], "added foo 2, replaced foo 2, gone foo 2"),
        (false, vec![Add("foo", 2), Delete("foo", 2)], "added foo 2, deleted foo 2"),
        (false, vec![Add("foo", 2), Replace(FOO), Replace(FOO)], "added foo 2, sync foo 2, sync foo 2, gone foo 2"),
        (false, vec![Add("foo", 2), Replace(&[])], "added foo 2, gone foo 2"),
        (
            false,
            vec![Add("foo", 2), Delete("foo", 2), Add("foo", 3)],
            "added foo 2, deleted foo 2, added foo 3, gone foo 3",
        ),
    ] {
        for known in [Some(&[][..]), None] {
            let ops = [ops.clone(), vec![Replace(&[])]].concat();
            check(&fifo(known, replaced), &ops, &[expected]);
        }
    }
}

#[test]
fn of_two_deletions_the_one_that_saw_the_final_state_stays() {
    for (ops, expected) in [
        (vec![Delete("foo", 1), Delete("foo", 2)], "deleted foo 1"),
        (vec![Delete("foo", 1), Tombstone("foo", 2)], "deleted foo 1"),
        (vec![Tombstone("foo", 1), Delete("foo", 2)], "deleted foo 2"),
        (vec![Tombstone("foo", 1), Tombstone("foo", 2)], "gone foo 2"),
        (vec![Delete("foo", 1), Add("foo", 2), Delete("foo", 3)], "deleted foo 1, added foo 2, deleted foo 3"),
    ] {
        check(&fifo(Some(FOO_BAR_BAZ), false), &ops, &[expected]);
    }
}

/// client-go: `TestDeltaFIFO_Resync`, `TestDeltaFIFO_ResyncNonExisting`, `TestDeltaFIFO_UpdateResyncRace`.
#[test]
fn a_resync_offers_what_is_known_and_has_no_news_queued() {
    check(&fifo(Some(&[("foo", 5)]), true), &[Resync], &["initial: sync foo 5"]);
    check(&fifo(Some(&[("foo", 5)]), false), &[Delete("foo", 10), Resync], &["deleted foo 10"]);
    check(&fifo(Some(FOO_BAR_BAZ), false), &[Update("foo", 6), Resync], &["updated foo 6", "sync bar 6", "sync baz 7"]);
    check(&fifo(None, false), &[Resync], &[]);
}

/// client-go: `TestDeltaFIFO_HasSyncedCorrectOnDeletion`.
#[test]
fn the_first_list_s_deletions_belong_to_it() {
    let fifo = fifo(Some(FOO_BAR_BAZ), false);
    run(&fifo, &[Replace(&[("foo", 5)]), Add("new", 8)]);
    for expected in ["initial: sync foo 5", "initial: gone bar 6", "initial: gone baz 7"] {
        assert!(!fifo.has_synced());
        assert_eq!(describe(&pop(&fifo).unwrap()), expected);
    }
    assert!(fifo.has_synced());
    assert_eq!(drain(&fifo), ["added new 8"]);
}

/// A queue's keys come from its key function, a tombstone's from itself.
///
/// client-go: `TestDeltaFIFO_KeyOf`.
#[test]
fn a_tombstone_needs_no_object_to_have_a_key() {
    let known_objects = Some(Known::of(&[("b", 1)]) as Rc<dyn KnownObjects>);
    let fifo =
        DeltaFifo::new(DeltaFifoOptions { key_func: picky_key_func(), known_objects, ..DeltaFifoOptions::default() });
    fifo.add(object("a", 1)).unwrap();
    fifo.delete(DeletedObject::FinalStateUnknown { key: "b".into(), object: None }).unwrap();
    fifo.delete(object("broken", 1).into()).unwrap_err();
    assert_eq!(drain(&fifo), ["added a 1", "gone b unknown"]);
}

#[test]
fn its_debug_text_says_how_it_stands() {
    let fifo = fifo(None, false);
    run(&fifo, &[Add("foo", 1)]);
    assert_eq!(format!("{fifo:?}"), "DeltaFifo { len: 1, synced: true, closed: false, .. }");
}
