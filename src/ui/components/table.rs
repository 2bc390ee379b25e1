use std::time::Duration;

use jiff::Timestamp;
use leptos::html::Div;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use super::TableRow;
use super::table_row::pixels;
use crate::ui::hooks::{copy_tab_separated, use_height, use_shortcuts};
use crate::ui::state::LiveTable;
use crate::ui::time::local_date_time;
use crate::view::{Cell, Sort, VisibleRow, Window, sorted_numbers};

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
    /// Takes the column whose header was pressed.
    on_sort: Callback<usize>,
    /// The key of the selected row.
    selected: RwSignal<Option<String>>,
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
    let slots = follow_rows(table, window, is_scrolling);
    let shown_at = follow_time(slots, now);
    use_row_keys(table, window, selected, scroll_to);

    let columns = table.resource.columns;
    let heads = columns.iter().enumerate().map(|(at, column)| {
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
    });
    let active = move || {
        let key = selected.get()?;
        table.read(|model| Some(format!("row-{}", model.get(&key)?.uid)))
    };
    view! {
        <div
            id="table"
            class=format!("table {}", table.resource.name)
            role="grid"
            tabindex="0"
            aria-label=table.resource.title
            aria-rowcount=move || table.read(|model| model.shown() + 1)
            aria-colcount=columns.len()
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
                <div class="table-head" role="row" aria-rowindex="1">{heads.collect_view()}</div>
                <div
                    class="table-body"
                    role="rowgroup"
                    node_ref=body
                    on:pointerover=move |event| show_whole(table, &event)
                >
                    <For each=move || slots.get() key=|slot| slot.id let:slot>
                        <TableRow
                            row=slot.view
                            columns=columns
                            shown_at=shown_at
                            row_height=row_height
                            selected=selected
                        />
                    </For>
                </div>
            </div>
            {children()}
        </div>
    }
}

/// The elements of a row: they outlive what they show, and are given to another row when theirs leaves the window.
#[derive(Clone)]
struct Slot {
    id: u32,
    view: ArcRwSignal<VisibleRow>,
}

impl Slot {
    fn shows(&self, view: &VisibleRow) -> bool {
        self.view.with_untracked(|old| old.row.uid == view.row.uid)
    }

    fn index(&self) -> usize {
        self.view.with_untracked(|view| view.index)
    }
}

/// The rows in view. A row keeps its slot while it stays there, and one that comes takes the slot of one that went.
///
/// Slots stand in the order of their rows, for selections and screen readers, but not while the table scrolls: moving
/// elements about costs frames.
fn follow_rows(table: LiveTable, window: Signal<Window>, is_scrolling: RwSignal<bool>) -> RwSignal<Vec<Slot>> {
    let slots = RwSignal::new(Vec::<Slot>::new());
    let range = Memo::new(move |_| window.get().range(OVERSCAN));
    let is_scrolling = Memo::new(move |_| is_scrolling.get());
    Effect::new(move |_| {
        let rows = table.look_at(range.get());
        let old = slots.get_untracked();
        let mut next = assign(&old, rows);
        if !is_scrolling.get() {
            let order = sorted_numbers(next.len(), &mut |a, b| next[a].index().cmp(&next[b].index()));
            next = order.into_iter().map(|at| next[at as usize].clone()).collect();
        }
        if !old.iter().map(|it| it.id).eq(next.iter().map(|it| it.id)) {
            slots.set(next);
        }
    });
    slots
}

/// Gives each row its slot: its own, or a free one, or a new one; slots without a row are left out.
fn assign(old: &[Slot], rows: Vec<VisibleRow>) -> Vec<Slot> {
    let mut coming = Vec::new();
    let mut is_taken = vec![false; old.len()];
    for view in rows {
        let Some(at) = old.iter().position(|slot| slot.shows(&view)) else {
            coming.push(view);
            continue;
        };
        is_taken[at] = true;
        if old[at].view.with_untracked(|old| *old != view) {
            old[at].view.set(view);
        }
    }
    let mut coming = coming.into_iter();
    let mut next = Vec::with_capacity(old.len());
    for (slot, is_taken) in old.iter().zip(is_taken) {
        if !is_taken {
            let Some(view) = coming.next() else { continue };
            slot.view.set(view);
        }
        next.push(slot.clone());
    }
    let first_id = old.iter().map(|slot| slot.id + 1).max().unwrap_or_default();
    next.extend((first_id..).zip(coming).map(|(id, view)| Slot { id, view: ArcRwSignal::new(view) }));
    next
}

/// The moment that ages are told for: moves on only when a text in view changes by it.
fn follow_time(slots: RwSignal<Vec<Slot>>, now: Signal<Timestamp>) -> Signal<Timestamp> {
    let shown_at = RwSignal::new(now.get_untracked());
    Effect::new(move |_| {
        let now = now.get();
        let last = shown_at.get_untracked();
        let is_due = |cell: &Cell| {
            cell.next_change(last).is_some_and(|wait| last.saturating_add(wait).is_ok_and(|at| at <= now))
        };
        let any_is_due = slots.with_untracked(|slots| {
            slots.iter().any(|slot| slot.view.with_untracked(|view| view.row.cells.iter().any(is_due)))
        });
        if any_is_due {
            shown_at.set(now);
        }
    });
    // What is new is told for now: it may be younger than the last change of all others.
    Signal::derive(move || shown_at.get().max(now.get_untracked()))
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

/// Gives the cell below the pointer its whole value as a title; of an age, the moment itself.
fn show_whole(table: LiveTable, event: &leptos::ev::PointerEvent) {
    let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(cell) = element.and_then(|element| element.closest("[role=gridcell]").ok().flatten()) else { return };
    let text = cell.text_content().unwrap_or_default();
    // Fails for an invalid name only.
    let _ = cell.set_attribute("title", moment_of(table, &cell).as_ref().unwrap_or(&text));
}

fn moment_of(table: LiveTable, cell: &Element) -> Option<String> {
    let column = table.resource.column(&cell.get_attribute("data-column")?)?;
    let index =
        cell.closest("[role=row]").ok()??.get_attribute("aria-rowindex")?.parse::<usize>().ok()?.checked_sub(2)?;
    let row = untrack(|| table.read(|model| model.window(index..index + 1)));
    let moment = match row.first()?.row.cells.get(column)? {
        Cell::Age(moment) => *moment,
        Cell::Restarts { last, .. } => *last,
        _ => None,
    };
    moment.map(local_date_time)
}
