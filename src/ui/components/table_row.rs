use jiff::Timestamp;
use leptos::prelude::*;

use super::StatusCell;
use crate::view::{Cell, Column, Leaving, VisibleRow};

/// One row, and another one later: placed by its index, its cells made of values that become text at `shown_at`.
#[component]
pub(crate) fn TableRow(
    /// What it shows.
    row: ArcRwSignal<VisibleRow>,
    /// The columns, one for each cell.
    columns: &'static [Column],
    /// The moment that ages are told for.
    shown_at: Signal<Timestamp>,
    /// In CSS pixels.
    row_height: Signal<f64>,
    /// The key of the selected row.
    selected: RwSignal<Option<String>>,
) -> impl IntoView {
    let view = RwSignal::from(row);
    let uid = Memo::new(move |_| view.with(|view| view.row.uid.to_string()));
    let key = Memo::new(move |_| view.with(|view| view.row.key()));
    let index = Memo::new(move |_| view.with(|view| view.index));
    let is_leaving = Memo::new(move |_| view.with(|view| view.leaving == Leaving::Yes));
    let is_selected = Memo::new(move |_| {
        !is_leaving.get() && selected.with(|selected| key.with(|key| selected.as_ref() == Some(key)))
    });
    let cells = columns.iter().enumerate().map(|(at, column)| {
        view! { <TableCell view=view at=at column=column shown_at=shown_at /> }
    });
    view! {
        <div
            class="row"
            role="row"
            id=move || format!("row-{}", uid.get())
            data-uid=move || uid.get()
            data-leaving=move || is_leaving.get().then_some("")
            aria-rowindex=move || index.get() + 2
            aria-selected=move || is_selected.get().to_string()
            style:transform=move || format!("translateY({})", pixels(index.get() as f64 * row_height.get()))
            on:click=move |_| selected.set(Some(key.get_untracked()))
        >
            {cells.collect_view()}
        </div>
    }
}

#[component]
fn TableCell(
    /// The row it is in.
    view: RwSignal<VisibleRow>,
    /// Its place in the row.
    at: usize,
    /// Its column.
    column: &'static Column,
    /// The moment that ages are told for.
    shown_at: Signal<Timestamp>,
) -> impl IntoView {
    let cell = Memo::new(move |_| view.with(|view| view.row.cells.get(at).cloned()));
    let text = Signal::derive(move || {
        cell.with(|cell| match cell {
            Some(cell @ (Cell::Age(_) | Cell::Restarts { .. })) => cell.display(shown_at.get()),
            Some(cell) => cell.display(shown_at.get_untracked()),
            None => String::new(),
        })
    });
    let light = Memo::new(move |_| if view.with(|view| view.row.lit >> at & 1 == 1) { " lit" } else { "" });
    let kind = match cell.with_untracked(Clone::clone) {
        Some(Cell::Address(_)) => " address",
        _ if column.is_numeric => " numeric",
        _ => "",
    };
    let absence = move || if cell.with(|cell| cell.as_ref().is_some_and(Cell::is_none)) { " none" } else { "" };
    let health = Memo::new(move |_| match cell.get() {
        Some(Cell::Status { health, .. }) => Some(health),
        _ => None,
    });
    let content = match health.get_untracked() {
        Some(_) => view! { <StatusCell text=text health=Signal::derive(move || health.get().unwrap_or_default()) /> }
            .into_any(),
        None => (move || text.get()).into_any(),
    };
    view! {
        <div class=move || format!("cell{kind}{}{}", absence(), light.get()) role="gridcell" data-column=column.name>
            {content}
        </div>
    }
}

/// A length in whole pixels, as all of a table's are: to write a fraction takes 8 KB of what a visitor downloads.
pub(super) fn pixels(length: f64) -> String {
    format!("{}px", length as i64)
}
