use serde_json::{Value, json};
use watchglass::runtime::{Method, Request};
use watchglass::testing::objects::{self, Build as _};

use super::client::Client;

const PODS: &str = "api/v1/namespaces/shop/pods";
const POD: &str = "api/v1/namespaces/shop/pods/web";
const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";

fn with_pod() -> Client {
    let client = Client::new();
    let pod = objects::pod("shop", "web").with_label("app", "web").with_field("status.phase", "Running");
    client.server.seed(pod).expect("the server takes a pod");
    client
}

fn body(metadata: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata,
        "spec": { "containers": [{ "name": "c", "image": "i" }] }, "status": { "phase": "Running" },
    })
}

#[test]
fn a_created_object_gets_what_only_the_server_gives() {
    let client = with_pod();
    let created = client.write(Method::Post, PODS, JSON, &body(&json!({ "generateName": "job-" })));
    let pod = created.json();
    assert_eq!(created.status, 201);
    let name = pod["metadata"]["name"].as_str().unwrap();
    assert!(name.starts_with("job-") && name.len() == 9, "{name}");
    assert_eq!(pod["metadata"]["namespace"], "shop");
    assert_eq!(pod["metadata"]["uid"].as_str().unwrap().len(), 36);
    assert_eq!(pod["metadata"]["creationTimestamp"], "2026-01-01T00:00:00Z");
    assert_eq!(pod["metadata"]["resourceVersion"], client.server.resource_version());
    assert_eq!(pod["status"]["phase"], "Pending");
    assert_eq!(client.get(&format!("{PODS}/{name}")).json(), pod);
}

#[test]
fn creation_is_refused_with_the_reason() {
    let client = with_pod();
    let with_version = json!({ "name": "a", "resourceVersion": "7" });
    let deployment = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "a" } });
    for (path, object, code, reason) in [
        (PODS, body(&json!({ "name": "web" })), 409, "AlreadyExists"),
        (PODS, body(&json!({})), 422, "Invalid"),
        (PODS, body(&json!({ "name": "Not Legal" })), 422, "Invalid"),
        (PODS, body(&with_version), 500, ""),
        (PODS, body(&json!({ "name": "a", "namespace": "payments" })), 400, "BadRequest"),
        (PODS, deployment, 400, "BadRequest"),
        ("api/v1/namespaces/absent/pods", body(&json!({ "name": "a" })), 404, "NotFound"),
        ("api/v1/pods", body(&json!({ "name": "a" })), 405, "MethodNotAllowed"),
        ("api/v1/namespaces/shop/pods?fieldValidation=Strict", body(&json!({ "name": "a" })), 501, "NotImplemented"),
    ] {
        let refused = client.write(Method::Post, path, JSON, &object);
        assert_eq!((refused.status, refused.json()["reason"].as_str().unwrap_or_default()), (code, reason), "{object}");
    }
    assert_eq!(client.write(Method::Post, PODS, "application/yaml", &json!({})).status, 415);
    assert_eq!(client.server.objects("pods").len(), 1);
}

#[test]
fn an_update_of_an_old_version_conflicts_and_leaves_the_object() {
    let client = with_pod();
    let mut old = client.get(POD).json();
    client
        .server
        .modify("pods", "shop", "web", |pod| pod.metadata.labels.extend([("new".into(), "1".into())]))
        .unwrap();
    old["metadata"]["labels"]["late"] = "1".into();
    let refused = client.write(Method::Put, POD, JSON, &old);
    assert_eq!((refused.status, &refused.json()["reason"]), (409, &"Conflict".into()));
    let message = "Operation cannot be fulfilled on pods \"web\": the object has been modified; \
                   please apply your changes to the latest version and try again";
    assert_eq!(refused.json()["message"], message);
    let mut new = client.get(POD).json();
    assert!(new["metadata"]["labels"].get("late").is_none());
    new["metadata"]["labels"]["late"] = "1".into();
    new["status"]["phase"] = "Failed".into();
    let updated = client.write(Method::Put, POD, JSON, &new);
    assert_eq!(updated.status, 200);
    assert_eq!(updated.json()["status"]["phase"], "Running");
    new["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    let status = client.write(Method::Put, &format!("{POD}/status"), JSON, &new).json();
    assert_eq!((&status["status"]["phase"], &status["metadata"]["labels"]["late"]), (&"Failed".into(), &"1".into()));
}

#[test]
fn an_update_that_changes_nothing_has_no_new_version() {
    let client = with_pod();
    let before = client.server.resource_version();
    assert_eq!(client.write(Method::Put, POD, JSON, &client.get(POD).json()).status, 200);
    assert_eq!(
        client.write(Method::Patch, POD, MERGE, &json!({ "metadata": { "labels": { "app": "web" } } })).status,
        200
    );
    assert_eq!(client.server.resource_version(), before);
}

#[test]
fn both_patches_change_what_they_name_and_others_are_refused() {
    let client = with_pod();
    let merge = json!({ "metadata": { "labels": { "app": null, "tier": "x" } } });
    let merged = client.write(Method::Patch, POD, MERGE, &merge);
    assert_eq!((merged.status, &merged.json()["metadata"]["labels"]), (200, &json!({ "tier": "x" })));
    let patch = json!([
        { "op": "test", "path": "/metadata/labels/tier", "value": "x" },
        { "op": "add", "path": "/metadata/labels/extra", "value": "y" },
        { "op": "replace", "path": "/spec/containers/0/image", "value": "new" },
    ]);
    let patched = client.write(Method::Patch, POD, JSON_PATCH, &patch).json();
    assert_eq!(patched["metadata"]["labels"], json!({ "tier": "x", "extra": "y" }));
    assert_eq!(patched["metadata"]["generation"], 2);
    let failing = json!([{ "op": "test", "path": "/metadata/name", "value": "other" }]);
    for (content_type, patch, code) in [
        (JSON_PATCH, failing, 422),
        (JSON_PATCH, json!({ "op": "none" }), 400),
        (MERGE, json!([1]), 400),
        (MERGE, json!({ "metadata": { "name": "other" } }), 400),
        (MERGE, json!({ "metadata": { "resourceVersion": "1" } }), 409),
        (MERGE, json!({ "metadata": 3 }), 422),
        ("application/strategic-merge-patch+json", json!([1]), 400),
        ("application/apply-patch+yaml", json!({}), 422),
        ("application/yaml", json!({}), 415),
    ] {
        assert_eq!(client.write(Method::Patch, POD, content_type, &patch).status, code, "{content_type} {patch}");
    }
}

#[test]
fn a_deletion_keeps_to_its_preconditions() {
    let client = with_pod();
    let pod = client.get(POD).json();
    for preconditions in [json!({ "uid": "other" }), json!({ "resourceVersion": "1" })] {
        let refused = client.write(Method::Delete, POD, JSON, &json!({ "preconditions": preconditions }));
        assert_eq!((refused.status, &refused.json()["reason"]), (409, &"Conflict".into()));
    }
    let options = json!({ "propagationPolicy": "Odd" });
    assert_eq!(client.write(Method::Delete, POD, JSON, &options).status, 422);
    let options = json!({ "preconditions": { "uid": pod["metadata"]["uid"] }, "propagationPolicy": "Background" });
    let deleted = client.write(Method::Delete, POD, JSON, &options);
    assert_eq!((deleted.status, &deleted.json()["kind"]), (200, &"Pod".into()));
    assert_eq!(client.get(POD).status, 404);
    let delete = Request { method: Method::Delete, path: POD.into(), ..Request::default() };
    assert_eq!(client.send(delete).status, 404);
    let all = Request { method: Method::Delete, path: "api/v1/pods".into(), ..Request::default() };
    assert_eq!(client.send(all).status, 405);
}

#[test]
fn a_finalizer_holds_an_object_until_it_is_taken_away() {
    let client = with_pod();
    let finalizers = |list: Value| json!({ "metadata": { "finalizers": list } });
    client.write(Method::Patch, POD, MERGE, &finalizers(json!(["example.com/hold"])));
    let marked = client.write(Method::Delete, POD, JSON, &json!({})).json();
    assert_eq!(marked["metadata"]["deletionTimestamp"], "2026-01-01T00:00:00Z");
    assert_eq!(client.get(POD).status, 200);
    assert_eq!(client.write(Method::Patch, POD, MERGE, &finalizers(json!(null))).status, 200);
    assert_eq!(client.get(POD).status, 404);
}

#[test]
fn a_deletion_takes_what_the_object_owns_or_holds() {
    let client = with_pod();
    let deployment = client.server.seed(objects::deployment("shop", "api", "i", 1)).unwrap();
    let set = objects::replica_set("shop", "api", "abc", "i", 1).with_owner(objects::owner_of(&deployment));
    let set = client.server.seed(set).unwrap();
    client.server.seed(objects::pod("shop", "api-abc-1").with_owner(objects::owner_of(&set))).unwrap();
    client.server.delete("deployments", "shop", "api").unwrap();
    assert!(client.server.objects("replicasets").is_empty());
    let left: Vec<_> = client.server.objects("pods").iter().map(|pod| pod.name().to_owned()).collect();
    assert_eq!(left, ["web"]);
    client.server.delete("namespaces", "", "shop").unwrap();
    assert!(client.server.objects("pods").is_empty());
}
