use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{PodState, object, set_field, set_pod_state, with_fields};
use crate::api::{Manifest, OwnerReference};

/// What makes one realistic pod different from another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodTemplate {
    pub namespace: String,
    /// Of the label `app.kubernetes.io/name`, and of the first container.
    pub app: String,
    /// The first container's image.
    pub image: String,
    /// A second container.
    pub has_sidecar: bool,
    /// Further labels, `pod-template-hash` for example.
    pub labels: Vec<(String, String)>,
    pub owner: Option<OwnerReference>,
    /// Empty until it is scheduled.
    pub node: String,
    /// `Always`, `OnFailure` or `Never`; empty is `Always`.
    pub restart_policy: String,
    /// How long it stays on a node that is lost; 0 is Kubernetes' five minutes.
    pub eviction_seconds: u32,
}

impl PodTemplate {
    /// A pod with this name, pending and without a status.
    pub fn build(&self, name: &str) -> Manifest {
        let mut pod = object("v1", "Pod", &self.namespace, name);
        pod.metadata.labels = self.labels();
        pod.metadata.annotations = annotations();
        pod.metadata.owner_references.extend(self.owner.clone());
        if let Some(owner) = &self.owner {
            pod.metadata.generate_name = Some(format!("{}-", owner.name));
        }
        let mut pod = with_fields(pod, json!({ "spec": self.spec() }));
        if !self.node.is_empty() {
            set_field(&mut pod, "spec.nodeName", self.node.as_str());
        }
        pod
    }

    /// What stands in a workload's `spec.template`.
    pub fn to_template(&self) -> Value {
        json!({ "metadata": { "labels": self.labels(), "annotations": annotations() }, "spec": self.spec() })
    }

    fn labels(&self) -> BTreeMap<String, String> {
        let app = ("app.kubernetes.io/name".to_owned(), self.app.clone());
        self.labels.iter().cloned().chain([app]).collect()
    }

    fn spec(&self) -> Value {
        let mut containers = vec![main_container(&self.app, &self.image)];
        containers.extend(self.has_sidecar.then(sidecar));
        let eviction_seconds = if self.eviction_seconds == 0 { 300 } else { self.eviction_seconds };
        let toleration = |key: &str| json!({ "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": eviction_seconds });
        let restart_policy = if self.restart_policy.is_empty() { "Always" } else { &self.restart_policy };
        json!({
            "containers": containers,
            "volumes": volumes(&self.app),
            "restartPolicy": restart_policy,
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": self.app,
            "serviceAccount": self.app,
            "securityContext": { "fsGroup": 2000, "runAsNonRoot": true, "runAsUser": 1000 },
            "schedulerName": "default-scheduler",
            "priority": 0,
            "enableServiceLinks": true,
            "preemptionPolicy": "PreemptLowerPriority",
            "tolerations": [
                toleration("node.kubernetes.io/not-ready"),
                toleration("node.kubernetes.io/unreachable"),
            ],
        })
    }
}

fn annotations() -> BTreeMap<String, String> {
    let pairs = [("prometheus.io/scrape", "true"), ("prometheus.io/port", "9090")];
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

fn main_container(app: &str, image: &str) -> Value {
    let probe = |path: &str, delay: u32| {
        json!({
            "httpGet": { "path": path, "port": "http", "scheme": "HTTP" },
            "initialDelaySeconds": delay, "timeoutSeconds": 1, "periodSeconds": 10,
            "successThreshold": 1, "failureThreshold": 3,
        })
    };
    let from_field = |name: &str, path: &str| json!({ "name": name, "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": path } } });
    let password =
        json!({ "secretKeyRef": { "name": format!("{app}-credentials"), "key": "password", "optional": true } });
    json!({
        "name": app,
        "image": image,
        "args": ["--config=/etc/app/app.yaml", "--listen=:8080"],
        "ports": [
            { "name": "http", "containerPort": 8080, "protocol": "TCP" },
            { "name": "metrics", "containerPort": 9090, "protocol": "TCP" },
        ],
        "envFrom": [{ "configMapRef": { "name": format!("{app}-config"), "optional": true } }],
        "env": [
            from_field("POD_NAME", "metadata.name"),
            from_field("POD_NAMESPACE", "metadata.namespace"),
            { "name": "DB_PASSWORD", "valueFrom": password },
            { "name": "GOMAXPROCS", "value": "2" },
        ],
        "resources": {
            "requests": { "cpu": "100m", "memory": "128Mi" }, "limits": { "cpu": "500m", "memory": "256Mi" },
        },
        "volumeMounts": [
            { "name": "config", "mountPath": "/etc/app", "readOnly": true },
            { "name": "cache", "mountPath": "/var/cache/app" },
            token_mount(),
        ],
        "livenessProbe": probe("/healthz", 10),
        "readinessProbe": probe("/ready", 2),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {
            "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": { "drop": ["ALL"] },
        },
    })
}

fn sidecar() -> Value {
    json!({
        "name": "proxy",
        "image": "registry.example/mesh/proxy:2.14.1",
        "args": ["--admin-port=15000"],
        "ports": [{ "name": "mesh", "containerPort": 15001, "protocol": "TCP" }],
        "resources": { "requests": { "cpu": "10m", "memory": "32Mi" }, "limits": { "memory": "64Mi" } },
        "volumeMounts": [token_mount()],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    })
}

fn token_mount() -> Value {
    json!({ "name": "kube-api-access", "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount" })
}

fn volumes(app: &str) -> Value {
    let root = json!({ "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }] });
    let namespace =
        json!({ "path": "namespace", "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.namespace" } });
    let sources = json!([
        { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
        { "configMap": root },
        { "downwardAPI": { "items": [namespace] } },
    ]);
    json!([
        { "name": "config", "configMap": { "name": format!("{app}-config"), "defaultMode": 420, "optional": true } },
        { "name": "cache", "emptyDir": { "sizeLimit": "64Mi" } },
        { "name": "kube-api-access", "projected": { "sources": sources, "defaultMode": 420 } },
    ])
}

/// A running pod of two containers on the node `node-1`, whole: about 4 KB of JSON.
pub fn realistic_pod(namespace: &str, name: &str) -> Manifest {
    let template = PodTemplate {
        namespace: namespace.into(),
        app: "web".into(),
        image: "registry.example/shop/web:1.4.2".into(),
        has_sidecar: true,
        labels: vec![("pod-template-hash".into(), "7d9c6b8f5c".into())],
        owner: Some(OwnerReference {
            api_version: "apps/v1".into(),
            kind: "ReplicaSet".into(),
            name: "web-7d9c6b8f5c".into(),
            uid: "2f6c1d0e-0b5a-4c57-9d1f-3b1a7f5e0c11".into(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        }),
        node: "node-1".into(),
        ..PodTemplate::default()
    };
    let mut pod = template.build(name);
    set_pod_state(&mut pod, &PodState::Running { restarts: 0 }, Timestamp::constant(1_767_225_600, 0));
    pod
}

/// One of very many realistic pods, told apart by its number: `web-00042` on some node, up to two days old.
pub fn loaded_pod(namespace: &str, number: usize, node: &str, now: Timestamp) -> Manifest {
    const APPS: [&str; 6] = ["web", "api", "worker", "cache", "search", "mailer"];
    const TWO_DAYS_SECONDS: usize = 2 * 24 * 3600;
    let app = APPS[number % APPS.len()];
    let hash = (number % APPS.len()) as u32;
    let hash = format!("{:x}", 0x7d9c_6b8f_u32.wrapping_add(hash.wrapping_mul(0x1357_9bdf)));
    let template = PodTemplate {
        namespace: namespace.into(),
        app: app.into(),
        image: format!("registry.example/load/{app}:1.{}.0", number % 7),
        has_sidecar: number.is_multiple_of(2),
        labels: vec![("pod-template-hash".into(), hash.clone())],
        node: node.into(),
        ..PodTemplate::default()
    };
    let mut pod = template.build(&format!("{app}-{hash}-{number:05}"));
    // 7919 is a prime: the ages lie everywhere in the two days.
    let age_seconds = (number * 7919 % TWO_DAYS_SECONDS) as i64;
    let created = now.checked_sub(SignedDuration::from_secs(age_seconds)).unwrap_or(now);
    pod.metadata.creation_timestamp = Some(created);
    let (high, middle, low) = (number / 62_500, number / 250 % 250, number % 250 + 2);
    set_field(&mut pod, "status.podIP", format!("10.{}.{middle}.{low}", 128 + high));
    let restarts = if number.is_multiple_of(11) { (number % 5) as u32 } else { 0 };
    set_pod_state(&mut pod, &PodState::Running { restarts }, created);
    pod
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_realistic_pod_has_a_real_ones_size_and_parts() {
        let pod = realistic_pod("shop", "web-7d9c6b8f5c-x2x4z");
        let bytes = serde_json::to_vec(&pod).unwrap().len();
        assert!((3_500..7_500).contains(&bytes), "{bytes} bytes");
        assert_eq!(pod.list_at(&["status", "containerStatuses"]).len(), 2);
        assert_eq!(pod.list_at(&["status", "conditions"]).len(), 5);
    }

    #[test]
    fn loaded_pods_have_names_and_addresses_of_their_own() {
        let now = Timestamp::constant(1_767_225_600, 0);
        let pods: Vec<_> = (0..3000).map(|number| loaded_pod("load", number, "n", now)).collect();
        let unique = |values: Vec<&str>| values.into_iter().collect::<std::collections::BTreeSet<_>>().len();
        assert_eq!(unique(pods.iter().map(Manifest::name).collect()), 3000);
        assert_eq!(unique(pods.iter().filter_map(|pod| pod.str_at(&["status", "podIP"])).collect()), 3000);
    }
}
