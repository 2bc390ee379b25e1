use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};
use watchglass::api::Manifest;
use watchglass::runtime::{Method, Request};
use watchglass::testing::Scenario;

use super::client::Client;

const TEN_MINUTES_SECONDS: u32 = 600;

fn start(seed: u64) -> (Client, Scenario) {
    let client = Client::new();
    let scenario = Scenario::start(&client.server, &client.sandbox.runtime(), seed);
    client.sandbox.run_until_idle();
    (client, scenario)
}

/// Everything that a watch of a resource tells in the first minutes, as text.
fn told(seed: u64, resource: &str) -> String {
    let (client, _scenario) = start(seed);
    let request = Request { path: format!("{resource}?watch=true"), ..Request::default() };
    let mut body = client.try_send(request).expect("a head comes").body;
    let mut text = String::new();
    for _ in 0..60 {
        client.sandbox.advance(Duration::from_secs(1));
        while let Some(Some(Ok(frame))) = body.next().now_or_never() {
            text.push_str(std::str::from_utf8(&frame).expect("a frame is text"));
        }
    }
    text
}

#[test]
fn the_same_seed_gives_the_same_play_and_another_seed_another() {
    for resource in ["api/v1/pods", "api/v1/events"] {
        let first = told(7, resource);
        assert!(first.len() > 100_000, "{} bytes", first.len());
        assert!(first == told(7, resource), "{resource}");
        assert!(first != told(8, resource), "{resource}");
    }
}

fn waiting_reasons(pod: &Manifest) -> impl Iterator<Item = &str> {
    let statuses = pod.list_at(&["status", "containerStatuses"]).iter();
    statuses.filter_map(|status| status.pointer("/state/waiting/reason")?.as_str())
}

fn restarts(pod: &Manifest) -> u64 {
    let statuses = pod.list_at(&["status", "containerStatuses"]).iter();
    statuses.filter_map(|status| status["restartCount"].as_u64()).sum()
}

fn condition<'a>(object: &'a Manifest, kind: &str) -> &'a str {
    let conditions = object.list_at(&["status", "conditions"]).iter();
    let mut statuses = conditions.filter(|condition| condition["type"] == kind);
    statuses.next().and_then(|condition| condition["status"].as_str()).unwrap_or_default()
}

/// What a person has seen who looked each second.
#[derive(Default)]
struct Seen {
    things: BTreeSet<String>,
    most_restarts: u64,
    longest_stillness_seconds: u32,
    images_of_web: BTreeSet<String>,
}

fn check_pods(client: &Client, second: u32) {
    let (pods, nodes) = (client.server.objects("pods"), client.server.objects("nodes"));
    assert!((60..=130).contains(&pods.len()), "{} pods at {second} s", pods.len());
    let uids: BTreeSet<_> = pods.iter().map(|pod| pod.uid()).collect();
    assert_eq!(uids.len(), pods.len(), "a uid twice at {second} s");
    let owners: BTreeSet<_> = ["replicasets", "daemonsets", "statefulsets", "jobs"]
        .iter()
        .flat_map(|resource| client.server.objects(resource))
        .map(|owner| owner.uid().to_owned())
        .collect();
    let mut addresses = BTreeMap::new();
    for pod in &pods {
        let name = format!("{}/{} at {second} s", pod.namespace(), pod.name());
        let phase = pod.str_at(&["status", "phase"]).unwrap_or_default();
        assert!(["Pending", "Running", "Succeeded", "Failed"].contains(&phase), "{name}: {phase}");
        assert!(owners.contains(&pod.metadata.owner_references[0].uid), "{name}: no owner");
        let node = pod.str_at(&["spec", "nodeName"]);
        assert!(node.is_none_or(|node| nodes.iter().any(|known| known.name() == node)), "{name}: {node:?}");
        assert!(node.is_some() || phase == "Pending", "{name}: {phase} on no node");
        let started = pod.list_at(&["status", "containerStatuses"]).len();
        assert!(started == 0 || started == pod.list_at(&["spec", "containers"]).len(), "{name}: {started} containers");
        if let Some(address) = pod.str_at(&["status", "podIP"]) {
            let other = addresses.insert(address.to_owned(), name.clone());
            assert!(other.is_none(), "{name} has the address of {other:?}");
        }
    }
}

fn look(client: &Client, seen: &mut Seen) {
    for pod in client.server.objects("pods") {
        seen.things.extend(waiting_reasons(&pod).map(str::to_owned));
        seen.things.insert(pod.str_at(&["status", "phase"]).unwrap_or_default().to_owned());
        seen.most_restarts = seen.most_restarts.max(restarts(&pod));
        if pod.metadata.deletion_timestamp.is_some() {
            seen.things.insert("Terminating".into());
        }
        if pod.metadata.labels.get("app.kubernetes.io/name").is_some_and(|app| app == "web") {
            let image = pod.list_at(&["spec", "containers"])[0]["image"].as_str().unwrap_or_default();
            seen.images_of_web.insert(image.to_owned());
        }
    }
    for node in client.server.objects("nodes") {
        let ready = condition(&node, "Ready");
        seen.things.insert(format!("node {ready}"));
        let pods = client.server.objects("pods");
        let mut on_node = pods.iter().filter(|pod| pod.str_at(&["spec", "nodeName"]) == Some(node.name()));
        if ready == "Unknown" && on_node.all(|pod| condition(pod, "Ready") != "True") {
            seen.things.insert("pods of a lost node not ready".into());
        }
    }
    for event in client.server.objects("events") {
        seen.things.insert(format!("event {}", event.str_at(&["reason"]).unwrap_or_default()));
    }
}

#[test]
fn ten_minutes_pass_without_an_illegal_state_and_everything_happens() {
    let (client, _scenario) = start(1);
    let mut seen = Seen::default();
    let (mut last, mut still_since) = (String::new(), 0);
    for second in 0..TEN_MINUTES_SECONDS {
        client.sandbox.advance(Duration::from_secs(1));
        check_pods(&client, second);
        look(&client, &mut seen);
        let pods: String = client.server.objects("pods").iter().map(|pod| pod.resource_version().to_owned()).collect();
        if pods != last {
            (last, still_since) = (pods, second);
        }
        seen.longest_stillness_seconds = seen.longest_stillness_seconds.max(second - still_since);
    }
    for thing in [
        "Pending",
        "Running",
        "Succeeded",
        "Terminating",
        "ContainerCreating",
        "CrashLoopBackOff",
        "ErrImagePull",
        "ImagePullBackOff",
        "node True",
        "node Unknown",
        "pods of a lost node not ready",
        "event ScalingReplicaSet",
        "event Scheduled",
        "event Pulling",
        "event Started",
        "event BackOff",
        "event NodeNotReady",
        "event NodeReady",
        "event Unhealthy",
        "event Completed",
        "event TaintManagerEviction",
        "event ProvisioningFailed",
        "event BackoffLimitExceeded",
        "event NodeHasDiskPressure",
    ] {
        assert!(seen.things.contains(thing), "{thing} was never seen");
    }
    assert!(seen.most_restarts > 10, "{} restarts", seen.most_restarts);
    assert!(seen.images_of_web.len() >= 4, "{:?}", seen.images_of_web);
    assert!(seen.longest_stillness_seconds <= 3, "{} s without a change", seen.longest_stillness_seconds);
    let events = client.server.objects("events").len();
    assert!((200..=400).contains(&events), "{events} events");
}

#[test]
fn what_a_person_changes_is_carried_out() {
    let (client, _scenario) = start(3);
    client.sandbox.advance(Duration::from_secs(5));
    let path = "apis/apps/v1/namespaces/reports/deployments/api";
    let merge = "application/merge-patch+json";
    let scaled = client.write(Method::Patch, path, merge, &json!({ "spec": { "replicas": 9 } }));
    assert_eq!(scaled.status, 200);
    let ready = || {
        let pods = client.server.objects("pods");
        let own = pods.iter().filter(|pod| pod.namespace() == "reports" && pod.name().starts_with("api-"));
        own.filter(|pod| condition(pod, "Ready") == "True").map(|pod| pod.name().to_owned()).collect::<Vec<_>>()
    };
    client.sandbox.advance(Duration::from_secs(20));
    let before = ready();
    assert!(before.len() >= 8, "{before:?}");
    let pod = format!("api/v1/namespaces/reports/pods/{}", before[0]);
    let deleted = client.write(Method::Delete, &pod, "application/json", &Value::Null);
    assert!(deleted.status == 400, "a body that is no object is refused");
    let deleted = client.write(Method::Delete, &pod, "application/json", &json!({})).json();
    assert!(deleted["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(client.get(&pod).status, 200);
    client.sandbox.advance(Duration::from_secs(20));
    assert_eq!(client.get(&pod).status, 404);
    // Within the outage of a node, at the longest.
    let replaced = (0..24).any(|_| {
        client.sandbox.advance(Duration::from_secs(5));
        ready().iter().any(|name| !before.contains(name))
    });
    assert!(replaced, "another one takes its place");
}

#[test]
fn a_play_that_is_dropped_stands_still() {
    let (client, scenario) = start(3);
    client.sandbox.advance(Duration::from_secs(5));
    drop(scenario);
    let before = client.server.resource_version();
    client.sandbox.advance(Duration::from_secs(60));
    assert_eq!(client.server.resource_version(), before);
}
