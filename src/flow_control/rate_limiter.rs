use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;
use futures::future::{FutureExt as _, LocalBoxFuture};

use crate::runtime::Moment;

/// Says when the next of many things may be done (client-go: `util/flowcontrol/throttle.go`, `RateLimiter`).
#[doc(alias = "PassiveRateLimiter")]
pub trait RateLimiter {
    /// Takes a token if there is one now.
    fn try_accept(&self) -> bool;

    /// Takes a token as soon as there is one. Dropping the future gives the turn back.
    fn accept(&self) -> LocalBoxFuture<'static, ()>;

    /// As [`accept`](Self::accept), and only if a token comes by the deadline; otherwise it fails at once.
    ///
    /// # Errors
    /// When no token comes in time, or none ever.
    fn wait(&self, deadline: Option<Moment>) -> LocalBoxFuture<'static, Result<(), WaitError>>;

    /// How many tokens come in a second.
    fn qps(&self) -> f64;

    /// Lets go those who wait, where there would be no other end to it.
    fn stop(&self) {}
}

/// Why nobody waits for a token (client-go: `util/flowcontrol/throttle.go`, the errors of `Wait`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError {
    /// It would come after the deadline. Try again then, or with more time.
    #[error("the next token comes in {after:?}, after the deadline")]
    Deadline {
        /// How long it is from now until the token.
        after: Duration,
    },

    /// None will ever come: the limiter lets nothing pass.
    #[error("no token will ever come")]
    Never,
}

/// Lets everything pass (client-go: `util/flowcontrol/throttle.go`, `NewFakeAlwaysRateLimiter`).
#[doc(alias = "NewFakeAlwaysRateLimiter")]
#[derive(Clone, Copy, Debug, Default)]
pub struct FakeAlways;

impl RateLimiter for FakeAlways {
    fn try_accept(&self) -> bool {
        true
    }

    fn accept(&self) -> LocalBoxFuture<'static, ()> {
        std::future::ready(()).boxed_local()
    }

    fn wait(&self, _deadline: Option<Moment>) -> LocalBoxFuture<'static, Result<(), WaitError>> {
        std::future::ready(Ok(())).boxed_local()
    }

    fn qps(&self) -> f64 {
        1.0
    }
}

/// Lets nothing pass until it is stopped (client-go: `util/flowcontrol/throttle.go`, `NewFakeNeverRateLimiter`).
#[doc(alias = "NewFakeNeverRateLimiter")]
#[derive(Debug, Default)]
pub struct FakeNever {
    state: Rc<Stopped>,
}

#[derive(Debug, Default)]
struct Stopped {
    stopped: Cell<bool>,
    changed: Event,
}

impl RateLimiter for FakeNever {
    fn try_accept(&self) -> bool {
        false
    }

    fn accept(&self) -> LocalBoxFuture<'static, ()> {
        let state = Rc::clone(&self.state);
        async move {
            while !state.stopped.get() {
                state.changed.listen().await;
            }
        }
        .boxed_local()
    }

    fn wait(&self, _deadline: Option<Moment>) -> LocalBoxFuture<'static, Result<(), WaitError>> {
        std::future::ready(Err(WaitError::Never)).boxed_local()
    }

    fn qps(&self) -> f64 {
        1.0
    }

    fn stop(&self) {
        self.state.stopped.set(true);
        self.state.changed.notify(usize::MAX);
    }
}
