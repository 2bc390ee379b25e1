//! client-go's `discovery`, against a server that is scripted answer by answer.

mod cached;
mod client;
mod content;
mod helpers;
mod invalidation;
mod print;
pub mod server;
mod stored;
