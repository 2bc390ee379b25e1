use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::hooks::focus_by_id;

/// The text filter.
#[component]
pub(crate) fn QueryBox(
    /// What stands in it.
    #[prop(into)]
    value: Signal<String>,
    /// Called at each letter.
    on_change: Callback<String>,
) -> impl IntoView {
    let clear = move || {
        on_change.run(String::new());
        focus_by_id("query");
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Escape" if value.with_untracked(String::is_empty) => focus_by_id("table"),
        "Escape" => on_change.run(String::new()),
        "Enter" | "ArrowDown" => {
            event.prevent_default();
            focus_by_id("table");
        }
        _ => {}
    };
    view! {
        <div class="query-box" role="search">
            <Icon shape=Shape::Search />
            <input
                id="query"
                type="text"
                placeholder="Filter"
                aria-label="Filter"
                title="Words that a row must have, in any order (/)"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || value.get()
                on:input:target=move |event| on_change.run(event.target().value())
                on:keydown=on_key
            />
            <Show when=move || !value.with(String::is_empty) fallback=|| view! { <kbd aria-hidden="true">"/"</kbd> }>
                <button
                    class="query-clear"
                    aria-label="Clear the filter"
                    title="Clear the filter (Esc)"
                    on:click=move |_| clear()
                >
                    <Icon shape=Shape::Close />
                </button>
            </Show>
        </div>
    }
}
