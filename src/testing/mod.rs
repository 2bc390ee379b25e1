//! What tests and the demo cluster run on: virtual time, a deterministic executor, an API server in memory.

pub mod apiserver;
mod clock;
mod executor;
mod host;
pub mod objects;
mod scenario;

pub use clock::ManualClock;
pub use executor::Sandbox;
pub use host::ManualHost;
pub use scenario::Scenario;
