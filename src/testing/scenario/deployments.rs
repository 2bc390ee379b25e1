//! The deployment and replica set controllers, as far as people see them work.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::cluster::{Cluster, Event, first_image, is_active, is_ready};
use crate::api::Manifest;
use crate::testing::objects::{self, Build as _, set_field};

const REVISION: &str = "deployment.kubernetes.io/revision";

/// So many replica sets without replicas are kept for each deployment; Kubernetes keeps ten.
const OLD_SETS_KEPT: usize = 2;

/// So many pods of one set are made or ended at a time.
const BURST: usize = 2;

type PodsByOwner = BTreeMap<String, Vec<Arc<Manifest>>>;

pub(super) fn reconcile(cluster: &mut Cluster) {
    let pods = cluster.pods_by_owner();
    for deployment in cluster.server.objects("deployments") {
        let sets = sets_of(cluster, &deployment);
        roll(cluster, &deployment, sets, &pods);
    }
    for set in cluster.server.objects("replicasets") {
        let own = pods.get(set.uid()).map_or(&[][..], Vec::as_slice);
        fill(cluster, &set, own);
    }
    let pods = cluster.pods_by_owner();
    for set in cluster.server.objects("replicasets") {
        let own = pods.get(set.uid()).map_or(&[][..], Vec::as_slice);
        write_set_status(cluster, &set, own);
    }
    for deployment in cluster.server.objects("deployments") {
        let (sets, hash) = (sets_of(cluster, &deployment), cluster.template_hash(&deployment));
        write_deployment_status(cluster, &deployment, &sets, &hash);
    }
}

/// Ten letters and digits that depend on the pods' template alone (kubernetes: `pkg/controller`, `ComputeHash`).
pub(super) fn template_hash(deployment: &Manifest) -> String {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let template = deployment.get(&["spec", "template"]).map(Value::to_string).unwrap_or_default();
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let mut hash = template.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let digits = (0..10).map(|_| {
        let digit = ALPHABET[(hash % ALPHABET.len() as u64) as usize];
        hash /= ALPHABET.len() as u64;
        char::from(digit)
    });
    digits.collect()
}

/// The deployment's template with the label that tells its replica sets' pods apart.
pub(super) fn with_hash(deployment: &Manifest, hash: &str) -> Value {
    let mut template = deployment.get(&["spec", "template"]).cloned().unwrap_or_default();
    template["metadata"]["labels"]["pod-template-hash"] = hash.into();
    template
}

fn sets_of(cluster: &Cluster, deployment: &Manifest) -> Vec<Arc<Manifest>> {
    let mut sets = cluster.server.objects("replicasets");
    sets.retain(|set| set.metadata.owner_references.iter().any(|owner| owner.uid == deployment.uid()));
    sets
}

fn replicas(workload: &Manifest) -> i64 {
    workload.int_at(&["spec", "replicas"]).unwrap_or(1)
}

fn revision(object: &Manifest) -> i64 {
    object.metadata.annotations.get(REVISION).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Moves a deployment one step towards its template and its number of replicas.
fn roll(cluster: &mut Cluster, deployment: &Manifest, mut sets: Vec<Arc<Manifest>>, pods: &PodsByOwner) {
    let hash = cluster.template_hash(deployment);
    let name = format!("{}-{hash}", deployment.name());
    let desired = replicas(deployment);
    let place = match sets.iter().position(|set| set.name() == name) {
        Some(place) => place,
        None => match create_set(cluster, deployment, &hash, &sets) {
            Some(set) => {
                sets.push(set);
                sets.len() - 1
            }
            None => return,
        },
    };
    let new = sets.remove(place);
    let newest = sets.iter().map(|set| revision(set)).max().unwrap_or(0);
    let wanted = if revision(&new) > newest { revision(&new) } else { newest + 1 };
    for (resource, object) in [("replicasets", &*new), ("deployments", deployment)] {
        if revision(object) != wanted {
            set_revision(cluster, resource, object, wanted);
        }
    }
    let (surge, unavailable) = ((desired + 3) / 4, desired / 4);
    let old_replicas: i64 = sets.iter().map(|set| replicas(set)).sum();
    let room = desired + surge - old_replicas - replicas(&new);
    let target = if old_replicas == 0 { desired } else { (replicas(&new) + room.max(0)).min(desired) };
    scale(cluster, deployment, &new, target);
    let ready = |set: &Manifest| pods.get(set.uid()).map_or(0, |pods| pods.iter().filter(|pod| available(pod)).count());
    let available: i64 = sets.iter().chain([&new]).map(|set| ready(set) as i64).sum();
    let mut spare = available - (desired - unavailable);
    for set in sets.iter().filter(|set| replicas(set) > 0) {
        // What is not ready is no loss.
        let unready = (replicas(set) - ready(set) as i64).max(0);
        let step = replicas(set).min(unready + spare.max(0));
        spare -= step - unready.min(step);
        scale(cluster, deployment, set, replicas(set) - step);
    }
    forget_old_sets(cluster, sets);
}

fn available(pod: &Manifest) -> bool {
    is_active(pod) && is_ready(pod)
}

fn create_set(cluster: &Cluster, deployment: &Manifest, hash: &str, others: &[Arc<Manifest>]) -> Option<Arc<Manifest>> {
    let revision = others.iter().map(|set| revision(set)).max().unwrap_or(0) + 1;
    let set = objects::replica_set(deployment.namespace(), deployment.name(), hash, first_image(deployment), 0);
    let mut selector = deployment.get(&["spec", "selector"]).cloned().unwrap_or_default();
    selector["matchLabels"]["pod-template-hash"] = hash.into();
    let set = set
        .with_field("spec.template", with_hash(deployment, hash))
        .with_field("spec.selector", selector)
        .with_owner(objects::owner_of(deployment))
        .with_annotation(REVISION, &revision.to_string());
    cluster.server.create(set).ok()
}

fn set_revision(cluster: &Cluster, resource: &str, object: &Manifest, revision: i64) {
    cluster.modify(resource, object, |object| {
        object.metadata.annotations.insert(REVISION.into(), revision.to_string());
    });
}

fn scale(cluster: &mut Cluster, deployment: &Manifest, set: &Manifest, target: i64) {
    let before = replicas(set);
    if before == target {
        return;
    }
    cluster.modify("replicasets", set, |set| set_field(set, "spec.replicas", target));
    let direction = if target > before { "up" } else { "down" };
    let message = format!("Scaled {direction} replica set {} from {before} to {target}", set.name());
    cluster.record(deployment, Event::normal("deployment-controller", "ScalingReplicaSet", message));
}

fn forget_old_sets(cluster: &Cluster, mut sets: Vec<Arc<Manifest>>) {
    sets.retain(|set| replicas(set) == 0 && set.int_at(&["status", "replicas"]).unwrap_or(0) == 0);
    sets.sort_by_key(|set| std::cmp::Reverse(revision(set)));
    for set in sets.iter().skip(OLD_SETS_KEPT) {
        let _ = cluster.server.delete("replicasets", set.namespace(), set.name());
    }
}

/// Makes missing pods and ends surplus ones.
fn fill(cluster: &mut Cluster, set: &Manifest, pods: &[Arc<Manifest>]) {
    // The set may have been scaled since it was read.
    let Some(set) = cluster.server.get("replicasets", set.namespace(), set.name()) else { return };
    let mut active: Vec<_> = pods.iter().filter(|pod| is_active(pod)).collect();
    let desired = usize::try_from(replicas(&set)).unwrap_or(0);
    for _ in active.len()..desired.min(active.len() + BURST) {
        let Ok(pod) = cluster.server.create(objects::pod_of(&set)) else { return };
        let message = format!("Created pod: {}", pod.name());
        cluster.record(&set, Event::normal("replicaset-controller", "SuccessfulCreate", message));
    }
    // Those that are not ready go first, then the youngest.
    active.sort_by_key(|pod| (is_ready(pod), std::cmp::Reverse(pod.metadata.creation_timestamp)));
    for pod in active.iter().take(active.len().saturating_sub(desired).min(BURST)) {
        end(cluster, pod);
        let message = format!("Deleted pod: {}", pod.name());
        cluster.record(&set, Event::normal("replicaset-controller", "SuccessfulDelete", message));
    }
}

/// Tells a pod to end. One that is on no node yet is gone at once.
pub(super) fn end(cluster: &mut Cluster, pod: &Manifest) {
    if pod.str_at(&["spec", "nodeName"]).is_none() {
        let _ = cluster.server.delete("pods", pod.namespace(), pod.name());
        return;
    }
    let at = cluster.wall();
    cluster.modify("pods", pod, |pod| objects::set_terminating(pod, at));
    for container in pod.list_at(&["spec", "containers"]) {
        let name = container["name"].as_str().unwrap_or_default();
        cluster.record(pod, Event::normal("kubelet", "Killing", format!("Stopping container {name}")));
    }
}

fn write_set_status(cluster: &Cluster, set: &Manifest, pods: &[Arc<Manifest>]) {
    let active = pods.iter().filter(|pod| is_active(pod)).count();
    let ready = pods.iter().filter(|pod| available(pod)).count();
    let mut status = json!({ "replicas": active, "observedGeneration": set.metadata.generation });
    if active > 0 {
        status["fullyLabeledReplicas"] = active.into();
    }
    if ready > 0 {
        status["readyReplicas"] = ready.into();
        status["availableReplicas"] = ready.into();
    }
    cluster.write_status("replicasets", set, status);
}

fn write_deployment_status(cluster: &Cluster, deployment: &Manifest, sets: &[Arc<Manifest>], hash: &str) {
    let sum = |field: &str| sets.iter().filter_map(|set| set.int_at(&["status", field])).sum::<i64>();
    let new = sets.iter().find(|set| set.name().ends_with(hash));
    let (total, ready, desired) = (sum("replicas"), sum("readyReplicas"), replicas(deployment));
    let updated = new.and_then(|set| set.int_at(&["status", "replicas"])).unwrap_or(0);
    let is_complete = [updated, total, ready] == [desired; 3];
    let set_name = new.map_or("", |set| set.name());
    let conditions = conditions(cluster, deployment, set_name, ready >= desired - desired / 4, is_complete);
    let mut status = json!({ "observedGeneration": deployment.metadata.generation, "conditions": conditions });
    for (field, number) in [
        ("replicas", total),
        ("updatedReplicas", updated),
        ("readyReplicas", ready),
        ("availableReplicas", ready),
        ("unavailableReplicas", (desired - ready).max(0)),
    ] {
        // Go leaves zeros out.
        if number > 0 {
            status[field] = number.into();
        }
    }
    cluster.write_status("deployments", deployment, status);
}

fn conditions(
    cluster: &Cluster,
    deployment: &Manifest,
    set_name: &str,
    is_available: bool,
    is_complete: bool,
) -> Value {
    let available = match is_available {
        true => ("MinimumReplicasAvailable", "Deployment has minimum availability.".to_owned()),
        false => ("MinimumReplicasUnavailable", "Deployment does not have minimum availability.".to_owned()),
    };
    let progressing = match is_complete {
        true => ("NewReplicaSetAvailable", format!("ReplicaSet \"{set_name}\" has successfully progressed.")),
        false => ("ReplicaSetUpdated", format!("ReplicaSet \"{set_name}\" is progressing.")),
    };
    json!([
        condition(cluster, deployment, "Available", is_available, available),
        condition(cluster, deployment, "Progressing", true, progressing),
    ])
}

/// A condition whose times move only when it changes.
fn condition(cluster: &Cluster, object: &Manifest, kind: &str, holds: bool, why: (&str, String)) -> Value {
    let (status, (reason, message)) = (if holds { "True" } else { "False" }, why);
    let known = object.list_at(&["status", "conditions"]).iter().find(|known| known["type"] == kind);
    let now = json!(cluster.wall());
    let kept = |unchanged: bool, field: &str| match known {
        Some(known) if unchanged => known.get(field).cloned().unwrap_or_else(|| now.clone()),
        _ => now.clone(),
    };
    let same_status = known.is_some_and(|known| known["status"] == status);
    let same_reason = known.is_some_and(|known| known["reason"] == reason && known["message"] == message.as_str());
    json!({
        "type": kind, "status": status, "reason": reason, "message": message,
        "lastUpdateTime": kept(same_reason, "lastUpdateTime"),
        "lastTransitionTime": kept(same_status, "lastTransitionTime"),
    })
}
