use std::rc::Rc;
use std::sync::Arc;

use wasm_bindgen_test::wasm_bindgen_test;
use watchglass::api::Object;
use watchglass::cache::SharedInformerFactory;
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::web;
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::objects;

use crate::pods;

#[wasm_bindgen_test]
async fn an_informer_follows_the_demo_server_in_the_page() {
    let runtime = web::runtime();
    let server = ApiServer::new(runtime.clone());
    server.create(objects::namespace("shop")).expect("the server takes a namespace");
    let create = |name: &str| server.create(objects::pod("shop", name)).expect("the server takes a pod");
    create("a");
    let factory = SharedInformerFactory::new(
        runtime.clone(),
        Rc::new(RestClient::for_config(&Config::without_rate_limit(&runtime, server.transport()))),
    );
    let informer = factory.informer_for(&pods());
    factory.start();
    factory.wait_for_cache_sync().await;
    let created: Arc<Object> = create("b");
    while informer.indexer().len() < 2 {
        runtime.spawner.yield_now().await;
    }
    assert_eq!(informer.indexer().get_by_key("shop/b").as_deref(), Some(&*created));
    factory.shutdown().await;
}
