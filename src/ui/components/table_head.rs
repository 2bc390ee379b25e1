use leptos::ev::{KeyboardEvent, MouseEvent, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use crate::ui::control_flow::each;
use crate::ui::hooks::use_window_event;
use crate::view::{CustomColumn, Resource, Sort, column_tracks};

use super::table_rows::pixels;

/// By how many CSS pixels a key makes a column wider.
const STEP: f64 = 16.0;

/// Beside a text that fits.
const SLACK: i32 = 12;

/// The columns that are shown, by their places, and how wide those are that are sized.
pub(super) type Places = Vec<(usize, Option<u16>)>;

/// A column whose edge is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drag {
    /// Its place among all.
    at: usize,
    /// Of the pointer, when it was pressed.
    from: f64,
    /// Of the column, then.
    width: f64,
    now: u16,
}

/// What the header does with widths. A handle.
#[derive(Clone, Copy)]
pub(super) struct Widths {
    resource: &'static Resource,
    places: Memo<Places>,
    drag: RwSignal<Option<Drag>>,
    on_width: Callback<(usize, Option<u16>)>,
}

impl Widths {
    /// `on_width` takes a column's place and its new width.
    pub(super) fn new(
        resource: &'static Resource,
        places: Memo<Places>,
        on_width: Callback<(usize, Option<u16>)>,
    ) -> Self {
        let drag = RwSignal::new(None::<Drag>);
        use_window_event(leptos::ev::pointermove, move |event: PointerEvent| {
            if let Some(start) = drag.get_untracked() {
                let now = clamped(start.width + f64::from(event.client_x()) - start.from);
                drag.set(Some(Drag { now, ..start }));
            }
        });
        let end = move || {
            if let Some(end) = drag.get_untracked() {
                on_width.run((end.at, Some(end.now)));
                drag.set(None);
            }
        };
        use_window_event(leptos::ev::pointerup, move |_| end());
        use_window_event(leptos::ev::pointercancel, move |_| drag.set(None));
        Self { resource, places, drag, on_width }
    }

    /// The tracks of the grid, and their least width in CSS pixels.
    pub(super) fn tracks(&self) -> (String, usize) {
        let drag = self.drag.get();
        let width = |at, width| drag.filter(|drag| drag.at == at).map_or(width, |drag| Some(drag.now));
        self.places.with(|places| {
            column_tracks(places.iter().map(|(at, set)| (&self.resource.columns[*at], width(*at, *set))))
        })
    }

    fn start(&self, at: usize, event: &PointerEvent) {
        let Some(cell) = head_cell(event) else { return };
        // Neither a text is selected, nor the table scrolled.
        event.prevent_default();
        let width = cell.get_bounding_client_rect().width();
        let from = f64::from(event.client_x());
        self.drag.set(Some(Drag { at, from, width, now: clamped(width) }));
    }

    fn step(&self, at: usize, event: &KeyboardEvent) {
        let by = match event.key().as_str() {
            "ArrowRight" if event.alt_key() => STEP,
            "ArrowLeft" if event.alt_key() => -STEP,
            _ => return,
        };
        // The browser would go back in its history.
        event.prevent_default();
        if let Some(cell) = head_cell(event) {
            self.on_width.run((at, Some(clamped(cell.get_bounding_client_rect().width() + by))));
        }
    }

    /// As wide as the widest of what stands in the column now.
    fn fit(&self, at: usize, event: &MouseEvent) {
        let grid = head_cell(event).and_then(|cell| cell.closest("[role=grid]").ok().flatten());
        let Some(grid) = grid.and_then(|grid| grid.dyn_into::<HtmlElement>().ok()) else { return };
        let narrow = |places: &Places| {
            let width = |other: usize, set| if other == at { Some(1) } else { set };
            column_tracks(places.iter().map(|(other, set)| (&self.resource.columns[*other], width(*other, *set)))).0
        };
        // What is too narrow for its text tells how long that is.
        let style = grid.style();
        let _ = style.set_property("--columns", &self.places.with_untracked(narrow));
        let mut widest = 0;
        if let Ok(cells) = grid.query_selector_all("[role=gridcell], [role=columnheader]") {
            let name = self.resource.columns[at].name;
            for cell in (0..cells.length()).filter_map(|at| cells.item(at)?.dyn_into::<Element>().ok()) {
                if cell.get_attribute("data-column").as_deref() == Some(name) {
                    widest = widest.max(cell.scroll_width());
                }
            }
        }
        let _ = style.set_property("--columns", &untrack(|| self.tracks()).0);
        self.on_width.run((at, Some(clamped(f64::from(widest + SLACK)))));
    }
}

fn clamped(width: f64) -> u16 {
    width.round().clamp(0.0, f64::from(u16::MAX)) as u16
}

fn head_cell(event: &web_sys::Event) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest("[role=columnheader]").ok()?
}

/// The header: each column is sorted by a press, and its right edge sizes it.
#[component]
pub(super) fn TableHead(
    /// The columns there are.
    resource: &'static Resource,
    /// Those that are shown.
    places: Memo<Places>,
    /// How wide they are.
    widths: Widths,
    /// What is sorted now.
    sort: Signal<Sort>,
    /// Takes the column whose header was pressed.
    on_sort: Callback<usize>,
) -> impl IntoView {
    let shown = Memo::new(move |_| places.with(|places| places.iter().map(|(at, _)| *at).collect::<Vec<_>>()));
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
                <button
                    aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight"
                    on:click=move |_| on_sort.run(at)
                    on:keydown=move |event| widths.step(at, &event)
                >
                    {CustomColumn::heading(column.name).into_owned()}
                </button>
                <span
                    class="head-edge"
                    aria-hidden="true"
                    title="Drag to size, press twice to fit (Alt+← →)"
                    on:pointerdown=move |event| widths.start(at, &event)
                    on:dblclick=move |event| widths.fit(at, &event)
                ></span>
            </div>
        }
        .into_any()
    };
    view! {
        <div class="table-head" role="row" aria-rowindex="1">
            {each(move || shown.get(), |at| *at, head)}
        </div>
    }
}

/// The style of the grid that has the columns in it.
pub(super) fn total_width(tracks: &(String, usize)) -> String {
    pixels(tracks.1 as f64)
}
