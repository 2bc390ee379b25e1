use jiff::Timestamp;
use serde_json::Value;

use crate::api::{Manifest, parse_time};

/// How a container ended (`v1.ContainerStateTerminated`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerEnd {
    pub exit_code: i64,
    /// `Completed`, `Error`, `OOMKilled`.
    pub reason: String,
    pub finished_at: Option<Timestamp>,
}

/// Where a container is, as its pod tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Running {
        started_at: Option<Timestamp>,
    },
    /// It is to be started, for the first time or again.
    Waiting {
        why: String,
    },
    /// It will not be started again.
    Ended(ContainerEnd),
}

/// A container and how often it was started again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Container {
    pub(super) stage: Stage,
    pub(super) restarts: i64,
}

impl Container {
    /// What a pod tells of one of its containers.
    pub(super) fn read(pod: &Manifest, name: &str) -> Self {
        let fields = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
        let status = fields.iter().find_map(|field| find(pod, "status", field, name)).unwrap_or(&Value::Null);
        let state = &status["state"];
        let stage = if let Some(running) = state.get("running") {
            Stage::Running { started_at: time(&running["startedAt"]) }
        } else if let Some(ended) = state.get("terminated") {
            after_end(pod, name, ended)
        } else {
            Stage::Waiting { why: why_it_waits(pod, &state["waiting"]) }
        };
        Self { stage, restarts: status["restartCount"].as_i64().unwrap_or_default() }
    }
}

fn after_end(pod: &Manifest, name: &str, ended: &Value) -> Stage {
    let end = ContainerEnd {
        exit_code: ended["exitCode"].as_i64().unwrap_or_default(),
        reason: text(&ended["reason"]),
        finished_at: time(&ended["finishedAt"]),
    };
    let init = find(pod, "spec", "initContainers", name);
    let policy = match pod.str_at(&["spec", "restartPolicy"]).unwrap_or("Always") {
        _ if find(pod, "spec", "ephemeralContainers", name).is_some() => "Never",
        _ if init.is_some_and(|init| init["restartPolicy"] == "Always") => "Always",
        // What must succeed once is not run again when it has.
        "Always" if init.is_some() => "OnFailure",
        policy => policy,
    };
    let is_over = matches!(pod.str_at(&["status", "phase"]), Some("Succeeded" | "Failed"))
        || pod.metadata.deletion_timestamp.is_some();
    if !is_over && (policy == "Always" || (policy == "OnFailure" && end.exit_code != 0)) {
        return Stage::Waiting { why: format!("it ended with exit code {} and is to be restarted", end.exit_code) };
    }
    Stage::Ended(end)
}

fn why_it_waits(pod: &Manifest, waiting: &Value) -> String {
    let said = [waiting["reason"].as_str(), pod.str_at(&["status", "reason"])];
    let is_bound = pod.str_at(&["spec", "nodeName"]).is_some_and(|node| !node.is_empty());
    let unsaid = if is_bound { "its node has not started it yet" } else { "the pod is on no node yet" };
    said.into_iter().flatten().find(|why| !why.is_empty()).unwrap_or(unsaid).to_owned()
}

/// A container, or its status, by its name.
fn find<'a>(pod: &'a Manifest, part: &str, field: &str, name: &str) -> Option<&'a Value> {
    pod.list_at(&[part, field]).iter().find(|it| it["name"] == name)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str().and_then(parse_time)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(value: &Value) -> Manifest {
        serde_json::from_value(value.clone()).expect("it is a pod")
    }

    #[test]
    fn a_pod_tells_where_its_container_is() {
        let ended = |code: i64| json!({ "terminated": { "exitCode": code, "reason": "Error" } });
        let cases = [
            ("running", json!({ "running": { "startedAt": "2026-11-29T10:00:00Z" } }), json!({}), "Running"),
            ("creating", json!({ "waiting": { "reason": "ContainerCreating" } }), json!({}), "ContainerCreating"),
            ("crashed", ended(1), json!({}), "to be restarted"),
            ("done, and always started again", ended(0), json!({ "restartPolicy": "Always" }), "to be restarted"),
            ("done", ended(0), json!({ "restartPolicy": "OnFailure" }), "Ended"),
            ("failed, and tried again", ended(1), json!({ "restartPolicy": "OnFailure" }), "to be restarted"),
            ("failed", ended(1), json!({ "restartPolicy": "Never" }), "Ended"),
            ("done with its part", ended(0), json!({ "initContainers": [{ "name": "c" }] }), "Ended"),
            ("failed in its part", ended(1), json!({ "initContainers": [{ "name": "c" }] }), "to be restarted"),
            (
                "a sidecar",
                ended(0),
                json!({ "initContainers": [{ "name": "c", "restartPolicy": "Always" }] }),
                "to be restarted",
            ),
            ("a debugger", ended(1), json!({ "ephemeralContainers": [{ "name": "c" }] }), "Ended"),
            ("unknown to its node", json!({}), json!({ "nodeName": "n" }), "not started it yet"),
            ("without a node", json!({}), json!({}), "on no node"),
        ];
        for (name, state, spec, expected) in cases {
            let status = json!({ "containerStatuses": [{ "name": "c", "restartCount": 3, "state": state }] });
            let pod =
                pod(&json!({ "apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": spec, "status": status }));
            let container = Container::read(&pod, "c");
            assert!(format!("{container:?}").contains(expected), "{name}: {container:?}");
            assert_eq!(container.restarts, 3);
        }
    }

    #[test]
    fn a_pod_that_is_over_starts_nothing_again() {
        let status =
            json!({ "phase": "Succeeded", "containerStatuses": [{ "name": "c", "state": { "terminated": {} } }] });
        let mut value = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {}, "status": status });
        assert!(matches!(Container::read(&pod(&value), "c").stage, Stage::Ended(_)));
        value["status"]["phase"] = "Running".into();
        assert!(matches!(Container::read(&pod(&value), "c").stage, Stage::Waiting { .. }));
        value["metadata"]["deletionTimestamp"] = "2026-11-29T10:00:00Z".into();
        assert!(matches!(Container::read(&pod(&value), "c").stage, Stage::Ended(_)));
        assert!(matches!(Container::read(&pod(&json!({})), "c").stage, Stage::Waiting { .. }));
    }
}
