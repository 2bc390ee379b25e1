//! Paths, queries, bodies and headers.

use serde_json::{Value, json};
use watchglass::api::{
    ApplyOptions, CreateOptions, DeleteOptions, Error, FieldValidation, GetOptions, GroupVersionResource, ListOptions,
    Manifest, Patch, PatchOptions, Preconditions, PropagationPolicy, ResourcePath,
};
use watchglass::rest::{Accept, IncludeObject, RestClient};
use watchglass::runtime::{Method, Request};

use super::scripted::{Scripted, answer, json, list, pod, pods};

fn object() -> Manifest {
    serde_json::from_value(pod()).expect("it is an object")
}

/// client-go: `TestNewRequestSetsAccept`, `TestRequestSetsHeaders`.
#[test]
fn a_request_says_in_which_form_it_wants_the_answer() {
    let server = Scripted::new([json(200, &list(&[pod()]))]);
    let client = server.client();
    let table = server.block_on(client.table(&pods(), &ListOptions::default(), IncludeObject::Object));
    assert!(table.is_ok());
    for accept in [Accept::Object, Accept::Metadata] {
        server.block_on(client.list_as(&pods(), &ListOptions::default(), accept, &|_| {})).expect("a list");
        server.block_on(client.get_as(&pods().named("web"), &GetOptions::default(), accept)).ok();
    }
    let asked: Vec<_> = server.requests().iter().map(|it| it.header("accept").unwrap().to_owned()).collect();
    let metadata = |kind: &str| format!("application/json;as={kind};g=meta.k8s.io;v=v1,application/json");
    let expected = [
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json".to_owned(),
        "application/json".to_owned(),
        "application/json".to_owned(),
        metadata("PartialObjectMetadataList"),
        metadata("PartialObjectMetadata"),
    ];
    assert_eq!(asked, expected);
    assert!(server.requests()[0].path.ends_with("pods?includeObject=Object&pretty=false"));
    // The server prints for people when a browser asks, which is several times as long.
    assert!(server.requests().iter().all(|request| request.path.ends_with("pretty=false")));
}

/// client-go: `TestRequestSetsNamespace`, `TestRequestOrdersNamespaceInPath`, `TestRequestOrdersSubResource`,
/// `TestRequestURI`, `TestRequestParam`.
#[test]
fn a_path_is_in_the_order_of_the_server_s_and_its_parts_are_encoded() {
    let deployments = ResourcePath::all(GroupVersionResource::new("apps", "v1", "deployments"));
    for (path, expected) in [
        (pods(), "api/v1/namespaces/shop/pods"),
        (pods().named("web").subresource("a").subresource("b"), "api/v1/namespaces/shop/pods/web/a/b"),
        (ResourcePath::all(GroupVersionResource::core("nodes")).named("n 1"), "api/v1/nodes/n%201"),
        (deployments.clone(), "apis/apps/v1/deployments"),
        (deployments.in_namespace("a").named("system:b"), "apis/apps/v1/namespaces/a/deployments/system%3Ab"),
    ] {
        let server = Scripted::new([json(200, &pod())]);
        server.block_on(server.client().get(&path, &GetOptions::default())).expect("an object");
        assert_eq!(server.lines(), [format!("GET {expected}")]);
    }
}

/// client-go: `TestInvalidSegments`, `TestRequestPreflightCheck`, `TestRequestError`, `TestRequestWithErrorWontChange`.
#[test]
fn a_part_that_would_lead_elsewhere_is_refused_before_anything_is_sent() {
    let nodes = || ResourcePath::all(GroupVersionResource::core("nodes"));
    for bad in ["", ".", "..", "a/b", "a%2bb", "..%2f..", "/"] {
        let with_bad_resource = ResourcePath::all(GroupVersionResource::new("apps", "v1", bad));
        let with_bad_version = ResourcePath::all(GroupVersionResource::new("apps", bad, "deployments"));
        let mut paths = vec![
            nodes().named(bad),
            nodes().in_namespace(bad).named("web"),
            nodes().named("n").subresource(bad),
            with_bad_resource,
            with_bad_version,
        ];
        if !bad.is_empty() {
            paths.push(ResourcePath::all(GroupVersionResource::new(bad, "v1", "pods")));
        }
        for path in paths {
            let server = Scripted::new([json(200, &pod())]);
            let client = server.client();
            let (patch, any) = (Patch::Merge(json!({})), ListOptions::default());
            let errors = [
                server.block_on(client.get(&path, &GetOptions::default())).err(),
                server.block_on(client.list(&path, &any, &|_| {})).err(),
                server.block_on(client.watch(&path, &any)).err(),
                server.block_on(client.create(&path, &object(), &CreateOptions::default())).err(),
                server.block_on(client.update(&path, &object(), &CreateOptions::default())).err(),
                server.block_on(client.patch(&path, &patch, &PatchOptions::default())).err(),
                server.block_on(client.delete(&path, &DeleteOptions::default())).err(),
                server.block_on(client.delete_collection(&path, &DeleteOptions::default(), &any)).err(),
            ];
            assert!(errors.iter().all(|error| matches!(error, Some(Error::NotSent { .. }))), "{bad:?}: {errors:?}");
            assert_eq!(server.attempts(), 0, "{bad:?}");
        }
    }
    let dots_within = nodes().named("a..b").validate();
    assert_eq!(dots_within, Ok(()));
}

/// client-go: `TestRequestVersionedParams`, `TestRequestVersionedParamsFromListOptions`, `TestUnacceptableParamNames`.
#[test]
fn options_become_the_query() {
    let server = Scripted::new([json(200, &list(&[]))]);
    let options = ListOptions {
        resource_version: "1".into(),
        timeout_seconds: Some(10),
        label_selector: "a=b,c".into(),
        ..ListOptions::default()
    };
    server.block_on(server.client().list(&pods(), &options, &|_| {})).expect("a list");
    let expected = "GET api/v1/namespaces/shop/pods?labelSelector=a%3Db%2Cc&resourceVersion=1&timeoutSeconds=10";
    assert_eq!(server.lines(), [expected]);
}

/// client-go: `TestVerbs`, `TestHTTPMethods`, `TestRequestBody`, `TestBody`, `TestDoRequestNewWay`,
/// `TestDoRequestNewWayObj`, `TestDoRequestNewWayReader`, `TestDoRequestNewWayFile`, `TestRequestDo`.
#[test]
fn each_verb_sends_its_method_its_query_and_its_body() {
    let server = Scripted::new([json(200, &pod())]);
    let (client, path) = (server.client(), pods().named("web"));
    let manager = || "me".to_owned();
    server
        .block_on(async {
            let create = CreateOptions {
                dry_run: true,
                field_manager: manager(),
                field_validation: Some(FieldValidation::Warn),
            };
            client.create(&pods(), &object(), &create).await?;
            client.update(&path, &object(), &CreateOptions { field_manager: manager(), ..Default::default() }).await?;
            client.update(&path.clone().subresource("status"), &object(), &CreateOptions::default()).await?;
            let force = PatchOptions { force: Some(true), field_manager: manager(), ..PatchOptions::default() };
            for (patch, options) in [
                (Patch::Merge(json!({ "a": null })), PatchOptions::default()),
                (Patch::Json(json!([{ "op": "remove", "path": "/a" }])), PatchOptions::default()),
                (
                    Patch::Strategic(json!({ "$patch": "replace" })),
                    PatchOptions { dry_run: true, ..Default::default() },
                ),
                (Patch::Apply(pod()), force),
            ] {
                client.patch(&path, &patch, &options).await?;
            }
            client
                .apply(&path, &object(), &ApplyOptions { field_manager: manager(), ..ApplyOptions::default() })
                .await?;
            let options = DeleteOptions {
                grace_period_seconds: Some(0),
                propagation_policy: Some(PropagationPolicy::Orphan),
                preconditions: Preconditions { uid: Some("u".into()), resource_version: None },
                dry_run: true,
            };
            client.delete(&path, &options).await?;
            let which = ListOptions { label_selector: "app=web".into(), ..ListOptions::default() };
            client.delete_collection(&pods(), &DeleteOptions::default(), &which).await?;
            Ok::<_, Error>(())
        })
        .expect("all succeed");
    let all = "api/v1/namespaces/shop/pods";
    let expected = [
        format!("POST {all}?dryRun=All&fieldManager=me&fieldValidation=Warn"),
        format!("PUT {all}/web?fieldManager=me"),
        format!("PUT {all}/web/status"),
        format!("PATCH {all}/web"),
        format!("PATCH {all}/web"),
        format!("PATCH {all}/web?dryRun=All"),
        format!("PATCH {all}/web?fieldManager=me&force=true"),
        format!("PATCH {all}/web?fieldManager=me&force=false"),
        format!("DELETE {all}/web"),
        format!("DELETE {all}?labelSelector=app%3Dweb"),
    ];
    assert_eq!(server.lines(), expected);
    let types: Vec<_> = server.requests().iter().map(|it| it.header("content-type").unwrap().to_owned()).collect();
    let patches = ["merge-patch+json", "json-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"];
    let kind = |name: &str| format!("application/{name}");
    assert_eq!(types[..3], [kind("json"), kind("json"), kind("json")]);
    assert_eq!(types[3..8], [kind(patches[0]), kind(patches[1]), kind(patches[2]), kind(patches[3]), kind(patches[3])]);
    assert_eq!(types[8..], [kind("json"), kind("json")]);
    assert_eq!([0, 1, 2, 6, 7].map(|index| server.body(index)), [pod(), pod(), pod(), pod(), pod()]);
    assert_eq!(server.body(3), json!({ "a": null }));
    let deletion = json!({ "gracePeriodSeconds": 0, "preconditions": { "uid": "u" }, "propagationPolicy": "Orphan", "dryRun": ["All"] });
    assert_eq!([server.body(8), server.body(9)], [deletion, json!({})]);
}

#[test]
fn an_apply_without_a_manager_is_not_sent() {
    let server = Scripted::new([json(200, &pod())]);
    let (client, path) = (server.client(), pods().named("web"));
    let applied = server.block_on(client.apply(&path, &object(), &ApplyOptions::default()));
    let patched = server.block_on(client.patch(&path, &Patch::Apply(pod()), &PatchOptions::default()));
    assert!(matches!((applied, patched), (Err(Error::NotSent { .. }), Err(Error::NotSent { .. }))));
    assert_eq!(server.attempts(), 0);
}

/// client-go: `TestAbsPath`, `TestRequestPreservesBaseTrailingSlash`, `TestRequestAbsPathPreservesTrailingSlash`,
/// `TestRequestAbsPathJoins`, `TestValidatesHostParameter`.
#[test]
fn a_path_of_one_s_own_stands_below_the_base_path_and_keeps_its_end() {
    for (base, path, expected) in [
        ("", "api", "api"),
        ("/", "/api/", "api/"),
        ("", "/apis", "apis"),
        ("/p1", "", "p1/"),
        ("/p1", "/", "p1/"),
        ("/p1/", "/api", "p1/api"),
        ("/p1/api/p2", "api/", "p1/api/p2/api/"),
        ("k8s/clusters/c-1", "healthz?verbose", "k8s/clusters/c-1/healthz?verbose"),
    ] {
        let server = Scripted::new([answer(200).body("ok")]);
        let client = RestClient::for_config(&server.config().with_base_path(base));
        let answer = server.block_on(client.raw(Request::get(path))).expect("an answer");
        assert_eq!((answer.status, &answer.body[..]), (200, &b"ok"[..]));
        assert_eq!(server.requests()[0].path, expected, "{base} {path}");
    }
}

/// client-go: `TestWasCreated`, `TestDoRequestSuccess`, `TestDoRequestCreated`, `TestDoRequestNotCreated`,
/// `TestDoRequestAcceptedNoContentReturned`.
#[test]
fn a_raw_answer_has_its_status_its_headers_and_its_body_whatever_it_is() {
    for (status, body) in [(200, "x"), (201, "created"), (202, ""), (204, "")] {
        let server = Scripted::new([answer(status).header("audit-id", "7").body(body)]);
        let request = Request { method: Method::Post, body: Some("sent".into()), ..Request::get("a") };
        let answer = server.block_on(server.client().raw(request)).expect("an answer");
        assert_eq!((answer.status, &answer.body[..]), (status, body.as_bytes()));
        assert_eq!(answer.headers, [("audit-id".to_owned(), "7".to_owned())]);
        assert_eq!(server.requests()[0].body.as_deref(), Some(&b"sent"[..]));
    }
    let server = Scripted::new([answer(204)]);
    let deleted = server.block_on(server.client().delete(&pods().named("web"), &DeleteOptions::default()));
    assert_eq!(deleted, Ok(()));
}

/// client-go: `TestResultIntoWithNoBodyReturnsErr`, `TestResultIntoWithErrReturnsErr`, `TestSerializer`.
#[test]
fn an_answer_that_is_no_object_is_told_with_its_address_and_without_its_query() {
    for body in ["", "<html>", "[]", "{\"kind\":"] {
        let server = Scripted::new([answer(200).body(body)]);
        let got = server.block_on(server.client().get(&pods().named("web"), &GetOptions::default()));
        let Err(Error::Undecodable { url, .. }) = got else { panic!("{body:?} is no object: {got:?}") };
        assert_eq!(url, "api/v1/namespaces/shop/pods/web");
    }
}

#[test]
fn a_list_s_items_can_be_had_one_by_one_without_the_list() {
    let item = |name: &str| json!({ "metadata": { "name": name } });
    let body = list(&[item("a"), item("b")]).to_string();
    let (first, rest) = body.split_at(body.len() - 30);
    let server = Scripted::new([answer(200).body(first.to_owned()).body(rest.to_owned())]);
    let mut names = Vec::new();
    let mut take = |object: watchglass::api::Object| names.push(object.name().to_owned());
    let listing = server.client();
    let options = ListOptions::default();
    let head = server.block_on(listing.list_items(&pods(), &options, Accept::Object, &mut take)).expect("a list");
    assert_eq!((head.kind.as_str(), head.metadata.resource_version.as_str()), ("PodList", "7"));
    assert_eq!(names, ["a", "b"]);
    let whole = server.block_on(listing.list(&pods(), &options, &|_| {})).expect("a list");
    assert!(whole.items.iter().all(|item| (item.kind(), item.api_version()) == ("Pod", "v1")));
}

#[test]
fn a_table_is_read_and_its_events_too() {
    let table = json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": { "resourceVersion": "7" },
        "columnDefinitions": [{ "name": "Name", "type": "string" }],
        "rows": [{ "cells": ["web"], "object": pod() }],
    });
    let server = Scripted::new([json(200, &table), json(200, &json!({ "type": "ADDED", "object": table }))]);
    let client = server.client();
    let options = ListOptions::default();
    let read = server.block_on(client.table(&pods(), &options, IncludeObject::None)).expect("a table");
    assert_eq!((read.column("NAME"), &read.rows[0].cells), (Some(0), &vec![Value::from("web")]));
    let accept = Accept::Table(IncludeObject::Metadata);
    let mut watch = server.block_on(client.watch_as(&pods(), &options, accept)).expect("a watch");
    let event = server.block_on(futures::StreamExt::next(&mut watch)).expect("an event").expect("it is read");
    let watchglass::api::WatchEvent::Added(object) = event else { panic!("{event:?} is not what was sent") };
    assert_eq!(watchglass::api::Table::from_object(&object).expect("a table"), read);
    assert!(watchglass::api::Table::from_object(&self::object().into()).is_err());
}
