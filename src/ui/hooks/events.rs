use leptos::ev::EventDescriptor;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Listens on the window for as long as the component lives.
pub(crate) fn use_window_event<E>(event: E, handler: impl Fn(E::EventType) + 'static)
where
    E: EventDescriptor + 'static,
    E::EventType: JsCast,
{
    let handle = window_event_listener(event, handler);
    on_cleanup(move || handle.remove());
}
