use std::time::Duration;

use watchglass::flow_control::{Backoff, BackoffConfig, BackoffWithReset};
use watchglass::runtime::{Moment, Random, SeededRandom};

use super::{Fixed, millis, secs};

fn steps<const N: usize>(mut backoff: Backoff, random: &dyn Random) -> [Duration; N] {
    [(); N].map(|()| backoff.step(random))
}

/// client-go: `TestBackoff_Step` (apimachinery `util/wait`).
#[test]
fn a_wait_grows_with_each_step_that_is_left() {
    let second = Backoff { duration: secs(1), ..Backoff::default() };
    let growing = Backoff { factor: 2.0, steps: 3, ..second };
    let cases = [
        (Backoff::default(), [0, 0, 0, 0]),
        (second.clone(), [1, 1, 1, 1]),
        (Backoff { steps: 1, ..second.clone() }, [1, 1, 1, 1]),
        (Backoff { factor: 1.0, steps: 1, ..second.clone() }, [1, 1, 1, 1]),
        (Backoff { factor: 2.0, ..second }, [1, 1, 1, 1]),
        (growing.clone(), [1, 2, 4, 8]),
        (Backoff { steps: 2, ..growing.clone() }, [1, 2, 4, 4]),
        (Backoff { cap: Some(secs(3)), ..growing.clone() }, [1, 2, 3, 3]),
        (Backoff { cap: Some(secs(2)), ..growing }, [1, 2, 2, 2]),
    ];
    for (backoff, expected) in cases {
        assert_eq!(steps(backoff.clone(), &Fixed(0.5)), expected.map(secs), "{backoff:?}");
    }
    let half = Backoff { jitter: 0.5, cap: Some(secs(3)), steps: 2, ..growing };
    assert_eq!(steps(half.clone(), &Fixed(0.0)), [1, 2, 3, 3].map(secs));
    assert_eq!(steps(half, &Fixed(0.5)), [1250, 2500, 3750, 3750].map(millis), "jitter does not add up");
    let random = SeededRandom::new(1);
    let wild = Backoff { jitter: 4.0, steps: 6, ..growing };
    for (step, wait) in steps::<6>(wild, &random).into_iter().enumerate() {
        let least = secs(1 << step);
        assert!(wait > least && wait < 5 * least, "{wait:?} in step {step}");
    }
}

#[test]
fn the_cap_is_the_last_change() {
    let mut backoff = Backoff { duration: secs(1), factor: 2.0, steps: 3, cap: Some(secs(2)), ..Backoff::default() };
    backoff.step(&Fixed(0.0));
    assert_eq!((backoff.duration, backoff.steps), (secs(2), 2), "the cap is reached, not exceeded");
    backoff.step(&Fixed(0.0));
    assert_eq!((backoff.duration, backoff.steps), (secs(2), 0));
    let mut endless = Backoff { duration: Duration::MAX, factor: 2.0, jitter: 1.0, steps: 3, cap: None };
    assert_eq!([endless.step(&Fixed(0.9)), endless.step(&Fixed(0.9))], [Duration::MAX; 2]);
}

fn nanos_with_reset(reset_after: u64) -> BackoffWithReset {
    let nanos = Duration::from_nanos;
    let initial = Backoff { duration: nanos(1), factor: 2.0, jitter: 0.0, steps: 10, cap: Some(nanos(10)) };
    BackoffWithReset::new(BackoffConfig { initial, reset_after: nanos(reset_after) }, Moment::default())
}

/// client-go: `TestBackoffDelayWithResetExponential`, `TestBackoffDelayWithResetWithRealClockExponential`
/// (apimachinery `util/wait`).
#[test]
fn waits_grow_to_the_cap_and_start_over_after_their_time() {
    let mut backoff = nanos_with_reset(10);
    let mut step = |at| backoff.step(Moment::after_start(Duration::from_nanos(at)), &Fixed(0.0)).as_nanos();
    assert_eq!([(); 7].map(|()| step(0)), [1, 2, 4, 8, 10, 10, 10]);
    assert_eq!([step(10), step(11), step(21)], [10, 1, 2], "later than the reset time, not at it");
    assert_eq!([step(21), step(22)], [4, 1], "the time counts from the last start");
}

/// client-go: `TestBackoffDelayWithResetEmpty` (apimachinery `util/wait`).
#[test]
fn without_a_reset_time_each_wait_is_a_first_one() {
    let mut backoff = nanos_with_reset(0);
    let mut step = |at| backoff.step(Moment::after_start(Duration::from_nanos(at)), &Fixed(0.0)).as_nanos();
    assert_eq!([0, 0, 0, 11].map(&mut step), [1; 4]);
}

/// client-go: `TestBackoffDelayWithResetJitter`, `TestBackoffDelayWithResetWithRealClockJitter`
/// (apimachinery `util/wait`).
#[test]
fn a_wait_without_a_factor_stays_but_for_its_jitter() {
    for (jitter, expected) in [(1.0, 1500), (0.0, 1000), (-1.0, 1000)] {
        let initial = Backoff { duration: secs(1), jitter, ..Backoff::default() };
        let config = BackoffConfig { initial, reset_after: Duration::ZERO };
        let mut backoff = BackoffWithReset::new(config, Moment::default());
        let waits = [(); 3].map(|()| backoff.step(Moment::default(), &Fixed(0.5)));
        assert_eq!(waits, [millis(expected); 3], "jitter {jitter}");
    }
}

#[test]
fn a_reset_before_its_time_counts_as_the_last_one() {
    let mut backoff = nanos_with_reset(10);
    let at = |nanos| Moment::after_start(Duration::from_nanos(nanos));
    let mut waits = vec![backoff.step(at(0), &Fixed(0.0)), backoff.step(at(0), &Fixed(0.0))];
    backoff.reset(at(8));
    waits.extend([8, 18, 19].map(|now| backoff.step(at(now), &Fixed(0.0))));
    assert_eq!(waits, [1, 2, 1, 2, 1].map(Duration::from_nanos));
}

/// kubernetes/kubernetes#6770: reflectors that lose their server together come back apart.
#[test]
fn a_reflector_s_waits_are_client_go_s() {
    let start = Moment::default();
    let mut backoff = BackoffWithReset::new(BackoffConfig::reflector(), start);
    let mut step = |seconds| backoff.step(start + secs(seconds), &Fixed(0.0)).as_millis();
    assert_eq!([0; 7].map(&mut step), [800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
    assert_eq!((step(120), step(121)), (30_000, 800));
    let mut jittered = BackoffWithReset::new(BackoffConfig::reflector(), start);
    assert_eq!(jittered.step(start, &Fixed(0.5)), millis(1200));
    assert_eq!(BackoffConfig::reflector().initial.steps, 38);
}
