//! What stands around the workloads, so that each kind has something to look at.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::cluster::{Cluster, Event};
use crate::api::Manifest;
use crate::testing::objects::{self, Build as _};

/// A claim that nothing provides for.
pub(super) const PENDING_CLAIM: (&str, &str) = ("media", "transcoder-scratch");

const DAY: i64 = 24 * 3600;

/// Creates all of it.
pub(super) fn enter(cluster: &Cluster, now: Timestamp) {
    let objects = cluster_wide().into_iter().chain(network()).chain(config(now)).chain(storage()).chain(access());
    for (place, mut object) in objects.chain(custom()).enumerate() {
        let age = SignedDuration::from_secs(40 * DAY - 7_000 * place as i64);
        object.metadata.creation_timestamp = now.checked_sub(age).ok();
        // A server that has been filled before keeps what it has.
        let _ = cluster.server.seed(object);
    }
}

/// Says again that the claim waits.
pub(super) fn complain(cluster: &mut Cluster) {
    let (namespace, name) = PENDING_CLAIM;
    let Some(claim) = cluster.server.get("persistentvolumeclaims", namespace, name) else { return };
    let message = "storageclass.storage.k8s.io \"fast-local\" not found";
    cluster.record(&claim, Event::warning("persistentvolume-controller", "ProvisioningFailed", message));
}

fn of(api_version: &str, kind: &str, place: (&str, &str), fields: Value) -> Manifest {
    let mut object = objects::object(api_version, kind, place.0, place.1);
    if let Value::Object(fields) = fields {
        object.fields = fields;
    }
    object
}

fn cluster_wide() -> Vec<Manifest> {
    vec![
        of(
            "storage.k8s.io/v1",
            "StorageClass",
            ("", "standard"),
            json!({
                "provisioner": "disks.example", "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer",
                "allowVolumeExpansion": true,
            }),
        )
        .with_annotation("storageclass.kubernetes.io/is-default-class", "true"),
        of(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            ("", "batch"),
            json!({
                "value": -100, "globalDefault": false, "description": "What may wait", "preemptionPolicy": "Never",
            }),
        ),
        of(
            "networking.k8s.io/v1",
            "IngressClass",
            ("", "nginx"),
            json!({
                "spec": { "controller": "k8s.io/ingress-nginx" },
            }),
        ),
    ]
}

fn network() -> Vec<Manifest> {
    let ingress = |namespace: &str, name: &str, host: &str| {
        let backend = json!({ "service": { "name": name, "port": { "name": "http" } } });
        let paths = json!([{ "path": "/", "pathType": "Prefix", "backend": backend }]);
        of(
            "networking.k8s.io/v1",
            "Ingress",
            (namespace, name),
            json!({
                "spec": {
                    "ingressClassName": "nginx", "rules": [{ "host": host, "http": { "paths": paths } }],
                    "tls": [{ "hosts": [host], "secretName": format!("{name}-tls") }],
                },
                "status": { "loadBalancer": { "ingress": [{ "ip": "203.0.113.10" }] } },
            }),
        )
    };
    let policy = of(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        ("payments", "only-the-shop"),
        json!({
            "spec": {
                "podSelector": {}, "policyTypes": ["Ingress"],
                "ingress": [{ "from": [{ "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": "shop" } } }] }],
            },
        }),
    );
    vec![
        ingress("shop", "web", "shop.example"),
        ingress("payments", "gateway", "pay.example"),
        ingress("search", "query", "search.example"),
        policy,
    ]
}

fn config(now: Timestamp) -> Vec<Manifest> {
    let certificate = |namespace: &str, name: &str, days: i64| {
        let ends = now.checked_add(SignedDuration::from_secs(days * DAY)).unwrap_or(now);
        let data = json!({ "tls.crt": certificate(now, ends), "tls.key": "bm90LWEta2V5" });
        of("v1", "Secret", (namespace, name), json!({ "type": "kubernetes.io/tls", "data": data }))
    };
    let quota = of(
        "v1",
        "ResourceQuota",
        ("media", "compute"),
        json!({
            "spec": { "hard": { "requests.cpu": "8", "requests.memory": "8Gi", "pods": "40" } },
            "status": {
                "hard": { "requests.cpu": "8", "requests.memory": "8Gi", "pods": "40" },
                "used": { "requests.cpu": "900m", "requests.memory": "1152Mi", "pods": "9" },
            },
        }),
    );
    let limits = json!([{ "type": "Container", "default": { "memory": "256Mi" }, "defaultRequest": { "cpu": "50m" } }]);
    let budget = |namespace: &str, name: &str, healthy: u32| {
        of(
            "policy/v1",
            "PodDisruptionBudget",
            (namespace, name),
            json!({
                "spec": { "minAvailable": 2, "selector": { "matchLabels": { "app.kubernetes.io/name": name } } },
                "status": {
                    "currentHealthy": healthy, "desiredHealthy": 2, "expectedPods": healthy,
                    "disruptionsAllowed": healthy - 2, "observedGeneration": 1,
                },
            }),
        )
    };
    let scaler = |namespace: &str, name: &str, least: u32, most: u32, use_percent: u32| {
        let metric = |field: &str, percent: u32| json!([{ "type": "Resource", "resource": { "name": "cpu", field: { "type": "Utilization", "averageUtilization": percent } } }]);
        of(
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            (namespace, name),
            json!({
                "spec": {
                    "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": name },
                    "minReplicas": least, "maxReplicas": most, "metrics": metric("target", 70),
                },
                "status": { "currentReplicas": least, "desiredReplicas": least, "currentMetrics": metric("current", use_percent) },
            }),
        )
    };
    vec![
        certificate("shop", "web-tls", 9),
        certificate("payments", "gateway-tls", 61),
        certificate("search", "query-tls", 24),
        quota,
        of("v1", "LimitRange", ("media", "defaults"), json!({ "spec": { "limits": limits } })),
        budget("shop", "web", 6),
        budget("payments", "gateway", 3),
        scaler("shop", "web", 6, 12, 48),
        scaler("search", "query", 4, 10, 91),
    ]
}

fn storage() -> Vec<Manifest> {
    let mut all = Vec::new();
    for (number, (namespace, name, gigabytes)) in
        [("payments", "data-postgres-0", 40), ("payments", "data-postgres-1", 40), ("monitoring", "prometheus", 120)]
            .into_iter()
            .enumerate()
    {
        let (volume, size) = (format!("pvc-{:04x}", 0x51a7 + 977 * number), format!("{gigabytes}Gi"));
        let modes = json!(["ReadWriteOnce"]);
        all.push(of(
            "v1",
            "PersistentVolume",
            ("", &volume),
            json!({
                "spec": {
                    "capacity": { "storage": size }, "accessModes": modes, "storageClassName": "standard",
                    "persistentVolumeReclaimPolicy": "Delete", "volumeMode": "Filesystem",
                    "claimRef": { "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name },
                },
                "status": { "phase": "Bound" },
            }),
        ));
        let claim = claim(namespace, name, &size, "standard");
        let status = json!({ "phase": "Bound", "accessModes": modes, "capacity": { "storage": size } });
        all.push(claim.with_field("spec.volumeName", volume).with_field("status", status));
    }
    all.push(claim(PENDING_CLAIM.0, PENDING_CLAIM.1, "200Gi", "fast-local"));
    all
}

fn claim(namespace: &str, name: &str, size: &str, class: &str) -> Manifest {
    of(
        "v1",
        "PersistentVolumeClaim",
        (namespace, name),
        json!({
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": size } },
                "storageClassName": class, "volumeMode": "Filesystem",
            },
            "status": { "phase": "Pending" },
        }),
    )
}

fn access() -> Vec<Manifest> {
    let group = "rbac.authorization.k8s.io";
    let rules = json!([{ "apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list", "watch"] }]);
    let api_version = format!("{group}/v1");
    let of = |kind: &str, place: (&str, &str), fields: Value| of(&api_version, kind, place, fields);
    let binding = |role: &str, name: &str, team: &str| {
        json!({
            "roleRef": { "apiGroup": group, "kind": role, "name": name },
            "subjects": [{ "apiGroup": group, "kind": "Group", "name": team }],
        })
    };
    let account = |namespace: &str, name: &str| objects::object("v1", "ServiceAccount", namespace, name);
    vec![
        account("shop", "web"),
        account("payments", "gateway"),
        account("monitoring", "prometheus"),
        of("Role", ("shop", "on-call"), json!({ "rules": rules })),
        of("RoleBinding", ("shop", "on-call"), binding("Role", "on-call", "shop-on-call")),
        of("ClusterRole", ("", "looker-on"), json!({ "rules": rules })),
        of("ClusterRoleBinding", ("", "lookers-on"), binding("ClusterRole", "looker-on", "everybody")),
    ]
}

/// A kind of the cluster's own.
fn custom() -> Vec<Manifest> {
    let text = json!({ "type": "string" });
    let spec = json!({ "type": "object", "properties": { "schedule": text, "target": text } });
    let status = json!({ "type": "object", "properties": { "phase": text } });
    let schema = json!({ "type": "object", "properties": { "spec": spec, "status": status } });
    let column = |name: &str, path: &str| json!({ "name": name, "type": "string", "jsonPath": path });
    let columns =
        [column("Target", ".spec.target"), column("Schedule", ".spec.schedule"), column("Phase", ".status.phase")];
    let names = json!({ "plural": "backups", "singular": "backup", "kind": "Backup", "listKind": "BackupList", "shortNames": ["bk"] });
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
        "additionalPrinterColumns": columns,
    });
    let definition = of(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        ("", "backups.ops.example"),
        json!({
            "spec": { "group": "ops.example", "scope": "Namespaced", "names": names, "versions": [version] },
        }),
    );
    let backup = |namespace: &str, target: &str, phase: &str| {
        of(
            "ops.example/v1",
            "Backup",
            (namespace, target),
            json!({
                "spec": { "target": target, "schedule": "0 3 * * *" }, "status": { "phase": phase },
            }),
        )
    };
    vec![
        definition,
        backup("payments", "postgres", "Completed"),
        backup("monitoring", "prometheus", "Completed"),
        backup("shop", "orders", "Failed"),
    ]
}

/// As much of an X.509 certificate as says when it is valid, in PEM and in base64.
fn certificate(starts: Timestamp, ends: Timestamp) -> String {
    fn value(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, content.len() as u8], content].concat()
    }
    let time = |time: Timestamp| {
        let digits: String = time.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
        value(0x18, format!("{digits}Z").as_bytes())
    };
    let (sequence, number) = (0x30, value(2, &[1]));
    let validity = value(sequence, &[time(starts), time(ends)].concat());
    let nothing = value(sequence, &[]);
    let fields = [number, nothing.clone(), nothing.clone(), validity, nothing.clone()].concat();
    let certificate = value(sequence, &[value(sequence, &fields), nothing].concat());
    let pem = ["-----BEGIN CERTIFICATE-----\n", &base64(&certificate), "\n-----END CERTIFICATE-----\n"].concat();
    base64(pem.as_bytes())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = |piece: &[u8]| {
        let bits = piece.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - piece.len()));
        let digit = move |at: usize| char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]);
        let filled = piece.len();
        (0..4).map(move |at| if at > filled { '=' } else { digit(at) }).collect::<String>()
    };
    bytes.chunks(3).map(digits).collect()
}
