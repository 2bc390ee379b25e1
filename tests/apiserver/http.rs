use futures::StreamExt as _;
use serde_json::Value;
use watchglass::runtime::native::HttpTransport;
use watchglass::runtime::{Body, Method, Request, Response, Transport as _, TransportError};
use watchglass::testing::Sandbox;
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::apiserver::http::{HttpOptions, HttpServer};

const PODS: &str = "api/v1/pods";

/// A server behind its HTTP door; its time is the sandbox's, and stands still.
struct World {
    sandbox: Sandbox,
    http: HttpServer,
    transport: HttpTransport,
}

fn run<F: Future<Output = ()>>(www: Option<&str>, test: impl FnOnce(World) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let sandbox = Sandbox::new();
        let server = ApiServer::new(sandbox.runtime());
        server.load_pods("load", 60).expect("an empty server takes pods");
        let options = HttpOptions { port: 0, www: www.map(Into::into) };
        let http = HttpServer::start(server, options).await.expect("a free port is found");
        let transport = HttpTransport::new(&http.url()).expect("a client starts");
        test(World { sandbox, http, transport }).await;
    });
}

impl World {
    async fn try_send(&self, method: Method, path: &str, body: &str) -> Result<Response, TransportError> {
        let body = (!body.is_empty()).then(|| body.to_owned().into());
        self.transport.send(Request { method, path: path.into(), body, ..Request::default() }).await
    }

    async fn send(&self, method: Method, path: &str, body: &str) -> (u16, Result<String, TransportError>) {
        let response = self.try_send(method, path, body).await.expect("a head comes");
        (response.status, read(response.body).await)
    }

    async fn get(&self, path: &str) -> (u16, Result<String, TransportError>) {
        self.send(Method::Get, path, "").await
    }

    async fn inject(&self, faults: &str) {
        assert_eq!(self.send(Method::Post, "faults", faults).await.0, 204);
    }
}

async fn read(mut body: Body) -> Result<String, TransportError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk?);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

async fn event(body: &mut Body) -> Value {
    let frame = body.next().await.expect("the watch goes on").expect("the connection holds");
    serde_json::from_slice(&frame).expect("a frame is JSON")
}

fn version(list: &str) -> String {
    let list: Value = serde_json::from_str(list).expect("a list is JSON");
    list["metadata"]["resourceVersion"].as_str().expect("a list has a version").to_owned()
}

#[test]
fn a_list_and_a_watch_pass_through() {
    run(None, |world| async move {
        let (status, list) = world.get(PODS).await;
        let list = list.unwrap();
        assert_eq!((status, list.matches("\"hostIP\"").count()), (200, 60));
        let path = format!("{PODS}?watch=true&allowWatchBookmarks=true&resourceVersion={}", version(&list));
        let mut watch = world.try_send(Method::Get, &path, "").await.unwrap();
        assert_eq!((watch.status, watch.header("content-type")), (200, Some("application/json")));
        assert_eq!(world.send(Method::Post, "load", r#"{"pods":1}"#).await.0, 204);
        assert_eq!(event(&mut watch.body).await["type"], "ADDED");
        world.sandbox.advance(std::time::Duration::from_secs(60));
        assert_eq!(event(&mut watch.body).await["type"], "BOOKMARK");
        world.sandbox.advance(std::time::Duration::from_secs(3600));
        while let Some(chunk) = watch.body.next().await {
            chunk.unwrap();
        }
    });
}

#[test]
fn a_write_passes_through() {
    run(None, |world| async move {
        let namespace = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}"#;
        assert_eq!(world.send(Method::Post, "api/v1/namespaces", namespace).await.0, 201);
        assert_eq!(world.send(Method::Delete, "api/v1/namespaces/shop", "").await.0, 200);
        assert_eq!(world.get("api/v1/namespaces/shop").await.0, 404);
    });
}

#[test]
fn faults_are_switched_on_and_off() {
    run(None, |world| async move {
        world.inject(r#"[{"fault":"refuse","path":"pods"}]"#).await;
        assert!(world.try_send(Method::Get, PODS, "").await.is_err());
        assert_eq!(world.get("api/v1/nodes").await.0, 200);
        assert_eq!(world.send(Method::Delete, "faults", "").await.0, 204);
        assert_eq!(world.get(PODS).await.0, 200);
        world.inject(r#"[{"fault":{"drop":{"afterBytes":70000}},"count":1}]"#).await;
        assert!(world.get(PODS).await.1.is_err());
        world.inject(r#"[{"fault":{"truncate":{"afterBytes":70000}},"count":1}]"#).await;
        assert_eq!(world.get(PODS).await.1.unwrap().len(), 70_000);
        world.inject(r#"[{"fault":{"tooManyRequests":{"retryAfterSeconds":2}},"count":1}]"#).await;
        let refused = world.try_send(Method::Get, PODS, "").await.unwrap();
        assert_eq!((refused.status, refused.header("retry-after")), (429, Some("2")));
        assert_eq!(world.send(Method::Post, "faults", r#"[{"fault":"flood"}]"#).await.0, 400);
    });
}

#[test]
fn open_watches_break_and_a_forgotten_history_is_answered_with_410() {
    run(None, |world| async move {
        let path = format!("{PODS}?watch=true&resourceVersion={}", version(&world.get(PODS).await.1.unwrap()));
        let mut watch = world.try_send(Method::Get, &path, "").await.unwrap();
        world.inject(r#"[{"fault":"dropOpen"}]"#).await;
        assert!(watch.body.next().await.unwrap().is_err());
        assert_eq!(world.send(Method::Post, "compact", "").await.0, 204);
        let mut watch = world.try_send(Method::Get, &path, "").await.unwrap();
        assert_eq!(watch.status, 200);
        assert_eq!(event(&mut watch.body).await["object"]["reason"], "Expired");
    });
}

#[test]
fn requests_from_other_pages_are_refused() {
    run(None, |world| async move {
        let headers = vec![("origin".into(), "http://evil.example".to_owned())];
        let request = Request { path: PODS.into(), headers, ..Request::default() };
        assert_eq!(world.transport.send(request).await.unwrap().status, 403);
        let own = vec![("origin".into(), world.http.url().trim_end_matches('/').to_owned())];
        let request = Request { path: PODS.into(), headers: own, ..Request::default() };
        assert_eq!(world.transport.send(request).await.unwrap().status, 200);
    });
}

#[test]
fn files_are_served_beside_the_api() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/apiserver");
    run(Some(folder), |world| async move {
        let (status, text) = world.get("ui/http.rs").await;
        assert_eq!((status, text.unwrap().contains("files_are_served_beside_the_api")), (200, true));
        for absent in ["ui/absent.js", "ui/../list.rs", "ui/%2e%2e/size.rs"] {
            assert_eq!(world.get(absent).await.0, 404, "{absent}");
        }
        assert_eq!(world.get("version").await.0, 200);
    });
}

type Ws = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// A WebSocket to the door; the status of the answer where none opens.
async fn socket(world: &World, path: &str, headers: &[(&'static str, &str)]) -> Result<Ws, u16> {
    use tokio_tungstenite::tungstenite::Error;
    use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
    let url = format!("{}{path}", world.http.url().replace("http", "ws"));
    let mut request = url.into_client_request().expect("the path is one");
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().expect("a header's value"));
    }
    match tokio_tungstenite::connect_async(request).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_watch_passes_through_a_web_socket_and_closes_in_good_order() {
    run(None, |world| async move {
        let list = world.get(PODS).await.1.unwrap();
        let path = format!("{PODS}?watch=true&resourceVersion={}", version(&list));
        let mut socket = socket(&world, &path, &[]).await.unwrap();
        assert_eq!(world.send(Method::Post, "load", r#"{"pods":1}"#).await.0, 204);
        let frame = socket.next().await.unwrap().unwrap();
        assert!(frame.is_text());
        let event: Value = serde_json::from_str(frame.to_text().unwrap()).unwrap();
        assert_eq!(event["type"], "ADDED");
        world.inject(r#"[{"fault":"closeOpen"}]"#).await;
        assert!(socket.next().await.unwrap().unwrap().is_close());
    });
}

#[test]
fn a_command_passes_through_a_web_socket() {
    run(None, |world| async move {
        let pod = "api/v1/namespaces/load/pods";
        let list: Value = serde_json::from_str(&world.get(pod).await.1.unwrap()).unwrap();
        let pod = format!("{pod}/{}", list["items"][0]["metadata"]["name"].as_str().unwrap());
        let container = list["items"][0]["spec"]["containers"][0]["name"].as_str().unwrap();
        let path = format!("{pod}/exec?command=cat&stdin=true&stdout=true&container={container}");
        let protocol = [("sec-websocket-protocol", "v5.channel.k8s.io")];
        let mut socket = socket(&world, &path, &protocol).await.unwrap();
        assert_eq!(&socket.next().await.unwrap().unwrap().into_data()[..], b"\x01");
        for (sent, answer) in [(&b"\x00hi"[..], &b"\x01hi"[..]), (b"\xff\x00", b"\x03{")] {
            let message = tokio_tungstenite::tungstenite::Message::binary(bytes::Bytes::copy_from_slice(sent));
            futures::SinkExt::send(&mut socket, message).await.unwrap();
            assert!(socket.next().await.unwrap().unwrap().into_data().starts_with(answer));
        }
        assert!(socket.next().await.unwrap().unwrap().is_close());
    });
}

#[test]
fn a_web_socket_is_refused_to_strangers_and_where_there_is_nothing() {
    run(None, |world| async move {
        let watch = format!("{PODS}?watch=true");
        assert_eq!(socket(&world, &watch, &[("origin", "http://evil.example")]).await.err(), Some(403));
        assert_eq!(socket(&world, &watch, &[("host", "evil.example")]).await.err(), Some(403));
        assert_eq!(socket(&world, "api/v1/widgets?watch=true", &[]).await.err(), Some(404));
        assert_eq!(socket(&world, &watch, &[("authorization", "Bearer nope")]).await.err(), Some(401));
    });
}
