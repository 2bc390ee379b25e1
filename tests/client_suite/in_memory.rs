//! The client suite against the API server in memory, in virtual time; each case has a server of its own.

#[path = "report.rs"]
mod report;
#[path = "mod.rs"]
#[allow(dead_code, reason = "each target is one of three servers")]
mod suite;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use report::Report;
use suite::{Context, Server};
use watchglass::rest::Config;
use watchglass::testing::Sandbox;
use watchglass::testing::apiserver::ApiServer;

fn main() -> ExitCode {
    let mut report = Report::of(Server::InMemory);
    for (number, case) in report.cases() {
        let sandbox = Sandbox::new();
        let server = ApiServer::new(sandbox.runtime());
        let config = Config::without_rate_limit(&sandbox.runtime(), server.transport());
        let context = Context::new(config, Server::InMemory, "memory", number);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            sandbox.block_on(suite::run(&case, &context));
            sandbox.block_on(context.clean_up());
        }));
        report.add(&case, ended);
    }
    report.finish()
}
