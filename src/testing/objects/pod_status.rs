use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::set_field;
use crate::api::Manifest;

/// What a pod is doing, by the word that `kubectl get pods` prints for it.
///
/// Except for [`Completed`](Self::Completed) and [`Failed`](Self::Failed), it is about the first container; the others
/// run as soon as their images are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodState {
    /// `Pending`: no node fits.
    Unschedulable,
    /// `ContainerCreating`
    ContainerCreating,
    Running {
        restarts: u32,
    },
    /// `Running`, but the readiness probe fails.
    Unready {
        restarts: u32,
    },
    /// `Error`: it has just ended with exit code 1 and will be started again.
    Error {
        restarts: u32,
    },
    CrashLoopBackOff {
        restarts: u32,
    },
    ErrImagePull,
    ImagePullBackOff,
    Completed,
    /// `Error`, and it stays so.
    Failed,
}

/// Writes the whole status as a kubelet would at this time. The address in `status.podIP` is kept when there is one.
pub fn set_pod_state(pod: &mut Manifest, state: &PodState, at: Timestamp) {
    let mut status = status_object(pod);
    let started = status.get("startTime").cloned().unwrap_or_else(|| json!(at));
    status.insert("phase".into(), phase(state).into());
    status.insert("qosClass".into(), "Burstable".into());
    let conditions = conditions(state, status.get("conditions"), at);
    status.insert("conditions".into(), conditions);
    if *state == PodState::Unschedulable {
        pod.fields.insert("status".into(), status.into());
        return;
    }
    status.insert("startTime".into(), started);
    status.entry("hostIP").or_insert_with(|| "192.168.1.10".into());
    if !matches!(state, PodState::ContainerCreating) {
        let address = status.entry("podIP").or_insert_with(|| address_of(pod.name()).into()).clone();
        status.insert("podIPs".into(), json!([{ "ip": address }]));
    }
    let containers = pod.list_at(&["spec", "containers"]);
    let statuses: Vec<Value> = containers
        .iter()
        .enumerate()
        .map(|(place, container)| {
            let old = old_status(status.get("containerStatuses"), place);
            container_status(pod, container, place == 0, state, old, at)
        })
        .collect();
    status.insert("containerStatuses".into(), statuses.into());
    pod.fields.insert("status".into(), status.into());
}

/// What the node lifecycle controller writes when the pod's node is lost: not ready, while the containers stand as they
/// were last seen.
pub fn mark_node_lost(pod: &mut Manifest, at: Timestamp) {
    let Some(Value::Array(conditions)) = pod.fields.get_mut("status").and_then(|status| status.get_mut("conditions"))
    else {
        return;
    };
    for condition in conditions.iter_mut().filter(|condition| condition["type"] == "Ready") {
        if condition["status"] == "True" {
            condition["status"] = "False".into();
            condition["lastTransitionTime"] = json!(at);
        }
    }
}

fn status_object(pod: &Manifest) -> Map<String, Value> {
    pod.fields.get("status").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn old_status(statuses: Option<&Value>, place: usize) -> Option<&Value> {
    statuses?.get(place)
}

fn phase(state: &PodState) -> &'static str {
    match state {
        PodState::Unschedulable | PodState::ContainerCreating => "Pending",
        PodState::ErrImagePull | PodState::ImagePullBackOff => "Pending",
        PodState::Completed => "Succeeded",
        PodState::Failed => "Failed",
        _ => "Running",
    }
}

fn conditions(state: &PodState, old: Option<&Value>, at: Timestamp) -> Value {
    let is = |flag: bool| if flag { "True" } else { "False" };
    let scheduled = *state != PodState::Unschedulable;
    let sandbox = scheduled && !matches!(state, PodState::ContainerCreating | PodState::Completed | PodState::Failed);
    let ready = matches!(state, PodState::Running { .. });
    let why_unready = match state {
        PodState::Completed => "PodCompleted",
        PodState::Failed => "PodFailed",
        _ => "ContainersNotReady",
    };
    let mut wanted = Vec::new();
    if scheduled {
        wanted.push(("PodReadyToStartContainers", is(sandbox), ""));
        wanted.push(("Initialized", "True", if *state == PodState::Completed { "PodCompleted" } else { "" }));
        wanted.push(("Ready", is(ready), if ready { "" } else { why_unready }));
        wanted.push(("ContainersReady", is(ready), if ready { "" } else { why_unready }));
    }
    wanted.push(("PodScheduled", is(scheduled), if scheduled { "" } else { "Unschedulable" }));
    let condition = |(kind, status, reason): (&str, &str, &str)| {
        let known = old.and_then(Value::as_array).and_then(|old| old.iter().find(|it| it["type"] == kind));
        let unchanged = known.filter(|known| known["status"] == status);
        let since = unchanged.map_or_else(|| json!(at), |known| known["lastTransitionTime"].clone());
        let mut condition =
            json!({ "type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": since });
        if !reason.is_empty() {
            condition["reason"] = reason.into();
        }
        if reason == "Unschedulable" {
            condition["message"] = "0/5 nodes are available: 5 Insufficient memory.".into();
        }
        condition
    };
    Value::Array(wanted.into_iter().map(condition).collect())
}

fn container_status(
    pod: &Manifest,
    container: &Value,
    is_first: bool,
    state: &PodState,
    old: Option<&Value>,
    at: Timestamp,
) -> Value {
    let name = container["name"].as_str().unwrap_or_default();
    let image = container["image"].as_str().unwrap_or_default();
    let restarts = if is_first { restarts_of(state) } else { 0 };
    let pulling = matches!(state, PodState::ErrImagePull | PodState::ImagePullBackOff);
    let current = match state {
        PodState::ContainerCreating => waiting("ContainerCreating", None),
        PodState::Completed => ended("Completed", 0, pod, name, old, at),
        PodState::Failed => ended("Error", 1, pod, name, old, at),
        _ if !is_first => running(old, 0, at),
        PodState::ErrImagePull => waiting("ErrImagePull", Some(pull_error(image))),
        PodState::ImagePullBackOff => {
            waiting("ImagePullBackOff", Some(format!("Back-off pulling image \"{image}\": {}", pull_error(image))))
        }
        PodState::CrashLoopBackOff { .. } => {
            let which = format!("container={name} pod={}_{}({})", pod.name(), pod.namespace(), pod.uid());
            let pause = crash_pause(restarts);
            waiting("CrashLoopBackOff", Some(format!("back-off {pause} restarting failed {which}")))
        }
        PodState::Error { .. } => ended("Error", 1, pod, name, old, at),
        _ => running(old, restarts, at),
    };
    let is_running = current.get("running").is_some();
    let unready = is_first && matches!(state, PodState::Unready { .. });
    let has_image = !(is_first && pulling) && *state != PodState::ContainerCreating;
    let mut status = json!({
        "name": name, "image": image, "imageID": "", "ready": is_running && !unready, "started": is_running,
        "restartCount": restarts, "state": current, "lastState": last_state(old, &current, restarts, pod, name, at),
    });
    if has_image {
        let digest = digest_of(image);
        status["imageID"] = format!("{}@sha256:{digest}{digest}", image.split(':').next().unwrap_or(image)).into();
        status["containerID"] = container_id(pod, name, restarts).into();
    }
    status
}

fn restarts_of(state: &PodState) -> u32 {
    match state {
        PodState::Running { restarts } | PodState::Unready { restarts } => *restarts,
        PodState::Error { restarts } | PodState::CrashLoopBackOff { restarts } => *restarts,
        _ => 0,
    }
}

/// The kubelet's back-off: 10 s, doubled up to five minutes.
fn crash_pause(restarts: u32) -> &'static str {
    ["10s", "20s", "40s", "1m20s", "2m40s"].get(restarts.saturating_sub(1) as usize).unwrap_or(&"5m0s")
}

fn waiting(reason: &str, message: Option<String>) -> Value {
    let mut state = json!({ "reason": reason });
    if let Some(message) = message {
        state["message"] = message.into();
    }
    json!({ "waiting": state })
}

/// Running since it was before, when it has not been started again.
fn running(old: Option<&Value>, restarts: u32, at: Timestamp) -> Value {
    let before =
        old.filter(|old| old["restartCount"] == restarts).and_then(|old| old.pointer("/state/running/startedAt"));
    json!({ "running": { "startedAt": before.cloned().unwrap_or_else(|| json!(at)) } })
}

fn ended(reason: &str, code: u8, pod: &Manifest, name: &str, old: Option<&Value>, at: Timestamp) -> Value {
    let started = old.and_then(|old| old.pointer("/state/running/startedAt")).cloned().unwrap_or_else(|| json!(at));
    let restarts = old.and_then(|old| old["restartCount"].as_u64()).unwrap_or_default() as u32;
    json!({ "terminated": {
        "exitCode": code, "reason": reason, "startedAt": started, "finishedAt": at,
        "containerID": container_id(pod, name, restarts),
    } })
}

/// How the container ended the last time; made up when it has been restarted before this status knows of it.
fn last_state(old: Option<&Value>, current: &Value, restarts: u32, pod: &Manifest, name: &str, at: Timestamp) -> Value {
    let known = old.map(|old| [&old["state"], &old["lastState"]]);
    let known = known.and_then(|states| states.into_iter().find(|state| state.get("terminated").is_some()));
    if let Some(known) = known.filter(|known| *known != current) {
        return known.clone();
    }
    let before = |seconds| at.checked_sub(SignedDuration::from_secs(seconds)).unwrap_or(at);
    if restarts == 0 || old.is_some_and(|old| old["restartCount"] == restarts) {
        return old.map_or_else(|| json!({}), |old| old["lastState"].clone());
    }
    json!({ "terminated": {
        "exitCode": 1, "reason": "Error", "startedAt": before(35), "finishedAt": before(5),
        "containerID": container_id(pod, name, restarts - 1),
    } })
}

fn pull_error(image: &str) -> String {
    format!("failed to pull and unpack image \"{image}\": failed to resolve reference \"{image}\": {image}: not found")
}

fn container_id(pod: &Manifest, name: &str, restarts: u32) -> String {
    let digest = digest_of(&format!("{}/{}/{name}/{restarts}", pod.namespace(), pod.name()));
    format!("containerd://{digest}{digest}")
}

/// 32 hexadecimal digits that look like half of a hash (FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>).
pub(super) fn digest_of(text: &str) -> String {
    format!("{:016x}{:016x}", fnv(text, 0xcbf2_9ce4_8422_2325), fnv(text, 0x8422_2325_cbf2_9ce4))
}

fn address_of(name: &str) -> String {
    let hash = fnv(name, 0xcbf2_9ce4_8422_2325);
    format!("10.244.{}.{}", hash % 200, hash / 200 % 250 + 2)
}

fn fnv(text: &str, start: u64) -> u64 {
    text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Marks a pod as being deleted: `Terminating`.
pub fn set_terminating(pod: &mut Manifest, at: Timestamp) {
    const GRACE_SECONDS: i64 = 30;
    pod.metadata.deletion_timestamp = at.checked_add(SignedDuration::from_secs(GRACE_SECONDS)).ok();
    pod.metadata.deletion_grace_period_seconds = Some(GRACE_SECONDS);
}

/// Puts a pod on a node, with the addresses of both.
pub fn set_placement(pod: &mut Manifest, node: &str, host_ip: &str, pod_ip: &str) {
    set_field(pod, "spec.nodeName", node);
    set_field(pod, "status.hostIP", host_ip);
    set_field(pod, "status.podIP", pod_ip);
}

#[cfg(test)]
mod tests {
    use super::super::realistic_pod;
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_767_225_600 + seconds).unwrap()
    }

    #[test]
    fn a_crash_loop_remembers_how_the_container_ended() {
        let mut pod = realistic_pod("shop", "web-0");
        set_pod_state(&mut pod, &PodState::Error { restarts: 0 }, at(30));
        set_pod_state(&mut pod, &PodState::CrashLoopBackOff { restarts: 0 }, at(31));
        let status = &pod.list_at(&["status", "containerStatuses"])[0];
        assert_eq!(status["lastState"]["terminated"]["finishedAt"], "2026-01-01T00:00:30Z");
        assert_eq!(status["state"]["waiting"]["reason"], "CrashLoopBackOff");
        set_pod_state(&mut pod, &PodState::Running { restarts: 1 }, at(41));
        let status = &pod.list_at(&["status", "containerStatuses"])[0];
        assert_eq!(status["lastState"]["terminated"]["finishedAt"], "2026-01-01T00:00:30Z");
        assert_eq!(status["state"]["running"]["startedAt"], "2026-01-01T00:00:41Z");
        assert_eq!(status["restartCount"], 1);
    }

    #[test]
    fn a_condition_keeps_its_time_while_its_status_stands() {
        let mut pod = realistic_pod("shop", "web-0");
        set_pod_state(&mut pod, &PodState::Unready { restarts: 0 }, at(10));
        let of = |pod: &Manifest, kind: &str| {
            let conditions = pod.list_at(&["status", "conditions"]);
            conditions.iter().find(|it| it["type"] == kind).map(|it| it["lastTransitionTime"].clone()).unwrap()
        };
        assert_eq!(of(&pod, "Ready"), "2026-01-01T00:00:10Z");
        assert_eq!(of(&pod, "PodScheduled"), "2026-01-01T00:00:00Z");
        mark_node_lost(&mut pod, at(20));
        assert_eq!(of(&pod, "Ready"), "2026-01-01T00:00:10Z");
    }
}
