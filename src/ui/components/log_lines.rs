use std::collections::VecDeque;
use std::ops::Range;

use leptos::tachys::renderer::Rndr;
use web_sys::Element;

use crate::ui::time::log_time;
use crate::view::log::{AnsiText, Ink, Level, LogBuffer, LogLine, LogSearch, Segment, level, segments};

/// The lines of a log that stand in the page. A line keeps its elements while it stays, and with them what is selected.
#[derive(Default)]
pub(super) struct LogLines {
    /// One after the other.
    lines: VecDeque<LineElement>,
    look: LineLook,
}

/// What all lines are shown by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineLook {
    /// Tells a log from the one before.
    pub(super) epoch: u32,
    pub(super) has_times: bool,
    /// What is searched for.
    pub(super) search: String,
}

struct LineElement {
    number: u64,
    root: Element,
    /// Of the whole line: a part of a line is shorter.
    bytes: usize,
    is_current: bool,
}

impl LogLines {
    /// Shows these lines, and no others, in the body. `current` is the one that the search is at.
    pub(super) fn show(
        &mut self,
        body: &Element,
        buffer: &LogBuffer,
        range: Range<u64>,
        look: LineLook,
        search: Option<&LogSearch>,
        current: Option<u64>,
    ) {
        let is_kept = |line: &LineElement| {
            range.contains(&line.number) && buffer.get(line.number).is_some_and(|it| it.whole.len() == line.bytes)
        };
        if self.look != look {
            self.look = look;
            self.lines.drain(..).for_each(|line| Rndr::remove(&line.root));
        }
        self.lines.retain(|line| {
            let is_kept = is_kept(line);
            if !is_kept {
                Rndr::remove(&line.root);
            }
            is_kept
        });
        let wanted = buffer.lines_from(range.start).take_while(|(number, _)| *number < range.end);
        for (at, (number, line)) in wanted.enumerate() {
            if self.lines.get(at).is_none_or(|known| known.number != number) {
                let root = line_element(number, line, self.look.has_times, search);
                Rndr::insert_node(body, &root, self.lines.get(at).map(|next| next.root.as_ref()));
                self.lines.insert(at, LineElement { number, root, bytes: line.whole.len(), is_current: false });
            }
            self.lines[at].set_current(current == Some(number));
        }
    }
}

impl LineElement {
    fn set_current(&mut self, is_current: bool) {
        if self.is_current != is_current {
            self.is_current = is_current;
            match is_current {
                true => Rndr::set_attribute(&self.root, "data-current", ""),
                false => Rndr::remove_attribute(&self.root, "data-current"),
            }
        }
    }
}

fn line_element(number: u64, line: LogLine<'_>, has_times: bool, search: Option<&LogSearch>) -> Element {
    let root = element("log-line", "div");
    Rndr::set_attribute(&root, "data-line", &number.to_string());
    if line.is_note {
        Rndr::set_attribute(&root, "data-note", "");
        add_text(&root, line.text());
        return root;
    }
    if has_times {
        let time = element("log-time", "span");
        if let Some(moment) = line.time() {
            Rndr::set_attribute(&time, "title", line.whole_time());
            add_text(&time, &log_time(moment));
        }
        Rndr::insert_node(&root, &time, None);
    }
    let ansi = AnsiText::read(line.text());
    match level(&ansi.text) {
        Some(Level::Error) => Rndr::set_attribute(&root, "data-level", "error"),
        Some(Level::Warning) => Rndr::set_attribute(&root, "data-level", "warning"),
        None => {}
    }
    let text = element("log-text", "span");
    let found = search.map(|search| search.places(&ansi.text)).unwrap_or_default();
    for segment in segments(&ansi.text, &ansi.runs, &found) {
        add_segment(&text, segment);
    }
    Rndr::insert_node(&root, &text, None);
    root
}

fn add_segment(parent: &Element, segment: Segment<'_>) {
    if segment.ink == Ink::default() && !segment.is_found {
        add_text(parent, segment.text);
        return;
    }
    let part = element("", if segment.is_found { "mark" } else { "span" });
    if let Some(colour) = segment.ink.colour {
        Rndr::set_attribute(&part, "data-ink", &colour.to_string());
    }
    if segment.ink.is_bold {
        Rndr::set_attribute(&part, "data-bold", "");
    }
    if segment.ink.is_dim {
        Rndr::set_attribute(&part, "data-dim", "");
    }
    add_text(&part, segment.text);
    Rndr::insert_node(parent, &part, None);
}

fn element(class: &str, tag: &str) -> Element {
    let element = Rndr::create_element(tag, None);
    if !class.is_empty() {
        Rndr::set_attribute(&element, "class", class);
    }
    element
}

fn add_text(parent: &Element, text: &str) {
    Rndr::insert_node(parent, &Rndr::create_text_node(text), None);
}
