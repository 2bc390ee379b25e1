use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use watchglass::flow_control::{FakeAlways, FakeNever, RateLimiter, TokenBucket, WaitError};
use watchglass::runtime::{Moment, Task};
use watchglass::testing::Sandbox;

use super::{millis, secs};

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
