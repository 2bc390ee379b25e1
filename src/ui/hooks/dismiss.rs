use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, Node};

use super::use_window_event;

/// Closes what is open at Escape and at a press outside of it. With Escape the keyboard goes back to its button.
pub(crate) fn use_dismiss(container: NodeRef<Div>, is_open: RwSignal<bool>) {
    use_window_event(leptos::ev::pointerdown, move |event: PointerEvent| {
        if !is_open.get_untracked() {
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
        let is_inside = container.get_untracked().is_some_and(|container| container.contains(target.as_ref()));
        if !is_inside {
            is_open.set(false);
        }
    });
    use_window_event(leptos::ev::keydown, move |event: KeyboardEvent| {
        if event.key() != "Escape" || !is_open.get_untracked() {
            return;
        }
        event.prevent_default();
        is_open.set(false);
        let button = container.get_untracked().and_then(|it| it.query_selector("button[aria-expanded]").ok().flatten());
        if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
            // A button that is gone cannot take the keyboard.
            let _ = button.focus();
        }
    });
}

/// A press on a dialog's backdrop: the dialog itself is hit only beside its content.
pub(crate) fn is_beside(event: &web_sys::MouseEvent) -> bool {
    event.target().is_some() && event.target() == event.current_target()
}
