use std::rc::Rc;

use futures::StreamExt as _;
use futures::future::{FutureExt as _, LocalBoxFuture};
use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;
use watchglass::api::{Error, ResourcePath};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::web::{self, FetchTransport};
use watchglass::runtime::{Request, Response, Traffic, Transport, TransportError};

use crate::pods;

fn client(transport: impl Transport + 'static) -> RestClient {
    RestClient::for_config(&Config::without_rate_limit(&web::runtime(), Rc::new(transport)))
}

#[wasm_bindgen_test]
async fn a_page_instead_of_json_is_an_error_that_shows_its_beginning() {
    // The test's own page.
    let client = client(OnePage(FetchTransport::new(&web::runtime(), "")));
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
    let client = client(FetchTransport::new(&web::runtime(), "http://127.0.0.1:9/"));
    let error = client.version().await.unwrap_err();
    assert!(error.is_unreachable(), "{error:?}");
}

/// Cases 13 and 14 of the browser test list.
#[wasm_bindgen_test]
async fn dropping_a_request_or_its_body_aborts_it() {
    let transport = FetchTransport::new(&web::runtime(), "");
    let request = Request { path: "./".into(), ..Request::default() };
    drop(transport.send(request.clone()));
    assert!(transport.send(request.clone()).now_or_never().is_none(), "sent, and dropped before the head");
    let mut response = transport.send(request).await.expect("the test's page is served");
    assert_eq!(response.status, 200);
    assert!(response.body.next().await.is_some());
    drop(response);
}

/// Not every browser has readers that fill a buffer, and a watch is read without one everywhere.
#[wasm_bindgen_test]
async fn a_body_is_the_same_whichever_way_the_browser_lets_it_be_read() {
    let text = "0123456789".repeat(30_000);
    let (page, readers) = (js_sys::global(), JsValue::from("ReadableStreamBYOBReader"));
    let filling = Reflect::get(&page, &readers).expect("the page has it");
    assert!(filling.is_function(), "this browser has them");
    assert!(read(&text, Traffic::List).await == text, "by a buffer");
    assert!(read(&text, Traffic::Watch).await == text, "by chunks");
    Reflect::set(&page, &readers, &JsValue::UNDEFINED).expect("a page may change what it has");
    let without = read(&text, Traffic::List).await;
    Reflect::set(&page, &readers, &filling).expect("a page may change what it has");
    assert!(without == text, "by chunks, because there is no other way");
}

/// What a body of the text brings, in pieces of 128 KiB at most.
async fn read(text: &str, traffic: Traffic) -> String {
    let transport = FetchTransport::new(&web::runtime(), "data:text/plain,");
    let request = Request { path: text.into(), traffic, ..Request::default() };
    let body = transport.send(request).await.expect("a browser answers it by itself").body;
    let pieces: Vec<_> = body.map(|piece| piece.expect("it is whole")).collect().await;
    assert!(pieces.iter().all(|piece| piece.len() <= 128 * 1024), "a turn can end between them");
    String::from_utf8(pieces.concat()).expect("it is text")
}
