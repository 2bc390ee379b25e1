//! The browser's ports and the core over them, in a real browser.
#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::{Either, FutureExt as _, LocalBoxFuture, select};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use watchglass::api::{Error, GroupVersionResource, Object, ResourcePath};
use watchglass::cache::SharedInformerFactory;
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::web::{self, FetchTransport, LocalStorage};
use watchglass::runtime::{Request, Response, Storage as _, Transport, TransportError};
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::objects;

wasm_bindgen_test_configure!(run_in_browser);

fn pods() -> GroupVersionResource {
    GroupVersionResource::core("pods")
}

fn client(transport: impl Transport + 'static) -> RestClient {
    RestClient::for_config(&Config::without_rate_limit(&web::runtime(), Rc::new(transport)))
}

#[wasm_bindgen_test]
async fn the_clock_waits_at_least_as_long_as_asked() {
    let runtime = web::runtime();
    let start = runtime.now();
    runtime.sleep(Duration::from_millis(20)).await;
    assert!(runtime.now().since(start) >= Duration::from_millis(20));
    runtime.clock.sleep_until(start).await;
}

/// kube-rs/kube#1772: `setTimeout` takes no more than 24.8 days, and fires at once when it is given more.
#[wasm_bindgen_test]
async fn a_wait_of_a_month_does_not_end_at_once() {
    let runtime = web::runtime();
    let (month, soon) = (runtime.sleep(Duration::from_secs(30 * 24 * 3600)), runtime.sleep(Duration::from_millis(50)));
    assert!(matches!(select(month, soon).await, Either::Right(_)));
}

#[wasm_bindgen_test]
async fn a_task_runs_until_it_is_dropped_and_yields_to_the_page() {
    let runtime = web::runtime();
    let turns = Rc::new(RefCell::new(0));
    let (counted, spawner) = (turns.clone(), runtime.spawner.clone());
    let task = runtime.spawn(async move {
        loop {
            *counted.borrow_mut() += 1;
            spawner.yield_now().await;
        }
    });
    while *turns.borrow() < 3 {
        runtime.spawner.yield_now().await;
    }
    drop(task);
    let at_the_end = *turns.borrow();
    for _ in 0..5 {
        runtime.spawner.yield_now().await;
    }
    assert!(*turns.borrow() <= at_the_end + 1);
}

#[wasm_bindgen_test]
fn what_is_stored_is_read_again() {
    LocalStorage.set("watchglass.test", "dark");
    assert_eq!(LocalStorage.get("watchglass.test").as_deref(), Some("dark"));
    assert_eq!(LocalStorage.get("watchglass.absent"), None);
}

#[wasm_bindgen_test]
async fn a_page_instead_of_json_is_an_error_that_shows_its_beginning() {
    // The test's own page.
    let client = client(OnePage(FetchTransport::new("")));
    let error = client.list(&ResourcePath::all(pods()), &Default::default(), &|_| {}).await.unwrap_err();
    let Error::Undecodable { reason, .. } = error else { panic!("{error:?}") };
    assert!(reason.starts_with("expected JSON, got: <"), "{reason}");
}

/// Sends every request to the address of the page itself.
struct OnePage(FetchTransport);

impl Transport for OnePage {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        self.0.send(Request { path: "./".into(), ..request })
    }
}

/// Case 15 of the browser test list: a browser says no more than that it failed.
#[wasm_bindgen_test]
async fn a_refused_connection_is_unreachable() {
    // Port 9 is "discard", which nothing serves; browsers refuse it too.
    let client = client(FetchTransport::new("http://127.0.0.1:9/"));
    let error = client.version().await.unwrap_err();
    assert!(error.is_unreachable(), "{error:?}");
}

/// Cases 13 and 14 of the browser test list.
#[wasm_bindgen_test]
async fn dropping_a_request_or_its_body_aborts_it() {
    let transport = FetchTransport::new("");
    let request = Request { path: "./".into(), ..Request::default() };
    drop(transport.send(request.clone()));
    assert!(transport.send(request.clone()).now_or_never().is_none(), "sent, and dropped before the head");
    let mut response = transport.send(request).await.expect("the test's page is served");
    assert_eq!(response.status, 200);
    assert!(response.body.next().await.is_some());
    drop(response);
}

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
