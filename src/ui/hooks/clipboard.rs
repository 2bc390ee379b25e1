use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

use crate::ui::state::Notices;

/// Copies a text, and says so.
pub(crate) fn copy_text(text: String, notices: Notices) {
    let window = window();
    if !window.is_secure_context() {
        notices.fail("Not copied: the browser allows it only over https or on this machine");
        return;
    }
    let copying = JsFuture::from(window.navigator().clipboard().write_text(&text));
    spawn_local(async move {
        match copying.await {
            Ok(_) => notices.tell(format!("Copied {text}")),
            Err(_) => notices.fail("Not copied: the browser did not allow it"),
        }
    });
}
