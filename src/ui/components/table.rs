use std::time::Duration;

use jiff::Timestamp;
use leptos::html::Div;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use leptos::tachys::renderer::Rndr;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use super::table_rows::{Look, TableRows, pixels};
use crate::ui::hooks::{copy_tab_separated, use_height, use_shortcuts};
use crate::ui::state::LiveTable;
use crate::ui::time::local_date_time;
use crate::view::{Cell, Resource, Row, Sort, Span, Window, column_tracks};

/// Rows above and below those in view, so that a short scroll shows no gap.
const OVERSCAN: usize = 4;

/// Without a scroll for so long, the table stands still.
const SCROLL_REST: Duration = Duration::from_millis(150);

/// The header's height in table.css.
const HEAD_HEIGHT: f64 = 28.0;

/// Rows of one kind of which only those in view stand in the page.
#[component]
pub(crate) fn Table(
    /// The rows.
    table: LiveTable,
    /// In CSS pixels.
    #[prop(into)]
    row_height: Signal<f64>,
    /// Ticks every second.
    now: Signal<Timestamp>,
    /// What is sorted now.
    #[prop(into)]
    sort: Signal<Sort>,
    /// Shows the wide columns too.
    #[prop(into)]
    is_wide: Signal<bool>,
    /// Takes the column whose header was pressed.
    on_sort: Callback<usize>,
    /// The key of the selected row.
    selected: RwSignal<Option<String>>,
    /// The key of the row that is open beside the table, and comes into view.
    opened: Signal<Option<String>>,
    /// Takes the key of a row that was pressed twice, or at its name.
    on_open: Callback<String>,
    /// Stands in place of the rows.
    children: Children,
) -> impl IntoView {
    let scroller = NodeRef::<Div>::new();
    let body = NodeRef::<Div>::new();
    let height = use_height(scroller);
    let scroll_top = RwSignal::new(0.0);
    let window = Signal::derive(move || Window {
        rows: table.read(|model| model.rows()),
        row_height: row_height.get(),
        scroll_top: scroll_top.get(),
        viewport: height.get() - HEAD_HEIGHT,
    });
    let scroll_to = Callback::new(move |top: f64| {
        if let Some(scroller) = scroller.get_untracked() {
            scroller.set_scroll_top(top as i32);
            scroll_top.set(f64::from(scroller.scroll_top()));
        }
    });
    keep_in_place(table, window, body, sort, scroll_to);
    let is_scrolling = RwSignal::new(false);
    let mut rest_later = debounce(SCROLL_REST, move |()| is_scrolling.set(false));
    let resource = table.resource;
    let shown = Memo::new(move |_| {
        let is_wide = is_wide.get();
        let shown = resource.columns.iter().enumerate().filter(|(_, column)| is_wide || !column.wide);
        shown.map(|(at, _)| at).collect::<Vec<_>>()
    });
    let rows = show_rows(table, window, body, now, selected, is_scrolling.into(), shown);
    use_row_keys(table, window, selected, scroll_to);
    reveal(table, window, opened, scroll_to);
    let key_of = move |element: Element| rows.with_value(|rows| rows.row_of(&element).map(Row::key));

    let head = move |at: usize| {
        let column = &resource.columns[at];
        let direction = move || sort.with(|sort| (sort.column == Some(at)).then_some(sort.is_descending));
        let aria_sort = move || direction().map(|is_descending| if is_descending { "descending" } else { "ascending" });
        view! {
            <div
                class="head-cell"
                class:numeric=column.is_numeric
                role="columnheader"
                data-column=column.name
                aria-sort=aria_sort
                title=column.description
            >
                <button on:click=move |_| on_sort.run(at)>{column.name}</button>
            </div>
        }
    };
    let active = move || {
        let key = selected.get()?;
        table.read(|model| Some(format!("row-{}", model.get(&key)?.uid)))
    };
    let tracks = Memo::new(move |_| shown.with(|shown| column_tracks(shown.iter().map(|at| &resource.columns[*at]))));
    view! {
        <div
            id="table"
            class=format!("table {}", table.resource.name)
            style=("--columns", move || tracks.get().0)
            style=("--table-width", move || pixels(tracks.get().1 as f64))
            role="grid"
            tabindex="0"
            aria-label=table.resource.title
            aria-rowcount=move || table.read(|model| model.shown() + 1)
            aria-colcount=move || shown.with(Vec::len)
            aria-activedescendant=active
            on:copy=move |event| copy_tab_separated(&event)
        >
            <div
                class="table-scroll"
                data-testid="table-scroll"
                role="presentation"
                node_ref=scroller
                on:scroll:target=move |event| {
                    is_scrolling.set(true);
                    rest_later(());
                    scroll_top.set(f64::from(event.target().scroll_top()));
                }
            >
                <div class="table-head" role="row" aria-rowindex="1">
                    {move || shown.get().into_iter().map(head).collect_view()}
                </div>
                <div
                    class="table-body"
                    role="rowgroup"
                    node_ref=body
                    on:pointerover=move |event| {
                        rows.with_value(|rows| show_whole(rows, table.resource, &event));
                    }
                    on:click=move |event| {
                        let Some(key) = target_of(&event).and_then(key_of) else { return };
                        selected.set(Some(key.clone()));
                        if is_at_name(&event) {
                            on_open.run(key);
                        }
                    }
                    on:dblclick=move |event| {
                        if let Some(key) = target_of(&event).and_then(key_of) {
                            on_open.run(key);
                        }
                    }
                ></div>
            </div>
            {children()}
        </div>
    }
}

/// Keeps those rows in the body that are in view.
fn show_rows(
    table: LiveTable,
    window: Signal<Window>,
    body: NodeRef<Div>,
    now: Signal<Timestamp>,
    selected: RwSignal<Option<String>>,
    is_scrolling: Signal<bool>,
    shown: Memo<Vec<usize>>,
) -> StoredValue<TableRows, LocalStorage> {
    let rows = StoredValue::new_local(TableRows::default());
    let range = Memo::new(move |_| window.get().range(OVERSCAN));
    let row_height = Memo::new(move |_| window.get().row_height);
    let is_scrolling = Memo::new(move |_| is_scrolling.get());
    Effect::new(move |_| {
        let Some(body) = body.get() else { return };
        let views = table.look_at(range.get());
        let look = Look {
            columns: table.resource.columns,
            shown: shown.get(),
            now: now.get_untracked(),
            row_height: row_height.get(),
            selected: selected.get(),
            is_scrolling: is_scrolling.get(),
        };
        rows.update_value(|rows| rows.show(&body, views, &look));
    });
    Effect::new(move |_| rows.update_value(|rows| rows.tell_time(now.get())));
    rows
}

/// Gives the body its height, and keeps the first row in view where it is when rows come and go above it.
fn keep_in_place(
    table: LiveTable,
    window: Signal<Window>,
    body: NodeRef<Div>,
    sort: Signal<Sort>,
    scroll_to: Callback<f64>,
) {
    let anchor = StoredValue::new(None::<(String, usize)>);
    let order = Memo::new(move |_| (sort.get(), table.read(|model| model.filter().clone())));
    let last_order = StoredValue::new(order.get_untracked());
    let last_height = StoredValue::new(None::<f64>);
    Effect::new(move |_| {
        let window = window.get();
        let Some(body) = body.get() else { return };
        let height = window.height();
        if last_height.get_value() != Some(height) {
            last_height.set_value(Some(height));
            // Fails for an invalid name only.
            let _ = (*body).style().set_property("height", &pixels(height));
        }
        let order = order.get();
        if last_order.with_value(|last| *last != order) {
            last_order.set_value(order);
            anchor.set_value(None);
            scroll_to.run(0.0);
            return;
        }
        if window.scroll_top <= 0.0 || window.row_height <= 0.0 {
            anchor.set_value(None);
            return;
        }
        let first = (window.scroll_top / window.row_height) as usize;
        let moved = anchor.get_value().and_then(|(key, at)| {
            let now_at = table.read(|model| model.index_of(&key))?;
            (at == first).then_some(now_at as f64 - at as f64)
        });
        match moved {
            Some(rows) if rows != 0.0 => {
                anchor
                    .update_value(|anchor| *anchor = anchor.take().map(|(key, at)| (key, (at as f64 + rows) as usize)));
                scroll_to.run(window.scroll_top + rows * window.row_height);
            }
            _ => {
                let row = table.read(|model| model.window(first..first + 1));
                anchor.set_value(row.first().map(|visible| (visible.row.key(), first)));
            }
        }
    });
}

/// The keys that move the selection.
fn use_row_keys(
    table: LiveTable,
    window: Signal<Window>,
    selected: RwSignal<Option<String>>,
    scroll_to: Callback<f64>,
) {
    use_shortcuts(move |key| {
        let window = window.get_untracked();
        let Some(last) = window.rows.checked_sub(1) else { return false };
        let at = selected.get_untracked().and_then(|key| untrack(|| table.read(|model| model.index_of(&key))));
        let target = match (key, at) {
            ("g" | "Home", _) => 0,
            ("G" | "End", _) => last,
            ("j" | "ArrowDown", Some(at)) => at + 1,
            ("k" | "ArrowUp", Some(at)) => at.saturating_sub(1),
            ("PageDown", Some(at)) => at + window.page(),
            ("PageUp", Some(at)) => at.saturating_sub(window.page()),
            ("j" | "k" | "ArrowDown" | "ArrowUp" | "PageDown" | "PageUp", None) => {
                (window.scroll_top / window.row_height.max(1.0)).ceil() as usize
            }
            _ => return false,
        };
        let target = target.min(last);
        let row = untrack(|| table.read(|model| model.window(target..target + 1)));
        selected.set(row.first().map(|visible| visible.row.key()));
        if let Some(top) = window.reveal(target) {
            scroll_to.run(top);
        }
        true
    });
}

/// Brings the row that is opened into view, once it is there.
fn reveal(table: LiveTable, window: Signal<Window>, opened: Signal<Option<String>>, scroll_to: Callback<f64>) {
    let revealed = StoredValue::new(None::<String>);
    Effect::new(move |_| {
        let Some(key) = opened.get() else { return revealed.set_value(None) };
        if revealed.with_value(|revealed| revealed.as_ref() == Some(&key)) {
            return;
        }
        let Some(at) = table.read(|model| model.index_of(&key)) else { return };
        revealed.set_value(Some(key));
        if let Some(top) = window.get_untracked().reveal(at) {
            scroll_to.run(top);
        }
    });
}

/// A name is pressed to be opened; with a key, or at the end of a selection of text, it is not.
fn is_at_name(event: &leptos::ev::MouseEvent) -> bool {
    let is_plain = !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key());
    let is_selecting = || leptos::prelude::window().get_selection().ok().flatten().is_some_and(|it| !it.is_collapsed());
    let is_name = |it: Element| it.closest("[data-column=NAME]").ok().flatten().is_some();
    is_plain && target_of(event).is_some_and(is_name) && !is_selecting()
}

fn target_of(event: &web_sys::Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

/// Gives the cell below the pointer its whole value as a title; of an age, the moment itself.
fn show_whole(rows: &TableRows, resource: &Resource, event: &leptos::ev::PointerEvent) {
    let cell = target_of(event).and_then(|target| target.closest("[role=gridcell]").ok().flatten());
    let Some(cell) = cell else { return };
    let text = cell.text_content().unwrap_or_default();
    Rndr::set_attribute(&cell, "title", moment_of(rows, resource, &cell).as_ref().unwrap_or(&text));
}

fn moment_of(rows: &TableRows, resource: &Resource, cell: &Element) -> Option<String> {
    let column = resource.column(&cell.get_attribute("data-column")?)?;
    let moment = match rows.row_of(cell)?.cells.get(column)? {
        Cell::Age(moment) | Cell::Since(moment) => *moment,
        Cell::Duration(Some(Span::Since(moment))) => Some(*moment),
        Cell::Restarts { last, .. } => *last,
        _ => None,
    };
    moment.map(local_date_time)
}
