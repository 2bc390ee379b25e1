use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::use_window_event;

/// What is beside the key when it is pressed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chord {
    /// Nothing but shift.
    Plain,
    /// Ctrl, or what takes its place on a Mac.
    Ctrl,
}

/// Calls the handler for keys without a modifier but shift that are not meant for a text field, a menu or a dialog.
/// The handler tells whether it used the key.
pub(crate) fn use_shortcuts(handler: impl Fn(&str) -> bool + 'static) {
    listen(Chord::Plain, Box::new(handler));
}

/// As [`use_shortcuts`] for keys with Ctrl.
pub(crate) fn use_ctrl_shortcuts(handler: impl Fn(&str) -> bool + 'static) {
    listen(Chord::Ctrl, Box::new(handler));
}

fn listen(chord: Chord, handler: Box<dyn Fn(&str) -> bool>) {
    use_window_event(leptos::ev::keydown, move |event: KeyboardEvent| {
        let is_chord = (event.ctrl_key() || event.meta_key()) == (chord == Chord::Ctrl);
        if !is_chord || event.alt_key() || event.default_prevented() {
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_within =
            |selector: &str| target.as_ref().is_some_and(|target| target.closest(selector).ok().flatten().is_some());
        if is_within(ELSEWHERE) {
            return;
        }
        let key = event.key();
        if matches!(key.as_str(), "Enter" | " ") && is_within("button, a") {
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

/// Where keys are meant for what has the keyboard.
const ELSEWHERE: &str =
    "input, textarea, select, [contenteditable], dialog, [role=dialog], [role=listbox], [role=menu]";

/// Gives the keyboard to an element.
pub(crate) fn focus_by_id(id: &str) {
    if let Some(element) = element_by_id(id) {
        // An element that cannot take it leaves it where it was.
        let _ = element.focus();
    }
}

/// Presses a button; tells whether it is there to be pressed.
pub(crate) fn press_by_id(id: &str) -> bool {
    element_by_id(id).filter(|button| !button.hidden()).map(|button| button.click()).is_some()
}

fn element_by_id(id: &str) -> Option<HtmlElement> {
    web_sys::window()?.document()?.get_element_by_id(id)?.dyn_into().ok()
}
