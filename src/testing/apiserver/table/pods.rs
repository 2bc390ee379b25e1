//! What a pod's row says, which is more than any one of its fields does.

use jiff::Timestamp;
use serde_json::Value;

use super::BuiltIn;
use super::text::{Now, has_condition, list, text, text_or};
use crate::api::Manifest;

pub(super) const PODS: BuiltIn = ("Name Ready Status Restarts Age IP* Node* Nominated_Node* Readiness_Gates*", cells);

fn cells(pod: &Manifest, now: Now) -> Vec<Value> {
    let state = State::of(pod);
    let restarts = match (state.restarts, state.last_restart) {
        (0, _) | (_, None) => state.restarts.to_string(),
        (count, last) => format!("{count} ({} ago)", now.since(last)),
    };
    let ip = list(pod, "status.podIPs").first().and_then(|ip| ip["ip"].as_str()).filter(|ip| !ip.is_empty());
    vec![
        pod.name().into(),
        format!("{}/{}", state.ready, state.containers).into(),
        state.reason.into(),
        restarts.into(),
        now.age(pod),
        ip.unwrap_or("<none>").into(),
        text_or(pod, "spec.nodeName", "<none>").into(),
        text_or(pod, "status.nominatedNodeName", "<none>").into(),
        readiness_gates(pod).into(),
    ]
}

fn readiness_gates(pod: &Manifest) -> String {
    let gates = list(pod, "spec.readinessGates");
    if gates.is_empty() {
        return "<none>".into();
    }
    let conditions = list(pod, "status.conditions");
    let is_true = |gate: &&Value| {
        let condition = conditions.iter().find(|condition| condition["type"] == gate["conditionType"]);
        condition.is_some_and(|condition| condition["status"] == "True")
    };
    format!("{}/{}", gates.iter().filter(is_true).count(), gates.len())
}

/// What the containers' states come to.
struct State {
    ready: usize,
    containers: usize,
    reason: String,
    restarts: i64,
    last_restart: Option<Timestamp>,
}

impl State {
    fn of(pod: &Manifest) -> Self {
        let phase = text(pod, "status.phase");
        let mut reason = text_or(pod, "status.reason", phase).to_owned();
        let conditions = list(pod, "status.conditions");
        if conditions.iter().any(|it| it["type"] == "PodScheduled" && it["reason"] == "SchedulingGated") {
            reason = "SchedulingGated".into();
        }
        let sidecars = list(pod, "spec.initContainers").iter().filter(|container| is_sidecar(container)).count();
        let containers = list(pod, "spec.containers").len() + sidecars;
        let mut state = Self { ready: 0, containers, reason, restarts: 0, last_restart: None };
        let initializing = state.add_init_containers(pod);
        if !initializing || has_condition(conditions, "Initialized") {
            state.count_sidecars_alone(pod);
            state.add_containers(pod);
        }
        let terminating = pod.metadata.deletion_timestamp.is_some();
        if terminating && text(pod, "status.reason") == "NodeLost" {
            state.reason = "Unknown".into();
        } else if terminating && !["Succeeded", "Failed"].contains(&phase) {
            state.reason = "Terminating".into();
        }
        state
    }

    fn add_restarts(&mut self, status: &Value) {
        self.restarts += status["restartCount"].as_i64().unwrap_or(0);
        let last = status["lastState"]["terminated"]["finishedAt"].as_str().and_then(|time| time.parse().ok());
        self.last_restart = self.last_restart.max(last);
    }

    /// Whether the pod is still initializing: then its first unfinished init container gives the reason.
    fn add_init_containers(&mut self, pod: &Manifest) -> bool {
        for (place, status) in list(pod, "status.initContainerStatuses").iter().enumerate() {
            self.add_restarts(status);
            let (terminated, waiting) = (&status["state"]["terminated"], &status["state"]["waiting"]["reason"]);
            if terminated["exitCode"] == 0 {
                continue;
            }
            if is_sidecar_status(pod, status) && status["started"] == true {
                self.ready += usize::from(status["ready"] == true);
                continue;
            }
            let waiting = waiting.as_str().filter(|reason| !reason.is_empty() && *reason != "PodInitializing");
            self.reason = match waiting {
                _ if terminated.is_object() => format!("Init:{}", end_of(terminated)),
                Some(reason) => format!("Init:{reason}"),
                None => format!("Init:{place}/{}", list(pod, "spec.initContainers").len()),
            };
            return true;
        }
        false
    }

    /// Forgets the restarts of init containers that have done their work.
    fn count_sidecars_alone(&mut self, pod: &Manifest) {
        (self.restarts, self.last_restart) = (0, None);
        for status in list(pod, "status.initContainerStatuses") {
            if is_sidecar_status(pod, status) {
                self.add_restarts(status);
            }
        }
    }

    fn add_containers(&mut self, pod: &Manifest) {
        let (mut has_running, mut error) = (false, None);
        for status in list(pod, "status.containerStatuses").iter().rev() {
            self.add_restarts(status);
            let state = &status["state"];
            let waiting = state["waiting"]["reason"].as_str().filter(|reason| !reason.is_empty());
            if let Some(reason) = waiting {
                self.reason = reason.into();
            } else if state["terminated"].is_object() {
                self.reason = end_of(&state["terminated"]);
                if state["terminated"]["exitCode"] != 0 {
                    error = Some(self.reason.clone());
                }
            } else if status["ready"] == true && state["running"].is_object() {
                has_running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            let is_ready = has_running && has_condition(list(pod, "status.conditions"), "Ready");
            self.reason = match error {
                _ if is_ready => "Running".into(),
                Some(error) => error,
                None if has_running => "NotReady".into(),
                None => return,
            };
        }
    }
}

/// Why a container has ended.
fn end_of(terminated: &Value) -> String {
    match (terminated["reason"].as_str().unwrap_or_default(), terminated["signal"].as_i64().unwrap_or(0)) {
        ("", 0) => format!("ExitCode:{}", terminated["exitCode"].as_i64().unwrap_or(0)),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.into(),
    }
}

fn is_sidecar(container: &Value) -> bool {
    container["restartPolicy"] == "Always"
}

fn is_sidecar_status(pod: &Manifest, status: &Value) -> bool {
    let mut containers = list(pod, "spec.initContainers").iter();
    containers.any(|container| container["name"] == status["name"] && is_sidecar(container))
}
