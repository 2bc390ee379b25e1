//! The pages: each reads the context and brings state and components together.

pub(crate) mod grouped_events;
pub(crate) mod informers;
pub(crate) mod object;
pub(crate) mod overview;
pub(crate) mod resource;

use super::state::Session;

/// Waits until somebody sees the page.
async fn until_seen(session: Session) {
    let host = session.runtime().host;
    while host.state().is_hidden {
        host.changed().await;
    }
}
