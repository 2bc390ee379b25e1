use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use crate::ui::state::Session;

const KEY: &str = "watchglass.panel";

/// Hundredths of the page that the panel may take, and takes at first.
const LEAST: i32 = 40;
const MOST: i32 = 70;
const FIRST: i32 = 45;

/// How much of the page the panel takes, kept in the browser. A handle.
#[derive(Clone, Copy)]
pub(super) struct Width {
    session: Session,
    /// In hundredths.
    pub(super) share: RwSignal<i32>,
}

impl Width {
    /// As it was left.
    pub(super) fn new() -> Self {
        let session = expect_context::<Session>();
        let kept = session.storage().get(KEY).and_then(|kept| kept.parse().ok()).unwrap_or(FIRST);
        Self { session, share: RwSignal::new(kept.clamp(LEAST, MOST)) }
    }

    fn set(&self, share: i32) {
        self.share.set(share.clamp(LEAST, MOST));
    }

    fn keep(&self) {
        self.session.storage().set(KEY, &self.share.get_untracked().to_string());
    }
}

/// The panel's left edge, to be moved.
#[component]
pub(super) fn Resizer(
    /// What it changes.
    width: Width,
) -> impl IntoView {
    let share = width.share;
    let captured = |event: &PointerEvent| {
        let edge = event.current_target().and_then(|it| it.dyn_into::<Element>().ok());
        edge.filter(|edge| edge.has_pointer_capture(event.pointer_id()))
    };
    let on_move = move |event: PointerEvent| {
        let Some(edge) = captured(&event) else { return };
        let page = document().query_selector(".page").ok().flatten();
        let (Some(page), Some(panel)) = (page, edge.parent_element()) else { return };
        let left = page.get_bounding_client_rect().left() as i32;
        let right = panel.get_bounding_client_rect().right() as i32;
        width.set((right - event.client_x()) * 100 / (right - left).max(1));
    };
    let on_key = move |event: KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowLeft" => share.get_untracked() + 2,
            "ArrowRight" => share.get_untracked() - 2,
            "Home" => LEAST,
            "End" => MOST,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        width.set(to);
        width.keep();
    };
    view! {
        <div
            class="object-edge"
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the panel"
            aria-controls="object-panel"
            aria-valuemin=LEAST
            aria-valuemax=MOST
            aria-valuenow=move || share.get()
            title="Drag, or ← and →, to resize"
            tabindex="0"
            on:pointerdown=move |event| {
                let edge = event.current_target().and_then(|it| it.dyn_into::<Element>().ok());
                // Without it the edge stays where it is.
                let _ = edge.map(|edge| edge.set_pointer_capture(event.pointer_id()));
            }
            on:pointermove=on_move
            on:pointerup=move |_| width.keep()
            on:keydown=on_key
        ></div>
    }
}
