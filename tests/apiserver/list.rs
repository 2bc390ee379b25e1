use watchglass::runtime::Request;
use watchglass::testing::apiserver::ApiServerOptions;
use watchglass::testing::objects::{self, Build as _};

use super::client::{Client, names};

fn with_pods(count: usize) -> Client {
    let client = Client::new();
    for number in 0..count {
        let tier = if number % 2 == 0 { "web" } else { "db" };
        let pod = objects::pod("shop", &format!("pod-{number:03}")).with_label("tier", tier);
        let pod = pod.with_field("spec.nodeName", format!("node-{}", number % 3));
        client.server.seed(pod).expect("the server takes a pod");
    }
    client
}

#[test]
fn a_list_names_its_kind_its_version_and_all_objects_in_order() {
    let client = with_pods(3);
    client.server.seed(objects::pod("payments", "a")).unwrap();
    let list = client.get("api/v1/pods").json();
    assert_eq!((&list["kind"], &list["apiVersion"]), (&"PodList".into(), &"v1".into()));
    assert_eq!(list["metadata"]["resourceVersion"], client.server.resource_version());
    assert_eq!(names(&list), ["a", "pod-000", "pod-001", "pod-002"]);
    assert!(list["items"][0].get("kind").is_none());
    assert_eq!(client.get("api/v1/namespaces/shop/pods").names().len(), 3);
    assert_eq!(client.get("apis/apps/v1/deployments").json()["kind"], "DeploymentList");
}

#[test]
fn a_large_list_comes_in_chunks() {
    use futures::StreamExt as _;
    let client = Client::new();
    client.server.load_pods("load", 300).unwrap();
    let response = client.try_send(Request { path: "api/v1/pods".into(), ..Request::default() }).unwrap();
    let chunks: Vec<_> = client.sandbox.block_on(response.body.map(|chunk| chunk.unwrap().len()).collect());
    assert!(chunks.len() > 10, "{} chunks", chunks.len());
    assert!(chunks.iter().all(|bytes| *bytes < 80 * 1024), "{chunks:?}");
}

#[test]
fn pages_show_one_moment_whatever_happens_between_them() {
    let client = with_pods(7);
    let first = client.get("api/v1/pods?limit=3").json();
    assert_eq!(first["metadata"]["remainingItemCount"], 4);
    client.server.delete("pods", "shop", "pod-004").unwrap();
    client.server.seed(objects::pod("shop", "pod-0035")).unwrap();
    client.server.modify("pods", "shop", "pod-005", |pod| pod.metadata.labels.clear()).unwrap();
    let token = first["metadata"]["continue"].as_str().unwrap();
    let second = client.get(&format!("api/v1/pods?limit=3&continue={token}")).json();
    assert_eq!(names(&second), ["pod-003", "pod-004", "pod-005"]);
    assert_eq!(second["items"][2]["metadata"]["labels"]["tier"], "db");
    assert_eq!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    let token = second["metadata"]["continue"].as_str().unwrap();
    let third = client.get(&format!("api/v1/pods?limit=3&continue={token}")).json();
    assert_eq!(names(&third), ["pod-006"]);
    assert!(third["metadata"].get("continue").is_none());
    assert!(third["metadata"].get("remainingItemCount").is_none());
}

#[test]
fn a_token_expires_with_the_history() {
    let client = with_pods(4);
    let first = client.get("api/v1/pods?limit=2").json();
    let token = first["metadata"]["continue"].as_str().unwrap();
    client.server.compact();
    let refused = client.get(&format!("api/v1/pods?limit=2&continue={token}"));
    assert_eq!((refused.status, &refused.json()["reason"]), (410, &"Expired".into()));
    assert_eq!(client.get("api/v1/pods?limit=2&continue=nonsense").status, 400);
}

#[test]
fn a_limit_does_not_count_when_the_list_comes_from_the_watch_cache() {
    let client = with_pods(4);
    assert_eq!(client.get("api/v1/pods?limit=2&resourceVersion=0").names().len(), 4);
    let options = ApiServerOptions { pages_from_cache: true, ..ApiServerOptions::default() };
    let without_cache = Client::with_options(options);
    without_cache.server.load_pods("load", 4).unwrap();
    assert_eq!(without_cache.get("api/v1/pods?limit=2&resourceVersion=0").names().len(), 2);
}

#[test]
fn selectors_choose_and_hide_the_remaining_count() {
    let client = with_pods(6);
    for (query, expected) in [
        ("labelSelector=tier%3Dweb", 3),
        ("labelSelector=tier+in+(db,x)", 3),
        ("fieldSelector=spec.nodeName%3Dnode-1", 2),
        ("fieldSelector=metadata.name%3Dpod-002", 1),
        ("labelSelector=tier%3Dweb&fieldSelector=spec.nodeName!%3Dnode-0", 2),
    ] {
        assert_eq!(client.get(&format!("api/v1/pods?{query}")).names().len(), expected, "{query}");
    }
    let page = client.get("api/v1/pods?labelSelector=tier%3Dweb&limit=1").json();
    assert!(page["metadata"]["continue"].is_string());
    assert!(page["metadata"].get("remainingItemCount").is_none());
    let unknown = client.get("api/v1/pods?fieldSelector=spec.color%3Dred");
    assert_eq!(unknown.status, 400);
    assert!(unknown.json()["message"].as_str().unwrap().ends_with("field label not supported: spec.color"));
    assert_eq!(client.get("api/v1/pods?labelSelector=a+b").status, 400);
}

#[test]
fn resource_versions_are_met_exactly_or_at_least() {
    let client = with_pods(2);
    let before = client.server.resource_version();
    client.server.seed(objects::pod("shop", "pod-002")).unwrap();
    let count = |query: &str| client.get(&format!("api/v1/pods?{query}")).names().len();
    assert_eq!(count(&format!("resourceVersion={before}")), 3);
    assert_eq!(count(&format!("resourceVersion={before}&resourceVersionMatch=NotOlderThan&limit=9")), 3);
    assert_eq!(count(&format!("resourceVersion={before}&resourceVersionMatch=Exact")), 2);
    assert_eq!(count(&format!("resourceVersion={before}&limit=9")), 2);
    let future = client.get("api/v1/pods?resourceVersion=999");
    let status = future.json();
    assert_eq!((future.status, &status["reason"]), (504, &"Timeout".into()));
    assert!(status["message"].as_str().unwrap().contains("Too large resource version: 999, current: "));
    assert_eq!(status["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    client.server.compact();
    assert_eq!(client.get(&format!("api/v1/pods?resourceVersion={before}&resourceVersionMatch=Exact")).status, 410);
}

#[test]
fn options_that_contradict_each_other_are_refused_as_the_real_server_does() {
    let client = with_pods(1);
    for (query, code) in [
        ("resourceVersionMatch=Exact", 422),
        ("resourceVersionMatch=Exact&resourceVersion=0", 422),
        ("resourceVersionMatch=Never&resourceVersion=1", 422),
        ("resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=61", 422),
        ("sendInitialEvents=true", 422),
        ("watch=true&sendInitialEvents=true", 422),
        ("watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1", 422),
        ("watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999", 504),
        ("watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1", 422),
        ("continue=61&resourceVersion=3", 400),
        ("watch=true&limit=5", 400),
        ("resourceVersion=abc", 400),
        ("limit=many", 400),
    ] {
        let refused = client.get(&format!("api/v1/pods?{query}"));
        assert_eq!((refused.status, &refused.json()["code"]), (code, &code.into()), "{query}");
        assert_eq!(refused.json()["kind"], "Status", "{query}");
    }
}

#[test]
fn what_is_not_offered_is_refused_and_says_so() {
    let client = with_pods(1);
    for (path, code) in [
        ("api/v1/widgets", 404),
        ("api/v1/deployments", 404),
        ("api/v1/pods/pod-000", 404),
        ("api/v1/namespaces/shop/nodes", 404),
        ("api/v1/namespaces/shop/pods/absent", 404),
        ("api/v1/namespaces/shop/pods/pod-000/portforward", 501),
        ("openapi/v3", 501),
    ] {
        let refused = client.get(path);
        assert_eq!((refused.status, &refused.json()["kind"]), (code, &"Status".into()), "{path}");
    }
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    for (accept, code) in [("text/html".to_owned(), 406), (accept.to_owned(), 200), ("*/*".to_owned(), 200)] {
        let headers = vec![("accept".into(), accept)];
        let request = Request { path: "api/v1/pods".into(), headers, ..Request::default() };
        assert_eq!(client.send(request).status, code);
    }
}

#[test]
fn discovery_names_every_resource_with_its_verbs() {
    let client = Client::new();
    assert_eq!(client.get("api").json()["versions"][0], "v1");
    let groups = client.get("apis").json();
    let groups: Vec<_> = groups["groups"].as_array().unwrap().iter().map(|group| group["name"].clone()).collect();
    assert_eq!(groups[..2], ["apiregistration.k8s.io", "apps"]);
    for group in ["api/v1", "apis/apps/v1", "apis/batch/v1"] {
        let document = client.get(group).json();
        assert_eq!(document["kind"], "APIResourceList");
        for resource in document["resources"].as_array().unwrap() {
            let name = resource["name"].as_str().unwrap();
            if !name.contains('/') && resource["verbs"].as_array().unwrap().len() > 1 {
                assert!(resource["verbs"].as_array().unwrap().contains(&"watch".into()), "{name}");
                assert_eq!(client.get(&format!("{group}/{name}")).status, 200, "{name}");
            }
        }
    }
    assert_eq!(client.get("version").json()["major"], "1");
}

#[test]
fn a_missing_right_is_refused_in_the_real_servers_words() {
    let client = with_pods(1);
    client.server.forbid("list", "pods", None);
    client.server.forbid("*", "deployments", Some("shop"));
    client.server.forbid("get", "pods", Some("*"));
    let refused = |path: &str| {
        let answer = client.get(path);
        assert_eq!((answer.status, &answer.json()["reason"]), (403, &"Forbidden".into()));
        answer.json()["message"].as_str().unwrap().to_owned()
    };
    let everywhere =
        "pods is forbidden: User \"demo\" cannot list resource \"pods\" in API group \"\" at the cluster scope";
    assert_eq!(refused("api/v1/pods"), everywhere);
    let here = "deployments.apps is forbidden: User \"demo\" cannot watch resource \"deployments\" in API group \"apps\" \
                in the namespace \"shop\"";
    assert_eq!(refused("apis/apps/v1/namespaces/shop/deployments?watch=true"), here);
    let one = "pods \"pod-000\" is forbidden: User \"demo\" cannot get resource \"pods\" in API group \"\" \
               in the namespace \"shop\"";
    assert_eq!(refused("api/v1/namespaces/shop/pods/pod-000"), one);
    assert_eq!(client.get("api/v1/namespaces/shop/pods").status, 200);
    client.server.allow_all();
    assert_eq!(client.get("api/v1/pods").status, 200);
}
