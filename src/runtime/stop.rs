use std::fmt;

use futures::FutureExt as _;
use futures::channel::oneshot;
use futures::future::Shared;

/// Stops what was given its tokens, once: by [`stop`](Self::stop) or by being dropped.
#[derive(Debug)]
pub struct StopSource {
    sender: Option<oneshot::Sender<()>>,
    token: StopToken,
}

/// Tells when to stop.
#[derive(Clone)]
pub struct StopToken {
    receiver: Shared<oneshot::Receiver<()>>,
}

impl StopSource {
    #[expect(clippy::new_without_default, reason = "a default that stops on drop is a trap")]
    pub fn new() -> Self {
        let (sender, receiver) = oneshot::channel();
        Self { sender: Some(sender), token: StopToken { receiver: receiver.shared() } }
    }

    pub fn token(&self) -> StopToken {
        self.token.clone()
    }

    pub fn stop(&mut self) {
        self.sender = None;
    }
}

impl StopToken {
    pub fn is_stopped(&self) -> bool {
        self.receiver.clone().now_or_never().is_some()
    }

    pub async fn stopped(&self) {
        // The sender never sends: its end, however it comes about, is the message.
        let _ = self.receiver.clone().await;
    }

    /// The future's output, or none when the stop comes first.
    pub async fn unless_stopped<F: Future>(&self, future: F) -> Option<F::Output> {
        let (stopped, future) = (std::pin::pin!(self.stopped()), std::pin::pin!(future));
        match futures::future::select(stopped, future).await {
            futures::future::Either::Left(_) => None,
            futures::future::Either::Right((output, _)) => Some(output),
        }
    }
}

impl fmt::Debug for StopToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopToken").field("stopped", &self.is_stopped()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stops_with_its_source_and_stays_stopped() {
        let mut source = StopSource::new();
        let token = source.token();
        assert!(!token.is_stopped());
        source.stop();
        assert!(token.is_stopped());
        assert!(token.stopped().now_or_never().is_some());
        assert!(
            token.unless_stopped(std::future::pending::<()>()).now_or_never().is_some_and(|output| output.is_none())
        );
    }
}
