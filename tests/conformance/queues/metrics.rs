use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use watchglass::cache::{DeltaFifo, DeltaFifoOptions, Queue, QueueMetrics, RealFifo, RealFifoOptions};
use watchglass::testing::Sandbox;

use super::Op::{Add, Bookmark, Delete, Replace, Resync, Update};
use super::{Known, run};

#[derive(Default)]
struct Seen {
    queued: RefCell<Vec<usize>>,
    latencies: RefCell<Vec<u128>>,
}

fn metrics(sandbox: &Sandbox) -> (QueueMetrics, Rc<Seen>) {
    let seen = Rc::new(Seen::default());
    let (queued, latencies) = (Rc::clone(&seen), Rc::clone(&seen));
    let metrics = QueueMetrics {
        clock: sandbox.runtime().clock,
        queued_items: Rc::new(move |count| queued.queued.borrow_mut().push(count)),
        processing_latency: Rc::new(move |latency| latencies.latencies.borrow_mut().push(latency.as_millis())),
    };
    (metrics, seen)
}

#[test]
fn each_change_of_the_length_is_told() {
    let sandbox = Sandbox::new();
    let (metrics, seen) = metrics(&sandbox);
    let known = || Known::of(&[("known", 1)]);
    let real = RealFifoOptions { metrics: Some(metrics.clone()), ..RealFifoOptions::default() };
    let delta =
        DeltaFifoOptions { metrics: Some(metrics), known_objects: Some(known()), ..DeltaFifoOptions::default() };
    let queues: [(Rc<dyn Queue>, &[usize]); 3] = [
        (Rc::new(DeltaFifo::new(delta)), &[1, 1, 2, 2, 3, 3, 2, 1, 0]),
        (Rc::new(RealFifo::plain(known(), real.clone())), &[1, 2, 3, 4, 5, 7, 6, 5, 4]),
        (Rc::new(RealFifo::atomic(real)), &[1, 2, 3, 4, 5, 6, 7, 6, 5, 4]),
    ];
    for (queue, expected) in queues {
        run(&*queue, &[Add("a", 1), Update("a", 2), Add("b", 1), Delete("b", 2), Resync]);
        run(&*queue, &[Replace(&[("a", 3)]), Bookmark("9")]);
        (0..3).for_each(|_| drop(queue.pop().now_or_never()));
        assert_eq!(seen.queued.take(), expected, "{}", queue.len());
    }
}

#[test]
fn processing_lasts_from_the_pop_until_what_was_popped_is_dropped() {
    let sandbox = Sandbox::new();
    let (metrics, seen) = metrics(&sandbox);
    let queue = RealFifo::atomic(RealFifoOptions { metrics: Some(metrics), ..RealFifoOptions::default() });
    run(&queue, &[Replace(&[]), Add("a", 1), Add("b", 1), Add("c", 1)]);
    sandbox.advance(Duration::from_secs(9));
    let list = queue.pop().now_or_never().flatten().unwrap();
    sandbox.advance(Duration::from_millis(30));
    drop(list);
    assert!(queue.has_synced());
    let first = queue.pop().now_or_never().flatten().unwrap();
    sandbox.advance(Duration::from_millis(7));
    let batch = queue.pop_batch().now_or_never().flatten().unwrap();
    assert_eq!(batch.deltas.len(), 2);
    drop(first);
    sandbox.advance(Duration::from_millis(5));
    drop(batch);
    assert_eq!(seen.latencies.take(), [30, 7, 5]);
}
