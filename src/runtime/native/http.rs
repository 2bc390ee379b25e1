use std::fmt;

use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::{StreamExt as _, TryStreamExt as _};

use crate::runtime::{Method, Request, Response, Transport, TransportError};

/// Requests by reqwest, to an API server below a base URL.
#[derive(Clone)]
pub struct HttpTransport {
    client: reqwest::Client,
    base: String,
    bearer_token: Option<String>,
}

/// The client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum HttpTransportError {
    #[error("the certificate authority is not PEM: {0}")]
    CertificateAuthority(#[source] reqwest::Error),
    #[error("the HTTP client could not be made: {0}")]
    Client(#[source] reqwest::Error),
}

impl HttpTransport {
    /// `base` is the API server's root, `http://127.0.0.1:8001/` for a `kubectl proxy`.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub fn new(base: &str) -> Result<Self, HttpTransportError> {
        Self::build(reqwest::Client::builder(), base, None)
    }

    /// A server with a certificate authority of its own (PEM) and a bearer token.
    ///
    /// # Errors
    /// When the certificate is not PEM.
    pub fn with_token(base: &str, certificate_authority: &[u8], token: &str) -> Result<Self, HttpTransportError> {
        let certificate =
            reqwest::Certificate::from_pem(certificate_authority).map_err(HttpTransportError::CertificateAuthority)?;
        Self::build(reqwest::Client::builder().add_root_certificate(certificate), base, Some(token.into()))
    }

    fn build(
        builder: reqwest::ClientBuilder,
        base: &str,
        bearer_token: Option<String>,
    ) -> Result<Self, HttpTransportError> {
        let client = builder.no_proxy().build().map_err(HttpTransportError::Client)?;
        Ok(Self { client, base: format!("{}/", base.trim_end_matches('/')), bearer_token })
    }
}

/// Without the token.
impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport").field("base", &self.base).finish_non_exhaustive()
    }
}

impl Transport for HttpTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let mut builder = self.client.request(method(request.method), format!("{}{}", self.base, request.path));
        for (name, value) in &request.headers {
            builder = builder.header(&**name, value);
        }
        if let Some(token) = &self.bearer_token {
            builder = builder.bearer_auth(token);
        }
        if let Some(body) = request.body {
            builder = builder.body(body);
        }
        async move {
            let answer = builder.send().await.map_err(describe)?;
            let headers = answer.headers().iter();
            let headers = headers.filter_map(|(name, value)| Some((name.as_str().into(), value.to_str().ok()?.into())));
            Ok(Response {
                status: answer.status().as_u16(),
                headers: headers.collect(),
                body: answer.bytes_stream().map_err(describe).boxed_local(),
            })
        }
        .boxed_local()
    }
}

fn method(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Put => reqwest::Method::PUT,
        Method::Patch => reqwest::Method::PATCH,
        Method::Delete => reqwest::Method::DELETE,
    }
}

/// The innermost cause is what a person can act on ("connection refused"); the URL may hold more than should be shown.
fn describe(error: reqwest::Error) -> TransportError {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    TransportError(cause.to_string())
}
