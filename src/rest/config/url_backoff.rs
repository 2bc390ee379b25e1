use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{FutureExt as _, LocalBoxFuture};

use crate::runtime::{Moment, Request, Response, Runtime, Transport, TransportError};

/// Waits before the next request while a server is not well (client-go: `rest/urlbackoff.go`, of one host).
pub(super) struct WithBackoff {
    inner: Rc<dyn Transport>,
    runtime: Runtime,
    base: Duration,
    max: Duration,
    state: Rc<Cell<State>>,
}

#[derive(Clone, Copy)]
struct State {
    delay: Duration,
    since: Moment,
}

impl WithBackoff {
    pub(super) fn new(inner: Rc<dyn Transport>, runtime: Runtime, base: Duration, max: Duration) -> Self {
        let state = Rc::new(Cell::new(State { delay: Duration::ZERO, since: runtime.now() }));
        Self { inner, runtime, base, max, state }
    }
}

impl Transport for WithBackoff {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let Self { inner, runtime, base, max, state } = self;
        let (inner, runtime, base, max) = (Rc::clone(inner), runtime.clone(), *base, *max);
        let state = Rc::clone(state);
        async move {
            let State { delay, since } = state.get();
            // Whoever has waited already, because the server asked for it, waits for what is left only.
            runtime.clock.sleep_until(since + delay).await;
            let result = inner.send(request).await;
            let is_unwell = matches!(&result, Ok(Response { status: 429 | 500.., .. }));
            let next = if is_unwell { (state.get().delay * 2).clamp(base.min(max), max) } else { Duration::ZERO };
            state.set(State { delay: next, since: runtime.now() });
            result
        }
        .boxed_local()
    }
}
