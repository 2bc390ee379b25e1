use std::time::Duration;

use futures::FutureExt as _;
use watchglass::cache::{DeltaFifo, DeltaFifoOptions, Queue as InformerQueue, RealFifo, RealFifoOptions};
use watchglass::testing::Sandbox;
use watchglass::workqueue::{AddOptions, DelayingQueue, LOW_PRIORITY, PriorityQueue, Queue};

use crate::budget::{Cost, cost_of_each, hold};
use crate::{EVENTS, keys, pods, updates};

#[test]
fn a_key_goes_through_a_work_queue_among_few_and_many() {
    hold("work-queue-add-get-done", |size| {
        let queue = Queue::new();
        keys(size).into_iter().for_each(|key| queue.add(key));
        cost_of_each(EVENTS, || {
            for _ in 0..EVENTS {
                let key = queue.get().now_or_never().flatten().expect("something waits");
                queue.done(&key);
                queue.add(key);
            }
        })
    });
}

#[test]
fn a_key_that_waits_already_is_added_for_nothing() {
    hold("work-queue-add-again", |size| {
        let (queue, keys) = (Queue::new(), keys(size));
        keys.iter().for_each(|key| queue.add(key.clone()));
        let again = keys[..EVENTS].to_vec();
        cost_of_each(EVENTS, || again.into_iter().for_each(|key| queue.add(key)))
    });
}

#[test]
fn a_burst_of_keys_leaves_nothing_behind() {
    hold("work-queue-burst", |size| {
        let keys = keys(size);
        cost_of_each(size, || {
            let queue = Queue::new();
            keys.into_iter().for_each(|key| queue.add(key));
            let taken: Vec<_> = std::iter::from_fn(|| queue.try_get()).collect();
            taken.iter().for_each(|key| queue.done(key));
            queue
        })
    });
}

#[test]
fn a_key_waits_for_its_time_among_few_and_many() {
    hold("delaying-queue-add-after-get-done", |size| {
        const SECOND: Duration = Duration::from_secs(1);
        let sandbox = Sandbox::new();
        let queue = DelayingQueue::new(&sandbox.runtime());
        keys(size).into_iter().zip(1..).for_each(|(key, place)| queue.add_after(key, SECOND * place));
        sandbox.run_until_idle();
        let end = SECOND * u32::try_from(size).expect("it is small");
        cost_of_each(EVENTS, || {
            for _ in 0..EVENTS {
                sandbox.advance(SECOND);
                let key = queue.try_get().expect("its time has come");
                queue.done(&key);
                queue.add_after(key, end);
            }
        })
    });
}

#[test]
fn a_key_goes_through_a_priority_queue_among_few_and_many() {
    hold("priority-queue-add-get-done", |size| {
        let sandbox = Sandbox::new();
        let queue = PriorityQueue::new(&sandbox.runtime());
        let low = AddOptions { priority: LOW_PRIORITY, ..AddOptions::default() };
        queue.add_with_options(low, keys(size));
        cost_of_each(EVENTS, || {
            for _ in 0..EVENTS {
                let key = queue.get().now_or_never().flatten().expect("something is ready");
                queue.done(&key);
                queue.add_with_options(low, [key]);
            }
        })
    });
    hold("priority-queue-add-again", |size| {
        let sandbox = Sandbox::new();
        let (queue, keys) = (PriorityQueue::new(&sandbox.runtime()), keys(size));
        queue.add_with_options(AddOptions::default(), keys.iter().cloned());
        let again = keys[..EVENTS].to_vec();
        cost_of_each(EVENTS, || again.into_iter().for_each(|key| queue.add(key)))
    });
}

/// Events come and go while a queue holds so many others.
fn update_and_pop(queue: &dyn InformerQueue, size: usize) -> Cost {
    let pods = pods(size);
    pods.iter().for_each(|pod| queue.add(pod.clone()).expect("it has a key"));
    let updates = updates(&pods[..EVENTS], EVENTS);
    cost_of_each(EVENTS, || {
        for pod in updates {
            drop(queue.pop().now_or_never().expect("something is queued"));
            queue.update(pod).expect("it has a key");
        }
    })
}

#[test]
fn an_event_goes_through_an_informer_s_queue_among_few_and_many() {
    hold("real-fifo-update-pop", |size| update_and_pop(&RealFifo::atomic(RealFifoOptions::default()), size));
    hold("delta-fifo-update-pop", |size| update_and_pop(&DeltaFifo::new(DeltaFifoOptions::default()), size));
}
