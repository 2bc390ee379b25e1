//! Tokens and the values of Secrets stand in no error, no Debug output and no URL.

use std::fmt::Debug;
use std::rc::Rc;

use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::{StreamExt as _, TryStreamExt as _};
use serde_json::json;
use watchglass::api::{CreateOptions, Error, GetOptions, ListOptions, ResourcePath};
use watchglass::rest::{BearerToken, Config, DynamicClient, MetadataClient, RestClient, Token};
use watchglass::runtime::native::HttpTransport;
use watchglass::runtime::{Request, Response, Transport, TransportError};

use crate::UNBROKEN;
use crate::scene::{Scene, object, path, run};

const SECRET: &str = "c3VwZXItc2VjcmV0";

fn assert_silent(what: &str, shown: &str) {
    assert!(!shown.contains(SECRET), "{what} tells it: {shown}");
}

fn assert_hidden(what: &str, shown: &impl Debug) {
    assert_silent(what, &format!("{shown:?}"));
    assert_silent(what, &format!("{shown:#?}"));
}

/// The error that there must be, shown in both ways.
fn assert_error_is_silent<T>(what: &str, result: Result<T, Error>) -> Error {
    let error = result.err().unwrap_or_else(|| panic!("{what} fails"));
    assert_silent(what, &error.to_string());
    assert_hidden(what, &error);
    error
}

/// Answers everything with one text.
struct Canned(String);

impl Transport for Canned {
    fn send(&self, _: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let body = futures::stream::iter([Ok(self.0.clone().into())]).boxed_local();
        let headers = vec![("content-type".into(), "application/json".into())];
        async move { Ok(Response { status: 200, headers, body }) }.boxed_local()
    }
}

fn secrets() -> ResourcePath {
    path("", "v1", "secrets").in_namespace("default")
}

#[test]
fn a_secret_that_cannot_be_read_is_not_shown_in_the_error() {
    run(async {
        let items = [
            format!(r#"{{"kind":"SecretList","items":[{{"metadata":{{"name":"a"}},"data":{{"password":"{SECRET}"#),
            format!(r#"{{"items":[{{"metadata":{{"annotations":"{SECRET}"}}}}]}}"#),
            format!(r#"{{"items":[{{"metadata":{{"creationTimestamp":"{SECRET}"}}}}]}}"#),
            format!(r#"{{"items":[{{"metadata":{{"name":"a"}}}}"{SECRET}"]}}"#),
            format!(r#"{{"items":["{SECRET}"]}}"#),
            format!(r#"{{"items":[],"metadata":"{SECRET}"}}"#),
        ];
        let objects = [
            format!(r#"{{"kind":"Secret","metadata":{{"name":"a"}},"data":{{"password":"{SECRET}"#),
            format!(r#"{{"kind":"Secret","metadata":{{"labels":["{SECRET}"]}}}}"#),
            format!(r#"{{"kind":"Secret","metadata":{{"creationTimestamp":"{SECRET}"}}}}"#),
            format!(r#"{{"kind":"Secret","data":{{"password":"{SECRET}"}}}} "{SECRET}""#),
        ];
        let events = [
            format!(r#"{{"type":"ADDED","object":{{"metadata":{{"labels":["{SECRET}"]}}}}}}"#),
            format!(r#"{{"type":"ADDED","object":"{SECRET}"}}"#),
            format!(r#"{{"type":"ADDED","object":{{"metadata":{{"deletionTimestamp":"{SECRET}"}}}}}}"#),
            format!("{{\"type\":\"ADDED\",\"object\":{{\"metadata\":{{\"name\":\"a\"}}}}}}\n\"{SECRET}\""),
            format!(r#"{{"type":"ERROR","object":{{"kind":"Secret","code":"{SECRET}"}}}}"#),
        ];
        let client = |text: &String| {
            let transport: Rc<dyn Transport> = Rc::new(Canned(text.clone()));
            RestClient::for_config(&Config::new(&watchglass::runtime::native::runtime(), transport))
        };
        let options = ListOptions::default();
        for text in &items {
            assert_error_is_silent(text, client(text).list(&secrets(), &options, &|_| {}).await);
        }
        for text in &objects {
            assert_error_is_silent(text, client(text).get(&secrets().named("a"), &GetOptions::default()).await);
        }
        for text in &events {
            let events = client(text).watch(&secrets(), &options).await.expect("it opens");
            let all: Result<Vec<_>, Error> = events.try_collect().await;
            assert_error_is_silent(text, all);
        }
    });
}

#[test]
fn nothing_that_holds_a_token_or_a_secret_shows_it() {
    let transport = Rc::new(HttpTransport::new("http://127.0.0.1:1/").expect("a client"));
    let runtime = watchglass::runtime::native::runtime();
    let token = BearerToken::fixed(SECRET);
    let config = Config::new(&runtime, transport).with_bearer_token(token.clone());
    assert_hidden("the token", &token);
    assert_hidden("a renewed token", &Token { value: SECRET.into(), expires_at: None });
    assert_hidden("the configuration", &config);
    assert_hidden("the client", &RestClient::for_config(&config));
    let pods = watchglass::api::GroupVersionResource::core("pods");
    assert_hidden("the dynamic client", &DynamicClient::for_config(&config).resource(&pods));
    assert_hidden("the metadata client", &MetadataClient::for_config(&config).resource(&pods));
    let request = Request { body: Some(SECRET.into()), ..Request::get("api").with_header("authorization", SECRET) };
    assert_hidden("a request", &request);
}

#[test]
fn a_request_that_fails_tells_neither_its_token_nor_the_secret_that_it_was_to_write() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("secrets").await;
        let secrets = scene.path("", "v1", "secrets");
        let secret = |fields| object("v1", "Secret", &scene.namespace, "a", fields);
        let create = CreateOptions::default();
        for fields in
            [json!({ "data": { "password": [SECRET] } }), json!({ "data": { "password": format!("{SECRET}!") } })]
        {
            let what = fields.to_string();
            assert_error_is_silent(&what, scene.admin.create(&secrets, &secret(fields), &create).await);
        }

        let server = format!("https://127.0.0.1:{}", scene.proxy.port());
        let refused = HttpTransport::new("http://127.0.0.1:1/").expect("a client");
        let untrusting = HttpTransport::new(&server).expect("a client");
        let unauthorized = scene.cluster.transport_to(&server, SECRET);
        assert_hidden("the transport", &unauthorized);
        for (what, transport) in [("refused", refused), ("untrusting", untrusting), ("unauthorized", unauthorized)] {
            let recording: Rc<dyn Transport> = Rc::new(crate::sent::Recording::new(Rc::new(transport), &scene.log));
            let config =
                Config::without_rate_limit(&scene.runtime, recording).with_bearer_token(BearerToken::fixed(SECRET));
            let client = RestClient::for_config(&config).without_retries();
            let options = ListOptions::default();
            let error = assert_error_is_silent(what, client.list(&secrets, &options, &|_| {}).await);
            assert_eq!(error.is_unauthorized(), what == "unauthorized", "{what}: {error}");
            assert_error_is_silent(what, client.watch(&secrets, &options).await);
            assert_error_is_silent(what, client.create(&secrets, &secret(json!({})), &create).await);
        }
        assert!(scene.log.all().len() >= 9);
        scene.log.all().iter().for_each(|sent| assert_silent("a URL", &sent.path));
    });
}
