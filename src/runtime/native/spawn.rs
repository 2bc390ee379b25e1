use futures::future::{FutureExt as _, LocalBoxFuture};

use crate::runtime::Spawn;

/// The current `tokio::task::LocalSet`.
pub(super) struct TokioSpawn;

impl Spawn for TokioSpawn {
    fn spawn_detached(&self, future: LocalBoxFuture<'static, ()>) {
        // Detached: the future itself is abortable, and its owner holds the handle.
        drop(tokio::task::spawn_local(future));
    }

    fn yield_now(&self) -> LocalBoxFuture<'static, ()> {
        tokio::task::yield_now().boxed_local()
    }
}
