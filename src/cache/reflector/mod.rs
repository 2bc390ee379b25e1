//! Copies a resource from a server into a queue: list, watch, and list again when events were lost.
//!
//! `state` holds the rules, this file does what they say.

mod backoff;
mod metrics;
mod options;
mod state;
mod watching;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;
use futures::future::{Either, select};

use super::connection::{ConnectionCell, Phase};
use super::list_watch::{ListProgress, ListResult, ListerWatcher};
use super::store::ReflectorStore;
use crate::api::Error;
use crate::runtime::{Runtime, StopToken};
use backoff::Backoff;
pub use backoff::BackoffConfig;
pub use metrics::{NoReflectorMetrics, ReflectorMetrics};
pub use options::{InconsistencyHandler, ReflectorOptions, WatchErrorHandler};
use state::{Decision, Next, OpenWatch, State, Versions};

/// client-go: `tools/cache/reflector.go`.
pub struct Reflector {
    runtime: Runtime,
    lister_watcher: Rc<dyn ListerWatcher>,
    store: Rc<dyn ReflectorStore>,
    connection: Rc<ConnectionCell>,
    options: ReflectorOptions,
    versions: RefCell<Versions>,
    backoff: RefCell<Backoff>,
    /// Failures since the server last gave something of use.
    attempts: Cell<u32>,
    retry: Event,
}

/// How much later than asked a server may end a watch.
const WATCH_GRACE: Duration = Duration::from_secs(5);
/// A list that has sent nothing for so long is not coming.
const LIST_SILENCE: Duration = Duration::from_secs(60);

impl Reflector {
    /// A reflector that has not started.
    pub fn new(
        runtime: Runtime,
        lister_watcher: Rc<dyn ListerWatcher>,
        store: Rc<dyn ReflectorStore>,
        options: ReflectorOptions,
    ) -> Self {
        Self::with_connection(runtime, lister_watcher, store, options, Rc::default())
    }

    pub(super) fn with_connection(
        runtime: Runtime,
        lister_watcher: Rc<dyn ListerWatcher>,
        store: Rc<dyn ReflectorStore>,
        options: ReflectorOptions,
        connection: Rc<ConnectionCell>,
    ) -> Self {
        let options = options.completed();
        let backoff = RefCell::new(Backoff::new(options.backoff.clone(), runtime.now()));
        Self {
            runtime,
            lister_watcher,
            store,
            connection,
            options,
            versions: RefCell::default(),
            backoff,
            attempts: Cell::new(0),
            retry: Event::new(),
        }
    }

    /// Lists and watches until it is stopped or dropped.
    pub async fn run(&self, stop: StopToken) {
        let run = async {
            let mut state = State::Listing;
            loop {
                state = self.step(state).await;
            }
        };
        let _: Option<()> = stop.unless_stopped(run).await;
    }

    /// Ends a wait between two tries at once.
    pub fn retry_now(&self) {
        self.retry.notify(usize::MAX);
    }

    /// The resourceVersion of the last list or event; empty before.
    pub fn last_sync_resource_version(&self) -> String {
        self.versions.borrow().last_sync.clone()
    }

    async fn step(&self, state: State) -> State {
        match state {
            State::Listing => match self.list().await {
                Ok(list) => self.listed(list),
                Err(error) => {
                    let decision = state::after_failed_list(&error, &mut self.versions.borrow_mut());
                    self.go_on(decision, Some(error))
                }
            },
            State::Opening => match self.open().await {
                Ok(watch) => State::Watching(watch),
                Err(error) => self.go_on(state::after_failed_open(&error), Some(error)),
            },
            State::Watching(watch) => {
                let ended = self.follow(watch).await;
                self.go_on(state::after_watch(&ended), ended.reason)
            }
            State::Waiting { until, then } => {
                self.wait(until).await;
                go_to(then)
            }
        }
    }

    async fn list(&self) -> Result<ListResult, Error> {
        let options = self.versions.borrow().list_options();
        // While it reconnects it stays so until something arrives: a try is no success.
        if !matches!(self.connection.get().phase, Phase::Reconnecting { .. }) {
            self.show(Phase::Listing { received: 0, expected: None });
        }
        let last_progress = Rc::new(Cell::new(self.runtime.now()));
        let (clock, connection) = (Rc::clone(&self.runtime.clock), Rc::clone(&self.connection));
        let (seen, last_progress) = (Rc::clone(&last_progress), last_progress);
        let progress = move |ListProgress { received, expected }| {
            seen.set(clock.now());
            let now = clock.wall();
            connection.update(|connection| {
                connection.phase = Phase::Listing { received, expected };
                // Until it is whole, a list that replaces another changes nothing of what is shown.
                if !connection.synced {
                    connection.last_contact = Some(now);
                }
            });
        };
        let mut list = self.lister_watcher.list(options, Rc::new(progress));
        loop {
            let silent_at = last_progress.get() + LIST_SILENCE;
            match select(list, self.runtime.clock.sleep_until(silent_at)).await {
                Either::Left((result, _)) => return result,
                Either::Right((_, unfinished)) if last_progress.get() + LIST_SILENCE > silent_at => list = unfinished,
                Either::Right(_) => return Err(Error::Silent { seconds: LIST_SILENCE.as_secs() }),
            }
        }
    }

    fn listed(&self, ListResult { list, paginated }: ListResult) -> State {
        self.versions.borrow_mut().listed(&list.metadata.resource_version, paginated);
        self.attempts.set(0);
        if let Err(error) = self.store.replace(list.items, &list.metadata.resource_version) {
            tracing::error!(resource = %self.options.description, %error, "unable to sync list result");
        }
        let now = self.runtime.clock.wall();
        self.connection.update(|connection| connection.last_contact = Some(now));
        State::Opening
    }

    async fn open(&self) -> Result<OpenWatch, Error> {
        let timeout = self.options.min_watch_timeout.mul_f64(1.0 + self.runtime.random.unit()).as_secs();
        let options = self.versions.borrow().watch_options(u32::try_from(timeout).unwrap_or(u32::MAX));
        let deadline = self.runtime.now() + Duration::from_secs(timeout) + WATCH_GRACE;
        // The head of a quiet watch may come with its first event behind an old kubectl (kubernetes/kubectl#628).
        let opening = self.lister_watcher.watch(options);
        let silent = || Error::Silent { seconds: timeout };
        let events = self.runtime.timeout_at(deadline, opening).await.ok_or_else(silent)??;
        let now = self.runtime.clock.wall();
        self.connection.update(|connection| {
            if !matches!(connection.phase, Phase::Connected { .. }) {
                connection.phase = Phase::Connected { since: now };
            }
            connection.last_contact = Some(now);
        });
        Ok(OpenWatch { events, opened: self.runtime.now(), deadline })
    }

    fn go_on(&self, decision: Decision, reason: Option<Error>) -> State {
        let then = match decision {
            Decision::AtOnce(next) => return go_to(next),
            Decision::AfterBackoff(then) => then,
        };
        let now = self.runtime.now();
        let wait = self.backoff.borrow_mut().step(now, &*self.runtime.random);
        let asked_for = reason.as_ref().and_then(Error::retry_after).unwrap_or_default();
        let wait = wait.max(asked_for);
        let error = reason.unwrap_or_else(|| Error::Interrupted {
            reason: "the watch lasted less than a second and brought nothing".into(),
        });
        self.attempts.set(self.attempts.get() + 1);
        tracing::warn!(resource = %self.options.description, %error, ?wait, "the reflector waits before it goes on");
        let retry_at = self.runtime.clock.wall().saturating_add(wait).unwrap_or(jiff::Timestamp::MAX);
        self.show(Phase::Reconnecting { error, retry_at, attempts: self.attempts.get() });
        State::Waiting { until: now + wait, then }
    }

    async fn wait(&self, until: crate::runtime::Moment) {
        let retry = self.retry.listen();
        select(self.runtime.clock.sleep_until(until), retry).await;
    }

    fn show(&self, phase: Phase) {
        self.connection.update(|connection| connection.phase = phase);
    }
}

fn go_to(next: Next) -> State {
    match next {
        Next::List => State::Listing,
        Next::Watch => State::Opening,
    }
}

impl fmt::Debug for Reflector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reflector").field("resource", &self.options.description).finish_non_exhaustive()
    }
}
