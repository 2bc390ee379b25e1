use leptos::prelude::*;

use super::rail_entry::{Entry, EntryLinks};
use super::{Icon, Shape};
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
    props: RailModel,
    /// The pages that are of no kind and stand above the kinds: their names, and what they are called.
    head: &'static [(&'static str, &'static str)],
    /// Those below.
    foot: &'static [(&'static str, &'static str)],
) -> impl IntoView {
    let RailModel { groups, current, note, is_open, is_collapsed, on_collapse, on_help, .. } = props;
    let search = RwSignal::new(String::new());
    let has_many =
        Memo::new(move |_| groups.with(|groups| groups.iter().map(|it| it.entries.len()).sum::<usize>() > FEW));
    let found_none = move || {
        let search = search.get().to_lowercase();
        !search.is_empty()
            && groups.with(|groups| !groups.iter().any(|group| group.entries.iter().any(|it| it.has(&search))))
    };
    let (collapse, shape) = (
        move || if is_collapsed.get() { "Expand (b)" } else { "Collapse to icons (b)" },
        move || if is_collapsed.get() { Shape::Expand } else { Shape::Collapse },
    );
    let special = move |(page, title): &(&'static str, &'static str)| {
        let (page, title) = (*page, *title);
        view! {
            <a
                class="rail-hint rail-link"
                href=move || props.link.run(page.into())
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
    view! {
        <nav class="rail" class:open=move || is_open.get() class:collapsed=move || is_collapsed.get() aria-label="Pages">
            <div class="rail-groups">
                {head.iter().map(special).collect_view()}
                <Show when=move || has_many.get()>
                    <input
                        id="rail-search"
                        class="rail-search"
                        type="search"
                        placeholder="Find a kind"
                        aria-label="Find a kind"
                        autocomplete="off"
                        spellcheck="false"
                        prop:value=move || search.get()
                        on:input:target=move |event| search.set(event.target().value())
                        on:keydown=move |event| {
                            if event.key() == "Escape" {
                                search.set(String::new());
                            }
                        }
                    />
                </Show>
                <Favourites props=props search=search.into() />
                <For
                    each=move || groups.get()
                    key=|group| (group.title.clone(), group.entries.len())
                    children=move |group| view! { <Group props=props group=group search=search.into() /> }
                />
                <Show when=found_none><p class="rail-note">"No kind is called so"</p></Show>
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
                    title=collapse
                    aria-label=collapse
                    aria-pressed=move || is_collapsed.get().to_string()
                    on:click=move |_| on_collapse.run(())
                >
                    {move || view! { <Icon shape=shape() /> }}
                    <span class="rail-title">"Collapse"</span>
                </button>
            </div>
        </nav>
        <div class="rail-backdrop" class:open=move || is_open.get() on:click=move |_| is_open.set(false)></div>
    }
    .into_any()
}

impl RailEntry {
    /// Whether a search, in lower case, finds it.
    pub(super) fn has(&self, search: &str) -> bool {
        self.page.contains(search) || self.title.to_lowercase().contains(search) || self.icon == search
    }
}

#[component]
fn Group(
    /// What the rail shows and calls.
    props: RailModel,
    /// The pages, and what they are called together.
    group: RailGroup,
    /// What is searched for; empty for nothing.
    search: Signal<String>,
) -> impl IntoView {
    let RailGroup { title, is_open, entries } = group;
    let pages = StoredValue::new(entries.iter().map(|entry| entry.page.clone()).collect::<Vec<_>>());
    let all = StoredValue::new(entries.clone());
    // Where one is, one should see that one is there.
    let is_here = pages.with_value(|pages| props.current.with_untracked(|current| pages.contains(current)));
    let chosen = untrack(|| props.chosen.run(title.clone()));
    let is_shown = RwSignal::new(chosen.unwrap_or(is_open) || is_here);
    let is_searched = Memo::new(move |_| search.with(|search| !search.is_empty()));
    let fits = move || {
        let search = search.get().to_lowercase();
        all.with_value(|all| all.iter().any(|entry| entry.has(&search)))
    };
    Effect::new(move |was_shown: Option<bool>| {
        let is_shown = is_shown.get();
        if is_shown {
            props.on_look.run((pages.get_value(), was_shown != Some(true)));
        }
        is_shown
    });
    let (name, heading) = (title.clone(), title.clone());
    let toggle = move |event: leptos::ev::MouseEvent| {
        // What it shows then is for the signal to say.
        event.prevent_default();
        let now = !is_shown.get_untracked();
        is_shown.set(now);
        props.on_group.run((name.clone(), now));
    };
    let links = EntryLinks { is_favourite: false, search };
    view! {
        <details
            class="rail-group"
            data-group=heading
            hidden=move || is_searched.get() && !fits()
            prop:open=move || is_shown.get() || is_searched.get()
        >
            <summary on:click=toggle>{title}</summary>
            <ul>
                {entries.into_iter().map(|entry| view! { <Entry props=props entry=entry links=links /> }).collect_view()}
            </ul>
        </details>
    }
}

#[component]
fn Favourites(
    /// What the rail shows and calls.
    props: RailModel,
    /// What is searched for; empty for nothing.
    search: Signal<String>,
) -> impl IntoView {
    // Those that this cluster has.
    let entries = Memo::new(move |_| {
        let favourites = props.favourites.get();
        props.groups.with(|groups| {
            let all = || groups.iter().flat_map(|group| &group.entries);
            favourites.iter().filter_map(|page| all().find(|it| it.page == *page)).cloned().collect::<Vec<_>>()
        })
    });
    Effect::new(move |_| {
        props.on_look.run((entries.with(|entries| entries.iter().map(|entry| entry.page.clone()).collect()), false));
    });
    let links = EntryLinks { is_favourite: true, search };
    view! {
        <Show when=move || !entries.with(Vec::is_empty)>
            <section class="rail-group rail-favourites" aria-label="Favourites">
                <h2>"Favourites"</h2>
                <ul>
                    <For
                        each=move || entries.get()
                        key=|entry| entry.page.clone()
                        children=move |entry| view! { <Entry props=props entry=entry links=links /> }
                    />
                </ul>
            </section>
        </Show>
    }
}

fn shape_of(page: &str) -> Shape {
    match page {
        "overview" => Shape::Mark,
        "grouped-events" => Shape::Bell,
        _ => Shape::Pulse,
    }
}
