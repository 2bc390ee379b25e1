use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Dialog;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use super::{Icon, Shape};
use crate::ui::control_flow::When;
use crate::ui::hooks::{focus_by_id, is_beside, use_modal};
use crate::ui::time::grouped;
use crate::view::palette::{Candidate, Choice};

/// A dialog that leads to any kind, namespace, object and action by its name.
#[component]
pub(crate) fn Palette(
    /// Shown now.
    is_open: RwSignal<bool>,
    /// What is offered for a text.
    candidates: Callback<String, Vec<Candidate>>,
    /// What is searched, in a sentence.
    note: Callback<(), String>,
    /// A choice is in force already, as a namespace that is shown.
    is_chosen: Callback<Choice, bool>,
    /// Where a choice leads; none for what is done on the page.
    link: Callback<Choice, Option<String>>,
    /// Takes a choice, and whether it is to be added to what is in force.
    on_choose: Callback<(Choice, bool)>,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog, is_open);
    view! {
        <dialog
            class="palette"
            aria-label="Go to"
            node_ref=dialog
            on:close=move |_| is_open.set(false)
            on:click=move |event| {
                if is_beside(&event) {
                    is_open.set(false);
                }
            }
        >
            <When when=move || is_open.get()>
                <Content is_open=is_open candidates=candidates note=note is_chosen=is_chosen link=link on_choose=on_choose />
            </When>
        </dialog>
    }
    .into_any()
}

/// Opens the palette, for who has no keys.
#[component]
pub(crate) fn PaletteButton(
    /// Opens it.
    on_open: Callback<()>,
) -> impl IntoView {
    view! {
        <button
            class="palette-button"
            data-testid="palette"
            aria-haspopup="dialog"
            aria-label="Go to"
            title="Go to a kind, a namespace, an object (Ctrl-K or :)"
            on:click=move |_| on_open.run(())
        >
            <Icon shape=Shape::Command />
        </button>
    }
}

#[component]
fn Content(
    /// Shown now.
    is_open: RwSignal<bool>,
    /// What is offered for a text.
    candidates: Callback<String, Vec<Candidate>>,
    /// What is searched.
    note: Callback<(), String>,
    /// A choice is in force already.
    is_chosen: Callback<Choice, bool>,
    /// Where a choice leads.
    link: Callback<Choice, Option<String>>,
    /// Takes a choice, and whether to add it.
    on_choose: Callback<(Choice, bool)>,
) -> impl IntoView {
    let (text, active) = (RwSignal::new(String::new()), RwSignal::new(0_usize));
    let found = Memo::new(move |_| candidates.run(text.get()));
    let choose = move |at: usize, adds: bool| {
        let Some(choice) = found.with_untracked(|found| found.get(at).map(|it| it.choice.clone())) else { return };
        let stays = adds && matches!(choice, Choice::Namespaces(_));
        on_choose.run((choice, stays));
        if !stays {
            is_open.set(false);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let last = found.with_untracked(Vec::len).saturating_sub(1);
        let now = active.get_untracked().min(last);
        match event.key().as_str() {
            "ArrowDown" => active.set(if now == last { 0 } else { now + 1 }),
            "ArrowUp" => active.set(now.checked_sub(1).unwrap_or(last)),
            "PageDown" => active.set((now + 10).min(last)),
            "PageUp" => active.set(now.saturating_sub(10)),
            "Enter" => choose(now, event.shift_key() || event.ctrl_key() || event.meta_key()),
            _ => return,
        }
        event.prevent_default();
    };
    let on_click = move |event: MouseEvent| {
        let option = event.target().and_then(|target| target.dyn_into::<Element>().ok()?.closest("[data-at]").ok()?);
        let at = option.and_then(|option| option.get_attribute("data-at")?.parse().ok());
        let adds = event.shift_key() || event.ctrl_key() || event.meta_key();
        // Those keys have the browser open a link elsewhere.
        let is_elsewhere = |at: usize| {
            let link = |found: &Vec<Candidate>| found.get(at).and_then(|it| link.run(it.choice.clone()));
            adds && found.with_untracked(link).is_some()
        };
        if let Some(at) = at.filter(|at| !is_elsewhere(*at)) {
            event.prevent_default();
            choose(at, adds);
        }
    };
    Effect::new(move |_| focus_by_id("palette-text"));
    Effect::new(move |_| {
        found.track();
        mark(active.get());
    });
    let option = move |(at, candidate): (usize, Candidate)| {
        let Candidate { choice, title, detail, key } = candidate;
        let mark = if is_chosen.run(choice.clone()) { "✓" } else { key };
        view! {
            <a
                role="option"
                id=format!("palette-option-{at}")
                class="palette-option"
                href=link.run(choice)
                tabindex="-1"
                data-at=at.to_string()
            >
                <span class="palette-title">{title}</span>
                <span class="palette-detail">{detail}</span>
                <kbd>{mark}</kbd>
            </a>
        }
    };
    let results = move || match found.with(Vec::len) {
        0 => "Nothing is called so".to_owned(),
        1 => "1 result".into(),
        count => format!("{} results", grouped(count)),
    };
    view! {
        <div class="palette-content" on:keydown=on_key>
            <div class="palette-head">
                <Icon shape=Shape::Command />
                <input
                    id="palette-text"
                    data-testid="palette-text"
                    type="text"
                    role="combobox"
                    aria-expanded="true"
                    aria-autocomplete="list"
                    aria-controls="palette-list"
                    aria-label="Go to a kind, a namespace, an object or an action"
                    placeholder="deploy kube-system, a namespace, a name, an action"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    on:input:target=move |event| {
                        active.set(0);
                        text.set(event.target().value());
                    }
                />
                <button class="palette-close" aria-label="Close" title="Close (Esc)" on:click=move |_| is_open.set(false)>
                    <Icon shape=Shape::Close />
                </button>
            </div>
            <div
                id="palette-list"
                class="palette-list"
                role="listbox"
                aria-label="Results"
                // The keyboard stays in the text.
                on:mousedown=|event| if event.button() == 0 { event.prevent_default() }
                on:click=on_click
            >
                {move || found.get().into_iter().enumerate().map(option).collect_view()}
            </div>
            <p class="palette-note">
                <span role="status" data-testid="palette-results">{results}</span>
                <span>{note.run(())}</span>
                <span class="palette-keys"><kbd>"↵"</kbd>" go "<kbd>"⇧↵"</kbd>" add a namespace"</span>
            </p>
        </div>
    }
    .into_any()
}

/// Marks the option that `Enter` chooses, and scrolls as far as it needs. By hand: there are many of them.
fn mark(active: usize) {
    let element = |id: &str| document().get_element_by_id(id);
    let (Some(list), Some(text)) = (element("palette-list"), element("palette-text")) else { return };
    let set = |element: &Element, name: &str, value: &str| {
        // Fails for an invalid name only.
        let _ = element.set_attribute(name, value);
    };
    let mut option = list.first_element_child();
    for at in 0.. {
        let Some(here) = option else { break };
        set(&here, "aria-selected", if at == active { "true" } else { "false" });
        option = here.next_element_sibling();
    }
    set(&text, "aria-activedescendant", &format!("palette-option-{active}"));
    let Some(option) = element(&format!("palette-option-{active}")) else { return };
    let (view, place) = (list.get_bounding_client_rect(), option.get_bounding_client_rect());
    let (above, below) = ((view.top() - place.top()).max(0.0), (place.bottom() - view.bottom()).max(0.0));
    list.set_scroll_top(list.scroll_top() + (below - above) as i32);
}
