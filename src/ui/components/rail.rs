use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::rail_entry::Entry;
use super::{Icon, Shape};
use crate::ui::control_flow::each;
use crate::ui::state::Count;

/// So many kinds are looked through without a search.
const FEW: usize = 30;

/// A page that the rail leads to.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct RailEntry {
    pub(crate) title: String,
    /// The page's name.
    pub(crate) page: String,
    /// Stands for it where there is no room for the title.
    pub(crate) icon: String,
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

/// What a rail shows and calls.
#[derive(Clone, Copy)]
pub(crate) struct RailModel {
    /// From the top to the bottom.
    pub(crate) groups: Signal<Vec<RailGroup>>,
    /// The pages that stand above all groups.
    pub(crate) favourites: Signal<Vec<String>>,
    /// The page that is shown.
    pub(crate) current: Signal<String>,
    /// The hash of a page.
    pub(crate) link: Callback<String, String>,
    /// How many objects a page has; none while that is not known.
    pub(crate) count: Callback<String, Option<Count>>,
    /// Whether a group is open by a person's choice; none without one.
    pub(crate) chosen: Callback<String, Option<bool>>,
    /// A group was opened or closed by a person.
    pub(crate) on_group: Callback<(String, bool)>,
    /// Somebody looks at the counts of these pages; whether that has just begun.
    pub(crate) on_look: Callback<(Vec<String>, bool)>,
    /// Adds a page to the favourites, or removes it.
    pub(crate) on_star: Callback<String>,
    /// Moves a favourite by so many places.
    pub(crate) on_move: Callback<(String, isize)>,
    /// What stands below the groups: that they are still asked for, or why some are missing.
    pub(crate) note: Signal<Option<String>>,
    /// Shown over the page, where there is no room beside it.
    pub(crate) is_open: RwSignal<bool>,
    /// Only icons are shown.
    pub(crate) is_collapsed: Signal<bool>,
    /// Collapses or expands it.
    pub(crate) on_collapse: Callback<()>,
    /// Shows the list of keys.
    pub(crate) on_help: Callback<()>,
}

/// The list of pages at the left.
#[component]
pub(crate) fn Rail(
    /// What it shows and calls.
    model: RailModel,
    /// The pages that are of no kind and stand above the kinds: their names, and what they are called.
    head: &'static [(&'static str, &'static str)],
    /// Those below.
    foot: &'static [(&'static str, &'static str)],
) -> impl IntoView {
    let RailModel { groups, current, note, is_open, is_collapsed, on_collapse, on_help, .. } = model;
    let search = RwSignal::new(String::new());
    let is_few = move || groups.with(|groups| groups.iter().map(|it| it.entries.len()).sum::<usize>() <= FEW);
    Effect::new(move |_| {
        groups.track();
        model.favourites.track();
        let search = search.get().to_lowercase();
        // After the groups are there.
        request_animation_frame(move || show_found(&search));
    });
    let on_search = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" {
            search.set(String::new());
        }
    };
    let special = move |(page, title): &(&'static str, &'static str)| {
        let (page, title) = (*page, *title);
        view! {
            <a
                class="rail-hint"
                href=move || model.link.run(page.into())
                title=title
                data-special=page
                aria-current=move || current.with(|current| *current == page).then_some("page")
                on:click=move |_| is_open.set(false)
            >
                <Icon shape=shape_of(page) />
                <span class="rail-title">{title}</span>
            </a>
        }
        .into_any()
    };
    let class = move || match (is_open.get(), is_collapsed.get()) {
        (false, false) => "rail",
        (true, false) => "rail open",
        (false, true) => "rail collapsed",
        (true, true) => "rail open collapsed",
    };
    let group = move |group| view! { <Group model=model group=group search=search.into() /> }.into_any();
    view! {
        <nav class=class aria-label="Pages">
            <div class="rail-groups">
                {head.iter().map(special).collect_view()}
                <input
                    id="rail-search"
                    class="rail-search"
                    type="search"
                    placeholder="Find a kind"
                    aria-label="Find a kind"
                    autocomplete="off"
                    spellcheck="false"
                    hidden=is_few
                    prop:value=move || search.get()
                    on:input:target=move |event| search.set(event.target().value())
                    on:keydown=on_search
                />
                <Favourites model=model />
                {each(move || groups.get(), |group| (group.title.clone(), group.entries.len()), group)}
                <p class="rail-note" id="rail-none" role="status" hidden>"No kind is called so"</p>
                <p class="rail-note">{move || note.get()}</p>
            </div>
            <div class="rail-foot">
                {foot.iter().map(special).collect_view()}
                <button class="rail-hint" title="Keys (?)" on:click=move |_| on_help.run(())>
                    <kbd>"?"</kbd>
                    <span class="rail-title">"Keys"</span>
                </button>
                <button
                    class="rail-hint rail-collapse"
                    data-testid="collapse"
                    title="Collapse to icons, or expand (b)"
                    aria-label="Collapse to icons"
                    aria-pressed=move || is_collapsed.get().to_string()
                    on:click=move |_| on_collapse.run(())
                >
                    <Icon shape=Shape::Collapse />
                    <span class="rail-title">"Collapse"</span>
                </button>
            </div>
        </nav>
        <div class="rail-backdrop" class:open=move || is_open.get() on:click=move |_| is_open.set(false)></div>
    }
    .into_any()
}

impl RailEntry {
    /// What a search looks at, in lower case.
    pub(super) fn words(&self) -> String {
        format!("{} {} {}", self.title.to_lowercase(), self.page, self.icon)
    }
}

/// Hides what a search does not find: by hand, as hundreds of kinds would each follow it otherwise.
fn show_found(search: &str) {
    let all = |selector: &str| {
        let found = document().query_selector_all(selector).ok();
        let found = found.map_or_else(Vec::new, |found| (0..found.length()).filter_map(|at| found.item(at)).collect());
        found.into_iter().filter_map(|it| it.dyn_into::<HtmlElement>().ok()).collect::<Vec<_>>()
    };
    for row in all(".rail-row") {
        row.set_hidden(!row.get_attribute("data-words").unwrap_or_default().contains(search));
    }
    let mut is_any = false;
    for group in all(".rail-group") {
        let found: Option<Element> = group.query_selector(".rail-row:not([hidden])").ok().flatten();
        group.set_hidden(found.is_none());
        is_any |= found.is_some();
    }
    all("#rail-none").iter().for_each(|none| none.set_hidden(is_any));
}

#[component]
fn Group(
    /// What the rail shows and calls.
    model: RailModel,
    /// The pages, and what they are called together.
    group: RailGroup,
    /// What is searched for; empty for nothing.
    search: Signal<String>,
) -> impl IntoView {
    let RailGroup { title, is_open, entries } = group;
    let pages = StoredValue::new(entries.iter().map(|entry| entry.page.clone()).collect::<Vec<_>>());
    // Where one is, one should see that one is there.
    let is_here = pages.with_value(|pages| model.current.with_untracked(|current| pages.contains(current)));
    let chosen = untrack(|| model.chosen.run(title.clone()));
    let is_shown = RwSignal::new(chosen.unwrap_or(is_open) || is_here);
    Effect::new(move |was_shown: Option<bool>| {
        let is_shown = is_shown.get();
        if is_shown {
            model.on_look.run((pages.get_value(), was_shown != Some(true)));
        }
        is_shown
    });
    let (name, heading, tooltip) = (title.clone(), title.clone(), title.clone());
    let toggle = move |event: leptos::ev::MouseEvent| {
        // What it shows then is for the signal to say.
        event.prevent_default();
        let now = !is_shown.get_untracked();
        is_shown.set(now);
        model.on_group.run((name.clone(), now));
    };
    let entry = |entry| view! { <Entry model=model entry=entry is_favourite=false /> };
    view! {
        <details
            class="rail-group"
            data-group=heading
            prop:open=move || is_shown.get() || !search.with(String::is_empty)
        >
            <summary title=tooltip on:click=toggle>{title}</summary>
            <ul>{entries.into_iter().map(entry).collect_view()}</ul>
        </details>
    }
    .into_any()
}

#[component]
fn Favourites(
    /// What the rail shows and calls.
    model: RailModel,
) -> impl IntoView {
    // Those that this cluster has.
    let entries = move || {
        let favourites = model.favourites.get();
        model.groups.with(|groups| {
            let all = || groups.iter().flat_map(|group| &group.entries);
            favourites.iter().filter_map(|page| all().find(|it| it.page == *page)).cloned().collect::<Vec<_>>()
        })
    };
    Effect::new(move |_| {
        model.on_look.run((entries().into_iter().map(|entry| entry.page).collect(), false));
    });
    let entry = move |entry| view! { <Entry model=model entry=entry is_favourite=true /> };
    move || {
        let entries = entries();
        if entries.is_empty() {
            return ().into_any();
        }
        view! {
            <section class="rail-group rail-favourites" aria-label="Favourites">
                <h2>"Favourites"</h2>
                <ul>{entries.into_iter().map(entry).collect_view()}</ul>
            </section>
        }
        .into_any()
    }
}

fn shape_of(page: &str) -> Shape {
    match page {
        "overview" => Shape::Mark,
        "grouped-events" => Shape::Bell,
        _ => Shape::Pulse,
    }
}
