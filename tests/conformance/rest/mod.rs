//! Requests as a server sees them, and answers as a client's user sees them.

mod backoff;
mod config;
mod errors;
mod first_pages;
mod requests;
mod retries;
mod retryable;
pub(crate) mod scripted;
mod streams;
mod warnings;
mod watches;
