use std::time::Duration;

use jiff::Timestamp;
use leptos::ev::MouseEvent;
use leptos::html::Div;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use leptos::tachys::renderer::Rndr;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use super::table_head::{Places, TableHead, Widths, total_width};
use super::table_keys::use_row_keys;
use super::table_rows::{Look, TableRows, pixels};
use crate::ui::hooks::{copy_tab_separated, focus_by_id, use_height};
use crate::ui::state::{LiveTable, Selection};
use crate::ui::time::local_date_time;
use crate::view::{Cell, Resource, Row, Sort, Span, Window};

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
    /// Each row is a card, as on a phone.
    is_cards: Signal<bool>,
    /// Ticks every second.
    now: Signal<Timestamp>,
    /// What is sorted now.
    #[prop(into)]
    sort: Signal<Sort>,
    /// The columns that are shown.
    places: Memo<Places>,
    /// Takes the column whose header was pressed.
    on_sort: Callback<usize>,
    /// Takes a column's place and the width that somebody gives it.
    on_width: Callback<(usize, Option<u16>)>,
    /// The key of the row that the keyboard is on.
    selected: RwSignal<Option<String>>,
    /// The marked rows.
    selection: Selection,
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
    let marking = Marking { selected, selection };
    let rows = show_rows(table, window, body, now, marking, is_scrolling.into(), places, is_cards);
    use_row_keys(table, window, selected, selection, scroll_to);
    reveal(table, window, opened, scroll_to);

    let active = move || {
        let key = selected.get()?;
        table.read(|model| Some(format!("row-{}", model.get(&key)?.uid)))
    };
    let widths = Widths::new(resource, places, on_width);
    let tracks = Memo::new(move |_| widths.tracks());
    let columns = move || places.with(Vec::len) + usize::from(is_cards.get());
    let row_at = move |element: Element| rows.with_value(|rows| rows.row_of(&element).map(Row::key));
    view! {
        <div class=format!("table {}", resource.name) data-cards=move || is_cards.get().then_some("")>
            <div
                id="table"
                class="table-grid"
                style=("--columns", move || tracks.get().0)
                style=("--table-width", move || tracks.with(total_width))
                style=("--card-height", move || pixels(row_height.get()))
                role="grid"
                tabindex="0"
                aria-label=resource.title
                aria-multiselectable="true"
                aria-rowcount=move || table.read(|model| model.shown() + 1)
                aria-colcount=columns
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
                    <TableHead resource=resource places=places widths=widths sort=sort on_sort=on_sort />
                    <div
                        class="table-body"
                        role="rowgroup"
                        node_ref=body
                        on:pointerover=move |event| {
                            rows.with_value(|rows| show_whole(rows, resource, &event));
                        }
                        on:mousedown=|event| {
                            // A range of rows is no range of text.
                            if event.shift_key() {
                                event.prevent_default();
                                focus_by_id("table");
                            }
                        }
                        on:click=move |event| {
                            let Some(key) = target_of(&event).and_then(row_at) else { return };
                            marking.press(table, key.clone(), &event);
                            if is_at_name(&event) {
                                on_open.run(key);
                            }
                        }
                        on:dblclick=move |event| {
                            if let Some(key) = target_of(&event).filter(|it| !is_mark(it)).and_then(row_at) {
                                on_open.run(key);
                            }
                        }
                    ></div>
                </div>
            </div>
            {children()}
        </div>
    }
}

/// Which rows are marked, and which one the keyboard is on.
#[derive(Clone, Copy)]
struct Marking {
    selected: RwSignal<Option<String>>,
    selection: Selection,
}

impl Marking {
    /// With Ctrl, or on its button, a press marks the row; with shift all up to it; else it only goes there.
    fn press(&self, table: LiveTable, key: String, event: &MouseEvent) {
        let is_button = target_of(event).is_some_and(|target| is_mark(&target));
        if event.shift_key() {
            self.selection.extend(table, &key, self.selected.get_untracked());
        } else if is_button || event.ctrl_key() || event.meta_key() {
            self.selection.toggle(table, &key);
        }
        self.selected.set(Some(key));
    }
}

/// Keeps those rows in the body that are in view.
#[expect(clippy::too_many_arguments, reason = "each is a signal that the rows follow")]
fn show_rows(
    table: LiveTable,
    window: Signal<Window>,
    body: NodeRef<Div>,
    now: Signal<Timestamp>,
    marking: Marking,
    is_scrolling: Signal<bool>,
    places: Memo<Places>,
    is_cards: Signal<bool>,
) -> StoredValue<TableRows, LocalStorage> {
    let rows = StoredValue::new_local(TableRows::default());
    let range = Memo::new(move |_| window.get().range(OVERSCAN));
    let row_height = Memo::new(move |_| window.get().row_height);
    let is_scrolling = Memo::new(move |_| is_scrolling.get());
    let shown = Memo::new(move |_| places.with(|places| places.iter().map(|(at, _)| *at).collect::<Vec<_>>()));
    Effect::new(move |_| {
        let Some(body) = body.get() else { return };
        let views = table.look_at(range.get());
        let look = Look {
            columns: table.resource.columns,
            shown: shown.get(),
            now: now.get_untracked(),
            row_height: row_height.get(),
            selected: marking.selected.get(),
            marked: marking.selection.marked.get(),
            has_marks: is_cards.get(),
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

/// The button that marks a row.
fn is_mark(element: &Element) -> bool {
    element.closest(".row-mark").ok().flatten().is_some()
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
