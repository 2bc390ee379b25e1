use leptos::prelude::*;

use crate::ui::time::grouped;

/// A page that the rail leads to.
#[derive(Clone, PartialEq)]
pub(crate) struct RailEntry {
    pub(crate) title: String,
    /// The page's name.
    pub(crate) page: String,
}

/// Pages that belong together.
#[derive(Clone, PartialEq)]
pub(crate) struct RailGroup {
    /// Empty for pages that stand above the groups.
    pub(crate) title: String,
    /// Shown without a press.
    pub(crate) is_open: bool,
    pub(crate) entries: Vec<RailEntry>,
}

/// The list of pages at the left.
#[component]
pub(crate) fn Rail(
    /// From the top to the bottom.
    #[prop(into)]
    groups: Signal<Vec<RailGroup>>,
    /// The page that is shown.
    current: Signal<String>,
    /// The hash of a page.
    link: Callback<String, String>,
    /// How many objects a page has; none while that is not known.
    count: Callback<String, Option<usize>>,
    /// What stands below the groups: that they are still asked for, or why some are missing.
    note: Signal<Option<String>>,
    /// Shown over the page, where there is no room beside it.
    is_open: RwSignal<bool>,
    /// Shows the list of keys.
    on_help: Callback<()>,
) -> impl IntoView {
    let item = move |entry: RailEntry| {
        let RailEntry { title, page } = entry;
        let (href, counted, here) = (page.clone(), page.clone(), page);
        view! {
            <li>
                <a
                    class="rail-entry"
                    href=move || link.run(href.clone())
                    title=title
                    data-page=here.clone()
                    aria-current=move || current.with(|current| *current == here).then_some("page")
                    on:click=move |_| is_open.set(false)
                >
                    <span class="rail-title">{title.clone()}</span>
                    <span class="rail-count">{move || count.run(counted.clone()).map(grouped)}</span>
                </a>
            </li>
        }
    };
    let group = move |group: RailGroup| {
        if group.title.is_empty() {
            return view! { <ul>{group.entries.into_iter().map(item).collect_view()}</ul> }.into_any();
        }
        let pages: Vec<_> = group.entries.iter().map(|entry| entry.page.clone()).collect();
        // Where one is, one should see that one is there.
        let is_open = group.is_open || current.with_untracked(|current| pages.contains(current));
        view! {
            <details class="rail-group" open=is_open>
                <summary>{group.title}</summary>
                <ul>{group.entries.into_iter().map(item).collect_view()}</ul>
            </details>
        }
        .into_any()
    };
    view! {
        <nav class="rail" class:open=move || is_open.get() aria-label="Pages">
            <div class="rail-groups">
                <For each=move || groups.get() key=|group| (group.title.clone(), group.entries.len()) children=group />
                <p class="rail-note">{move || note.get()}</p>
            </div>
            <button class="rail-hint" title="Keys (?)" on:click=move |_| on_help.run(())>
                <kbd>"?"</kbd>
                <span class="rail-title">"Keys"</span>
            </button>
        </nav>
        <div class="rail-backdrop" class:open=move || is_open.get() on:click=move |_| is_open.set(false)></div>
    }
}
