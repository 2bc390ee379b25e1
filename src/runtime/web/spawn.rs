use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use futures::channel::oneshot;
use futures::future::{FutureExt as _, LocalBoxFuture};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::MessageChannel;

use crate::runtime::Spawn;

/// The page's event loop.
#[derive(Default)]
pub(super) struct WebSpawn {
    /// Made when somebody gives way for the first time: a channel for each time would cost more than most work.
    messages: RefCell<Option<Rc<OwnMessages>>>,
}

impl Spawn for WebSpawn {
    fn spawn_detached(&self, future: LocalBoxFuture<'static, ()>) {
        wasm_bindgen_futures::spawn_local(future);
    }

    /// By a message to ourselves: a promise would run before the page paints, a timer up to 4 ms late.
    fn yield_now(&self) -> LocalBoxFuture<'static, ()> {
        let messages = self.messages.borrow_mut().get_or_insert_with(|| Rc::new(OwnMessages::new())).clone();
        async move {
            if let Some(arrival) = messages.send() {
                // Sent for as long as the channel lives.
                let _ = arrival.await;
            }
        }
        .boxed_local()
    }
}

/// Messages from the page to itself: they arrive in their order, each after the host had its turn.
struct OwnMessages {
    channel: Option<MessageChannel>,
    under_way: Rc<RefCell<VecDeque<oneshot::Sender<()>>>>,
    _on_message: Closure<dyn FnMut()>,
}

impl OwnMessages {
    fn new() -> Self {
        let under_way = Rc::new(RefCell::new(VecDeque::<oneshot::Sender<()>>::new()));
        let arrived = Rc::clone(&under_way);
        let on_message = Closure::<dyn FnMut()>::new(move || {
            let sender = arrived.borrow_mut().pop_front();
            if let Some(sender) = sender {
                // The receiver is gone when the task was ended meanwhile.
                let _ = sender.send(());
            }
        });
        let channel = MessageChannel::new().ok();
        if let Some(channel) = &channel {
            channel.port1().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        }
        Self { channel, under_way, _on_message: on_message }
    }

    /// None when nothing can be sent.
    fn send(&self) -> Option<oneshot::Receiver<()>> {
        self.channel.as_ref()?.port2().post_message(&wasm_bindgen::JsValue::NULL).ok()?;
        let (sender, receiver) = oneshot::channel();
        self.under_way.borrow_mut().push_back(sender);
        Some(receiver)
    }
}

impl Drop for OwnMessages {
    fn drop(&mut self) {
        if let Some(channel) = &self.channel {
            channel.port1().close();
        }
    }
}
