//! The daemon set and job controllers, and the node lifecycle controller, as far as people see them work.

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::json;

use super::cluster::{Cluster, Event, is_active, is_ready, is_terminating};
use super::deployments::end;
use crate::api::Manifest;
use crate::testing::objects::{self, set_field};

pub(super) fn reconcile(cluster: &mut Cluster) {
    let pods = cluster.pods_by_owner();
    let own = |workload: &Manifest| pods.get(workload.uid()).map_or(&[][..], Vec::as_slice);
    let nodes = cluster.server.objects("nodes");
    for set in cluster.server.objects("daemonsets") {
        fill_daemon_set(cluster, &set, own(&set), &nodes);
    }
    for set in cluster.server.objects("statefulsets") {
        fill_stateful_set(cluster, &set, own(&set));
    }
    for job in cluster.server.objects("jobs") {
        move_job(cluster, &job, own(&job));
    }
    for node in nodes.iter().filter(|node| !is_ready(node)) {
        leave_lost_node(cluster, node);
    }
}

/// One pod on each node that belongs to the play.
fn fill_daemon_set(cluster: &mut Cluster, set: &Manifest, pods: &[Arc<Manifest>], nodes: &[Arc<Manifest>]) {
    let on = |node: &Manifest| pods.iter().any(|pod| pod.str_at(&["spec", "nodeName"]) == Some(node.name()));
    let wanted: Vec<_> = nodes.iter().filter(|node| super::cast::nodes().any(|name| name == node.name())).collect();
    for node in wanted.iter().filter(|node| is_ready(node) && !on(node)) {
        let mut pod = objects::pod_of(set);
        set_field(&mut pod, "spec.nodeName", node.name());
        if let Ok(pod) = cluster.server.create(pod) {
            let message = format!("Created pod: {}", pod.name());
            cluster.record(set, Event::normal("daemonset-controller", "SuccessfulCreate", message));
        }
    }
    let ready = pods.iter().filter(|pod| is_active(pod) && is_ready(pod)).count();
    let mut status = json!({
        "observedGeneration": set.metadata.generation, "desiredNumberScheduled": wanted.len(),
        "currentNumberScheduled": pods.len(), "updatedNumberScheduled": pods.len(), "numberMisscheduled": 0,
        "numberReady": ready,
    });
    if ready > 0 {
        status["numberAvailable"] = ready.into();
    }
    if wanted.len() > ready {
        status["numberUnavailable"] = (wanted.len() - ready).into();
    }
    cluster.write_status("daemonsets", set, status);
}

/// Its pods have numbers, and one that is missing is made again when all before it are ready.
fn fill_stateful_set(cluster: &mut Cluster, set: &Manifest, pods: &[Arc<Manifest>]) {
    let wanted = set.int_at(&["spec", "replicas"]).and_then(|it| u32::try_from(it).ok()).unwrap_or(1);
    let named = |number: u32| {
        let name = format!("{}-{number}", set.name());
        pods.iter().find(|pod| pod.name() == name)
    };
    let missing = (0..wanted).find(|number| named(*number).is_none_or(|pod| !is_ready(pod)));
    if let Some(number) = missing.filter(|number| named(*number).is_none())
        && let Ok(pod) = cluster.server.create(objects::pod_of_stateful_set(set, number))
    {
        let message = format!("create Pod {} in StatefulSet {} successful", pod.name(), set.name());
        cluster.record(set, Event::normal("statefulset-controller", "SuccessfulCreate", message));
    }
    let surplus = (wanted..wanted + 8).rev().find_map(named).filter(|pod| !is_terminating(pod));
    if let Some(pod) = surplus {
        end(cluster, pod);
    }
    let ready = pods.iter().filter(|pod| is_active(pod) && is_ready(pod)).count();
    let status = json!({
        "observedGeneration": set.metadata.generation, "replicas": pods.len(), "readyReplicas": ready,
        "currentReplicas": pods.len(), "updatedReplicas": pods.len(), "availableReplicas": ready,
    });
    cluster.write_status("statefulsets", set, status);
}

fn move_job(cluster: &mut Cluster, job: &Manifest, pods: &[Arc<Manifest>]) {
    let is_failed = job.list_at(&["status", "conditions"]).iter().any(|condition| condition["type"] == "Failed");
    if is_failed || job.get(&["status", "completionTime"]).is_some() {
        return;
    }
    let now = cluster.wall();
    let started = job.get(&["status", "startTime"]).cloned().unwrap_or_else(|| json!(now));
    if pods.is_empty() {
        let Ok(pod) = cluster.server.create(objects::pod_of(job)) else { return };
        let message = format!("Created pod: {}", pod.name());
        cluster.record(job, Event::normal("job-controller", "SuccessfulCreate", message));
    }
    let ended = |phase: &str| pods.iter().any(|pod| pod.str_at(&["status", "phase"]) == Some(phase));
    let status = if ended("Failed") {
        let message = "Job has reached the specified backoff limit";
        cluster.record(job, Event::warning("job-controller", "BackoffLimitExceeded", message));
        let failed = json!({
            "type": "Failed", "status": "True", "lastProbeTime": now, "lastTransitionTime": now,
            "reason": "BackoffLimitExceeded", "message": message,
        });
        json!({ "startTime": started, "failed": 1, "ready": 0, "terminating": 0, "conditions": [failed] })
    } else if ended("Succeeded") {
        cluster.record(job, Event::normal("job-controller", "Completed", "Job completed"));
        let condition = |kind: &str| {
            json!({
                "type": kind, "status": "True", "lastProbeTime": now, "lastTransitionTime": now,
                "reason": "CompletionsReached", "message": "Reached expected number of succeeded pods",
            })
        };
        json!({
            "startTime": started, "completionTime": now, "succeeded": 1, "ready": 0, "terminating": 0,
            "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
        })
    } else {
        let ready = pods.iter().filter(|pod| is_ready(pod)).count();
        json!({ "startTime": started, "active": 1, "ready": ready, "terminating": 0 })
    };
    cluster.write_status("jobs", job, status);
}

/// Pods on a lost node are not ready; those that do not tolerate it for long are told to end, which nobody there hears.
fn leave_lost_node(cluster: &mut Cluster, node: &Manifest) {
    let now = cluster.wall();
    let since = node.list_at(&["status", "conditions"]).iter().find(|condition| condition["type"] == "Ready");
    let since = since.and_then(|condition| condition["lastTransitionTime"].as_str()?.parse().ok()).unwrap_or(now);
    let mut pods = cluster.server.objects("pods");
    pods.retain(|pod| pod.str_at(&["spec", "nodeName"]) == Some(node.name()));
    for pod in pods {
        if is_ready(&pod) {
            cluster.modify("pods", &pod, |pod| objects::mark_node_lost(pod, now));
            cluster.record(&pod, Event::warning("node-controller", "NodeNotReady", "Node is not ready"));
        }
        let stays = pod.metadata.owner_references.iter().any(|owner| owner.kind == "DaemonSet");
        let tolerations = pod.list_at(&["spec", "tolerations"]).iter();
        let tolerated = tolerations.filter_map(|toleration| toleration["tolerationSeconds"].as_i64()).min();
        let tolerated = SignedDuration::from_secs(tolerated.unwrap_or(300));
        if !stays && !is_terminating(&pod) && now.duration_since(since) > tolerated {
            let message = format!("Marking for deletion Pod {}/{}", pod.namespace(), pod.name());
            cluster.record(&pod, Event::normal("taint-eviction-controller", "TaintManagerEviction", message));
            end(cluster, &pod);
        }
    }
}
