use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};

use super::Topic;
use crate::api::{Object, ValueRef};
use crate::view::Health;
use crate::view::columns::Standing;

/// How long something may take that takes a moment as a rule.
const PATIENCE: SignedDuration = SignedDuration::from_secs(60);

/// What is wrong with an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// In a word or two: those with the same belong together.
    pub(super) reason: Cow<'static, str>,
    pub(super) health: Health,
    /// What tells this object from the others of the reason: `2 of 5`.
    pub(super) detail: Box<str>,
    /// None when it counts at once.
    pub(super) from: Option<Timestamp>,
}

impl Problem {
    fn new(health: Health, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { reason: reason.into(), health, detail: Box::default(), from: None }
    }

    fn with(self, detail: &str) -> Self {
        Self { detail: detail.into(), ..self }
    }

    fn after(self, since: Option<Timestamp>) -> Self {
        let from = since.and_then(|since| since.checked_add(PATIENCE).ok());
        Self { from, ..self }
    }
}

/// What is wrong with an object of the topic.
pub(super) fn problems(topic: Topic, object: &Object) -> Vec<Problem> {
    let one = match topic {
        Topic::Nodes => return of_node(object),
        Topic::Events => None,
        Topic::Pods => of_pod(object),
        Topic::Deployments | Topic::StatefulSets => {
            short(object, object.int_at(&["status", "readyReplicas"]), object.int_at(&["spec", "replicas"]).or(Some(1)))
        }
        Topic::DaemonSets => {
            let number = |field| object.int_at(&["status", field]);
            short(object, number("numberReady"), number("desiredNumberScheduled"))
        }
        Topic::Jobs => condition(object, "Failed").filter(|it| is_true(*it)).map(|failed| {
            let problem = Problem::new(Health::Error, "Failed");
            problem.with(&failed.get("reason").and_then(ValueRef::as_str).unwrap_or_default())
        }),
        Topic::Claims => match &*object.str_at(&["status", "phase"]).unwrap_or_default() {
            "Pending" => Some(Problem::new(Health::Warning, "Pending")),
            "Lost" => Some(Problem::new(Health::Error, "Lost")),
            _ => None,
        },
    };
    one.into_iter().collect()
}

fn of_pod(pod: &Object) -> Option<Problem> {
    let Standing { reason, health, ready, total } = Standing::of(pod);
    let scheduled = condition(pod, "PodScheduled").and_then(|it| it.get("reason")).and_then(ValueRef::as_str);
    let detail = if total > 1 { [&ready.to_string(), " of ", &total.to_string()].concat() } else { String::new() };
    let created = pod.creation_timestamp();
    match (&*reason, health) {
        (_, Health::Ok) => None,
        // It should have been gone at that time.
        ("Terminating", _) => Some(Problem::new(Health::Warning, reason).after(pod.deletion_timestamp())),
        (_, Health::Terminated) => None,
        ("Pending", _) if scheduled.is_some_and(|reason| reason == "Unschedulable") => {
            Some(Problem::new(Health::Warning, "Unschedulable"))
        }
        ("Running", _) => Some(Problem::new(Health::Warning, "Not ready").with(&detail)),
        (_, Health::Progressing) => Some(Problem::new(health, reason).after(created)),
        _ => Some(Problem::new(health, if reason.is_empty() { "Unknown".into() } else { reason }).with(&detail)),
    }
}

fn of_node(node: &Object) -> Vec<Problem> {
    const TROUBLE: [(&str, Health, &str); 4] = [
        ("NetworkUnavailable", Health::Error, "No network"),
        ("MemoryPressure", Health::Warning, "Memory pressure"),
        ("DiskPressure", Health::Warning, "Disk pressure"),
        ("PIDPressure", Health::Warning, "PID pressure"),
    ];
    let mut problems = Vec::new();
    if !condition(node, "Ready").is_some_and(is_true) {
        problems.push(Problem::new(Health::Error, "NotReady"));
    }
    for (kind, health, reason) in TROUBLE {
        if condition(node, kind).is_some_and(is_true) {
            problems.push(Problem::new(health, reason));
        }
    }
    if node.get(&["spec", "unschedulable"]).and_then(ValueRef::as_bool) == Some(true) {
        problems.push(Problem::new(Health::Warning, "Cordoned"));
    }
    problems
}

/// Fewer are ready than wanted.
fn short(object: &Object, ready: Option<i64>, wanted: Option<i64>) -> Option<Problem> {
    let (ready, wanted) = (ready.unwrap_or(0), wanted.unwrap_or(0));
    let health = match condition(object, "Available").map(is_true) {
        _ if ready == 0 => Health::Error,
        Some(true) => Health::Progressing,
        _ => Health::Warning,
    };
    let detail = [&ready.to_string(), " of ", &wanted.to_string()].concat();
    (ready < wanted).then(|| Problem::new(health, "Short of replicas").with(&detail))
}

/// The condition of a type.
fn condition<'a>(object: &'a Object, kind: &str) -> Option<ValueRef<'a>> {
    object
        .list_at(&["status", "conditions"])
        .find(|it| it.get("type").and_then(ValueRef::as_str).is_some_and(|it| it == kind))
}

fn is_true(condition: ValueRef<'_>) -> bool {
    condition.get("status").and_then(ValueRef::as_str).is_some_and(|it| it == "True")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::parse_time;

    fn found(topic: Topic, fields: Value) -> Vec<String> {
        let mut object = fields;
        object["metadata"] = json!({ "name": "x", "creationTimestamp": "2026-11-29T12:00:00Z" });
        let text = |it: &Problem| format!("{:?} {} {}", it.health, it.reason, it.detail).trim_end().to_owned();
        problems(topic, &serde_json::from_value(object).unwrap()).iter().map(text).collect()
    }

    fn conditions(pairs: &[(&str, &str)]) -> Value {
        pairs.iter().map(|(kind, status)| json!({ "type": kind, "status": status, "reason": "Because" })).collect()
    }

    #[test]
    fn workloads_that_are_short_of_replicas_tell_by_how_much() {
        let deployment = |ready: Value, wanted: Value, available: &str| {
            let status = json!({ "readyReplicas": ready, "conditions": conditions(&[("Available", available)]) });
            found(Topic::Deployments, json!({ "spec": { "replicas": wanted }, "status": status }))
        };
        assert_eq!(deployment(json!(2), json!(5), "False"), ["Warning Short of replicas 2 of 5"]);
        assert_eq!(deployment(json!(4), json!(5), "True"), ["Progressing Short of replicas 4 of 5"]);
        assert_eq!(deployment(json!(null), json!(2), "False"), ["Error Short of replicas 0 of 2"]);
        assert_eq!(deployment(json!(null), json!(null), "False"), ["Error Short of replicas 0 of 1"]);
        for (ready, wanted) in [(json!(5), json!(5)), (json!(6), json!(5)), (json!(null), json!(0))] {
            assert!(deployment(ready, wanted, "True").is_empty());
        }
        let set = json!({ "status": { "numberReady": 1, "desiredNumberScheduled": 3 } });
        assert_eq!(found(Topic::DaemonSets, set), ["Warning Short of replicas 1 of 3"]);
        assert!(found(Topic::DaemonSets, json!({})).is_empty());
    }

    #[test]
    fn nodes_tell_all_that_is_wrong_with_them() {
        for (pairs, closed, expected) in [
            (&[("Ready", "True"), ("MemoryPressure", "False")][..], false, &[][..]),
            (&[("Ready", "True"), ("DiskPressure", "True")], true, &["Warning Disk pressure", "Warning Cordoned"]),
            (&[("Ready", "Unknown"), ("PIDPressure", "Unknown")], false, &["Error NotReady"]),
            (&[("NetworkUnavailable", "True")], false, &["Error NotReady", "Error No network"]),
        ] {
            let node = json!({ "spec": { "unschedulable": closed }, "status": { "conditions": conditions(pairs) } });
            assert_eq!(found(Topic::Nodes, node), expected, "{pairs:?}");
        }
    }

    #[test]
    fn jobs_and_claims_tell_what_became_of_them() {
        let job = |kind| found(Topic::Jobs, json!({ "status": { "conditions": conditions(&[(kind, "True")]) } }));
        assert_eq!(job("Failed"), ["Error Failed Because"]);
        assert!(job("Complete").is_empty());
        let claim = |phase| found(Topic::Claims, json!({ "status": { "phase": phase } }));
        assert_eq!((claim("Pending"), claim("Lost")), (vec!["Warning Pending".into()], vec!["Error Lost".into()]));
        assert!(claim("Bound").is_empty());
    }

    #[test]
    fn pods_tell_the_word_of_their_status() {
        let waiting = |reason: &str| {
            let state = json!({ "waiting": { "reason": reason } });
            let status = json!({ "phase": "Pending", "containerStatuses": [{ "name": "a", "state": state }] });
            json!({ "spec": { "containers": [{ "name": "a" }] }, "status": status })
        };
        assert_eq!(found(Topic::Pods, waiting("CrashLoopBackOff")), ["Error CrashLoopBackOff"]);
        assert_eq!(found(Topic::Pods, waiting("ContainerCreating")), ["Progressing ContainerCreating"]);
        let unready = json!({ "name": "a", "ready": false, "state": { "running": {} } });
        let pod = json!({ "spec": { "containers": [{ "name": "a" }, { "name": "b" }] },
            "status": { "phase": "Running", "containerStatuses": [unready] } });
        assert_eq!(found(Topic::Pods, pod), ["Warning Not ready 0 of 2"]);
        let unschedulable = json!([{ "type": "PodScheduled", "status": "False", "reason": "Unschedulable" }]);
        let pod = json!({ "status": { "phase": "Pending", "conditions": unschedulable } });
        assert_eq!(found(Topic::Pods, pod), ["Warning Unschedulable"]);
        assert!(found(Topic::Pods, json!({ "status": { "phase": "Succeeded" } })).is_empty());
    }

    #[test]
    fn what_takes_a_moment_as_a_rule_is_told_a_minute_later() {
        let created = "2026-11-29T12:00:00Z";
        let pod = |fields: Value| problems(Topic::Pods, &serde_json::from_value(fields).unwrap());
        let pending = pod(json!({ "metadata": { "creationTimestamp": created }, "status": { "phase": "Pending" } }));
        assert_eq!(pending[0].from, parse_time("2026-11-29T12:01:00Z"));
        let terminating =
            pod(json!({ "metadata": { "deletionTimestamp": created }, "status": { "phase": "Running" } }));
        assert_eq!((&*terminating[0].reason, terminating[0].from), ("Terminating", parse_time("2026-11-29T12:01:00Z")));
    }
}
