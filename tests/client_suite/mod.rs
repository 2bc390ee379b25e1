//! What a person can ask an API server through this crate's clients, as cases that run on any host against any server.
//!
//! Three servers answer them: the one in memory (`in_memory.rs`, virtual time), the real one natively (`real.rs`), and
//! the real one through `kubectl proxy` in a browser (`page/main.rs`, driven by `tests/e2e/client-suite.spec.ts`).
//! A case expects the real server's answers; where the one in memory differs, the case fails there.

mod cases;
mod context;
mod widgets;

use std::time::Duration;

use futures::future::LocalBoxFuture;

pub use cases::all;
pub use context::{Context, Server};

/// Longer than any case needs on a slow machine.
const LIMIT: Duration = Duration::from_secs(60);

pub struct Case {
    /// Module and function, `objects::are_created_and_read`.
    pub name: &'static str,
    run: fn(Context) -> LocalBoxFuture<'static, ()>,
}

/// What a server cannot have, and why: everything else must pass everywhere.
const ABSENT: &[(Server, &str, &str)] =
    &[(Server::Native, "containers::run_commands", "this crate opens WebSockets in browsers only")];

/// The cases that a server can have, and the names of the others with the reason.
pub fn cases_of(server: Server) -> (Vec<Case>, Vec<(&'static str, &'static str)>) {
    let mut cases = all();
    let absent: Vec<_> = ABSENT.iter().filter(|(of, ..)| *of == server).map(|(_, name, why)| (*name, *why)).collect();
    for (name, _) in &absent {
        assert!(cases.iter().any(|case| case.name == *name), "{name} is listed as absent, and there is no such case");
    }
    cases.retain(|case| absent.iter().all(|(name, _)| *name != case.name));
    (cases, absent)
}

/// Runs a case in a namespace of its own, which [`Context::clean_up`] removes, however the case ends.
///
/// # Panics
/// When the case fails.
pub async fn run(case: &Case, context: &Context) {
    context.create_namespace().await;
    let runtime = &context.config.runtime;
    let ended = runtime.timeout_at(runtime.now() + LIMIT, (case.run)(context.clone())).await;
    assert!(ended.is_some(), "it has not ended after {LIMIT:?}");
}
