use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::rail::{RailEntry, RailModel};
use super::{Icon, Shape};
use crate::ui::hooks::focus_by_id;
use crate::ui::state::Count;
use crate::ui::time::grouped;

/// A page of the rail, with its count and its star.
#[component]
pub(super) fn Entry(
    /// What the rail shows and calls.
    model: RailModel,
    /// The page.
    entry: RailEntry,
    /// It stands among the favourites, and not in its group.
    is_favourite: bool,
) -> impl IntoView {
    let words = entry.words();
    let RailEntry { title, page, icon } = entry;
    let id = format!("favourite-{page}");
    let (of_group, of_favourites) = if is_favourite { (None, Some(page.clone())) } else { (Some(page.clone()), None) };
    let page = StoredValue::new(page);
    let on_key = {
        let id = id.clone();
        move |event: KeyboardEvent| {
            let by = match (event.key().as_str(), event.alt_key()) {
                ("ArrowUp", true) if is_favourite => -1,
                ("ArrowDown", true) if is_favourite => 1,
                ("f", false) if !event.ctrl_key() && !event.meta_key() => {
                    event.prevent_default();
                    return model.on_star.run(page.get_value());
                }
                _ => return,
            };
            event.prevent_default();
            model.on_move.run((page.get_value(), by));
            // What is moved loses the keyboard.
            let id = id.clone();
            request_animation_frame(move || focus_by_id(&id));
        }
    };
    let counted = move || match model.count.run(page.get_value()) {
        Some(Count::Objects(count)) => grouped(count).into_any(),
        Some(Count::Refused(reason)) => {
            view! { <span class="rail-lock" title=reason><Icon shape=Shape::Lock /></span> }.into_any()
        }
        None => ().into_any(),
    };
    let is_starred = move || model.favourites.with(|all| page.with_value(|page| all.contains(page))).to_string();
    let is_here = move || model.current.with(|current| page.with_value(|page| current == page)).then_some("page");
    let hint = if is_favourite { format!("{title} (Alt-↑ and Alt-↓ move it)") } else { title.clone() };
    let star = format!("{title} is a favourite");
    view! {
        <li class="rail-row" data-words=words>
            <a
                class=if is_favourite { "rail-item" } else { "rail-item rail-entry" }
                id=is_favourite.then_some(id)
                href=move || model.link.run(page.get_value())
                title=hint
                data-page=of_group
                data-favourite=of_favourites
                aria-current=is_here
                on:click=move |_| model.is_open.set(false)
                on:keydown=on_key
            >
                <span class="rail-icon" aria-hidden="true">{icon}</span>
                <span class="rail-title">{title}</span>
                <span class="rail-count">{counted}</span>
            </a>
            <button
                class="rail-star"
                tabindex="-1"
                title="Favourite, or not (f)"
                aria-label=star
                aria-pressed=is_starred
                on:click=move |_| model.on_star.run(page.get_value())
            >
                <Icon shape=Shape::Star />
            </button>
        </li>
    }
    .into_any()
}
