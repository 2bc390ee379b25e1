use std::time::Duration;

use crate::runtime::Moment;

/// Says what a WatchList waits for, and when to wait no longer
/// (client-go: `tools/cache/reflector.go`, `initialEventsEndBookmarkTicker`, which waits for ever).
pub(super) struct BookmarkTicker {
    opened: Moment,
    last_event: Option<Moment>,
    next_tick: Moment,
}

/// client-go: `tools/cache/reflector.go`, `newInitialEventsEndBookmarkTicker`.
const INTERVAL: Duration = Duration::from_secs(10);

/// Without an event for three warnings the bookmark does not come (kubernetes/kubernetes#140890, kcp-dev/kcp#4384).
const PATIENCE: Duration = Duration::from_secs(30);

impl BookmarkTicker {
    pub(super) fn new(opened: Moment) -> Self {
        Self { opened, last_event: None, next_tick: opened + INTERVAL }
    }

    pub(super) fn observe(&mut self, now: Moment) {
        self.last_event = Some(now);
    }

    pub(super) fn gives_up_at(&self) -> Moment {
        self.last_event.unwrap_or(self.opened) + PATIENCE
    }

    /// When to call [`warning`](Self::warning) or to give up, whichever is next.
    pub(super) fn next_due(&self) -> Moment {
        self.next_tick.min(self.gives_up_at())
    }

    /// What to warn of at this tick; none between two ticks, or when something came since the last one.
    pub(super) fn warning(&mut self, now: Moment) -> Option<String> {
        if now < self.next_tick {
            return None;
        }
        self.next_tick = now + INTERVAL;
        self.missing(now)
    }

    /// What is missing, in words.
    pub(super) fn missing(&self, now: Moment) -> Option<String> {
        let Some(last_event) = self.last_event else {
            let waited = now.since(self.opened);
            let what = "awaiting required bookmark event for initial events stream";
            return Some(format!("{what}, no events received for {waited:?}"));
        };
        let quiet = now.since(last_event);
        let what = "hasn't received required bookmark event marking the end of initial events stream";
        (quiet >= INTERVAL).then(|| format!("{what}, received last event {quiet:?} ago"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment::after_start(Duration::from_secs(seconds))
    }

    /// client-go: `TestInitialEventsEndBookmarkTicker`.
    #[test]
    fn it_warns_every_ten_seconds_and_gives_up_after_thirty_without_an_event() {
        let mut ticker = BookmarkTicker::new(at(0));
        assert_eq!((ticker.warning(at(9)), ticker.next_due(), ticker.gives_up_at()), (None, at(10), at(30)));
        let waiting = "awaiting required bookmark event for initial events stream, no events received for";
        assert_eq!(ticker.warning(at(10)), Some(format!("{waiting} 10s")));
        assert_eq!((ticker.warning(at(19)), ticker.next_due()), (None, at(20)));
        assert_eq!(ticker.warning(at(20)), Some(format!("{waiting} 20s")));
        ticker.observe(at(21));
        assert_eq!((ticker.warning(at(30)), ticker.gives_up_at()), (None, at(51)));
        let late =
            "hasn't received required bookmark event marking the end of initial events stream, received last event";
        assert_eq!(ticker.warning(at(40)), Some(format!("{late} 19s ago")));
        assert_eq!(ticker.warning(at(50)), Some(format!("{late} 29s ago")));
        assert_eq!(ticker.next_due(), at(51));
        ticker.observe(at(51));
        assert_eq!((ticker.missing(at(60)), ticker.missing(at(61))), (None, Some(format!("{late} 10s ago"))));
    }
}
