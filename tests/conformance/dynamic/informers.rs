//! Informers over the dynamic and the metadata client.

use std::rc::Rc;

use serde_json::json;
use watchglass::api::{DeleteOptions, GroupVersionResource, ListOptions, ResourcePath};
use watchglass::cache::{FactoryOptions, ListerWatcher, ListerWatcherSource, SharedInformerFactory};
use watchglass::rest::{Accept, Config, DynamicClient, MetadataClient, ResourceListWatch};
use watchglass::testing::Sandbox;
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::objects::{self, Build as _};

use crate::recorder::Recorder;
use crate::rest::scripted::{Scripted, answer};

fn deployments() -> GroupVersionResource {
    GroupVersionResource::new("apps", "v1", "deployments")
}

/// What the handlers of an informer with these options see of one deployment that comes after the first list.
fn seen(source: impl Fn(&Config) -> Rc<dyn ListerWatcherSource>, options: FactoryOptions) -> Vec<String> {
    let sandbox = Sandbox::new();
    let server = ApiServer::new(sandbox.runtime());
    let config = Config::new(&sandbox.runtime(), server.transport());
    let factory = SharedInformerFactory::with_options(sandbox.runtime(), source(&config), options);
    let informer = factory.informer_for(&deployments());
    let recorder = Recorder::new();
    let _registration = informer.add_event_handler(Rc::clone(&recorder) as Rc<_>).expect("the informer runs");
    factory.start();
    assert_eq!(sandbox.block_on(factory.wait_for_cache_sync()).get(&deployments()), Some(&true));
    let web = objects::object("apps/v1", "Deployment", "ns-foo", "name-foo").with_label("environment", "test");
    server.seed(web).expect("the server takes it");
    sandbox.run_until_idle();
    let client = DynamicClient::for_config(&config).resource(&deployments()).namespace("ns-foo");
    sandbox.block_on(async {
        let mut changed = client.get("name-foo", &Default::default()).await.expect("it is there");
        changed.metadata.annotations.insert("changed".into(), "1".into());
        client.update(&changed, &Default::default()).await.expect("nobody was faster");
        client.delete("name-foo", &DeleteOptions::default()).await.expect("it is deleted");
    });
    sandbox.run_until_idle();
    let kind = |call: &String| call.split(' ').next().unwrap_or_default().to_owned();
    recorder.calls().iter().map(kind).collect()
}

fn dynamic(config: &Config) -> Rc<dyn ListerWatcherSource> {
    Rc::new(DynamicClient::for_config(config))
}

fn metadata(config: &Config) -> Rc<dyn ListerWatcherSource> {
    Rc::new(MetadataClient::for_config(config))
}

/// client-go: `TestDynamicSharedInformerFactory`, `TestMetadataSharedInformerFactory`.
#[test]
fn handlers_see_an_object_come_change_and_go() {
    for source in [dynamic, metadata] {
        assert_eq!(seen(source, FactoryOptions::default()), ["add", "update", "delete"]);
    }
}

/// client-go: `TestFilteredDynamicSharedInformerFactory`.
#[test]
fn handlers_see_nothing_of_other_namespaces_and_of_what_is_not_selected() {
    let tweak = |tweak: fn(&mut ListOptions)| FactoryOptions {
        namespace: Some("ns-foo".into()),
        tweak_list_options: Some(Rc::new(tweak)),
        ..FactoryOptions::default()
    };
    let namespace = |name: &str| FactoryOptions { namespace: Some(name.into()), ..FactoryOptions::default() };
    let cases = [
        (namespace("ns-bar"), false),
        (namespace("ns-foo"), true),
        (tweak(|options| options.field_selector = "metadata.name=name-bar".into()), false),
        (tweak(|options| options.field_selector = "metadata.name=name-foo".into()), true),
        (tweak(|options| options.label_selector = "environment=production".into()), false),
        (tweak(|options| options.label_selector = "environment=test".into()), true),
    ];
    for (index, (options, is_seen)) in cases.into_iter().enumerate() {
        for source in [dynamic, metadata] {
            let calls = seen(source, options.clone());
            assert_eq!(calls, if is_seen { vec!["add", "update", "delete"] } else { vec![] }, "case {index}");
        }
    }
}

/// Asks for WatchLists or does not.
struct Source {
    server: Scripted,
    accept: Accept,
    watch_list: bool,
}

impl ListerWatcherSource for Source {
    fn lister_watcher(&self, resource: &GroupVersionResource, _namespace: Option<&str>) -> Rc<dyn ListerWatcher> {
        let lister_watcher = ResourceListWatch::new(self.server.client(), ResourcePath::all(resource.clone()));
        Rc::new(lister_watcher.with_accept(self.accept).with_watch_list(self.watch_list))
    }
}

fn synced(server: &Scripted, accept: Accept, watch_list: bool) -> bool {
    let sandbox = server.sandbox();
    let source = Source { server: server.clone(), accept, watch_list };
    let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(source));
    let informer = factory.informer_for(&deployments());
    factory.start();
    sandbox.run_until_idle();
    informer.has_synced()
}

/// client-go: `TestWatchListSemanticsSimple`.
#[test]
fn a_marked_bookmark_is_all_that_a_watch_list_needs() {
    let annotations = json!({ "k8s.io/initial-events-end": "true" });
    let bookmark =
        json!({ "type": "BOOKMARK", "object": { "metadata": { "resourceVersion": "9", "annotations": annotations } } });
    for accept in [Accept::Object, Accept::Metadata] {
        let server = Scripted::new([answer(200).body(bookmark.to_string()).silent()]);
        assert!(synced(&server, accept, true));
        assert!(server.lines().iter().all(|line| line.contains("watch=true")), "{:?}", server.lines());
    }
}

/// client-go: `TestUnSupportWatchListSemantics`.
#[test]
fn who_does_not_ask_for_a_watch_list_lists() {
    let list = json!({ "kind": "DeploymentList", "metadata": { "resourceVersion": "9" }, "items": [] }).to_string();
    for accept in [Accept::Object, Accept::Metadata] {
        let server = Scripted::new([answer(200).body(list.clone()), answer(200).silent()]);
        assert!(synced(&server, accept, false));
        assert!(server.lines()[0].starts_with("GET apis/apps/v1/deployments?resourceVersion=0&limit=500"));
    }
}
