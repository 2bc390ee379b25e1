use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::time::grouped;

/// A page that the rail leads to.
#[derive(Clone, Copy)]
pub(crate) struct RailEntry {
    pub(crate) title: &'static str,
    pub(crate) shape: Shape,
    /// The page's hash.
    pub(crate) href: &'static str,
    /// How many objects there are; none while that is not known.
    pub(crate) count: Signal<Option<usize>>,
    pub(crate) is_current: bool,
}

/// The list of pages at the left.
#[component]
pub(crate) fn Rail(
    /// From the top to the bottom.
    entries: Vec<RailEntry>,
    /// Shown over the page, where there is no room beside it.
    is_open: RwSignal<bool>,
    /// Shows the list of keys.
    on_help: Callback<()>,
) -> impl IntoView {
    let item = |entry: RailEntry| {
        view! {
            <li>
                <a
                    class="rail-entry"
                    href=entry.href
                    title=entry.title
                    aria-current=entry.is_current.then_some("page")
                    on:click=move |_| is_open.set(false)
                >
                    <Icon shape=entry.shape />
                    <span class="rail-title">{entry.title}</span>
                    <span class="rail-count">{move || entry.count.get().map(grouped)}</span>
                </a>
            </li>
        }
    };
    view! {
        <nav class="rail" class:open=move || is_open.get() aria-label="Pages">
            <ul>{entries.into_iter().map(item).collect_view()}</ul>
            <button class="rail-hint" title="Keys (?)" on:click=move |_| on_help.run(())>
                <kbd>"?"</kbd>
                <span class="rail-title">"Keys"</span>
            </button>
        </nav>
        <div class="rail-backdrop" class:open=move || is_open.get() on:click=move |_| is_open.set(false)></div>
    }
}
