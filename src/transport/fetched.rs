//! Answers whose connection is counted: given back when they end, and ended when others wait for it.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::future::{Either, FutureExt as _, LocalBoxFuture, select};

use super::scheduler::{Permit, TURN};
use crate::runtime::{Body, Runtime, Slot, TransportError};

/// What is missing of an event comes soon, or not at all.
const REST_OF_AN_EVENT: Duration = Duration::from_secs(1);

/// A connection, counted in this program and among those that share the host.
pub(super) struct Hold {
    slot: Option<Box<dyn Slot>>,
    permit: Permit,
}

impl Hold {
    pub(super) fn new(permit: Permit, slot: Option<Box<dyn Slot>>) -> Self {
        Self { slot, permit }
    }

    /// Takes turns with others from now on; ends when it is their turn.
    pub(super) fn take_turns(&self, runtime: &Runtime) -> LocalBoxFuture<'static, ()> {
        let turn = self.permit.take_turns();
        let Some(slot) = &self.slot else { return turn.map(|_| ()).boxed_local() };
        let (had_its_turn, wanted) = (runtime.sleep(TURN), slot.wanted());
        select(turn, had_its_turn.then(|()| wanted).boxed_local()).map(|_| ()).boxed_local()
    }
}

/// A body that holds a connection until it ends, breaks or is dropped.
pub(super) fn held(body: Body, hold: Hold) -> Body {
    futures::stream::unfold(Some((body, hold)), |held| async move {
        let (mut body, hold) = held?;
        Some(match body.next().await? {
            Ok(chunk) => (Ok(chunk), Some((body, hold))),
            Err(error) => (Err(error), None),
        })
    })
    .boxed_local()
}

/// A watch's body that ends in good order, and between two events, when `others_turn` comes.
pub(super) fn ended_between_events(body: Body, others_turn: LocalBoxFuture<'static, ()>, runtime: &Runtime) -> Body {
    let watch = Watch { body, others_turn: Some(others_turn), is_between_events: true, runtime: runtime.clone() };
    futures::stream::unfold(watch, |mut watch| async move { Some((watch.next().await?, watch)) }).boxed_local()
}

struct Watch {
    body: Body,
    /// None when it has come.
    others_turn: Option<LocalBoxFuture<'static, ()>>,
    is_between_events: bool,
    runtime: Runtime,
}

impl Watch {
    async fn next(&mut self) -> Option<Result<Bytes, TransportError>> {
        if let Some(others_turn) = &mut self.others_turn {
            // Asked first: a watch that always has something to say must hear it too.
            match select(others_turn, self.body.next()).await {
                Either::Left(_) => self.others_turn = None,
                Either::Right((chunk, _)) => return self.noted(chunk?),
            }
        }
        if self.is_between_events {
            return None;
        }
        let deadline = self.runtime.now() + REST_OF_AN_EVENT;
        let chunk = self.runtime.timeout_at(deadline, self.body.next()).await??;
        self.noted(chunk)
    }

    fn noted(&mut self, chunk: Result<Bytes, TransportError>) -> Option<Result<Bytes, TransportError>> {
        if let Ok(bytes) = &chunk
            && let Some(last) = bytes.last()
        {
            self.is_between_events = *last == b'\n';
        }
        Some(chunk)
    }
}
