//! The client suite against the real API server, natively.

#[path = "../support/cluster.rs"]
mod cluster;
#[path = "report.rs"]
mod report;
#[path = "mod.rs"]
#[allow(dead_code, reason = "each target is one of three servers")]
mod suite;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _, stream};

use cluster::cluster;
use report::Report;
use suite::{Context, Server};

/// So many cases run at once: they wait for the cluster more than for the processor.
const AT_ONCE: usize = 6;

fn main() -> ExitCode {
    let mut report = Report::of(Server::Native);
    let run = std::process::id().to_string();
    cluster::run(Duration::from_secs(600), async {
        let config = cluster().config("admin");
        let cases = stream::iter(report.cases()).map(|(number, case)| {
            let context = Context::new(config.clone(), Server::Native, &run, number);
            async move {
                let ended = AssertUnwindSafe(suite::run(&case, &context)).catch_unwind().await;
                context.clean_up().await;
                (case, ended)
            }
        });
        let mut cases = cases.buffer_unordered(AT_ONCE);
        while let Some((case, ended)) = cases.next().await {
            report.add(&case, ended);
        }
    });
    report.finish()
}
