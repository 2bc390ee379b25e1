//! Logs of containers: their lines as they come, and logs that are followed over breaks and restarts.
//!
//! `client` gives the lines of one request. `follow` asks again wherever the lines break off, `join` finds out which of
//! the lines that come then have come before, and `container` reads from the pod why a log has ended.

mod client;
mod container;
mod follow;
mod join;

pub use client::{Lines, LogClient};
pub use container::ContainerEnd;
pub use follow::{LogEvent, LogFollower, LogRequest, LogStart, LogState};
