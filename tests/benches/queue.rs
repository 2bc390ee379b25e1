use std::time::Duration;

use divan::Bencher;
use divan::counter::ItemsCount;
use futures::FutureExt as _;
use watchglass::api::Object;
use watchglass::cache::{
    DeltaFifo, DeltaFifoOptions, Indexer, Indexers, Queue as _, RealFifo, RealFifoOptions, ReflectorStore,
};
use watchglass::testing::Sandbox;
use watchglass::workqueue::{DelayingQueue, PriorityQueue, Queue};

use crate::{SIZES, changed, pods};

fn keys(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("team-{:02}/web-7d9c6b8f5c-{number:05}", number % 40)).collect()
}

/// The oldest out of a queue that holds so many, and an update of it in.
fn update_and_pop(bencher: Bencher<'_, '_>, queue: &dyn watchglass::cache::Queue, pods: &[Object]) {
    let store: &dyn ReflectorStore = queue;
    pods.iter().for_each(|pod| store.add(pod.clone()).expect("it has a key"));
    let (mut next, mut version) = (pods.iter().cycle(), pods.len());
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| {
            version += 1;
            changed(next.next().expect("it goes round"), version)
        })
        .bench_local_values(|pod| {
            let popped = queue.pop().now_or_never();
            store.update(pod).expect("it has a key");
            popped
        });
}

#[divan::bench(args = SIZES)]
fn real_fifo(bencher: Bencher<'_, '_>, count: usize) {
    update_and_pop(bencher, &RealFifo::atomic(RealFifoOptions::default()), &pods(count));
}

#[divan::bench(args = SIZES)]
fn delta_fifo(bencher: Bencher<'_, '_>, count: usize) {
    let options = DeltaFifoOptions { known_objects: None, ..DeltaFifoOptions::default() };
    update_and_pop(bencher, &DeltaFifo::new(options), &pods(count));
}

/// A whole list in and out.
#[divan::bench(args = SIZES, sample_count = 5)]
fn real_fifo_replace(bencher: Bencher<'_, '_>, count: usize) {
    let (pods, queue) = (pods(count), RealFifo::atomic(RealFifoOptions::default()));
    bencher.counter(ItemsCount::new(count)).with_inputs(|| pods.clone()).bench_local_values(|list| {
        queue.replace(list, "1").expect("they have keys");
        queue.pop().now_or_never().flatten()
    });
}

/// A whole list in and out, one object after the other, against a store that holds it.
#[divan::bench(args = SIZES, sample_count = 5)]
fn delta_fifo_replace(bencher: Bencher<'_, '_>, count: usize) {
    let (pods, indexer) = (pods(count), std::rc::Rc::new(Indexer::new(Indexers::default())));
    indexer.replace(pods.iter().cloned(), "1").expect("they have keys");
    let queue = DeltaFifo::new(DeltaFifoOptions { known_objects: Some(indexer), ..DeltaFifoOptions::default() });
    bencher.counter(ItemsCount::new(count)).with_inputs(|| pods.clone()).bench_local_values(|list| {
        queue.replace(list, "1").expect("they have keys");
        (0..count).for_each(|_| drop(queue.pop().now_or_never()));
    });
}

#[divan::bench(args = SIZES)]
fn work_queue(bencher: Bencher<'_, '_>, waiting: usize) {
    let queue = Queue::new();
    keys(waiting).into_iter().for_each(|key| queue.add(key));
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let key = queue.try_get().expect("something waits");
        queue.done(&key);
        queue.add(key);
    });
}

/// A key that waits already: most adds in a burst.
#[divan::bench(args = SIZES)]
fn work_queue_add_again(bencher: Bencher<'_, '_>, waiting: usize) {
    let (queue, keys) = (Queue::new(), keys(waiting));
    keys.iter().for_each(|key| queue.add(key.clone()));
    let mut next = keys.iter().step_by(7).cycle();
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| next.next().expect("it goes round").clone())
        .bench_local_values(|key| queue.add(key));
}

#[divan::bench(args = SIZES)]
fn delaying_queue(bencher: Bencher<'_, '_>, waiting: usize) {
    let sandbox = Sandbox::new();
    let queue = DelayingQueue::new(&sandbox.runtime());
    let second = Duration::from_secs(1);
    // One comes each second, and goes to the end again.
    keys(waiting).into_iter().zip(1..).for_each(|(key, place)| queue.add_after(key, second * place));
    sandbox.run_until_idle();
    let end = second * u32::try_from(waiting).expect("it is small");
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        sandbox.advance(second);
        let key = queue.try_get().expect("its time has come");
        queue.done(&key);
        queue.add_after(key, end);
    });
}

#[divan::bench(args = SIZES)]
fn priority_queue(bencher: Bencher<'_, '_>, waiting: usize) {
    let sandbox = Sandbox::new();
    let queue = PriorityQueue::new(&sandbox.runtime());
    keys(waiting).into_iter().for_each(|key| queue.add(key));
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let (key, _) = queue.try_get().expect("something is ready");
        queue.done(&key);
        queue.add(key);
    });
}
