//! What the dynamic client sends, and what it makes of the answers.

use futures::StreamExt as _;
use serde_json::{Value, json};
use watchglass::api::{
    ApplyOptions, CreateOptions, DeleteOptions, Error, FieldValidation, GetOptions, GroupVersionResource, ListOptions,
    Manifest, Patch, PatchOptions, Preconditions, PropagationPolicy, WatchEvent,
};
use watchglass::cache::{ListerWatcher, ListerWatcherSource};
use watchglass::rest::{DynamicClient, DynamicResource, ResourceListWatch};
use watchglass::runtime::Request;

use crate::rest::scripted::{Scripted, answer, json};

fn flips() -> GroupVersionResource {
    GroupVersionResource::new("flops", "v1alpha1", "flips")
}

fn flip(name: &str) -> Value {
    json!({ "apiVersion": "flops/v1alpha1", "kind": "Flip", "metadata": { "name": name }, "spec": { "n": 1 } })
}

fn object(value: Value) -> Manifest {
    serde_json::from_value(value).expect("it is an object")
}

/// In all namespaces and in one, with the part of the path that this makes.
fn scopes(server: &Scripted) -> [(DynamicResource, &'static str); 2] {
    let all = DynamicClient::for_config(&server.config()).resource(&flips());
    [(all.clone().namespace(""), ""), (all.namespace("mops"), "namespaces/mops/")]
}

const BASE: &str = "apis/flops/v1alpha1/";

/// client-go: `TestGet`.
#[test]
fn an_object_is_read_whatever_it_is() {
    let list = json!({ "apiVersion": "flops/v1alpha1", "kind": "FlipList", "metadata": {}, "items": [flip("a")] });
    for body in [flip("mips"), list] {
        let server = Scripted::new([json(200, &body)]);
        for (flips, scope) in scopes(&server) {
            for (flips, below) in [(flips.clone(), ""), (flips.subresource("fin"), "/fin")] {
                let got = server.block_on(flips.get("mips", &GetOptions::default())).expect("an object");
                assert_eq!(serde_json::to_value(&got).unwrap(), body);
                assert_eq!(server.lines().last().unwrap(), &format!("GET {BASE}{scope}flips/mips{below}"));
            }
        }
    }
}

/// client-go: `TestList`.
#[test]
fn a_list_s_items_have_a_kind_even_if_only_the_list_has_one() {
    let mut bare = flip("b");
    bare.as_object_mut().unwrap().retain(|name, _| name != "kind" && name != "apiVersion");
    let list = json!({ "apiVersion": "flops/v1alpha1", "kind": "FlipList", "items": [flip("a"), bare] });
    let server = Scripted::new([json(200, &list)]);
    for (flips, scope) in scopes(&server) {
        let got = server.block_on(flips.list(&ListOptions::default())).expect("a list");
        let items: Vec<_> = got.items.iter().map(|item| serde_json::to_value(item).unwrap()).collect();
        assert_eq!((got.kind.as_str(), items), ("FlipList", vec![flip("a"), flip("b")]));
        assert_eq!(server.lines().last().unwrap(), &format!("GET {BASE}{scope}flips"));
    }
}

/// client-go: `TestDelete`, `TestDeleteCollection`.
#[test]
fn deletions_carry_their_options_as_a_body() {
    let success = json!({ "kind": "Status", "apiVersion": "v1", "status": "Success" });
    let server = Scripted::new([json(200, &success)]);
    let options = DeleteOptions {
        preconditions: Preconditions { uid: Some("uid".into()), resource_version: None },
        propagation_policy: Some(PropagationPolicy::Background),
        ..DeleteOptions::default()
    };
    let sent = json!({ "preconditions": { "uid": "uid" }, "propagationPolicy": "Background" });
    let which = ListOptions { resource_version: "42".into(), ..ListOptions::default() };
    for (flips, scope) in scopes(&server) {
        server.block_on(flips.delete("mips", &options)).expect("it is deleted");
        server.block_on(flips.clone().subresource("fin").delete("mips", &DeleteOptions::default())).expect("it is");
        server.block_on(flips.delete_collection(&options, &which)).expect("they are deleted");
        let expected = [
            format!("DELETE {BASE}{scope}flips/mips"),
            format!("DELETE {BASE}{scope}flips/mips/fin"),
            format!("DELETE {BASE}{scope}flips?resourceVersion=42"),
        ];
        let last = server.attempts() - 3;
        assert_eq!(server.lines()[last..], expected);
        assert_eq!([0, 1, 2].map(|index| server.body(last + index)), [sent.clone(), json!({}), sent.clone()]);
        assert!(server.requests().iter().all(|it| it.header("content-type") == Some("application/json")));
    }
}

/// client-go: `TestCreate`, `TestUpdate`.
#[test]
fn an_object_is_written_under_its_own_name() {
    let server = Scripted::new([json(200, &flip("mips"))]);
    let (mips, options) = (object(flip("mips")), CreateOptions::default());
    for (flips, scope) in scopes(&server) {
        let below = flips.clone().subresource("fin");
        for written in [
            server.block_on(flips.create(&mips, &options)),
            server.block_on(below.create(&mips, &options)),
            server.block_on(flips.update(&mips, &options)),
            server.block_on(below.update(&mips, &options)),
            server.block_on(flips.update_status(&mips, &options)),
        ] {
            assert_eq!(written.expect("it is written"), mips);
        }
        let expected = [
            format!("POST {BASE}{scope}flips"),
            format!("POST {BASE}{scope}flips/mips/fin"),
            format!("PUT {BASE}{scope}flips/mips"),
            format!("PUT {BASE}{scope}flips/mips/fin"),
            format!("PUT {BASE}{scope}flips/mips/status"),
        ];
        let last = server.attempts() - 5;
        assert_eq!(server.lines()[last..], expected);
        assert!((last..last + 5).all(|index| server.body(index) == flip("mips")));
    }
}

/// client-go: `TestWatch`.
#[test]
fn a_watch_gives_what_happens() {
    let event = |kind: &str| json!({ "type": kind, "object": flip("mips") }).to_string();
    let body = ["ADDED", "MODIFIED", "DELETED"].map(event).concat();
    let server = Scripted::new([answer(200).body(body)]);
    let mips = watchglass::api::Object::from(object(flip("mips")));
    for (flips, scope) in scopes(&server) {
        let options = ListOptions { resource_version: "42".into(), ..ListOptions::default() };
        let events: Vec<_> = server.block_on(async { flips.watch(&options).await.expect("a watch").collect().await });
        let expected =
            [WatchEvent::Added(mips.clone()), WatchEvent::Modified(mips.clone()), WatchEvent::Deleted(mips.clone())];
        assert_eq!(events, expected.map(Ok));
        let line = format!("GET {BASE}{scope}flips?watch=true&resourceVersion=42");
        assert_eq!(server.lines().last().unwrap(), &line);
    }
}

/// client-go: `TestPatch`.
#[test]
fn a_patch_is_sent_as_what_it_is() {
    let server = Scripted::new([json(200, &flip("mips"))]);
    for (flips, scope) in scopes(&server) {
        let patch = Patch::Strategic(json!({ "foo": "bar" }));
        let options = PatchOptions { field_manager: "baz".into(), ..PatchOptions::default() };
        let below = flips.clone().subresource("fin");
        assert_eq!(server.block_on(flips.patch("mips", &patch, &options)).map(|it| it.kind), Ok("Flip".into()));
        server.block_on(below.patch("mips", &patch, &options)).expect("it is patched");
        let line = format!("PATCH {BASE}{scope}flips/mips/fin?fieldManager=baz");
        assert_eq!(server.lines().last().unwrap(), &line);
        let request = server.requests().pop().unwrap();
        assert_eq!(request.header("content-type"), Some("application/strategic-merge-patch+json"));
        assert_eq!(request.body.as_deref(), Some(&br#"{"foo":"bar"}"#[..]));
    }
}

/// client-go: `TestInvalidSegments`.
#[test]
fn names_that_lead_elsewhere_are_refused_before_anything_is_sent() {
    let server = Scripted::new([json(200, &flip("mips"))]);
    let client = DynamicClient::for_config(&server.config()).resource(&flips());
    let apply = ApplyOptions { field_manager: "me".into(), ..ApplyOptions::default() };
    let (any, all) = (GetOptions::default(), ListOptions::default());
    let (create, delete) = (CreateOptions::default(), DeleteOptions::default());
    for bad in ["bad/name", "..", ".", "%2f", ""] {
        let named = object(flip(bad));
        let mut errors = vec![
            server.block_on(client.update(&named, &create)).err(),
            server.block_on(client.update_status(&named, &create)).err(),
            server.block_on(client.clone().subresource("fin").create(&named, &create)).err(),
            server.block_on(client.delete(bad, &delete)).err(),
            server.block_on(client.get(bad, &any)).err(),
            server.block_on(client.patch(bad, &Patch::Merge(json!({})), &PatchOptions::default())).err(),
            server.block_on(client.apply(bad, &named, &apply)).err(),
            server.block_on(client.apply_status(bad, &named, &apply)).err(),
        ];
        if !bad.is_empty() {
            let elsewhere = client.clone().namespace(bad);
            errors.push(server.block_on(elsewhere.create(&object(flip("good")), &create)).err());
            errors.push(server.block_on(elsewhere.delete_collection(&delete, &all)).err());
            errors.push(server.block_on(elsewhere.list(&all)).err());
            errors.push(server.block_on(elsewhere.watch(&all)).err());
        }
        assert!(errors.iter().all(|error| matches!(error, Some(Error::NotSent { .. }))), "{bad:?}: {errors:?}");
    }
    assert_eq!(server.attempts(), 0);
}

/// client-go: `TestDoesClientSupportWatchListSemantics`. Here it is asked for, because browsers cannot read such streams.
#[test]
fn a_lister_watcher_asks_for_watch_lists_when_it_is_told_to() {
    let server = Scripted::new([]);
    let source = DynamicClient::for_config(&server.config()).lister_watcher(&flips(), None);
    assert!(!source.supports_watch_list());
    let path = watchglass::api::ResourcePath::all(flips());
    assert!(ResourceListWatch::new(server.client(), path).with_watch_list(true).supports_watch_list());
}

/// All of a request but what differs by host.
fn written(request: &Request) -> String {
    let mut text = format!("{} /{}\n", request.method.as_str(), request.path);
    for (name, value) in &request.headers {
        text += &format!("{name}: {value}\n");
    }
    text + std::str::from_utf8(request.body.as_deref().unwrap_or_default()).expect("it is text")
}

/// client-go: `TestGoldenRequest`, `TestGoldenResponse`.
#[test]
fn what_is_sent_stays_the_same_byte_by_byte() {
    let server = Scripted::new([json(200, &flip("mips"))]);
    let flips = DynamicClient::for_config(&server.config()).resource(&flips()).namespace("mops");
    let fin = flips.clone().subresource("fin");
    let mips = object(json!({ "metadata": { "name": "mips" } }));
    let warn = CreateOptions { field_validation: Some(FieldValidation::Warn), ..CreateOptions::default() };
    let dry = DeleteOptions { dry_run: true, ..DeleteOptions::default() };
    let at_42 = ListOptions { resource_version: "42".into(), ..ListOptions::default() };
    let force = ApplyOptions { force: true, field_manager: "baz".into(), ..ApplyOptions::default() };
    server
        .block_on(async {
            let answers = [
                fin.create(&mips, &warn).await?,
                fin.update(&mips, &warn).await?,
                flips.update_status(&mips, &warn).await?,
                fin.get("mips", &GetOptions { resource_version: "42".into() }).await?,
                fin.apply("mips", &mips, &force).await?,
                flips.apply_status("mips", &mips, &force).await?,
            ];
            assert!(answers.iter().all(|answer| serde_json::to_value(answer).unwrap() == flip("mips")));
            fin.delete("mips", &dry).await?;
            flips.delete_collection(&dry, &at_42).await?;
            drop(flips.watch(&at_42).await?);
            Ok::<_, Error>(())
        })
        .expect("all succeed");
    let read = "accept: application/json\n";
    let write = "accept: application/json\ncontent-type: application/json\n";
    let apply = "accept: application/json\ncontent-type: application/apply-patch+yaml\n";
    let (all, body) = ("/apis/flops/v1alpha1/namespaces/mops/flips", r#"{"metadata":{"name":"mips"}}"#);
    let expected = [
        format!("POST {all}/mips/fin?fieldValidation=Warn&pretty=false\n{write}{body}"),
        format!("PUT {all}/mips/fin?fieldValidation=Warn&pretty=false\n{write}{body}"),
        format!("PUT {all}/mips/status?fieldValidation=Warn&pretty=false\n{write}{body}"),
        format!("GET {all}/mips/fin?resourceVersion=42&pretty=false\n{read}"),
        format!("PATCH {all}/mips/fin?fieldManager=baz&force=true&pretty=false\n{apply}{body}"),
        format!("PATCH {all}/mips/status?fieldManager=baz&force=true&pretty=false\n{apply}{body}"),
        format!("DELETE {all}/mips/fin?pretty=false\n{write}{}", r#"{"dryRun":["All"]}"#),
        format!("DELETE {all}?resourceVersion=42&pretty=false\n{write}{}", r#"{"dryRun":["All"]}"#),
        format!("GET {all}?watch=true&resourceVersion=42&pretty=false\n{read}"),
    ];
    let got: Vec<_> = server.requests().iter().map(written).collect();
    assert_eq!(got, expected);
}
