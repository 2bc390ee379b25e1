//! Requests to an API server over a [`Transport`](crate::runtime::Transport).
//!
//! `decode` turns bytes into values and never waits; the other files move bytes and never look into them.

mod config;
pub mod decode;
pub mod discovery;
mod list_watch;
mod pager;
mod response;
mod rest_client;
pub mod rest_mapper;

pub use config::Config;
pub use list_watch::ResourceListWatch;
pub use pager::{ListPager, Page};
pub use rest_client::RestClient;

pub use crate::api::Error;
