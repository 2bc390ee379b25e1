use std::ops::Range;

use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::control_flow::When;
use crate::ui::hooks::focus_by_id;
use crate::view::QueryError;

/// The query, with what is wrong in it below.
#[component]
pub(crate) fn QueryBox(
    /// What stands in it.
    #[prop(into)]
    value: Signal<String>,
    /// What is wrong in it.
    #[prop(into)]
    errors: Signal<Vec<QueryError>>,
    /// Why nothing can be filtered here; none where it can.
    #[prop(into)]
    is_off: Signal<Option<&'static str>>,
    /// Called at each letter.
    on_change: Callback<String>,
) -> impl IntoView {
    let clear = move || {
        on_change.run(String::new());
        focus_by_id("query");
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Escape" if value.with_untracked(String::is_empty) => {
            // A screen may stand where the table would take the keyboard.
            let _ = event_target::<web_sys::HtmlElement>(&event).blur();
            focus_by_id("table");
        }
        "Escape" => on_change.run(String::new()),
        "Enter" | "ArrowDown" => {
            event.prevent_default();
            focus_by_id("table");
        }
        _ => {}
    };
    view! {
        <div class="query-box" class:off=move || is_off.get().is_some() role="search">
            <Icon shape=Shape::Search />
            <input
                id="query"
                type="text"
                placeholder="Filter"
                aria-label="Filter"
                title=move || {
                    let help = "Words that a row must have, status:Running, restarts>3, age<10m, -l app=web, kind:pod,svc (/)";
                    is_off.get().unwrap_or(help)
                }
                disabled=move || is_off.get().is_some()
                aria-invalid=move || errors.with(|errors| (!errors.is_empty()).then_some("true"))
                aria-describedby="query-errors"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || if is_off.get().is_some() { String::new() } else { value.get() }
                on:input:target=move |event| on_change.run(event.target().value())
                on:keydown=on_key
            />
            <When
                when=move || is_off.get().is_some() || !value.with(String::is_empty)
                fallback=|| view! { <kbd aria-hidden="true">"/"</kbd> }
            >
                <button
                    class="query-clear"
                    aria-label="Clear the filter"
                    title="Clear the filter (Esc)"
                    on:click=move |_| clear()
                >
                    <Icon shape=Shape::Close />
                </button>
            </When>
            <ul id="query-errors" class="query-errors" data-testid="query-errors" aria-live="polite">
                {move || {
                    let text = value.get();
                    errors.get().into_iter().map(|error| view! { <Fault text=text.clone() error=error /> }).collect_view()
                }}
            </ul>
        </div>
    }
}

/// What is wrong, and where in the text.
#[component]
pub(super) fn Fault(
    /// The whole query.
    text: String,
    /// What is wrong in it.
    error: QueryError,
) -> impl IntoView {
    let part = |range: Range<usize>| text.get(range).unwrap_or_default().to_owned();
    let QueryError { at, message } = error;
    // At the end of what was written, something is missing.
    let (start, end) = (at.start, at.end.max(at.start));
    let wrong = part(start..end);
    view! {
        <li>
            <code>{part(0..start)}<mark>{if wrong.is_empty() { "…".into() } else { wrong }}</mark>{part(end..text.len())}</code>
            <span>{message}</span>
        </li>
    }
}
