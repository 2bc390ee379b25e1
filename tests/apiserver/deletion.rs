use serde_json::{Value, json};
use watchglass::runtime::{Method, Request};
use watchglass::testing::objects::{self, Build as _};

use super::client::{Client, events};

const MAPS: &str = "api/v1/namespaces/shop/configmaps";
const PODS: &str = "api/v1/namespaces/shop/pods";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

fn with_maps(names: &[&str]) -> Client {
    let client = Client::new();
    for name in names {
        client.server.seed(objects::config_map("shop", name).with_label("app", name)).expect("the server takes it");
    }
    client
}

fn delete(client: &Client, path: &str) -> (u16, Value) {
    let answer = client.send(Request { method: Method::Delete, path: path.into(), ..Request::default() });
    (answer.status, answer.json())
}

#[test]
fn a_dry_deletion_answers_and_takes_nothing() {
    let client = with_maps(&["a"]);
    let version = client.server.resource_version();
    assert_eq!(delete(&client, &format!("{MAPS}/a?dryRun=All")).1["status"], "Success");
    assert_eq!(delete(&client, &format!("{MAPS}?dryRun=All")).1["items"].as_array().unwrap().len(), 1);
    assert_eq!(delete(&client, "api/v1/namespaces/shop?dryRun=All").1["status"]["phase"], "Terminating");
    assert_eq!((client.server.objects("configmaps").len(), client.server.resource_version()), (1, version));
}

#[test]
fn a_collection_is_deleted_as_far_as_it_is_selected_and_watches_hear_of_it() {
    let client = with_maps(&["a", "b", "c"]);
    let mut watch = client.watch(&format!("{MAPS}?watch=true&resourceVersion={}", client.server.resource_version()));
    let (status, list) = delete(&client, &format!("{MAPS}?labelSelector=app%20notin%20(b)"));
    assert_eq!(
        (status, list["kind"].as_str(), list["items"].as_array().unwrap().len()),
        (200, Some("ConfigMapList"), 2)
    );
    assert_eq!(watch.ready(), events(&[("DELETED", "a"), ("DELETED", "c")]));
    let (status, refused) = delete(&client, &format!("{MAPS}?labelSelector=app%20in"));
    assert_eq!((status, &refused["reason"]), (400, &"BadRequest".into()));
}

#[test]
fn a_pod_on_a_node_is_given_its_time_by_who_plays_the_kubelet() {
    let client = Client::new();
    client.server.set_has_kubelet(true);
    client.server.seed(objects::pod("shop", "web").with_field("spec.nodeName", "n")).unwrap();
    let path = format!("{PODS}/web");
    let seconds = |body: Value| {
        let pod = client.write(Method::Delete, &path, JSON, &body).json();
        (pod["metadata"]["deletionGracePeriodSeconds"].as_i64(), pod["metadata"]["deletionTimestamp"].clone())
    };
    assert_eq!(seconds(json!({})), (Some(30), "2026-01-01T00:00:30Z".into()));
    assert_eq!(seconds(json!({ "gracePeriodSeconds": 60 })), (Some(30), "2026-01-01T00:00:30Z".into()));
    assert_eq!(seconds(json!({ "gracePeriodSeconds": 7 })), (Some(7), "2026-01-01T00:00:07Z".into()));
    assert_eq!(seconds(json!({ "gracePeriodSeconds": -1 })), (Some(1), "2026-01-01T00:00:01Z".into()));
    assert_eq!(seconds(json!({ "gracePeriodSeconds": 0 })).0, Some(0));
    assert_eq!(client.get(&path).status, 404);
}

#[test]
fn a_namespace_waits_for_what_is_held_in_it_and_takes_nothing_in() {
    let client = with_maps(&["a", "held"]);
    let held = format!("{MAPS}/held");
    let finalizers = |list: Value| json!({ "metadata": { "finalizers": list } });
    client.write(Method::Patch, &held, MERGE, &finalizers(json!(["example.com/hold"])));
    let (status, marked) = delete(&client, "api/v1/namespaces/shop");
    assert_eq!((status, &marked["status"]["phase"]), (200, &"Terminating".into()));
    assert_eq!(client.server.objects("configmaps").len(), 1);
    let new = json!({ "metadata": { "name": "new" } });
    let refused = client.write(Method::Post, MAPS, JSON, &new).json();
    assert_eq!(
        (&refused["code"], &refused["details"]["causes"][0]["reason"]),
        (&403.into(), &"NamespaceTerminating".into())
    );
    assert_eq!(client.write(Method::Patch, &held, MERGE, &finalizers(json!(null))).status, 200);
    assert!(client.server.get("namespaces", "", "shop").is_none());
    assert_eq!(client.write(Method::Post, MAPS, JSON, &new).status, 404);
}
