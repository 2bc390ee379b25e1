//! Copies a resource from a server into a store: list, watch, and list again when events were lost.
//!
//! `state` and `versions` hold the rules; this file walks from state to state as they say. `listing`, `watch_list` and
//! `watching` each do the requests of one state, and `pausing` holds them back when the host wants it.

mod bookmark_ticker;
mod consistency;
mod initial_events;
mod listing;
mod metrics;
mod options;
mod pausing;
mod retry_with_deadline;
mod sleep_detector;
mod state;
mod versions;
mod watch_list;
mod watching;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;
use futures::future::{Either, select};

use super::connection::{Connection, ConnectionCell, Phase, Refused};
use super::list_watch::ListerWatcher;
use super::observers::ObserverGuard;
use super::store::{ReflectorStore, StoreError};
use crate::api::Error;
use crate::flow_control::BackoffWithReset;
use crate::runtime::{Moment, Runtime, StopToken};
pub use metrics::{NoReflectorMetrics, ReflectorMetrics};
pub use options::{InconsistencyHandler, ReflectorOptions, WatchErrorHandler};

use retry_with_deadline::RetryWithDeadline;
use state::{Decision, End, Next, Over, State, Wait};
use versions::Versions;

/// Keeps a store as a server's resource is (client-go: `tools/cache/reflector.go`).
///
/// ```
/// use std::rc::Rc;
///
/// use watchglass::cache::{ListerWatcher, Reflector, ReflectorOptions, ReflectorStore};
/// use watchglass::runtime::{Runtime, StopToken};
///
/// async fn mirror(runtime: Runtime, pods: Rc<dyn ListerWatcher>, store: Rc<dyn ReflectorStore>, stop: StopToken) {
///     let options = ReflectorOptions { description: "pods".into(), ..ReflectorOptions::default() };
///     Reflector::new(runtime, pods, store, options).run(stop).await;
/// }
/// ```
pub struct Reflector {
    runtime: Runtime,
    lister_watcher: Rc<dyn ListerWatcher>,
    store: Rc<dyn ReflectorStore>,
    connection: Rc<ConnectionCell>,
    options: ReflectorOptions,
    versions: RefCell<Versions>,
    backoff: RefCell<BackoffWithReset>,
    /// Failures since the server last gave something of use.
    attempts: Cell<u32>,
    /// An event or a bookmark has come since the last failure.
    has_heard: Cell<bool>,
    hidden_since: Cell<Option<Moment>>,
    /// The server has shown that it does not do it.
    watch_list_is_of_no_use: Cell<bool>,
    retry: Event,
    /// A person has asked for a list, and none has come since.
    wants_list: Cell<bool>,
}

/// After a sleep the reflectors of a page do not come back all at once.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

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
        let backoff = RefCell::new(BackoffWithReset::new(options.backoff.clone(), runtime.now()));
        Self {
            runtime,
            lister_watcher,
            store,
            connection,
            options,
            versions: RefCell::default(),
            backoff,
            attempts: Cell::new(0),
            has_heard: Cell::new(false),
            hidden_since: Cell::new(None),
            watch_list_is_of_no_use: Cell::new(false),
            retry: Event::new(),
            wants_list: Cell::new(false),
        }
    }

    /// Lists and watches, round after round with a wait between them, until it is stopped or dropped.
    pub async fn run(&self, stop: StopToken) {
        let rounds = async {
            loop {
                let Over { reason, failed } = self.round().await;
                self.report(&reason, failed);
                let wait = self.back_off(reason);
                self.wait(wait).await;
            }
        };
        let _: Option<()> = stop.unless_stopped(rounds).await;
        self.show(Phase::Stopped);
    }

    /// One round: fills the store and watches until events may have been missed. Dropping it ends it.
    ///
    /// # Errors
    /// When a request is refused or the store refuses what came. That a watch ends is none.
    #[doc(alias = "ListAndWatch")]
    pub async fn list_and_watch(&self) -> Result<(), Error> {
        match self.round().await {
            Over { reason, failed: true } => Err(reason),
            Over { failed: false, .. } => Ok(()),
        }
    }

    /// Ends a wait between two tries at once, and the next one will be a short one again: a person has asked.
    pub fn retry_now(&self) {
        self.start_over();
        self.retry.notify(usize::MAX);
    }

    /// Lists anew, whatever it is doing: a person doubts what is shown. The newest state is asked for, an open watch is
    /// given up for it, and what the store holds stays until the list is whole.
    pub fn list_again(&self) {
        self.wants_list.set(true);
        self.versions.borrow_mut().last_is_unavailable = true;
        self.retry_now();
    }

    /// The resourceVersion of the last list or event; empty before.
    pub fn last_sync_resource_version(&self) -> String {
        self.versions.borrow().last_sync.clone()
    }

    /// What the reflector is called in messages.
    #[doc(alias = "TypeDescription")]
    pub fn description(&self) -> &str {
        &self.options.description
    }

    /// How it stands with the server.
    pub fn connection(&self) -> Connection {
        self.connection.get()
    }

    /// Calls the observer at each change of the connection, until the guard is dropped.
    pub fn on_connection(&self, observer: Rc<dyn Fn(&Connection)>) -> ObserverGuard {
        self.connection.observers.add(observer)
    }

    /// Whether the next round begins with a WatchList: it is wanted, the [`ListerWatcher`] supports it, and the server
    /// has not shown that it does not.
    pub fn uses_watch_list(&self) -> bool {
        self.options.watch_list && self.lister_watcher.supports_watch_list() && !self.watch_list_is_of_no_use.get()
    }

    async fn round(&self) -> Over {
        let mut retry = RetryWithDeadline::new(self.options.max_internal_error_retry);
        let first = if self.uses_watch_list() { State::WatchListing } else { State::Listing };
        let state = match self.drive(first, &mut retry, State::holds_list).await {
            State::Over(over) => return over,
            state => state,
        };
        let watching = pin!(self.drive(state, &mut retry, |_| false));
        let resyncing = pin!(self.resync());
        match select(watching, resyncing).await {
            Either::Left((State::Over(over), _)) => over,
            Either::Left(_) => unreachable!("driving without another goal ends with the round"),
            Either::Right((error, _)) => Over { reason: not_stored("unable to resync", &error), failed: false },
        }
    }

    /// Goes from state to state until the goal or the round's end.
    async fn drive(&self, mut state: State, retry: &mut RetryWithDeadline, is_goal: fn(&State) -> bool) -> State {
        while !is_goal(&state) && !matches!(state, State::Over(_)) {
            state = self.step_while_awake(state, retry).await;
        }
        state
    }

    async fn step(&self, state: State, retry: &mut RetryWithDeadline) -> State {
        match state {
            State::WatchListing => match self.watch_list().await {
                Ok(watch) => State::Watching(watch),
                Err(ended) => {
                    if state::shows_no_watch_list(&ended) {
                        self.watch_list_is_of_no_use.set(true);
                    }
                    let decision = state::after_watch_list(&ended, &mut self.versions.borrow_mut());
                    self.go_on(decision, || ended.reason())
                }
            },
            State::Listing => match self.list().await {
                Ok(list) => self.listed(list),
                Err(error) => {
                    if error.is_forbidden() {
                        self.show_refused(Some(Refused::List));
                    }
                    let decision = state::after_failed_list(&error, &mut self.versions.borrow_mut());
                    self.go_on(decision, || error)
                }
            },
            State::Opening => match self.open().await {
                Ok(watch) => State::Watching(watch),
                Err(end) => {
                    if matches!(&end, End::Failed(error) if error.is_forbidden()) {
                        self.show_refused(Some(Refused::Watch));
                    }
                    self.go_on(state::after_failed_open(&end), || state::Ended::before_open(end).reason())
                }
            },
            State::Watching(watch) => {
                let ended = self.follow(watch).await;
                let may_retry = self.may_retry(&ended.end, retry);
                self.go_on(state::after_watch(&ended, may_retry), || ended.reason())
            }
            State::Waiting { wait, then } => {
                self.wait(wait).await;
                go_to(then)
            }
            over @ State::Over(_) => over,
        }
    }

    fn may_retry(&self, end: &End, retry: &mut RetryWithDeadline) -> bool {
        let End::Failed(error) = end else { return false };
        let now = self.runtime.now();
        if !state::is_internal(error) {
            return false;
        }
        retry.after_error(now);
        retry.should_retry(now)
    }

    fn go_on(&self, decision: Decision, reason: impl FnOnce() -> Error) -> State {
        match decision {
            Decision::AtOnce(next) => go_to(next),
            Decision::AfterBackoff(then) => {
                let reason = reason();
                tracing::warn!(resource = %self.options.description, error = %reason, "the reflector waits");
                State::Waiting { wait: self.back_off(reason), then }
            }
            Decision::AfterPause(then) => {
                let pause = LONGEST_PAUSE.mul_f64(self.runtime.random.unit());
                self.show_wait(reason(), pause);
                State::Waiting { wait: Wait { until: self.runtime.now() + pause, needs_network: false }, then }
            }
            Decision::Over { failed } => State::Over(Over { reason: reason(), failed }),
        }
    }

    fn show_wait(&self, error: Error, wait: Duration) {
        let retry_at = self.runtime.clock.wall().saturating_add(wait).unwrap_or(jiff::Timestamp::MAX);
        self.show(Phase::Reconnecting { error, retry_at, attempts: self.attempts.get() });
    }

    /// Why a round is over; a failure goes to the caller's handler instead of the log.
    fn report(&self, reason: &Error, failed: bool) {
        let resource = &self.options.description;
        match &self.options.watch_error_handler {
            Some(handler) if failed => handler(resource, reason),
            // That a resourceVersion expires is how watches end.
            _ if reason.is_gone() => tracing::debug!(%resource, error = %reason, "watch closed"),
            _ if failed => tracing::error!(%resource, error = %reason, "failed to watch"),
            _ => tracing::warn!(%resource, error = %reason, "watch ended"),
        }
    }

    /// Tells the store to resync at each end of the period; ends when it cannot.
    async fn resync(&self) -> StoreError {
        if self.options.resync_period.is_zero() {
            return std::future::pending().await;
        }
        loop {
            self.runtime.sleep(self.options.resync_period).await;
            if self.options.should_resync.as_ref().is_none_or(|should_resync| should_resync())
                && let Err(error) = self.store.resync()
            {
                return error;
            }
        }
    }

    fn show_refused(&self, refused: Option<Refused>) {
        self.connection.update(|connection| connection.refused = refused);
    }

    fn show(&self, phase: Phase) {
        self.connection.update(|connection| connection.phase = phase);
    }

    /// While it reconnects it stays so until something arrives: a try is no success.
    fn show_listing(&self) {
        if !matches!(self.connection.get().phase, Phase::Reconnecting { .. }) {
            self.show(Phase::Listing { received: 0, expected: None });
        }
    }

    fn show_connected(&self) {
        let now = self.runtime.clock.wall();
        self.connection.update(|connection| {
            if !matches!(connection.phase, Phase::Connected { .. }) {
                connection.phase = Phase::Connected { since: now };
            }
            connection.last_contact = Some(now);
            connection.refused = None;
        });
    }
}

fn go_to(next: Next) -> State {
    match next {
        Next::WatchList => State::WatchListing,
        Next::List => State::Listing,
        Next::Watch => State::Opening,
    }
}

/// What came cannot be put into the store, which is as if it had not come.
fn not_stored(what: &str, error: &StoreError) -> Error {
    Error::Interrupted { reason: format!("{what}: {error}") }
}

impl fmt::Debug for Reflector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reflector").field("resource", &self.options.description).finish_non_exhaustive()
    }
}
