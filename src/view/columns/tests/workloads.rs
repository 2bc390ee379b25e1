use super::*;

#[test]
fn deployments() {
    let spec = json!({"replicas": 5, "template": template(), "selector": {"matchLabels": {"foo": "bar"}}});
    let status = json!({"replicas": 10, "updatedReplicas": 2, "availableReplicas": 1, "readyReplicas": 4});
    let invalid = json!({"selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}});
    check(
        "apps/v1/deployments",
        &[
            (json!({"spec": spec, "status": status}), "ns | x | 4/5 | 2 | 1 | 5m | web,log | web:1,log:2 | foo=bar"),
            (json!({}), "ns | x | 0/0 | 0 | 0 | 5m |  |  | "),
            (json!({"spec": invalid}), "ns | x | 0/0 | 0 | 0 | 5m |  |  | <invalid>"),
        ],
    );
}

#[test]
fn stateful_sets() {
    let fields =
        json!({"spec": {"replicas": 5, "template": template()}, "status": {"readyReplicas": 2, "replicas": 3}});
    check("apps/v1/statefulsets", &[(fields, "ns | x | 2/5 | 5m | web,log | web:1,log:2")]);
}

#[test]
fn daemon_sets() {
    let mut template = template();
    template["spec"]["nodeSelector"] = json!({"os": "linux", "disk": "ssd"});
    let status = json!({
        "desiredNumberScheduled": 3, "currentNumberScheduled": 2, "numberReady": 1,
        "updatedNumberScheduled": 4, "numberAvailable": 5,
    });
    let selector = json!({"matchLabels": {"a": "1"}});
    check(
        "apps/v1/daemonsets",
        &[
            (
                json!({"spec": {"template": template, "selector": selector}, "status": status}),
                "ns | x | 3 | 2 | 1 | 4 | 5 | disk=ssd,os=linux | 5m | web,log | web:1,log:2 | a=1",
            ),
            (json!({}), "ns | x | 0 | 0 | 0 | 0 | 0 | <none> | 5m |  |  | <none>"),
        ],
    );
}

#[test]
fn replica_sets_and_replication_controllers() {
    let spec = |selector: Value| json!({"replicas": 5, "template": template(), "selector": selector});
    let status = json!({"replicas": 3, "readyReplicas": 1});
    let labels = json!({"b": "2", "a": "1"});
    let expressions = json!([
        {"key": "c", "operator": "In", "values": ["z", "y"]},
        {"key": "aa", "operator": "NotIn", "values": ["q"]},
        {"key": "d", "operator": "Exists"},
        {"key": "e", "operator": "DoesNotExist", "values": []},
    ]);
    let both = json!({"matchLabels": labels, "matchExpressions": expressions});
    check(
        "apps/v1/replicasets",
        &[
            (
                json!({"spec": spec(both), "status": status}),
                "ns | x | 5 | 3 | 1 | 5m | web,log | web:1,log:2 | a=1,aa notin (q),b=2,c in (y,z),d,!e",
            ),
            (
                json!({"spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}}),
                "ns | x | 0 | 0 | 0 | 5m |  |  | <error>",
            ),
        ],
    );
    check(
        "v1/replicationcontrollers",
        &[
            (
                json!({"spec": spec(labels), "status": status}),
                "ns | x | 5 | 3 | 1 | 5m | web,log | web:1,log:2 | a=1,b=2",
            ),
            (json!({}), "ns | x | 0 | 0 | 0 | 5m |  |  | <none>"),
        ],
    );
}

fn condition(kind: &str) -> Value {
    json!([{"type": kind, "status": "True"}])
}

#[test]
fn jobs() {
    let spec = json!({"completions": 2, "template": template(), "selector": {"matchLabels": {"foo": "bar"}}});
    let job = |spec: Value, status: Value| json!({"spec": spec, "status": status});
    check(
        "batch/v1/jobs",
        &[
            (job(spec, json!({"succeeded": 1})), "ns | x | Running | 1/2 |  | 5m | web,log | web:1,log:2 | foo=bar"),
            (job(json!({}), json!({})), "ns | x | Running | 0/1 |  | 5m |  |  | <none>"),
            (job(json!({"parallelism": 3}), json!({})), "ns | x | Running | 0/1 of 3 |  | 5m |  |  | <none>"),
            (
                job(json!({}), json!({"startTime": "2026-11-29T11:00:00Z", "completionTime": "2026-11-29T11:30:00Z"})),
                "ns | x | Running | 0/1 | 30m | 5m |  |  | <none>",
            ),
            (
                job(json!({}), json!({"startTime": "2026-11-29T11:40:00Z"})),
                "ns | x | Running | 0/1 | 20m | 5m |  |  | <none>",
            ),
        ],
    );
    let deleted = json!({"deletionTimestamp": NOW});
    for (metadata, conditions, text, expected) in [
        (json!({}), condition("Complete"), "Complete", Health::Terminated),
        (json!({}), condition("Failed"), "Failed", Health::Error),
        (json!({}), condition("Suspended"), "Suspended", Health::Terminated),
        (json!({}), condition("FailureTarget"), "FailureTarget", Health::Error),
        (json!({}), condition("SuccessCriteriaMet"), "SuccessCriteriaMet", Health::Progressing),
        (json!({}), json!([]), "Running", Health::Progressing),
        (json!({}), json!([{"type": "Complete", "status": "False"}]), "Running", Health::Progressing),
        (deleted.clone(), condition("Suspended"), "Terminating", Health::Terminated),
        (deleted, condition("Complete"), "Complete", Health::Terminated),
    ] {
        let fields = json!({"metadata": metadata, "status": {"conditions": conditions}});
        assert_eq!(printed("batch/v1/jobs", &fields), format!("ns | x | {text} | 0/1 |  | 5m |  |  | <none>"));
        assert_eq!(health("batch/v1/jobs", "STATUS", &fields), expected);
    }
}

#[test]
fn cron_jobs() {
    let job = json!({"spec": {"template": template(), "selector": {"matchLabels": {"a": "b"}}}});
    let spec = json!({"schedule": "0/5 * * * ?", "timeZone": "LOCAL", "suspend": false, "jobTemplate": job});
    check(
        "batch/v1/cronjobs",
        &[
            (
                json!({"spec": spec, "status": {"lastScheduleTime": "2026-11-29T11:59:30Z", "active": [{}, {}]}}),
                "ns | x | 0/5 * * * ? | LOCAL | False | 2 | 30s | 5m | web,log | web:1,log:2 | a=b",
            ),
            (
                json!({"spec": {"schedule": "@daily", "suspend": true}}),
                "ns | x | @daily | <none> | True | 0 | <none> | 5m |  |  | <none>",
            ),
            (json!({}), "ns | x |  | <none> | <unset> | 0 | <none> | 5m |  |  | <none>"),
        ],
    );
}

#[test]
fn controller_revisions() {
    let owned = |owner: Value| json!({"metadata": {"ownerReferences": [owner]}, "revision": 2});
    let owner = json!({"controller": true, "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "foo"});
    let of_core = json!({"controller": true, "apiVersion": "v1", "kind": "Node", "name": "n"});
    check(
        "apps/v1/controllerrevisions",
        &[
            (owned(owner), "ns | x | daemonset.apps/foo | 2 | 5m"),
            (owned(of_core), "ns | x | node/n | 2 | 5m"),
            (owned(json!({"controller": false, "kind": "ABC", "name": "foo"})), "ns | x | <none> | 2 | 5m"),
            (json!({}), "ns | x | <none> | 0 | 5m"),
        ],
    );
}

fn autoscaler(metrics: &Value, current: &Value) -> Value {
    json!({
        "spec": {
            "scaleTargetRef": {"kind": "ReplicationController", "name": "some-rc"},
            "minReplicas": 2, "maxReplicas": 10, "metrics": metrics,
        },
        "status": {"currentReplicas": 4, "currentMetrics": current},
    })
}

#[test]
fn autoscalers() {
    let value = |value: &str| json!({"value": value});
    let average = |value: &str| json!({"averageValue": value});
    let share = |share: u32| json!({"averageUtilization": share});
    let of =
        |kind: &str, field: &str, key: &str, value: Value| json!({"type": kind, field: {"name": "cpu", key: value}});
    for (kind, field, target, current, expected) in [
        ("External", "external", average("100m"), None, "<unknown>/100m (avg)"),
        ("External", "external", average("100m"), Some(average("50m")), "50m/100m (avg)"),
        ("External", "external", average("100m"), Some(json!({})), "<unknown>/100m (avg)"),
        ("External", "external", value("100m"), None, "<unknown>/100m"),
        ("External", "external", value("100m"), Some(value("50m")), "50m/100m"),
        ("External", "external", value("100m"), Some(json!({})), "<nil>/100m"),
        ("Pods", "pods", average("100m"), None, "<unknown>/100m"),
        ("Pods", "pods", average("100m"), Some(average("50m")), "50m/100m"),
        ("Object", "object", value("100m"), None, "<unknown>/100m"),
        ("Object", "object", value("100m"), Some(value("50m")), "50m/100m"),
        ("Object", "object", average("1"), Some(average("2")), "2/1 (avg)"),
        ("Resource", "resource", average("100m"), None, "cpu: <unknown>/100m"),
        ("Resource", "resource", average("100m"), Some(average("50m")), "cpu: 50m/100m"),
        ("Resource", "resource", average("100m"), Some(json!({})), "cpu: <nil>/100m"),
        ("Resource", "resource", share(80), None, "cpu: <unknown>/80%"),
        ("Resource", "resource", share(80), Some(share(50)), "cpu: 50%/80%"),
        ("Resource", "resource", json!({}), None, "cpu: <unknown>/<auto>"),
        ("ContainerResource", "containerResource", share(80), Some(share(50)), "cpu: 50%/80%"),
        ("ContainerResource", "containerResource", average("1"), Some(average("2")), "cpu: 2/1"),
        ("Other", "other", json!({}), None, "<unknown type>"),
    ] {
        let metrics = json!([of(kind, field, "target", target)]);
        let current: Vec<_> = current.into_iter().map(|it| of(kind, field, "current", it)).collect();
        let fields = autoscaler(&metrics, &json!(current));
        let expected = format!("ns | x | ReplicationController/some-rc | {expected} | 2 | 10 | 4 | 5m");
        assert_eq!(printed("autoscaling/v2/horizontalpodautoscalers", &fields), expected);
    }
    let many = json!(vec![of("Resource", "resource", "target", share(80)); 4]);
    let unset = json!({"spec": {"maxReplicas": 1, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}});
    check(
        "autoscaling/v2/horizontalpodautoscalers",
        &[
            (unset, "ns | x | Deployment/web | <none> | <unset> | 1 | 0 | 5m"),
            (
                autoscaler(&many, &json!([])),
                "ns | x | ReplicationController/some-rc | cpu: <unknown>/80%, cpu: <unknown>/80% + 2 more... | 2 | 10 | 4 | 5m",
            ),
        ],
    );
}

#[test]
fn disruption_budgets() {
    check(
        "policy/v1/poddisruptionbudgets",
        &[
            (json!({"spec": {"minAvailable": 22}, "status": {"disruptionsAllowed": 5}}), "ns | x | 22 | N/A | 5 | 5m"),
            (json!({"spec": {"maxUnavailable": "11%"}}), "ns | x | N/A | 11% | 0 | 5m"),
        ],
    );
}
