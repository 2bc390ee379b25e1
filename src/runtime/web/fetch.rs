use bytes::Bytes;
use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::stream::LocalBoxStream;
use futures::{Stream, StreamExt as _};
use gloo_net::http;
use jiff::Timestamp;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_streams::ReadableStream;
use web_sys::{AbortController, RequestCache, RequestCredentials, RequestInit, RequestRedirect};

use crate::runtime::{Body, Method, Request, Response, Runtime, Traffic, Transport, TransportError, Turn};

/// Requests by `fetch`, to an API server below a base address that may be relative to the page.
///
/// A body is read chunk by chunk, each only when it is asked for. What nobody asks for stays with the browser, which
/// stops to read the connection after a while, as the Fetch standard wants it; the server notices, and cuts a watch off.
/// So a body that nobody follows does not grow without bound: of a server that sends without end, Chromium 156 took
/// 69 MB after one chunk was read, and then nothing for as long as was waited. `transport::Connections` reads watches as
/// they come, and gives them up much earlier.
#[derive(Clone)]
pub struct FetchTransport {
    runtime: Runtime,
    base: String,
}

impl FetchTransport {
    /// `base` ends with a slash: `../` when the page lies one folder below the API server's root.
    pub fn new(runtime: &Runtime, base: &str) -> Self {
        Self { runtime: runtime.clone(), base: base.into() }
    }
}

impl Transport for FetchTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let url = format!("{}{}", self.base, request.path);
        let runtime = self.runtime.clone();
        async move { fetch(&runtime, &url, &request).await.map_err(|error| TransportError(describe(&error))) }
            .boxed_local()
    }
}

/// Aborts the request when the future or the body that owns it is dropped.
struct AbortGuard(AbortController);

impl Drop for AbortGuard {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn fetch(runtime: &Runtime, url: &str, request: &Request) -> Result<Response, JsValue> {
    let window = web_sys::window().ok_or("there is no window to fetch with")?;
    let abort = AbortGuard(AbortController::new()?);
    let options = RequestInit::new();
    if request.traffic == Traffic::Watch {
        // Not in web-sys yet: https://developer.mozilla.org/docs/Web/API/RequestInit#priority
        Reflect::set(&options, &"priority".into(), &"low".into())?;
    }
    let prepared: web_sys::Request = prepare(url, request, &abort.0)?.into();
    let sent = runtime.now();
    let answer = JsFuture::from(window.fetch_with_request_and_init(&prepared, &options)).await?;
    let answer = http::Response::from(answer.dyn_into::<web_sys::Response>()?);
    if let Some(date) = date(&answer) {
        runtime.clock.server_told(sent, date);
    }
    let body: Body = match answer.body() {
        None => futures::stream::empty().boxed_local(),
        Some(stream) => {
            let chunks = ReadableStream::from_raw(stream).into_stream();
            paced(
                chunks.map(|chunk| chunk.map(|chunk| chunk.unchecked_into::<Uint8Array>())).boxed_local(),
                Turn::start(runtime),
                abort,
            )
            .boxed_local()
        }
    };
    Ok(Response { status: answer.status(), headers: answer.headers().entries().collect(), body })
}

/// When the server answered. No page may read it of a server of another origin.
fn date(answer: &http::Response) -> Option<Timestamp> {
    let millis = js_sys::Date::parse(&answer.headers().get("date")?);
    if millis.is_nan() { None } else { Timestamp::from_millisecond(millis as i64).ok() }
}

/// Cuts chunks so small that a turn can end between them: a browser hands over megabytes at a time, which stay outside
/// of the program's own memory until their turn.
fn paced(chunks: Chunks, turn: Turn, abort: AbortGuard) -> impl Stream<Item = Result<Bytes, TransportError>> {
    const LONGEST_PIECE: u32 = 64 * 1024;
    struct Paced {
        chunks: Chunks,
        chunk: Uint8Array,
        turn: Turn,
        _abort_when_dropped: AbortGuard,
    }
    let paced = Paced { chunks, chunk: Uint8Array::new_with_length(0), turn, _abort_when_dropped: abort };
    futures::stream::unfold(paced, |mut paced| async move {
        if paced.chunk.length() == 0 {
            match paced.chunks.next().await? {
                Ok(chunk) => paced.chunk = chunk,
                Err(error) => return Some((Err(TransportError(describe(&error))), paced)),
            }
        }
        paced.turn.pause_when_over().await;
        let (length, piece) = (paced.chunk.length(), paced.chunk.length().min(LONGEST_PIECE));
        let bytes = paced.chunk.subarray(0, piece).to_vec();
        paced.chunk = paced.chunk.subarray(piece, length);
        Some((Ok(Bytes::from(bytes)), paced))
    })
}

type Chunks = LocalBoxStream<'static, Result<Uint8Array, JsValue>>;

fn prepare(url: &str, request: &Request, abort: &AbortController) -> Result<http::Request, JsValue> {
    let mut builder = http::RequestBuilder::new(url)
        .method(method(request.method))
        .cache(RequestCache::NoStore)
        .credentials(RequestCredentials::SameOrigin)
        .redirect(RequestRedirect::Error)
        .abort_signal(Some(&abort.signal()));
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let prepared = match &request.body {
        Some(body) => builder.body(Uint8Array::from(body.as_ref())),
        None => builder.build(),
    };
    prepared.map_err(|error| JsValue::from_str(&error.to_string()))
}

fn method(method: Method) -> http::Method {
    match method {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
        Method::Put => http::Method::PUT,
        Method::Patch => http::Method::PATCH,
        Method::Delete => http::Method::DELETE,
    }
}

/// A browser tells no more than "Failed to fetch" of a refused, reset or unresolved connection.
pub(super) fn describe(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| error.as_string()).unwrap_or_else(|| "the browser gave no reason".into())
}
