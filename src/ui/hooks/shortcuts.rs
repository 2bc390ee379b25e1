use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::use_window_event;

/// Calls the handler for keys without a modifier but shift that are not meant for a text field, a menu or a dialog.
/// The handler tells whether it used the key.
pub(crate) fn use_shortcuts(handler: impl Fn(&str) -> bool + 'static) {
    use_window_event(leptos::ev::keydown, move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return;
        }
        let is_elsewhere = |target: &Element| {
            target
                .closest(
                    "input, textarea, select, [contenteditable], dialog, [role=dialog], [role=listbox], [role=menu]",
                )
                .ok()
                .flatten()
                .is_some()
        };
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target.as_ref().is_some_and(is_elsewhere) {
            return;
        }
        let is_button = target.is_some_and(|target| target.closest("button, a").ok().flatten().is_some());
        let key = event.key();
        if is_button && matches!(key.as_str(), "Enter" | " ") {
            return;
        }
        if handler(&key) {
            event.prevent_default();
        }
    });
}

/// Calls the handler for a key with Ctrl or Cmd, wherever the keyboard is.
pub(crate) fn use_command_key(key: &'static str, handler: impl Fn() + 'static) {
    use_window_event(leptos::ev::keydown, move |event: KeyboardEvent| {
        let is_command = (event.ctrl_key() || event.meta_key()) && !event.alt_key() && !event.shift_key();
        if is_command && event.key().eq_ignore_ascii_case(key) {
            event.prevent_default();
            handler();
        }
    });
}

/// Gives the keyboard to an element.
pub(crate) fn focus_by_id(id: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    let element = document.and_then(|document| document.get_element_by_id(id)?.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        // An element that cannot take it leaves it where it was.
        let _ = element.focus();
    }
}
