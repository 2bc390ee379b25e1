use bytes::Bytes;
use futures::StreamExt as _;
use futures::future::{FutureExt as _, LocalBoxFuture};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_streams::ReadableStream;
use web_sys::{AbortController, Headers, RequestCache, RequestCredentials, RequestInit, RequestRedirect};

use crate::runtime::{Body, Request, Response, Transport, TransportError};

/// Requests by `fetch`, to an API server below a base address that may be relative to the page.
#[derive(Clone, Debug)]
pub struct FetchTransport {
    base: String,
}

impl FetchTransport {
    /// `base` ends with a slash: `../` when the page lies one folder below the API server's root.
    pub fn new(base: &str) -> Self {
        Self { base: base.into() }
    }
}

impl Transport for FetchTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let url = format!("{}{}", self.base, request.path);
        async move { fetch(&url, &request).await.map_err(|error| TransportError(describe(&error))) }.boxed_local()
    }
}

/// Aborts the request when the future or the body that owns it is dropped.
struct AbortGuard(AbortController);

impl Drop for AbortGuard {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn fetch(url: &str, request: &Request) -> Result<Response, JsValue> {
    let window = web_sys::window().ok_or("there is no window to fetch with")?;
    let abort = AbortGuard(AbortController::new()?);
    let init = request_init(request, &abort.0)?;
    let answer = JsFuture::from(window.fetch_with_str_and_init(url, &init)).await?;
    let answer: web_sys::Response = answer.dyn_into()?;
    let headers = header_pairs(&answer.headers())?;
    let body: Body = match answer.body() {
        None => futures::stream::empty().boxed_local(),
        Some(stream) => {
            let chunks = ReadableStream::from_raw(stream).into_stream();
            // The guard lives in the closure, and so as long as the body.
            chunks
                .map(move |chunk| {
                    let _abort_when_dropped = &abort;
                    let chunk = chunk.map_err(|error| TransportError(describe(&error)))?;
                    Ok(Bytes::from(chunk.unchecked_into::<Uint8Array>().to_vec()))
                })
                .boxed_local()
        }
    };
    Ok(Response { status: answer.status(), headers, body })
}

fn request_init(request: &Request, abort: &AbortController) -> Result<RequestInit, JsValue> {
    let init = RequestInit::new();
    init.set_method(request.method.as_str());
    init.set_cache(RequestCache::NoStore);
    init.set_credentials(RequestCredentials::SameOrigin);
    init.set_redirect(RequestRedirect::Error);
    init.set_signal(Some(&abort.signal()));
    if request.low_priority {
        // Not in web-sys yet: https://developer.mozilla.org/docs/Web/API/RequestInit#priority
        Reflect::set(&init, &"priority".into(), &"low".into())?;
    }
    let headers = Headers::new()?;
    for (name, value) in &request.headers {
        headers.set(name, value)?;
    }
    init.set_headers(&headers);
    if let Some(body) = &request.body {
        init.set_body(&Uint8Array::from(body.as_ref()));
    }
    Ok(init)
}

fn header_pairs(headers: &Headers) -> Result<Vec<(String, String)>, JsValue> {
    let mut pairs = Vec::new();
    for entry in headers.entries() {
        let pair: js_sys::Array = entry?.dyn_into()?;
        pairs.push((pair.get(0).as_string().unwrap_or_default(), pair.get(1).as_string().unwrap_or_default()));
    }
    Ok(pairs)
}

/// A browser tells no more than "Failed to fetch" of a refused, reset or unresolved connection.
fn describe(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| error.as_string()).unwrap_or_else(|| "the browser gave no reason".into())
}
