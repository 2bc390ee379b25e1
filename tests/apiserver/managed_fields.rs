use serde_json::{Value, json};
use watchglass::runtime::Method;
use watchglass::testing::objects;

use super::client::Client;

const MAPS: &str = "api/v1/namespaces/shop/configmaps";
const JSON: &str = "application/json";
const APPLY: &str = "application/apply-patch+yaml";

fn with_namespace() -> Client {
    let client = Client::new();
    client.server.create(objects::namespace("shop")).expect("the server takes a namespace");
    client
}

fn map(data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": data })
}

fn managers(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.map(|entry| format!("{} {}", entry["manager"].as_str().unwrap_or_default(), entry["fieldsV1"])).collect()
}

#[test]
fn who_set_what_is_shown_alone_in_lists_and_in_watches() {
    let client = with_namespace();
    let mut watch = client.watch(&format!("{MAPS}?watch=true"));
    client.write_text(Method::Post, MAPS, JSON, &map(&json!({ "k": "v" })));
    let expected = [r#"tester {"f:data":{".":{},"f:k":{}}}"#];
    assert_eq!(managers(&client.get(&format!("{MAPS}/a")).json()), expected);
    assert_eq!(managers(&client.get(MAPS).json()["items"][0]), expected);
    assert_eq!(managers(&watch.event()["object"]), expected);
    let known = client.server.get("configmaps", "shop", "a").unwrap();
    assert_eq!((known.metadata.managed_by[0].manager.as_str(), known.metadata.managed_by.len()), ("tester", 1));
}

#[test]
fn what_the_cluster_itself_creates_has_no_owners_until_somebody_applies() {
    let client = with_namespace();
    client.server.create(objects::config_map("shop", "a")).unwrap();
    let path = format!("{MAPS}/a?fieldManager=me");
    client.write(Method::Put, &path, JSON, &map(&json!({ "k": "v" })));
    assert!(managers(&client.get(&path).json()).is_empty());
    let applied = client.write(Method::Patch, &path, APPLY, &map(&json!({ "l": "v" }))).json();
    let expected = [r#"me {"f:data":{"f:l":{}}}"#, r#"before-first-apply {"f:data":{".":{},"f:k":{}}}"#];
    assert_eq!(managers(&applied), expected);
    client.server.modify("configmaps", "shop", "a", |map| map.fields["data"]["l"] = "w".into()).unwrap();
    let expected = [r#"before-first-apply {"f:data":{".":{},"f:k":{}}}"#, r#"in-process {"f:data":{"f:l":{}}}"#];
    assert_eq!(managers(&client.get(&path).json()), expected);
}

#[test]
fn a_part_of_the_cluster_owns_the_status_by_its_subresource() {
    let client = with_namespace();
    let pod = json!({ "metadata": { "name": "p" }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    client.write_text(Method::Post, "api/v1/namespaces/shop/pods", JSON, &pod);
    client
        .server
        .modify("pods", "shop", "p", |pod| {
            pod.fields["status"]["phase"] = "Running".into();
            pod.fields["spec"]["nodeName"] = "n".into();
        })
        .unwrap();
    let pod = client.get("api/v1/namespaces/shop/pods/p").json();
    let entries: Vec<_> =
        pod["metadata"]["managedFields"].as_array().unwrap()[..].iter().map(|it| &it["subresource"]).collect();
    assert_eq!(entries, [&Value::Null, &json!("status"), &Value::Null]);
    let owned = managers(&pod);
    assert_eq!(owned[0], r#"in-process {"f:spec":{"f:nodeName":{}}}"#);
    assert_eq!(owned[1], r#"in-process {"f:status":{"f:phase":{}}}"#);
}

#[test]
fn a_configuration_in_yaml_and_a_strict_look_are_refused_with_the_reason() {
    let client = with_namespace();
    let path = format!("{MAPS}/a?fieldManager=me");
    let yaml = client.write_text(Method::Patch, &path, APPLY, &"kind: ConfigMap".into()).json();
    assert_eq!((&yaml["code"], &yaml["reason"]), (&501.into(), &"NotImplemented".into()));
    let strict = client.write(Method::Post, &format!("{MAPS}?fieldValidation=Strict"), JSON, &map(&json!({}))).json();
    assert!(strict["message"].as_str().unwrap().contains("send Warn or Ignore"), "{strict}");
    let twice = r#"{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}"#;
    let strict = client.write_text(Method::Post, &format!("{MAPS}?fieldValidation=Strict"), JSON, &twice.into()).json();
    let message = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: \
                   strict decoding error: duplicate field \"data.k\"";
    assert_eq!(strict["message"], message);
    let warned = client.write_text(Method::Post, MAPS, JSON, &twice.into());
    let warning = ("warning".to_owned(), r#"299 - "duplicate field \"data.k\"""#.to_owned());
    assert!(warned.headers.contains(&warning), "{:?}", warned.headers);
    assert_eq!(warned.json()["data"]["k"], "2");
}

#[test]
fn a_workload_is_scaled_and_says_whom_it_selects() {
    let client = with_namespace();
    client.server.create(objects::deployment("shop", "web", "i", 2)).unwrap();
    let path = "apis/apps/v1/namespaces/shop/deployments/web/scale";
    let scale = client.get(path).json();
    assert_eq!((&scale["kind"], &scale["spec"]["replicas"]), (&"Scale".into(), &2.into()));
    assert!(scale["status"]["selector"].as_str().is_some_and(|text| text.contains('=')), "{scale}");
    let patch = json!({ "spec": { "replicas": 5 } });
    for (content_type, generation) in
        [("application/merge-patch+json", 2), ("application/strategic-merge-patch+json", 2)]
    {
        assert_eq!(client.write(Method::Patch, path, content_type, &patch).json()["spec"]["replicas"], 5);
        let deployment = client.server.get("deployments", "shop", "web").unwrap();
        assert_eq!(
            (deployment.int_at(&["spec", "replicas"]), deployment.metadata.generation),
            (Some(5), Some(generation))
        );
    }
    assert_eq!(client.get("api/v1/namespaces/shop/pods/web/scale").status, 404);
}
