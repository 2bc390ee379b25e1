//! Whatever happens to a queue, its consumer ends with what the server has.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures::FutureExt as _;
use proptest::prelude::*;
use watchglass::cache::{
    DeltaFifo, DeltaFifoOptions, Fifo, KnownObjects, Popped, Queue, RealFifo, RealFifoOptions, ReflectorStore,
    Store as _, meta_namespace_key_func,
};

use super::{Known, object};
use crate::properties::config;

const BATCH_SIZE: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    Add(u8),
    Update(u8),
    Delete(u8),
    Replace(BTreeSet<u8>),
    Resync,
    Bookmark,
    Pop,
    PopBatch,
    Drain,
}

fn step() -> impl Strategy<Value = Step> {
    let name = 0..5_u8;
    prop_oneof![
        3 => name.clone().prop_map(Step::Add),
        3 => name.clone().prop_map(Step::Update),
        3 => name.clone().prop_map(Step::Delete),
        1 => proptest::collection::btree_set(name, 0..5).prop_map(Step::Replace),
        1 => Just(Step::Resync),
        1 => Just(Step::Bookmark),
        2 => Just(Step::Pop),
        1 => Just(Step::PopBatch),
        1 => Just(Step::Drain),
    ]
}

type Reference = BTreeMap<String, String>;

fn name(of: u8) -> String {
    format!("pod-{of}")
}

/// Does the step to the queue, with objects of that version, and to what the consumer must end with.
fn write(queue: &dyn ReflectorStore, reference: &mut Reference, step: &Step, version: u32) {
    match step {
        Step::Add(of) | Step::Update(of) => {
            reference.insert(name(*of), version.to_string());
            let object = object(&name(*of), version);
            if matches!(step, Step::Add(_)) { queue.add(object) } else { queue.update(object) }
        }
        Step::Delete(of) => {
            reference.remove(&name(*of));
            queue.delete(object(&name(*of), version).into())
        }
        Step::Replace(names) => {
            *reference = names.iter().map(|of| (name(*of), version.to_string())).collect();
            let list = names.iter().map(|of| object(&name(*of), version)).collect();
            queue.replace(list, &version.to_string())
        }
        Step::Resync => queue.resync(),
        Step::Bookmark => {
            queue.bookmark(&version.to_string());
            Ok(())
        }
        Step::Pop | Step::PopBatch | Step::Drain => Ok(()),
    }
    .expect("all objects have keys");
}

fn consume(known: &Known, popped: Option<Popped>) -> bool {
    let Some(popped) = popped else { return false };
    popped.deltas.into_iter().for_each(|delta| known.apply(delta));
    true
}

fn check_batch(batch: &Popped) {
    let keys: BTreeSet<_> = batch.deltas.iter().map(|delta| &delta.key).collect();
    assert_eq!(keys.len(), batch.deltas.len(), "{batch:?}");
    assert!((1..=BATCH_SIZE).contains(&keys.len()), "{batch:?}");
}

fn check(queue: &dyn Queue, known: &Known, steps: &[Step], batches_of_one_key: bool) {
    let mut reference = Reference::new();
    let drain = |reference: &Reference| {
        while consume(known, queue.pop_batch().now_or_never().flatten()) {}
        assert_eq!(known.content().into_iter().collect::<Reference>(), *reference);
        assert!(queue.is_empty());
    };
    for (step, version) in steps.iter().zip(1..) {
        write(queue, &mut reference, step, version);
        match step {
            Step::Pop => drop(consume(known, queue.pop().now_or_never().flatten())),
            Step::PopBatch => {
                let batch = queue.pop_batch().now_or_never().flatten();
                batch.iter().filter(|_| !batches_of_one_key).for_each(check_batch);
                consume(known, batch);
            }
            Step::Drain => drain(&reference),
            _ => {}
        }
    }
    drain(&reference);
    let written = |step: &Step| matches!(step, Step::Add(_) | Step::Update(_) | Step::Delete(_) | Step::Replace(_));
    assert_eq!(queue.has_synced(), steps.iter().any(written));
}

proptest! {
    #![proptest_config(config("tests/conformance/proptest-regressions/queues.txt"))]

    #[test]
    fn a_consumer_of_any_queue_ends_with_what_its_producer_said(steps in proptest::collection::vec(step(), 0..40)) {
        let known = || Rc::new(Known::default());
        let real = RealFifoOptions { batch_size: BATCH_SIZE, ..RealFifoOptions::default() };

        let store = known();
        for emit_delta_type_replaced in [false, true] {
            let known_objects = Some(Rc::clone(&store) as Rc<dyn KnownObjects>);
            let options = DeltaFifoOptions { known_objects, emit_delta_type_replaced, ..DeltaFifoOptions::default() };
            check(&DeltaFifo::new(options), &store, &steps, true);
            store.0.take();
        }
        let store = known();
        check(&RealFifo::plain(Rc::clone(&store) as Rc<dyn KnownObjects>, real.clone()), &store, &steps, false);
        check(&RealFifo::atomic(real), &known(), &steps, false);
    }

    /// What was popped and what waits are together what its producer said, but for what was deleted or not in a
    /// list after it was popped, which a Fifo does not tell.
    #[test]
    fn a_fifo_holds_the_newest_state_of_what_was_not_popped(steps in proptest::collection::vec(step(), 0..40)) {
        let fifo = Fifo::new(meta_namespace_key_func());
        let mut waiting = Reference::new();
        for (step, version) in steps.iter().zip(1..) {
            write(&fifo, &mut waiting, step, version);
            if matches!(step, Step::Pop) {
                let item = fifo.pop().now_or_never().flatten();
                let popped = item.as_ref().map(|item| (item.key.clone(), item.object.resource_version().to_owned()));
                prop_assert_eq!(popped.is_some(), !waiting.is_empty());
                if let Some((key, version)) = popped {
                    prop_assert_eq!(waiting.remove(&key), Some(version));
                }
            }
            let held = fifo.list().into_iter().map(|object| (object.name().to_owned(), object.resource_version().to_owned()));
            prop_assert_eq!(&held.collect::<Reference>(), &waiting);
            prop_assert_eq!(fifo.len(), waiting.len());
        }
    }
}
