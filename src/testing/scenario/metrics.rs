//! What metrics-server says: what nodes and pods use, measured every fifteen seconds.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::cluster::{Cluster, is_active};
use crate::api::Manifest;
use crate::runtime::Moment;
use crate::testing::objects::{self, set_field};

const PERIOD: Duration = Duration::from_secs(15);

#[derive(Default)]
pub(super) struct Meter {
    next: Option<Moment>,
    rounds: u64,
}

impl Meter {
    /// Measures when it is time to.
    pub(super) fn act(&mut self, cluster: &Cluster) {
        let now = cluster.now();
        if self.next.is_some_and(|next| now < next) {
            return;
        }
        self.next = Some(now + PERIOD);
        self.rounds += 1;
        let mut used: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let pods = cluster.server.objects("pods");
        for pod in pods.iter().filter(|pod| is_active(pod) && pod.str_at(&["status", "phase"]) == Some("Running")) {
            let (cpu, memory) = self.use_of(pod.uid());
            let node = pod.str_at(&["spec", "nodeName"]).unwrap_or_default();
            let sum = used.entry(node.to_owned()).or_default();
            *sum = (sum.0 + cpu, sum.1 + memory);
            let name = pod.list_at(&["spec", "containers"]).first().map(|it| it["name"].clone());
            let containers = json!([{ "name": name, "usage": amounts(cpu, memory) }]);
            write(cluster, "pods", "PodMetrics", pod, &[("containers", containers)]);
        }
        for measured in cluster.server.objects("pods.metrics.k8s.io") {
            if !pods.iter().any(|pod| pod.name() == measured.name() && pod.namespace() == measured.namespace()) {
                let _ = cluster.server.delete("pods.metrics.k8s.io", measured.namespace(), measured.name());
            }
        }
        for node in cluster.server.objects("nodes") {
            let (cpu, memory) = used.get(node.name()).copied().unwrap_or_default();
            // The system uses some too.
            let usage = amounts(cpu + self.use_of(node.name()).0 * 2, memory + (900 << 10));
            write(cluster, "nodes", "NodeMetrics", &node, &[("usage", usage)]);
        }
    }

    /// Millicores and Ki: each has a level of its own, and goes up and down around it.
    fn use_of(&self, name: &str) -> (u64, u64) {
        let own = name.bytes().fold(7_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3) >> 3);
        let wave = |length: u64| {
            let at = (self.rounds + own) % length;
            at.min(length - at)
        };
        let (cpu, memory) = (12 + own % 61, 40 + own % 117);
        (cpu + cpu * wave(24) / 12 + (own ^ (self.rounds * 31)) % 9, (memory + wave(40) * 2) << 10)
    }
}

fn amounts(cpu_milli: u64, memory_kibibytes: u64) -> Value {
    json!({ "cpu": format!("{}n", cpu_milli * 1_000_000), "memory": format!("{memory_kibibytes}Ki") })
}

fn write(cluster: &Cluster, resource: &str, kind: &str, of: &Manifest, fields: &[(&str, Value)]) {
    let at = json!(cluster.wall());
    let set = |object: &mut Manifest| {
        set_field(object, "timestamp", at.clone());
        set_field(object, "window", "15s");
        fields.iter().for_each(|(name, value)| set_field(object, name, value.clone()));
    };
    let resource = format!("{resource}.metrics.k8s.io");
    if cluster.server.modify(&resource, of.namespace(), of.name(), set).is_err() {
        let mut object = objects::object("metrics.k8s.io/v1beta1", kind, of.namespace(), of.name());
        set(&mut object);
        // The namespace may be gone.
        let _ = cluster.server.create(object);
    }
}
