use std::borrow::Cow;

use jiff::Timestamp;

use crate::api::{Object, ValueRef, parse_time};
use crate::view::Health;
use crate::view::yaml::{LAST_APPLIED, is_secret, secret_size};

/// An annotation; without its text where that holds a Secret's values.
pub type Annotation = (String, Option<String>);

/// An entry of `status.conditions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    pub health: Health,
    pub reason: String,
    pub message: String,
    pub since: Option<Timestamp>,
}

/// A container of a pod, with what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    pub name: String,
    /// `Init`, `Sidecar` or `Ephemeral`; empty for the others.
    pub role: &'static str,
    /// What it is doing, in a word: `Running`, `CrashLoopBackOff`, `Completed`.
    pub state: String,
    pub health: Health,
    /// What the state's word leaves out: the exit code, or the server's message.
    pub detail: String,
    pub restarts: i64,
    pub image: String,
    /// `http 8080/TCP`
    pub ports: Vec<String>,
}

/// Sorted by their keys.
pub fn labels(object: &Object) -> Vec<(String, String)> {
    sorted(object.labels().map(|(key, value)| (key.to_owned(), value.into_owned())).collect())
}

/// Sorted by their keys.
pub fn annotations(object: &Object) -> Vec<Annotation> {
    let is_masked = |key: &str| is_secret(object) && key == LAST_APPLIED;
    let all = object.annotations();
    sorted(all.map(|(key, value)| (key.to_owned(), (!is_masked(key)).then(|| value.into_owned()))).collect())
}

/// The keys of a Secret's or ConfigMap's values, with how many bytes each has; nothing of any other kind.
pub fn data_sizes(object: &Object) -> Vec<(String, usize)> {
    let is_secret = is_secret(object);
    if !is_secret && (object.kind() != "ConfigMap" || object.api_version() != "v1") {
        return Vec::new();
    }
    let of = |field: &'static str| {
        let entries = object.get(&[field]).into_iter().flat_map(ValueRef::entries);
        let is_encoded = is_secret || field == "binaryData";
        entries.map(move |(key, value)| (key.to_owned(), secret_size(value, is_encoded)))
    };
    sorted(of("data").chain(of("binaryData")).collect())
}

/// In the order in which they stand.
pub fn conditions(object: &Object) -> Vec<Condition> {
    let conditions = object.list_at(&["status", "conditions"]);
    let condition = |it: ValueRef<'_>| {
        let part = |field: &str| text(it, &[field]).into_owned();
        let (kind, status, reason) = (part("type"), part("status"), part("reason"));
        let health = condition_health(&kind, &status, &reason);
        // Those that are no conditions of the API's kind have other names for it.
        let times = ["lastTransitionTime", "lastUpdateTime", "lastProbeTime"];
        let since = times.iter().find_map(|field| parse_time(&text(it, &[field])));
        Condition { kind, status, health, reason, message: part("message"), since }
    };
    conditions.map(condition).collect()
}

/// Words in the types of conditions that should not hold.
const BAD: [&str; 10] = [
    "Pressure",
    "Fail",
    "Degraded",
    "Unavailable",
    "Stalled",
    "Dangling",
    "Disruption",
    "NotReady",
    "Conflict",
    "Deletion",
];

fn condition_health(kind: &str, status: &str, reason: &str) -> Health {
    let is_bad = BAD.iter().any(|word| kind.contains(word));
    match status {
        "True" if is_bad => Health::Error,
        "True" => Health::Ok,
        "False" if is_bad => Health::Ok,
        "False" if reason == "PodCompleted" => Health::Terminated,
        "False" if matches!(kind, "Ready" | "Available" | "Progressing") => Health::Error,
        "False" => Health::Warning,
        _ => Health::Unknown,
    }
}

/// A pod's containers, in the order in which they start; none of other kinds.
pub fn containers(object: &Object) -> Vec<Container> {
    if object.kind() != "Pod" {
        return Vec::new();
    }
    let lists = [
        ("initContainers", "initContainerStatuses", "Init"),
        ("containers", "containerStatuses", ""),
        ("ephemeralContainers", "ephemeralContainerStatuses", "Ephemeral"),
    ];
    let mut all = Vec::new();
    for (specs, statuses, role) in lists {
        for spec in object.list_at(&["spec", specs]) {
            let name = text(spec, &["name"]);
            let status = object.list_at(&["status", statuses]).find(|it| text(*it, &["name"]) == name);
            let is_sidecar = text(spec, &["restartPolicy"]) == "Always";
            all.push(container(spec, status, if is_sidecar && role == "Init" { "Sidecar" } else { role }));
        }
    }
    all
}

fn container(spec: ValueRef<'_>, status: Option<ValueRef<'_>>, role: &'static str) -> Container {
    let (state, health, detail) = status.map_or_else(
        || ("Waiting".to_owned(), Health::Progressing, String::new()),
        |status| state_of(status, role == "Init"),
    );
    let port = |port: ValueRef<'_>| {
        let number = port.get("containerPort").and_then(ValueRef::as_i64).unwrap_or(0);
        let (name, protocol) = (text(port, &["name"]), text(port, &["protocol"]));
        let protocol = if protocol.is_empty() { "TCP" } else { &protocol };
        format!("{name} {number}/{protocol}").trim_start().to_owned()
    };
    Container {
        name: text(spec, &["name"]).into_owned(),
        role,
        state,
        health,
        detail,
        restarts: status.and_then(|it| it.get("restartCount")?.as_i64()).unwrap_or(0),
        image: text(spec, &["image"]).into_owned(),
        ports: spec.get("ports").into_iter().flat_map(ValueRef::items).map(port).collect(),
    }
}

fn state_of(status: ValueRef<'_>, is_init: bool) -> (String, Health, String) {
    let state = |name: &str| status.at(&["state", name]).filter(|it| !it.is_null());
    let word = |it: ValueRef<'_>, other: &str| match text(it, &["reason"]) {
        reason if reason.is_empty() => other.to_owned(),
        reason => reason.into_owned(),
    };
    if let Some(waiting) = state("waiting") {
        let word = word(waiting, "Waiting");
        let is_starting = matches!(word.as_str(), "Waiting" | "ContainerCreating" | "PodInitializing");
        let health = if is_starting { Health::Progressing } else { Health::Error };
        return (word, health, text(waiting, &["message"]).into_owned());
    }
    if let Some(terminated) = state("terminated") {
        let code = terminated.get("exitCode").and_then(ValueRef::as_i64).unwrap_or(0);
        let health = if code == 0 { Health::Terminated } else { Health::Error };
        let detail = if code == 0 { String::new() } else { format!("Exit code {code}") };
        return (word(terminated, "Terminated"), health, detail);
    }
    if state("running").is_none() {
        return ("Waiting".into(), Health::Progressing, String::new());
    }
    match status.get("ready").and_then(ValueRef::as_bool) {
        Some(true) => ("Running".into(), Health::Ok, String::new()),
        _ if is_init => ("Running".into(), Health::Progressing, String::new()),
        _ => ("Running".into(), Health::Warning, "Not ready".into()),
    }
}

fn text<'a>(value: ValueRef<'a>, path: &[&str]) -> Cow<'a, str> {
    value.at(path).and_then(ValueRef::as_str).unwrap_or_default()
}

/// Entries mostly come sorted; a sort of the library's for each type would be downloaded.
fn sorted<V>(entries: Vec<(String, V)>) -> Vec<(String, V)> {
    let mut sorted: Vec<(String, V)> = Vec::with_capacity(entries.len());
    for entry in entries {
        let at = sorted.partition_point(|before| before.0 <= entry.0);
        sorted.insert(at, entry);
    }
    sorted
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn object(fields: Value) -> Object {
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn labels_and_annotations_are_sorted() {
        let object = object(json!({"metadata": {"labels": {"b": "2", "a": "1"}, "annotations": {"d": "4", "c": "3"}}}));
        assert_eq!(labels(&object), [("a".into(), "1".into()), ("b".into(), "2".into())]);
        assert_eq!(annotations(&object), [("c".into(), Some("3".into())), ("d".into(), Some("4".into()))]);
    }

    #[test]
    fn a_secrets_values_are_in_no_part() {
        let secret = |kind: &str| {
            object(json!({
                "apiVersion": "v1", "kind": kind, "data": {"b": "c2VjcmV0", "a": "c2VjcmV0"},
                "metadata": {"annotations": {LAST_APPLIED: "secret", "note": "open"}},
            }))
        };
        let annotations = annotations(&secret("Secret"));
        assert_eq!(annotations, [(LAST_APPLIED.into(), None), ("note".into(), Some("open".into()))]);
        assert_eq!(data_sizes(&secret("Secret")), [("a".into(), 6), ("b".into(), 6)]);
        assert_eq!(data_sizes(&secret("ConfigMap")), [("a".into(), 8), ("b".into(), 8)]);
        assert_eq!(data_sizes(&secret("Pod")), []);
    }

    #[test]
    fn conditions_are_good_or_bad_by_what_they_say() {
        for (kind, status, reason, health) in [
            ("Ready", "True", "", Health::Ok),
            ("Ready", "False", "", Health::Error),
            ("Ready", "False", "PodCompleted", Health::Terminated),
            ("Ready", "Unknown", "", Health::Unknown),
            ("MemoryPressure", "False", "", Health::Ok),
            ("MemoryPressure", "True", "", Health::Error),
            ("NetworkUnavailable", "False", "", Health::Ok),
            ("ReplicaFailure", "True", "", Health::Error),
            ("Initialized", "False", "", Health::Warning),
        ] {
            let fields = json!({"type": kind, "status": status, "reason": reason});
            let object = object(json!({"status": {"conditions": [fields]}}));
            assert_eq!(conditions(&object)[0].health, health, "{kind} {status} {reason}");
        }
    }

    #[test]
    fn a_condition_has_its_reason_message_and_time() {
        let fields = json!({
            "type": "Available", "status": "True", "reason": "Enough", "message": "It has",
            "lastTransitionTime": "2026-11-29T11:55:00Z",
        });
        let found = conditions(&object(json!({"status": {"conditions": [fields]}})));
        let since = parse_time("2026-11-29T11:55:00Z");
        assert_eq!((found[0].reason.as_str(), found[0].message.as_str(), found[0].since), ("Enough", "It has", since));
    }

    #[test]
    fn containers_have_their_states() {
        let pod = object(json!({
            "kind": "Pod",
            "spec": {
                "initContainers": [{"name": "first"}, {"name": "mesh", "restartPolicy": "Always"}],
                "containers": [
                    {"name": "web", "image": "web:1", "ports": [{"name": "http", "containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}]},
                    {"name": "log"}, {"name": "new"},
                ],
            },
            "status": {
                "initContainerStatuses": [
                    {"name": "first", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}},
                    {"name": "mesh", "ready": true, "state": {"running": {}}},
                ],
                "containerStatuses": [
                    {"name": "web", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}},
                    {"name": "log", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}},
                ],
            },
        }));
        let found = containers(&pod);
        let lines: Vec<_> =
            found.iter().map(|it| format!("{} {} {} {}", it.name, it.role, it.state, it.health.as_str())).collect();
        let expected = [
            "first Init Completed terminated",
            "mesh Sidecar Running ok",
            "web  CrashLoopBackOff error",
            "log  OOMKilled error",
            "new  Waiting progressing",
        ];
        assert_eq!(lines, expected);
        assert_eq!((found[2].restarts, found[2].detail.as_str(), found[2].image.as_str()), (3, "back-off", "web:1"));
        assert_eq!(found[2].ports, ["http 80/TCP", "53/UDP"]);
        assert_eq!(found[3].detail, "Exit code 137");
        assert_eq!(containers(&object(json!({"kind": "Job", "spec": {"containers": [{"name": "x"}]}}))), []);
    }
}
