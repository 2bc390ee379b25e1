use futures::channel::oneshot;
use futures::future::{FutureExt as _, LocalBoxFuture};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::MessageChannel;

use crate::runtime::Spawn;

/// The page's event loop.
pub(super) struct WebSpawn;

impl Spawn for WebSpawn {
    fn spawn_detached(&self, future: LocalBoxFuture<'static, ()>) {
        wasm_bindgen_futures::spawn_local(future);
    }

    /// By a message to ourselves: a promise would run before the page paints, a timer up to 4 ms late.
    fn yield_now(&self) -> LocalBoxFuture<'static, ()> {
        async {
            let Ok(channel) = MessageChannel::new() else { return };
            let (sender, receiver) = oneshot::channel();
            let on_message = Closure::once_into_js(move || {
                // The receiver is gone when the task was ended meanwhile.
                let _ = sender.send(());
            });
            channel.port1().set_onmessage(Some(on_message.unchecked_ref()));
            if channel.port2().post_message(&wasm_bindgen::JsValue::NULL).is_ok() {
                let _ = receiver.await;
            }
            channel.port1().close();
        }
        .boxed_local()
    }
}
