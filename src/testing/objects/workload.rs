use serde_json::{Value, json};

use super::{PodTemplate, object, with_fields};
use crate::api::{Manifest, OwnerReference};

fn template(app: &str, image: &str) -> Value {
    PodTemplate { app: app.into(), image: image.into(), ..PodTemplate::default() }.to_template()
}

fn selector(app: &str) -> Value {
    json!({ "matchLabels": { "app.kubernetes.io/name": app } })
}

fn labelled(mut object: Manifest, app: &str, fields: Value) -> Manifest {
    object.metadata.labels.insert("app.kubernetes.io/name".into(), app.into());
    with_fields(object, fields)
}

/// A deployment all of whose replicas are ready. Its app has its name.
pub fn deployment(namespace: &str, name: &str, image: &str, replicas: u32) -> Manifest {
    let fields = json!({
        "spec": {
            "replicas": replicas, "selector": selector(name), "template": template(name, image),
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } },
            "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
        },
        "status": {
            "observedGeneration": 1, "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
            "availableReplicas": replicas,
            "conditions": [
                { "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable",
                  "message": "Deployment has minimum availability." },
                { "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable",
                  "message": format!("ReplicaSet for \"{name}\" has successfully progressed.") },
            ],
        },
    });
    labelled(object("apps/v1", "Deployment", namespace, name), name, fields)
}

/// A replica set of an app, all of whose replicas are ready; `hash` ends its name.
pub fn replica_set(namespace: &str, app: &str, hash: &str, image: &str, replicas: u32) -> Manifest {
    let fields = json!({
        "spec": { "replicas": replicas, "selector": selector(app), "template": template(app, image) },
        "status": {
            "observedGeneration": 1, "replicas": replicas, "fullyLabeledReplicas": replicas,
            "readyReplicas": replicas, "availableReplicas": replicas,
        },
    });
    let mut set = labelled(object("apps/v1", "ReplicaSet", namespace, &format!("{app}-{hash}")), app, fields);
    set.metadata.labels.insert("pod-template-hash".into(), hash.into());
    set
}

/// A daemon set with a ready pod on each of so many nodes.
pub fn daemon_set(namespace: &str, name: &str, image: &str, nodes: u32) -> Manifest {
    let fields = json!({
        "spec": {
            "selector": selector(name), "template": template(name, image),
            "updateStrategy": { "type": "RollingUpdate" }, "revisionHistoryLimit": 10,
        },
        "status": {
            "observedGeneration": 1, "currentNumberScheduled": nodes, "desiredNumberScheduled": nodes,
            "numberAvailable": nodes, "numberReady": nodes, "updatedNumberScheduled": nodes, "numberMisscheduled": 0,
        },
    });
    labelled(object("apps/v1", "DaemonSet", namespace, name), name, fields)
}

/// A stateful set all of whose replicas are ready.
pub fn stateful_set(namespace: &str, name: &str, image: &str, replicas: u32) -> Manifest {
    let fields = json!({
        "spec": {
            "replicas": replicas, "selector": selector(name), "template": template(name, image),
            "serviceName": name, "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10,
            "updateStrategy": { "type": "RollingUpdate" },
        },
        "status": {
            "observedGeneration": 1, "replicas": replicas, "readyReplicas": replicas, "currentReplicas": replicas,
            "updatedReplicas": replicas, "availableReplicas": replicas,
        },
    });
    labelled(object("apps/v1", "StatefulSet", namespace, name), name, fields)
}

/// A job of one pod that has not ended.
pub fn job(namespace: &str, name: &str, image: &str) -> Manifest {
    let mut template = template(name, image);
    template["spec"]["restartPolicy"] = "Never".into();
    let fields = json!({
        "spec": { "parallelism": 1, "completions": 1, "backoffLimit": 6, "template": template },
        "status": { "active": 1, "ready": 0 },
    });
    labelled(object("batch/v1", "Job", namespace, name), name, fields)
}

/// A service in front of the app that has its name.
pub fn service(namespace: &str, name: &str, cluster_ip: &str) -> Manifest {
    let fields = json!({
        "spec": {
            "type": "ClusterIP", "clusterIP": cluster_ip, "clusterIPs": [cluster_ip], "sessionAffinity": "None",
            "selector": { "app.kubernetes.io/name": name }, "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "ports": [{ "name": "http", "port": 80, "targetPort": "http", "protocol": "TCP" }],
        },
        "status": { "loadBalancer": {} },
    });
    labelled(object("v1", "Service", namespace, name), name, fields)
}

/// What an object's dependents say of it.
pub fn owner_of(owner: &Manifest) -> OwnerReference {
    OwnerReference {
        api_version: owner.api_version.clone(),
        kind: owner.kind.clone(),
        name: owner.name().into(),
        uid: owner.uid().into(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// The pod of a stateful set that has this number.
pub fn pod_of_stateful_set(set: &Manifest, number: u32) -> Manifest {
    let mut pod = pod_of(set);
    pod.metadata.generate_name = None;
    pod.metadata.name = format!("{}-{number}", set.name());
    pod
}

/// A new pod after the template of the workload that owns it; the server gives it its name.
pub fn pod_of(owner: &Manifest) -> Manifest {
    let template = owner.get(&["spec", "template"]).cloned().unwrap_or_default();
    let mut pod = object("v1", "Pod", owner.namespace(), "");
    pod.metadata.generate_name = Some(format!("{}-", owner.name()));
    pod.metadata.labels = serde_json::from_value(template["metadata"]["labels"].clone()).unwrap_or_default();
    pod.metadata.annotations = serde_json::from_value(template["metadata"]["annotations"].clone()).unwrap_or_default();
    pod.metadata.owner_references.push(owner_of(owner));
    let status = json!({ "phase": "Pending", "qosClass": "Burstable" });
    with_fields(pod, json!({ "spec": template["spec"], "status": status }))
}
