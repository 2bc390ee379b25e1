//! What tests and the demo cluster run on: virtual time, a deterministic executor, an API server in memory.

pub mod apiserver;
mod clock;
mod executor;
pub mod objects;

pub use clock::ManualClock;
pub use executor::Sandbox;
