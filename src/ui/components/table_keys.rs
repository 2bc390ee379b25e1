use leptos::prelude::*;

use crate::ui::hooks::{use_ctrl_shortcuts, use_shortcuts};
use crate::ui::state::{LiveTable, Selection};
use crate::view::Window;

/// The keys that go from row to row, and mark rows.
pub(super) fn use_row_keys(
    table: LiveTable,
    window: Signal<Window>,
    selected: RwSignal<Option<String>>,
    selection: Selection,
    scroll_to: Callback<f64>,
) {
    use_shortcuts(move |key| {
        let window = window.get_untracked();
        let Some(last) = window.rows.checked_sub(1) else { return false };
        let current = selected.get_untracked();
        let at = current.as_ref().and_then(|key| untrack(|| table.read(|model| model.index_of(key))));
        let target = match (key, at) {
            ("x", Some(_)) => {
                current.iter().for_each(|key| selection.toggle(table, key));
                return true;
            }
            ("X", Some(_)) => {
                current.iter().for_each(|key| selection.extend(table, key, None));
                return true;
            }
            ("g" | "Home", _) => 0,
            ("G" | "End", _) => last,
            ("j" | "ArrowDown", Some(at)) => at + 1,
            ("k" | "ArrowUp", Some(at)) => at.saturating_sub(1),
            ("PageDown", Some(at)) => at + window.page(),
            ("PageUp", Some(at)) => at.saturating_sub(window.page()),
            ("j" | "k" | "x" | "X" | "ArrowDown" | "ArrowUp" | "PageDown" | "PageUp", None) => {
                (window.scroll_top / window.row_height.max(1.0)).ceil() as usize
            }
            _ => return false,
        };
        let target = target.min(last);
        let row = untrack(|| table.read(|model| model.window(target..target + 1)));
        let reached = row.first().map(|visible| visible.row.key());
        if matches!(key, "x" | "X") {
            reached.iter().for_each(|key| selection.toggle(table, key));
        }
        selected.set(reached);
        if let Some(top) = window.reveal(target) {
            scroll_to.run(top);
        }
        true
    });
    use_ctrl_shortcuts(move |key| {
        let is_all = key == "a";
        if is_all {
            selection.mark_shown(table);
        }
        is_all
    });
}
