use watchglass::api::GroupKind;
use watchglass::rest::rest_mapper::RestMapperError;

use super::support::{failure, kinds, no_kind, no_resource, resource, resources};

/// apimachinery: `TestErrorMatching`.
#[test]
fn an_error_is_of_one_class() {
    let (kind, resource) = (GroupKind::new("", "Foo"), resource("g//foo"));
    let resources = resources(&["g/v1/foos", "g/v2/foos"]);
    let several = RestMapperError::AmbiguousResource { resource: resource.clone(), resources, kinds: vec![] };
    let cases = [
        (no_resource("g//foo"), true, false, "no matches for foo.g"),
        (no_resource("g/v1/foo"), true, false, "no matches for foo.g in version v1"),
        (no_kind("Foo", &[]), true, false, "no matches for kind \"Foo\" in group \"\""),
        (several, false, true, "foo.g matches multiple resources [foos.g in version v1; foos.g in version v2]"),
        (
            RestMapperError::AmbiguousKind { kind, kinds: kinds(&["a/v1/Foo"]) },
            false,
            true,
            "Foo matches multiple kinds [a/v1, Kind=Foo]",
        ),
        (RestMapperError::NoResource { resource }, false, false, "a resource must be present, got: foo.g"),
        (failure(), false, false, "fail on this"),
    ];
    for (error, is_no_match, is_ambiguous, text) in cases {
        assert_eq!((error.is_no_match(), error.is_ambiguous()), (is_no_match, is_ambiguous), "{text}");
        assert_eq!(error.to_string(), text);
    }
}
