use leptos::prelude::*;

use super::actions::Actions;
use super::scope_line::ListAgain;
use crate::ui::components::{ColumnChange, ColumnsMenu, ExportMenu, FilterChips, Icon, Shape};
use crate::ui::control_flow::When;
use crate::ui::state::{Columns, Navigation};
use crate::view::{ColumnLayout, Resource, measured_columns};

/// The line above a table: what it is of, how many there are, what keeps others back, and what can be done.
#[component]
pub(super) fn PageHead(
    /// The kind, without the columns that were added.
    base: &'static Resource,
    /// How many objects are shown, as text.
    count: Signal<String>,
    /// Which columns are shown.
    layout: Memo<ColumnLayout>,
    /// What can be done with rows.
    actions: Actions,
    /// The export's menu is open.
    is_export_open: RwSignal<bool>,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let columns = expect_context::<Columns>();
    let (query, sorted) = (navigation.query(), navigation.sort());
    let has_wide = base.columns.iter().any(|column| column.wide);
    let is_wide = move || layout.with(|layout| layout.is_wide(base)).to_string();
    let toggle_wide = move |_| columns.set(base, &layout.get_untracked().with_wide_toggled(base));
    let on_column = Callback::new(move |change| columns.set(base, &changed(&layout.get_untracked(), base, change)));
    // The menu is closed at first, and asks for its lines when it opens.
    let has_metrics = move || measured_columns(base).next().is_some() && columns.has_metrics();
    let is_sorted = move || sorted.with(|it| it.as_ref().is_some_and(|(name, _)| actions.has_column(name)));
    view! {
        <div class="page-head">
            <h1>{base.title}</h1>
            <span class="page-count" data-testid="count">{count}</span>
            <When when=is_sorted>
                <span class="chip">
                    <span class="chip-text">
                        {move || sorted.get().map(|(column, is_descending)| {
                            format!("Sorted by {column}, {}", if is_descending { "descending" } else { "ascending" })
                        })}
                    </span>
                    <button
                        aria-label="Sort by namespace and name"
                        title="Sort by namespace and name"
                        on:click=move |_| navigation.set_sort(None)
                    >
                        <Icon shape=Shape::Close />
                    </button>
                </span>
            </When>
            <When when=move || !query.with(String::is_empty)>
                <FilterChips query=query on_change=Callback::new(move |query| navigation.set_query(query)) />
            </When>
            <div class="page-actions">
                {has_wide.then(|| view! {
                    <button
                        class="button page-wide"
                        data-testid="wide"
                        title="More columns (w)"
                        aria-pressed=is_wide
                        on:click=toggle_wide
                    >
                        "Wide"
                    </button>
                })}
                <ColumnsMenu
                    lines=Memo::new(move |_| layout.with(|layout| layout.lines(base, has_metrics())))
                    is_usual=Memo::new(move |_| layout.with(|layout| *layout == ColumnLayout::of(base, false)))
                    is_open=columns.is_menu_open
                    on_change=on_column
                />
                <When when=move || actions.selection.marked.with(|marked| marked.is_empty())>
                    {export_menu(base, actions, is_export_open)}
                </When>
                <ListAgain table=actions.table />
            </div>
        </div>
    }
    .into_any()
}

/// In the head, or in the bar where rows are marked.
pub(super) fn export_menu(base: &'static Resource, actions: Actions, is_open: RwSignal<bool>) -> AnyView {
    let is_secret = |it: &Resource| it.name == "secrets" && it.group.is_empty();
    let has_secrets = is_secret(base) || base.members().iter().any(|member| is_secret(member.resource));
    view! {
        <ExportMenu
            what=Signal::derive(move || actions.exported())
            is_secret=has_secrets
            is_open=is_open
            on_export=Callback::new(move |export| actions.export(export))
        />
    }
    .into_any()
}

/// The layout after what somebody did to it.
fn changed(layout: &ColumnLayout, base: &Resource, change: ColumnChange) -> ColumnLayout {
    match change {
        ColumnChange::Toggle(name) => layout.toggled(base, &name),
        ColumnChange::Move(name, to) => layout.moved(&name, to),
        ColumnChange::Add(name) => layout.with_extra(&name),
        ColumnChange::Remove(name) => layout.without(&name),
        ColumnChange::Reset => ColumnLayout::of(base, false),
    }
}
