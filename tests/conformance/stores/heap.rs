use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use watchglass::cache::{Heap, HeapError};
use watchglass::testing::Sandbox;

type Item = (&'static str, u32);

fn heap(items: &[Item]) -> Heap<Item> {
    let heap = Heap::new(|(name, _): &Item| (*name).to_owned(), |one, other| one.1 < other.1);
    for item in items {
        heap.add(*item).expect("the heap is open");
    }
    heap
}

/// What can be popped now, without waiting.
fn drain<T: Clone>(heap: &Heap<T>) -> Vec<T> {
    std::iter::from_fn(|| heap.pop().now_or_never()?.ok()).collect()
}

fn numbers() -> Heap<(String, u32)> {
    Heap::new(|(name, _): &(String, u32)| name.clone(), |one, other| one.1 < other.1)
}

/// client-go: `TestHeapBasic`.
#[test]
fn items_come_in_ascending_order_however_they_were_added() {
    let heap = numbers();
    for number in 0..500 {
        heap.add((format!("a{number}"), 500 - number)).unwrap();
        heap.add((format!("b{number}"), number + 1)).unwrap();
    }
    assert_eq!((heap.len(), heap.is_empty()), (1000, false));
    let popped = drain(&heap);
    assert_eq!(popped.len(), 1000);
    assert!(popped.is_sorted_by_key(|(_, number)| *number));
    assert!(heap.is_empty() && heap.list().is_empty());
}

#[test]
fn equal_items_come_in_the_order_they_came_first() {
    let heap = heap(&[("b", 1), ("a", 1), ("c", 0), ("b", 1)]);
    assert_eq!(drain(&heap), [("c", 0), ("b", 1), ("a", 1)]);
}

/// client-go: `TestHeap_Add`.
#[test]
fn an_item_added_again_takes_its_new_place() {
    let heap = heap(&[("foo", 10), ("bar", 1), ("baz", 11), ("zab", 30), ("foo", 13)]);
    let pop = || heap.pop().now_or_never();
    assert_eq!([pop(), pop()], [Some(Ok(("bar", 1))), Some(Ok(("baz", 11)))]);
    assert_eq!(heap.delete(&("baz", 11)), Err(HeapError::NotFound));
    heap.add(("foo", 14)).unwrap();
    assert_eq!(drain(&heap), [("foo", 14), ("zab", 30)]);
}

/// client-go: `TestHeap_BulkAdd`.
#[test]
fn all_of_a_bulk_is_there_before_anything_is_popped() {
    let sandbox = Sandbox::new();
    let heap = Rc::new(numbers());
    let adding = Rc::clone(&heap);
    let runtime = sandbox.runtime();
    let _task = sandbox.spawn(async move {
        runtime.sleep(Duration::from_secs(1)).await;
        adding.bulk_add((0..500).rev().map(|number| (number.to_string(), number))).unwrap();
    });
    sandbox.block_on(async {
        for number in 0..500 {
            assert_eq!(heap.pop().await, Ok((number.to_string(), number)));
        }
    });
}

/// client-go: `TestHeapEmptyPop`.
#[test]
fn closing_ends_a_wait() {
    let sandbox = Sandbox::new();
    let heap = Rc::new(heap(&[]));
    let (closing, runtime) = (Rc::clone(&heap), sandbox.runtime());
    let _task = sandbox.spawn(async move {
        runtime.sleep(Duration::from_secs(1)).await;
        closing.close();
    });
    let error = sandbox.block_on(heap.pop()).unwrap_err();
    assert_eq!(error.to_string(), "heap is closed");
}

/// client-go: `TestHeap_AddIfNotPresent`.
#[test]
fn an_item_that_is_present_can_be_left_alone() {
    let heap = heap(&[]);
    for item in [("foo", 10), ("bar", 1), ("baz", 11), ("zab", 30), ("foo", 13)] {
        heap.add_if_not_present(item).unwrap();
    }
    assert_eq!((heap.len(), heap.get_by_key("foo")), (4, Some(("foo", 10))));
    let pop = || heap.pop().now_or_never();
    assert_eq!([pop(), pop()], [Some(Ok(("bar", 1))), Some(Ok(("foo", 10)))]);
    heap.add_if_not_present(("bar", 14)).unwrap();
    assert_eq!(drain(&heap), [("baz", 11), ("bar", 14), ("zab", 30)]);
}

/// client-go: `TestHeap_Delete`.
#[test]
fn items_are_deleted_by_their_key_alone() {
    let heap = heap(&[("foo", 10), ("bar", 1), ("bal", 31), ("baz", 11)]);
    heap.delete(&("bar", 200)).unwrap();
    assert_eq!(heap.pop().now_or_never(), Some(Ok(("foo", 10))));
    heap.bulk_add([("zab", 30), ("faz", 30)]).unwrap();
    let absent = heap.delete(&("non-existent", 10)).unwrap_err();
    assert_eq!((absent.to_string().as_str(), heap.len()), ("object not found", 4));
    heap.delete(&("bal", 31)).unwrap();
    heap.delete(&("zab", 30)).unwrap();
    assert_eq!(drain(&heap), [("baz", 11), ("faz", 30)]);
    assert!(heap.is_empty());
}

/// client-go: `TestHeap_Update`.
#[test]
fn a_changed_item_moves_to_the_head_or_away_from_it() {
    let heap = heap(&[("foo", 10), ("bar", 1), ("bal", 31), ("baz", 11)]);
    heap.add(("baz", 0)).unwrap();
    assert_eq!(heap.pop().now_or_never(), Some(Ok(("baz", 0))));
    heap.add(("bar", 100)).unwrap();
    assert_eq!(drain(&heap), [("foo", 10), ("bal", 31), ("bar", 100)]);
}

/// client-go: `TestHeap_Get`, `TestHeap_GetByKey`.
#[test]
fn items_are_found_by_their_key() {
    let heap = heap(&[("foo", 10), ("bar", 1), ("bal", 31), ("baz", 11)]);
    assert_eq!((heap.get(&("baz", 0)), heap.get_by_key("baz")), (Some(("baz", 11)), Some(("baz", 11))));
    assert_eq!((heap.get(&("none", 0)), heap.get_by_key("none")), (None, None));
    assert_eq!(heap.len(), 4, "reading takes nothing out");
}

/// client-go: `TestHeap_List`, `TestHeap_ListKeys`.
#[test]
fn all_items_and_keys_are_listed() {
    let empty = heap(&[]);
    assert!(empty.list().is_empty() && empty.list_keys().is_empty());
    let items = [("bal", 30), ("bar", 1), ("baz", 11), ("faz", 30), ("foo", 10)];
    let heap = heap(&items);
    let (mut list, mut keys) = (heap.list(), heap.list_keys());
    list.sort_unstable();
    keys.sort_unstable();
    assert_eq!(list, items);
    assert_eq!(keys, items.map(|(name, _)| name));
}

/// client-go: `TestHeap_Close`, `TestHeapAddAfterClose`.
#[test]
fn a_closed_heap_takes_nothing_and_gives_what_it_has() {
    let heap = heap(&[("foo", 10), ("bar", 1), ("baz", 2)]);
    assert!(!heap.is_closed());
    heap.close();
    assert!(heap.is_closed());
    let item = ("test", 1);
    let refusals = [heap.add(item), heap.add_if_not_present(item), heap.bulk_add([item])];
    assert_eq!(refusals, [Err(HeapError::Closed); 3]);
    heap.delete(&("baz", 2)).expect("deleting goes on");
    assert_eq!(drain(&heap), [("bar", 1), ("foo", 10)]);
    assert_eq!(heap.pop().now_or_never(), Some(Err(HeapError::Closed)));
}

#[test]
fn an_item_wakes_who_waits_for_one() {
    let sandbox = Sandbox::new();
    let heap = Rc::new(heap(&[]));
    let popped = Rc::new(RefCell::new(Vec::new()));
    let _tasks = [0, 1].map(|_| {
        let (heap, popped) = (Rc::clone(&heap), Rc::clone(&popped));
        sandbox.spawn(async move {
            let item = heap.pop().await;
            popped.borrow_mut().push(item);
        })
    });
    sandbox.run_until_idle();
    heap.add_if_not_present(("a", 1)).unwrap();
    sandbox.run_until_idle();
    assert_eq!(*popped.borrow(), [Ok(("a", 1))]);
    heap.add(("b", 2)).unwrap();
    sandbox.run_until_idle();
    assert_eq!(*popped.borrow(), [Ok(("a", 1)), Ok(("b", 2))]);
}
