//! The server's door over HTTP, on the loopback interface only, with switches for its faults.
//!
//! | path | what it does |
//! |---|---|
//! | `POST /faults` | switches faults on: a JSON list of [`FaultRule`]s |
//! | `DELETE /faults` | switches all of them off |
//! | `POST /load` | creates many pods: `{"pods":3000,"namespace":"load"}` |
//! | `POST /compact` | forgets the history |
//! | `POST /log` | has a container say lines: `{"namespace":"load","pod":"a","container":"app","text":"line {n}","count":3}` |
//! | `POST /restart` | has a container end and run again: `{"namespace":"load","pod":"a","container":"app"}` |
//! | `/ui/…` | files of a folder, when one is given, as `kubectl proxy --www` serves them |
//! | all others | the API, and WebSockets to watches, `pods/log` and `pods/exec` |
//!
//! Axum's handlers may move between threads and the server may not: handlers send it jobs and wait for the replies.

mod web_socket;

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use axum::Router;
use axum::body::{self, Body};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts as _, Request as HttpRequest, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method as HttpMethod, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response as HttpResponse};
use axum::routing::post;
use bytes::Bytes;
use futures::future::LocalBoxFuture;
use futures::stream::{self, FuturesUnordered};
use futures::{FutureExt as _, StreamExt as _};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tower_http::services::ServeDir;

use super::{ApiServer, FaultRule};
use crate::api::Status;
use crate::runtime::{Body as RuntimeBody, Method, Request, Response, Traffic, TransportError};

/// The largest body of a request (apiserver: `server/config.go`, `MaxRequestBodyBytes`).
const MAX_BODY_BYTES: usize = 3 * 1024 * 1024;

/// The headers of a request that the server looks at.
const READ_HEADERS: [&str; 9] = [
    "accept",
    "authorization",
    "content-type",
    "if-none-match",
    "impersonate-extra-scopes",
    "impersonate-group",
    "impersonate-uid",
    "impersonate-user",
    "user-agent",
];

/// What [`HttpServer::start`] is to serve.
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// 0 takes a free one.
    pub port: u16,
    /// A folder whose files are served below `/ui/`.
    pub www: Option<PathBuf>,
}

/// A running HTTP door. It closes when this is dropped.
pub struct HttpServer {
    address: SocketAddr,
    tasks: [AbortHandle; 2],
}

impl HttpServer {
    /// Opens the door. Must be called inside a `LocalSet`, on whose thread the server then runs.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn start(server: ApiServer, options: HttpOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        let (sender, jobs) = mpsc::unbounded_channel();
        let work = tokio::task::spawn_local(work(server, jobs)).abort_handle();
        let router = router(Bridge { jobs: sender }, options.www);
        let listen = tokio::task::spawn_local(axum::serve(listener, router).into_future()).abort_handle();
        Ok(Self { address, tasks: [work, listen] })
    }

    /// The API's root, `http://127.0.0.1:8001/`.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// Something to be done on the server's thread.
type Job = Box<dyn FnOnce(ApiServer) -> LocalBoxFuture<'static, ()> + Send>;

/// Does all jobs side by side. Dropping it drops them.
async fn work(server: ApiServer, mut jobs: mpsc::UnboundedReceiver<Job>) {
    let mut running = FuturesUnordered::new();
    loop {
        tokio::select! {
            job = jobs.recv() => match job {
                Some(job) => running.push(job(server.clone())),
                None => return,
            },
            Some(()) = running.next() => {}
        }
    }
}

/// The way from a handler to the server.
#[derive(Clone)]
struct Bridge {
    jobs: mpsc::UnboundedSender<Job>,
}

/// An answer on its way from the server to a handler.
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
    body: mpsc::Receiver<Result<Bytes, TransportError>>,
}

impl Bridge {
    /// None when the server is gone.
    async fn ask<T: Send + 'static>(&self, question: impl FnOnce(&ApiServer) -> T + Send + 'static) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |server| {
            let _ = reply.send(question(&server));
            std::future::ready(()).boxed_local()
        });
        self.jobs.send(job).ok()?;
        answer.await.ok()
    }

    async fn send(&self, request: Request) -> Option<Result<Head, TransportError>> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |server| carry(server, request, reply).boxed_local());
        self.jobs.send(job).ok()?;
        answer.await.ok()
    }
}

/// Answers one request, for as long as somebody reads the answer.
async fn carry(server: ApiServer, request: Request, mut reply: oneshot::Sender<Result<Head, TransportError>>) {
    let answer = tokio::select! {
        answer = server.answer(request) => answer,
        () = reply.closed() => return,
    };
    let Response { status, headers, body } = match answer {
        Ok(response) => response,
        Err(error) => {
            let _ = reply.send(Err(error));
            return;
        }
    };
    // A few chunks ahead, so that a slow reader holds back the making of the body.
    let (sender, chunks) = mpsc::channel(4);
    if reply.send(Ok(Head { status, headers, body: chunks })).is_err() {
        return;
    }
    send_body(body, sender).await;
}

async fn send_body(mut body: RuntimeBody, sender: mpsc::Sender<Result<Bytes, TransportError>>) {
    loop {
        let chunk = tokio::select! {
            chunk = body.next() => chunk,
            () = sender.closed() => return,
        };
        let Some(chunk) = chunk else { return };
        if sender.send(chunk).await.is_err() {
            return;
        }
    }
}

fn router(bridge: Bridge, www: Option<PathBuf>) -> Router {
    let mut router = Router::new()
        .route("/faults", post(switch_faults_on).delete(switch_faults_off))
        .route("/load", post(load))
        .route("/compact", post(compact))
        .route("/log", post(append_log))
        .route("/restart", post(restart))
        .fallback(answer_api);
    if let Some(www) = www {
        router = router.nest_service("/ui", ServeDir::new(www));
    }
    router.layer(middleware::from_fn(only_from_this_machine)).with_state(bridge)
}

/// A page from elsewhere must not reach the server through a person's browser, not by a name that it has made to point
/// here either.
async fn only_from_this_machine(request: HttpRequest, next: Next) -> HttpResponse {
    if is_from_this_machine(request.headers()) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "Forbidden").into_response()
    }
}

fn is_from_this_machine(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(host) = text(header::HOST) else { return false };
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name);
    let is_loopback = ["localhost", "127.0.0.1", "[::1]"].contains(&name);
    let same_host =
        headers.get(header::ORIGIN).is_none_or(|origin| origin.as_bytes() == format!("http://{host}").as_bytes());
    is_loopback && same_host
}

async fn switch_faults_on(State(bridge): State<Bridge>, body: Bytes) -> HttpResponse {
    let rules: Vec<FaultRule> = match serde_json::from_slice(&body) {
        Ok(rules) => rules,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("not a list of faults: {error}\n")).into_response(),
    };
    done(bridge.ask(move |server| rules.into_iter().for_each(|rule| server.inject(rule))).await)
}

async fn switch_faults_off(State(bridge): State<Bridge>) -> HttpResponse {
    done(bridge.ask(ApiServer::clear_faults).await)
}

async fn compact(State(bridge): State<Bridge>) -> HttpResponse {
    done(bridge.ask(ApiServer::compact).await)
}

#[derive(Deserialize)]
struct Load {
    pods: usize,
    #[serde(default = "load_namespace")]
    namespace: String,
}

fn load_namespace() -> String {
    "load".into()
}

async fn load(State(bridge): State<Bridge>, body: Bytes) -> HttpResponse {
    let load: Load = match serde_json::from_slice(&body) {
        Ok(load) => load,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("not a number of pods: {error}\n")).into_response(),
    };
    match bridge.ask(move |server| server.load_pods(&load.namespace, load.pods)).await {
        Some(Err(status)) => (StatusCode::CONFLICT, format!("{}\n", status.message)).into_response(),
        answer => done(answer.map(|_| ())),
    }
}

/// A container, and what it says.
#[derive(Deserialize)]
struct Saying {
    namespace: String,
    pod: String,
    container: String,
    /// `{n}` stands for the line's number.
    #[serde(default)]
    text: String,
    /// The first line's number.
    #[serde(default)]
    first: usize,
    #[serde(default = "one")]
    count: usize,
}

fn one() -> usize {
    1
}

async fn append_log(State(bridge): State<Bridge>, body: Bytes) -> HttpResponse {
    of_container(bridge, &body, |server, it| {
        let numbers = it.first..it.first + it.count;
        let lines = numbers.map(|number| it.text.replace("{n}", &number.to_string()));
        server.append_logs(&it.namespace, &it.pod, &it.container, lines)
    })
    .await
}

async fn restart(State(bridge): State<Bridge>, body: Bytes) -> HttpResponse {
    of_container(bridge, &body, |server, it| server.restart_container(&it.namespace, &it.pod, &it.container)).await
}

async fn of_container(
    bridge: Bridge,
    body: &[u8],
    act: impl FnOnce(&ApiServer, &Saying) -> Result<(), Box<Status>> + Send + 'static,
) -> HttpResponse {
    let saying: Saying = match serde_json::from_slice(body) {
        Ok(saying) => saying,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("no container: {error}\n")).into_response(),
    };
    match bridge.ask(move |server| act(server, &saying)).await {
        Some(Err(status)) => (StatusCode::CONFLICT, format!("{}\n", status.message)).into_response(),
        answer => done(answer.map(|_| ())),
    }
}

fn done(answer: Option<()>) -> HttpResponse {
    let status = answer.map_or(StatusCode::SERVICE_UNAVAILABLE, |()| StatusCode::NO_CONTENT);
    status.into_response()
}

async fn answer_api(State(bridge): State<Bridge>, request: HttpRequest) -> HttpResponse {
    let wants_socket = request.headers().get(header::UPGRADE).is_some_and(|it| it.as_bytes() == b"websocket");
    if wants_socket {
        let (mut parts, body) = request.into_parts();
        let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await;
        let headers = parts.headers.clone();
        return match (upgrade, read_request(HttpRequest::from_parts(parts, body)).await) {
            (Ok(upgrade), Ok(request)) => web_socket::answer(bridge, request, upgrade, &headers).await,
            (Err(rejection), _) => rejection.into_response(),
            (_, Err(status)) => status.into_response(),
        };
    }
    let request = match read_request(request).await {
        Ok(request) => request,
        Err(status) => return status.into_response(),
    };
    let head = bridge.send(request).await;
    let head = head.unwrap_or_else(|| Err(TransportError("the server is gone".into())));
    match head {
        Ok(head) => write_response(head),
        Err(error) => no_head(&error.0),
    }
}

/// A body that fails before its first byte closes the connection before the head is written.
fn no_head(why: &str) -> HttpResponse {
    let error = TransportError(why.into());
    Body::from_stream(stream::iter([Err::<Bytes, _>(error)])).into_response()
}

async fn read_request(request: HttpRequest) -> Result<Request, StatusCode> {
    let (parts, body) = request.into_parts();
    let method = match parts.method {
        HttpMethod::GET => Method::Get,
        HttpMethod::POST => Method::Post,
        HttpMethod::PUT => Method::Put,
        HttpMethod::PATCH => Method::Patch,
        HttpMethod::DELETE => Method::Delete,
        _ => return Err(StatusCode::METHOD_NOT_ALLOWED),
    };
    let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
    let body = body::to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
    Ok(Request {
        method,
        path: path.trim_start_matches('/').into(),
        headers: read_headers(&parts.headers),
        body: (!body.is_empty()).then_some(body),
        traffic: Traffic::Request,
    })
}

fn read_headers(headers: &HeaderMap) -> Vec<(Cow<'static, str>, String)> {
    let mut read = Vec::new();
    for name in READ_HEADERS {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        read.extend(values.map(|value| (name.into(), value.to_owned())));
    }
    read
}

fn write_response(head: Head) -> HttpResponse {
    let chunks = stream::unfold(head.body, |mut chunks| async move {
        let chunk = chunks.recv().await?;
        if chunk.is_err() {
            // What stands before the break is sent first: a failing body throws away what is not yet flushed.
            tokio::task::yield_now().await;
        }
        Some((chunk, chunks))
    });
    let mut response = Body::from_stream(chunks).into_response();
    *response.status_mut() = StatusCode::from_u16(head.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in head.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_and_pages_of_the_same_host_pass() {
        for (host, origin, passes) in [
            (Some("127.0.0.1:8001"), None, true),
            (Some("localhost"), Some("http://localhost"), true),
            (Some("[::1]:8001"), Some("http://[::1]:8001"), true),
            (Some("localhost:8001"), Some("http://localhost:8002"), false),
            (Some("localhost:8001"), Some("null"), false),
            (Some("evil.example:8001"), None, false),
            (Some("127.0.0.1.evil.example"), None, false),
            (None, None, false),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [(header::HOST, host), (header::ORIGIN, origin)] {
                headers.extend(value.map(|value| (name, HeaderValue::from_static(value))));
            }
            assert_eq!(is_from_this_machine(&headers), passes, "{host:?} {origin:?}");
        }
    }
}
