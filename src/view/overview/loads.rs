use super::Amounts;
use super::amounts::plain_quantity;
use crate::api::{Object, ValueRef};

/// What a pod asks for, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PodLoad {
    pub(super) node: Box<str>,
    pub(super) requests: Amounts,
    pub(super) limits: Amounts,
}

/// What a node has to give, and how much of it is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeLoad {
    pub name: Box<str>,
    pub is_ready: bool,
    /// What it has for pods.
    pub allocatable: Amounts,
    pub max_pods: i64,
    /// Of its pods in the chosen namespaces, as are the next two.
    pub requests: Amounts,
    pub limits: Amounts,
    pub pods: i64,
}

impl PodLoad {
    /// None when it takes nothing of a node: it is on none yet, or has ended.
    pub(super) fn of(pod: &Object) -> Option<Self> {
        let node = pod.str_at(&["spec", "nodeName"]).filter(|node| !node.is_empty())?;
        if matches!(&*pod.str_at(&["status", "phase"]).unwrap_or_default(), "Succeeded" | "Failed") {
            return None;
        }
        Some(Self { node: (*node).into(), requests: total(pod, "requests"), limits: total(pod, "limits") })
    }
}

/// What the scheduler counts: what runs at once, or an init container that needs more alone
/// (kubernetes: `k8s.io/component-helpers/resource`, `PodRequests`).
fn total(pod: &Object, which: &str) -> Amounts {
    let of = |container: ValueRef<'_>| Amounts::of(container.at(&["resources", which]));
    let (mut running, mut starting) = (Amounts::default(), Amounts::default());
    for container in pod.list_at(&["spec", "initContainers"]) {
        let is_sidecar = container.get("restartPolicy").and_then(ValueRef::as_str).is_some_and(|it| it == "Always");
        if is_sidecar {
            running += of(container);
            starting = starting.max(running);
        } else {
            starting = starting.max(running + of(container));
        }
    }
    for container in pod.list_at(&["spec", "containers"]) {
        running += of(container);
    }
    // What is asked for the pod as a whole stands for the sum.
    let whole = pod.get(&["spec", "resources", which]);
    let mut sum = running.max(starting);
    if whole.is_some_and(|whole| whole.get("cpu").is_some()) {
        sum.cpu_milli = Amounts::of(whole).cpu_milli;
    }
    if whole.is_some_and(|whole| whole.get("memory").is_some()) {
        sum.memory_bytes = Amounts::of(whole).memory_bytes;
    }
    sum + Amounts::of(pod.get(&["spec", "overhead"]))
}

impl NodeLoad {
    /// Without its pods.
    pub(super) fn of(node: &Object, is_ready: bool) -> Self {
        let allocatable = node.get(&["status", "allocatable"]);
        let max_pods = allocatable.and_then(|it| it.get("pods")).and_then(plain_quantity);
        Self {
            name: node.name().into(),
            is_ready,
            allocatable: Amounts::of(allocatable),
            max_pods: max_pods.unwrap_or(0.0) as i64,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, pod: &PodLoad) {
        self.requests += pod.requests;
        self.limits += pod.limits;
        self.pods += 1;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn container(cpu: &str, is_sidecar: bool) -> Value {
        let policy = if is_sidecar { json!("Always") } else { Value::Null };
        json!({ "restartPolicy": policy, "resources": { "requests": { "cpu": cpu, "memory": "1Ki" } } })
    }

    fn requested(spec: Value) -> Option<i64> {
        let mut spec = spec;
        spec["nodeName"] = "n1".into();
        let pod = serde_json::from_value(json!({ "spec": spec, "status": { "phase": "Running" } })).unwrap();
        PodLoad::of(&pod).map(|load| load.requests.cpu_milli)
    }

    #[test]
    fn a_pod_asks_for_what_runs_at_once_or_for_what_its_start_needs() {
        let (a, b) = (container("100m", false), container("200m", false));
        for (spec, expected) in [
            (json!({ "containers": [a, b] }), 300),
            (json!({ "containers": [a], "initContainers": [b] }), 200),
            (json!({ "containers": [a], "initContainers": [container("50m", true)] }), 150),
            (json!({ "containers": [a], "initContainers": [container("50m", true), b] }), 250),
            (json!({ "containers": [a], "overhead": { "cpu": "10m" } }), 110),
            (json!({ "containers": [a], "resources": { "requests": { "cpu": "1" } } }), 1000),
            (json!({}), 0),
        ] {
            assert_eq!(requested(spec.clone()), Some(expected), "{spec}");
        }
    }

    #[test]
    fn a_pod_that_has_ended_or_is_nowhere_takes_nothing() {
        for pod in [
            json!({ "spec": { "containers": [container("1", false)] } }),
            json!({ "spec": { "nodeName": "" } }),
            json!({ "spec": { "nodeName": "n1" }, "status": { "phase": "Succeeded" } }),
        ] {
            assert_eq!(PodLoad::of(&serde_json::from_value(pod).unwrap()), None);
        }
    }
}
