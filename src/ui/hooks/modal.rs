use leptos::html::Dialog;
use leptos::prelude::*;

/// Shows a dialog over the page while it is open. At its end the keyboard goes back to where it was.
pub(crate) fn use_modal(dialog: NodeRef<Dialog>, is_open: RwSignal<bool>) {
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if is_open.get() {
            // Refused only when it is open already.
            let _ = dialog.show_modal();
        } else {
            dialog.close();
        }
    });
}
