//! What the host does not let a reflector do: to wait without a network, to watch for a page that does not run.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

use super::Reflector;
use super::retry_with_deadline::RetryWithDeadline;
use super::state::{Decision, Next, State, Wait};
use crate::api::Error;
use crate::cache::connection::{Pause, Phase};
use crate::runtime::Moment;

impl Reflector {
    /// One step; when the host stops the program meanwhile, its request is given up and asked for again afterwards, and
    /// a watch is given up for a list that a person asks for.
    ///
    /// A page that holds connections cannot be put away and taken out again whole, and nobody would read them.
    pub(super) async fn step_while_awake(&self, state: State, retry: &mut RetryWithDeadline) -> State {
        let Some(then) = state.request() else {
            let next = self.step(state, retry).await;
            let lists = next.request() == Some(Next::Watch) && self.wants_list.take();
            return if lists { State::Listing } else { next };
        };
        let pause = {
            let (paused, asked) = (pin!(self.paused()), pin!(self.asked_for_list(then)));
            let step = pin!(self.step(state, retry));
            match select(select(paused, asked), step).await {
                Either::Left((Either::Left((pause, _)), _)) => pause,
                Either::Left((Either::Right(_), _)) => return State::Listing,
                Either::Right((state, _)) => return state,
            }
        };
        self.pause(pause, then).await
    }

    /// Ends when a list is wanted instead of a watch.
    async fn asked_for_list(&self, instead_of: Next) {
        if instead_of != Next::Watch {
            return std::future::pending().await;
        }
        loop {
            let asked = self.retry.listen();
            if self.wants_list.take() {
                return;
            }
            asked.await;
        }
    }

    async fn pause(&self, pause: Pause, then: Next) -> State {
        tracing::debug!(resource = %self.options.description, ?pause, "the reflector pauses");
        self.show(Phase::Paused { pause });
        while self.pause_due().is_some_and(|due| self.runtime.now() >= due) {
            self.runtime.host.changed().await;
        }
        self.start_over();
        self.go_on(Decision::AfterPause(then), || Error::Interrupted { reason: "this page was put aside".into() })
    }

    /// Ends when there is to be a pause.
    async fn paused(&self) -> Pause {
        loop {
            let changed = self.runtime.host.changed();
            let Some(due) = self.pause_due() else {
                changed.await;
                continue;
            };
            if self.runtime.now() >= due {
                return if self.runtime.host.state().is_frozen { Pause::Frozen } else { Pause::Hidden };
            }
            // Looked at again: a timer may be early, and the page may have been seen meanwhile.
            self.runtime.timeout_at(due, changed).await;
        }
    }

    /// From when on there is a pause, as things stand.
    fn pause_due(&self) -> Option<Moment> {
        let (state, now) = (self.runtime.host.state(), self.runtime.now());
        let hidden_since = state.is_hidden.then(|| self.hidden_since.get().unwrap_or(now));
        self.hidden_since.set(hidden_since);
        if state.is_frozen {
            return Some(now);
        }
        Some(hidden_since? + self.options.pause_when_hidden?)
    }

    /// Waits out a failure, unless a person wants no more of it.
    ///
    /// Without a network there is no use in trying to reach who was not reached: then it waits for the network, and
    /// no longer.
    pub(super) async fn wait(&self, wait: Wait) {
        loop {
            let (retry, changed) = (self.retry.listen(), self.runtime.host.changed());
            if wait.needs_network && !self.runtime.host.state().is_online {
                return self.wait_for_network().await;
            }
            let due = self.runtime.clock.sleep_until(wait.until);
            match select(due, select(retry, changed)).await {
                Either::Right((Either::Right(_), _)) => {}
                Either::Left(_) | Either::Right((Either::Left(_), _)) => return,
            }
        }
    }

    async fn wait_for_network(&self) {
        let before = self.connection.get().phase;
        self.show(Phase::Paused { pause: Pause::Offline });
        loop {
            let (retry, changed) = (self.retry.listen(), self.runtime.host.changed());
            if self.runtime.host.state().is_online {
                self.start_over();
                break;
            }
            if let Either::Left(_) = select(retry, changed).await {
                break;
            }
        }
        // A try is no success.
        self.show(before);
    }

    /// The next wait is a first one: what failed before has nothing to do with what comes now.
    pub(super) fn start_over(&self) {
        self.backoff.borrow_mut().reset(self.runtime.now());
    }

    /// Until when to wait after a failure: the next of the growing waits, or longer if the server asks for it.
    pub(super) fn back_off(&self, reason: Error) -> Wait {
        let now = self.runtime.now();
        let wait = self.next_wait(now).max(reason.retry_after().unwrap_or_default());
        self.attempts.set(self.attempts.get() + 1);
        let needs_network = super::state::is_out_of_reach(&reason);
        self.show_wait(reason, wait);
        Wait { until: now + wait, needs_network }
    }

    /// A server that takes requests and brings nothing is no better than one that refuses them: only an event or a
    /// bookmark lets the waits start over, and that not sooner than in client-go.
    fn next_wait(&self, now: Moment) -> Duration {
        let (mut backoff, random) = (self.backoff.borrow_mut(), &*self.runtime.random);
        if self.has_heard.take() { backoff.step(now, random) } else { backoff.step_further(random) }
    }
}
