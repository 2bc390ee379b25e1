use std::rc::Rc;

use futures::FutureExt as _;
use watchglass::cache::{
    Fifo, KnownObjects, RealFifo, RealFifoOptions, Store as _, StoreError, meta_namespace_key_func,
};

use crate::stores::store::check_store;

use super::Op::{Add, Delete, Replace, Resync, Tombstone, Update};
use super::{Op, drain, name_and_version, object, picky_key_func, run};

fn fifo(ops: &[Op]) -> Fifo {
    let fifo = Fifo::new(meta_namespace_key_func());
    run(&fifo, ops);
    fifo
}

fn pop(fifo: &Fifo) -> Option<String> {
    let item = fifo.pop().now_or_never()?.expect("it is open");
    assert_eq!(item.key, item.object.name());
    Some(name_and_version(&item.object))
}

fn drain_fifo(fifo: &Fifo) -> Vec<String> {
    std::iter::from_fn(|| pop(fifo)).collect()
}

fn list(fifo: &Fifo) -> Vec<String> {
    fifo.list().iter().map(name_and_version).collect()
}

/// client-go: `TestFIFO_addUpdate`, `TestFIFO_addReplace`.
#[test]
fn only_the_newest_state_of_an_object_is_handed_out() {
    for newer in [Update("foo", 15), Add("foo", 15), Replace(&[("foo", 15)])] {
        let fifo = fifo(&[Add("foo", 10), newer]);
        assert_eq!(list(&fifo), ["foo 15"]);
        assert_eq!(fifo.list_keys(), ["foo"]);
        assert_eq!(drain_fifo(&fifo), ["foo 15"]);
        assert_eq!(fifo.get(&object("foo", 0)).unwrap(), None);
        assert!(fifo.is_empty());
    }
}

/// client-go: `TestFIFO_detectLineJumpers`.
#[test]
fn a_key_keeps_its_place_and_goes_to_the_end_after_it_was_popped() {
    let fifo = fifo(&[Add("foo", 10), Add("bar", 1), Add("foo", 11), Add("foo", 13), Add("zab", 30)]);
    assert_eq!(pop(&fifo).unwrap(), "foo 13");
    run(&fifo, &[Add("foo", 14)]);
    assert_eq!(drain_fifo(&fifo), ["bar 1", "zab 30", "foo 14"]);
}

#[test]
fn it_is_a_store_of_what_waits() {
    let fifo = fifo(&[Add("a", 1), Add("b", 2), Add("c", 3), Delete("b", 4), Tombstone("c", 5), Delete("unknown", 6)]);
    assert_eq!(list(&fifo), ["a 1"]);
    assert_eq!(fifo.list_keys(), ["a"]);
    assert_eq!(fifo.len(), 1);
    assert_eq!(fifo.get(&object("a", 9)).unwrap(), Some(object("a", 1)));
    assert_eq!(fifo.get_by_key("a"), Some(object("a", 1)));
    assert_eq!((fifo.get_by_key("b"), fifo.get_by_key("unknown")), (None, None));
    assert_eq!(format!("{fifo:?}"), "Fifo { len: 1, synced: true, closed: false, .. }");
    run(&fifo, &[Resync]);
    assert_eq!(drain_fifo(&fifo), ["a 1"]);
}

#[test]
fn a_deleted_object_that_comes_back_has_its_old_place() {
    let fifo = fifo(&[Add("a", 1), Add("b", 2), Delete("a", 3), Add("a", 4)]);
    assert_eq!(drain_fifo(&fifo), ["a 4", "b 2"]);
}

#[test]
fn a_list_resets_the_queue_to_itself() {
    let fifo = fifo(&[Add("a", 1), Add("b", 2), Replace(&[("c", 3), ("b", 4), ("c", 5)])]);
    assert_eq!(drain_fifo(&fifo), ["c 5", "b 4"]);
}

#[test]
fn what_was_deleted_from_the_first_list_need_not_be_processed() {
    let fifo = fifo(&[Replace(&[("a", 1), ("b", 2), ("c", 3)]), Delete("a", 4), Delete("c", 5)]);
    let item = fifo.pop().now_or_never().flatten().unwrap();
    assert!(item.is_in_initial_list && !fifo.has_synced());
    drop(item);
    assert!(!fifo.has_synced());
    assert!(fifo.pop().now_or_never().is_none(), "c is skipped");
    assert!(fifo.has_synced());
}

#[test]
fn reading_an_object_without_a_key_fails() {
    let fifo = Fifo::new(picky_key_func());
    assert!(matches!(fifo.get(&object("broken", 1)), Err(StoreError::Key(_))));
}

/// client-go: `KeyListerGetter`, which its stores are too.
#[test]
fn every_store_can_be_a_queue_s_known_objects() {
    let store = Rc::new(fifo(&[Add("foo", 5)]));
    let queue = RealFifo::plain(Rc::clone(&store) as Rc<dyn KnownObjects>, RealFifoOptions::default());
    run(&queue, &[Replace(&[])]);
    assert_eq!(drain(&queue), ["initial: gone foo 5"]);
}

/// client-go: `TestFIFOCache`.
#[test]
fn it_is_a_store_like_any_other() {
    check_store(&fifo(&[]));
}
