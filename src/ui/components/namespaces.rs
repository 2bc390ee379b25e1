use std::collections::BTreeSet;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::control_flow::{When, each};
use crate::ui::hooks::{focus_by_id, use_dismiss};
use crate::ui::time::grouped;
use crate::view::{has_namespace, is_pattern, read_namespaces};

/// More are found by typing.
const MOST_OPTIONS: usize = 200;

/// A namespace to choose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NamespaceChoice {
    pub(crate) name: String,
    /// How many objects of the page are in it; none where that is not counted.
    pub(crate) count: Option<usize>,
    /// By hand, and in no list.
    pub(crate) is_typed: bool,
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
    /// Takes a name that was typed by hand and is chosen.
    on_add: Callback<String>,
    /// Takes a name that was typed by hand, and is to be kept no longer.
    on_forget: Callback<String>,
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
    let chip = move |name| view! { <Chip name=name toggle=toggle /> }.into_any();
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
                {each(move || chosen.get().into_iter().collect(), String::clone, chip)}
            </ul>
            <When when=move || is_open.get()>
                <Popover
                    choices=choices
                    chosen=chosen
                    note=note
                    toggle=toggle
                    on_all=on_all
                    on_add=on_add
                    on_forget=on_forget
                />
            </When>
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

/// A line of the list.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Line {
    Choice(NamespaceChoice),
    /// What was typed, which is none of the choices.
    Typed(String),
}

impl Line {
    fn name(&self) -> &str {
        match self {
            Self::Choice(choice) => &choice.name,
            Self::Typed(name) => name,
        }
    }
}

/// The choices that what was typed finds, and it itself where it is none of them: first if it is a pattern, or there is
/// nothing else.
fn lines(choices: &[NamespaceChoice], typed: &str) -> Vec<Line> {
    let wanted = typed.trim().to_lowercase();
    let pattern = BTreeSet::from([wanted.clone()]);
    let is_found = |name: &str| match is_pattern(&wanted) {
        true => name == wanted || has_namespace(&pattern, name),
        false => name.contains(&wanted),
    };
    let mut lines: Vec<_> = choices.iter().filter(|choice| is_found(&choice.name)).cloned().map(Line::Choice).collect();
    if !wanted.is_empty() && !choices.iter().any(|choice| choice.name == wanted) {
        let at = if is_pattern(&wanted) { 0 } else { lines.len() };
        lines.insert(at, Line::Typed(wanted));
    }
    lines
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
    /// Takes a name that was typed by hand and is chosen.
    on_add: Callback<String>,
    /// Takes a name that was typed by hand, and is to be kept no longer.
    on_forget: Callback<String>,
) -> impl IntoView {
    let search = RwSignal::new(String::new());
    let error = RwSignal::new(None::<String>);
    let active = RwSignal::new(0_usize);
    let matching = Memo::new(move |_| choices.with(|all| search.with(|typed| lines(all, typed))));
    let options = move || matching.with(|all| all.iter().take(MOST_OPTIONS).cloned().enumerate().collect::<Vec<_>>());
    let hidden = move || matching.with(Vec::len).saturating_sub(MOST_OPTIONS);
    let choose = Callback::new(move |line: Line| match line {
        Line::Choice(choice) => toggle.run(choice.name),
        Line::Typed(text) => match read_namespaces(&text) {
            Err(reason) => error.set(Some(reason)),
            Ok(names) => {
                for name in names {
                    on_add.run(name.clone());
                    if chosen.with_untracked(|chosen| !chosen.contains(&name)) {
                        toggle.run(name);
                    }
                }
                search.set(String::new());
                active.set(0);
            }
        },
    });
    let at_active = move || matching.with_untracked(|all| all.get(active.get_untracked()).cloned());
    let on_key = move |event: KeyboardEvent| {
        let last = matching.with_untracked(Vec::len).min(MOST_OPTIONS).saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => active.update(|at| *at = (*at + 1).min(last)),
            "ArrowUp" => active.update(|at| *at = at.saturating_sub(1)),
            "Enter" => at_active().into_iter().for_each(|line| choose.run(line)),
            "Delete" if search.with_untracked(String::is_empty) => match at_active() {
                Some(Line::Choice(choice)) if choice.is_typed => on_forget.run(choice.name),
                _ => return,
            },
            _ => return,
        }
        event.prevent_default();
        scroll_to_option(active.get_untracked());
    };
    Effect::new(move |_| focus_by_id("namespace-search"));
    let row = move |(at, line): (usize, Line)| option(at, line, chosen, active, choose, on_forget).into_any();
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
                    aria-label="Find a namespace, or type its name"
                    placeholder="Find or type a name, team-*"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || search.get()
                    on:input:target=move |event| {
                        search.set(event.target().value());
                        error.set(None);
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
                {each(options, Clone::clone, row)}
            </ul>
            <When when=move || error.with(Option::is_some)>
                <p class="namespaces-note error" role="alert">{move || error.get()}</p>
            </When>
            <When when=move || { hidden() > 0 }>
                <p class="namespaces-note">{move || format!("{} more: type to find them", grouped(hidden()))}</p>
            </When>
            <When when=move || note.get().is_some()>
                <p class="namespaces-note">{move || note.get()}</p>
            </When>
        </div>
    }
}

fn option(
    at: usize,
    line: Line,
    chosen: Signal<BTreeSet<String>>,
    active: RwSignal<usize>,
    choose: Callback<Line>,
    on_forget: Callback<String>,
) -> impl IntoView {
    let name = line.name().to_owned();
    let is_chosen = {
        let name = name.clone();
        move || chosen.with(|chosen| chosen.contains(&name))
    };
    let (text, count, is_typed) = match &line {
        Line::Choice(choice) => (name.clone(), choice.count.map(grouped), choice.is_typed),
        Line::Typed(name) if is_pattern(name) => (format!("All that fit {name}"), Some("Enter".into()), false),
        Line::Typed(name) => (format!("Add {name}"), Some("Enter".into()), false),
    };
    let forgotten = name.clone();
    view! {
        <li
            role="option"
            id=format!("namespace-option-{at}")
            class="option"
            class:active=move || active.get() == at
            data-namespace=name
            aria-selected=move || is_chosen().to_string()
            on:click=move |_| {
                active.set(at);
                choose.run(line.clone());
            }
        >
            <span class="option-box"><Icon shape=Shape::Check /></span>
            <span class="option-text">{text}</span>
            <span class="option-count">{count}</span>
            {is_typed.then(|| view! {
                <button
                    class="option-forget"
                    tabindex="-1"
                    aria-label=format!("Forget {forgotten}")
                    title="Typed by hand: forget it (Delete)"
                    on:click=move |event| {
                        event.stop_propagation();
                        on_forget.run(forgotten.clone());
                    }
                >
                    <Icon shape=Shape::Close />
                </button>
            })}
        </li>
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
