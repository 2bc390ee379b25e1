use watchglass::api::{ApiResource, ApiResourceList, GroupVersion};
use watchglass::rest::discovery::{
    ApiResourcesOptions, ApiResourcesOutput, ServerResources, SortBy, print_api_resources, print_api_versions,
};
use watchglass::testing::Sandbox;

use super::server::{DiscoveryServer, Groups};

fn texts(words: &str) -> Vec<String> {
    words.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn resource(name: &str, kind: &str, namespaced: bool, verbs: &str, short_names: &str, categories: &str) -> ApiResource {
    let [verbs, short_names, categories] = [verbs, short_names, categories].map(texts);
    ApiResource {
        name: name.into(),
        kind: kind.into(),
        namespaced,
        verbs,
        short_names,
        categories,
        ..ApiResource::default()
    }
}

fn served() -> ServerResources {
    let core = vec![
        resource("foos", "Foo", false, "get,list", "f,fs", "some-category"),
        resource("bars", "Bar", true, "get,list,create", "", ""),
    ];
    let some = vec![
        resource("bazzes", "Baz", true, "get,list,create,delete", "b", "some-category,another-category"),
        resource("NoVerbs", "NoVerbs", true, "", "b", ""),
    ];
    let lists = [("v1", core), ("somegroup/v1", some), ("someothergroup/v1", Vec::new())];
    let resources = lists.into_iter().map(|(version, resources)| {
        let list = ApiResourceList { group_version: version.into(), resources };
        (GroupVersion::from_api_version(version), list.into())
    });
    ServerResources { resources: resources.collect(), ..ServerResources::default() }
}

/// kubectl: `TestAPIResourcesRun`.
#[test]
fn api_resources_are_printed_as_kubectl_prints_them() {
    let header = "NAME     SHORTNAMES   APIVERSION     NAMESPACED   KIND\n";
    let [bars, foos, bazzes] = [
        "bars                  v1             true         Bar\n",
        "foos     f,fs         v1             false        Foo\n",
        "bazzes   b            somegroup/v1   true         Baz\n",
    ];
    let default = ApiResourcesOptions::default;
    let cases = [
        (default(), [header, bars, foos, bazzes].concat()),
        (
            ApiResourcesOptions { no_headers: true, ..default() },
            "bars            v1             true    Bar\n\
             foos     f,fs   v1             false   Foo\n\
             bazzes   b      somegroup/v1   true    Baz\n"
                .into(),
        ),
        (ApiResourcesOptions { api_group: Some("somegroup".into()), ..default() }, [header, bazzes].concat()),
        (
            ApiResourcesOptions { output: ApiResourcesOutput::Wide, ..default() },
            "NAME     SHORTNAMES   APIVERSION     NAMESPACED   KIND   VERBS                    CATEGORIES\n\
             bars                  v1             true         Bar    get,list,create          \n\
             foos     f,fs         v1             false        Foo    get,list                 some-category\n\
             bazzes   b            somegroup/v1   true         Baz    get,list,create,delete   some-category,another-category\n"
                .into(),
        ),
        (
            ApiResourcesOptions { output: ApiResourcesOutput::Name, ..default() },
            "bars\nfoos\nbazzes.somegroup\n".into(),
        ),
        (ApiResourcesOptions { namespaced: Some(true), ..default() }, [header, bars, bazzes].concat()),
        (ApiResourcesOptions { verbs: texts("create"), ..default() }, [header, bars, bazzes].concat()),
        (ApiResourcesOptions { verbs: texts("create,delete"), ..default() }, [header, bazzes].concat()),
        (ApiResourcesOptions { sort_by: SortBy::Name, ..default() }, [header, bars, bazzes, foos].concat()),
        (ApiResourcesOptions { sort_by: SortBy::Kind, ..default() }, [header, bars, bazzes, foos].concat()),
        (
            ApiResourcesOptions { categories: texts("some-category,another-category"), ..default() },
            [header, bazzes].concat(),
        ),
    ];
    for (options, expected) in cases {
        assert_eq!(print_api_resources(&served(), &options), expected, "{options:?}");
    }
    let one_category = ApiResourcesOptions { categories: texts("some-category"), ..default() };
    assert_eq!(print_api_resources(&served(), &one_category).lines().count(), 3);
    let one_core = ApiResourcesOptions { api_group: Some(String::new()), ..default() };
    let narrow = "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\n\
                  bars                v1           true         Bar\n\
                  foos   f,fs         v1           false        Foo\n";
    assert_eq!(print_api_resources(&served(), &one_core), narrow);
    assert_eq!(print_api_resources(&ServerResources::default(), &default()), "");
}

/// kubectl: `TestAPIVersionsRun`.
#[test]
fn api_versions_are_printed_as_kubectl_prints_them() {
    let served: Groups = &[("", &[("v1", &[])]), ("b", &[("v2", &[]), ("v1", &[])]), ("a.io", &[("v1", &[])])];
    let sandbox = Sandbox::new();
    let groups =
        sandbox.block_on(DiscoveryServer::aggregated(served).client(&sandbox).server_groups()).expect("groups");
    assert_eq!(print_api_versions(&groups), "a.io/v1\nb/v1\nb/v2\nv1\n");
}
