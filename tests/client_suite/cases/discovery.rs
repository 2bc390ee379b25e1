//! What the server serves, and what people call it.

use watchglass::api::{ApiResource, GroupKind, GroupVersion, GroupVersionResource};
use watchglass::rest::discovery::{CachedDiscoveryClient, DiscoveryClient};
use watchglass::rest::rest_mapper::{DeferredDiscoveryRestMapper, RestScope};
use watchglass::runtime::Request;

use super::{Context, Widgets};

/// The widgets, as soon as discovery has them: it is told of definitions in its own time.
async fn widgets_in(context: &Context, client: &DiscoveryClient, widgets: &Widgets) -> ApiResource {
    let version = GroupVersion { group: widgets.group.clone(), version: "v1".into() };
    loop {
        let served = client.server_groups_and_resources().await.expect("the server tells");
        let lists = served.resources.get(&version);
        if let Some(found) = lists.and_then(|list| list.resources.iter().find(|it| it.name == "widgets")) {
            return found.clone();
        }
        context.sleep(50).await;
    }
}

async fn knows_widgets(context: &Context, client: DiscoveryClient) {
    let widgets = Widgets::define(context).await;
    let found = widgets_in(context, &client, &widgets).await;
    assert_eq!((found.kind.as_str(), found.singular_name.as_str(), found.namespaced), ("Widget", "widget", true));
    assert_eq!((found.short_names, found.categories), (vec!["wdg".to_owned()], vec!["gadgets".to_owned()]));
    let mut verbs = found.verbs;
    verbs.sort();
    assert_eq!(verbs, ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]);
    let served = client.server_groups_and_resources().await.expect("the server tells");
    let version = GroupVersion { group: widgets.group.clone(), version: "v1".into() };
    let mut names: Vec<_> = served.resources[&version].resources.iter().map(|it| it.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["widgets", "widgets/scale", "widgets/status"]);
}

pub async fn tells_of_a_definition_at_once(context: Context) {
    knows_widgets(&context, DiscoveryClient::for_config(&context.config)).await;
}

pub async fn tells_of_a_definition_version_by_version(context: Context) {
    knows_widgets(&context, DiscoveryClient::for_config(&context.config).with_legacy()).await;
}

pub async fn knows_the_kinds_that_a_page_shows(context: Context) {
    for client in
        [DiscoveryClient::for_config(&context.config), DiscoveryClient::for_config(&context.config).with_legacy()]
    {
        let groups = client.server_groups().await.expect("the server tells");
        assert_eq!(groups[0].name, "");
        assert!(groups.iter().any(|group| group.name == "apps" && group.preferred_version.version == "v1"));
        let list = client.server_resources_for_group_version("v1").await.expect("the server tells");
        let pods = list.resources.iter().find(|it| it.name == "pods").expect("there are pods");
        assert_eq!((pods.kind.as_str(), pods.namespaced), ("Pod", true));
        assert_eq!((&pods.short_names[..], &pods.categories[..]), (&["po".to_owned()][..], &["all".to_owned()][..]));
        assert_eq!(pods.singular_name, "pod");
        assert!(list.resources.iter().any(|it| it.name == "pods/status"));
        let unknown = client.server_resources_for_group_version("none.example.com/v1").await;
        assert!(unknown.expect_err("there is none").is_not_found());
    }
}

pub async fn tells_the_version(context: Context) {
    let version = DiscoveryClient::for_config(&context.config).server_version().await.expect("the server tells");
    assert!(version.git_version.starts_with("v1."), "{version:?}");
    assert_eq!(version.major, "1");
}

pub async fn maps_what_people_call_a_resource(context: Context) {
    let discovery = CachedDiscoveryClient::new(DiscoveryClient::for_config(&context.config));
    let mapper = DeferredDiscoveryRestMapper::new(discovery).with_shortcuts(None);
    let asked = |name: &str| GroupVersionResource::new("", "", name);
    for name in ["deploy", "deployment", "deployments"] {
        let found = mapper.resource_for(&asked(name)).await.expect("it is known");
        assert_eq!(found, GroupVersionResource::new("apps", "v1", "deployments"), "{name}");
    }
    // Asked for before it is there: the mapper asks the server again for what it does not know.
    let widgets = Widgets::of(&context);
    let kind = GroupKind { group: widgets.group.clone(), kind: "Widget".into() };
    assert!(mapper.rest_mapping(&kind, &["v1"]).await.expect_err("not yet").is_no_match());
    widgets.create_definition(&context).await;
    widgets_in(&context, &DiscoveryClient::for_config(&context.config), &widgets).await;
    mapper.reset();
    let mapping = mapper.rest_mapping(&kind, &["v1"]).await.expect("it is known");
    assert_eq!((mapping.resource, mapping.scope), (widgets.resource.clone(), RestScope::Namespace));
    let in_group = GroupVersionResource::new(&widgets.group, "", "wdg");
    assert_eq!(mapper.resource_for(&in_group).await.expect("it is known"), widgets.resource);
    assert!(mapper.resource_for(&asked("gizmos")).await.expect_err("there is none").is_no_match());
}

/// What has not changed is not sent again.
pub async fn confirms_what_is_known_by_its_tag(context: Context) {
    const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    for path in ["api", "apis"] {
        loop {
            let ask = || Request::get(path.to_owned()).with_header("accept", AGGREGATED);
            let first = context.config.transport.send(ask()).await.expect("an answer");
            let tag = first.header("etag").expect("the answer has a tag").to_owned();
            let again = ask().with_header("if-none-match", tag.clone());
            let second = context.config.transport.send(again).await.expect("an answer");
            if path == "apis" && second.status == 200 {
                // Another case has just defined something.
                continue;
            }
            assert_eq!((second.status, second.header("etag")), (304, Some(tag.as_str())), "{path}");
            break;
        }
    }
}
