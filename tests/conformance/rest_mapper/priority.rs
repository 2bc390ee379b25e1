use std::rc::Rc;

use watchglass::api::GroupKind;
use watchglass::rest::rest_mapper::{MultiRestMapper, PriorityRestMapper, RestMapper, RestMapperError};

use super::support::{Fixed, failure, kind, kinds, mapping, no_kind, resource, resources};

fn priority(delegate: Rc<dyn RestMapper>, patterns: &[&str]) -> PriorityRestMapper {
    PriorityRestMapper { delegate, resource_priority: resources(patterns), kind_priority: kinds(patterns) }
}

/// What is found, the patterns, and the one that is chosen.
const CASES: [(&[&str], &[&str], Option<&str>); 7] = [
    (&["//single-hit"], &[], Some("//single-hit")),
    (&["one/a/first", "two/b/second"], &[], None),
    (&["one/a/first", "two/b/second"], &["one/*/*"], Some("one/a/first")),
    (&["one/a/first", "two/b/second"], &["fail/*/*", "one/*/*"], Some("one/a/first")),
    (&["one/a/first", "two/b/second", "one/c/third"], &["one/*/*", "*/a/*"], Some("one/a/first")),
    (&["one/a/first", "one/a/second"], &["*/*/second"], Some("one/a/second")),
    (&["one/a/first", "one/a/second"], &["one/*/*", "*/a/*"], None),
];

/// apimachinery: `TestPriorityRESTMapperResourceForErrorHandling`, `TestPriorityRESTMapperKindForErrorHandling`.
#[test]
fn patterns_narrow_the_matches_down_to_one() {
    let asked = resource("//asked");
    for (found, patterns, expected) in CASES {
        let chosen = priority(Fixed::resources(found), patterns).resource_for(&asked);
        match expected {
            Some(expected) => assert_eq!(chosen, Ok(resource(expected))),
            None => assert!(chosen.is_err_and(|error| error.to_string().contains("matches multiple resources"))),
        }
        let chosen = priority(Fixed::kinds(found), patterns).kind_for(&asked);
        match expected {
            Some(expected) => assert_eq!(chosen, Ok(kind(expected))),
            None => assert!(chosen.is_err_and(|error| error.to_string().contains("matches multiple kinds"))),
        }
    }
    let fails = priority(Fixed::failing(failure()), &["*/*/*"]);
    assert_eq!((fails.resource_for(&asked), fails.kind_for(&asked)), (Err(failure()), Err(failure())));
    let all = priority(Fixed::resources(&["/a/x", "/b/x"]), &["/a/*"]);
    assert_eq!(all.resources_for(&asked), Ok(resources(&["/a/x", "/b/x"])), "plurals are not narrowed");
}

/// apimachinery: `TestPriorityRESTMapperRESTMapping`.
#[test]
fn a_mapping_is_chosen_by_the_patterns_of_kinds() {
    let foo = GroupKind::new("", "Foo");
    let multi = |mappers: Vec<Rc<dyn RestMapper>>| -> Rc<dyn RestMapper> { Rc::new(MultiRestMapper::new(mappers)) };
    let all = || multi(["/v1alpha1/Foo", "/v1/Foo", "other/v1/Foo"].map(Fixed::mapping).into());
    let ask = |delegate: Rc<dyn RestMapper>, patterns: &[&str]| priority(delegate, patterns).rest_mapping(&foo, &[]);
    assert_eq!(ask(multi(vec![]), &[]), Err(no_kind("Foo", &[])));
    assert_eq!(ask(multi(vec![Fixed::failing(no_kind("IGNORE_THIS", &[]))]), &[]), Err(no_kind("Foo", &[])));
    assert_eq!(ask(multi(vec![Fixed::failing(failure()), Fixed::mapping("/v1/Foo")]), &[]), Err(failure()));
    let kinds = kinds(&["/v1alpha1/Foo", "/v1/Foo", "other/v1/Foo"]);
    let ambiguous = RestMapperError::AmbiguousKind { kind: foo.clone(), kinds };
    let text = "Foo matches multiple kinds [/v1alpha1, Kind=Foo; /v1, Kind=Foo; other/v1, Kind=Foo]";
    assert_eq!(ambiguous.to_string(), text);
    assert_eq!(ask(all(), &[]), Err(ambiguous));
    assert_eq!(ask(Fixed::mapping("/v1alpha1/Foo"), &[]), Ok(mapping("/v1alpha1/Foo")));
    assert_eq!(ask(all(), &["/v1/*", "/v1alpha1/*"]), Ok(mapping("/v1/Foo")));
    assert_eq!(ask(all(), &["*/v1/*", "other/*/*"]), Ok(mapping("other/v1/Foo")));
}

/// apimachinery: `TestPriorityRESTMapperRESTMappingHonorsUserVersion`.
#[test]
fn a_version_that_is_asked_for_comes_before_the_patterns() {
    let all = MultiRestMapper::new(["Bar/v2alpha1/Foo", "Bar/v1/Foo"].map(Fixed::mapping).into());
    let mapper = priority(Rc::new(all), &["Bar/v2alpha1/*", "Bar/*/*"]);
    for version in ["v1", "v2alpha1"] {
        let found = mapper.rest_mapping(&GroupKind::new("Bar", "Foo"), &[version]);
        assert_eq!(found, Ok(mapping(&format!("Bar/{version}/Foo"))));
    }
}
