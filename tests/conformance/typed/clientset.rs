//! Typed requests.

use futures::StreamExt as _;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::autoscaling::v1::Scale;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use k8s_openapi::api::policy::v1::Eviction;
use serde_json::{Value, json};
use watchglass::api::{
    ApplyOptions, CreateOptions, DeleteOptions, Error, GetOptions, ListOptions, LogOptions, Patch, PatchOptions,
};
use watchglass::rest::Config;
use watchglass::rest::clientset::{Api, Clientset, TypedEvent, from_object, to_manifest};
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::{Sandbox, objects};

use crate::rest::scripted::{Scripted, answer, json, pod};

fn typed<K: serde::de::DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).expect("it is of the type")
}

fn clientset(server: &Scripted) -> Clientset {
    Clientset::for_config(&server.config())
}

#[test]
fn each_verb_goes_where_it_goes_in_go() {
    let server = Scripted::new([json(200, &pod())]);
    let pods = clientset(&server).core_v1().pods("shop");
    let web: Pod = typed(pod());
    let manager = ApplyOptions { field_manager: "me".into(), ..ApplyOptions::default() };
    server
        .block_on(async {
            let options = CreateOptions::default();
            for pod in [
                pods.create(&web, &options).await?,
                pods.update(&web, &options).await?,
                pods.update_status(&web, &options).await?,
                pods.get("web", &GetOptions::default()).await?,
                pods.patch("web", &Patch::Merge(json!({})), &PatchOptions::default()).await?,
                pods.apply(&web, &manager).await?,
                pods.apply_status(&web, &manager).await?,
            ] {
                assert_eq!(pod, web);
            }
            pods.delete("web", &DeleteOptions::default()).await?;
            pods.delete_collection(&DeleteOptions::default(), &ListOptions::default()).await
        })
        .expect("all succeed");
    let all = "api/v1/namespaces/shop/pods";
    let expected = [
        format!("POST {all}"),
        format!("PUT {all}/web"),
        format!("PUT {all}/web/status"),
        format!("GET {all}/web"),
        format!("PATCH {all}/web"),
        format!("PATCH {all}/web?fieldManager=me&force=false"),
        format!("PATCH {all}/web/status?fieldManager=me&force=false"),
        format!("DELETE {all}/web"),
        format!("DELETE {all}"),
    ];
    assert_eq!(server.lines(), expected);
    assert_eq!(server.body(0), pod());
}

#[test]
fn subresources_have_types_of_their_own() {
    let scale = json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "web" }, "spec": { "replicas": 2 } });
    let server = Scripted::new([json(200, &scale)]);
    let deployments = clientset(&server).apps_v1().deployments("shop");
    let read = server.block_on(deployments.scale("web", &GetOptions::default())).expect("a scale");
    assert_eq!(read.spec.as_ref().and_then(|spec| spec.replicas), Some(2));
    server.block_on(deployments.update_scale("web", &read, &CreateOptions::default())).expect("it is scaled");
    let manager = ApplyOptions { field_manager: "me".into(), ..ApplyOptions::default() };
    let applied: Scale = server.block_on(deployments.apply_scale("web", &read, &manager)).expect("it is scaled");
    assert_eq!(applied, read);
    let all = "apis/apps/v1/namespaces/shop/deployments/web/scale";
    let expected = [format!("GET {all}"), format!("PUT {all}"), format!("PATCH {all}?fieldManager=me&force=false")];
    assert_eq!(server.lines(), expected);

    let token = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {}, "spec": { "audiences": [] } });
    let csr = json!({ "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": { "name": "c" },
        "spec": { "request": "", "signerName": "s" } });
    let success = json!({ "apiVersion": "v1", "kind": "Status", "status": "Success" });
    let server = Scripted::new([json(201, &token), json(200, &csr), json(201, &success), answer(200).body("log")]);
    let clientset = clientset(&server);
    server
        .block_on(async {
            let accounts = clientset.core_v1().service_accounts("shop");
            accounts.create_token("default", &typed::<TokenRequest>(token), &CreateOptions::default()).await?;
            let request: CertificateSigningRequest = typed(csr);
            let requests = clientset.certificates_v1().certificate_signing_requests();
            requests.update_approval("c", &request, &CreateOptions::default()).await?;
            let eviction: Eviction =
                typed(json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "web" } }));
            clientset.core_v1().pods("shop").evict("web", &eviction).await?;
            let mut log = clientset.core_v1().pods("shop").logs("web", &LogOptions::default()).await?;
            assert_eq!(log.body.next().await, Some(Ok("log".into())));
            Ok::<_, Error>(())
        })
        .expect("all succeed");
    let expected = [
        "POST api/v1/namespaces/shop/serviceaccounts/default/token",
        "PUT apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval",
        "POST api/v1/namespaces/shop/pods/web/eviction",
        "GET api/v1/namespaces/shop/pods/web/log",
    ];
    assert_eq!(server.lines(), expected);
}

#[test]
fn what_does_not_fit_the_type_is_an_error() {
    let deployment = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } });
    let server = Scripted::new([json(200, &deployment)]);
    let pods = clientset(&server).core_v1().pods("shop");
    let got = server.block_on(pods.get("web", &GetOptions::default()));
    assert!(matches!(got, Err(Error::Undecodable { .. })), "{got:?}");
    let nameless = Pod::default();
    let sent = server.block_on(pods.update(&nameless, &CreateOptions::default()));
    assert!(matches!(sent, Err(Error::NotSent { .. })), "{sent:?}");
    let without_manager = server.block_on(pods.apply(&typed(pod()), &ApplyOptions::default()));
    assert!(matches!(without_manager, Err(Error::NotSent { .. })));
    assert_eq!(server.attempts(), 1);
}

#[test]
fn an_apply_never_says_who_owns_what() {
    let mut owned = pod();
    owned["metadata"]["managedFields"] = json!([{ "manager": "kubectl" }]);
    let server = Scripted::new([json(200, &pod())]);
    let manager = ApplyOptions { field_manager: "me".into(), ..ApplyOptions::default() };
    let pods = clientset(&server).core_v1().pods("shop");
    server.block_on(pods.apply(&typed(owned), &manager)).expect("it is applied");
    assert_eq!(server.body(0)["metadata"].get("managedFields"), None);
}

#[test]
fn a_typed_watch_ends_with_the_first_object_of_another_kind() {
    let event = |kind: &str, object: Value| json!({ "type": kind, "object": object }).to_string();
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n" } });
    let bookmark = json!({ "metadata": { "resourceVersion": "9" } });
    let body = [event("ADDED", pod()), event("BOOKMARK", bookmark), event("MODIFIED", node), event("ADDED", pod())];
    let server = Scripted::new([answer(200).body(body.concat())]);
    let pods = clientset(&server).core_v1().pods("");
    let events: Vec<_> =
        server.block_on(async { pods.watch(&ListOptions::default()).await.expect("a watch").collect().await });
    let [Ok(TypedEvent::Added(added)), Ok(TypedEvent::Bookmark { resource_version, .. }), Err(error)] = &events[..]
    else {
        panic!("{events:?} is not what was sent");
    };
    assert_eq!((added, resource_version.as_str()), (&typed::<Pod>(pod()), "9"));
    assert!(matches!(error, Error::Undecodable { .. }), "{error}");
    assert_eq!(server.lines(), ["GET api/v1/pods?watch=true"]);
}

#[test]
fn typed_requests_reach_the_in_memory_server() {
    let sandbox = Sandbox::new();
    let server = ApiServer::new(sandbox.runtime());
    server.seed(objects::node("n1")).expect("the server takes it");
    server.seed(objects::namespace("shop")).expect("the server takes it");
    let config = Config::new(&sandbox.runtime(), server.transport());
    let clientset = Clientset::for_config(&config);
    sandbox.block_on(async {
        let maps = clientset.core_v1().config_maps("shop");
        let new: ConfigMap = typed(json!({ "metadata": { "name": "settings" }, "data": { "a": "1" } }));
        let created = maps.create(&new, &CreateOptions::default()).await.expect("it is created");
        assert!(created.metadata.uid.is_some() && created.data == new.data);
        let list = maps.list(&ListOptions::default()).await.expect("a list");
        assert_eq!(list.items, std::slice::from_ref(&created));
        assert!(list.metadata.resource_version.is_some());
        assert_eq!(Api::<ConfigMap>::all(&config).list(&ListOptions::default()).await.expect("a list").items.len(), 1);
        let nodes = clientset.core_v1().nodes().list(&ListOptions::default()).await.expect("a list");
        assert_eq!(nodes.items[0].metadata.name.as_deref(), Some("n1"));
        maps.delete("settings", &DeleteOptions::default()).await.expect("it is deleted");
        assert!(maps.get("settings", &GetOptions::default()).await.expect_err("it is gone").is_not_found());
    });
}

#[test]
fn an_object_keeps_its_fields_on_the_way_to_its_type_and_back() {
    let mut web = objects::object("apps/v1", "Deployment", "shop", "web");
    web.fields.insert("spec".into(), json!({ "replicas": 3, "selector": {}, "template": {} }));
    let deployment: Deployment = from_object(&web.clone().into()).expect("it is one");
    assert_eq!(deployment.spec.replicas, Some(3));
    assert_eq!(to_manifest(&deployment), Ok(web.clone()));
    web.kind = String::new();
    assert!(from_object::<Deployment>(&web.into()).is_ok(), "as a list's items may come");
    let error = from_object::<Node>(&objects::pod("shop", "web").into()).expect_err("it is none");
    assert!(error.to_string().contains("nodes shop/web"), "{error}");
}
