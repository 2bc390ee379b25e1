use serde_json::{Value, json};
use watchglass::runtime::{Method, Request};

use super::client::{Answer, Client};
use super::crd::widgets;

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn get(client: &Client, path: &str, headers: &[(&'static str, &str)]) -> Answer {
    let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).to_owned())).collect();
    client.send(Request { path: path.into(), headers, ..Request::default() })
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
}

fn with_widgets() -> Client {
    let client = Client::new();
    let path = "apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(client.write(Method::Post, path, "application/json", &widgets()).status, 201);
    client
}

#[test]
fn the_aggregated_form_is_chosen_by_the_accept_header() {
    let client = Client::new();
    for (accept, status, kind) in [
        (
            "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io,application/json",
            200,
            "APIGroupDiscoveryList",
        ),
        (
            "application/json;profile=nopeer;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList",
            200,
            "APIGroupDiscoveryList",
        ),
        (
            "application/json;as=APIGroupDiscoveryList;v=v2beta1;g=apidiscovery.k8s.io,application/json",
            200,
            "APIGroupList",
        ),
        ("application/json;as=APIGroupDiscoveryList;v=v2beta1;g=apidiscovery.k8s.io", 406, "Status"),
        ("application/json", 200, "APIGroupList"),
        ("*/*", 200, "APIGroupList"),
        ("", 200, "APIGroupList"),
        ("text/html", 406, "Status"),
    ] {
        let answer = get(&client, "apis", &[("accept", accept)]);
        assert_eq!((answer.status, &answer.json()["kind"]), (status, &kind.into()), "{accept}");
        let content_type = if kind == "APIGroupDiscoveryList" { AGGREGATED } else { "application/json" };
        assert_eq!(header(&answer, "content-type"), content_type);
    }
    assert_eq!(get(&client, "apis/apps/v1", &[("accept", AGGREGATED)]).status, 406);
}

#[test]
fn an_unchanged_document_is_not_sent_again() {
    let client = Client::new();
    let first = get(&client, "apis", &[("accept", AGGREGATED)]);
    assert_eq!((header(&first, "cache-control"), header(&first, "vary")), ("public", "Accept"));
    let tag = header(&first, "etag");
    let again = get(&client, "apis", &[("accept", AGGREGATED), ("if-none-match", tag)]);
    assert_eq!((again.status, again.body.unwrap().as_str()), (304, ""));
    client.server.create(serde_json::from_value(widgets()).unwrap()).unwrap();
    let changed = get(&client, "apis", &[("accept", AGGREGATED), ("if-none-match", tag)]);
    assert_eq!(changed.status, 200);
    assert_ne!(header(&changed, "etag"), tag);
}

#[test]
fn built_in_kinds_stand_in_the_aggregated_document_as_in_the_real_one() {
    let client = Client::new();
    let core = get(&client, "api", &[("accept", AGGREGATED)]).json();
    assert_eq!(core["items"].as_array().unwrap().len(), 1);
    assert_eq!(core["items"][0]["metadata"], json!({}));
    let resources = core["items"][0]["versions"][0]["resources"].as_array().unwrap();
    let find = |name: &str| resources.iter().find(|it| it["resource"] == name).unwrap();
    let status = json!({ "subresource": "status", "responseKind": { "group": "", "version": "", "kind": "Namespace" },
        "verbs": ["get", "patch", "update"] });
    assert_eq!(find("namespaces")["subresources"], json!([status]));
    assert_eq!(
        *find("configmaps"),
        json!({
            "resource": "configmaps", "responseKind": { "group": "", "version": "", "kind": "ConfigMap" },
            "scope": "Namespaced", "singularResource": "configmap", "shortNames": ["cm"],
            "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        })
    );
}

#[test]
fn a_custom_kind_comes_into_every_document_and_goes_with_its_definition() {
    let client = with_widgets();
    let group = client.get("apis/example.com").json();
    let version = |name: &str| json!({ "groupVersion": format!("example.com/{name}"), "version": name });
    assert_eq!(group["versions"], json!([version("v1"), version("v1alpha1")]));
    assert_eq!(group["preferredVersion"], version("v1"));
    let list = client.get("apis/example.com/v1").json();
    assert_eq!(
        list["resources"],
        json!([
            { "name": "widgets", "singularName": "widget", "namespaced": true, "kind": "Widget", "shortNames": ["wd"],
                "categories": ["all"],
                "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"] },
            { "name": "widgets/status", "singularName": "", "namespaced": true, "kind": "Widget",
                "verbs": ["get", "patch", "update"] },
            { "name": "widgets/scale", "singularName": "", "namespaced": true, "group": "autoscaling", "version": "v1",
                "kind": "Scale", "verbs": ["get", "patch", "update"] },
        ])
    );
    let document = get(&client, "apis", &[("accept", AGGREGATED)]).json();
    let entry = |document: &Value| {
        let items = document["items"].as_array().unwrap().clone();
        items.into_iter().find(|item| item["metadata"]["name"] == "example.com")
    };
    let found = entry(&document).unwrap();
    assert_eq!(
        found["versions"][0]["resources"][0]["responseKind"],
        json!({ "group": "example.com", "version": "v1", "kind": "Widget" })
    );
    assert_eq!(
        found["versions"][0]["resources"][0]["subresources"][1]["responseKind"],
        json!({ "group": "autoscaling", "version": "v1", "kind": "Scale" })
    );
    assert_eq!(found["versions"][1]["version"], "v1alpha1");
    client.server.delete("customresourcedefinitions", "", "widgets.example.com").unwrap();
    assert_eq!(entry(&get(&client, "apis", &[("accept", AGGREGATED)]).json()), None);
    assert_eq!(client.get("apis/example.com/v1").status, 404);
}

#[test]
fn an_api_service_that_points_nowhere_is_stale_and_its_path_unavailable() {
    let client = Client::new();
    let service = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": { "name": "v1beta1.nowhere.example.com" },
        "spec": {
            "group": "nowhere.example.com", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 10,
            "service": { "namespace": "default", "name": "nothing" },
        },
    });
    let path = "apis/apiregistration.k8s.io/v1/apiservices";
    assert_eq!(client.write(Method::Post, path, "application/json", &service).status, 201);
    let stored = client.get(&format!("{path}/v1beta1.nowhere.example.com")).json();
    assert_eq!(stored["status"]["conditions"][0]["reason"], "ServiceNotFound");
    assert_eq!(stored["status"]["conditions"][0]["message"], "service/nothing in \"default\" is not present");
    let document = get(&client, "apis", &[("accept", AGGREGATED)]).json();
    let last = document["items"].as_array().unwrap().last().unwrap();
    let versions = json!([{ "version": "v1beta1", "freshness": "Stale" }]);
    assert_eq!((&last["metadata"]["name"], &last["versions"]), (&"nowhere.example.com".into(), &versions));
    let group = client.get("apis/nowhere.example.com").json();
    assert_eq!(group["preferredVersion"]["groupVersion"], "nowhere.example.com/v1beta1");
    for path in ["apis/nowhere.example.com/v1beta1", "apis/nowhere.example.com/v1beta1/foos"] {
        let answer = client.get(path);
        assert_eq!((answer.status, header(&answer, "content-type")), (503, "text/plain; charset=utf-8"));
        assert_eq!(answer.body.unwrap(), "service unavailable\n");
    }
}

#[test]
fn what_is_nowhere_is_answered_by_a_status_below_known_groups_and_by_text_elsewhere() {
    let client = with_widgets();
    for (path, is_status) in [
        ("apis/apps/v2", true),
        ("api/v2", true),
        ("api/v1/gadgets", true),
        ("apis/apps/v1/nope", true),
        ("apis/nope", false),
        ("apis/nope/v1", false),
        ("nope", false),
        ("apis/example.com/v1/gadgets", false),
        ("apis/example.com/v2/widgets", false),
    ] {
        let answer = client.get(path);
        assert_eq!(answer.status, 404, "{path}");
        if is_status {
            let status = answer.json();
            assert_eq!(status["message"], "the server could not find the requested resource", "{path}");
            assert_eq!(status["details"], json!({}), "{path}");
        } else {
            assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
            assert_eq!(answer.body.unwrap(), "404 page not found\n", "{path}");
        }
    }
}
