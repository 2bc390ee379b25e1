//! Builders of objects: minimal ones for tests about machinery, realistic ones for all that people look at.
//!
//! None of them but [`numbered_pod`] has a resourceVersion or a uid: the server gives them, or a test with [`Build`].

mod numbered_pod;
mod pod;
mod pod_status;
mod workload;

use serde_json::{Map, Value, json};

use crate::api::{Manifest, OwnerReference};

pub use numbered_pod::{numbered_pod, with_managed_fields};
pub use pod::{PodTemplate, loaded_pod, realistic_pod};
pub use pod_status::{PodState, mark_node_lost, set_placement, set_pod_state, set_terminating};
pub use workload::{
    daemon_set, deployment, job, owner_of, pod_of, pod_of_stateful_set, replica_set, service, stateful_set,
};

/// Small changes to an object, to be chained.
pub trait Build: Sized {
    fn with_uid(self, uid: &str) -> Self;
    fn with_resource_version(self, resource_version: &str) -> Self;
    fn with_label(self, name: &str, value: &str) -> Self;
    fn with_annotation(self, name: &str, value: &str) -> Self;
    fn with_owner(self, owner: OwnerReference) -> Self;
    /// Sets a field by its dotted path, `spec.nodeName`; the objects on the way to it are made when missing.
    fn with_field(self, path: &str, value: impl Into<Value>) -> Self;
}

impl Build for Manifest {
    fn with_uid(mut self, uid: &str) -> Self {
        self.metadata.uid = uid.into();
        self
    }

    fn with_resource_version(mut self, resource_version: &str) -> Self {
        self.metadata.resource_version = resource_version.into();
        self
    }

    fn with_label(mut self, name: &str, value: &str) -> Self {
        self.metadata.labels.insert(name.into(), value.into());
        self
    }

    fn with_annotation(mut self, name: &str, value: &str) -> Self {
        self.metadata.annotations.insert(name.into(), value.into());
        self
    }

    fn with_owner(mut self, owner: OwnerReference) -> Self {
        self.metadata.owner_references.push(owner);
        self
    }

    fn with_field(mut self, path: &str, value: impl Into<Value>) -> Self {
        set_field(&mut self, path, value);
        self
    }
}

/// Sets a field by its dotted path; the objects on the way to it are made when missing.
pub fn set_field(object: &mut Manifest, path: &str, value: impl Into<Value>) {
    let mut fields = &mut object.fields;
    let mut path = path.split('.').peekable();
    while let Some(name) = path.next() {
        if path.peek().is_none() {
            fields.insert(name.into(), value.into());
            return;
        }
        let next = fields.entry(name).or_insert_with(|| Value::Object(Map::new()));
        if !next.is_object() {
            *next = Value::Object(Map::new());
        }
        fields = next.as_object_mut().expect("it has just been made an object");
    }
}

/// An object of any kind with a name and nothing else. The namespace is empty for cluster-scoped kinds.
pub fn object(api_version: &str, kind: &str, namespace: &str, name: &str) -> Manifest {
    let mut object = Manifest { api_version: api_version.into(), kind: kind.into(), ..Manifest::default() };
    object.metadata.name = name.into();
    object.metadata.namespace = namespace.into();
    object
}

fn with_fields(mut object: Manifest, fields: Value) -> Manifest {
    if let Value::Object(fields) = fields {
        object.fields = fields;
    }
    object
}

/// The smallest pod that a real server takes: one container, and the phase Pending.
pub fn pod(namespace: &str, name: &str) -> Manifest {
    let spec = json!({ "containers": [{ "name": "main", "image": "registry.example/main:1.0" }] });
    let fields = json!({ "spec": spec, "status": { "phase": "Pending" } });
    with_fields(object("v1", "Pod", namespace, name), fields)
}

pub fn namespace(name: &str) -> Manifest {
    let fields = json!({ "spec": { "finalizers": ["kubernetes"] }, "status": { "phase": "Active" } });
    with_fields(object("v1", "Namespace", "", name), fields).with_label("kubernetes.io/metadata.name", name)
}

/// A node that is ready, as a kubelet describes it.
pub fn node(name: &str) -> Manifest {
    let resources = json!({ "cpu": "4", "ephemeral-storage": "98831908Ki", "memory": "16374428Ki", "pods": "110" });
    let fields = json!({
        "spec": { "podCIDR": "10.244.0.0/24", "providerID": format!("demo://{name}") },
        "status": {
            "capacity": resources, "allocatable": resources,
            "addresses": [
                { "type": "InternalIP", "address": "192.168.1.10" },
                { "type": "Hostname", "address": name },
            ],
            "conditions": node_conditions("True", "2026-01-01T00:00:00Z"),
            "nodeInfo": {
                "architecture": "amd64", "containerRuntimeVersion": "containerd://2.1.4",
                "kernelVersion": "6.12.48", "kubeletVersion": "v1.37.2", "operatingSystem": "linux",
                "osImage": "Debian GNU/Linux 13 (trixie)",
            },
        },
    });
    with_fields(object("v1", "Node", "", name), fields)
        .with_label("kubernetes.io/arch", "amd64")
        .with_label("kubernetes.io/hostname", name)
        .with_label("kubernetes.io/os", "linux")
}

/// A node's conditions; `ready` is `True`, `False` or `Unknown`, and the time is that of the last change of it.
pub fn node_conditions(ready: &str, changed_at: &str) -> Value {
    let (reason, message) = match ready {
        "True" => ("KubeletReady", "kubelet is posting ready status"),
        "False" => ("KubeletNotReady", "container runtime is down"),
        _ => ("NodeStatusUnknown", "Kubelet stopped posting node status."),
    };
    let pressure = |kind: &str, what: &str| match ready {
        "Unknown" => json!({
            "type": kind, "status": "Unknown", "reason": reason, "message": message,
            "lastHeartbeatTime": changed_at, "lastTransitionTime": changed_at,
        }),
        _ => json!({
            "type": kind, "status": "False", "reason": format!("KubeletHas{what}"),
            "message": format!("kubelet has {what} available"),
            "lastHeartbeatTime": changed_at, "lastTransitionTime": changed_at,
        }),
    };
    json!([
        pressure("MemoryPressure", "SufficientMemory"),
        pressure("DiskPressure", "NoDiskPressure"),
        pressure("PIDPressure", "SufficientPID"),
        {
            "type": "Ready", "status": ready, "reason": reason, "message": message,
            "lastHeartbeatTime": changed_at, "lastTransitionTime": changed_at,
        },
    ])
}

pub fn config_map(namespace: &str, name: &str) -> Manifest {
    let data = json!({ "LOG_LEVEL": "info", "app.yaml": "cache:\n  size: 512\n  ttl: 5m\n" });
    with_fields(object("v1", "ConfigMap", namespace, name), json!({ "data": data }))
}

/// Its two values are `admin` and `not-a-secret`.
pub fn secret(namespace: &str, name: &str) -> Manifest {
    let data = json!({ "username": "YWRtaW4=", "password": "bm90LWEtc2VjcmV0" });
    with_fields(object("v1", "Secret", namespace, name), json!({ "data": data, "type": "Opaque" }))
}

/// An event about an object; `kind` is `Normal` or `Warning`, the time is RFC 3339 in whole seconds.
pub fn event(about: &Manifest, kind: &str, reason: &str, message: &str, component: &str, at: &str) -> Manifest {
    let namespace = if about.namespace().is_empty() { "default" } else { about.namespace() };
    let mut event = object("v1", "Event", namespace, "");
    event.metadata.generate_name = Some(format!("{}.", about.name()));
    let involved = json!({
        "apiVersion": about.api_version, "kind": about.kind, "name": about.name(), "namespace": about.namespace(),
        "uid": about.uid(), "resourceVersion": about.resource_version(),
    });
    let fields = json!({
        "involvedObject": involved, "reason": reason, "message": message, "type": kind,
        "source": { "component": component }, "reportingComponent": component, "reportingInstance": "",
        "firstTimestamp": at, "lastTimestamp": at, "count": 1, "eventTime": null,
    });
    with_fields(event, fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_set_below_what_is_missing_or_no_object() {
        let pod = pod("shop", "web-0").with_field("spec.nodeName", "n1").with_field("status.phase.deep", 3);
        assert_eq!(pod.str_at(&["spec", "nodeName"]), Some("n1"));
        assert_eq!(pod.list_at(&["spec", "containers"]).len(), 1);
        assert_eq!(pod.int_at(&["status", "phase", "deep"]), Some(3));
    }
}
