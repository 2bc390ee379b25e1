use watchglass::api::GroupKind;
use watchglass::rest::rest_mapper::{
    DefaultRestMapper, RestMapper as _, RestMapperError, RestScope, unsafe_guess_kind_to_resource,
};

use super::support::{kind, kinds, resource, resources, versions};

fn mapper(order: &[&str], added: &[&str]) -> DefaultRestMapper {
    let mut mapper = DefaultRestMapper::new(versions(order));
    added.iter().for_each(|added| mapper.add(&kind(added), RestScope::Namespace));
    mapper
}

/// apimachinery: `TestRESTMapperVersionAndKindForResource`, `TestRESTMapperGroupForResource`.
#[test]
fn a_kind_is_found_by_its_plural_and_its_singular_name_in_any_case() {
    for group in ["test.group", "testapi", "testapi2"] {
        let expected = kind(&format!("{group}/test/InternalObject"));
        let mut mapper = mapper(&[&format!("{group}/test")], &[]);
        mapper.add(&expected, RestScope::Namespace);
        for found in ["internalobject", "internalobjects", "internalObject"] {
            assert_eq!(mapper.kind_for(&resource(&format!("//{found}"))), Ok(expected.clone()), "{found}");
        }
        for missing in ["internalobj", "internalObj"] {
            let error = mapper.kind_for(&resource(&format!("//{missing}"))).expect_err("there is none");
            assert_eq!(error.to_string(), format!("no matches for {missing}"));
        }
    }
    let internal = mapper(&["g/v1"], &["g/v1/Thing"]).kind_for(&resource("/__internal/things"));
    assert_eq!(internal, Ok(kind("g/v1/Thing")), "the internal version is none");
}

/// Order of preference, kinds that are known, what is asked for as group and version, groups found.
type Case = (&'static [&'static str], &'static [&'static str], &'static str, &'static [&'static str]);

const CASES: [Case; 7] = [
    (
        &["first-group-1/v", "first-group/v"],
        &["first-group-1/v/my-kind", "first-group/v/my-kind"],
        "first-group/",
        &["first-group"],
    ),
    (
        &["second-group/v", "first-group/v"],
        &["first-group/v/my-kind", "second-group/v/my-kind"],
        "first/",
        &["first-group"],
    ),
    (
        &["first-group-1/v", "first-group/v"],
        &["first-group-1/v/my-kind", "first-group/v/my-kind"],
        "first/",
        &["first-group-1", "first-group"],
    ),
    (&["second-group/v", "first-group/v"], FOUR, "/", &["second-group", "first-group"]),
    (&["second-group/v", "first-group/v"], FOUR, "first-group/", &["first-group"]),
    (&["first-group/v", "second-group/v"], FOUR, "/v", &["first-group", "second-group"]),
    (&["first-group/v", "second-group/v"], FOUR, "second-group/v", &["second-group"]),
];
const FOUR: &[&str] =
    &["first-group/v/my-kind", "first-group/v/your-kind", "second-group/v/my-kind", "second-group/v/your-kind"];

/// apimachinery: `TestRESTMapperKindsFor`, `TestRESTMapperResourcesFor`.
#[test]
fn an_exact_group_wins_over_a_prefix_and_preferred_groups_come_first() {
    for (order, added, asked, groups) in CASES {
        let mapper = mapper(order, added);
        for name in ["my-kind", "my-kinds"] {
            let asked = resource(&format!("{asked}/{name}"));
            let expected: Vec<_> = groups.iter().map(|group| kind(&format!("{group}/v/my-kind"))).collect();
            assert_eq!(mapper.kinds_for(&asked).as_ref(), Ok(&expected), "{asked:?}");
            match mapper.kind_for(&asked) {
                Ok(found) => assert_eq!([found], *expected),
                Err(error) => {
                    assert!(expected.len() > 1 && error.to_string().contains(" matches multiple kinds "), "{error}");
                }
            }
            let expected: Vec<_> = groups.iter().map(|group| resource(&format!("{group}/v/my-kinds"))).collect();
            assert_eq!(mapper.resources_for(&asked).as_ref(), Ok(&expected), "{asked:?}");
            match mapper.resource_for(&asked) {
                Ok(found) => assert_eq!([found], *expected),
                Err(error) => {
                    assert!(
                        expected.len() > 1 && error.to_string().contains(" matches multiple resources "),
                        "{error}"
                    );
                }
            }
        }
    }
    let missing = mapper(&["first-group/v"], &["first-group/v/my-kind"]);
    for asked in ["first-group/w/my-kinds", "first/v/my-kinds", "other//my-kinds", "/w/my-kinds"] {
        assert!(missing.resources_for(&resource(asked)).is_err_and(|error| error.is_no_match()), "{asked}");
        assert!(missing.kinds_for(&resource(asked)).is_err_and(|error| error.is_no_match()), "{asked}");
    }
    let nothing = missing.kinds_for(&resource("first-group/v/"));
    assert!(matches!(nothing, Err(RestMapperError::NoResource { .. })));
}

/// apimachinery: `TestKindToResource`.
#[test]
fn plurals_are_guessed() {
    let cases = [
        ("Pod", "pods", "pod"),
        ("ReplicationController", "replicationcontrollers", "replicationcontroller"),
        ("ImageRepository", "imagerepositories", "imagerepository"),
        ("miss", "misses", "miss"),
        ("lowercase", "lowercases", "lowercase"),
        ("Endpoints", "endpoints", "endpoints"),
        ("", "", ""),
    ];
    for (name, plural, singular) in cases {
        let [plural, singular] = [plural, singular].map(|name| resource(&format!("g/v/{name}")));
        assert_eq!(unsafe_guess_kind_to_resource(&kind(&format!("g/v/{name}"))), (plural, singular));
    }
}

/// apimachinery: `TestRESTMapperResourceSingularizer`.
#[test]
fn a_plural_has_a_singular() {
    let cases = [
        ("Pod", "pods", "pod"),
        ("ReplicationController", "replicationcontrollers", "replicationcontroller"),
        ("ImageRepository", "imagerepositories", "imagerepository"),
        ("Status", "statuses", "status"),
        ("lowercase", "lowercases", "lowercase"),
        ("lowercases", "lowercaseses", "lowercases"),
        ("Endpoints", "endpoints", "endpoints"),
    ];
    for (kind, plural, singular) in cases {
        let mapper = mapper(&["tgroup/test"], &[&format!("tgroup/test/{kind}")]);
        assert_eq!(mapper.resource_singularizer(plural).as_deref(), Ok(singular));
        assert!(mapper.resource_for(&resource(&format!("//{plural}"))).is_ok());
    }
    assert!(mapper(&["g/v"], &["g/v/Pod"]).resource_singularizer("nodes").is_err_and(|error| error.is_no_match()));
    let mut two = DefaultRestMapper::new(versions(&["g/v", "h/v"]));
    for (group, singular) in [("g", "one"), ("h", "another")] {
        let [plural, singular] = ["things", singular].map(|name| resource(&format!("{group}/v/{name}")));
        two.add_specific(&kind(&format!("{group}/v/Thing")), plural, singular, RestScope::Root);
    }
    let error = two.resource_singularizer("things").expect_err("there are two");
    assert_eq!(error.to_string(), "there is not one singular name of things");
}

/// apimachinery: `TestRESTMapperRESTMapping`, `TestRESTMapperReportsErrorOnBadVersion`.
#[test]
fn a_kind_is_mapped_in_the_version_asked_for_or_in_a_default_one() {
    let found = |order: &[&str], name: &str, asked: &[&str]| {
        let mapper = mapper(order, &["tgroup/test/InternalObject"]);
        mapper.rest_mapping(&GroupKind::new("tgroup", name), asked).map(|mapping| (mapping.resource, mapping.kind))
    };
    let expected = Ok((resource("tgroup/test/internalobjects"), kind("tgroup/test/InternalObject")));
    assert_eq!(found(&["tgroup/test"], "InternalObject", &["test"]), expected);
    assert_eq!(found(&["tgroup/test"], "InternalObject", &[]), expected);
    assert_eq!(found(&["tgroup/test"], "InternalObject", &["", "__internal"]), expected, "those are no versions");
    assert_eq!(found(&[], "InternalObject", &["test"]), expected);
    for (order, name, asked) in [
        (&[][..], "Unknown", &[][..]),
        (&[], "InternalObject", &[]),
        (&["tgroup/test"], "Unknown", &[]),
        (&["tgroup/test"], "InternalObject", &["test3"]),
    ] {
        assert!(found(order, name, asked).is_err_and(|error| error.is_no_match()), "{order:?} {name} {asked:?}");
    }
    let text = |asked: &[&str]| found(&[], "Foo", asked).expect_err("there is none").to_string();
    assert_eq!(text(&[]), "no matches for kind \"Foo\" in group \"tgroup\"");
    assert_eq!(text(&["v1"]), "no matches for kind \"Foo\" in version \"tgroup/v1\"");
    assert_eq!(text(&["v2", "v1"]), "no matches for kind \"Foo\" in versions [\"tgroup/v1\" \"tgroup/v2\"]");
}

/// apimachinery: `TestRESTMapperRESTMappingSelectsVersion`.
#[test]
fn the_first_version_that_is_known_is_chosen() {
    let mapper =
        mapper(&["tgroup/test1", "tgroup/test2"], &["tgroup/test1/InternalObject", "tgroup/test2/OtherObject"]);
    let map =
        |name: &str, asked: &[&str]| mapper.rest_mapping(&GroupKind::new("tgroup", name), asked).map(|it| it.resource);
    assert_eq!(map("OtherObject", &[]), Ok(resource("tgroup/test2/otherobjects")));
    assert_eq!(map("InternalObject", &[]), Ok(resource("tgroup/test1/internalobjects")));
    for (name, asked) in [
        ("InternalObject", &["test2"][..]),
        ("OtherObject", &["test1"]),
        ("OtherObject", &["test3"]),
        ("OtherObject", &["test3", "test1"]),
    ] {
        assert!(map(name, asked).is_err(), "{name} {asked:?}");
    }
    assert_eq!(map("OtherObject", &["test3", "test2"]), Ok(resource("tgroup/test2/otherobjects")));
}

/// apimachinery: `TestRESTMapperRESTMappings`.
#[test]
fn without_a_version_all_default_versions_are_mapped() {
    let map = |order: &[&str], added: &[&str], name: &str, asked: &[&str]| {
        let mappings = mapper(order, added).rest_mappings(&GroupKind::new("tgroup", name), asked)?;
        Ok::<_, RestMapperError>(mappings.into_iter().map(|mapping| (mapping.resource, mapping.kind)).unzip())
    };
    let (one, two) = (["tgroup/v2/internalobjects"], ["tgroup/v1/internalobjects", "tgroup/v2/internalobjects"]);
    let (one_kind, two_kinds) =
        (["tgroup/v2/InternalObject"], ["tgroup/v1/InternalObject", "tgroup/v2/InternalObject"]);
    let expected = (resources(&one), kinds(&one_kind));
    assert_eq!(map(&["tgroup/v1"], &one_kind, "InternalObject", &["v2"]), Ok(expected.clone()));
    assert_eq!(map(&["tgroup/v1"], &one_kind, "InternalObject", &["v3", "v2"]), Ok(expected));
    let both = map(&["tgroup/v1", "tgroup/v2"], &two_kinds, "InternalObject", &[]);
    assert_eq!(both, Ok((resources(&two), kinds(&two_kinds))));
    for (order, name, asked) in [
        (&[][..], "Unknown", &[][..]),
        (&[], "InternalObject", &[]),
        (&["tgroup/v1"], "Unknown", &[]),
        (&["tgroup/v1"], "InternalObject", &["v2"]),
    ] {
        assert!(map(order, &[], name, asked).is_err(), "{order:?} {name} {asked:?}");
    }
}
