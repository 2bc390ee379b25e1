use jiff::Timestamp;
use serde_json::Value;

use super::{Cell, Column};
use crate::api::{Object, parse_time};
use crate::view::Health;

pub(super) const COLUMNS: [Column; 8] = [
    Column::new("NAMESPACE", false, "The namespace the pod is in"),
    Column::new("NAME", false, "The pod's name"),
    Column::new("READY", true, "Containers that are ready, of all containers"),
    Column::new("STATUS", false, "What the containers are doing, taken together"),
    Column::new("RESTARTS", true, "How often containers were restarted, and when last"),
    Column::new("AGE", true, "Time since the pod was created"),
    Column::new("IP", false, "The pod's first IP address"),
    Column::new("NODE", false, "The node the pod is bound to"),
];

/// A pod's cells (kubernetes: pkg/printers/internalversion/printers.go, `printPod`, wide).
pub(super) fn print(pod: &Object) -> Box<[Cell]> {
    let summary = Summary::of(pod);
    let ip = match pod.list_at(&["status", "podIPs"]) {
        [] => pod.str_at(&["status", "podIP"]),
        [first, ..] => first.get("ip").and_then(Value::as_str),
    };
    Box::new([
        Cell::text(pod.namespace()),
        Cell::text(pod.name()),
        Cell::Ready { ready: summary.ready, total: summary.total },
        Cell::Status { health: summary.health(pod), text: summary.reason.into() },
        Cell::Restarts { count: summary.restarts.count, last: summary.restarts.last },
        Cell::Age(pod.metadata.creation_timestamp),
        Cell::address(ip.unwrap_or_default()),
        Cell::text(pod.str_at(&["spec", "nodeName"]).unwrap_or_default()),
    ])
}

/// What the statuses of all containers come to.
#[derive(Default)]
struct Summary {
    reason: String,
    ready: u32,
    total: u32,
    restarts: Restarts,
}

#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<Timestamp>,
}

impl Restarts {
    fn add(&mut self, container: &Value) {
        self.count += container.get("restartCount").and_then(Value::as_i64).unwrap_or(0);
        let finished = at(container, &["lastState", "terminated", "finishedAt"]).and_then(Value::as_str);
        self.last = self.last.max(finished.and_then(parse_time));
    }
}

impl Summary {
    fn of(pod: &Object) -> Self {
        let mut summary = Self { reason: reason_of_the_pod(pod).into(), ..Self::default() };
        let init_containers = pod.list_at(&["spec", "initContainers"]);
        let sidecars = init_containers.iter().filter(|it| is_restartable(it));
        let total = pod.list_at(&["spec", "containers"]).len() + sidecars.count();
        summary.total = u32::try_from(total).unwrap_or(u32::MAX);

        let (initializing, sidecar_restarts) = summary.add_init_containers(pod, init_containers);
        if !initializing || has_condition(pod, "Initialized") {
            summary.restarts = sidecar_restarts;
            summary.add_containers(pod);
        }
        summary.apply_deletion(pod);
        summary
    }

    /// Whether the pod still initializes, and the restarts of its sidecars alone.
    fn add_init_containers(&mut self, pod: &Object, specs: &[Value]) -> (bool, Restarts) {
        let mut sidecar_restarts = Restarts::default();
        for (index, container) in pod.list_at(&["status", "initContainerStatuses"]).iter().enumerate() {
            self.restarts.add(container);
            let spec = specs.iter().rfind(|spec| name_of(spec) == name_of(container));
            let is_sidecar = spec.is_some_and(is_restartable);
            if is_sidecar {
                sidecar_restarts.add(container);
            }
            let terminated = at(container, &["state", "terminated"]);
            if terminated.is_some_and(|it| exit_code(it) == 0) {
                continue;
            }
            if is_sidecar && is_true(container, "started") {
                self.ready += u32::from(is_true(container, "ready"));
                continue;
            }
            let waiting = text_at(container, &["state", "waiting", "reason"]).filter(|it| *it != "PodInitializing");
            self.reason = match (terminated, waiting) {
                (Some(terminated), _) => format!("Init:{}", termination(terminated)),
                (None, Some(waiting)) => format!("Init:{waiting}"),
                (None, None) => format!("Init:{index}/{}", specs.len()),
            };
            return (true, sidecar_restarts);
        }
        (false, sidecar_restarts)
    }

    fn add_containers(&mut self, pod: &Object) {
        let mut has_running = false;
        let mut error = None;
        // From the last to the first, so that the first container's reason stands.
        for container in pod.list_at(&["status", "containerStatuses"]).iter().rev() {
            self.restarts.add(container);
            let is_running = at(container, &["state", "running"]).is_some();
            if let Some(waiting) = text_at(container, &["state", "waiting", "reason"]) {
                self.reason = waiting.into();
            } else if let Some(terminated) = at(container, &["state", "terminated"]) {
                self.reason = termination(terminated);
                if exit_code(terminated) != 0 {
                    error = Some(self.reason.clone());
                }
            } else if is_running && is_true(container, "ready") {
                has_running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            if has_running && has_condition(pod, "Ready") {
                self.reason = "Running".into();
            } else if let Some(error) = error {
                self.reason = error;
            } else if has_running {
                self.reason = "NotReady".into();
            }
        }
    }

    fn apply_deletion(&mut self, pod: &Object) {
        if pod.metadata.deletion_timestamp.is_none() {
            return;
        }
        if pod.str_at(&["status", "reason"]) == Some("NodeLost") {
            self.reason = "Unknown".into();
        } else if !matches!(phase(pod), "Succeeded" | "Failed") {
            self.reason = "Terminating".into();
        }
    }

    fn health(&self, pod: &Object) -> Health {
        let reason = self.reason.as_str();
        let failed =
            ["Error", "BackOff", "Err", "Failed", "OOMKilled", "Evicted", "ExitCode:", "Signal:", "DeadlineExceeded"];
        match reason {
            "Running" if self.ready < self.total => Health::Warning,
            "Running" => Health::Ok,
            "Completed" | "Succeeded" | "Terminating" => Health::Terminated,
            "NotReady" => Health::Warning,
            "Unknown" | "NodeLost" | "" => Health::Unknown,
            _ if phase(pod) == "Failed" || failed.iter().any(|it| reason.contains(it)) => Health::Error,
            _ if phase(pod) == "Succeeded" => Health::Terminated,
            _ if phase(pod) == "Pending" || reason.starts_with("Init:") => Health::Progressing,
            "Pending" | "ContainerCreating" | "PodInitializing" => Health::Progressing,
            _ => Health::Unknown,
        }
    }
}

fn reason_of_the_pod(pod: &Object) -> &str {
    let gated = |it: &&Value| {
        text_at(it, &["type"]) == Some("PodScheduled") && text_at(it, &["reason"]) == Some("SchedulingGated")
    };
    if pod.list_at(&["status", "conditions"]).iter().any(|it| gated(&it)) {
        return "SchedulingGated";
    }
    pod.str_at(&["status", "reason"]).filter(|it| !it.is_empty()).unwrap_or_else(|| phase(pod))
}

/// `Completed`, or the signal or exit code where the runtime gave no reason.
fn termination(terminated: &Value) -> String {
    let signal = terminated.get("signal").and_then(Value::as_i64).unwrap_or(0);
    match text_at(terminated, &["reason"]) {
        Some(reason) => reason.into(),
        None if signal != 0 => format!("Signal:{signal}"),
        None => format!("ExitCode:{}", exit_code(terminated)),
    }
}

fn exit_code(terminated: &Value) -> i64 {
    terminated.get("exitCode").and_then(Value::as_i64).unwrap_or(0)
}

fn phase(pod: &Object) -> &str {
    pod.str_at(&["status", "phase"]).unwrap_or_default()
}

fn has_condition(pod: &Object, kind: &str) -> bool {
    let is_met = |it: &Value| text_at(it, &["type"]) == Some(kind) && text_at(it, &["status"]) == Some("True");
    pod.list_at(&["status", "conditions"]).iter().any(is_met)
}

/// A sidecar: an init container that is restarted for as long as the pod lives.
fn is_restartable(spec: &Value) -> bool {
    text_at(spec, &["restartPolicy"]) == Some("Always")
}

fn name_of(container: &Value) -> &str {
    text_at(container, &["name"]).unwrap_or_default()
}

fn is_true(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool).unwrap_or(false)
}

/// The value at a path; none when it is absent or null.
fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, name| value.get(name)).filter(|it| !it.is_null())
}

/// The text at a path; none when it is absent or empty.
fn text_at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a str> {
    at(value, path)?.as_str().filter(|it| !it.is_empty())
}

#[cfg(test)]
#[path = "pods_test.rs"]
mod tests;
