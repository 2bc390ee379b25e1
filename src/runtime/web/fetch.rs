use bytes::Bytes;
use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::stream::LocalBoxStream;
use futures::{Stream, StreamExt as _};
use gloo_net::http;
use jiff::Timestamp;
use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, ReadableStream, ReadableStreamByobReader, ReadableStreamReadResult, RequestCache,
    RequestCredentials, RequestInit, RequestRedirect,
};

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
        Some(stream) => paced(pieces(stream, request.traffic), Turn::start(runtime), abort).boxed_local(),
    };
    Ok(Response { status: answer.status(), headers: answer.headers().entries().collect(), body })
}

/// When the server answered. No page may read it of a server of another origin.
fn date(answer: &http::Response) -> Option<Timestamp> {
    let millis = js_sys::Date::parse(&answer.headers().get("date")?);
    if millis.is_nan() { None } else { Timestamp::from_millisecond(millis as i64).ok() }
}

type Pieces = LocalBoxStream<'static, Result<Bytes, JsValue>>;

/// So small that a turn can end between them, so large that few objects lie in two of them.
const LONGEST_PIECE: u32 = 128 * 1024;

fn pieces(stream: ReadableStream, traffic: Traffic) -> Pieces {
    // What stays open would hold the buffer for as long.
    let ends_soon = matches!(traffic, Traffic::Request | Traffic::List);
    match ends_soon.then(|| Filled::new(&stream)) {
        Some(Ok(filled)) => filled.pieces(),
        _ => cut(stream),
    }
}

/// Has a body fill one buffer again and again, which spares a browser to make and collect a chunk for each read: 151 MB
/// take 310 ms of a page's thread in Chromium 156, and by chunks 390 to 690.
struct Filled {
    reader: ReadableStreamByobReader,
    buffer: ArrayBuffer,
}

impl Filled {
    /// Fails where a browser has no such readers, or not for this stream.
    fn new(stream: &ReadableStream) -> Result<Self, JsValue> {
        Ok(Self { reader: ReadableStreamByobReader::new(stream)?, buffer: ArrayBuffer::new(LONGEST_PIECE) })
    }

    fn pieces(self) -> Pieces {
        futures::stream::try_unfold(self, Self::next).boxed_local()
    }

    async fn next(mut self) -> Result<Option<(Bytes, Self)>, JsValue> {
        let view = Uint8Array::new(&self.buffer);
        let read = JsFuture::from(self.reader.read_with_array_buffer_view(&view)).await?;
        let read = read.unchecked_into::<ReadableStreamReadResult>();
        if read.get_done() == Some(true) {
            return Ok(None);
        }
        let filled = read.get_value().unchecked_into::<Uint8Array>();
        let piece = Bytes::from(filled.to_vec());
        self.buffer = filled.buffer();
        Ok(Some((piece, self)))
    }
}

/// Cuts a body's chunks: a browser hands over megabytes at a time, which stay outside of the program's own memory until
/// their turn.
fn cut(stream: ReadableStream) -> Pieces {
    let chunks = wasm_streams::ReadableStream::from_raw(stream).into_stream();
    let chunks = chunks.map(|chunk| chunk.map(|chunk| chunk.unchecked_into::<Uint8Array>()));
    let begin = (chunks, Uint8Array::new_with_length(0));
    let pieces = futures::stream::try_unfold(begin, |(mut chunks, mut chunk)| async move {
        if chunk.length() == 0 {
            let Some(next) = chunks.next().await else { return Ok(None) };
            chunk = next?;
        }
        let (length, piece) = (chunk.length(), chunk.length().min(LONGEST_PIECE));
        let bytes = Bytes::from(chunk.subarray(0, piece).to_vec());
        Ok(Some((bytes, (chunks, chunk.subarray(piece, length)))))
    });
    pieces.boxed_local()
}

/// Gives way to the page's other work between the pieces.
fn paced(pieces: Pieces, turn: Turn, abort: AbortGuard) -> impl Stream<Item = Result<Bytes, TransportError>> {
    futures::stream::unfold((pieces, turn, abort), |(mut pieces, mut turn, abort)| async move {
        turn.pause_when_over().await;
        let piece = pieces.next().await?.map_err(|error| TransportError(describe(&error)));
        Some((piece, (pieces, turn, abort)))
    })
}

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
