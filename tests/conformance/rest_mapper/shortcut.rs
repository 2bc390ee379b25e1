use std::cell::RefCell;
use std::rc::Rc;

use watchglass::api::{GroupKind, GroupVersionKind, GroupVersionResource};
use watchglass::rest::rest_mapper::{RestMapper, RestMapperError, RestMapping, ShortcutExpander};

use super::support::{Fixed, kind, resource, served};

/// The lists of a server: version, resources.
type Lists<'a> = &'a [(&'a str, &'a [&'a str])];

/// What a short name stands for, and the warnings.
fn expand(lists: Lists, asked: &str) -> (GroupVersionResource, Vec<String>) {
    let warnings: Rc<RefCell<Vec<String>>> = Rc::default();
    let log = warnings.clone();
    let warn = Rc::new(move |text: &str| log.borrow_mut().push(text.to_owned()));
    let expander = ShortcutExpander::new(Fixed::resources(&[]), served(lists), Some(warn));
    let found = expander.expand(&resource(asked));
    (found, warnings.take())
}

/// client-go: `TestReplaceAliases`, `TestKindFor`.
#[test]
fn a_short_name_stands_for_the_first_resource_that_claims_it() {
    let pods: Lists = &[("v1", &["pods pod"]), ("acme.com/v1", &["poddlers -pods -pod"])];
    let storage: Lists = &[("storage.k8s.io/v1", &["storageclasses -sc"])];
    let cases: [(Lists, &str, &str); 8] = [
        (&[], "//storageclasses", "//storageclasses"),
        (&[("autoscaling/v1", &["supers -hpa", "others -hpa"])], "//hpa", "autoscaling//supers"),
        (
            &[("foo/v1", &["deployments -dpl"]), ("extension/v1beta1", &["deployments -deploy"])],
            "//dpl",
            "foo//deployments",
        ),
        (pods, "//pods", "//pods"),
        (pods, "//pod", "//pod"),
        (storage, "storage.k8s.io//sc", "storage.k8s.io//storageclasses"),
        (storage, "//sc", "storage.k8s.io//storageclasses"),
        (storage, "storage/v1/sc", "storage.k8s.io/v1/storageclasses"),
    ];
    for (lists, asked, expected) in cases {
        assert_eq!(expand(lists, asked).0, resource(expected), "{asked}");
    }
    assert_eq!(expand(pods, "acme.com//pods").0, resource("acme.com//poddlers"), "in that group it is a short name");
}

/// client-go: `TestWarnAmbigious`.
#[test]
fn each_resource_that_loses_is_named_once() {
    let lower =
        |name: &str, loser: &str| format!("short name \"{name}\" could also match lower priority resource {loser}");
    let cases: [(Lists, &str, &str, Vec<String>); 6] = [
        (
            &[("autoscaling/v1", &["superhorizontalpodautoscalers -hpa", "horizontalpodautoscalers -hpa"])],
            "hpa",
            "autoscaling//superhorizontalpodautoscalers",
            vec![lower("hpa", "horizontalpodautoscalers.autoscaling")],
        ),
        (
            &[("v1", &["pods pod -po"]), ("acme.com/v1", &["poddlers -po"])],
            "po",
            "//pods",
            vec![lower("po", "poddlers.acme.com")],
        ),
        (
            &[("v1", &["pods pod -po"]), ("acme.com/v1", &["poddlers -po"]), ("acme.com/v1beta1", &["poddlers -po"])],
            "po",
            "//pods",
            vec![lower("po", "poddlers.acme.com")],
        ),
        (&[("v1", &["pods pod"]), ("acme.com/v1", &["poddlers -pods -pod"])], "pod", "//pod", vec![]),
        (
            &[("autoscaling/v1alpha1", &["hpas -hpa"]), ("autoscaling/v1", &["hpas -hpa"])],
            "hpa",
            "autoscaling//hpas",
            vec![],
        ),
        (
            &[
                ("autoscaling/v1alpha1", &["hpas -hpa"]),
                ("autoscaling/v1", &["hpas -hpa"]),
                ("foo/v1", &["foo -hpa"]),
                ("foo/v1beta1", &["foo -hpa"]),
                ("bar/v1", &["bar -hpa"]),
            ],
            "hpa",
            "autoscaling//hpas",
            vec![lower("hpa", "foo.foo"), lower("hpa", "bar.bar")],
        ),
    ];
    for (lists, asked, expected, warnings) in cases {
        assert_eq!(expand(lists, &format!("//{asked}")), (resource(expected), warnings), "{lists:?}");
    }
}

/// client-go: `TestKindFor`.
#[test]
fn every_question_about_a_resource_is_expanded() {
    /// Finds a resource by its full name only.
    struct Strict;
    impl RestMapper for Strict {
        fn kinds_for(&self, asked: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, RestMapperError> {
            assert_eq!(asked.resource, "storageclasses");
            Ok(vec![kind("storage.k8s.io/v1/StorageClass")])
        }
        fn resources_for(&self, asked: &GroupVersionResource) -> Result<Vec<GroupVersionResource>, RestMapperError> {
            assert_eq!(asked.resource, "storageclasses");
            Ok(vec![asked.clone()])
        }
        fn rest_mappings(&self, _: &GroupKind, _: &[&str]) -> Result<Vec<RestMapping>, RestMapperError> {
            Ok(vec![Default::default()])
        }
        fn rest_mapping(&self, _: &GroupKind, _: &[&str]) -> Result<RestMapping, RestMapperError> {
            Ok(Default::default())
        }
        fn resource_singularizer(&self, asked: &str) -> Result<String, RestMapperError> {
            Ok(asked.to_owned())
        }
    }
    let expander =
        ShortcutExpander::new(Rc::new(Strict), served(&[("storage.k8s.io/v1", &["storageclasses -sc"])]), None);
    let sc = resource("//sc");
    assert!(expander.kinds_for(&sc).is_ok() && expander.kind_for(&sc).is_ok());
    assert!(expander.resources_for(&sc).is_ok() && expander.resource_for(&sc).is_ok());
    assert_eq!(expander.resource_singularizer("sc").as_deref(), Ok("storageclasses"));
    let sc = GroupKind::new("", "sc");
    assert!(expander.rest_mapping(&sc, &[]).is_ok() && expander.rest_mappings(&sc, &[]).is_ok());
}
