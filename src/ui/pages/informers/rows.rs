use jiff::Timestamp;
use leptos::prelude::document;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlButtonElement};

use crate::ui::time::local_date_time;
use crate::view::informers::{INFORMER_COLUMNS, InformerLine};

/// What can be done with a line: its name in the markup, what its button says, and its tooltip.
const WISHES: [(&str, &str, &str); 3] = [
    ("pause", "Pause", "Ask for no more changes, or go on (p)"),
    ("list", "List again", "List again now (l)"),
    ("end", "End", "End one that nobody uses before its time (e)"),
];

/// The lines in the page, written element by element: a line that stays keeps its elements, and with them the keyboard.
#[derive(Default)]
pub(super) struct InformerRows {
    rows: Vec<(String, Element)>,
}

impl InformerRows {
    /// Shows these, and no others, in a table's body.
    pub(super) fn show(&mut self, body: &Element, lines: &[InformerLine], now: Timestamp) {
        self.rows.retain(|(key, row)| {
            let stays = lines.iter().any(|line| line.key == *key);
            if !stays {
                row.remove();
            }
            stays
        });
        for line in lines {
            if !self.rows.iter().any(|(key, _)| *key == line.key) {
                self.rows.extend(new_row(body, line).map(|row| (line.key.clone(), row)));
            }
        }
        for line in lines {
            if let Some((_, row)) = self.rows.iter().find(|(key, _)| *key == line.key) {
                write(row, line, now);
            }
        }
    }
}

/// The cells of the heading.
pub(super) fn write_head(head: &Element) {
    for column in &INFORMER_COLUMNS {
        if let Some(cell) = child(head, "th", if column.is_number { "number" } else { "" }) {
            set(&cell, "scope", "col");
            cell.set_text_content(Some(column.title));
        }
    }
    if let Some(cell) = child(head, "td", "") {
        cell.set_text_content(None);
    }
}

fn new_row(body: &Element, line: &InformerLine) -> Option<Element> {
    let row = child(body, "tr", "")?;
    set(&row, "tabindex", "0");
    set(&row, "data-informer", &line.key);
    for column in &INFORMER_COLUMNS {
        let cell = child(&row, "td", if column.is_number { "number" } else { "" })?;
        set(&cell, "data-column", column.title);
    }
    let actions = child(&row, "td", "informers-actions")?;
    for (wish, text, title) in WISHES {
        let button = child(&actions, "button", "button")?;
        set(&button, "data-wish", wish);
        set(&button, "title", title);
        button.set_text_content(Some(text));
    }
    Some(row)
}

fn write(row: &Element, line: &InformerLine, now: Timestamp) {
    set(row, "data-state", &line.state.to_lowercase());
    let mut cell = row.first_element_child();
    for column in &INFORMER_COLUMNS {
        let Some(here) = cell else { return };
        let text = (column.text)(line, now);
        // What somebody has selected stays selected.
        if here.text_content().as_deref() != Some(&text) {
            here.set_text_content(Some(&text));
        }
        if let Some(full) = full(column.title, line) {
            set(&here, "title", &full);
        }
        cell = here.next_element_sibling();
    }
    let button = |wish: &str| row.query_selector(&format!("[data-wish={wish}]")).ok().flatten();
    if let Some(pause) = button("pause") {
        pause.set_text_content(Some(if line.is_paused { "Go on" } else { "Pause" }));
    }
    if let Some(end) = button("end").and_then(|end| end.dyn_into::<HtmlButtonElement>().ok()) {
        end.set_disabled(line.ends_in.is_none());
    }
}

/// What there is no room for in a cell.
fn full(title: &str, line: &InformerLine) -> Option<String> {
    let at = |at: Option<Timestamp>| at.map_or_else(|| "never".into(), local_date_time);
    match title {
        "Last error" => line.last_failure.as_ref().map(|(then, error)| format!("{error} ({})", at(Some(*then)))),
        "Heard" => Some(format!("Last event {}, last bookmark {}", at(line.last_event), at(line.last_bookmark))),
        "Waiting" => Some("Changes that handlers have not been told yet, and rows that wait to be drawn".into()),
        "Kind" => Some(line.kind.clone()),
        _ => None,
    }
}

fn child(parent: &Element, tag: &str, class: &str) -> Option<Element> {
    let element = document().create_element(tag).ok()?;
    if !class.is_empty() {
        element.set_class_name(class);
    }
    parent.append_child(&element).ok()?;
    Some(element)
}

fn set(element: &Element, name: &str, value: &str) {
    // Fails for an invalid name only.
    let _ = element.set_attribute(name, value);
}
