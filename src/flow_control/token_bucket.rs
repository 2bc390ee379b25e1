use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{FutureExt as _, LocalBoxFuture};

use super::{RateLimiter, WaitError};
use crate::runtime::{Moment, Runtime};

/// So many tokens a second, and a number of them at once after a pause
/// (client-go: `util/flowcontrol/throttle.go`, whose arithmetic is `golang.org/x/time/rate`).
///
/// Whoever waits has booked a token ahead, so that they are served in the order they came.
///
/// A handle: clones are of the same bucket.
#[doc(alias = "NewTokenBucketRateLimiter")]
#[derive(Clone)]
pub struct TokenBucket {
    inner: Rc<Inner>,
}

struct Inner {
    runtime: Runtime,
    qps: f64,
    burst: u32,
    level: Cell<Level>,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    /// Below zero for as many as are booked ahead.
    tokens: f64,
    counted_at: Moment,
    /// When the last token that is booked comes.
    last_event: Moment,
}

impl TokenBucket {
    /// A full bucket. With a burst of zero nothing ever passes, with an infinite rate everything does.
    pub fn new(runtime: &Runtime, qps: f64, burst: u32) -> Self {
        let now = runtime.now();
        let level = Level { tokens: f64::from(burst), counted_at: now, last_event: now };
        Self { inner: Rc::new(Inner { runtime: runtime.clone(), qps, burst, level: Cell::new(level) }) }
    }

    /// Books the next token; none when there will never be one.
    #[doc(alias = "Reserve")]
    pub fn reserve(&self) -> Option<Reservation> {
        self.reserve_within(Duration::MAX).ok()
    }

    /// Books the next token if it comes within this time.
    fn reserve_within(&self, limit: Duration) -> Result<Reservation, WaitError> {
        let Inner { runtime, qps, burst, level } = &*self.inner;
        let now = runtime.now();
        let mut ready_at = now;
        if !qps.is_infinite() {
            if *burst == 0 {
                return Err(WaitError::Never);
            }
            let tokens = self.inner.tokens_at(now) - 1.0;
            let after = if tokens < 0.0 { self.inner.time_for(-tokens) } else { Some(Duration::ZERO) };
            let after = after.ok_or(WaitError::Never)?;
            if after > limit {
                return Err(WaitError::Deadline { after });
            }
            ready_at = now + after;
            level.set(Level { tokens, counted_at: now, last_event: ready_at });
        }
        Ok(Reservation { bucket: self.clone(), ready_at })
    }
}

impl Inner {
    fn tokens_at(&self, now: Moment) -> f64 {
        let Level { tokens, counted_at, .. } = self.level.get();
        (tokens + now.since(counted_at).as_secs_f64() * self.qps).min(f64::from(self.burst))
    }

    /// How long it takes until so many tokens have come, in whole nanoseconds, rounded down; none for "for ever".
    fn time_for(&self, tokens: f64) -> Option<Duration> {
        let nanos = tokens / self.qps * 1e9;
        (self.qps > 0.0 && nanos < u64::MAX as f64).then(|| Duration::from_nanos(nanos as u64))
    }

    /// Takes back what was booked for that time, except for what others have booked after it.
    fn cancel(&self, ready_at: Moment) {
        let (now, level) = (self.runtime.now(), self.level.get());
        if self.qps.is_infinite() || ready_at < now {
            return;
        }
        let restored = 1.0 - level.last_event.since(ready_at).as_secs_f64() * self.qps;
        if restored <= 0.0 {
            return;
        }
        let tokens = (self.tokens_at(now) + restored).min(f64::from(self.burst));
        let before = ready_at - self.time_for(1.0).unwrap_or_default();
        let was_last = ready_at == level.last_event && before >= now;
        let last_event = if was_last { before } else { level.last_event };
        self.level.set(Level { tokens, counted_at: now, last_event });
    }
}

impl RateLimiter for TokenBucket {
    fn try_accept(&self) -> bool {
        self.reserve_within(Duration::ZERO).is_ok()
    }

    fn accept(&self) -> LocalBoxFuture<'static, ()> {
        match self.reserve() {
            Some(reservation) => reservation.ready().boxed_local(),
            None => std::future::pending().boxed_local(),
        }
    }

    fn wait(&self, deadline: Option<Moment>) -> LocalBoxFuture<'static, Result<(), WaitError>> {
        let limit = deadline.map_or(Duration::MAX, |deadline| deadline.since(self.inner.runtime.now()));
        let ready = self.reserve_within(limit).map(Reservation::ready);
        async move {
            ready?.await;
            Ok(())
        }
        .boxed_local()
    }

    fn qps(&self) -> f64 {
        self.inner.qps
    }
}

/// A token that comes later (`golang.org/x/time/rate`, `Reservation`).
#[derive(Debug)]
#[must_use = "a token that nobody uses is lost; cancel it"]
pub struct Reservation {
    bucket: TokenBucket,
    ready_at: Moment,
}

impl Reservation {
    /// How long it is until then; zero once the token is there.
    pub fn delay(&self) -> Duration {
        self.ready_at.since(self.bucket.inner.runtime.now())
    }

    /// Gives the token back, so that others may come sooner. Too late once it has come.
    pub fn cancel(self) {
        self.bucket.inner.cancel(self.ready_at);
    }

    /// Waits for the token; dropping the future gives it back.
    fn ready(self) -> impl Future<Output = ()> + use<> {
        let runtime = self.bucket.inner.runtime.clone();
        let ready_at = self.ready_at;
        let mut booked = Booked(Some(self));
        async move {
            while runtime.now() < ready_at {
                // In parts: some hosts' clocks have no moments that are centuries away.
                runtime.clock.sleep_until(ready_at.min(runtime.now() + LONGEST_SLEEP)).await;
            }
            booked.0.take();
        }
    }
}

const LONGEST_SLEEP: Duration = Duration::from_secs(86_400);

/// Gives the token back when it is dropped, unless it was taken.
struct Booked(Option<Reservation>);

impl Drop for Booked {
    fn drop(&mut self) {
        if let Some(reservation) = self.0.take() {
            reservation.cancel();
        }
    }
}

impl fmt::Debug for TokenBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { qps, burst, level, .. } = &*self.inner;
        f.debug_struct("TokenBucket").field("qps", qps).field("burst", burst).field("level", &level.get()).finish()
    }
}
