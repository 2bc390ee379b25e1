use std::time::Duration;

use jiff::Timestamp;

/// How long a lost connection may take to come back before what is shown counts as stale.
const GRACE: Duration = Duration::from_secs(10);

/// What is known of the way to the server, from which [`Freshness`] follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// A whole list was received once.
    pub synced: bool,
    /// Since when nothing has worked; none while all is well.
    pub failing_since: Option<Timestamp>,
    /// When the server was last heard of.
    pub last: Option<Timestamp>,
    /// The user may list and not watch.
    pub is_unwatched: bool,
}

/// How far what is shown can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing whole has come yet.
    #[default]
    Connecting,
    /// Changes are shown as they happen.
    Connected,
    /// The list comes anew from time to time: changes may not be watched.
    Unwatched,
    /// The connection was just lost, or never came about, and is tried again.
    Reconnecting,
    /// The connection is lost for longer: the rows show how things were at that time.
    Stale { since: Timestamp },
}

impl Contact {
    pub fn freshness(&self, now: Timestamp) -> Freshness {
        match self.failing_since {
            None if self.synced && self.is_unwatched => Freshness::Unwatched,
            None if self.synced => Freshness::Connected,
            None => Freshness::Connecting,
            // Nothing stands on the screen that could be stale.
            Some(_) if !self.synced => Freshness::Reconnecting,
            Some(since) if now.duration_since(since).unsigned_abs() < GRACE => Freshness::Reconnecting,
            Some(since) => Freshness::Stale { since: self.last.unwrap_or(since) },
        }
    }
}

impl Freshness {
    /// The name in the page's attributes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Unwatched => "unwatched",
            Self::Reconnecting => "reconnecting",
            Self::Stale { .. } => "stale",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_connection_becomes_stale_after_ten_seconds() {
        let at = |seconds: i64| Timestamp::from_second(1_796_000_000 + seconds).unwrap();
        let contact = |synced, failing_since: Option<i64>| Contact {
            synced,
            failing_since: failing_since.map(at),
            last: Some(at(-30)),
            is_unwatched: false,
        };
        assert_eq!(Contact::default().freshness(at(0)), Freshness::Connecting);
        assert_eq!(contact(false, Some(0)).freshness(at(60)), Freshness::Reconnecting);
        assert_eq!(contact(true, None).freshness(at(600)), Freshness::Connected);
        assert_eq!(contact(true, Some(0)).freshness(at(9)), Freshness::Reconnecting);
        assert_eq!(contact(true, Some(0)).freshness(at(10)), Freshness::Stale { since: at(-30) });
        let unwatched = Contact { is_unwatched: true, ..contact(true, None) };
        assert_eq!(unwatched.freshness(at(600)), Freshness::Unwatched);
        let never_heard = Contact { last: None, ..contact(true, Some(0)) };
        assert_eq!(never_heard.freshness(at(10)), Freshness::Stale { since: at(0) });
    }
}
