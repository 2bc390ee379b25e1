use leptos::prelude::*;

use super::{Icon, Shape};

/// A button of the bar.
#[derive(Clone, Copy)]
pub(crate) struct Action {
    /// What tests know it by.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) key: &'static str,
    pub(crate) shape: Shape,
    /// Why it cannot be done now; none when it can.
    pub(crate) obstacle: Signal<Option<String>>,
    pub(crate) run: Callback<()>,
}

/// What can be done with the marked rows, at the bottom of the page.
#[component]
pub(crate) fn SelectionBar(
    /// How many are marked.
    #[prop(into)]
    count: Signal<usize>,
    /// In their order.
    actions: Vec<Action>,
    /// Marks none any more.
    on_clear: Callback<()>,
    /// More of them.
    children: Children,
) -> impl IntoView {
    let action = |action: Action| {
        let Action { id, title, key, shape, obstacle, run } = action;
        let tooltip = move || obstacle.get().unwrap_or_else(|| format!("{title} ({key})"));
        view! {
            <button
                class="button"
                class:danger=id == "delete"
                data-testid=id
                title=tooltip
                // It keeps the keyboard and its tooltip, which a disabled one would not.
                aria-disabled=move || obstacle.with(|it| it.is_some().then_some("true"))
                on:click=move |_| {
                    if obstacle.with_untracked(Option::is_none) {
                        run.run(());
                    }
                }
            >
                <Icon shape=shape />
                <span class="button-text">{title}</span>
            </button>
        }
    };
    view! {
        <div class="selection-bar" role="toolbar" aria-label="Selected rows" data-testid="selection-bar">
            <span class="selection-count" data-testid="selection-count" role="status">
                {move || format!("{} selected", crate::ui::time::grouped(count.get()))}
            </span>
            {actions.into_iter().map(action).collect_view()}
            {children()}
            <button
                class="selection-clear"
                aria-label="Clear the selection"
                title="Clear the selection (Esc)"
                on:click=move |_| on_clear.run(())
            >
                <Icon shape=Shape::Close />
            </button>
        </div>
    }
    .into_any()
}
