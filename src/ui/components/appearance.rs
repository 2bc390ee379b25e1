use leptos::html::Div;
use leptos::prelude::*;

use super::{Icon, Shape};
use crate::ui::control_flow::When;
use crate::ui::hooks::use_dismiss;
use crate::ui::state::{Density, Theme};

/// The menu of theme and density.
#[component]
pub(crate) fn AppearanceMenu(
    /// The chosen theme.
    theme: RwSignal<Theme>,
    /// The chosen height of rows.
    density: RwSignal<Density>,
) -> impl IntoView {
    let container = NodeRef::<Div>::new();
    let is_open = RwSignal::new(false);
    use_dismiss(container, is_open);
    view! {
        <div class="appearance" node_ref=container>
            <button
                class="appearance-button"
                data-testid="theme"
                aria-haspopup="menu"
                aria-expanded=move || is_open.get().to_string()
                aria-label="Theme and density"
                title="Theme and density"
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                <Icon shape=Shape::Appearance />
            </button>
            <When when=move || is_open.get()>
                <Menu theme=theme density=density />
            </When>
        </div>
    }
}

#[component]
fn Menu(
    /// The chosen theme.
    theme: RwSignal<Theme>,
    /// The chosen height of rows.
    density: RwSignal<Density>,
) -> impl IntoView {
    let themes = Theme::ALL.map(|it| {
        let is_chosen = Signal::derive(move || theme.get() == it);
        view! { <Choice title=it.title() is_chosen=is_chosen on_choose=move || theme.set(it) /> }
    });
    let densities = Density::ALL.map(|it| {
        let is_chosen = Signal::derive(move || density.get() == it);
        view! { <Choice title=it.title() is_chosen=is_chosen on_choose=move || density.set(it) /> }
    });
    view! {
        <div class="popover appearance-menu" role="menu" aria-label="Theme and density">
            <p class="menu-title" id="menu-theme">"Theme"</p>
            <div role="group" aria-labelledby="menu-theme">{themes.collect_view()}</div>
            <p class="menu-title" id="menu-density">"Rows"</p>
            <div role="group" aria-labelledby="menu-density">{densities.collect_view()}</div>
        </div>
    }
}

#[component]
fn Choice(
    /// What it is called.
    title: &'static str,
    /// It is the one in use.
    is_chosen: Signal<bool>,
    /// Makes it so.
    on_choose: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <button
            class="menu-item"
            role="menuitemradio"
            aria-checked=move || is_chosen.get().to_string()
            on:click=move |_| on_choose()
        >
            <span class="menu-check"><Icon shape=Shape::Check /></span>
            {title}
        </button>
    }
}
