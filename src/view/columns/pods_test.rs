//! The cases that kubernetes' own tests of `printPod` tell apart, and some that they do not.

use serde_json::{Value, json};

use super::*;
use crate::view::columns::PODS;

const NOW: &str = "2026-11-29T12:00:00Z";

/// A pod's cells in one line: READY, STATUS, RESTARTS, AGE, IP, NODE.
fn printed(pod: Value) -> String {
    cells(pod, 2..8)
}

fn cells(pod: Value, range: std::ops::Range<usize>) -> String {
    let pod: Object = serde_json::from_value(pod).unwrap();
    let now = NOW.parse().unwrap();
    let cells: Vec<_> = PODS.row(&pod).cells[range].iter().map(|cell| cell.display(now)).collect();
    cells.join(" | ")
}

fn health(pod: Value) -> Health {
    let pod: Object = serde_json::from_value(pod).unwrap();
    Summary::of(&pod).health(&pod)
}

/// READY, STATUS and RESTARTS of a pod with this spec and status.
fn pod(spec: Value, status: Value) -> String {
    let text = printed(json!({"metadata": {"name": "p"}, "spec": spec, "status": status}));
    text.split(" | ").take(3).collect::<Vec<_>>().join(" | ")
}

fn containers(count: usize) -> Value {
    json!({"containers": vec![json!({}); count]})
}

fn with_init(init: usize, count: usize) -> Value {
    json!({"initContainers": vec![json!({}); init], "containers": vec![json!({}); count]})
}

fn running(ready: bool, restarts: i64) -> Value {
    json!({"ready": ready, "restartCount": restarts, "state": {"running": {}}})
}

fn terminated(code: i64, reason: &str) -> Value {
    json!({"ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": code, "reason": reason}}})
}

fn waiting(reason: &str) -> Value {
    json!({"restartCount": 0, "state": {"waiting": {"reason": reason}}})
}

/// The status, restarted last so many seconds before now.
fn restarted(mut status: Value, seconds_ago: i64) -> Value {
    let now: Timestamp = NOW.parse().unwrap();
    let finished = now.checked_sub(jiff::SignedDuration::from_secs(seconds_ago)).unwrap();
    status["lastState"] = json!({"terminated": {"finishedAt": finished.to_string()}});
    status
}

#[test]
fn containers_decide_over_the_phase() {
    let none = json!({"restartCount": 3});
    for (statuses, expected) in [
        (json!([running(true, 3), none]), "1/2 | Phase | 6"),
        (json!([running(true, 3), waiting("Waits")]), "1/2 | Waits | 3"),
        (json!([waiting("First"), terminated(0, "Second")]), "0/2 | First | 0"),
        (json!([running(true, 3), {"ready": true, "restartCount": 3}]), "1/2 | Phase | 6"),
        (json!([terminated(1, ""), running(true, 0)]), "1/2 | ExitCode:1 | 0"),
        (json!([{"state": {"terminated": {"signal": 9}}}]), "0/2 | Signal:9 | 0"),
        (json!([waiting("CrashLoopBackOff"), waiting("ImagePullBackOff")]), "0/2 | CrashLoopBackOff | 0"),
        (json!([running(true, 0), running(true, 0)]), "2/2 | Phase | 0"),
    ] {
        let status = json!({"phase": "Phase", "containerStatuses": statuses});
        assert_eq!(pod(containers(2), status), expected);
    }
    assert_eq!(pod(containers(2), json!({"phase": "Failed", "reason": "Evicted"})), "0/2 | Evicted | 0");
    assert_eq!(pod(json!({}), json!({})), "0/0 |  | 0");
}

#[test]
fn a_completed_container_beside_a_running_one_is_running_or_not_ready() {
    let ready = json!([{"type": "Ready", "status": "True"}]);
    let not_ready = json!([{"type": "Ready", "status": "False"}]);
    let beside = |conditions: &Value, statuses: Value| {
        pod(containers(2), json!({"phase": "Running", "conditions": conditions, "containerStatuses": statuses}))
    };
    let completed = terminated(0, "Completed");
    assert_eq!(beside(&ready, json!([completed, running(true, 3)])), "1/2 | Running | 3");
    assert_eq!(beside(&not_ready, json!([completed, running(true, 3)])), "1/2 | NotReady | 3");
    assert_eq!(beside(&json!([]), json!([running(false, 0), completed])), "0/2 | Completed | 0");
    assert_eq!(beside(&not_ready, json!([completed, terminated(1, "podCrash")])), "0/2 | podCrash | 0");
    assert_eq!(beside(&not_ready, json!([terminated(1, "podCrash"), running(true, 0)])), "1/2 | podCrash | 0");
}

#[test]
fn init_containers_say_how_far_they_are_and_what_went_wrong() {
    for (init, statuses, expected) in [
        (1, json!([restarted(running(false, 3), 10)]), "0/1 | Init:0/1 | 3 (10s ago)"),
        (2, json!([restarted(running(false, 3), 10), {"state": {"waiting": {}}}]), "0/1 | Init:0/2 | 3 (10s ago)"),
        (2, json!([terminated(0, ""), restarted(running(false, 3), 10)]), "0/1 | Init:1/2 | 3 (10s ago)"),
        (
            2,
            json!([restarted(terminated(0, ""), 120), restarted(running(false, 5), 10)]),
            "0/1 | Init:1/2 | 5 (10s ago)",
        ),
        (2, json!([terminated(0, ""), waiting("PodInitializing")]), "0/1 | Init:1/2 | 0"),
        (1, json!([waiting("CrashLoopBackOff")]), "0/1 | Init:CrashLoopBackOff | 0"),
        (1, json!([terminated(1, "")]), "0/1 | Init:ExitCode:1 | 0"),
        (1, json!([terminated(1, "Error")]), "0/1 | Init:Error | 0"),
        (1, json!([{"state": {"terminated": {"exitCode": 137, "signal": 9}}}]), "0/1 | Init:Signal:9 | 0"),
    ] {
        let status = json!({
            "phase": "Pending",
            "initContainerStatuses": statuses,
            "containerStatuses": [waiting("PodInitializing")],
        });
        assert_eq!(pod(with_init(init, 1), status), expected);
    }
}

#[test]
fn once_initialized_only_the_containers_restarts_count() {
    let status = json!({
        "phase": "Running",
        "initContainerStatuses": [restarted(terminated(0, ""), 120)],
        "containerStatuses": [restarted(running(false, 4), 20)],
    });
    assert_eq!(pod(with_init(1, 1), status), "0/1 | Running | 4 (20s ago)");
    let status = json!({
        "phase": "Pending",
        "conditions": [{"type": "Initialized", "status": "True"}],
        "initContainerStatuses": [restarted(running(false, 3), 10)],
        "containerStatuses": [waiting("ContainerCreating")],
    });
    assert_eq!(pod(with_init(1, 1), status), "0/1 | ContainerCreating | 0");
}

#[test]
fn the_latest_restart_is_the_one_shown() {
    let day = 86_400;
    for (statuses, expected) in [
        (json!([restarted(running(true, 3), 5 * day)]), "1/2 | Running | 3 (5d ago)"),
        (json!([running(true, 0), restarted(running(true, 3), 10 * day)]), "2/2 | Running | 3 (10d ago)"),
        (
            json!([restarted(running(true, 6), 5 * day), restarted(running(true, 3), 20 * day)]),
            "2/2 | Running | 9 (5d ago)",
        ),
        (json!([restarted(running(true, 0), 5 * day)]), "1/2 | Running | 0"),
    ] {
        assert_eq!(pod(containers(2), json!({"phase": "Running", "containerStatuses": statuses})), expected);
    }
}

fn sidecars(init: &Value, container: &Value, initialized: &str, phase: &str) -> String {
    let sidecar = |name: &str| json!({"name": name, "restartPolicy": "Always"});
    let spec = json!({"initContainers": [sidecar("one"), sidecar("two")], "containers": [{}]});
    let conditions = json!([{"type": "Initialized", "status": initialized}]);
    let status = json!({
        "phase": phase,
        "initContainerStatuses": init,
        "containerStatuses": [container],
        "conditions": conditions,
    });
    pod(spec, status)
}

fn sidecar(name: &str, started: bool, mut status: Value) -> Value {
    status["name"] = name.into();
    status["started"] = started.into();
    status
}

#[test]
fn sidecars_count_as_containers() {
    let first = |started, ready| sidecar("one", started, restarted(running(ready, 3), 10));
    let second = |started, ready| sidecar("two", started, running(ready, 0));
    let waits = waiting("");
    let runs = restarted(running(true, 4), 20);
    let init = |first: Value, second: Value| json!([first, second]);
    assert_eq!(
        sidecars(&init(first(false, false), second(false, false)), &waits, "False", "Pending"),
        "0/3 | Init:0/2 | 3 (10s ago)"
    );
    assert_eq!(
        sidecars(&init(first(true, false), second(false, false)), &waits, "False", "Pending"),
        "0/3 | Init:1/2 | 3 (10s ago)"
    );
    assert_eq!(
        sidecars(&init(first(true, false), second(true, false)), &runs, "True", "Running"),
        "1/3 | Running | 7 (10s ago)"
    );
    assert_eq!(
        sidecars(&init(first(true, true), second(true, true)), &runs, "True", "Running"),
        "3/3 | Running | 7 (10s ago)"
    );
    let killed = |name| sidecar(name, false, restarted(terminated(137, "Error"), 10));
    let done = terminated(0, "Completed");
    assert_eq!(sidecars(&init(killed("one"), killed("two")), &done, "True", "Succeeded"), "0/3 | Completed | 0");
}

#[test]
fn statuses_of_containers_that_do_not_exist_do_no_harm() {
    let spec = json!({"initContainers": [{"name": "init"}, {"name": "sidecar", "restartPolicy": "Always"}], "containers": [{}]});
    let status = json!({
        "phase": "Running",
        "initContainerStatuses": [{"name": "invalid"}, {"name": "init"}, {"name": "sidecar"}],
        "containerStatuses": [{"name": "invalid"}, null, 7],
    });
    assert_eq!(pod(spec, status), "0/2 | Init:0/2 | 0");
}

#[test]
fn a_gate_of_the_scheduler_shows() {
    let gate = json!([{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]);
    assert_eq!(pod(containers(2), json!({"phase": "Pending", "conditions": gate})), "0/2 | SchedulingGated | 0");
}

#[test]
fn a_pod_that_is_being_deleted_is_terminating_unless_it_has_ended() {
    let deleted = |status: Value| {
        let metadata = json!({"name": "p", "deletionTimestamp": "2026-11-29T11:59:50Z"});
        printed(json!({"metadata": metadata, "spec": containers(1), "status": status}))
    };
    let status_of = |status: Value| deleted(status).split(" | ").nth(1).unwrap().to_owned();
    assert_eq!(status_of(json!({"phase": "Running", "containerStatuses": [running(true, 0)]})), "Terminating");
    assert_eq!(status_of(json!({"phase": "Pending"})), "Terminating");
    assert_eq!(status_of(json!({"phase": "Running", "reason": "NodeLost"})), "Unknown");
    let ended = json!({"phase": "Succeeded", "containerStatuses": [terminated(0, "Completed")]});
    assert_eq!(status_of(ended), "Completed");
    assert_eq!(status_of(json!({"phase": "Failed", "containerStatuses": [terminated(1, "Error")]})), "Error");
}

#[test]
fn age_address_and_node_stand_at_the_end() {
    let full = json!({
        "metadata": {"name": "p", "creationTimestamp": "2026-11-29T11:50:00Z"},
        "spec": {"nodeName": "node-1"},
        "status": {"phase": "Running", "podIPs": [{"ip": "10.0.0.7"}, {"ip": "fd00::7"}]},
    });
    assert_eq!(printed(full), "0/0 | Running | 0 | 10m | 10.0.0.7 | node-1");
    assert_eq!(printed(json!({"metadata": {"name": "p"}})), "0/0 |  | 0 | <unknown> | <none> | <none>");
    let old = json!({"metadata": {"name": "p"}, "status": {"podIP": "10.0.0.8"}});
    assert_eq!(printed(old), "0/0 |  | 0 | <unknown> | 10.0.0.8 | <none>");
}

/// The cases of kubernetes' `TestPrintPodwide`.
#[test]
fn gates_and_the_nominated_node_stand_behind_the_node() {
    let gates = |count| -> Value { (0..count).map(|at| json!({"conditionType": format!("gate-{at}")})).collect() };
    let open = |status: &str| json!([{"type": "gate-0", "status": status}, {"type": "gate-0", "status": "True"}]);
    for (count, conditions, node, expected) in [
        (0, json!([]), "", "<none> | <none>"),
        (1, json!([]), "node-2", "node-2 | 0/1"),
        (2, open("False"), "", "<none> | 0/2"),
        (2, open("True"), "", "<none> | 1/2"),
    ] {
        let spec = json!({"readinessGates": gates(count)});
        let pod = json!({"spec": spec, "status": {"nominatedNodeName": node, "conditions": conditions}});
        assert_eq!(cells(pod, 8..10), expected);
    }
}

#[test]
fn every_status_has_its_word_in_the_vocabulary() {
    let with = |phase: &str, statuses: Value| {
        health(
            json!({"metadata": {"name": "p"}, "spec": containers(1), "status": {"phase": phase, "containerStatuses": statuses}}),
        )
    };
    for (phase, statuses, expected) in [
        ("Running", json!([running(true, 0)]), Health::Ok),
        ("Running", json!([running(false, 0)]), Health::Warning),
        ("Running", json!([waiting("CrashLoopBackOff")]), Health::Error),
        ("Pending", json!([waiting("ImagePullBackOff")]), Health::Error),
        ("Pending", json!([waiting("ErrImagePull")]), Health::Error),
        ("Pending", json!([waiting("CreateContainerConfigError")]), Health::Error),
        ("Pending", json!([waiting("ContainerCreating")]), Health::Progressing),
        ("Pending", json!([]), Health::Progressing),
        ("Running", json!([terminated(137, "OOMKilled")]), Health::Error),
        ("Running", json!([terminated(3, "")]), Health::Error),
        ("Succeeded", json!([terminated(0, "Completed")]), Health::Terminated),
        ("Failed", json!([terminated(1, "AnythingElse")]), Health::Error),
        ("Failed", json!([]), Health::Error),
        ("Unknown", json!([]), Health::Unknown),
        ("", json!([]), Health::Unknown),
    ] {
        assert_eq!(with(phase, statuses.clone()), expected, "{phase} {statuses}");
    }
}
