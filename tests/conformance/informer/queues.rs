use watchglass::cache::{InformerOptions, QueueKind};

use super::Fixture;
use crate::fake_source::pod;
use crate::recorder::{Recorder, store};

/// client-go: the gates `InOrderInformers` and `AtomicFIFO`: events of different objects stay in the order in which the
/// server sent them, but for the queue that keeps each object's together.
#[test]
fn the_queue_decides_how_events_of_different_objects_are_ordered() {
    let in_order = ["add a 1", "add b 2", "update a 1 3", "delete b 4"];
    let by_object = ["add a 1", "update a 1 3", "add b 2", "delete b 4"];
    for (queue, expected) in
        [(QueueKind::AtomicRealFifo, in_order), (QueueKind::RealFifo, in_order), (QueueKind::DeltaFifo, by_object)]
    {
        let it = Fixture::with(&[], InformerOptions { queue, ..InformerOptions::default() });
        let recorder = Recorder::new();
        let _registration = it.add(&recorder);
        it.run();
        it.source.put(pod("a"));
        it.source.put(pod("b"));
        it.source.put(pod("a"));
        it.source.delete("b");
        it.sandbox.run_until_idle();
        let mut calls = recorder.calls();
        if queue == QueueKind::DeltaFifo {
            // How much of it is queued when the first is popped is the executor's choice.
            calls.sort_by_key(|call| call.split(' ').nth(1).map(str::to_owned));
        }
        assert_eq!(calls, expected, "{queue:?}");
        assert_eq!(store(&it.informer), ["a 3"]);
    }
}

#[test]
fn the_default_queue_is_the_atomic_one() {
    assert_eq!(QueueKind::default(), QueueKind::AtomicRealFifo);
    assert_eq!(InformerOptions::default().queue, QueueKind::AtomicRealFifo);
}
