//! What stands between the clients and the host's transports: who may send what, and when.
//!
//! [`Connections`] shares the few connections that a browser has for one host, and [`ReadOnly`] lets nothing through
//! that could change the cluster. Both are [`Transport`](crate::runtime::Transport)s over another one, and know
//! nothing of browsers.
//!
//! `scheduler` and `open_requests` only count; `fetched`, `read_ahead` and `sockets` move bytes.

mod connections;
mod fetched;
mod open_requests;
mod read_ahead;
mod read_only;
mod scheduler;
mod sockets;

pub use connections::Connections;
pub use read_only::ReadOnly;
