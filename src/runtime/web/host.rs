use std::cell::{Cell, RefCell};
use std::rc::Rc;

use event_listener::{Event, EventListener};
use futures::future::{FutureExt as _, LocalBoxFuture};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{EventTarget, window};

use crate::runtime::{Host, HostState};

/// The page's life, as the browser tells it (<https://wicg.github.io/page-lifecycle/>). Clones are the same host.
///
/// Who only asks for the time needs none of it: the page is not listened to before somebody asks for its state.
#[derive(Clone, Default)]
pub(super) struct WebHost {
    shared: Rc<Shared>,
}

#[derive(Default)]
struct Shared {
    life: Rc<Life>,
    listeners: RefCell<Vec<Listener>>,
}

#[derive(Default)]
struct Life {
    is_frozen: Cell<bool>,
    /// The page has got something to do that may have been kept from it for a while.
    woken: Event,
}

/// Events of the window and of the document.
const EVENTS: [(&[&str], bool); 2] = [
    (&["online", "offline", "pagehide", "pageshow", "focus"], false),
    (&["visibilitychange", "freeze", "resume"], true),
];

impl WebHost {
    /// Ends at the next event that tells of the page's life: timers may be late.
    pub(super) fn woken(&self) -> EventListener {
        self.listen();
        self.shared.life.woken.listen()
    }

    fn listen(&self) {
        if !self.shared.listeners.borrow().is_empty() {
            return;
        }
        let Some(window) = window() else { return };
        let document = window.document().map(EventTarget::from);
        let window = EventTarget::from(window);
        let listeners = EVENTS.iter().flat_map(|(names, of_document)| {
            let target = if *of_document { document.clone() } else { Some(window.clone()) };
            names.iter().filter_map(move |name| Some((target.clone()?, *name)))
        });
        let listeners = listeners.filter_map(|(target, name)| Listener::start(target, name, &self.shared.life));
        self.shared.listeners.replace(listeners.collect());
    }
}

impl Host for WebHost {
    fn state(&self) -> HostState {
        self.listen();
        let window = window();
        HostState {
            is_online: window.as_ref().is_none_or(|window| window.navigator().on_line()),
            is_frozen: self.shared.life.is_frozen.get(),
            is_hidden: window.and_then(|window| window.document()).is_some_and(|document| document.hidden()),
        }
    }

    fn changed(&self) -> LocalBoxFuture<'static, ()> {
        let (host, before) = (self.clone(), self.state());
        async move {
            loop {
                let woken = host.woken();
                if host.state() != before {
                    return;
                }
                woken.await;
            }
        }
        .boxed_local()
    }
}

impl Life {
    fn observe(&self, event: &str) {
        match event {
            "freeze" | "pagehide" => self.is_frozen.set(true),
            // A page that is looked at runs, whatever was missed.
            "resume" | "pageshow" | "focus" => self.is_frozen.set(false),
            _ => {}
        }
        self.woken.notify(usize::MAX);
    }
}

/// Stops listening when dropped.
struct Listener {
    target: EventTarget,
    name: &'static str,
    callback: Closure<dyn FnMut()>,
}

impl Listener {
    fn start(target: EventTarget, name: &'static str, life: &Rc<Life>) -> Option<Self> {
        let life = Rc::clone(life);
        let callback = Closure::<dyn FnMut()>::new(move || life.observe(name));
        target.add_event_listener_with_callback(name, callback.as_ref().unchecked_ref()).ok()?;
        Some(Self { target, name, callback })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Fails only for a callback that is no function.
        let _ = self.target.remove_event_listener_with_callback(self.name, self.callback.as_ref().unchecked_ref());
    }
}
