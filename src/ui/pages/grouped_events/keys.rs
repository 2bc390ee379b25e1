use std::sync::Arc;

use leptos::prelude::*;

use super::row::EventGroupRow;
use crate::ui::hooks::{focus_by_id, use_shortcuts};
use crate::ui::state::Navigation;
use crate::view::Window;

/// The types of events that can be chosen, as the address has them, and what stands for each.
pub(super) const TYPES: [(&str, &str); 3] = [("", "All"), ("Warning", "Warning"), ("Normal", "Normal")];

/// What the keys of the page work on.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) all: Memo<Vec<EventGroupRow>>,
    pub(super) window: Signal<Window>,
    pub(super) selected: RwSignal<Option<Arc<str>>>,
    /// Scrolls to so many pixels.
    pub(super) scroll_to: Callback<f64>,
    /// Opens the object of a row.
    pub(super) open: Callback<EventGroupRow>,
}

/// The keys of a table, and those of this page.
pub(super) fn use_keys(rows: Rows, navigation: Navigation, retry: impl Fn() + 'static) {
    use_shortcuts(move |key| match key {
        "/" => {
            focus_by_id("query");
            true
        }
        "t" => {
            let now = navigation.only().get_untracked();
            let at = TYPES.iter().position(|(name, _)| *name == now).unwrap_or(0);
            navigation.set_only(TYPES[(at + 1) % TYPES.len()].0);
            true
        }
        "r" => {
            retry();
            true
        }
        "Escape" if rows.selected.with_untracked(Option::is_some) => {
            rows.selected.set(None);
            true
        }
        "Escape" if !navigation.query().with_untracked(String::is_empty) => {
            navigation.set_query(String::new());
            true
        }
        "Enter" => {
            let row = rows.at().and_then(|at| rows.all.with_untracked(|all| all.get(at).cloned()));
            row.map(|row| rows.open.run(row)).is_some()
        }
        _ => rows.go(key),
    });
}

impl Rows {
    /// The place of the selected row.
    fn at(&self) -> Option<usize> {
        let selected = self.selected.get_untracked()?;
        self.all.with_untracked(|all| all.iter().position(|row| row.group.key == selected))
    }

    /// Moves the selection, and tells whether the key does.
    fn go(&self, key: &str) -> bool {
        let window = self.window.get_untracked();
        let Some(last) = window.rows.checked_sub(1) else { return false };
        let target = match (key, self.at()) {
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
        self.selected.set(self.all.with_untracked(|all| all.get(target).map(|row| Arc::clone(&row.group.key))));
        if let Some(top) = window.reveal(target) {
            self.scroll_to.run(top);
        }
        true
    }
}
