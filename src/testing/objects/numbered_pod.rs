//! Pods as a server sends them by the thousand: what benches and counts are taken on.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::pod_status::digest_of;
use super::{PodState, PodTemplate, set_field, set_pod_state};
use crate::api::{Manifest, OwnerReference};

const APPS: [&str; 12] = [
    "web", "api", "worker", "cache", "search", "mailer", "checkout", "catalog", "gateway", "billing", "reports",
    "sessions",
];
const NAMESPACES: usize = 40;
const NODES: usize = 200;
const REPLICAS: usize = 25;

/// One of very many running pods of two containers, told apart by its number, with everything that the server adds:
/// about 5 KB of JSON, and 9 KB [with managed fields](with_managed_fields).
///
/// 25 pods are of one ReplicaSet, which lives in one of 40 namespaces; they stand on 200 nodes and are up to two days
/// old. The version is the number plus one.
pub fn numbered_pod(number: usize) -> Manifest {
    let workload = number / REPLICAS;
    let (app, namespace) = (APPS[workload % APPS.len()], format!("team-{:02}", workload % NAMESPACES));
    let hash = &digest_of(&format!("{workload}"))[..10];
    let owner = format!("{app}-{hash}");
    let template = PodTemplate {
        app: app.into(),
        image: format!("registry.example/{namespace}/{app}:1.{}.{}", workload % 7, workload % 13),
        has_sidecar: true,
        labels: vec![("pod-template-hash".into(), hash.into()), ("team".into(), namespace.clone())],
        owner: Some(owner_reference(&owner)),
        node: format!("node-{:03}", number * 31 % NODES),
        namespace,
        ..PodTemplate::default()
    };
    let mut pod = template.build(&format!("{owner}-{number:05x}"));
    let created = created_at(number);
    pod.metadata.uid = uid_of(pod.name());
    pod.metadata.resource_version = (number + 1).to_string();
    pod.metadata.creation_timestamp = Some(created);
    set_field(&mut pod, "status.hostIP", format!("192.168.1.{}", number * 31 % NODES + 10));
    set_field(
        &mut pod,
        "status.podIP",
        format!("10.{}.{}.{}", 128 + number / 62_500, number / 250 % 250, number % 250),
    );
    let restarts = if number.is_multiple_of(11) { (number % 5) as u32 } else { 0 };
    set_pod_state(&mut pod, &PodState::Running { restarts }, created);
    pod
}

fn owner_reference(name: &str) -> OwnerReference {
    OwnerReference {
        api_version: "apps/v1".into(),
        kind: "ReplicaSet".into(),
        name: name.into(),
        uid: uid_of(name),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

fn uid_of(name: &str) -> String {
    let digits = digest_of(name);
    format!("{}-{}-4{}-8{}-{}", &digits[..8], &digits[8..12], &digits[12..15], &digits[15..18], &digits[18..30])
}

/// 7919 is a prime: the times lie everywhere in the two days.
fn created_at(number: usize) -> Timestamp {
    const TWO_DAYS_SECONDS: usize = 2 * 24 * 3600;
    let latest = Timestamp::constant(1_767_225_600, 0);
    let age = SignedDuration::from_secs((number * 7919 % TWO_DAYS_SECONDS) as i64);
    latest.checked_sub(age).unwrap_or(latest)
}

/// With what a server notes of who set which field: the controller the spec, the kubelet the status. Nearly as much
/// again as the rest of the object.
pub fn with_managed_fields(mut pod: Manifest) -> Manifest {
    let fields = Value::Object(pod.fields.clone());
    let labels = serde_json::to_value(&pod.metadata.labels).unwrap_or_default();
    let metadata = json!({ "labels": labels, "ownerReferences": [{ "uid": "x" }], "generateName": "x" });
    let entry = |manager: &str, subresource: Option<&str>, fields: Value| {
        let mut entry = json!({
            "manager": manager, "operation": "Update", "apiVersion": pod.api_version,
            "time": pod.metadata.creation_timestamp, "fieldsType": "FieldsV1", "fieldsV1": fields,
        });
        if let Some(subresource) = subresource {
            entry["subresource"] = subresource.into();
        }
        entry
    };
    let of_spec = paths(&json!({ "metadata": metadata, "spec": fields["spec"] }));
    let of_status = paths(&json!({ "status": fields["status"] }));
    let entries = [entry("kube-controller-manager", None, of_spec), entry("kubelet", Some("status"), of_status)];
    pod.metadata.managed_fields = Some(Arc::new(Value::from(entries.to_vec())));
    pod
}

/// The fields of a value as `FieldsV1` writes them (structured-merge-diff: `fieldpath/serialize.go`).
fn paths(value: &Value) -> Value {
    let children: Map<String, Value> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (format!("f:{name}"), paths(value))).collect(),
        Value::Array(items) => items.iter().filter_map(|item| Some((element(item)?, paths(item)))).collect(),
        _ => Map::new(),
    };
    Value::Object(children)
}

/// How an element of a list is named there; none in lists that are set as a whole.
fn element(item: &Value) -> Option<String> {
    let name = ["uid", "name", "type", "ip", "mountPath"].into_iter().find(|name| item.get(name).is_some())?;
    Some(format!("k:{}", json!({ name: item[name] })))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn bytes(pod: &Manifest) -> usize {
        serde_json::to_vec(pod).unwrap().len()
    }

    #[test]
    fn a_numbered_pod_has_the_size_that_a_server_sends() {
        let pod = numbered_pod(42);
        assert!((4_800..5_600).contains(&bytes(&pod)), "{} bytes", bytes(&pod));
        let whole = bytes(&with_managed_fields(pod.clone()));
        assert!((8_500..10_000).contains(&whole), "{whole} bytes");
        assert_eq!(pod.list_at(&["spec", "containers"]).len(), 2);
        assert_eq!(pod.list_at(&["status", "containerStatuses"]).len(), 2);
    }

    #[test]
    fn numbered_pods_differ_in_what_is_an_object_s_own_and_share_the_rest() {
        let pods: Vec<_> = (0..1000).map(numbered_pod).collect();
        let different = |values: Vec<&str>| values.into_iter().collect::<BTreeSet<_>>().len();
        assert_eq!(different(pods.iter().map(Manifest::uid).collect()), 1000);
        assert_eq!(different(pods.iter().filter_map(|pod| pod.str_at(&["status", "podIP"])).collect()), 1000);
        assert_eq!(different(pods.iter().map(Manifest::name).collect()), 1000);
        assert_eq!(different(pods.iter().map(Manifest::namespace).collect()), NAMESPACES);
        assert_eq!(different(pods.iter().filter_map(|pod| pod.str_at(&["spec", "nodeName"])).collect()), NODES);
    }
}
