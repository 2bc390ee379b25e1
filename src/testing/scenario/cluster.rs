use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::deployments::template_hash;
use super::recorder::Recorder;
use crate::api::Manifest;
use crate::runtime::{Moment, Random as _, Runtime, SeededRandom};
use crate::testing::apiserver::ApiServer;
use crate::testing::objects::{PodState, set_field, set_pod_state};

/// What all players share: the server, the time, chance, and who records events.
pub(super) struct Cluster {
    pub(super) server: ApiServer,
    runtime: Runtime,
    random: SeededRandom,
    recorder: Recorder,
    addresses_given: u32,
    /// A deployment's generation and the hash of its template then, by its uid.
    hashes: BTreeMap<String, (Option<i64>, String)>,
}

impl Cluster {
    pub(super) fn new(server: ApiServer, runtime: Runtime, seed: u64) -> Self {
        let random = SeededRandom::new(seed);
        Self { server, runtime, random, recorder: Recorder::default(), addresses_given: 0, hashes: BTreeMap::new() }
    }

    pub(super) fn now(&self) -> Moment {
        self.runtime.now()
    }

    /// Wall time in whole seconds, as the API writes it.
    pub(super) fn wall(&self) -> Timestamp {
        let wall = self.runtime.clock.wall();
        Timestamp::from_second(wall.as_second()).unwrap_or(wall)
    }

    pub(super) fn between(&self, low_ms: u64, high_ms: u64) -> Duration {
        let span = (high_ms - low_ms) as f64;
        Duration::from_millis(low_ms + (span * self.random.unit()) as u64)
    }

    pub(super) fn chance(&self) -> f64 {
        self.random.unit()
    }

    pub(super) fn pick<'a, T>(&self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.random.below(choices.len()))
    }

    /// An address in the pods' network that no other pod has had for a long time.
    pub(super) fn new_pod_ip(&mut self) -> String {
        const ADDRESSES: u32 = 64 * 250;
        let number = self.addresses_given % ADDRESSES;
        self.addresses_given += 1;
        format!("10.244.{}.{}", number % 64, number / 64 + 2)
    }

    /// [`template_hash`], computed again only when the deployment's spec has changed.
    pub(super) fn template_hash(&mut self, deployment: &Manifest) -> String {
        let generation = deployment.metadata.generation;
        if let Some((known, hash)) = self.hashes.get(deployment.uid())
            && *known == generation
        {
            return hash.clone();
        }
        let hash = template_hash(deployment);
        self.hashes.insert(deployment.uid().to_owned(), (generation, hash.clone()));
        hash
    }

    /// Records an event about an object; a repeated one is counted.
    pub(super) fn record(&mut self, about: &Manifest, event: Event<'_>) {
        let at = self.wall();
        self.recorder.record(&self.server, about, event, at);
    }

    /// Writes a pod's whole status; a pod that is gone meanwhile stays gone.
    pub(super) fn set_state(&self, pod: &Manifest, state: &PodState) {
        let at = self.wall();
        self.modify("pods", pod, |pod| set_pod_state(pod, state, at));
    }

    /// Changes an object; one that is gone meanwhile stays gone.
    pub(super) fn modify(&self, resource: &str, object: &Manifest, change: impl FnOnce(&mut Manifest)) {
        let _ = self.server.modify(resource, object.namespace(), object.name(), change);
    }

    /// Writes a workload's status when it is another one.
    pub(super) fn write_status(&self, resource: &str, object: &Manifest, status: Value) {
        if object.fields.get("status") != Some(&status) {
            self.modify(resource, object, |object| set_field(object, "status", status));
        }
    }

    /// All pods by the uid of the workload that controls them.
    pub(super) fn pods_by_owner(&self) -> BTreeMap<String, Vec<Arc<Manifest>>> {
        let mut by_owner: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for pod in self.server.objects("pods") {
            let owner = pod.metadata.owner_references.first().map(|owner| owner.uid.clone());
            by_owner.entry(owner.unwrap_or_default()).or_default().push(pod);
        }
        by_owner
    }
}

/// What is to be recorded.
pub(super) struct Event<'a> {
    /// `Normal` or `Warning`.
    pub(super) kind: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: String,
    pub(super) component: &'a str,
}

impl<'a> Event<'a> {
    pub(super) fn normal(component: &'a str, reason: &'a str, message: impl Into<String>) -> Self {
        Self { kind: "Normal", reason, message: message.into(), component }
    }

    pub(super) fn warning(component: &'a str, reason: &'a str, message: impl Into<String>) -> Self {
        Self { kind: "Warning", ..Self::normal(component, reason, message) }
    }
}

/// Whether a pod's or a node's condition `Ready` is true.
pub(super) fn is_ready(object: &Manifest) -> bool {
    let conditions = object.list_at(&["status", "conditions"]);
    conditions.iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

pub(super) fn is_terminating(object: &Manifest) -> bool {
    object.metadata.deletion_timestamp.is_some()
}

/// Whether a pod has neither ended nor been told to.
pub(super) fn is_active(pod: &Manifest) -> bool {
    let ended = matches!(pod.str_at(&["status", "phase"]), Some("Succeeded" | "Failed"));
    !ended && !is_terminating(pod)
}

pub(super) fn first_image(workload: &Manifest) -> &str {
    let containers = workload.list_at(&["spec", "template", "spec", "containers"]);
    containers.first().and_then(|container| container["image"].as_str()).unwrap_or_default()
}
