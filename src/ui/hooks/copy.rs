use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{ClipboardEvent, Element, NodeList, Selection};

/// Gives the selected cells to the clipboard as tab-separated text, a line for each row.
/// What is selected within one cell is copied as it stands.
pub(crate) fn copy_tab_separated(event: &ClipboardEvent) {
    let Some(text) = selected_cells(event) else { return };
    if let Some(clipboard) = event.clipboard_data()
        && clipboard.set_data("text/plain", &text).is_ok()
    {
        event.prevent_default();
    }
}

fn selected_cells(event: &ClipboardEvent) -> Option<String> {
    let selection = window().get_selection().ok()??;
    let grid = event.current_target()?.dyn_into::<Element>().ok()?;
    let rows = grid.query_selector_all("[role=row]").ok()?;
    let rows: Vec<Vec<String>> = selected(&selection, &rows)
        .map(|row| {
            let cells = row.query_selector_all("[role=gridcell], [role=columnheader]").ok();
            cells.map_or_else(Vec::new, |cells| {
                selected(&selection, &cells).map(|cell| cell.text_content().unwrap_or_default()).collect()
            })
        })
        .collect();
    let is_within_one_cell = rows.iter().map(Vec::len).sum::<usize>() < 2;
    (!is_within_one_cell).then(|| rows.iter().map(|cells| cells.join("\t")).collect::<Vec<_>>().join("\n"))
}

/// Those of the elements that the selection touches.
fn selected(selection: &Selection, elements: &NodeList) -> impl Iterator<Item = Element> {
    (0..elements.length())
        .filter_map(|at| elements.item(at)?.dyn_into::<Element>().ok())
        .filter(|element| selection.contains_node_with_allow_partial_containment(element, true).unwrap_or(false))
}
