use std::borrow::Cow;

use jiff::Timestamp;

use super::{Cell, Column, Health, Object, Source, ValueRef, parse_time};

/// [`print`] makes the cells.
pub(super) static COLUMNS: [Column; 10] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("READY", Source::Printed, "Containers that are ready, of all containers").numeric(),
    Column::of("STATUS", Source::Printed, "What the containers are doing, taken together"),
    Column::of("RESTARTS", Source::Printed, "How often containers were restarted, and when last").numeric(),
    Column::AGE,
    Column::of("IP", Source::Printed, "Its first IP address"),
    Column::of("NODE", Source::Printed, "The node it is bound to"),
    Column::of("NOMINATED NODE", Source::Printed, "The node where pods are displaced for it").wide(),
    Column::of("READINESS GATES", Source::Printed, "Conditions of others that hold, of those it waits for").wide(),
];

/// A pod's cells (kubernetes: pkg/printers/internalversion/printers.go, `printPod`, wide).
pub(super) fn print(pod: &Object) -> Box<[Cell]> {
    let summary = Summary::of(pod);
    let ip = match pod.list_at(&["status", "podIPs"]).next() {
        None => pod.str_at(&["status", "podIP"]),
        Some(first) => text_at(first, &["ip"]),
    };
    Box::new([
        Cell::text(pod.namespace()),
        Cell::text(pod.name()),
        Cell::Ready { ready: summary.ready, total: summary.total },
        Cell::Status { health: summary.health(pod), text: summary.reason.into() },
        Cell::Restarts { count: summary.restarts.count, last: summary.restarts.last },
        Cell::Age(pod.creation_timestamp()),
        Cell::address(&ip.unwrap_or_default()),
        Cell::text(&pod.str_at(&["spec", "nodeName"]).unwrap_or_default()),
        Cell::text(&pod.str_at(&["status", "nominatedNodeName"]).unwrap_or_default()),
        Cell::Text(readiness_gates(pod)),
    ])
}

/// How a pod is doing: the word of its status, and how many of its containers are ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::view) struct Standing {
    pub(in crate::view) reason: String,
    pub(in crate::view) health: Health,
    pub(in crate::view) ready: u32,
    pub(in crate::view) total: u32,
}

impl Standing {
    pub(in crate::view) fn of(pod: &Object) -> Self {
        let summary = Summary::of(pod);
        let health = summary.health(pod);
        Self { reason: summary.reason, health, ready: summary.ready, total: summary.total }
    }
}

/// A text, because hardly a pod has one, and a column is of one kind.
fn readiness_gates(pod: &Object) -> Option<Box<str>> {
    let (mut total, mut open) = (0, 0);
    for gate in pod.list_at(&["spec", "readinessGates"]) {
        let kind = text_at(gate, &["conditionType"]).unwrap_or_default();
        let condition = pod.list_at(&["status", "conditions"]).find(|it| is_text(*it, "type", &kind));
        total += 1;
        open += u32::from(condition.is_some_and(|it| is_text(it, "status", "True")));
    }
    (total > 0).then(|| format!("{open}/{total}").into())
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
    fn add(&mut self, container: ValueRef<'_>) {
        self.count += container.get("restartCount").and_then(ValueRef::as_i64).unwrap_or(0);
        let finished = text_at(container, &["lastState", "terminated", "finishedAt"]);
        self.last = self.last.max(finished.and_then(|finished| parse_time(&finished)));
    }
}

impl Summary {
    fn of(pod: &Object) -> Self {
        let mut summary = Self { reason: reason_of_the_pod(pod).into_owned(), ..Self::default() };
        let init_containers: Vec<_> = pod.list_at(&["spec", "initContainers"]).collect();
        let sidecars = init_containers.iter().filter(|it| is_restartable(**it));
        let total = pod.list_at(&["spec", "containers"]).count() + sidecars.count();
        summary.total = u32::try_from(total).unwrap_or(u32::MAX);

        let (initializing, sidecar_restarts) = summary.add_init_containers(pod, &init_containers);
        if !initializing || has_condition(pod, "Initialized") {
            summary.restarts = sidecar_restarts;
            summary.add_containers(pod);
        }
        summary.apply_deletion(pod);
        summary
    }

    /// Whether the pod still initializes, and the restarts of its sidecars alone.
    fn add_init_containers(&mut self, pod: &Object, specs: &[ValueRef<'_>]) -> (bool, Restarts) {
        let mut sidecar_restarts = Restarts::default();
        for (index, container) in pod.list_at(&["status", "initContainerStatuses"]).enumerate() {
            self.restarts.add(container);
            let spec = specs.iter().rfind(|spec| name_of(**spec) == name_of(container));
            let is_sidecar = spec.is_some_and(|spec| is_restartable(*spec));
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
            let waiting = text_at(container, &["state", "waiting", "reason"]).filter(|it| it != "PodInitializing");
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
        let containers: Vec<_> = pod.list_at(&["status", "containerStatuses"]).collect();
        for container in containers.into_iter().rev() {
            self.restarts.add(container);
            let is_running = at(container, &["state", "running"]).is_some();
            if let Some(waiting) = text_at(container, &["state", "waiting", "reason"]) {
                self.reason = waiting.into_owned();
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
        if pod.deletion_timestamp().is_none() {
            return;
        }
        if pod.str_at(&["status", "reason"]).is_some_and(|reason| reason == "NodeLost") {
            self.reason = "Unknown".into();
        } else if !matches!(&*phase(pod), "Succeeded" | "Failed") {
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

fn reason_of_the_pod(pod: &Object) -> Cow<'_, str> {
    let gated = |it| is_text(it, "type", "PodScheduled") && is_text(it, "reason", "SchedulingGated");
    if pod.list_at(&["status", "conditions"]).any(gated) {
        return "SchedulingGated".into();
    }
    pod.str_at(&["status", "reason"]).filter(|it| !it.is_empty()).unwrap_or_else(|| phase(pod))
}

/// `Completed`, or the signal or exit code where the runtime gave no reason.
fn termination(terminated: ValueRef<'_>) -> String {
    let signal = terminated.get("signal").and_then(ValueRef::as_i64).unwrap_or(0);
    match text_at(terminated, &["reason"]) {
        Some(reason) => reason.into_owned(),
        None if signal != 0 => format!("Signal:{signal}"),
        None => format!("ExitCode:{}", exit_code(terminated)),
    }
}

fn exit_code(terminated: ValueRef<'_>) -> i64 {
    terminated.get("exitCode").and_then(ValueRef::as_i64).unwrap_or(0)
}

fn phase(pod: &Object) -> Cow<'_, str> {
    pod.str_at(&["status", "phase"]).unwrap_or_default()
}

fn has_condition(pod: &Object, kind: &str) -> bool {
    pod.list_at(&["status", "conditions"]).any(|it| is_text(it, "type", kind) && is_text(it, "status", "True"))
}

/// A sidecar: an init container that is restarted for as long as the pod lives.
fn is_restartable(spec: ValueRef<'_>) -> bool {
    is_text(spec, "restartPolicy", "Always")
}

fn name_of(container: ValueRef<'_>) -> Cow<'_, str> {
    text_at(container, &["name"]).unwrap_or_default()
}

fn is_true(value: ValueRef<'_>, field: &str) -> bool {
    value.get(field).and_then(ValueRef::as_bool).unwrap_or(false)
}

/// The value at a path; none when it is absent or null.
fn at<'a>(value: ValueRef<'a>, path: &[&str]) -> Option<ValueRef<'a>> {
    value.at(path).filter(|it| !it.is_null())
}

/// The text at a path; none when it is absent or empty.
fn text_at<'a>(value: ValueRef<'a>, path: &[&str]) -> Option<Cow<'a, str>> {
    value.at(path)?.as_str().filter(|it| !it.is_empty())
}

fn is_text(value: ValueRef<'_>, field: &str, text: &str) -> bool {
    value.get(field).and_then(ValueRef::as_str).is_some_and(|it| it == text)
}

#[cfg(test)]
#[path = "pods_test.rs"]
mod tests;
