use std::time::Duration;

use divan::Bencher;
use divan::counter::ItemsCount;
use watchglass::flow_control::{ItemBackoff, RateLimiter as _, TokenBucket};
use watchglass::testing::Sandbox;
use watchglass::workqueue::{RateLimiter as _, default_controller_rate_limiter, default_item_based_rate_limiter};

use crate::SIZES;

fn keys(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("team-{:02}/web-7d9c6b8f5c-{number:05}", number % 40)).collect()
}

/// Of a key that has failed before, among so many that have.
#[divan::bench(args = SIZES)]
fn item_exponential_when(bencher: Bencher<'_, '_>, failing: usize) {
    let (limiter, keys) = (default_item_based_rate_limiter(), keys(failing));
    for key in &keys {
        limiter.when(key);
    }
    let mut next = keys.iter().step_by(7).cycle();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| limiter.when(next.next().expect("it goes round")));
}

/// A key's first failure, and its end.
#[divan::bench(args = SIZES)]
fn controller_when_and_forget(bencher: Bencher<'_, '_>, failing: usize) {
    let sandbox = Sandbox::new();
    let (limiter, keys) = (default_controller_rate_limiter(&sandbox.runtime()), keys(failing));
    for key in &keys {
        limiter.when(key);
    }
    let key = "team-00/another".to_owned();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let wait = limiter.when(&key);
        limiter.forget(&key);
        wait
    });
}

#[divan::bench(args = SIZES)]
fn item_backoff_next(bencher: Bencher<'_, '_>, known: usize) {
    let (runtime, keys) = (Sandbox::new().runtime(), keys(known));
    let mut backoff = ItemBackoff::new(&runtime, Duration::from_secs(1), Duration::from_secs(60));
    let now = runtime.now();
    keys.iter().for_each(|key| backoff.next(key, now));
    let mut next = keys.iter().step_by(7).cycle();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| backoff.next(next.next().expect("it goes round"), now));
}

#[divan::bench]
fn token_bucket_try_accept(bencher: Bencher<'_, '_>) {
    let bucket = TokenBucket::new(&Sandbox::new().runtime(), 1e9, u32::MAX);
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| bucket.try_accept());
}
