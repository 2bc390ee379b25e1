use std::time::Duration;

use event_listener::EventListener;
use futures::future::select;

use crate::runtime::{Moment, Runtime};

/// What waits is looked at this often even if no timer fires: browsers hold back the timers of hidden pages.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Waits for the change, for the time when the earliest item is due, and no longer than a heartbeat if there is one.
///
/// There is one timer at a time, however many items wait and however far away they are.
pub(super) async fn changed_or_due(runtime: &Runtime, changed: EventListener, earliest: Option<Moment>) {
    match earliest {
        Some(due) => {
            let wake = due.min(runtime.now() + HEARTBEAT);
            select(changed, runtime.clock.sleep_until(wake)).await;
        }
        None => changed.await,
    }
}
