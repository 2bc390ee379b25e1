//! The client: what reads, what watches and what writes stand apart.

mod client;
mod read;
mod watch;
mod write;

pub use client::RestClient;
