use leptos::html::Div;
use leptos::prelude::*;
use leptos::tachys::renderer::Rndr;

use super::log_lines::{LineLook, LogLines};
use super::table_rows::pixels;
use crate::ui::hooks::{focus_by_id, use_size};
use crate::ui::state::LogStream;
use crate::view::log::{Found, LogBuffer, LogLayout, LogSearch};

/// A row's height in log_view.css.
const ROW: f64 = 18.0;

/// What stands beside a line's text: the space at both ends, and its time.
const EDGES: f64 = 32.0;
const TIME_LETTERS: f64 = 20.0;

/// So many lines are searched in one frame.
const SEARCHED_AT_ONCE: usize = 20_000;

/// Which lines of a log are in view, and what is found in it. A handle.
#[derive(Clone, Copy)]
pub(super) struct LogScreen {
    pub(super) stream: LogStream,
    pub(super) scroller: NodeRef<Div>,
    pub(super) space: NodeRef<Div>,
    pub(super) body: NodeRef<Div>,
    size: Signal<(f64, f64)>,
    pub(super) has_times: RwSignal<bool>,
    pub(super) wraps: RwSignal<bool>,
    /// The end stays in view.
    pub(super) is_following: RwSignal<bool>,
    pub(super) search: RwSignal<String>,
    pub(super) search_error: RwSignal<Option<String>>,
    /// The found line that one is at.
    current: RwSignal<Option<u64>>,
    pub(super) summary: RwSignal<Summary>,
    parts: StoredValue<Parts, LocalStorage>,
}

/// The log in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) lines: usize,
    pub(super) dropped: u64,
    /// Those that came since the end was in view.
    pub(super) new: u64,
    pub(super) found: usize,
    /// Which of those found one is at, from one on.
    pub(super) place: Option<usize>,
}

#[derive(Default)]
struct Parts {
    lines: LogLines,
    layout: LogLayout,
    found: Found,
    /// As it was scrolled last.
    top: f64,
    /// The line at the upper edge, and how far it is above it: it stays there when others go.
    anchor: (u64, f64),
    /// Where the end was when it was last in view.
    seen: u64,
    /// A letter's width in CSS pixels; zero before it is measured.
    letter: f64,
}

impl LogScreen {
    pub(super) fn new(stream: LogStream) -> Self {
        let scroller = NodeRef::new();
        let this = Self {
            stream,
            scroller,
            space: NodeRef::new(),
            body: NodeRef::new(),
            size: use_size(scroller),
            has_times: RwSignal::new(false),
            wraps: RwSignal::new(false),
            is_following: RwSignal::new(true),
            search: RwSignal::default(),
            search_error: RwSignal::default(),
            current: RwSignal::default(),
            summary: RwSignal::default(),
            parts: StoredValue::new_local(Parts::default()),
        };
        Effect::new(move |_| {
            let search = this.search.with(|text| LogSearch::parse(text));
            this.search_error.set(search.as_ref().err().cloned());
            this.parts.update_value(|parts| parts.found.set(search.unwrap_or_default()));
            this.current.set(None);
        });
        Effect::new(move |_| {
            this.stream.revision().track();
            this.search.track();
            this.is_following.track();
            let (width, height) = this.size.get();
            let columns = this.wraps.get().then(|| this.columns(width, this.has_times.get()));
            let (has_times, current) = (this.has_times.get(), this.current.get());
            this.draw(height, columns, has_times, current);
        });
        this
    }

    /// How many letters a row of text has.
    fn columns(&self, width: f64, has_times: bool) -> usize {
        let measured = self.parts.with_value(|parts| parts.letter);
        let letter = if measured > 0.0 { measured } else { self.measure() };
        let times = if has_times { TIME_LETTERS * letter } else { 0.0 };
        ((width - EDGES - times) / letter.max(1.0)).max(1.0) as usize
    }

    /// Lays the page out for it, once.
    fn measure(&self) -> f64 {
        const LETTERS: usize = 64;
        let Some(body) = self.body.get_untracked() else { return 0.0 };
        let probe = Rndr::create_element("span", None);
        Rndr::set_attribute(&probe, "class", "log-probe");
        Rndr::insert_node(&probe, &Rndr::create_text_node(&"0".repeat(LETTERS)), None);
        Rndr::insert_node(&body, &probe, None);
        let letter = probe.get_bounding_client_rect().width() / LETTERS as f64;
        Rndr::remove(&probe);
        self.parts.update_value(|parts| parts.letter = letter);
        letter
    }

    fn draw(&self, height: f64, columns: Option<usize>, has_times: bool, current: Option<u64>) {
        let (scroller, space, body) = (self.scroller.get(), self.space.get(), self.body.get());
        let (Some(scroller), Some(space), Some(body)) = (scroller, space, body) else { return };
        let is_following = self.is_following.get_untracked();
        let look = LineLook { epoch: self.stream.epoch(), has_times, search: self.search.get_untracked() };
        let drawn = self.parts.try_update_value(|parts| {
            self.stream.read(|buffer| {
                parts.layout.update(buffer, columns);
                let is_searched = parts.found.update(buffer, SEARCHED_AT_ONCE);
                let total = parts.layout.total() as f64 * ROW;
                Rndr::set_css_property(&Rndr::style(&space), "height", &pixels(total));
                let top = parts.wanted_top(buffer, is_following, total - height);
                if is_following {
                    // As far as it goes: what is computed of wrapped lines may be a little less than they need.
                    scroller.set_scroll_top(i32::MAX);
                } else if (top - parts.top).abs() >= 1.0 {
                    scroller.set_scroll_top(top as i32);
                }
                parts.top = top;
                let rows = (top / ROW) as u64..((top + height) / ROW) as u64;
                let range = parts.layout.visible(rows);
                let offset = parts.layout.top(range.start) as f64 * ROW;
                Rndr::set_css_property(&Rndr::style(&body), "transform", &format!("translateY({})", pixels(offset)));
                parts.lines.show(&body, buffer, range, look, parts.found.search(), current);
                (parts.summary(buffer, is_following, current), is_searched)
            })
        });
        let Some((summary, is_searched)) = drawn else { return };
        if self.summary.get_untracked() != summary {
            self.summary.set(summary);
        }
        if !is_searched {
            self.stream.redraw();
        }
    }

    /// Shows another log, from its end.
    pub(super) fn start_over(&self) {
        self.parts.update_value(|parts| {
            parts.layout = LogLayout::default();
            parts.found.start_over();
            parts.seen = 0;
        });
        self.current.set(None);
        self.is_following.set(true);
    }

    /// Takes over where a person has scrolled to. At the end the log is followed, above it no more.
    pub(super) fn on_scroll(&self) {
        let Some(scroller) = self.scroller.get_untracked() else { return };
        let (top, height) = (f64::from(scroller.scroll_top()), self.size.get_untracked().1);
        let was_following = self.is_following.get_untracked();
        let is_following = self.parts.try_update_value(|parts| {
            let is_at_end = top + height >= parts.layout.total() as f64 * ROW - 2.0;
            let is_upward = top < parts.top - 1.0;
            parts.top = top;
            parts.anchor_at(top);
            is_at_end || (was_following && !is_upward)
        });
        self.is_following.set(is_following.unwrap_or_default());
    }

    /// Scrolls by so many rows.
    pub(super) fn scroll_by(&self, rows: f64) {
        if let Some(scroller) = self.scroller.get_untracked() {
            scroller.set_scroll_top(scroller.scroll_top() + (rows * ROW) as i32);
        }
    }

    pub(super) fn go_to_start(&self) {
        let first = self.stream.read(LogBuffer::first);
        self.hold_at(first, 0.0);
    }

    pub(super) fn go_to_end(&self) {
        self.is_following.set(true);
    }

    pub(super) fn toggle_following(&self) {
        self.is_following.update(|is_following| *is_following = !*is_following);
    }

    /// Goes to the next line that is found, or to the one before; from the last to the first.
    pub(super) fn go_to_found(&self, is_forward: bool) {
        let from = self.current.get_untracked();
        let found = self.parts.with_value(|parts| match (from, is_forward) {
            (Some(_), true) => parts.found.after(from),
            (None, true) => parts.found.after(parts.anchor.0.checked_sub(1)),
            (Some(_), false) => parts.found.before(from),
            (None, false) => parts.found.before(None),
        });
        let Some(line) = found else { return };
        self.current.set(Some(line));
        self.hold_at(line, -self.size.get_untracked().1 / 3.0);
    }

    fn hold_at(&self, line: u64, offset: f64) {
        self.is_following.set(false);
        self.parts.update_value(|parts| parts.anchor = (line, offset));
        self.stream.redraw();
    }

    /// Gives the keyboard to the lines.
    pub(super) fn focus(&self) {
        focus_by_id("log-lines");
    }
}

impl Parts {
    fn wanted_top(&mut self, buffer: &LogBuffer, is_following: bool, lowest: f64) -> f64 {
        let lowest = lowest.max(0.0);
        if is_following {
            self.anchor_at(lowest);
            return lowest;
        }
        let (line, offset) = self.anchor;
        if line < buffer.first() {
            self.anchor = (buffer.first(), 0.0);
            return 0.0;
        }
        (self.layout.top(line) as f64 * ROW + offset).clamp(0.0, lowest)
    }

    fn anchor_at(&mut self, top: f64) {
        let line = self.layout.line_at((top / ROW) as u64);
        self.anchor = (line, top - self.layout.top(line) as f64 * ROW);
    }

    fn summary(&mut self, buffer: &LogBuffer, is_following: bool, current: Option<u64>) -> Summary {
        if is_following {
            self.seen = buffer.end();
        }
        Summary {
            lines: buffer.len(),
            dropped: buffer.dropped(),
            new: buffer.end().saturating_sub(self.seen),
            found: self.found.count(),
            place: current.and_then(|line| self.found.place(line)),
        }
    }
}
