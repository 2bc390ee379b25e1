use std::sync::Arc;

use jiff::Timestamp;
use leptos::tachys::renderer::Rndr;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Node, Text};

use crate::view::{Cell, Column, Leaving, Picked, Row, VisibleRow, sorted_numbers, staying};

/// The rows that stand in the page.
///
/// They are written element by element, not as a view with a signal for each cell: the rows are most of the page, and
/// come and go with every scroll. A new row's elements are a copy of another's, and only what differs is written.
#[derive(Default)]
pub(super) struct TableRows {
    /// In the order they stand in.
    rows: Vec<RowElements>,
    /// When ages were last told.
    told_at: Timestamp,
}

/// What all rows are shown by.
pub(super) struct Look {
    pub(super) columns: &'static [Column],
    /// The places of those that are shown.
    pub(super) shown: Vec<usize>,
    /// The moment that ages are told for.
    pub(super) now: Timestamp,
    /// In CSS pixels.
    pub(super) row_height: f64,
    /// The key of the row that the keyboard is on.
    pub(super) selected: Option<String>,
    /// The objects whose rows are marked.
    pub(super) marked: Arc<Picked>,
    /// Each row has a button that marks it.
    pub(super) has_marks: bool,
    /// Rows need not stand in order meanwhile: to move elements costs frames.
    pub(super) is_scrolling: bool,
}

impl TableRows {
    /// Shows these, and no others, in the body. A row keeps its elements while it stays, and one that comes takes those
    /// of one that went.
    pub(super) fn show(&mut self, body: &Element, views: Vec<VisibleRow>, look: &Look) {
        if self.rows.first().is_some_and(|row| !row.has_columns(look)) {
            self.rows.drain(..).for_each(|row| Rndr::remove(&row.root));
        }
        let mut coming = Vec::new();
        let mut is_taken = vec![false; self.rows.len()];
        for view in views {
            match self.rows.iter().position(|row| row.shown.row.uid == view.row.uid) {
                Some(at) => {
                    is_taken[at] = true;
                    self.rows[at].show(view, look);
                }
                None => coming.push(view),
            }
        }
        let mut coming = coming.into_iter();
        let mut is_taken = is_taken.into_iter();
        self.rows.retain_mut(|row| {
            if is_taken.next() == Some(true) {
                return true;
            }
            match coming.next() {
                Some(view) => row.show(view, look),
                None => {
                    Rndr::remove(&row.root);
                    return false;
                }
            }
            true
        });
        for view in coming {
            let mut row = self.rows.last().and_then(RowElements::copy).unwrap_or_else(|| RowElements::new(look));
            row.show(view, look);
            Rndr::insert_node(body, &row.root, None);
            self.rows.push(row);
        }
        if !look.is_scrolling {
            self.put_in_order(body);
        }
    }

    /// Tells the ages that read differently by now; all of them when the clock was set back.
    pub(super) fn tell_time(&mut self, now: Timestamp) {
        let is_earlier = now < std::mem::replace(&mut self.told_at, now);
        for row in &mut self.rows {
            for element in &mut row.cells {
                if element.changes_at.is_some_and(|at| at <= now || is_earlier)
                    && let Some(cell) = row.shown.row.cells.get(element.column)
                {
                    element.write(cell, now);
                }
            }
        }
    }

    /// The row that an element is in.
    pub(super) fn row_of(&self, element: &Element) -> Option<&Row> {
        let root = element.closest("[role=row]").ok()??;
        self.rows.iter().find(|row| row.root == root).map(|row| &row.shown.row)
    }

    /// For selections and screen readers.
    fn put_in_order(&mut self, body: &Element) {
        if self.rows.is_sorted_by_key(|row| row.shown.index) {
            return;
        }
        let index = |at: usize| self.rows[at].shown.index;
        let order = sorted_numbers(self.rows.len(), &mut |a, b| index(a).cmp(&index(b)));
        let places: Vec<_> = order.iter().map(|at| *at as usize).collect();
        let mut next = None::<&Element>;
        for (at, stays) in order.iter().zip(staying(&places)).rev() {
            let root = &self.rows[*at as usize].root;
            if !stays {
                Rndr::insert_node(body, root, next.map(AsRef::<Node>::as_ref));
            }
            next = Some(root);
        }
        let mut rows: Vec<_> = std::mem::take(&mut self.rows).into_iter().map(Some).collect();
        self.rows = order.iter().filter_map(|at| rows[*at as usize].take()).collect();
    }
}

/// The elements of a row, and what they show.
struct RowElements {
    root: Element,
    cells: Vec<CellElements>,
    shown: VisibleRow,
    /// The button that marks it, where there is one.
    mark: Option<Element>,
    /// In CSS pixels.
    top: f64,
    /// The keyboard is on it.
    is_current: bool,
    is_selected: bool,
}

impl RowElements {
    fn new(look: &Look) -> Self {
        let root = Rndr::create_element("div", None);
        for (name, value) in [("class", "row"), ("role", "row"), ("aria-rowindex", "2"), ("aria-selected", "false")] {
            Rndr::set_attribute(&root, name, value);
        }
        let cells = look.shown.iter().map(|at| {
            let cell = CellElements::new(*at, &look.columns[*at]);
            Rndr::insert_node(&root, &cell.root, None);
            cell
        });
        let cells = cells.collect();
        let mark = look.has_marks.then(|| mark_of(&root));
        Self { root, cells, shown: VisibleRow::default(), mark, top: 0.0, is_current: false, is_selected: false }
    }

    fn has_columns(&self, look: &Look) -> bool {
        let is_same = self.cells.iter().map(|cell| cell.column).eq(look.shown.iter().copied());
        is_same && self.mark.is_some() == look.has_marks
    }

    /// Of equal elements; none when the browser copies none.
    fn copy(&self) -> Option<Self> {
        let root: Element = self.root.clone_node_with_deep(true).ok()?.dyn_into().ok()?;
        let mut next = Rndr::first_child(&root);
        let cells = self.cells.iter().map(|cell| {
            let root = next.take()?;
            next = Rndr::next_sibling(&root);
            cell.of(root.dyn_into().ok()?)
        });
        let cells = cells.collect::<Option<_>>()?;
        let mark = match next {
            Some(cell) => Some(Rndr::first_child(&cell)?.dyn_into().ok()?),
            None => None,
        };
        let Self { shown, top, is_current, is_selected, .. } = self;
        let (top, is_current, is_selected) = (*top, *is_current, *is_selected);
        Some(Self { root, cells, shown: shown.clone(), mark, top, is_current, is_selected })
    }

    fn show(&mut self, view: VisibleRow, look: &Look) {
        let root = &self.root;
        if self.shown.row.uid != view.row.uid {
            Rndr::set_attribute(root, "id", &format!("row-{}", view.row.uid));
            Rndr::set_attribute(root, "data-uid", &view.row.uid);
        }
        let top = view.index as f64 * look.row_height;
        if self.top != top {
            self.top = top;
            Rndr::set_css_property(&Rndr::style(root), "transform", &format!("translateY({})", pixels(top)));
        }
        if self.shown.index != view.index {
            Rndr::set_attribute(root, "aria-rowindex", &(view.index + 2).to_string());
        }
        if self.shown.leaving != view.leaving {
            match view.leaving {
                Leaving::Yes => Rndr::set_attribute(root, "data-leaving", ""),
                Leaving::No => Rndr::remove_attribute(root, "data-leaving"),
            }
        }
        self.select(&view, look);
        for element in &mut self.cells {
            let Some(cell) = view.row.cells.get(element.column) else { continue };
            if self.shown.row.cells.get(element.column) != Some(cell) {
                element.write(cell, look.now);
            }
            element.set_class(cell, element.column < 32 && view.row.lit >> element.column & 1 == 1);
        }
        self.shown = view;
    }

    /// What is done is done with the marked rows; with the one that the keyboard is on where none is.
    fn select(&mut self, view: &VisibleRow, look: &Look) {
        let is_current = view.leaving == Leaving::No && look.selected.as_ref().is_some_and(|it| *it == view.row.key());
        if self.is_current != is_current {
            self.is_current = is_current;
            match is_current {
                true => Rndr::set_attribute(&self.root, "data-current", ""),
                false => Rndr::remove_attribute(&self.root, "data-current"),
            }
        }
        let is_marked = !look.marked.is_empty() && look.marked.contains_key(&view.row.uid);
        let is_selected = if look.marked.is_empty() { is_current } else { is_marked };
        if self.is_selected != is_selected {
            self.is_selected = is_selected;
            let text = if is_selected { "true" } else { "false" };
            Rndr::set_attribute(&self.root, "aria-selected", text);
        }
        if let Some(mark) = &self.mark
            && mark.get_attribute("aria-pressed").as_deref() != Some(if is_marked { "true" } else { "false" })
        {
            Rndr::set_attribute(mark, "aria-pressed", if is_marked { "true" } else { "false" });
        }
    }
}

/// A button for who has no keyboard, at the end of a row.
fn mark_of(row: &Element) -> Element {
    let (cell, button) = (Rndr::create_element("div", None), Rndr::create_element("button", None));
    let attributes = [("class", "row-mark"), ("tabindex", "-1"), ("aria-label", "Select"), ("aria-pressed", "false")];
    for (name, value) in attributes {
        Rndr::set_attribute(&button, name, value);
    }
    Rndr::set_attribute(&cell, "role", "gridcell");
    Rndr::insert_node(&cell, &button, None);
    Rndr::insert_node(row, &cell, None);
    button
}

struct CellElements {
    /// Its column's place among all.
    column: usize,
    root: Element,
    text: Text,
    is_numeric: bool,
    class: String,
    /// When its text will be another, though its value is not.
    changes_at: Option<Timestamp>,
}

impl CellElements {
    fn new(at: usize, column: &Column) -> Self {
        let (root, text) = (Rndr::create_element("div", None), Rndr::create_text_node(""));
        Rndr::set_attribute(&root, "role", "gridcell");
        Rndr::set_attribute(&root, "data-column", column.name);
        Rndr::insert_node(&root, &text, None);
        Self { column: at, root, text, is_numeric: column.is_numeric, class: String::new(), changes_at: None }
    }

    /// The same of other elements.
    fn of(&self, root: Element) -> Option<Self> {
        let text = Rndr::first_child(&root)?.dyn_into().ok()?;
        let Self { column, is_numeric, changes_at, .. } = *self;
        Some(Self { column, root, text, is_numeric, class: self.class.clone(), changes_at })
    }

    fn write(&mut self, cell: &Cell, now: Timestamp) {
        Rndr::set_text(&self.text, &cell.display(now));
        self.changes_at = cell.next_change(now).and_then(|wait| now.checked_add(wait).ok());
    }

    fn set_class(&mut self, cell: &Cell, is_lit: bool) {
        let mut class = String::from("cell");
        match cell {
            Cell::Address(_) => class.push_str(" address"),
            Cell::Status { health, .. } => {
                class.push_str(" status ");
                class.push_str(health.as_str());
            }
            _ if self.is_numeric => class.push_str(" numeric"),
            _ => {}
        }
        for (is_so, word) in [(cell.is_none(), " none"), (is_lit, " lit")] {
            if is_so {
                class.push_str(word);
            }
        }
        if self.class != class {
            Rndr::set_attribute(&self.root, "class", &class);
            self.class = class;
        }
    }
}

/// A length in whole pixels, as all of a table's are: to write a fraction takes 8 KB of what a visitor downloads.
pub(super) fn pixels(length: f64) -> String {
    format!("{}px", length as i64)
}
