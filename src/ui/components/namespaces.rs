use std::collections::BTreeSet;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::hooks::{focus_by_id, use_dismiss};
use crate::ui::time::grouped;

/// More are found by typing.
const MOST_OPTIONS: usize = 200;

/// A namespace to choose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NamespaceChoice {
    pub(crate) name: String,
    /// How many objects of the page are in it; none where that is not counted.
    pub(crate) count: Option<usize>,
}

/// A picker of several namespaces, with a chip for each chosen one.
#[component]
pub(crate) fn NamespacePicker(
    /// All that are known, in the order of their names.
    #[prop(into)]
    choices: Signal<Vec<NamespaceChoice>>,
    /// Empty for all.
    #[prop(into)]
    chosen: Signal<BTreeSet<String>>,
    /// Why there may be more than the choices; none when these are all.
    #[prop(into)]
    note: Signal<Option<&'static str>>,
    /// Takes what is chosen now.
    on_change: Callback<BTreeSet<String>>,
) -> impl IntoView {
    let container = NodeRef::<Div>::new();
    let is_open = RwSignal::new(false);
    use_dismiss(container, is_open);
    let toggle = Callback::new(move |name: String| {
        let mut now = chosen.get_untracked();
        if !now.remove(&name) {
            now.insert(name);
        }
        on_change.run(now);
    });
    let on_all = Callback::new(move |()| on_change.run(BTreeSet::new()));
    let label = move || if chosen.with(BTreeSet::is_empty) { "All namespaces" } else { "Namespaces" };
    view! {
        <div class="namespaces" node_ref=container>
            <button
                class="button"
                data-testid="namespaces"
                aria-haspopup="listbox"
                aria-expanded=move || is_open.get().to_string()
                title="Choose namespaces (n)"
                id="namespaces"
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                <Icon shape=Shape::Namespaces />
                <span class="namespaces-label">{label}</span>
                <Icon shape=Shape::Down />
            </button>
            <ul class="namespaces-chips">
                <For each=move || chosen.get() key=String::clone let:name>
                    <Chip name=name toggle=toggle />
                </For>
            </ul>
            <Show when=move || is_open.get()>
                <Popover choices=choices chosen=chosen note=note toggle=toggle on_all=on_all />
            </Show>
        </div>
    }
}

#[component]
fn Chip(
    /// The namespace.
    name: String,
    /// Removes it.
    toggle: Callback<String>,
) -> impl IntoView {
    let label = format!("Remove {name}");
    let removed = name.clone();
    view! {
        <li class="chip" data-testid="namespace-chip" data-namespace=name.clone() title=name>
            <span class="chip-text">{name.clone()}</span>
            <button aria-label=label.clone() title=label on:click=move |_| toggle.run(removed.clone())>
                <Icon shape=Shape::Close />
            </button>
        </li>
    }
}

#[component]
fn Popover(
    /// All that are known.
    choices: Signal<Vec<NamespaceChoice>>,
    /// Those chosen.
    chosen: Signal<BTreeSet<String>>,
    /// Why there may be more.
    note: Signal<Option<&'static str>>,
    /// Chooses one, or no more.
    toggle: Callback<String>,
    /// Chooses none, which means all.
    on_all: Callback<()>,
) -> impl IntoView {
    let search = RwSignal::new(String::new());
    let active = RwSignal::new(0_usize);
    let matching = Memo::new(move |_| {
        let wanted = search.get().trim().to_lowercase();
        choices.with(|all| all.iter().filter(|it| it.name.contains(&wanted)).cloned().collect::<Vec<_>>())
    });
    let options = move || matching.with(|all| all.iter().take(MOST_OPTIONS).cloned().enumerate().collect::<Vec<_>>());
    let hidden = move || matching.with(Vec::len).saturating_sub(MOST_OPTIONS);
    let on_key = move |event: KeyboardEvent| {
        let last = matching.with_untracked(Vec::len).min(MOST_OPTIONS).saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => active.update(|at| *at = (*at + 1).min(last)),
            "ArrowUp" => active.update(|at| *at = at.saturating_sub(1)),
            "Enter" => {
                let name = matching.with_untracked(|all| all.get(active.get_untracked()).map(|it| it.name.clone()));
                if let Some(name) = name {
                    toggle.run(name);
                }
            }
            _ => return,
        }
        event.prevent_default();
        scroll_to_option(active.get_untracked());
    };
    Effect::new(move |_| focus_by_id("namespace-search"));
    let row = move |(at, choice): (usize, NamespaceChoice)| {
        let (name, picked) = (choice.name.clone(), choice.name.clone());
        let is_chosen = move || chosen.with(|chosen| chosen.contains(&name));
        view! {
            <li
                role="option"
                id=format!("namespace-option-{at}")
                class="option"
                class:active=move || active.get() == at
                data-namespace=choice.name
                aria-selected=move || is_chosen().to_string()
                on:click=move |_| {
                    active.set(at);
                    toggle.run(picked.clone());
                }
            >
                <span class="option-box"><Icon shape=Shape::Check /></span>
                <span class="option-text">{choice.name.clone()}</span>
                <span class="option-count">{choice.count.map(grouped)}</span>
            </li>
        }
    };
    view! {
        <div class="popover namespaces-popover" on:keydown=on_key>
            <div class="namespaces-search">
                <input
                    id="namespace-search"
                    data-testid="namespace-search"
                    type="text"
                    role="combobox"
                    aria-expanded="true"
                    aria-controls="namespace-list"
                    aria-activedescendant=move || format!("namespace-option-{}", active.get())
                    aria-label="Find a namespace"
                    placeholder="Find a namespace"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || search.get()
                    on:input:target=move |event| {
                        search.set(event.target().value());
                        active.set(0);
                    }
                />
                <button class="link" disabled=move || chosen.with(BTreeSet::is_empty) on:click=move |_| on_all.run(())>
                    "Show all"
                </button>
            </div>
            <ul
                id="namespace-list"
                class="options"
                role="listbox"
                aria-multiselectable="true"
                aria-label="Namespaces"
                // The keyboard stays in the search box.
                on:mousedown=|event| event.prevent_default()
            >
                <For each=options key=|(at, choice)| (*at, choice.clone()) children=row />
            </ul>
            <Show when=move || matching.with(Vec::is_empty)>
                <p class="namespaces-note">"No namespace has that in its name"</p>
            </Show>
            <Show when=move || { hidden() > 0 }>
                <p class="namespaces-note">{move || format!("{} more: type to find them", grouped(hidden()))}</p>
            </Show>
            <Show when=move || note.get().is_some()>
                <p class="namespaces-note">{move || note.get()}</p>
            </Show>
        </div>
    }
}

/// As far as needed, and no farther.
fn scroll_to_option(at: usize) {
    let element = |id: &str| document().get_element_by_id(id);
    let (Some(list), Some(option)) = (element("namespace-list"), element(&format!("namespace-option-{at}"))) else {
        return;
    };
    let (view, place) = (list.get_bounding_client_rect(), option.get_bounding_client_rect());
    let above = (view.top() - place.top()).max(0.0);
    let below = (place.bottom() - view.bottom()).max(0.0);
    list.set_scroll_top(list.scroll_top() + (below - above) as i32);
}
