//! The client suite against the API server in memory, in virtual time; each case has a server of its own.

#[path = "report.rs"]
mod report;
#[path = "mod.rs"]
#[allow(dead_code, reason = "each target is one of three servers")]
mod suite;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::rc::Rc;

use report::Report;
use suite::{Context, Server};
use watchglass::api::Manifest;
use watchglass::rest::Config;
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::{Sandbox, objects};

fn main() -> ExitCode {
    let mut report = Report::of(Server::InMemory);
    for (number, case) in report.cases() {
        let sandbox = Sandbox::new();
        let server = ApiServer::new(sandbox.runtime());
        let config = Config::without_rate_limit(&sandbox.runtime(), server.transport()).with_sockets(server.sockets());
        let mut context = Context::new(config, Server::InMemory, "memory", number);
        context.kubelet = Some(Rc::new(move |namespace: &str, pod: &str| run_pod(&server, namespace, pod)));
        let ended = catch_unwind(AssertUnwindSafe(|| {
            sandbox.block_on(suite::run(&case, &context));
            sandbox.block_on(context.clean_up());
        }));
        report.add(&case, ended);
    }
    report.finish()
}

fn run_pod(server: &ApiServer, namespace: &str, name: &str) {
    let run = |pod: &mut Manifest| {
        objects::set_field(pod, "spec.nodeName", "node");
        objects::set_field(pod, "status.phase", "Running");
    };
    server.modify("pods", namespace, name, run).expect("the pod is there");
    for line in ["begun", "working", "still working"] {
        server.append_log(namespace, name, "app", line).expect("the pod has this container");
    }
}
