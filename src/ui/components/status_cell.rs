use leptos::prelude::*;

use crate::view::Health;

/// A status: a word with an icon of its own shape and colour.
#[component]
pub(crate) fn StatusCell(
    /// The word.
    #[prop(into)]
    text: Signal<String>,
    /// What it means.
    #[prop(into)]
    health: Signal<Health>,
) -> impl IntoView {
    view! {
        <span class=move || format!("status {}", health.get().as_str())>{move || text.get()}</span>
    }
}
