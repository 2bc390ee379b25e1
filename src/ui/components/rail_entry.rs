use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::rail::{RailEntry, RailModel};
use super::{Icon, Shape};
use crate::ui::hooks::focus_by_id;
use crate::ui::state::Count;
use crate::ui::time::grouped;

/// Where an entry stands.
#[derive(Clone, Copy)]
pub(super) struct EntryLinks {
    /// Among the favourites, and not in its group.
    pub(super) is_favourite: bool,
    /// What is searched for; empty for nothing.
    pub(super) search: Signal<String>,
}

/// A page of the rail, with its count and its star.
#[component]
pub(super) fn Entry(
    /// What the rail shows and calls.
    props: RailModel,
    /// The page.
    entry: RailEntry,
    /// Where it stands.
    links: EntryLinks,
) -> impl IntoView {
    let EntryLinks { is_favourite, search } = links;
    let RailEntry { title, page, icon } = entry.clone();
    let page = StoredValue::new(page);
    let entry = StoredValue::new(entry);
    let is_starred = move || props.favourites.with(|all| page.with_value(|page| all.contains(page)));
    let id = format!("favourite-{}", page.get_value());
    let on_key = {
        let id = id.clone();
        move |event: KeyboardEvent| {
            let by = match (event.key().as_str(), event.alt_key()) {
                ("ArrowUp", true) if is_favourite => -1,
                ("ArrowDown", true) if is_favourite => 1,
                ("f", false) if !event.ctrl_key() && !event.meta_key() => {
                    event.prevent_default();
                    return props.on_star.run(page.get_value());
                }
                _ => return,
            };
            event.prevent_default();
            props.on_move.run((page.get_value(), by));
            // What is moved loses the keyboard.
            let id = id.clone();
            request_animation_frame(move || focus_by_id(&id));
        }
    };
    let count = Memo::new(move |_| props.count.run(page.get_value()));
    let counted = move || match count.get() {
        Some(Count::Objects(count)) => grouped(count).into_any(),
        Some(Count::Refused(reason)) => {
            view! { <span class="rail-lock" title=reason><Icon shape=Shape::Lock /></span> }.into_any()
        }
        None => ().into_any(),
    };
    let label = move || if is_starred() { "Remove from favourites (f)" } else { "Add to favourites (f)" };
    let hint = if is_favourite { format!("{title} (Alt+↑ and Alt+↓ move it)") } else { title.clone() };
    view! {
        <li
            class="rail-row"
            hidden=move || search.with(|search| !search.is_empty() && !entry.with_value(|it| it.has(&search.to_lowercase())))
        >
            <a
                class="rail-item"
                class:rail-entry=!is_favourite
                id=is_favourite.then_some(id)
                href=move || props.link.run(page.get_value())
                title=hint
                data-page=(!is_favourite).then(|| page.get_value())
                data-favourite=is_favourite.then(|| page.get_value())
                aria-current=move || {
                    props.current.with(|current| page.with_value(|page| current == page)).then_some("page")
                }
                on:click=move |_| props.is_open.set(false)
                on:keydown=on_key
            >
                <span class="rail-icon" aria-hidden="true">{icon}</span>
                <span class="rail-title">{title.clone()}</span>
                <span class="rail-count">{counted}</span>
            </a>
            <button
                class="rail-star"
                tabindex="-1"
                title=label
                aria-label=move || format!("{title}: {}", label())
                aria-pressed=move || is_starred().to_string()
                on:click=move |_| props.on_star.run(page.get_value())
            >
                <Icon shape=Shape::Star />
            </button>
        </li>
    }
    .into_any()
}
