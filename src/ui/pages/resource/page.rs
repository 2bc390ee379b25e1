use std::collections::BTreeSet;

use leptos::prelude::*;

use super::actions::{Actions, Asked};
use super::beside::use_beside;
use super::head::{PageHead, export_menu};
use super::kind_strip::KindStrip;
use super::scope_line::ScopeLine;
use super::screens::{ResourceScreen, without_filter};
use crate::cache::Phase;
use crate::ui::components::{DeleteDialog, Progress, SelectionBar, Table};
use crate::ui::control_flow::When;
use crate::ui::hooks::{focus_by_id, use_ctrl_shortcuts, use_is_narrow, use_shortcuts};
use crate::ui::pages::object::{close_object, open_object, tab_of_key};
use crate::ui::state::{Appearance, Columns, LiveTable, Navigation, Notices, Rights, Selection, Session};
use crate::ui::time::grouped;
use crate::view::{Filter, Query, Sort, card_height};

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
    let columns = expect_context::<Columns>();
    let selection = expect_context::<Selection>();
    let selected = selection.current;
    let base = columns.base_of(table.resource);
    selection.enter(table.served().to_string());
    let layout = Memo::new(move |_| columns.layout(base));
    let places = Memo::new(move |_| layout.with(|layout| layout.places(table.resource)));
    use_beside(table, base, places);
    let sort = follow_filter_and_sort(session, navigation, table, places);
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
    Effect::new(move |_| columns.tell_link(base));
    let on_width = Callback::new(move |(at, width): (usize, Option<u16>)| {
        if let Some(column) = table.resource.columns.get(at) {
            columns.set(base, &layout.get_untracked().with_width(column.name, width));
        }
    });
    let actions = Actions {
        table,
        session,
        navigation,
        notices,
        selection,
        selected,
        places,
        asked: RwSignal::new(None::<Asked>),
        delete_obstacle: may_not_delete(table, selection, selected),
    };
    let opened = navigation.object();
    Effect::new(move |_| {
        if let Some(key) = opened.get() {
            selected.set(Some(key));
        }
    });
    let is_export_open = RwSignal::new(false);
    use_page_keys(actions, is_export_open);
    use_shortcuts(move |key| key == "w" && columns.toggle_wide(base));
    forget_those_that_are_gone(session, table, selection);
    let link = table.link();
    let flow = Memo::new(move |_| match link.with(|link| link.connection.phase.clone()) {
        Phase::Listing { received, expected } => Some((received, expected)),
        _ => None,
    });
    let count = Signal::derive(move || count_text(table));
    let is_cards = use_is_narrow();
    let row_height = Signal::derive(move || match is_cards.get() {
        true => card_height(places.with(Vec::len)),
        false => appearance.density.get().row_height(),
    });
    let is_across = !base.members().is_empty();
    let marked = Memo::new(move |_| selection.marked.with(|marked| marked.len()));
    view! {
        <main class="page">
            <PageHead base=base count=count layout=layout actions=actions is_export_open=is_export_open />
            {is_across.then(|| view! { <KindStrip table=table /> })}
            {table.parts().into_iter().map(|part| view! { <ScopeLine table=part is_part=is_across /> }).collect_view()}
            <Table
                table=table
                row_height=row_height
                is_cards=is_cards
                now=session.now
                sort=sort
                places=places
                on_sort=on_sort
                on_width=on_width
                selected=selected
                selection=selection
                opened=opened
                on_open=Callback::new(move |key| open_object(navigation, key, None))
            >
                <div class="table-progress"><Progress flow=flow /></div>
                <ResourceScreen table=table />
            </Table>
            <When when=move || { marked.get() > 0 }>
                <SelectionBar
                    count=marked
                    actions=actions.buttons()
                    on_clear=Callback::new(move |()| {
                        selection.clear();
                    })
                >
                    {export_menu(base, actions, is_export_open)}
                </SelectionBar>
            </When>
            {move || actions.asked.get().map(|asked| view! {
                <DeleteDialog
                    request=asked.request
                    obstacle=actions.delete_obstacle
                    on_close=Callback::new(move |()| actions.asked.set(None))
                    on_confirm=Callback::new(move |policy| actions.delete(policy))
                />
            })}
            <p class="visually-hidden" role="status" data-testid="announcement">{told_each_second(session, count)}</p>
        </main>
    }
}

/// Has the table filtered and sorted as the address says.
fn follow_filter_and_sort(
    session: Session,
    navigation: Navigation,
    table: LiveTable,
    places: Memo<Vec<(usize, Option<u16>)>>,
) -> Memo<Sort> {
    let is_namespaced = table.resource.is_namespaced();
    let (namespaces, query, sorted) = (navigation.namespaces(), navigation.query(), navigation.sort());
    let is_timed = RwSignal::new(false);
    // A bit for each column that is not shown.
    let hidden = Memo::new(move |_| {
        let is_hidden = |at: &usize| places.with(|places| places.iter().all(|(shown, _)| shown != at));
        (0..table.resource.columns.len().min(64)).filter(is_hidden).fold(0, |bits: u64, at| bits | 1 << at)
    });
    Effect::new(move |_| {
        let namespaces = if is_namespaced { namespaces.get() } else { Default::default() };
        let query = Query::parse(&query.get());
        is_timed.set(query.is_timed());
        let hidden = if query.is_empty() { 0 } else { hidden.get() };
        table.set_filter(Filter { namespaces, query, hidden }, session.now.get_untracked());
    });
    Effect::new(move |_| {
        if is_timed.get() {
            table.filter_again(session.now.get());
        }
    });
    let sort = Memo::new(move |_| match sorted.get() {
        Some((column, is_descending)) => Sort { column: table.resource.column(&column), is_descending },
        None => Sort::default(),
    });
    Effect::new(move |_| table.set_sort(sort.get()));
    sort
}

/// The keys of the page but those that go from row to row.
fn use_page_keys(actions: Actions, is_export_open: RwSignal<bool>) {
    let columns = expect_context::<Columns>();
    let Actions { table, navigation, selection, selected, .. } = actions;
    let query = navigation.query();
    let opened = navigation.object();
    let open_selected = move |tab| selected.get_untracked().map(|key| open_object(navigation, key, tab)).is_some();
    use_shortcuts(move |key| match key {
        "Enter" => open_selected(None),
        // A menu closes first.
        "Escape" if is_export_open.get_untracked() || columns.is_menu_open.get_untracked() => false,
        "Escape" if selection.clear() => true,
        "Escape" if opened.with_untracked(Option::is_some) => {
            close_object(navigation);
            true
        }
        "Escape" if selected.with_untracked(Option::is_some) => {
            selected.set(None);
            true
        }
        "Escape" if query.with_untracked(|query| without_filter(query) != query.trim()) => {
            navigation.set_query(query.with_untracked(|query| without_filter(query)));
            true
        }
        "y" => actions.copy_names(),
        "o" => actions.open(),
        "Delete" => actions.ask_to_delete(),
        "c" => {
            columns.is_menu_open.set(true);
            true
        }
        "E" => {
            is_export_open.update(|open| *open = !*open);
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
        "R" => {
            table.list_again();
            true
        }
        _ => {
            let resource = selected.get_untracked().and_then(|key| table.home(&key)).map(|(table, _)| table.resource);
            let tab = tab_of_key(resource.unwrap_or(table.resource), key);
            tab.is_some_and(|tab| open_selected(Some(tab)))
        }
    });
    use_ctrl_shortcuts(move |key| key == "d" && actions.ask_to_delete());
}

/// More namespaces are not asked for: the server refuses what may not be done there.
const MOST_NAMESPACES: usize = 20;

/// Why the marked objects, or the one that the keyboard is on, cannot be deleted; asked when somebody looks.
fn may_not_delete(
    table: LiveTable,
    selection: Selection,
    selected: RwSignal<Option<String>>,
) -> Signal<Option<String>> {
    let rights = expect_context::<Rights>();
    let obstacle = Memo::new(move |_| {
        let mut keys: Vec<String> =
            selection.marked.with(|marked| marked.values().map(|key| key.to_string()).collect());
        if keys.is_empty() {
            keys.extend(selected.get());
        }
        let homes: Vec<_> = keys.iter().filter_map(|key| table.home(key)).collect();
        let table = homes.first()?.0;
        if homes.iter().any(|(other, _)| *other != table) {
            return Some("Select objects of one kind to delete them".into());
        }
        let namespaces: BTreeSet<Option<&str>> =
            homes.iter().map(|(_, key)| key.split_once('/').map(|(namespace, _)| namespace)).collect();
        let (served, nouns) = (table.served(), table.resource.nouns());
        let is_refused = |it: &Option<&str>| rights.can("delete", &served, *it).get() == Some(false);
        let refused = namespaces.into_iter().take(MOST_NAMESPACES).find(is_refused)?;
        let place = refused.map(|namespace| [" in ", namespace].concat()).unwrap_or_default();
        Some(["You may not delete ", &nouns, &place].concat())
    });
    obstacle.into()
}

/// `312 of 20,144`; empty before it is known.
fn count_text(table: LiveTable) -> String {
    let (shown, total) = table.read(|model| (model.shown(), model.total()));
    if total == 0 && !table.link().with(|link| link.connection.synced) {
        String::new()
    } else if shown == total {
        grouped(total)
    } else {
        format!("{} of {}", grouped(shown), grouped(total))
    }
}

/// A text for who does not see it change: at most once a second, so that it can be read out.
fn told_each_second(session: Session, text: Signal<String>) -> Memo<String> {
    Memo::new(move |_| {
        session.now.track();
        text.get_untracked()
    })
}

/// Objects that are gone stay marked for a second at most.
fn forget_those_that_are_gone(session: Session, table: LiveTable, selection: Selection) {
    Effect::new(move |_| {
        if selection.marked.with(|marked| !marked.is_empty()) {
            session.now.track();
            selection.settle(table);
        }
    });
}
