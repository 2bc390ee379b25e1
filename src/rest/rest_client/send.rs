//! One request, as often as it takes (client-go: `rest/request.go`, `request`, and `rest/with_retry.go`).

use std::time::Duration;

use futures::StreamExt as _;

use super::client::RestClient;
use crate::api::Error;
use crate::rest::response;
use crate::rest::warnings::parse_warnings;
use crate::runtime::{Body, Method, Moment, Request, Response, Runtime, Traffic, TransportError};

/// What an attempt came to instead of an answer, and when there may be another one.
struct Failed {
    error: Error,
    again_in: Option<Duration>,
}

const LATE: &str = "there was no whole answer in time";

impl RestClient {
    /// Sends a request, and gives the head of an answer that succeeded.
    pub(in crate::rest) async fn send(&self, request: Request) -> Result<Response, Error> {
        let runtime = &self.config.runtime;
        let has_limit = matches!(request.traffic, Traffic::Request | Traffic::List);
        let Some(timeout) = self.config.timeout.filter(|_| has_limit) else {
            return self.send_until(request, None).await;
        };
        let deadline = runtime.now() + timeout;
        match runtime.timeout_at(deadline, self.send_until(request, Some(deadline))).await {
            Some(answer) => answer.map(|answer| Response { body: until(deadline, runtime, answer.body), ..answer }),
            None => Err(Error::Interrupted { reason: LATE.into() }),
        }
    }

    async fn send_until(&self, request: Request, deadline: Option<Moment>) -> Result<Response, Error> {
        let (mut attempt, mut previous) = (0, None);
        loop {
            // A watch waits on the server's side, and so may begin at once.
            if attempt > 0 || request.traffic != Traffic::Watch {
                self.wait_for_turn(deadline).await?;
            }
            let Failed { error, again_in } = match self.attempt(&request).await {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };

            let Some(delay) = again_in.filter(|_| attempt < self.config.max_retries) else {
                return Err(with_previous(error, previous));
            };
            previous = Some(error.to_string());
            attempt += 1;
            self.config.runtime.sleep(delay).await;
        }
    }

    async fn wait_for_turn(&self, deadline: Option<Moment>) -> Result<(), Error> {
        let Some(limiter) = &self.config.rate_limiter else { return Ok(()) };
        let turn = limiter.wait(deadline).await;
        turn.map_err(|error| Error::NotSent { reason: format!("the client's own rate limit: {error}") })
    }

    async fn attempt(&self, request: &Request) -> Result<Response, Failed> {
        let response = match self.config.transport.send(request.clone()).await {
            Ok(response) => response,
            Err(error) => {
                let again_in = may_pass(request, &error.0).then_some(Duration::from_secs(1));
                return Err(Failed { error: response::unreachable(&request.path, error), again_in });
            }
        };
        for (_, header) in response.headers.iter().filter(|(name, _)| name == "warning") {
            parse_warnings(header, &mut |code, agent, text| {
                self.config.warning_handler.handle_warning(code, agent, text);
            });
        }
        let is_success = match request.traffic {
            Traffic::Watch => response.status == 200,
            _ => (200..300).contains(&response.status),
        };
        if is_success {
            return Ok(response);
        }
        let asks = matches!(response.status, 429 | 500..);
        let delay = response::retry_after(&response).filter(|_| asks);
        let error = response::failure(request, response).await;
        Err(Failed { error, again_in: delay.map(|seconds| Duration::from_secs(seconds.into())) })
    }
}

/// Whether the same request may succeed on another connection. What changes something may have been carried out, and
/// a stream's reader has to know where it broke (apimachinery: `pkg/util/net`, `IsProbableEOF`, `IsConnectionReset`).
///
/// By the hosts' own words: a browser says the same of all failures, and none of it matches.
fn may_pass(request: &Request, reason: &str) -> bool {
    if request.method != Method::Get || request.traffic == Traffic::Stream {
        return false;
    }
    let reason = reason.to_ascii_lowercase();
    let contains = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    let broke_off = contains(&[
        "eof",
        "end of file",
        "connection reset",
        "broken connection",
        "broken pipe",
        "closed before message completed",
        "use of closed network connection",
        "goaway",
        "http2: client connection lost",
    ]);
    broke_off || (request.traffic == Traffic::Watch && contains(&["timed out", "timeout"]))
}

/// The error, and what an earlier attempt came to if that was something else
/// (client-go: `rest/with_retry.go`, `WrapPreviousError`).
fn with_previous(mut error: Error, previous: Option<String>) -> Error {
    let Some(previous) = previous.filter(|previous| *previous != error.to_string()) else { return error };
    let text = match &mut error {
        Error::Status(status) => &mut status.message,
        Error::Upstream { text, .. } => text,
        Error::NotSent { reason }
        | Error::Unreachable { reason, .. }
        | Error::Interrupted { reason }
        | Error::Undecodable { reason, .. } => reason,
        Error::Silent { .. } => return error,
    };
    text.push_str(" - error from a previous attempt: ");
    text.push_str(&previous);
    error
}

/// The body, with an error at the deadline if it has not ended.
fn until(deadline: Moment, runtime: &Runtime, body: Body) -> Body {
    let runtime = runtime.clone();
    let next = move |body: Option<Body>| {
        let runtime = runtime.clone();
        async move {
            let mut body = body?;
            match runtime.timeout_at(deadline, body.next()).await {
                Some(chunk) => Some((chunk?, Some(body))),
                None => Some((Err(TransportError(LATE.into())), None)),
            }
        }
    };
    futures::stream::unfold(Some(body), next).boxed_local()
}
