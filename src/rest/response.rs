use futures::StreamExt as _;
use serde::Deserialize;

use crate::api::{Error, Status};
use crate::runtime::{Response, TransportError};

/// A Status with many causes is longer than the text that is shown of other answers.
const LONGEST_STATUS: usize = 256 * 1024;
/// client-go: `rest/request.go`, `maxUnstructuredResponseTextBytes`.
const LONGEST_TEXT: usize = 2048;

pub(super) fn unreachable(url: &str, error: TransportError) -> Error {
    Error::Unreachable { url: url.into(), reason: error.0 }
}

pub(super) fn interrupted(error: TransportError) -> Error {
    Error::Interrupted { reason: error.0 }
}

/// The response when it succeeded, else what it says of the failure.
pub(super) async fn successful(url: &str, response: Response) -> Result<Response, Error> {
    if (200..300).contains(&response.status) {
        return Ok(response);
    }
    let Response { status: code, headers, body } = response;
    let head = Response { status: code, headers, body: futures::stream::empty().boxed_local() };
    let text = read_up_to(body, LONGEST_STATUS).await;
    Err(classify(url, &head, &text))
}

/// The whole body.
pub(super) async fn read_whole(mut response: Response) -> Result<Vec<u8>, Error> {
    let mut whole = Vec::new();
    while let Some(chunk) = response.body.next().await {
        whole.extend_from_slice(&chunk.map_err(interrupted)?);
    }
    Ok(whole)
}

/// An error's text matters more than how it ended.
async fn read_up_to(mut body: crate::runtime::Body, limit: usize) -> Vec<u8> {
    let mut text = Vec::new();
    while let Some(Ok(chunk)) = body.next().await {
        text.extend_from_slice(&chunk);
        if text.len() >= limit {
            text.truncate(limit);
            break;
        }
    }
    text
}

fn classify(url: &str, head: &Response, text: &[u8]) -> Error {
    let retry_after = head.header("retry-after").and_then(|seconds| seconds.parse().ok());
    if let Some(mut status) = read_status(text) {
        status.code = head.status;
        if let Some(seconds) = retry_after {
            status.details.get_or_insert_default().retry_after_seconds = Some(seconds);
        }
        return status.into();
    }
    let text = String::from_utf8_lossy(&text[..text.len().min(LONGEST_TEXT)]).trim().to_owned();
    let content_type = head.header("content-type").unwrap_or_default();
    match head.status {
        // `kubectl proxy` answers 500 with Go's error as text when it cannot reach the API server; other proxies 502 to 504.
        500 if content_type.starts_with("text/plain") => Error::Upstream { code: 500, text },
        code @ 502..=504 => Error::Upstream { code, text },
        code => {
            let shown = if text.is_empty() { "it gave no reason" } else { &text };
            let message = format!("{url} answered {code}: {shown}");
            let mut status = Status::unexpected_response(code, message, text);
            status.details.get_or_insert_default().retry_after_seconds = retry_after;
            status.into()
        }
    }
}

fn read_status(text: &[u8]) -> Option<Status> {
    #[derive(Deserialize)]
    struct Kind {
        kind: String,
    }
    let Kind { kind } = serde_json::from_slice(text).ok()?;
    (kind == "Status").then(|| serde_json::from_slice(text).ok())?
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn answer(status: u16, content_type: &str, text: &'static str) -> Error {
        let response = Response {
            status,
            headers: vec![("content-type".into(), content_type.into()), ("retry-after".into(), "3".into())],
            body: futures::stream::iter([Ok(text.into())]).boxed_local(),
        };
        successful("api/v1/pods", response).now_or_never().unwrap().err().unwrap()
    }

    #[test]
    fn a_status_keeps_its_reason_and_takes_the_header_s_delay() {
        let text = r#"{"kind":"Status","reason":"TooManyRequests","message":"slow down","code":429}"#;
        let error = answer(429, "application/json", text);
        assert!(error.is_too_many_requests());
        assert_eq!(error.status().unwrap().details.as_ref().unwrap().retry_after_seconds, Some(3));
        assert_eq!(error.to_string(), "slow down");
    }

    /// Cases 18 and 19 of the browser test list.
    #[test]
    fn a_proxy_that_answers_for_the_server_is_told_apart() {
        let refused = answer(500, "text/plain; charset=utf-8", "dial tcp 127.0.0.1:6443: connect: connection refused");
        assert!(refused.is_unreachable());
        assert!(refused.to_string().contains("connection refused"));
        let filtered = answer(403, "text/plain; charset=utf-8", "Forbidden");
        assert!(filtered.is_forbidden());
        assert_eq!(filtered.to_string(), "api/v1/pods answered 403: Forbidden");
    }

    #[test]
    fn an_answer_without_a_status_takes_the_header_s_delay_too() {
        let busy = answer(429, "text/html", "<p>slow down</p>");
        assert!(busy.is_too_many_requests());
        assert_eq!(busy.retry_after(), Some(std::time::Duration::from_secs(3)));
    }

    #[test]
    fn a_bare_410_is_gone_and_not_expired() {
        let error = answer(410, "text/plain", "");
        assert!(error.is_gone() && !error.is_resource_expired());
        assert_eq!(error.to_string(), "api/v1/pods answered 410: it gave no reason");
    }

    #[test]
    fn a_text_is_shown_up_to_its_2048th_byte() {
        let shown = |length: usize| {
            let page: &'static str = Box::leak("p".repeat(length).into_boxed_str());
            answer(404, "text/html", page).to_string().len() - "api/v1/pods answered 404: ".len()
        };
        assert_eq!([2047, 2048, 2049, 1 << 20].map(shown), [2047, 2048, 2048, 2048]);
    }
}
