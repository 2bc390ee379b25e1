use futures::future::{AbortHandle, Abortable, FutureExt as _, LocalBoxFuture};

/// A host's executor, for one thread.
pub trait Spawn {
    /// Runs the future to its end, detached. Only [`Task`] calls it.
    fn spawn_detached(&self, future: LocalBoxFuture<'static, ()>);

    /// Lets the host do its other work (paint, input, timers) before the task goes on.
    fn yield_now(&self) -> LocalBoxFuture<'static, ()>;
}

/// A running task, ended by dropping this.
#[must_use = "the task ends when this is dropped"]
#[derive(Debug)]
pub struct Task {
    abort: AbortHandle,
}

impl Task {
    pub(super) fn start(spawner: &dyn Spawn, future: impl Future<Output = ()> + 'static) -> Self {
        let (abort, registration) = AbortHandle::new_pair();
        spawner.spawn_detached(Abortable::new(future, registration).map(|_| ()).boxed_local());
        Self { abort }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.abort.abort();
    }
}
