//! Informers whose objects are read by their type.

use std::rc::Rc;

use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::json;
use watchglass::api::LabelSelector;
use watchglass::cache::SharedInformerFactory;
use watchglass::rest::clientset::{Kind as _, TypedInformer};
use watchglass::rest::{Config, RestClient};
use watchglass::testing::Sandbox;
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::objects::{self, Build as _};

fn world() -> (Sandbox, ApiServer, SharedInformerFactory) {
    let sandbox = Sandbox::new();
    let server = ApiServer::new(sandbox.runtime());
    for (namespace, name) in [("shop", "a"), ("shop", "b"), ("other", "c")] {
        server.seed(objects::pod(namespace, name).with_label("app", name)).expect("the server takes it");
    }
    let client = RestClient::for_config(&Config::new(&sandbox.runtime(), server.transport()));
    let factory = SharedInformerFactory::new(sandbox.runtime(), Rc::new(client));
    (sandbox, server, factory)
}

fn names(pods: &[Pod]) -> Vec<&str> {
    let mut names: Vec<_> = pods.iter().filter_map(|pod| pod.metadata.name.as_deref()).collect();
    names.sort_unstable();
    names
}

#[test]
fn typed_listers_read_the_one_store_of_the_factory_s_informer() {
    let (sandbox, _server, factory) = world();
    let pods = TypedInformer::<Pod>::of(&factory);
    factory.start();
    sandbox.block_on(factory.wait_for_cache_sync());
    let all = LabelSelector::everything();
    let lister = pods.lister();
    assert_eq!(names(&lister.list(&all).expect("they are pods")), ["a", "b", "c"]);
    assert_eq!(names(&lister.by_namespace("shop").list(&all).expect("they are pods")), ["a", "b"]);
    let only_b = "app=b".parse().expect("a selector");
    assert_eq!(names(&lister.list(&only_b).expect("they are pods")), ["b"]);
    assert_eq!(lister.get("shop/a"), lister.by_namespace("shop").get("a"));
    assert!(lister.by_namespace("other").get("a").expect_err("it is elsewhere").is_not_found());
    assert_eq!(pods.informer().indexer().list().len(), 3);
    assert_eq!(factory.informer_for(&Pod::resource()).indexer().list().len(), 3, "it is the same informer");
    assert_eq!(TypedInformer::<Node>::of(&factory).lister().list(&all), Ok(vec![]));
}

#[test]
fn an_object_that_does_not_fit_its_type_is_told_and_does_no_harm_to_the_others() {
    let (sandbox, server, factory) = world();
    let odd = objects::pod("shop", "odd").with_field("spec", json!({ "containers": 7 }));
    server.seed(odd).expect("the server takes it");
    let pods = TypedInformer::<Pod>::of(&factory);
    factory.start();
    sandbox.block_on(factory.wait_for_cache_sync());
    let error = pods.lister().list(&LabelSelector::everything()).expect_err("one is no pod");
    assert!(error.to_string().contains("pods shop/odd"), "{error}");
    assert!(pods.lister().get("shop/a").is_ok());
}
