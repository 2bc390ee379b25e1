//! What an informer makes of real faults, with a real API server: `make test-cluster`.
//!
//! At the end of each case the store is what a fresh list is, and so is what the handlers were told.

#[path = "../support/cluster.rs"]
mod cluster;
#[path = "../support/fault_proxy.rs"]
mod fault_proxy;

mod clock;
mod connection;
mod scene;
mod sent;
mod told;

use std::sync::RwLock;

/// Held for writing by the tests that break the API server, for reading by all others.
static UNBROKEN: RwLock<()> = RwLock::new(());
