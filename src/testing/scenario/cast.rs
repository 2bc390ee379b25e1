//! What there is when the curtain rises.

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::cluster::Cluster;
use super::deployments::{template_hash, with_hash};
use super::surroundings;
use crate::api::Manifest;
use crate::testing::objects::{self, Build as _, PodState, PodTemplate, set_field};

/// Its program ends soon after each start.
pub(super) const CRASHING_IMAGE: &str = "registry.example/payments/reconciler:0.9.3";

/// Tags that end so were never pushed to the registry.
pub(super) const MISSING_TAG_END: &str = "-rc1";

/// How long pods stay on a node that is lost: shorter than Kubernetes' five minutes, so that there is more to see.
const EVICTION_SECONDS: u32 = 20;

/// Name and address.
const NODES: [(&str, &str); 5] = [
    ("fra1-pool-a-1", "192.168.1.11"),
    ("fra1-pool-a-2", "192.168.1.12"),
    ("fra1-pool-a-3", "192.168.1.13"),
    ("fra1-pool-b-1", "192.168.1.21"),
    ("fra1-pool-b-2", "192.168.1.22"),
];

struct Role {
    namespace: &'static str,
    name: &'static str,
    image: &'static str,
    replicas: u32,
    /// With a sidecar, a service, a config map and a secret.
    is_large: bool,
}

const fn role(namespace: &'static str, name: &'static str, image: &'static str, replicas: u32) -> Role {
    Role { namespace, name, image, replicas, is_large: false }
}

const fn large(namespace: &'static str, name: &'static str, image: &'static str, replicas: u32) -> Role {
    Role { is_large: true, ..role(namespace, name, image, replicas) }
}

const DEPLOYMENTS: [Role; 20] = [
    large("shop", "web", "registry.example/shop/web:4.12.0", 6),
    large("shop", "cart", "registry.example/shop/cart:2.3.1", 3),
    large("shop", "checkout", "registry.example/shop/checkout:3.0.4", 4),
    role("shop", "catalog", "registry.example/shop/catalog:1.18.2", 4),
    large("payments", "gateway", "registry.example/payments/gateway:1.7.0", 3),
    role("payments", "ledger", "registry.example/payments/ledger:5.1.9", 2),
    role("payments", "fraud-check", "registry.example/payments/fraud-check:0.22.3", 2),
    role("payments", "reconciler", CRASHING_IMAGE, 1),
    large("search", "query", "registry.example/search/query:2.9.0", 4),
    role("search", "indexer", "registry.example/search/indexer:2.9.0", 2),
    role("media", "transcoder", "registry.example/media/transcoder:1.0.31", 4),
    role("media", "thumbnailer", "registry.example/media/thumbnailer:1.4.0", 3),
    role("media", "origin", "docker.io/library/nginx:1.29.1", 2),
    role("reports", "api", "registry.example/reports/api:0.8.5", 2),
    role("monitoring", "prometheus", "quay.io/prometheus/prometheus:3.5.0", 1),
    role("monitoring", "alertmanager", "quay.io/prometheus/alertmanager:0.28.1", 2),
    role("monitoring", "grafana", "docker.io/grafana/grafana:12.1.0", 1),
    role("monitoring", "loki", "docker.io/grafana/loki:3.5.3", 2),
    role("kube-system", "coredns", "registry.k8s.io/coredns/coredns:1.12.4", 2),
    role("kube-system", "metrics-server", "registry.k8s.io/metrics-server/metrics-server:0.9.0", 1),
];

const DAEMON_SETS: [Role; 3] = [
    role("kube-system", "kube-proxy", "registry.k8s.io/kube-proxy:1.37.2", 0),
    role("kube-system", "cilium", "quay.io/cilium/cilium:1.18.1", 0),
    role("monitoring", "node-exporter", "quay.io/prometheus/node-exporter:1.9.1", 0),
];

const STATEFUL_SETS: [Role; 2] = [
    role("payments", "postgres", "docker.io/library/postgres:18.0", 2),
    role("search", "cache", "docker.io/valkey/valkey:9.0", 3),
];

/// Its program ends with an error, and is not started again.
pub(super) const FAILING_IMAGE: &str = "registry.example/reports/import:1.9.0";

/// Namespace and name of the deployments, for those who choose among them.
pub(super) fn deployments() -> impl Iterator<Item = (&'static str, &'static str, u32)> {
    DEPLOYMENTS.iter().map(|role| (role.namespace, role.name, role.replicas))
}

pub(super) fn nodes() -> impl Iterator<Item = &'static str> {
    NODES.iter().map(|(name, _)| *name)
}

/// Creates everything, as if it had been running for days.
pub(super) fn enter(cluster: &mut Cluster) {
    let now = cluster.wall();
    for (place, (name, address)) in NODES.iter().enumerate() {
        let addresses = json!([{ "type": "InternalIP", "address": address }, { "type": "Hostname", "address": name }]);
        let node = objects::node(name)
            .with_field("status.addresses", addresses)
            .with_field("spec.podCIDR", format!("10.244.{place}.0/24"))
            .with_label("topology.kubernetes.io/zone", if place < 3 { "fra1-a" } else { "fra1-b" });
        add(cluster, aged(node, now, 41 * 24 * 3600));
    }
    surroundings::enter(cluster, now);
    for (place, role) in DEPLOYMENTS.iter().enumerate() {
        let age_seconds = 3600 * (9 + 31 * place as i64);
        enter_deployment(cluster, role, now, age_seconds);
        if role.is_large {
            enter_surroundings(cluster, role, place, now, age_seconds);
        }
    }
    for role in &STATEFUL_SETS {
        let set = objects::stateful_set(role.namespace, role.name, role.image, role.replicas);
        let set = set.with_field("spec.template", template(role).to_template());
        let Some(set) = add(cluster, aged(set, now, 33 * 24 * 3600)) else { continue };
        for (number, (node, _)) in (0..role.replicas).zip(NODES) {
            let pod = objects::pod_of_stateful_set(&set, number);
            enter_pod(cluster, pod, node, now, 5 * 24 * 3600);
        }
    }
    enter_cron_job(cluster, now);
    for role in &DAEMON_SETS {
        let set = objects::daemon_set(role.namespace, role.name, role.image, NODES.len() as u32);
        let set = set.with_field("spec.template", template(role).to_template());
        let Some(set) = add(cluster, aged(set, now, 41 * 24 * 3600)) else { continue };
        for (node, _) in NODES {
            enter_pod(cluster, objects::pod_of(&set), node, now, 6 * 24 * 3600);
        }
    }
}

fn template(role: &Role) -> PodTemplate {
    PodTemplate {
        app: role.name.into(),
        image: role.image.into(),
        has_sidecar: role.is_large,
        eviction_seconds: EVICTION_SECONDS,
        ..PodTemplate::default()
    }
}

fn enter_deployment(cluster: &mut Cluster, role: &Role, now: Timestamp, age_seconds: i64) {
    let deployment = objects::deployment(role.namespace, role.name, role.image, role.replicas);
    let deployment = deployment
        .with_field("spec.template", template(role).to_template())
        .with_annotation("deployment.kubernetes.io/revision", "1");
    let Some(deployment) = add(cluster, aged(deployment, now, age_seconds)) else { return };
    let hash = template_hash(&deployment);
    let set = objects::replica_set(role.namespace, role.name, &hash, role.image, role.replicas);
    let set = set
        .with_field("spec.template", with_hash(&deployment, &hash))
        .with_owner(objects::owner_of(&deployment))
        .with_annotation("deployment.kubernetes.io/revision", "1");
    let Some(set) = add(cluster, aged(set, now, age_seconds)) else { return };
    for _ in 0..role.replicas {
        let nodes: Vec<_> = nodes().collect();
        let node = cluster.pick(&nodes).copied().unwrap_or(NODES[0].0);
        let pod_age_seconds = cluster.between(600_000, 40_000_000).as_secs() as i64;
        enter_pod(cluster, objects::pod_of(&set), node, now, pod_age_seconds.min(age_seconds));
    }
}

fn enter_cron_job(cluster: &Cluster, now: Timestamp) {
    for (name, schedule, image) in [
        ("nightly-export", "0 2 * * *", "registry.example/reports/export:2.1.0"),
        ("hourly-import", "5 * * * *", FAILING_IMAGE),
    ] {
        let template = PodTemplate { app: name.into(), image: image.into(), ..PodTemplate::default() };
        let job = json!({ "spec": { "template": template.to_template() } });
        let cron_job = objects::object("batch/v1", "CronJob", "reports", name)
            .with_field("spec.schedule", schedule)
            .with_field("spec.concurrencyPolicy", "Forbid")
            .with_field("spec.suspend", false)
            .with_field("spec.jobTemplate", job)
            .with_field("status.lastScheduleTime", json!(now));
        add(cluster, aged(cron_job, now, 30 * 24 * 3600));
    }
}

fn enter_pod(cluster: &mut Cluster, pod: Manifest, node: &str, now: Timestamp, age_seconds: i64) {
    let mut pod = aged(pod, now, age_seconds);
    let created = pod.metadata.creation_timestamp.unwrap_or(now);
    objects::set_placement(&mut pod, node, address_of_node(node), &cluster.new_pod_ip());
    objects::set_pod_state(&mut pod, &PodState::Running { restarts: 0 }, created);
    add(cluster, pod);
}

fn enter_surroundings(cluster: &Cluster, role: &Role, place: usize, now: Timestamp, age_seconds: i64) {
    let named = |end: &str| format!("{}-{end}", role.name);
    for object in [
        objects::service(role.namespace, role.name, &format!("10.96.0.{}", 20 + place)),
        objects::config_map(role.namespace, &named("config")),
        objects::secret(role.namespace, &named("credentials")),
    ] {
        add(cluster, aged(object, now, age_seconds));
    }
}

pub(super) fn address_of_node(node: &str) -> &'static str {
    NODES.iter().find(|(name, _)| *name == node).map_or("192.168.1.10", |(_, address)| address)
}

fn aged(mut object: Manifest, now: Timestamp, age_seconds: i64) -> Manifest {
    let created = now.checked_sub(SignedDuration::from_secs(age_seconds)).unwrap_or(now);
    object.metadata.creation_timestamp = Some(created);
    if object.kind == "Deployment" {
        let since = |kind: &str, reason: &str, message: String| {
            json!({
                "type": kind, "status": "True", "reason": reason, "message": message,
                "lastTransitionTime": created, "lastUpdateTime": created,
            })
        };
        let progressed = format!("ReplicaSet for \"{}\" has successfully progressed.", object.name());
        let conditions = json!([
            since("Available", "MinimumReplicasAvailable", "Deployment has minimum availability.".into()),
            since("Progressing", "NewReplicaSetAvailable", progressed),
        ]);
        set_field(&mut object, "status.conditions", conditions);
    }
    object
}

/// A server that has been filled before keeps what it has.
fn add(cluster: &Cluster, object: Manifest) -> Option<std::sync::Arc<Manifest>> {
    cluster.server.seed(object).ok()
}
