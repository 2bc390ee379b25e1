use std::ops::Range;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use super::{Icon, Shape};
use crate::ui::control_flow::each;
use crate::ui::hooks::focus_by_id;
use crate::view::Query;

/// The terms of a query, which are taken away one by one.
#[component]
pub(crate) fn FilterChips(
    /// The query as it is written.
    query: Signal<String>,
    /// Takes the query without the term that was taken away.
    on_change: Callback<String>,
) -> impl IntoView {
    let terms = Memo::new(move |_| {
        let query = Query::parse(&query.get());
        query.terms().into_iter().map(|term| (term.range, term.text.to_owned())).collect::<Vec<_>>()
    });
    let remove = move |at: usize, range: &Range<usize>| {
        // The last one's place is taken by the one before it.
        let at = at.min(terms.with_untracked(Vec::len).saturating_sub(2));
        on_change.run(Query::parse(&query.get_untracked()).without(range).text().to_owned());
        request_animation_frame(move || focus(at));
    };
    let chip = move |(at, (range, text)): (usize, (Range<usize>, String))| {
        let label = format!("Remove {text}");
        let (pressed, removed) = (range.clone(), range);
        let on_key = move |event: KeyboardEvent| {
            match event.key().as_str() {
                "Delete" | "Backspace" => remove(at, &pressed),
                "ArrowRight" => focus((at + 1).min(terms.with_untracked(Vec::len).saturating_sub(1))),
                "ArrowLeft" => focus(at.saturating_sub(1)),
                _ => return,
            }
            event.prevent_default();
        };
        view! {
            <li class="chip" data-testid="filter-chip" title=text>
                <span class="chip-text">{text.clone()}</span>
                <button
                    aria-label=label.clone()
                    title=format!("{label} (Del)")
                    on:click=move |_| remove(at, &removed)
                    on:keydown=on_key
                >
                    <Icon shape=Shape::Close />
                </button>
            </li>
        }
        .into_any()
    };
    view! {
        <ul class="filter-chips" aria-label="Filters">
            {each(move || terms.get().into_iter().enumerate().collect(), Clone::clone, chip)}
        </ul>
    }
    .into_any()
}

/// Gives the keyboard to a chip, and where there is none to the query's box.
fn focus(at: usize) {
    let button = || {
        let all = document().query_selector_all(".filter-chips button").ok()?;
        all.item(u32::try_from(at).ok()?)?.dyn_into::<HtmlElement>().ok()
    };
    match button() {
        // A chip that stands there takes it.
        Some(button) => drop(button.focus()),
        None => focus_by_id("query"),
    }
}
