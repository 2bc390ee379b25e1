use std::error::Error;
use std::fmt;

use watchglass::cache::{
    DeletedObject, ExplicitKey, KeyError, ObjectName, StoreError, meta_namespace_key, meta_namespace_key_func,
    split_meta_namespace_key,
};
use watchglass::runtime::SeededRandom;

use super::super::fake_source::pod;
use super::{name_func, object};

/// client-go: `TestObjectNames`.
#[test]
fn names_are_read_as_they_were_written() {
    let random = SeededRandom::new(7);
    let letters: Vec<char> = "abcdefghi/".chars().collect();
    for _ in 0..200 {
        let text: String = (0..10).map(|_| letters[random.below(letters.len())]).collect();
        let parts: Vec<&str> = text.split('/').collect();
        let parsed = text.parse::<ObjectName>();
        let name = match (&*parts, parsed) {
            ([name], Ok(parsed)) => {
                assert_eq!(parsed.parts(), ("", *name));
                parsed
            }
            ([namespace, name], Ok(parsed)) => {
                assert_eq!(parsed.parts(), (*namespace, *name));
                parsed
            }
            (parts, Err(error)) => {
                assert!(parts.len() > 2, "{text}");
                assert_eq!(error.to_string(), format!("unexpected key format: {text:?}"));
                continue;
            }
            (_, Ok(parsed)) => panic!("{text} was read as {parsed:?}"),
        };
        assert_eq!(name.to_string(), text.strip_prefix('/').unwrap_or(&text));
        assert_eq!(split_meta_namespace_key(&text).unwrap(), name.parts());
    }
}

#[test]
fn an_objects_name_is_its_key() {
    for object in [pod("a").into(), object("node", "")] {
        let name = ObjectName::from(&object);
        assert_eq!(name.parts(), (object.namespace(), object.name()));
        assert_eq!(name.to_string(), meta_namespace_key(&object));
        assert_eq!(meta_namespace_key_func()(&object).unwrap(), name.to_string());
    }
}

#[derive(Debug, PartialEq)]
struct Cause;

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cause")
    }
}

impl Error for Cause {}

/// client-go: `TestKeyError`.
#[test]
fn a_key_error_has_its_cause_as_source_however_deep() {
    let object = pod("a");
    let plain = KeyError::new(&object.clone().into(), Cause);
    assert_eq!(plain.object, "ns/a");
    assert_eq!(plain.to_string(), "couldn't create key for object ns/a: the cause");
    assert_eq!(plain.source().unwrap().downcast_ref(), Some(&Cause));
    let nested = StoreError::from(KeyError::new(&object.into(), plain));
    let sources = std::iter::successors(nested.source(), |&error| error.source());
    assert!(sources.last().unwrap().is::<Cause>());
}

/// client-go: `TestDeletionHandlingObjectToName`, `TestDeletedObjectGetObjectName`, `TestDeletedObjectGetKey`,
/// `TestTypedResourceEventHandlerAdapter`.
#[test]
fn a_tombstone_is_named_by_its_key_and_any_other_by_its_object() {
    let key_func = name_func();
    let known = DeletedObject::from(watchglass::api::Object::from(pod("a")));
    let tombstone = |key: &str| DeletedObject::FinalStateUnknown { key: key.into(), object: Some(object("stale", "")) };
    let cases = [
        (known, "ns", "a", "ns/a", "a"),
        (DeletedObject::from(object("node", "")), "", "node", "node", "node"),
        (tombstone("ns/b"), "ns", "b", "ns/b", "ns/b"),
        (tombstone("node"), "", "node", "node", "node"),
        (tombstone("a/b/c"), "a", "b/c", "a/b/c", "a/b/c"),
        (ExplicitKey("ns/c".into()).into(), "ns", "c", "ns/c", "ns/c"),
    ];
    for (deleted, namespace, name, key, own_key) in cases {
        assert_eq!((deleted.namespace(), deleted.name()), (namespace, name));
        assert_eq!(deleted.object_name(), ObjectName { namespace: namespace.into(), name: name.into() });
        assert_eq!(deleted.key(), key);
        assert_eq!(deleted.key_by(&key_func).unwrap(), own_key);
    }
    assert!(DeletedObject::from(object("", "")).key_by(&key_func).is_err());
}

#[test]
fn a_tombstone_has_no_final_state_though_it_may_have_an_object() {
    let known = DeletedObject::from(object("a", ""));
    assert_eq!(known.object(), Some(&object("a", "")));
    assert_eq!(known.into_final_state(), Some(object("a", "")));
    let stale = DeletedObject::FinalStateUnknown { key: "a".into(), object: Some(object("a", "")) };
    assert_eq!(stale.object(), Some(&object("a", "")));
    assert_eq!(stale.into_final_state(), None);
    assert_eq!(DeletedObject::from(ExplicitKey("a".into())).object(), None);
}
