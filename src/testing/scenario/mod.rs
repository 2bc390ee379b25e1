//! A living cluster: a play on the in-memory server that goes on for ever, the same for the same seed.
//!
//! `cast` and `surroundings` are what there is at the beginning. `director` decides what happens, by changing specs as people would, and
//! nodes as fate would. `deployments`, `workloads` and `kubelet` then do what controllers, scheduler and kubelets do,
//! and `metrics` what metrics-server does, whoever changed the spec: a deployment that a person scales, edits or deletes is treated no differently.
//! All of them look at what is there and move it one step, twice a second.

mod cast;
mod cluster;
mod deployments;
mod director;
mod kubelet;
mod metrics;
mod recorder;
mod surroundings;
mod voices;
mod workloads;

use std::fmt;
use std::time::Duration;

use super::apiserver::ApiServer;
use crate::runtime::{Runtime, Task};
use cluster::Cluster;
use director::Director;
use kubelet::Kubelet;

/// How often everything moves on.
const TICK: Duration = Duration::from_millis(500);

/// A running play. It stops when this is dropped; the objects stay as they are.
#[must_use = "the scenario stops when this is dropped"]
pub struct Scenario {
    server: ApiServer,
    _task: Task,
}

impl Scenario {
    /// Fills the server and starts the play.
    pub fn start(server: &ApiServer, runtime: &Runtime, seed: u64) -> Self {
        let mut cluster = Cluster::new(server.clone(), runtime.clone(), seed);
        server.serve_metrics();
        cast::enter(&mut cluster);
        let mut meter = metrics::Meter::default();
        meter.act(&cluster);
        server.set_has_kubelet(true);
        let task_runtime = runtime.clone();
        let task = runtime.spawn(async move {
            let (mut director, mut kubelet) = (Director::new(&cluster), Kubelet::default());
            loop {
                task_runtime.sleep(TICK).await;
                director.act(&mut cluster);
                deployments::reconcile(&mut cluster);
                workloads::reconcile(&mut cluster);
                kubelet.act(&mut cluster);
                meter.act(&cluster);
                voices::speak(&cluster);
            }
        });
        Self { server: server.clone(), _task: task }
    }
}

impl Drop for Scenario {
    fn drop(&mut self) {
        self.server.set_has_kubelet(false);
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario").field("server", &self.server).finish_non_exhaustive()
    }
}
