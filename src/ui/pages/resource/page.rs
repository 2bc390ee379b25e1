use leptos::prelude::*;

use super::screens::ResourceScreen;
use crate::cache::Phase;
use crate::ui::components::{Icon, Progress, Shape, Table};
use crate::ui::hooks::{focus_by_id, use_shortcuts};
use crate::ui::pages::object::{close_object, open_object, tab_of_key};
use crate::ui::state::{Appearance, LiveTable, Navigation, Notices, Session};
use crate::ui::time::grouped;
use crate::view::{Filter, Query, Sort};

/// All objects of a kind, or those of the chosen namespaces that the query finds.
#[component]
pub(crate) fn ResourcePage(
    /// The objects.
    table: LiveTable,
) -> impl IntoView {
    let session = expect_context::<Session>();
    let navigation = expect_context::<Navigation>();
    let appearance = expect_context::<Appearance>();
    let notices = expect_context::<Notices>();
    let selected = RwSignal::new(None::<String>);
    let is_namespaced = table.resource.is_namespaced();
    let (namespaces, query, sorted) = (navigation.namespaces(), navigation.query(), navigation.sort());
    let sort = Memo::new(move |_| match sorted.get() {
        Some((column, is_descending)) => Sort { column: table.resource.column(&column), is_descending },
        None => Sort::default(),
    });
    let is_timed = RwSignal::new(false);
    Effect::new(move |_| {
        let namespaces = if is_namespaced { namespaces.get() } else { Default::default() };
        let query = Query::parse(&query.get());
        is_timed.set(query.is_timed());
        table.set_filter(Filter { namespaces, query }, session.now.get_untracked());
    });
    Effect::new(move |_| {
        if is_timed.get() {
            table.filter_again(session.now.get());
        }
    });
    Effect::new(move |_| table.set_sort(sort.get()));

    // Up, then down, then as at first.
    let on_sort = Callback::new(move |column: usize| {
        let now = sort.get_untracked();
        let name = table.resource.columns.get(column).map(|column| column.name.to_owned());
        navigation.set_sort(match (now.column == Some(column), now.is_descending) {
            (true, true) => None,
            (true, false) => name.map(|name| (name, true)),
            (false, _) => name.map(|name| (name, false)),
        });
    });
    let opened = navigation.object();
    Effect::new(move |_| {
        if let Some(key) = opened.get() {
            selected.set(Some(key));
        }
    });
    let open_selected = move |tab| selected.get_untracked().map(|key| open_object(navigation, key, tab)).is_some();
    let is_wide = navigation.is_wide();
    let has_wide = table.resource.columns.iter().any(|column| column.wide);
    use_shortcuts(move |key| match key {
        "Enter" => open_selected(None),
        "Escape" if opened.with_untracked(Option::is_some) => {
            close_object(navigation);
            true
        }
        "Escape" if selected.with_untracked(Option::is_some) => {
            selected.set(None);
            true
        }
        "Escape" if !query.with_untracked(String::is_empty) => {
            navigation.set_query(String::new());
            true
        }
        "y" => selected.get_untracked().is_some_and(|key| {
            let name = untrack(|| table.read(|model| model.get(&key).map(|row| row.name.to_string())));
            name.map(|name| session.copy(name, notices)).is_some()
        }),
        "w" if has_wide => {
            navigation.toggle_wide();
            true
        }
        "/" => {
            focus_by_id("query");
            true
        }
        "r" => {
            table.retry_now();
            true
        }
        _ => tab_of_key(table.resource, key).is_some_and(|tab| open_selected(Some(tab))),
    });
    let link = table.link();
    let flow = Memo::new(move |_| match link.with(|link| link.connection.phase.clone()) {
        Phase::Listing { received, expected } => Some((received, expected)),
        _ => None,
    });
    let count = move || {
        let (shown, total) = table.read(|model| (model.shown(), model.total()));
        if total == 0 && !link.with(|link| link.connection.synced) {
            String::new()
        } else if shown == total {
            grouped(total)
        } else {
            format!("{} of {}", grouped(shown), grouped(total))
        }
    };
    let row_height = Signal::derive(move || appearance.density.get().row_height());
    view! {
        <main class="page">
            <div class="page-head">
                <h1>{table.resource.title}</h1>
                <span class="page-count" data-testid="count">{count}</span>
                <Show when=move || sort.get().column.is_some()>
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
                </Show>
                {has_wide.then(|| view! {
                    <button
                        class="button page-wide"
                        data-testid="wide"
                        title="More columns (w)"
                        aria-pressed=move || is_wide.get().to_string()
                        on:click=move |_| navigation.toggle_wide()
                    >
                        "Wide"
                    </button>
                })}
            </div>
            <Table
                table=table
                row_height=row_height
                now=session.now
                sort=sort
                is_wide=is_wide
                on_sort=on_sort
                selected=selected
                opened=opened
                on_open=Callback::new(move |key| open_object(navigation, key, None))
            >
                <div class="table-progress"><Progress flow=flow /></div>
                <ResourceScreen table=table />
            </Table>
        </main>
    }
}
