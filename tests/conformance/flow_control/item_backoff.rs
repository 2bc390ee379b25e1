use std::time::Duration;

use watchglass::flow_control::ItemBackoff;
use watchglass::runtime::Moment;
use watchglass::testing::Sandbox;

use super::{millis, secs};

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
