use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use watchglass::api::{Error, Status};
use watchglass::flow_control::{
    Backoff, BackoffConfig, BackoffWithReset, DEFAULT_BACKOFF, DEFAULT_RETRY, FakeAlways, FakeNever, ItemBackoff,
    RateLimiter, TokenBucket, WaitError, on_error, retry_on_conflict,
};
use watchglass::runtime::{Moment, Random, Runtime, SeededRandom, Task};
use watchglass::testing::Sandbox;

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The same chance each time.
struct Fixed(f64);

impl Random for Fixed {
    fn unit(&self) -> f64 {
        self.0
    }
}

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

fn item_backoff(sandbox: &Sandbox, initial: u64, max: u64) -> ItemBackoff<&'static str> {
    ItemBackoff::new(&sandbox.runtime(), secs(initial), secs(max))
}

/// Goes on to the next wait once a second, so often.
fn fail(sandbox: &Sandbox, backoff: &mut ItemBackoff<&'static str>, times: usize) {
    for _ in 0..times {
        sandbox.advance(secs(1));
        backoff.next(&"id", sandbox.runtime().now());
    }
}

/// client-go: `TestSlowBackoff`.
#[test]
fn an_item_s_wait_doubles_up_to_the_longest_until_its_reset() {
    let sandbox = Sandbox::new();
    let mut backoff = item_backoff(&sandbox, 1, 50);
    for expected in [0, 1, 2, 4, 8, 16, 32, 50, 50, 50] {
        assert_eq!((backoff.get(&"id"), backoff.get(&"other")), (secs(expected), Duration::ZERO));
        fail(&sandbox, &mut backoff, 1);
    }
    assert_eq!((backoff.len(), backoff.is_empty()), (1, false));
    backoff.reset(&"id");
    assert_eq!((backoff.get(&"id"), backoff.len(), backoff.is_empty()), (Duration::ZERO, 0, true));
}

/// client-go: `TestBackoffReset`.
#[test]
fn a_wait_is_over_after_twice_the_longest() {
    let sandbox = Sandbox::new();
    let now = || sandbox.runtime().now();
    let mut backoff = item_backoff(&sandbox, 1, 5);
    assert!(!backoff.is_in_backoff_since(&"id", now()));
    fail(&sandbox, &mut backoff, 6);
    let last_update = now();
    assert!(backoff.is_in_backoff_since(&"id", last_update));
    sandbox.advance(millis(4999));
    assert!(backoff.is_in_backoff_since(&"id", last_update));
    sandbox.advance(millis(1));
    assert!(!backoff.is_in_backoff_since(&"id", last_update), "five seconds have passed");
    sandbox.advance(secs(6));
    assert!(!backoff.is_in_backoff_since(&"id", last_update));
    assert!(!backoff.is_in_backoff_since(&"id", now()), "the entry is too old");
    backoff.next(&"id", now());
    assert_eq!(backoff.get(&"id"), secs(1));
}

/// client-go: `TestBackoffHighWaterMark`.
#[test]
fn a_wait_is_kept_for_twice_the_longest() {
    for (pause, expected) in [(6, 5), (10, 5), (11, 1)] {
        let sandbox = Sandbox::new();
        let mut backoff = item_backoff(&sandbox, 1, 5);
        fail(&sandbox, &mut backoff, 6);
        sandbox.advance(secs(pause));
        backoff.next(&"id", sandbox.runtime().now());
        assert_eq!(backoff.get(&"id"), secs(expected), "after {pause} s");
    }
}

/// client-go: `TestBackoffGC`, `TestAlternateBackoffGC`.
#[test]
fn garbage_is_what_has_expired() {
    let mut cases = vec![
        (5, None, vec![(6, true), (4, true), (1, false)]),
        (50, None, vec![(5, true), (96, false)]),
        (50, Some(200), vec![(101, true), (98, true), (1, false)]),
    ];
    for (max, expires_after, ages) in cases.drain(..) {
        let sandbox = Sandbox::new();
        let mut backoff = item_backoff(&sandbox, 1, max);
        if let Some(after) = expires_after {
            backoff = backoff.with_has_expired(move |event, last_update, longest| {
                assert_eq!(longest, secs(max));
                event.since(last_update) >= secs(after)
            });
        }
        backoff.next(&"id", sandbox.runtime().now());
        for (pause, kept) in ages {
            sandbox.advance(secs(pause));
            backoff.collect_garbage();
            assert_eq!(backoff.len(), usize::from(kept), "{max} {expires_after:?} {pause}");
        }
    }
}

/// client-go: `TestIsInBackOffSinceUpdate`.
#[test]
fn a_thing_is_in_backoff_as_long_as_its_wait_since_its_update() {
    let sandbox = Sandbox::new();
    let mut backoff = item_backoff(&sandbox, 1, 10);
    let mut waits = Vec::new();
    for tick in (0..=35).chain([56, 57]) {
        let now = Moment::after_start(secs(tick));
        sandbox.clock().advance_to(now);
        if !backoff.is_in_backoff_since_update(&"id", now) {
            waits.push((tick, backoff.get(&"id").as_secs()));
            backoff.next(&"id", now);
        }
    }
    assert_eq!(waits, [(0, 0), (1, 1), (3, 2), (7, 4), (15, 8), (25, 10), (35, 10), (56, 10), (57, 1)]);
}

/// client-go: `TestBackoffWithJitter`.
#[test]
fn jitter_is_a_part_of_the_wait_before() {
    for seed in 0..10 {
        let sandbox = Sandbox::with_seed(seed);
        let mut backoff = ItemBackoff::new(&sandbox.runtime(), millis(100), secs(60)).with_jitter(0.1);
        assert_eq!(backoff.get(&"id"), Duration::ZERO);
        let (mut before, mut factor) = (millis(100), 1);
        for _ in 0..11 {
            sandbox.advance(millis(100));
            backoff.next(&"id", sandbox.runtime().now());
            let (wait, least) = (backoff.get(&"id"), before * factor);
            let range = least..=least + before.mul_f64(0.1);
            assert!((range.contains(&wait) && wait != least) || wait == secs(60), "{wait:?} after {before:?}");
            (before, factor) = (wait, 2);
        }
        assert_eq!(before, secs(60));
    }
}

/// The first wait is not cut at the longest.
#[test]
fn a_first_wait_may_be_longer_than_the_longest() {
    let sandbox = Sandbox::new();
    let mut backoff = item_backoff(&sandbox, 9, 5);
    let now = sandbox.runtime().now();
    backoff.next(&"id", now);
    assert_eq!(backoff.get(&"id"), secs(9));
    backoff.next(&"id", now);
    assert_eq!(backoff.get(&"id"), secs(5));
}

/// client-go: `TestAlternateHasExpiredFunc`.
#[test]
fn another_rule_may_say_when_a_wait_starts_over() {
    for (expires_after, expired_after) in [(None, 101), (Some(8), 9)] {
        let sandbox = Sandbox::new();
        let mut backoff = item_backoff(&sandbox, 1, 50);
        if let Some(after) = expires_after {
            backoff = backoff.with_has_expired(move |event, last_update, _| event.since(last_update) >= secs(after));
        }
        let mut next = |pause| {
            sandbox.advance(secs(pause));
            backoff.next(&"id", sandbox.runtime().now());
            backoff.get(&"id")
        };
        assert_eq!([next(0), next(5), next(expired_after)], [1, 2, 1].map(secs));
    }
}

fn bucket(sandbox: &Sandbox, qps: f64, burst: u32) -> TokenBucket {
    TokenBucket::new(&sandbox.runtime(), qps, burst)
}

/// How long it takes to be served so often.
fn time_for(sandbox: &Sandbox, limiter: &dyn RateLimiter, times: usize) -> Duration {
    let start = sandbox.runtime().now();
    (0..times).for_each(|_| sandbox.block_on(limiter.accept()));
    sandbox.runtime().now().since(start)
}

/// client-go: `TestMultithreadedThrottling`.
#[test]
fn many_callers_get_no_more_than_one() {
    let sandbox = Sandbox::new();
    let (limiter, taken) = (bucket(&sandbox, 100.0, 1), Rc::new(Cell::new(0)));
    assert_eq!(time_for(&sandbox, &limiter, 1), Duration::ZERO);
    let hammer = |_| {
        let (limiter, taken) = (limiter.clone(), Rc::clone(&taken));
        sandbox.spawn(async move {
            loop {
                limiter.accept().await;
                taken.set(taken.get() + 1);
            }
        })
    };
    let _tasks: Vec<Task> = (0..10).map(hammer).collect();
    sandbox.advance(millis(995));
    assert_eq!(taken.get(), 99);
    sandbox.advance(millis(5));
    assert_eq!(taken.get(), 100);
}

/// client-go: `TestBasicThrottle`, `TestIncrementThrottle`.
#[test]
fn a_bucket_gives_what_it_holds_and_fills_again() {
    let sandbox = Sandbox::new();
    let limiter = bucket(&sandbox, 1.0, 3);
    assert_eq!([(); 4].map(|()| limiter.try_accept()), [true, true, true, false]);
    sandbox.advance(millis(999));
    assert!(!limiter.try_accept());
    sandbox.advance(millis(1));
    assert_eq!([(); 2].map(|()| limiter.try_accept()), [true, false]);
    sandbox.advance(secs(60));
    assert_eq!([(); 4].map(|()| limiter.try_accept()), [true, true, true, false]);
    assert_eq!(limiter.qps(), 1.0);
}

/// client-go: `TestThrottle`.
#[test]
fn those_who_wait_are_served_at_the_rate() {
    let sandbox = Sandbox::new();
    assert_eq!(time_for(&sandbox, &bucket(&sandbox, 10.0, 5), 16), millis(1100));
}

/// client-go: `TestAlwaysFake`.
#[test]
fn the_fake_that_always_accepts_does() {
    assert!(FakeAlways.try_accept());
    assert!(FakeAlways.accept().now_or_never().is_some());
    assert_eq!(FakeAlways.wait(Some(Moment::default())).now_or_never(), Some(Ok(())));
    FakeAlways.stop();
    assert_eq!(FakeAlways.qps(), 1.0);
}

/// client-go: `TestNeverFake`.
#[test]
fn the_fake_that_never_accepts_lets_go_when_it_is_stopped() {
    let (sandbox, limiter, finished) = (Sandbox::new(), FakeNever::default(), Rc::new(Cell::new(false)));
    assert!(!limiter.try_accept());
    assert_eq!(limiter.wait(None).now_or_never(), Some(Err(WaitError::Never)));
    let (accept, seen) = (limiter.accept(), Rc::clone(&finished));
    let _task = sandbox.spawn(async move {
        accept.await;
        seen.set(true);
    });
    sandbox.advance(secs(1));
    assert!(!finished.get());
    limiter.stop();
    sandbox.run_until_idle();
    assert!(finished.get());
    assert!(limiter.accept().now_or_never().is_some() && !limiter.try_accept());
    assert_eq!(limiter.qps(), 1.0);
}

/// client-go: `TestWait`.
#[test]
fn nobody_waits_for_a_token_that_comes_too_late() {
    let sandbox = Sandbox::new();
    let limiter = bucket(&sandbox, 0.0001, 1);
    let in_a_second = Some(sandbox.runtime().now() + secs(1));
    assert_eq!(limiter.wait(in_a_second).now_or_never(), Some(Ok(())));
    let too_late = WaitError::Deadline { after: secs(10_000) };
    assert_eq!(limiter.wait(in_a_second).now_or_never(), Some(Err(too_late)));
    let in_time = Some(sandbox.runtime().now() + secs(10_000));
    let start = sandbox.runtime().now();
    assert_eq!(sandbox.block_on(limiter.wait(in_time)), Ok(()), "what failed has booked nothing");
    assert_eq!(sandbox.runtime().now().since(start), secs(10_000));
    assert_eq!(sandbox.block_on(limiter.wait(None)), Ok(()));
    assert_eq!(sandbox.runtime().now().since(start), secs(20_000));
}

/// client-go: `TestRatePrecisionBug`.
#[test]
fn a_rate_that_does_not_fit_into_binary_still_fills_the_bucket() {
    let sandbox = Sandbox::new();
    let qps = f64::from(1e9_f32 / 1_031_425_000_f32);
    let limiter = bucket(&sandbox, qps, 1);
    for step in 0..60 {
        assert!(limiter.try_accept(), "step {step}");
        sandbox.advance(secs(2));
    }
}

#[test]
fn a_bucket_may_let_nothing_or_everything_pass() {
    let sandbox = Sandbox::new();
    let closed = bucket(&sandbox, 10.0, 0);
    assert!(!closed.try_accept() && closed.reserve().is_none());
    assert_eq!(closed.wait(None).now_or_never(), Some(Err(WaitError::Never)));
    assert!(closed.accept().now_or_never().is_none());
    let open = bucket(&sandbox, f64::INFINITY, 0);
    assert!((0..1000).all(|_| open.try_accept()));
    open.reserve().unwrap().cancel();
    assert_eq!(time_for(&sandbox, &open, 10), Duration::ZERO);
    let only_at_first = bucket(&sandbox, 0.0, 2);
    assert_eq!([(); 3].map(|()| only_at_first.try_accept()), [true, true, false]);
    assert!(only_at_first.reserve().is_none());
    sandbox.advance(secs(1000));
    assert!(!only_at_first.try_accept());
}

#[test]
fn a_reservation_that_is_cancelled_gives_its_token_back() {
    let sandbox = Sandbox::new();
    let limiter = bucket(&sandbox, 1.0, 1);
    let delays = |reserved: &[&watchglass::flow_control::Reservation]| -> Vec<_> {
        reserved.iter().map(|it| it.delay().as_secs()).collect()
    };
    limiter.reserve().unwrap().cancel();
    let [first, second, third] = [(); 3].map(|()| limiter.reserve().unwrap());
    assert_eq!(delays(&[&first, &second, &third]), [0, 1, 2]);
    third.cancel();
    second.cancel();
    let [second, third] = [(); 2].map(|()| limiter.reserve().unwrap());
    assert_eq!(delays(&[&second, &third]), [1, 2], "their places were free again");
    second.cancel();
    let fourth = limiter.reserve().unwrap();
    assert_eq!(fourth.delay(), secs(3), "others have booked after it, and keep their places");
    sandbox.advance(secs(2));
    assert_eq!(delays(&[&third, &fourth]), [0, 1]);
    first.cancel();
    assert_eq!(limiter.reserve().unwrap().delay(), secs(2), "what has come cannot be given back");
}

/// Some hosts' clocks have no moments that are centuries away.
#[test]
fn a_long_wait_is_waited_in_parts() {
    let sandbox = Sandbox::new();
    let limiter = bucket(&sandbox, 1e-6, 1);
    assert!(limiter.try_accept());
    let mut accept = limiter.accept();
    for _ in 0..11 {
        assert!((&mut accept).now_or_never().is_none());
        let day = sandbox.runtime().now() + secs(86_400);
        assert_eq!(sandbox.clock().next_deadline(), Some(day));
        sandbox.clock().advance_to(day);
    }
    assert!((&mut accept).now_or_never().is_none());
    sandbox.clock().advance_to(Moment::after_start(secs(1_000_000)));
    assert!(accept.now_or_never().is_some());
    assert!(bucket(&sandbox, 1e-12, 1).reserve().is_some_and(|first| first.delay().is_zero()));
    let slow = bucket(&sandbox, 1e-12, 1);
    assert!(slow.try_accept() && slow.reserve().is_none(), "in thirty thousand years");
}

#[test]
fn to_drop_a_wait_is_to_give_its_token_back() {
    let sandbox = Sandbox::new();
    let limiter = bucket(&sandbox, 1.0, 1);
    assert!(limiter.try_accept());
    let (unpolled, mut polled) = (limiter.accept(), limiter.accept());
    assert!((&mut polled).now_or_never().is_none());
    drop(polled);
    drop(unpolled);
    let waiting = limiter.wait(None);
    drop(waiting);
    assert_eq!(time_for(&sandbox, &limiter, 1), secs(1));
    assert_eq!(time_for(&sandbox, &limiter, 1), secs(1), "what was taken stays taken");
}

fn conflict(text: &str) -> Error {
    Error::from(Status::failure(409, text))
}

/// Three tries without a pause.
fn three() -> Backoff {
    Backoff { factor: 1.0, steps: 3, ..Backoff::default() }
}

/// The result of tries that come out as scripted, the last one again and again, and how many there were.
fn retry(
    runtime: &Runtime,
    sandbox: &Sandbox,
    backoff: Backoff,
    script: &[Result<(), Error>],
) -> (Result<(), Error>, usize) {
    let tries = Cell::new(0);
    let result = sandbox.block_on(retry_on_conflict(runtime, backoff, || {
        let result = script[tries.get().min(script.len() - 1)].clone();
        tries.set(tries.get() + 1);
        async { result }
    }));
    (result, tries.get())
}

/// client-go: `TestRetryOnConflict`, `TestExponentialBackoff` (apimachinery `util/wait`).
#[test]
fn a_conflict_is_tried_again_as_often_as_there_are_steps() {
    let sandbox = Sandbox::new();
    let runtime = sandbox.runtime();
    let other = Error::from(Status::failure(500, "some other error"));
    let cases = [
        (vec![Err(conflict("1")), Err(conflict("2")), Err(conflict("3"))], Err(conflict("3")), 3),
        (vec![Ok(())], Ok(()), 1),
        (vec![Err(other.clone())], Err(other.clone()), 1),
        (vec![Err(conflict("1")), Err(other.clone())], Err(other), 2),
        (vec![Err(conflict("1")), Err(conflict("2")), Ok(())], Ok(()), 3),
    ];
    for (script, result, tries) in cases {
        assert_eq!(retry(&runtime, &sandbox, three(), &script), (result, tries));
    }
    let none = Backoff { steps: 0, ..three() };
    assert_eq!(retry(&runtime, &sandbox, none, &[Err(conflict("1"))]), (Err(conflict("1")), 1), "one try at least");
}

/// client-go: `TestRetryOnConflictPreservesContextErrorWithoutLastError`.
#[test]
fn a_request_that_was_broken_off_is_no_conflict() {
    let sandbox = Sandbox::new();
    let error = Error::Interrupted { reason: "cancelled".into() };
    let result = retry(&sandbox.runtime(), &sandbox, DEFAULT_BACKOFF, &[Err(error.clone())]);
    assert_eq!(result, (Err(error), 1));
}

#[test]
fn tries_are_as_far_apart_as_the_backoff_says() {
    let sandbox = Sandbox::new();
    let runtime = Runtime { random: Rc::new(Fixed(0.5)), ..sandbox.runtime() };
    let capped = Backoff { duration: millis(10), factor: 5.0, jitter: 0.0, steps: 9, cap: Some(millis(60)) };
    let cases = [
        (DEFAULT_RETRY, vec![0, 10_500, 10_500, 10_500, 10_500]),
        (DEFAULT_BACKOFF, vec![0, 10_500, 52_500, 262_500]),
        (capped, vec![0, 10_000]),
    ];
    for (backoff, expected) in cases {
        let (pauses, last) = (RefCell::new(Vec::new()), Cell::new(runtime.now()));
        let result: Result<(), &str> = sandbox.block_on(on_error(
            &runtime,
            backoff,
            |_| true,
            async || {
                let now = runtime.now();
                pauses.borrow_mut().push(now.since(last.replace(now)).as_micros());
                Err("again")
            },
        ));
        assert_eq!((result, pauses.into_inner()), (Err("again"), expected));
    }
}
