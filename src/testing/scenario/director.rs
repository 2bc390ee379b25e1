//! Decides what happens. It changes specs, as people would, and nodes, as fate would; the rest follows.

use std::time::Duration;

use serde_json::{Value, json};

use super::cast::{self, FAILING_IMAGE, MISSING_TAG_END};
use super::cluster::{Cluster, Event, first_image, is_active, is_ready};
use super::surroundings;
use crate::api::Manifest;
use crate::runtime::Moment;
use crate::testing::objects::{self, PodState, PodTemplate, set_field};

/// What people see happen in the large.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// A new version of a deployment, by namespace and name.
    Rollout(&'static str, &'static str),
    /// A version that is not in the registry: the rollout hangs.
    BadRollout(&'static str, &'static str),
    /// The next good version after a bad one.
    Repair(&'static str, &'static str),
    NodeLost,
    NodeBack,
    /// A job that completes; older ones are taken away.
    Job,
    /// A job that fails, in the place of the one before.
    FailingJob,
    /// A node that takes no pods, and takes them again.
    Cordon(&'static str, bool),
    /// A node whose disk fills up, and is cleaned.
    DiskPressure(&'static str, bool),
    /// A claim that still waits for a volume.
    Complain,
}

/// When each act begins, in seconds after the beginning of a round.
const ROUND: [(u64, Act); 26] = [
    (0, Act::DiskPressure("fra1-pool-b-2", true)),
    (0, Act::FailingJob),
    (1, Act::Complain),
    (3, Act::Job),
    (5, Act::Cordon("fra1-pool-a-2", true)),
    (12, Act::Rollout("shop", "web")),
    (16, Act::Complain),
    (31, Act::Complain),
    (40, Act::NodeLost),
    (50, Act::Job),
    (51, Act::Complain),
    (60, Act::Rollout("search", "query")),
    (70, Act::Cordon("fra1-pool-a-2", false)),
    (76, Act::Complain),
    (80, Act::DiskPressure("fra1-pool-b-2", false)),
    (84, Act::FailingJob),
    (88, Act::NodeBack),
    (96, Act::BadRollout("search", "indexer")),
    (104, Act::Job),
    (106, Act::Complain),
    (114, Act::Rollout("media", "transcoder")),
    (120, Act::DiskPressure("fra1-pool-b-1", true)),
    (136, Act::Complain),
    (145, Act::Repair("search", "indexer")),
    (152, Act::Rollout("payments", "gateway")),
    (160, Act::DiskPressure("fra1-pool-b-1", false)),
];

const ROUND_LENGTH: Duration = Duration::from_secs(168);

/// A deployment is never scaled further than this above its first number of replicas.
const MAX_EXTRA_REPLICAS: u32 = 3;

pub(super) struct Director {
    round_begins: Moment,
    acts_done: usize,
    next_small_thing: Moment,
    lost_node: Option<&'static str>,
    jobs_made: u64,
}

impl Director {
    pub(super) fn new(cluster: &Cluster) -> Self {
        let now = cluster.now();
        Self { round_begins: now, acts_done: 0, next_small_thing: now, lost_node: None, jobs_made: 0 }
    }

    pub(super) fn act(&mut self, cluster: &mut Cluster) {
        let now = cluster.now();
        while let Some((second, act)) = ROUND.get(self.acts_done) {
            if now < self.round_begins + Duration::from_secs(*second) {
                break;
            }
            self.acts_done += 1;
            self.begin(cluster, *act);
        }
        if now >= self.round_begins + ROUND_LENGTH {
            self.round_begins = now;
            self.acts_done = 0;
        }
        if now >= self.next_small_thing {
            self.next_small_thing = now + cluster.between(900, 2_500);
            self.small_thing(cluster);
        }
    }

    fn begin(&mut self, cluster: &mut Cluster, act: Act) {
        match act {
            Act::Rollout(namespace, name) => set_image(cluster, namespace, name, next_version),
            Act::Repair(namespace, name) => {
                set_image(cluster, namespace, name, |image| image.trim_end_matches(MISSING_TAG_END).to_owned());
            }
            Act::BadRollout(namespace, name) => {
                set_image(cluster, namespace, name, |image| format!("{}{MISSING_TAG_END}", next_version(image)));
            }
            Act::NodeLost => {
                let nodes: Vec<_> = cast::nodes().collect();
                self.lost_node = cluster.pick(&nodes).copied();
                if let Some(node) = self.lost_node {
                    set_node_ready(cluster, node, false);
                }
            }
            Act::NodeBack => {
                if let Some(node) = self.lost_node.take() {
                    set_node_ready(cluster, node, true);
                }
            }
            Act::Job => self.new_job(cluster),
            Act::FailingJob => new_failing_job(cluster),
            Act::Cordon(node, is_closed) => cordon(cluster, node, is_closed),
            Act::DiskPressure(node, is_full) => set_disk_pressure(cluster, node, is_full),
            Act::Complain => surroundings::complain(cluster),
        }
    }

    fn new_job(&mut self, cluster: &mut Cluster) {
        const FIRST: u64 = 29_412_600;
        const KEPT: u64 = 2;
        let name = |number: u64| format!("nightly-export-{}", FIRST + number);
        let template = PodTemplate {
            app: "nightly-export".into(),
            image: "registry.example/reports/export:2.1.0".into(),
            restart_policy: "Never".into(),
            ..PodTemplate::default()
        };
        let mut job = objects::job("reports", &name(self.jobs_made), &template.image);
        set_field(&mut job, "spec.template", template.to_template());
        job.fields.remove("status");
        // The namespace may have been deleted by a person.
        let _ = cluster.server.create(job);
        if let Some(old) = self.jobs_made.checked_sub(KEPT) {
            let _ = cluster.server.delete("jobs", "reports", &name(old));
        }
        self.jobs_made += 1;
    }

    /// Something is always going on.
    fn small_thing(&self, cluster: &mut Cluster) {
        match cluster.chance() {
            chance if chance < 0.5 => self.disturb(cluster, false),
            chance if chance < 0.6 => self.disturb(cluster, true),
            _ => scale_something(cluster),
        }
    }

    /// A readiness probe fails, or a container ends and is started again.
    fn disturb(&self, cluster: &mut Cluster, ends: bool) {
        let mut pods = cluster.server.objects("pods");
        pods.retain(|pod| {
            let of_set = pod.metadata.owner_references.first().is_some_and(|owner| owner.kind == "ReplicaSet");
            let lost = pod.str_at(&["spec", "nodeName"]) == self.lost_node;
            of_set && !lost && is_active(pod) && is_ready(pod)
        });
        let Some(pod) = cluster.pick(&pods) else { return };
        let restarts = pod.list_at(&["status", "containerStatuses"]).first();
        let restarts = restarts.and_then(|status| status["restartCount"].as_u64()).unwrap_or(0) as u32;
        if ends {
            cluster.set_state(pod, &PodState::Error { restarts });
        } else {
            cluster.set_state(pod, &PodState::Unready { restarts });
            let message = "Readiness probe failed: HTTP probe failed with statuscode: 503";
            cluster.record(pod, Event::warning("kubelet", "Unhealthy", message));
        }
    }
}

fn new_failing_job(cluster: &Cluster) {
    const NAME: &str = "hourly-import-29412605";
    let template = PodTemplate {
        app: "hourly-import".into(),
        image: FAILING_IMAGE.into(),
        restart_policy: "Never".into(),
        ..PodTemplate::default()
    };
    let _ = cluster.server.delete("jobs", "reports", NAME);
    let mut job = objects::job("reports", NAME, FAILING_IMAGE);
    set_field(&mut job, "spec.template", template.to_template());
    set_field(&mut job, "spec.backoffLimit", 0);
    job.fields.remove("status");
    // The namespace may have been deleted by a person.
    let _ = cluster.server.create(job);
}

fn cordon(cluster: &Cluster, name: &str, is_closed: bool) {
    let Some(node) = cluster.server.get("nodes", "", name) else { return };
    cluster.modify("nodes", &node, |node| match node.fields.get_mut("spec") {
        Some(Value::Object(spec)) if !is_closed => _ = spec.remove("unschedulable"),
        _ => set_field(node, "spec.unschedulable", true),
    });
}

fn set_disk_pressure(cluster: &mut Cluster, name: &str, is_full: bool) {
    let Some(node) = cluster.server.get("nodes", "", name).filter(|node| is_ready(node)) else { return };
    let at = json!(cluster.wall());
    let (status, reason, message) = match is_full {
        true => ("True", "KubeletHasDiskPressure", "kubelet has disk pressure"),
        false => ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    };
    cluster.modify("nodes", &node, |node| {
        let conditions = node.fields.get_mut("status").and_then(|status| status.get_mut("conditions"));
        let conditions = conditions.and_then(Value::as_array_mut).into_iter().flatten();
        for condition in conditions.filter(|condition| condition["type"] == "DiskPressure") {
            condition["status"] = status.into();
            condition["reason"] = reason.into();
            condition["message"] = message.into();
            condition["lastTransitionTime"] = at.clone();
        }
    });
    let message = format!("Node {name} status is now: Node{}", reason.trim_start_matches("Kubelet"));
    let event = if is_full {
        Event::warning("kubelet", "NodeHasDiskPressure", message)
    } else {
        Event::normal("kubelet", "NodeHasNoDiskPressure", message)
    };
    cluster.record(&node, event);
}

fn scale_something(cluster: &Cluster) {
    let deployments: Vec<_> = cast::deployments().filter(|(_, _, replicas)| *replicas > 1).collect();
    let Some((namespace, name, first)) = cluster.pick(&deployments).copied() else { return };
    let Some(deployment) = cluster.server.get("deployments", namespace, name) else { return };
    let replicas = deployment.int_at(&["spec", "replicas"]).unwrap_or(0);
    let (least, most) = (i64::from(first) - 1, i64::from(first + MAX_EXTRA_REPLICAS));
    // What a person has scaled further is left alone.
    if !(least..=most).contains(&replicas) {
        return;
    }
    let up = cluster.chance() < 0.5;
    let target = if up { (replicas + 2).min(most) } else { (replicas - 1).max(least) };
    cluster.modify("deployments", &deployment, |deployment| set_field(deployment, "spec.replicas", target));
}

fn set_image(cluster: &Cluster, namespace: &str, name: &str, change: impl FnOnce(&str) -> String) {
    let Some(deployment) = cluster.server.get("deployments", namespace, name) else { return };
    let image = change(first_image(&deployment));
    cluster.modify("deployments", &deployment, |deployment: &mut Manifest| {
        let container = deployment.fields.get_mut("spec");
        if let Some(container) = container.and_then(|spec| spec.pointer_mut("/template/spec/containers/0")) {
            container["image"] = Value::String(image);
        }
    });
}

/// `web:4.12.0` → `web:4.12.1`.
fn next_version(image: &str) -> String {
    let image = image.trim_end_matches(MISSING_TAG_END);
    match image.rsplit_once('.') {
        Some((start, last)) => format!("{start}.{}", last.parse::<u32>().map_or(0, |last| last + 1)),
        None => format!("{image}.1"),
    }
}

fn set_node_ready(cluster: &mut Cluster, name: &str, ready: bool) {
    let Some(node) = cluster.server.get("nodes", "", name) else { return };
    let at = cluster.wall().to_string();
    cluster.modify("nodes", &node, |node| {
        let conditions = objects::node_conditions(if ready { "True" } else { "Unknown" }, &at);
        set_field(node, "status.conditions", conditions);
        let taint =
            |effect: &str| json!({ "key": "node.kubernetes.io/unreachable", "effect": effect, "timeAdded": at });
        let taints = if ready { Value::Null } else { json!([taint("NoSchedule"), taint("NoExecute")]) };
        set_field(node, "spec.taints", taints);
        if let (true, Some(Value::Object(spec))) = (ready, node.fields.get_mut("spec")) {
            spec.remove("taints");
        }
    });
    let (reason, status) = if ready { ("NodeReady", "NodeReady") } else { ("NodeNotReady", "NodeNotReady") };
    let message = format!("Node {name} status is now: {status}");
    cluster.record(&node, Event::normal("node-controller", reason, message));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_version_counts_its_last_number() {
        for (image, next) in
            [("r.example/web:4.12.0", "r.example/web:4.12.1"), ("r.example/web:4.12.9-rc1", "r.example/web:4.12.10")]
        {
            assert_eq!(next_version(image), next);
        }
    }
}
