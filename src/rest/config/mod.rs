//! How clients reach an API server.
//!
//! What only changes a request's path and headers is a layer over the transport (client-go: `transport/`), so that who
//! needs no token and no impersonation does not carry their code.

mod bearer_token;
mod client_config;
mod impersonation;
mod layers;
mod url_backoff;

pub use bearer_token::{BearerToken, Token, TokenSource};
pub use client_config::Config;
pub use impersonation::{Impersonation, MissingUser};
