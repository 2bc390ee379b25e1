use std::rc::Rc;

use futures::FutureExt as _;
use watchglass::cache::{DeletedObject, Queue as _, RealFifo, RealFifoOptions, ReflectorStore as _, StoreError};

use super::Op::{Add, Bookmark, Delete, Replace, Resync, Update};
use super::{Known, Op, describe, drain, drain_batches, object, picky_key_func, pop, run};

const FOO_BAR_BAZ: &[(&str, u32)] = &[("foo", 5), ("bar", 6), ("baz", 7)];

fn plain(known: &[(&str, u32)]) -> RealFifo {
    RealFifo::plain(Known::of(known), RealFifoOptions::default())
}

fn atomic() -> RealFifo {
    RealFifo::atomic(RealFifoOptions::default())
}

fn of_batch_size(batch_size: usize) -> RealFifo {
    RealFifo::plain(Known::of(&[]), RealFifoOptions { batch_size, ..RealFifoOptions::default() })
}

fn check(fifo: &RealFifo, ops: &[Op], expected: &[&str]) {
    run(fifo, ops);
    assert_eq!(fifo.len(), expected.len(), "{ops:?}");
    assert_eq!(drain(fifo), expected, "{ops:?}");
    assert!(fifo.is_empty());
}

/// client-go: `TestRealFIFO_addUpdate`, `TestRealFIFO_enqueueingNoLister`, `TestRealFIFO_enqueueingWithLister`,
/// `TestRealFIFO_DeleteExistingNonPropagated`.
#[test]
fn every_change_is_handed_out_alone_also_the_deletion_of_what_nobody_knows() {
    for (known, ops, expected) in [
        (
            &[][..],
            vec![Add("foo", 10), Update("foo", 12), Delete("foo", 15)],
            vec!["added foo 10", "updated foo 12", "deleted foo 15"],
        ),
        (
            &[],
            vec![Add("foo", 10), Update("bar", 15), Add("qux", 17), Delete("qux", 18), Delete("baz", 20)],
            vec!["added foo 10", "updated bar 15", "added qux 17", "deleted qux 18", "deleted baz 20"],
        ),
        (
            FOO_BAR_BAZ,
            vec![Add("foo", 10), Update("bar", 15), Delete("baz", 20)],
            vec!["added foo 10", "updated bar 15", "deleted baz 20"],
        ),
        (
            &[],
            vec![Add("foo", 5), Delete("foo", 6), Delete("foo", 6)],
            vec!["added foo 5", "deleted foo 6", "deleted foo 6"],
        ),
    ] {
        check(&plain(known), &ops, &expected);
        check(&atomic(), &ops, &expected);
    }
}

/// client-go: `TestRealFIFO_detectLineJumpers`.
#[test]
fn changes_come_in_the_order_of_their_arrival_across_all_keys() {
    for fifo in [plain(&[]), atomic()] {
        run(&fifo, &[Add("foo", 10), Add("bar", 1), Add("foo", 11), Add("foo", 13), Add("zab", 30)]);
        assert_eq!(describe(&pop(&fifo).unwrap()), "added foo 10");
        run(&fifo, &[Add("foo", 14)]);
        assert_eq!(drain(&fifo), ["added bar 1", "added foo 11", "added foo 13", "added zab 30", "added foo 14"]);
    }
}

/// client-go: `TestRealFIFO_replaceWithDeleteDeltaIn`, `TestRealFIFO_addReplace`.
#[test]
fn a_list_is_queued_behind_whatever_is_there() {
    check(&plain(&[("foo", 1)]), &[Delete("foo", 1), Replace(&[("foo", 2)])], &["deleted foo 1", "replaced foo 2"]);
    check(&plain(&[]), &[Add("foo", 10), Replace(&[("foo", 15)])], &["added foo 10", "replaced foo 15"]);
}

/// client-go: `TestRealFIFO_ReplaceMakesDeletions`, `TestRealFIFO_ReplaceMakesDeletionsReplaced`.
#[test]
fn a_list_first_deletes_what_is_queued_or_known_and_not_in_it() {
    for (known, ops, expected) in [
        (
            FOO_BAR_BAZ,
            vec![Delete("baz", 10), Replace(&[("foo", 5)])],
            vec!["deleted baz 10", "gone bar 6", "replaced foo 5"],
        ),
        (
            FOO_BAR_BAZ,
            vec![Add("baz", 10), Replace(&[("foo", 5)])],
            vec!["added baz 10", "gone baz 10", "gone bar 6", "replaced foo 5"],
        ),
        (
            FOO_BAR_BAZ,
            vec![Delete("bar", 6), Add("bar", 100), Replace(&[("foo", 5)])],
            vec!["deleted bar 6", "added bar 100", "gone bar 100", "gone baz 7", "replaced foo 5"],
        ),
        (
            FOO_BAR_BAZ,
            vec![Replace(&[("bar", 100), ("foo", 5)]), Replace(&[("foo", 5)])],
            vec![
                "initial: gone baz 7",
                "initial: replaced bar 100",
                "initial: replaced foo 5",
                "gone bar 100",
                "replaced foo 5",
            ],
        ),
        (&[], vec![Add("baz", 10), Replace(&[("foo", 5)])], vec!["added baz 10", "gone baz 10", "replaced foo 5"]),
        (
            FOO_BAR_BAZ,
            vec![Delete("baz", 10), Replace(&[("foo", 6)])],
            vec!["deleted baz 10", "gone bar 6", "replaced foo 6"],
        ),
        (
            &[],
            vec![Add("b", 1), Add("a", 2), Update("b", 3), Replace(&[])],
            vec!["added b 1", "added a 2", "updated b 3", "gone b 3", "gone a 2"],
        ),
    ] {
        check(&plain(known), &ops, &expected);
    }
}

/// kubernetes/kubernetes#115658.
///
/// client-go: `TestRealFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue`.
#[test]
fn a_list_deletes_once_what_is_only_queued() {
    const FOO: &[(&str, u32)] = &[("foo", 2)];
    for (ops, expected) in [
        (vec![Add("foo", 2)], vec!["added foo 2", "gone foo 2"]),
        (vec![Add("foo", 2), Delete("foo", 2)], vec!["added foo 2", "deleted foo 2"]),
        (
            vec![Add("foo", 2), Replace(FOO), Replace(FOO)],
            vec!["added foo 2", "replaced foo 2", "replaced foo 2", "gone foo 2"],
        ),
        (vec![Add("foo", 2), Replace(&[])], vec!["added foo 2", "gone foo 2"]),
        (
            vec![Add("foo", 2), Delete("foo", 2), Add("foo", 3)],
            vec!["added foo 2", "deleted foo 2", "added foo 3", "gone foo 3"],
        ),
        (vec![Bookmark("123"), Replace(&[])], vec![]),
    ] {
        check(&plain(&[]), &[ops, vec![Replace(&[])]].concat(), &expected);
    }
}

/// client-go: `TestRealFIFO_Resync`, `TestRealFIFO_ResyncNonExisting`, `TestRealFIFO_UpdateResyncRace`.
#[test]
fn a_resync_offers_what_is_known_and_has_no_news_queued() {
    check(&plain(&[("foo", 5)]), &[Resync], &["initial: sync foo 5"]);
    check(&plain(&[("foo", 5)]), &[Delete("foo", 10), Resync], &["deleted foo 10"]);
    check(&plain(FOO_BAR_BAZ), &[Update("foo", 6), Resync], &["updated foo 6", "sync bar 6", "sync baz 7"]);
}

/// client-go: `TestRealFIFO_HasSyncedCorrectOnDeletion`.
#[test]
fn the_first_list_s_deletions_belong_to_it_and_so_does_what_was_queued_before() {
    let fifo = plain(FOO_BAR_BAZ);
    run(&fifo, &[Replace(&[("foo", 5)]), Add("new", 8)]);
    for expected in ["initial: gone bar 6", "initial: gone baz 7", "initial: replaced foo 5"] {
        assert!(!fifo.has_synced());
        assert_eq!(describe(&pop(&fifo).unwrap()), expected);
    }
    assert!(fifo.has_synced());
    assert_eq!(drain(&fifo), ["added new 8"]);

    let fifo = plain(&[("foo", 5)]);
    run(&fifo, &[Resync, Replace(&[("foo", 6)])]);
    assert_eq!(drain(&fifo), ["initial: sync foo 5", "initial: replaced foo 6"]);
}

/// client-go: `TestRealFIFO_KeyOf`.
#[test]
fn a_tombstone_needs_no_object_to_have_a_key() {
    let options = RealFifoOptions { key_func: picky_key_func(), ..RealFifoOptions::default() };
    for fifo in [RealFifo::plain(Known::of(&[]), options.clone()), RealFifo::atomic(options)] {
        fifo.add(object("a", 1)).unwrap();
        fifo.delete(DeletedObject::FinalStateUnknown { key: "b".into(), object: None }).unwrap();
        assert_eq!(drain(&fifo), ["added a 1", "gone b unknown"]);
    }
}

/// Whoever consumes it replaces the whole store in one step: nobody sees a store that never was
/// (kubernetes/kubernetes PR #135462).
///
/// client-go: `TestRealFIFO_ReplaceAtomic`, `TestRealFIFO_ReplaceAtomicPop`, `TestRealFIFO_ResyncAtomic`.
#[test]
fn an_atomic_queue_hands_out_a_list_a_resync_and_a_bookmark_each_as_one() {
    const FOO: &[(&str, u32)] = &[("foo", 15)];
    for (ops, expected) in [
        (vec![Replace(&[])], vec!["initial: all at 7 []"]),
        (vec![Add("foo", 10), Replace(&[])], vec!["added foo 10", "all at 7 []"]),
        (
            vec![Add("foo", 10), Replace(&[("a", 1), ("b", 2)]), Replace(FOO), Replace(&[])],
            vec!["added foo 10", "all at 7 [a 1, b 2]", "all at 7 [foo 15]", "all at 7 []"],
        ),
        (vec![Bookmark("123"), Replace(&[])], vec!["initial: bookmark 123", "initial: all at 7 []"]),
        (vec![Add("foo", 10), Replace(FOO)], vec!["added foo 10", "all at 7 [foo 15]"]),
        (vec![Resync], vec!["initial: sync all"]),
        (vec![Add("foo", 2), Resync], vec!["added foo 2", "sync all"]),
        (
            vec![Replace(FOO), Update("foo", 16), Bookmark("9")],
            vec!["initial: all at 7 [foo 15]", "updated foo 16", "bookmark 9"],
        ),
    ] {
        check(&atomic(), &ops, &expected);
    }
}

/// client-go: `TestRealFIFO_PopMultipleDeltaInBatch`.
#[test]
fn a_batch_has_changes_of_different_objects_and_never_mixes_the_first_list_with_others() {
    const UNLIMITED: usize = usize::MAX;
    const ONE: Op = Replace(&[("foo1", 5)]);
    const TWO: Op = Replace(&[("foo1", 5), ("foo2", 5)]);
    const THREE: Op = Replace(&[("foo1", 5), ("foo2", 5), ("foo3", 5)]);
    for (size, ops, expected) in [
        (UNLIMITED, vec![THREE], vec!["initial: replaced foo1 5, replaced foo2 5, replaced foo3 5"]),
        (
            2,
            vec![TWO, Update("foo3", 5), Update("foo4", 5)],
            vec!["initial: replaced foo1 5, replaced foo2 5", "updated foo3 5, updated foo4 5"],
        ),
        (
            UNLIMITED,
            vec![ONE, Update("foo1", 5), Update("foo1", 5)],
            vec!["initial: replaced foo1 5", "updated foo1 5", "updated foo1 5"],
        ),
        (
            UNLIMITED,
            vec![TWO, Update("foo2", 5), Update("foo3", 5)],
            vec!["initial: replaced foo1 5, replaced foo2 5", "updated foo2 5, updated foo3 5"],
        ),
        (
            UNLIMITED,
            vec![THREE, Update("foo2", 5)],
            vec!["initial: replaced foo1 5, replaced foo2 5, replaced foo3 5", "updated foo2 5"],
        ),
        (2, vec![THREE], vec!["initial: replaced foo1 5, replaced foo2 5", "initial: replaced foo3 5"]),
        (
            2,
            vec![Replace(&[]), Update("foo1", 5), Update("foo2", 5), Update("foo3", 5)],
            vec!["updated foo1 5, updated foo2 5", "updated foo3 5"],
        ),
        (
            2,
            vec![THREE, Update("foo4", 5)],
            vec!["initial: replaced foo1 5, replaced foo2 5", "initial: replaced foo3 5", "updated foo4 5"],
        ),
        (UNLIMITED, vec![ONE, Update("foo2", 5)], vec!["initial: replaced foo1 5", "updated foo2 5"]),
        (UNLIMITED, vec![Add("a", 1), Update("b", 1), Add("a", 2)], vec!["added a 1, updated b 1", "added a 2"]),
        (0, vec![Add("a", 1), Add("b", 1)], vec!["added a 1", "added b 1"]),
    ] {
        let fifo = of_batch_size(size);
        run(&fifo, &ops);
        assert_eq!(drain_batches(&fifo), expected, "{ops:?}");
    }
}

#[test]
fn what_is_not_about_one_object_stands_alone_in_its_batch() {
    let fifo = atomic();
    run(
        &fifo,
        &[Add("a", 1), Delete("b", 1), Replace(&[]), Replace(&[]), Add("a", 2), Resync, Bookmark("9"), Add("c", 1)],
    );
    let expected =
        ["added a 1, deleted b 1", "all at 7 []", "all at 7 []", "added a 2", "sync all", "bookmark 9", "added c 1"];
    assert_eq!(drain_batches(&fifo), expected);
}

#[test]
fn a_batch_has_a_thousand_changes_at_most() {
    let fifo = plain(&[]);
    (0..1001).for_each(|at| fifo.add(object(&format!("pod-{at}"), at)).unwrap());
    let sizes = [(); 2].map(|()| fifo.pop_batch().now_or_never().flatten().unwrap().deltas.len());
    assert_eq!(sizes, [1000, 1]);
}

/// Keys are computed at the door, so a batch cannot meet an object without one.
///
/// client-go: `TestRealFIFO_PopBrokenItemsInBatch`.
#[test]
fn an_object_without_a_key_stays_outside_and_spoils_no_batch() {
    let options = RealFifoOptions { key_func: picky_key_func(), ..RealFifoOptions::default() };
    let fifo = RealFifo::plain(Known::of(&[]), options);
    for name in ["foo1", "broken1", "foo2", "broken2"] {
        let refused = fifo.add(object(name, 5));
        assert_eq!(matches!(refused, Err(StoreError::Key(_))), name.starts_with("broken"), "{name}");
    }
    assert_eq!(drain_batches(&fifo), ["added foo1 5, added foo2 5"]);
}

/// A slow consumer does not keep the reflector from reading its watch, which a server would close, until so much is
/// queued that memory matters (kubernetes/kubernetes PR #136008, PR #136264).
#[test]
fn a_producer_goes_on_while_its_consumer_works_until_two_thousand_wait() {
    for fifo in [plain(&[]), atomic()] {
        let add = |at: u32| fifo.add(object(&format!("pod-{at}"), at)).unwrap();
        let has_room = || fifo.room().now_or_never().is_some();
        add(0);
        let _in_work = pop(&fifo).unwrap();
        (0..1999).for_each(add);
        assert!(has_room(), "{fifo:?}");
        add(1999);
        assert!(!has_room(), "{fifo:?}");
        add(2000);

        let mut room = fifo.room();
        assert!(room.as_mut().now_or_never().is_none());
        let _one = pop(&fifo).unwrap();
        assert!(room.as_mut().now_or_never().is_none(), "2000 are still too many");
        let _another = pop(&fifo).unwrap();
        assert!(room.now_or_never().is_some(), "1999 wait");

        add(2001);
        assert!(!has_room());
        let room = fifo.room();
        fifo.close();
        assert!(room.now_or_never().is_some(), "nobody may pop from a closed queue any more");
    }
}

#[test]
fn how_much_has_room_follows_from_the_size_of_a_batch() {
    for (size, len, room) in [(2, 3, true), (2, 4, false), (0, 1, true), (0, 2, false), (usize::MAX, 5, true)] {
        let fifo = of_batch_size(size);
        (0..len).for_each(|at| fifo.add(object("foo", at)).unwrap());
        assert_eq!(fifo.room().now_or_never().is_some(), room, "{len} with batches of {size}");
    }
}

#[test]
fn an_atomic_queue_asks_no_keys_of_a_list() {
    let options = RealFifoOptions { key_func: picky_key_func(), ..RealFifoOptions::default() };
    let fifo = Rc::new(RealFifo::atomic(options));
    fifo.replace(vec![object("broken", 1)], "3").unwrap();
    assert_eq!(drain(&*fifo), ["initial: all at 3 [broken 1]"]);
    assert_eq!(format!("{fifo:?}"), "RealFifo { len: 0, synced: true, closed: false, .. }");
}
