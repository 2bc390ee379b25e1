use std::time::Duration;

use watchglass::cache::{InformerOptions, QueueKind, Registration};

use super::Fixture;
use crate::fake_source::{editing, pod};
use crate::recorder::Recorder;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn every(resync_period: Duration) -> InformerOptions {
    InformerOptions { resync_period, ..InformerOptions::default() }
}

const KINDS: [QueueKind; 3] = [QueueKind::AtomicRealFifo, QueueKind::RealFifo, QueueKind::DeltaFifo];

/// client-go: `TestListenerResyncPeriods`, `TestListenerResyncPeriodsDelayed`.
#[test]
fn each_handler_is_told_of_everything_again_in_its_own_rhythm() {
    for queue in KINDS {
        let it = Fixture::with(&["a", "b"], InformerOptions { queue, ..every(seconds(1)) });
        let recorders = [Recorder::new(), Recorder::new(), Recorder::new()];
        let periods = [0, 2, 3].map(seconds);
        let _registrations: Vec<Registration> =
            recorders.iter().zip(periods).map(|(recorder, period)| it.add_resyncing(recorder, period)).collect();
        it.run();
        let told = || {
            recorders.each_ref().map(|recorder| {
                let mut calls = recorder.calls();
                calls.sort();
                calls.join(", ")
            })
        };
        assert_eq!(told(), ["add a 1 initial, add b 2 initial"; 3]);
        let again = "update a 1 1, update b 2 2";
        for expected in
            [["", "", ""], ["", again, ""], ["", "", again], ["", again, ""], ["", "", ""], ["", again, again]]
        {
            it.sandbox.advance(seconds(1));
            assert_eq!(told(), expected, "{queue:?}");
        }
    }
}

/// client-go: `TestResyncCheckPeriod`. What can be seen of the period at which the informer looks is how often handlers
/// hear.
#[test]
fn the_most_eager_handler_sets_the_rhythm_before_the_start() {
    let it = Fixture::with(&["a"], every(seconds(12 * 3600)));
    let recorders: Vec<_> = (0..4).map(|_| Recorder::new()).collect();
    let periods = [0, 60, 55, 5].map(seconds);
    let _registrations: Vec<Registration> =
        recorders.iter().zip(periods).map(|(recorder, period)| it.add_resyncing(recorder, period)).collect();
    it.run();
    recorders.iter().for_each(|recorder| drop(recorder.calls()));
    it.sandbox.advance(seconds(330));
    let counts: Vec<_> = recorders.iter().map(|recorder| recorder.calls().len()).collect();
    assert_eq!(counts, [0, 5, 6, 66]);
}

/// client-go: `AddEventHandlerWithResyncPeriod` after the start, and `minimumResyncPeriod`.
#[test]
fn a_late_handler_takes_the_rhythm_that_there_is_and_none_is_faster_than_a_second() {
    let it = Fixture::with(&["a"], every(seconds(10)));
    it.run();
    let (eager, lazy, off) = (Recorder::new(), Recorder::new(), Recorder::new());
    let _registrations = (
        it.add_resyncing(&eager, seconds(2)),
        it.add_resyncing(&lazy, seconds(15)),
        it.add_resyncing(&off, seconds(0)),
    );
    it.sandbox.run_until_idle();
    [&eager, &lazy, &off].iter().for_each(|recorder| drop(recorder.calls()));
    it.sandbox.advance(seconds(60));
    let counts = [&eager, &lazy, &off].map(|recorder| recorder.calls().len());
    assert_eq!(counts, [6, 3, 0], "a wish of 15 s is heard each 20 s");

    let it = Fixture::with(&["a"], every(seconds(10)));
    let hasty = Recorder::new();
    let _registration = it.add_resyncing(&hasty, Duration::from_millis(1));
    it.run();
    hasty.calls();
    it.sandbox.advance(seconds(3));
    assert_eq!(hasty.calls().len(), 3);
}

#[test]
fn an_informer_without_a_resync_lets_no_handler_have_one() {
    let it = Fixture::new(&["a"]);
    let (wishing, default) = (Recorder::new(), Recorder::new());
    let _registrations = (it.add_resyncing(&wishing, seconds(5)), it.add(&default));
    it.run();
    [&wishing, &default].iter().for_each(|recorder| drop(recorder.calls()));
    it.sandbox.advance(seconds(60));
    assert_eq!([&wishing, &default].map(|recorder| recorder.calls().len()), [0, 0]);
}

/// client-go: `TestSharedInformerWatchDisruption`; kubernetes/kubernetes PR #86015, PR #87957: after a gap, what has
/// changed reaches everyone and what has not reaches those who resync.
#[test]
fn a_list_that_repeats_what_is_known_is_told_to_those_who_resync() {
    for queue in KINDS {
        let it = Fixture::with(&["a", "b"], InformerOptions { queue, ..every(seconds(1)) });
        let (plain, resyncing) = (Recorder::new(), Recorder::new());
        let _registrations = (it.add_resyncing(&plain, seconds(0)), it.add_resyncing(&resyncing, seconds(1)));
        it.run();
        // The first tick takes the plain one out of the resync.
        it.sandbox.advance(seconds(1));
        [&plain, &resyncing].iter().for_each(|recorder| drop(recorder.calls()));
        it.relist_after(|source| {
            source.put_unseen(pod("c"));
            source.put_unseen(pod("b"));
        });
        let mut plain = plain.calls();
        plain.sort();
        assert_eq!(plain, ["add c 3", "update b 2 4"], "{queue:?}");
        let resyncing = resyncing.calls();
        for told in ["add c 3", "update b 2 4", "update a 1 1"] {
            assert!(resyncing.iter().any(|call| call == told), "{queue:?}: {told} in {resyncing:?}");
        }
    }
}

/// falcosecurity/k8s-metacollector#186, #188: a transformation that takes the resourceVersion away made every update
/// look like a repetition, and all of them vanished.
#[test]
fn an_update_without_a_version_is_told_to_everyone() {
    let options = InformerOptions {
        transform: Some(editing(|object| {
            object.metadata.resource_version.clear();
            Ok(())
        })),
        ..every(seconds(1))
    };
    let it = Fixture::with(&["a"], options);
    let recorder = Recorder::new();
    let _registrations = (it.add_resyncing(&recorder, seconds(0)), it.add_resyncing(&Recorder::new(), seconds(1)));
    it.run();
    it.sandbox.advance(Duration::from_millis(1500));
    recorder.calls();
    it.source.put(pod("a"));
    it.sandbox.run_until_idle();
    assert_eq!(recorder.calls(), ["update a  "]);
}
