use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::FutureExt as _;
use watchglass::runtime::StopSource;
use watchglass::testing::Sandbox;
use watchglass::workqueue::parallelize_until;

use super::millis;

/// client-go: `TestParallelizeUntil`.
#[test]
fn each_piece_is_worked_on_once() {
    let cases = [(1000, 10, 1), (1000, 10, 10), (1000, 10, 100), (999, 10, 13), (5, 10, 0), (1, 1, usize::MAX)];
    for (pieces, workers, chunk_size) in cases {
        let (sandbox, stop) = (Sandbox::new(), StopSource::new());
        let (visits, runtime) = (RefCell::new(vec![0; pieces]), sandbox.runtime());
        sandbox.block_on(parallelize_until(&stop.token(), workers, pieces, chunk_size, async |piece| {
            visits.borrow_mut()[piece] += 1;
            runtime.sleep(millis(1)).await;
        }));
        assert_eq!(*visits.borrow(), vec![1; pieces], "{pieces} pieces, {workers} workers, {chunk_size} together");
    }
}

#[test]
fn there_is_nothing_to_wait_for_without_pieces_or_workers() {
    let stop = StopSource::new();
    for (workers, pieces) in [(10, 0), (0, 10)] {
        let work = async |piece| panic!("there is no piece {piece}");
        assert!(parallelize_until(&stop.token(), workers, pieces, 1, work).now_or_never().is_some());
    }
}

#[test]
fn as_many_pieces_are_in_work_as_there_are_workers_and_chunks() {
    for (workers, pieces, chunk_size, expected) in [(3, 10, 1, 3), (10, 4, 1, 4), (10, 9, 4, 3)] {
        let (sandbox, stop) = (Sandbox::new(), StopSource::new());
        let (at_once, most, runtime) = (Cell::new(0), Cell::new(0), sandbox.runtime());
        sandbox.block_on(parallelize_until(&stop.token(), workers, pieces, chunk_size, async |_| {
            at_once.set(at_once.get() + 1);
            most.set(most.get().max(at_once.get()));
            runtime.sleep(millis(1)).await;
            at_once.set(at_once.get() - 1);
        }));
        assert_eq!(most.get(), expected, "{workers} workers, {pieces} pieces, {chunk_size} together");
    }
}

#[test]
fn a_worker_takes_neighbours_together() {
    let (sandbox, stop) = (Sandbox::new(), StopSource::new());
    let (order, runtime) = (RefCell::new(Vec::new()), sandbox.runtime());
    sandbox.block_on(parallelize_until(&stop.token(), 2, 7, 3, async |piece| {
        order.borrow_mut().push(piece);
        runtime.sleep(millis(1)).await;
    }));
    assert_eq!(*order.borrow(), [0, 3, 1, 4, 2, 5, 6]);
}

#[test]
fn a_stop_lets_begun_pieces_end_and_begins_no_others() {
    let (sandbox, mut stop) = (Sandbox::new(), StopSource::new());
    let (begun, ended) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (token, runtime) = (stop.token(), sandbox.runtime());
    let (seen_begun, seen_ended) = (Rc::clone(&begun), Rc::clone(&ended));
    let _task = sandbox.spawn(async move {
        let work = async |_| {
            begun.set(begun.get() + 1);
            runtime.sleep(millis(10)).await;
            ended.set(ended.get() + 1);
        };
        parallelize_until(&token, 3, 100, 5, work).await;
        begun.set(begun.get() + 1000);
    });
    sandbox.advance(millis(10));
    assert_eq!((seen_begun.get(), seen_ended.get()), (6, 3));
    stop.stop();
    sandbox.advance(millis(100));
    assert_eq!((seen_begun.get(), seen_ended.get()), (1006, 6));
}
