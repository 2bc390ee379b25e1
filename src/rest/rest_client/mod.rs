//! The client: what sends, what reads, what watches and what writes stand apart.

mod accept;
mod client;
mod read;
mod send;
mod watch;
mod write;

pub use accept::{Accept, IncludeObject};
pub(in crate::rest) use client::scope;
pub use client::{RawAnswer, RestClient};
#[cfg(feature = "typed")]
pub(in crate::rest) use client::{address, reading};
#[cfg(feature = "typed")]
pub(in crate::rest) use write::{patching, writing};
