use futures::StreamExt as _;
use serde::Deserialize;

use crate::api::{Error, Status};
use crate::runtime::{Method, Request, Response, TransportError};

/// A Status with many causes is longer than the text that is shown of other answers.
const LONGEST_STATUS: usize = 256 * 1024;
/// client-go: `rest/request.go`, `maxUnstructuredResponseTextBytes`.
const LONGEST_TEXT: usize = 2048;

/// A request's address without its query, which may hold what should not be shown.
pub(super) fn shown(path: &str) -> &str {
    path.split('?').next().unwrap_or(path)
}

pub(super) fn unreachable(path: &str, error: TransportError) -> Error {
    Error::Unreachable { url: shown(path).into(), reason: error.0 }
}

pub(super) fn interrupted(error: TransportError) -> Error {
    Error::Interrupted { reason: error.0 }
}

/// What an answer says of the failure.
pub(super) async fn failure(request: &Request, response: Response) -> Error {
    let Response { status: code, headers, body } = response;
    let head = Response { status: code, headers, body: futures::stream::empty().boxed_local() };
    let text = read_up_to(body, LONGEST_STATUS).await;
    classify(request, &head, &text)
}

/// The whole body.
pub(super) async fn read_whole(mut response: Response) -> Result<Vec<u8>, Error> {
    let mut whole = Vec::new();
    while let Some(chunk) = response.body.next().await {
        whole.extend_from_slice(&chunk.map_err(interrupted)?);
    }
    Ok(whole)
}

/// How long the server asks to wait before the request is sent again.
pub(super) fn retry_after(head: &Response) -> Option<u32> {
    head.header("retry-after")?.parse().ok()
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

fn classify(request: &Request, head: &Response, text: &[u8]) -> Error {
    let retry_after = retry_after(head);
    if let Some(mut status) = read_status(text) {
        if status.code == 0 {
            status.code = head.status;
        }
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
            let shown_text = if text.is_empty() { "it gave no reason" } else { &text };
            let message = format!("{} answered {code}: {shown_text}", shown(&request.path));
            let mut status = Status::unexpected_response(code, message, text);
            status.details.get_or_insert_default().retry_after_seconds = retry_after;
            if code == 409 && request.method == Method::Post {
                status.reason = "AlreadyExists".into();
            }
            status.into()
        }
    }
}

/// A Status that tells of a failure. Some old servers leave its `apiVersion` out.
fn read_status(text: &[u8]) -> Option<Status> {
    #[derive(Deserialize)]
    struct Kind {
        kind: String,
    }
    let Kind { kind } = serde_json::from_slice(text).ok()?;
    let status: Status = (kind == "Status").then(|| serde_json::from_slice(text).ok())??;
    (status.status != "Success").then_some(status)
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
        let request = Request::get("api/v1/pods?token=secret");
        failure(&request, response).now_or_never().unwrap()
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
