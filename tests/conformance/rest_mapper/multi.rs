use std::rc::Rc;

use watchglass::api::GroupKind;
use watchglass::rest::rest_mapper::{MultiRestMapper, RestMapper, RestMapperError};

use super::support::{Fixed, failure, kind, kinds, mapping, no_kind, no_resource, resource, resources};

fn multi(mappers: impl IntoIterator<Item = Rc<dyn RestMapper>>) -> MultiRestMapper {
    MultiRestMapper::new(mappers.into_iter().collect())
}

/// apimachinery: `TestMultiRESTMapperResourceFor`, `TestMultiRESTMapperResourcesFor`.
#[test]
fn resources_are_the_union_of_what_all_find() {
    let foo = resource("//foo");
    let ignored = || Fixed::failing(no_resource("//IGNORE_THIS"));
    for none in [multi([]), multi([ignored()])] {
        assert_eq!(none.resources_for(&foo), Err(no_resource("//foo")));
        assert_eq!(none.resource_for(&foo), Err(no_resource("//foo")));
    }
    let fails = multi([Fixed::failing(failure()), Fixed::resources(&["//unused"])]);
    assert_eq!(fails.resources_for(&foo), Err(failure()));
    assert_eq!(fails.resource_for(&foo), Err(failure()));
    let union = multi([ignored(), Fixed::resources(&["//dupe", "//first"]), Fixed::resources(&["//dupe", "//second"])]);
    assert_eq!(union.resources_for(&foo), Ok(resources(&["//dupe", "//first", "//second"])));
    assert!(union.resource_for(&foo).is_err_and(|error| error.is_ambiguous()));
    let one = multi([Fixed::resources(&["//one"]), ignored(), Fixed::resources(&["//one"])]);
    assert_eq!(one.resource_for(&foo), Ok(resource("//one")));
}

/// apimachinery: `TestMultiRESTMapperKindFor`, `TestMultiRESTMapperKindsFor`.
#[test]
fn kinds_are_the_union_of_what_all_find() {
    let foo = resource("//foo");
    let ignored = || Fixed::failing(no_resource("//IGNORE_THIS"));
    for none in [multi([]), multi([ignored()])] {
        assert_eq!(none.kinds_for(&foo), Err(no_resource("//foo")));
        assert_eq!(none.kind_for(&foo), Err(no_resource("//foo")));
    }
    let fails = multi([Fixed::failing(failure()), Fixed::kinds(&["//Unused"])]);
    assert_eq!((fails.kinds_for(&foo), fails.kind_for(&foo)), (Err(failure()), Err(failure())));
    let union = multi([ignored(), Fixed::kinds(&["//Dupe", "//First"]), Fixed::kinds(&["//Dupe", "//Second"])]);
    assert_eq!(union.kinds_for(&foo), Ok(kinds(&["//Dupe", "//First", "//Second"])));
    assert!(union.kind_for(&foo).is_err_and(|error| error.is_ambiguous()));
    assert_eq!(multi([ignored(), Fixed::kinds(&["//One"])]).kind_for(&foo), Ok(kind("//One")));
}

/// apimachinery: `TestMultiRESTMapperRESTMappings`.
#[test]
fn mappings_are_those_of_all_unless_one_fails() {
    let foo = GroupKind::new("", "Foo");
    for versions in [&[][..], &["v1beta"], &["v1beta", "v2"]] {
        let ignored = [no_kind("IGNORE_THIS", &[]), no_kind("Foo", &["v1"])].map(Fixed::failing);
        for none in [multi([]), multi(ignored)] {
            assert_eq!(none.rest_mappings(&foo, versions), Err(no_kind("Foo", versions)));
            assert_eq!(none.rest_mapping(&foo, versions), Err(no_kind("Foo", versions)));
        }
    }
    let fails = multi([Fixed::failing(failure()), Fixed::mapping("//One")]);
    assert_eq!(fails.rest_mappings(&foo, &["v1beta"]), Err(failure()));
    assert_eq!(fails.rest_mapping(&foo, &["v1beta"]), Ok(mapping("//One")), "the only one is taken nevertheless");
    assert_eq!(multi([Fixed::failing(failure())]).rest_mapping(&foo, &[]), Err(failure()));
    let both = multi([Fixed::mapping("/v1/One"), Fixed::mapping("/v2/One")]);
    assert_eq!(both.rest_mappings(&foo, &["v1beta"]), Ok(vec![mapping("/v1/One"), mapping("/v2/One")]));
    let kinds = kinds(&["/v1/One", "/v2/One"]);
    assert_eq!(both.rest_mapping(&foo, &[]), Err(RestMapperError::AmbiguousKind { kind: foo, kinds }));
}

#[test]
fn the_first_that_knows_a_singular_tells_it() {
    let mapper = multi([Fixed::failing(failure()), Fixed::resources(&[]), Fixed::failing(failure())]);
    assert_eq!(mapper.resource_singularizer("pod").as_deref(), Ok("pod"));
    assert_eq!(multi([Fixed::failing(failure())]).resource_singularizer("pod"), Err(failure()));
    assert_eq!(multi([]).resource_singularizer("pod"), Err(no_resource("//pod")));
}
