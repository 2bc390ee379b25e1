//! A WatchList: one stream that brings the whole state, marks its end, and goes on as the watch.

use std::time::Duration;

use super::bookmark_ticker::BookmarkTicker;
use super::initial_events::InitialEvents;
use super::state::{End, Ended, OpenWatch};
use super::watching::{Listener, Signal};
use super::{Reflector, consistency, not_stored};
use crate::api::WatchEvent;
use crate::cache::connection::Phase;
use crate::runtime::{Moment, Turn};

/// Observers need not be told of each object.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

impl Reflector {
    /// The store holds the whole state, and the stream goes on with what comes later.
    pub(super) async fn watch_list(&self) -> Result<OpenWatch, Ended> {
        let started = self.runtime.now();
        self.show_listing();
        let (timeout, ticker) = (self.watch_timeout(), BookmarkTicker::new(started));
        let options = self.versions.borrow().watch_list_options(timeout.as_secs() as u32);
        let deadline = started + timeout;
        let opening = self.open_until(options, ticker.gives_up_at(), deadline).await;
        let watch = opening.map_err(|end| Ended::before_open(self.unmarked_when_silent(end, &ticker)))?;
        let mut listener = Listener::new(&self.runtime, watch);
        let initial = InitialEvents::new(self.store.transformer());
        let mut events = 0;
        let result = self.initial_state(&mut listener, &initial, ticker, &mut events).await;
        let ended = |end| self.measured(Ended { end, lifetime: self.runtime.now().since(started), events });
        let resource_version = result.map_err(ended)?;
        self.check_consistency(&resource_version, &initial).await;
        self.measure_list(self.runtime.now().since(started), initial.len());
        if let Err(error) = self.store.replace(initial.objects(), &resource_version) {
            return Err(ended(End::NotStored(not_stored("unable to sync watch-list result", &error))));
        }
        self.synced_at(&resource_version, false);
        self.has_heard.set(true);
        self.show_connected();
        // A new watch in all but the request.
        Ok(OpenWatch { opened: self.runtime.now(), is_ordered: true, ..listener.into_watch() })
    }

    /// Takes events until the one that marks the end of the state; gives the resourceVersion of the state.
    async fn initial_state(
        &self,
        listener: &mut Listener<'_>,
        initial: &InitialEvents,
        mut ticker: BookmarkTicker,
        events: &mut usize,
    ) -> Result<String, End> {
        let mut turn = Turn::start(&self.runtime);
        let mut shown_at = None;
        loop {
            match listener.next(Some(ticker.next_due())).await {
                Signal::End(end) => return Err(end),
                Signal::Due => self.remind(&mut ticker)?,
                Signal::Event(event) => {
                    let marks_the_end = matches!(event, WatchEvent::Bookmark { initial_events_end: true, .. });
                    let Some(resource_version) = self.take_in(event, initial) else { continue };
                    *events += 1;
                    ticker.observe(self.runtime.now());
                    match (marks_the_end, resource_version.is_empty()) {
                        (true, false) => return Ok(resource_version),
                        // Of no use to go on from (antrea-io/antrea#8123).
                        (true, true) => return Err(unmarked("the bookmark has no resourceVersion".into())),
                        (false, _) => self.show_received(initial.len(), &mut shown_at),
                    }
                }
            }
            turn.pause_when_over().await;
        }
    }

    fn remind(&self, ticker: &mut BookmarkTicker) -> Result<(), End> {
        let now = self.runtime.now();
        if now >= ticker.gives_up_at() {
            return Err(unmarked(ticker.missing(now).unwrap_or_default()));
        }
        if let Some(warning) = ticker.warning(now) {
            tracing::warn!(resource = %self.options.description, %warning, "event bookmark expired");
        }
        Ok(())
    }

    /// A head that does not come is no better than a bookmark that does not.
    fn unmarked_when_silent(&self, end: End, ticker: &BookmarkTicker) -> End {
        let now = self.runtime.now();
        if now < ticker.gives_up_at() {
            return end;
        }
        unmarked(ticker.missing(now).unwrap_or_default())
    }

    fn show_received(&self, received: usize, shown_at: &mut Option<Moment>) {
        let now = self.runtime.now();
        if shown_at.is_none_or(|shown_at| now.since(shown_at) >= SHOWN_EVERY) {
            *shown_at = Some(now);
            self.show(Phase::Listing { received, expected: None });
        }
    }

    async fn check_consistency(&self, resource_version: &str, initial: &InitialEvents) {
        let Some(on_inconsistency) = &self.options.check_consistency else { return };
        let check = consistency::Check {
            runtime: &self.runtime,
            lister_watcher: &*self.lister_watcher,
            transformer: self.store.transformer(),
        };
        // The source knows of its own selectors: only these options are ours.
        let options = crate::api::ListOptions::default();
        if let Some(difference) = check.difference(options, resource_version, initial.objects()).await {
            let resource = &self.options.description;
            on_inconsistency(&format!("data inconsistency detected for {resource}: {difference}"));
        }
    }
}

fn unmarked(reason: String) -> End {
    End::Unmarked { reason }
}
