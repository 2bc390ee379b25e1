use jiff::Timestamp;

use crate::api::Error;

/// What an informer has done since it started (client-go has no such thing: there only metrics tell of it).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// Whole lists that came.
    pub lists: u64,
    /// Watches that were opened.
    pub watches: u64,
    /// Additions, updates and deletions that came by watches.
    pub events: u64,
    /// How often something failed, so that it had to wait and begin again.
    pub restarts: u64,
    /// When the last event came, by the wall clock.
    pub last_event: Option<Timestamp>,
    /// When the last bookmark came, by the wall clock.
    pub last_bookmark: Option<Timestamp>,
    /// The last failure and its time, also when all is well since.
    pub last_failure: Option<(Timestamp, Error)>,
}
