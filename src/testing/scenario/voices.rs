//! What the containers say: those whose logs somebody follows talk, the others say what matters only.

use super::cluster::Cluster;
use crate::api::Manifest;

const START: [&str; 4] = [
    "level=info msg=\"starting\" version=4.12.0 commit=9f31c2e",
    "level=info msg=\"configuration read\" path=/etc/app/config.yaml",
    "level=info msg=\"connected to the database\" host=db.internal:5432 pool=10",
    "level=info msg=\"listening\" address=0.0.0.0:8080",
];

const CRASH: [&str; 4] = [
    "level=error msg=\"ledger does not add up\" account=10423 difference=-12.40",
    "panic: runtime error: index out of range [3] with length 3",
    "goroutine 41 [running]:\nmain.(*Ledger).reconcile(0xc000112000)\n\t/src/ledger.go:118 +0x1f4",
    "exit status 1",
];

/// Has those talk whose logs are followed.
pub(super) fn speak(cluster: &Cluster) {
    for (namespace, name, container) in cluster.server.followed_logs() {
        if !cluster.server.has_log(&namespace, &name, &container) {
            say(cluster, &namespace, &name, &container, START.map(str::to_owned));
        }
        let lines = (cluster.chance() * 4.0) as usize;
        say(cluster, &namespace, &name, &container, (0..lines).map(|_| sentence(cluster, &container)));
    }
}

/// The last words of a pod's first container.
pub(super) fn crash(cluster: &Cluster, pod: &Manifest) {
    let lines = CRASH.iter().flat_map(|text| text.lines()).map(str::to_owned);
    say(cluster, pod.namespace(), pod.name(), first_container(pod), lines);
}

/// A pod's first container begins again, with a new log.
pub(super) fn restart(cluster: &Cluster, pod: &Manifest) {
    let (namespace, name, container) = (pod.namespace(), pod.name(), first_container(pod));
    let _ = cluster.server.rotate_log(namespace, name, container);
    say(cluster, namespace, name, container, START.map(str::to_owned));
}

fn first_container(pod: &Manifest) -> &str {
    pod.list_at(&["spec", "containers"]).first().and_then(|container| container["name"].as_str()).unwrap_or_default()
}

/// A pod that is gone says nothing more.
fn say(cluster: &Cluster, namespace: &str, pod: &str, container: &str, lines: impl IntoIterator<Item = String>) {
    let _ = cluster.server.append_logs(namespace, pod, container, lines);
}

fn sentence(cluster: &Cluster, container: &str) -> String {
    let number = |below: f64| (cluster.chance() * below) as u32;
    let path = cluster.pick(&["/", "/api/items", "/api/carts/17", "/api/search?q=lamp", "/healthz"]);
    let path = path.copied().unwrap_or_default();
    match (container.len() % 2, number(40.0)) {
        (_, 0) => format!("level=error msg=\"request failed\" path={path} status=502 error=\"upstream timed out\""),
        (_, 1..=2) => format!("level=warn msg=\"slow request\" path={path} ms={}", 800 + number(1_900.0)),
        (0, _) => format!("\u{1b}[36mGET\u{1b}[0m {path} \u{1b}[32m200\u{1b}[0m {} ms", 1 + number(60.0)),
        _ => format!("level=info msg=\"request\" method=GET path={path} status=200 ms={}", 1 + number(60.0)),
    }
}
