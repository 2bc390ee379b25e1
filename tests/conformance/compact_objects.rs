//! Objects are kept as differences from one another, and nobody who reads them can tell.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use watchglass::api::{Manifest, Object, ValueRef};
use watchglass::rest::decode::ListDecoder;
use watchglass::testing::objects;

/// Texts that are kept in all ways there are: as they are, as digits, as UUIDs, by what they share with others.
fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z]{0,3}",
        "[0-9a-f]{8,40}",
        "[0-9a-fA-F]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}",
        "2026-11-29T1[0-9]:00:0[0-9]Z",
        "20(16-12-31T23:59:60|26-02-30T10:00:00|26-02-28T24:00:00)Z",
        "kube-api-access-[a-z]{5}",
        "(é|ü|🦀|a){0,9}",
        "[a-z]{130,200}",
    ]
    .prop_map(Value::from)
}

fn value() -> impl Strategy<Value = Value> {
    // As its text is read: the last digit of a fraction may get lost between the two.
    let fraction = (-1e9..1e9).prop_map(|it: f64| serde_json::from_str(&it.to_string()).expect("it is a number"));
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        fraction,
        (0..3).prop_map(Value::from),
    ];
    let leaf = prop_oneof![4 => text(), 2 => number, 1 => any::<bool>().prop_map(Value::from), 1 => Just(Value::Null)];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-d]{1,2}|name|kind|namespace", inner, 0..5)
                .prop_map(|map| Value::from(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    let texts = || prop::collection::btree_map("[a-c]", text(), 0..3);
    let owner = prop::option::of("[ab]{1}");
    ("[a-z]{1,3}", texts(), texts(), owner, value(), value()).prop_map(
        |(name, labels, annotations, owner, spec, status)| {
            let owners: Vec<_> = owner.iter().map(|uid| json!({ "uid": uid, "name": "o" })).collect();
            json!({
                "apiVersion": "v1", "kind": "Thing",
                "metadata": {
                    "name": name, "labels": labels, "annotations": annotations, "ownerReferences": owners,
                    "uid": "0b7b1c9e-4c0d-4f7c-8f0e-000000000000",
                },
                "spec": spec, "status": status,
            })
        },
    )
}

/// What a list of these values comes to, whatever was read before.
fn decoded(values: &[Value]) -> Vec<Object> {
    let list = json!({ "apiVersion": "v1", "kind": "ThingList", "metadata": {}, "items": values }).to_string();
    let (mut decoder, mut objects) = (ListDecoder::default(), Vec::new());
    decoder.push(list.as_bytes(), &mut |object| objects.push(object)).expect("it is a list");
    objects
}

/// Every value of a tree, asked for by its path.
fn reads_as(read: ValueRef<'_>, value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.len() == read.entries().count()
                && map.iter().all(|(key, value)| read.get(key).is_some_and(|read| reads_as(read, value)))
        }
        Value::Array(items) => {
            items.len() == read.items().count() && read.items().zip(items).all(|(read, value)| reads_as(read, value))
        }
        Value::String(text) => read.as_str().is_some_and(|read| read == *text),
        Value::Number(number) => read.as_i64() == number.as_i64() && read.to_value() == *value,
        Value::Bool(is) => read.as_bool() == Some(*is),
        Value::Null => read.is_null(),
    }
}

proptest! {
    #[test]
    fn whatever_objects_have_in_common_each_is_read_as_it_was_sent(values in prop::collection::vec(object(), 1..8)) {
        for (object, value) in decoded(&values).iter().zip(&values) {
            prop_assert_eq!(&object.to_value(), value);
            prop_assert_eq!(&serde_json::to_value(object).unwrap(), value);
            prop_assert!(reads_as(object.get(&[]).unwrap(), value));
            prop_assert_eq!(object.name(), value["metadata"]["name"].as_str().unwrap());
        }
    }

    #[test]
    fn an_object_equals_another_one_that_says_the_same(values in prop::collection::vec(object(), 1..6)) {
        let (forward, mut backward) = (decoded(&values), decoded(&values.iter().rev().cloned().collect::<Vec<_>>()));
        backward.reverse();
        prop_assert_eq!(&forward, &backward, "however each is described");
        for (one, said) in forward.iter().zip(&values) {
            for (other, says) in backward.iter().zip(&values) {
                prop_assert_eq!(one == other, said == says);
            }
            let alone: Object = serde_json::from_value(said.clone()).unwrap();
            prop_assert_eq!(&alone, one);
        }
    }
}

fn pods(count: usize) -> Vec<Value> {
    let pod = |number: usize| {
        let mut pod = objects::realistic_pod("shop", &format!("web-{number}"));
        pod.metadata.resource_version = number.to_string();
        pod.metadata.uid = format!("{number:08x}-0000-4000-8000-{number:012x}");
        serde_json::to_value(pod).expect("a pod is JSON")
    };
    (0..count).map(pod).collect()
}

#[test]
fn a_pod_like_others_takes_a_fraction_of_its_text() {
    let values = pods(100);
    let objects = decoded(&values);
    let text: usize = values.iter().map(|value| value.to_string().len()).sum();
    let kept: usize = objects.iter().map(Object::size).sum();
    assert!(kept * 10 < text, "{} bytes of {} each", kept / 100, text / 100);
}

#[test]
fn an_edited_object_is_described_as_before_and_the_first_one_is_what_it_was() {
    let objects = decoded(&pods(50));
    let edit = |manifest: &mut Manifest| {
        manifest.metadata.labels.insert("tier".into(), "front".into());
        Ok::<_, serde_json::Error>(())
    };
    let edited = objects[40].edit(edit).unwrap();
    assert_eq!((edited.label("tier").as_deref(), objects[40].label("tier")), (Some("front"), None));
    assert!(edited.size() < objects[40].size() + 40, "{} and {}", edited.size(), objects[40].size());
    let mut back = edited.to_manifest().unwrap();
    back.metadata.labels.remove("tier");
    assert_eq!(Object::from(back), objects[40]);
}

#[test]
fn who_changed_an_object_is_kept_and_what_they_changed_is_not() {
    let manager = json!({ "manager": "kubelet", "operation": "Update", "subresource": "status", "apiVersion": "v1",
        "fieldsType": "FieldsV1", "time": "2026-11-29T10:00:00Z", "fieldsV1": { "f:status": {} } });
    let value = json!({ "metadata": { "name": "a", "managedFields": [manager] } });
    let object = &decoded(&[value])[0];
    let managed_by = &object.to_manifest().unwrap().metadata.managed_by[0];
    assert_eq!((managed_by.manager.as_str(), managed_by.subresource.as_str()), ("kubelet", "status"));
    assert_eq!(managed_by.time.unwrap().to_string(), "2026-11-29T10:00:00Z");
    assert!(!format!("{object:?}{}", serde_json::to_string(object).unwrap()).contains("managedFields"));
}

#[test]
fn metadata_that_are_not_as_the_api_has_them_are_refused() {
    for metadata in [
        json!("text"),
        json!({ "name": 7 }),
        json!({ "labels": ["a"] }),
        json!({ "annotations": { "a": 1 } }),
        json!({ "resourceVersion": 7 }),
        json!({ "creationTimestamp": "yesterday" }),
        json!({ "deletionTimestamp": 7 }),
    ] {
        assert!(serde_json::from_value::<Object>(json!({ "metadata": metadata })).is_err(), "{metadata}");
    }
    for metadata in [json!(null), json!({ "name": null, "labels": null, "annotations": { "a": null } })] {
        assert!(serde_json::from_value::<Object>(json!({ "metadata": metadata })).is_ok(), "{metadata}");
    }
}
