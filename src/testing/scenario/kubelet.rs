//! The scheduler and the kubelets: what a pod goes through, step by step.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::cast::{CRASHING_IMAGE, FAILING_IMAGE, MISSING_TAG_END, address_of_node};
use super::cluster::{Cluster, Event, is_ready, is_terminating};
use super::voices;
use crate::api::Manifest;
use crate::runtime::Moment;
use crate::testing::objects::{self, PodState, set_field};

/// Where a pod stands, read from the pod alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// On no node yet.
    New,
    /// On a node whose kubelet has not heard of it.
    Bound,
    Creating,
    PullFailed,
    PullBackOff,
    /// Running, and the readiness probe has not passed.
    Starting,
    /// Running well, for as long as the program in it does.
    Up,
    Crashed,
    CrashBackOff,
    Ended,
    Terminating,
}

/// All kubelets and the scheduler.
#[derive(Default)]
pub(super) struct Kubelet {
    /// By the pod's uid: the stage that it is in, and when it leaves it.
    plans: BTreeMap<String, (Stage, Moment)>,
}

impl Kubelet {
    /// Moves every pod that is due to its next stage.
    pub(super) fn act(&mut self, cluster: &mut Cluster) {
        let nodes = cluster.server.objects("nodes");
        let is_lost = |pod: &Manifest| {
            let node = pod.str_at(&["spec", "nodeName"]);
            nodes.iter().any(|known| Some(known.name()) == node && !is_ready(known))
        };
        let now = cluster.now();
        let mut plans = BTreeMap::new();
        for pod in cluster.server.objects("pods") {
            let stage = stage(&pod);
            let known = self.plans.get(pod.uid()).filter(|(planned, _)| *planned == stage);
            let due = match known {
                Some((_, due)) => *due,
                None => match time_in(cluster, stage, &pod) {
                    Some(time) => now + time,
                    None => continue,
                },
            };
            if due > now || is_lost(&pod) {
                plans.insert(pod.uid().to_owned(), (stage, due));
            } else {
                leave(cluster, stage, &pod, &nodes);
            }
        }
        self.plans = plans;
    }
}

fn first_status(pod: &Manifest) -> Option<&Value> {
    pod.list_at(&["status", "containerStatuses"]).first()
}

fn restarts(pod: &Manifest) -> u32 {
    first_status(pod).and_then(|status| status["restartCount"].as_u64()).unwrap_or(0) as u32
}

fn first_container<'a>(pod: &'a Manifest, field: &str) -> &'a str {
    pod.list_at(&["spec", "containers"]).first().and_then(|container| container[field].as_str()).unwrap_or_default()
}

fn is_missing(image: &str) -> bool {
    image.ends_with(MISSING_TAG_END)
}

fn is_job(pod: &Manifest) -> bool {
    pod.str_at(&["spec", "restartPolicy"]).is_some_and(|policy| policy != "Always")
}

fn stage(pod: &Manifest) -> Stage {
    if is_terminating(pod) {
        return Stage::Terminating;
    }
    if pod.str_at(&["spec", "nodeName"]).is_none() {
        return Stage::New;
    }
    if matches!(pod.str_at(&["status", "phase"]), Some("Succeeded" | "Failed")) {
        return Stage::Ended;
    }
    let Some(status) = first_status(pod) else { return Stage::Bound };
    match status.pointer("/state/waiting/reason").and_then(Value::as_str) {
        Some("ErrImagePull") => return Stage::PullFailed,
        Some("ImagePullBackOff") => return Stage::PullBackOff,
        Some("CrashLoopBackOff") => return Stage::CrashBackOff,
        Some(_) => return Stage::Creating,
        None => {}
    }
    if status.pointer("/state/terminated").is_some() {
        return Stage::Crashed;
    }
    // A pod whose node was lost has running containers, and is not ready: it starts anew when the node is back.
    if status["ready"] == true && is_ready(pod) { Stage::Up } else { Stage::Starting }
}

/// How long a pod stays in a stage; none when it stays there until somebody else moves it.
fn time_in(cluster: &Cluster, stage: Stage, pod: &Manifest) -> Option<Duration> {
    let (low_ms, high_ms) = match stage {
        Stage::New => (0, 900),
        Stage::Bound => (0, 400),
        Stage::Creating => (1_000, 3_500),
        Stage::PullFailed => (3_000, 6_000),
        Stage::PullBackOff => (9_000, 16_000),
        Stage::Starting => (1_000, 2_800),
        Stage::Up if is_job(pod) => (8_000, 15_000),
        Stage::Up if first_container(pod, "image") == CRASHING_IMAGE => (4_000, 8_000),
        Stage::Crashed => (1_000, 2_000),
        Stage::CrashBackOff => (8_000, 18_000),
        Stage::Terminating => (2_000, 5_000),
        Stage::Up | Stage::Ended => return None,
    };
    Some(cluster.between(low_ms, high_ms))
}

fn leave(cluster: &mut Cluster, stage: Stage, pod: &Manifest, nodes: &[Arc<Manifest>]) {
    let (image, name) = (first_container(pod, "image"), first_container(pod, "name"));
    let restarts = restarts(pod);
    let kubelet = |reason, message: String| Event::normal("kubelet", reason, message);
    let warning = |reason, message: String| Event::warning("kubelet", reason, message);
    match stage {
        Stage::New => schedule(cluster, pod, nodes),
        Stage::Bound => accept(cluster, pod),
        Stage::Creating | Stage::PullBackOff if is_missing(image) => {
            cluster.set_state(pod, &PodState::ErrImagePull);
            let why = format!("Failed to pull image \"{image}\": {image}: not found");
            cluster.record(pod, warning("Failed", why));
        }
        Stage::Creating | Stage::PullBackOff => {
            let state = if is_job(pod) { PodState::Running { restarts } } else { PodState::Unready { restarts } };
            cluster.set_state(pod, &state);
            cluster.record(pod, kubelet("Pulled", format!("Container image \"{image}\" already present on machine")));
            cluster.record(pod, kubelet("Created", format!("Created container: {name}")));
            cluster.record(pod, kubelet("Started", format!("Started container {name}")));
        }
        Stage::PullFailed => {
            cluster.set_state(pod, &PodState::ImagePullBackOff);
            cluster.record(pod, kubelet("BackOff", format!("Back-off pulling image \"{image}\"")));
        }
        Stage::Starting => cluster.set_state(pod, &PodState::Running { restarts }),
        Stage::Up if is_job(pod) && image == FAILING_IMAGE => cluster.set_state(pod, &PodState::Failed),
        Stage::Up if is_job(pod) => cluster.set_state(pod, &PodState::Completed),
        Stage::Up => {
            voices::crash(cluster, pod);
            cluster.set_state(pod, &PodState::Error { restarts });
        }
        // The first restart is made at once.
        Stage::Crashed if image == CRASHING_IMAGE && restarts > 0 => {
            cluster.set_state(pod, &PodState::CrashLoopBackOff { restarts });
            cluster.record(pod, warning("BackOff", format!("Back-off restarting failed container {name}")));
        }
        Stage::Crashed | Stage::CrashBackOff => {
            cluster.set_state(pod, &PodState::Unready { restarts: restarts + 1 });
            voices::restart(cluster, pod);
            cluster.record(pod, kubelet("Started", format!("Started container {name}")));
        }
        Stage::Terminating => {
            let _ = cluster.server.delete("pods", pod.namespace(), pod.name());
        }
        Stage::Ended => {}
    }
}

/// Chooses the ready node with the fewest pods.
fn schedule(cluster: &mut Cluster, pod: &Manifest, nodes: &[Arc<Manifest>]) {
    let pods = cluster.server.objects("pods");
    let load =
        |node: &Manifest| pods.iter().filter(|pod| pod.str_at(&["spec", "nodeName"]) == Some(node.name())).count();
    let usable = |node: &&Arc<Manifest>| is_ready(node) && node.get(&["spec", "unschedulable"]).is_none();
    let Some(node) = nodes.iter().filter(usable).min_by_key(|node| load(node)) else {
        if pod.list_at(&["status", "conditions"]).is_empty() {
            cluster.set_state(pod, &PodState::Unschedulable);
        }
        let message = format!("0/{} nodes are available.", nodes.len());
        cluster.record(pod, Event::warning("default-scheduler", "FailedScheduling", message));
        return;
    };
    cluster.modify("pods", pod, |pod| set_field(pod, "spec.nodeName", node.name()));
    let message = format!("Successfully assigned {}/{} to {}", pod.namespace(), pod.name(), node.name());
    cluster.record(pod, Event::normal("default-scheduler", "Scheduled", message));
    if let Some(bound) = cluster.server.get("pods", pod.namespace(), pod.name()) {
        accept(cluster, &bound);
    }
}

/// The kubelet begins with the pod.
fn accept(cluster: &mut Cluster, pod: &Manifest) {
    let (at, ip) = (cluster.wall(), cluster.new_pod_ip());
    let node = pod.str_at(&["spec", "nodeName"]).unwrap_or_default().to_owned();
    cluster.modify("pods", pod, |pod| {
        objects::set_placement(pod, &node, address_of_node(&node), &ip);
        objects::set_pod_state(pod, &PodState::ContainerCreating, at);
    });
    let message = format!("Pulling image \"{}\"", first_container(pod, "image"));
    cluster.record(pod, Event::normal("kubelet", "Pulling", message));
}
