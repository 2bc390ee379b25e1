//! Requests to an API server over a [`Transport`](crate::runtime::Transport).
//!
//! `decode` turns bytes into values and never waits; the other files move bytes and never look into them.

#[cfg(feature = "typed")]
pub mod clientset;
mod config;
pub mod decode;
pub mod discovery;
mod dynamic;
mod exec;
mod list_watch;
mod log;
mod metadata;
mod pager;
mod response;
mod rest_client;
pub mod rest_mapper;
mod warnings;

pub use config::{BearerToken, Config, Impersonation, MissingUser, Token, TokenSource};
pub use dynamic::{DynamicClient, DynamicResource};
pub use exec::{ExecClient, ExecInput, ExecOutput, Execution};
pub use list_watch::{FirstPage, FirstPages, ResourceListWatch};
pub use log::{ContainerEnd, Lines, LogClient, LogEvent, LogFollower, LogRequest, LogStart, LogState};
pub use metadata::{MetadataClient, MetadataResource};
pub use pager::{ListPager, Page};
pub use rest_client::{Accept, IncludeObject, RawAnswer, RestClient};
pub use warnings::{NoWarnings, WarningCollector, WarningHandler, WarningLogger};

pub use crate::api::Error;
