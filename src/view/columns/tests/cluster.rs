use super::*;

#[test]
fn namespaces() {
    for (phase, expected) in [("Active", Health::Ok), ("Terminating", Health::Terminated), ("", Health::Unknown)] {
        let fields = json!({"status": {"phase": phase}});
        assert_eq!(printed("v1/namespaces", &fields), format!("x | {phase} | 5m"));
        assert_eq!(health("v1/namespaces", "STATUS", &fields), expected);
    }
}

#[test]
fn nodes() {
    let info = json!({
        "kubeletVersion": "v1.37.2", "osImage": "Linux", "kernelVersion": "6.1", "architecture": "arm64",
        "containerRuntimeVersion": "containerd://2",
    });
    let addresses = json!([
        {"type": "Hostname", "address": "h"}, {"type": "InternalIP", "address": "10.0.0.1"},
        {"type": "InternalIP", "address": "10.0.0.2"}, {"type": "ExternalIP", "address": "1.1.1.1"},
    ]);
    let labels = json!({
        "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/edge": "x", "node-role.kubernetes.io/": "",
        "kubernetes.io/role": "edge", "other": "y",
    });
    let status = json!({"conditions": [{"type": "Ready", "status": "True"}], "nodeInfo": info, "addresses": addresses});
    check(
        "v1/nodes",
        &[
            (
                json!({"metadata": {"labels": labels}, "status": status}),
                "x | Ready | edge,worker | 5m | v1.37.2 | 10.0.0.1 | 1.1.1.1 | Linux | 6.1 (arm64) | containerd://2",
            ),
            (json!({}), "x | Unknown | <none> | 5m |  | <none> | <none> | <unknown> | <unknown> | <unknown>"),
        ],
    );
    for (status, is_closed, text, expected) in [
        ("True", false, "Ready", Health::Ok),
        ("False", false, "NotReady", Health::Error),
        ("Unknown", false, "NotReady", Health::Error),
        ("True", true, "Ready,SchedulingDisabled", Health::Warning),
        ("False", true, "NotReady,SchedulingDisabled", Health::Error),
    ] {
        let conditions = json!([{"type": "Ready", "status": status}, {"type": "Other", "status": "True"}]);
        let fields = json!({"spec": {"unschedulable": is_closed}, "status": {"conditions": conditions}});
        assert!(printed("v1/nodes", &fields).starts_with(&format!("x | {text} | <none>")));
        assert_eq!(health("v1/nodes", "STATUS", &fields), expected);
    }
}

/// The same event of both groups; times at which it was seen first and last, by their age in days.
fn both_events(times: [Option<i64>; 3], series: Option<i64>, count: i64) -> [(&'static str, Value); 2] {
    let day = |days: i64| {
        let now: jiff::Timestamp = NOW.parse().unwrap();
        now.checked_sub(jiff::SignedDuration::from_hours(24 * days)).unwrap().to_string()
    };
    let [first, last, event] = times.map(|days| days.map(day));
    let micro = |time: String| time.replace('Z', ".000000Z");
    let event = event.map(micro);
    let series = series.map(|days| json!({"count": 2, "lastObservedTime": micro(day(days))}));
    let about = json!({"kind": "Deployment", "name": "web", "fieldPath": "spec.containers{foo}"});
    let source = json!({"component": "kubelet", "host": "Node1"});
    let core = json!({
        "involvedObject": about, "source": source, "reason": "Reason", "message": " Message\nData ", "type": "Warning",
        "firstTimestamp": first, "lastTimestamp": last, "eventTime": event, "series": series, "count": count,
    });
    let new = json!({
        "regarding": about, "deprecatedSource": source, "reason": "Reason", "note": " Message\nData ",
        "type": "Warning", "deprecatedFirstTimestamp": first, "deprecatedLastTimestamp": last, "eventTime": event,
        "series": series, "deprecatedCount": count,
    });
    [("v1/events", core), ("events.k8s.io/v1/events", new)]
}

#[test]
fn events() {
    let cases = [
        ([Some(3), Some(2), None], None, 6, ["2d", "3d", "6"]),
        ([None, Some(3), Some(3)], None, 1, ["3d", "3d", "1"]),
        ([Some(3), None, Some(4)], None, 1, ["3d", "3d", "1"]),
        ([None, None, Some(3)], None, 0, ["3d", "3d", "1"]),
        ([None, None, Some(3)], Some(2), 0, ["2d", "3d", "2"]),
        ([None, None, None], None, 0, ["<unknown>", "<unknown>", "1"]),
    ];
    for (times, series, count, [last, first, shown]) in cases {
        for (path, fields) in both_events(times, series, count) {
            let expected = format!(
                "ns | {last} | Warning | Reason | deployment/web | spec.containers{{foo}} | kubelet, Node1 | \
                 Message... | {first} | {shown} | x"
            );
            assert_eq!(printed(path, &fields), expected, "{fields}");
        }
    }
    let reported = json!({"reportingInstance": "test", "type": "Normal", "eventTime": "2026-11-29T11:59:58.500000Z"});
    for (path, key, about) in [
        ("v1/events", "reportingComponent", "involvedObject"),
        ("events.k8s.io/v1/events", "reportingController", "regarding"),
    ] {
        let mut fields = reported.clone();
        fields[key] = "kubelet".into();
        fields[about] = json!({"kind": "Pod"});
        assert_eq!(printed(path, &fields), "ns | 1s | Normal |  | pod |  | kubelet, test |  | 1s | 1 | x");
        assert_eq!(health(path, "TYPE", &fields), Health::Ok);
    }
    assert_eq!(health("v1/events", "TYPE", &json!({"type": "Warning"})), Health::Warning);
}

#[test]
fn leases_and_classes() {
    check(
        "coordination.k8s.io/v1/leases",
        &[
            (json!({"spec": {"holderIdentity": "holder1"}}), "ns | x | holder1 | 5m"),
            (json!({"spec": {}}), "ns | x |  | 5m"),
        ],
    );
    check(
        "scheduling.k8s.io/v1/priorityclasses",
        &[
            (json!({"value": 1}), "x | 1 | false | 5m | "),
            (
                json!({"value": 1_000_000_000, "globalDefault": true, "preemptionPolicy": "PreemptLowerPriority"}),
                "x | 1000000000 | true | 5m | PreemptLowerPriority",
            ),
        ],
    );
    check("node.k8s.io/v1/runtimeclasses", &[(json!({"handler": "h1"}), "x | h1 | 5m")]);
}

#[test]
fn component_statuses() {
    let healthy = |status: &str| {
        let condition = json!({"type": "Healthy", "status": status, "message": "test message", "error": "test error"});
        json!({"conditions": [{"type": "Other"}, condition]})
    };
    check(
        "v1/componentstatuses",
        &[
            (json!({}), "x | Unknown |  | "),
            (healthy("True"), "x | Healthy | test message | test error"),
            (healthy("False"), "x | Unhealthy | test message | test error"),
        ],
    );
    assert_eq!(health("v1/componentstatuses", "STATUS", &healthy("False")), Health::Error);
}

#[test]
fn flow_control() {
    let path = "flowcontrol.apiserver.k8s.io/v1/flowschemas";
    let spec = json!({
        "priorityLevelConfiguration": {"name": "allee"}, "matchingPrecedence": 2_147_483_647,
        "distinguisherMethod": {"type": "ByUser"},
    });
    let dangling = |status: &str| json!({"conditions": [{"type": "Dangling", "status": status}]});
    check(
        path,
        &[
            (json!({"spec": spec}), "x | allee | 2147483647 | ByUser | 5m | ?"),
            (json!({"spec": {}, "status": dangling("True")}), "x |  | 0 | <none> | 5m | True"),
        ],
    );
    assert_eq!(health(path, "MISSINGPL", &json!({"status": dangling("True")})), Health::Error);
    assert_eq!(health(path, "MISSINGPL", &json!({"status": dangling("False")})), Health::Ok);

    let queuing = json!({"queues": 8, "handSize": 3, "queueLengthLimit": 4});
    let limited = |response: Value| json!({"nominalConcurrencyShares": 42, "limitResponse": response});
    check(
        "flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
        &[
            (json!({"spec": {"type": "Exempt"}}), "x | Exempt | <none> | <none> | <none> | <none> | 5m"),
            (
                json!({"spec": {"type": "Limited", "limited": limited(json!({"type": "Reject"}))}}),
                "x | Limited | 42 | <none> | <none> | <none> | 5m",
            ),
            (
                json!({"spec": {"type": "Limited", "limited": limited(json!({"type": "Queue", "queuing": queuing}))}}),
                "x | Limited | 42 | 8 | 3 | 4 | 5m",
            ),
        ],
    );
}

#[test]
fn admission() {
    for path in ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"] {
        let path = format!("admissionregistration.k8s.io/v1/{path}");
        check(&path, &[(json!({"webhooks": [{}, {}]}), "x | 2 | 5m"), (json!({}), "x | 0 | 5m")]);
    }
    let kind = json!({"apiVersion": "rules.example.com/v1", "kind": "Limit"});
    for (path, list) in [("validatingadmissionpolicies", "validations"), ("mutatingadmissionpolicies", "mutations")] {
        check(
            &format!("admissionregistration.k8s.io/v1/{path}"),
            &[
                (json!({"spec": {list: [{}, {}], "paramKind": kind}}), "x | 2 | rules.example.com/v1/Limit | 5m"),
                (json!({"spec": {}}), "x | 0 | <unset> | 5m"),
            ],
        );
    }
    let expression = json!({"key": "k", "operator": "In", "values": ["v", "w"]});
    let selector = json!({"matchLabels": {"b": "2", "a": "1"}, "matchExpressions": [expression]});
    let binding = |param: Value| json!({"spec": {"policyName": "policy", "paramRef": param}});
    for path in ["validatingadmissionpolicybindings", "mutatingadmissionpolicybindings"] {
        check(
            &format!("admissionregistration.k8s.io/v1/{path}"),
            &[
                (binding(json!(null)), "x | policy | <unset> | 5m"),
                (binding(json!({"name": "n"})), "x | policy | */n | 5m"),
                (binding(json!({"name": "n", "namespace": "m"})), "x | policy | m/n | 5m"),
                (
                    binding(json!({"selector": selector})),
                    "x | policy | &LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:\
                 []LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[v w],},},} | 5m",
                ),
            ],
        );
    }
}

#[test]
fn definitions_and_services_of_apis() {
    let versions = json!([
        {"name": "v2", "served": true}, {"name": "v1", "served": true, "storage": true}, {"name": "v0", "served": false},
    ]);
    let spec = json!({
        "scope": "Namespaced", "group": "example.com", "versions": versions,
        "names": {"kind": "Widget", "shortNames": ["wd", "w"]},
    });
    let established = json!({"conditions": [{"type": "Established", "status": "True"}]});
    check(
        "apiextensions.k8s.io/v1/customresourcedefinitions",
        &[
            (
                json!({"spec": spec, "status": established}),
                "x | Namespaced | v1(storage),v2 | 2026-11-29T11:55:00Z | example.com | Widget | wd,w | true",
            ),
            (json!({}), "x |  |  | 2026-11-29T11:55:00Z |  |  |  | false"),
        ],
    );
    let path = "apiregistration.k8s.io/v1/apiservices";
    for (condition, text, expected) in [
        (json!({"type": "Available", "status": "True", "reason": "Passed"}), "True", Health::Ok),
        (
            json!({"type": "Available", "status": "False", "reason": "MissingEndpoints"}),
            "False (MissingEndpoints)",
            Health::Error,
        ),
        (json!({"type": "Available", "status": "False"}), "False", Health::Error),
        (json!({"type": "Other", "status": "True"}), "Unknown", Health::Unknown),
    ] {
        let service = json!({"namespace": "kube-system", "name": "metrics-server"});
        let fields = json!({"spec": {"service": service}, "status": {"conditions": [condition]}});
        assert_eq!(printed(path, &fields), format!("x | kube-system/metrics-server | {text} | 5m"));
        assert_eq!(health(path, "AVAILABLE", &fields), expected, "{text}");
    }
    check(path, &[(json!({"spec": {}}), "x | Local | Unknown | 5m")]);
}
