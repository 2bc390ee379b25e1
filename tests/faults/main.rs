//! What an informer makes of real faults, with a real API server: `make test-cluster`.
//!
//! At the end of each case the store is what a fresh list is, and so is what the handlers were told.

#[path = "../support/cluster.rs"]
mod cluster;
#[path = "../support/fault_proxy.rs"]
mod fault_proxy;
#[path = "../support/kubectl_proxy.rs"]
mod kubectl_proxy;

mod clock;
mod compaction;
mod compression;
mod connection;
mod custom_resources;
mod many;
mod outage;
mod rights;
mod scene;
mod secrets;
mod sent;
mod told;
mod web_pages;

use std::sync::RwLock;

/// Held for writing by the tests that break the API server, for reading by all others.
static UNBROKEN: RwLock<()> = RwLock::new(());
