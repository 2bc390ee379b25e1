//! What tests and the demo cluster run on: virtual time, a deterministic executor, an API server in memory.

pub mod apiserver;
mod clock;
mod executor;
pub mod objects;
mod scenario;

pub use clock::ManualClock;
pub use executor::Sandbox;
pub use scenario::Scenario;
