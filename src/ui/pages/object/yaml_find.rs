use std::ops::Range;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::yaml::Lines;
use crate::ui::components::{Icon, Shape};
use crate::ui::hooks::focus_by_id;
use crate::view::log::LogSearch;

/// So many places are found, at most.
const MOST: usize = 1_000;

/// The buttons that go on, for their keys.
pub(super) const NEXT: &str = "object-find-next";
pub(super) const PREVIOUS: &str = "object-find-previous";

/// The button that ends the search, for its key.
pub(super) const CLEAR: &str = "object-find-clear";

/// Where something is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    /// Bytes of the line's text.
    range: Range<usize>,
}

/// A place in a line that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Bytes of the line's text.
    pub(super) place: Range<usize>,
    /// It is the one that is looked at.
    pub(super) is_current: bool,
}

/// What is looked for, and where it is. A handle.
#[derive(Clone, Copy)]
pub(super) struct Found {
    of: Lines,
    text: RwSignal<String>,
    /// In their order; or what is wrong in the expression.
    places: Memo<Result<Vec<Place>, String>>,
    /// Which of them is looked at.
    at: RwSignal<usize>,
}

impl Found {
    pub(super) fn new(of: Lines) -> Self {
        let text = RwSignal::new(String::new());
        let places = Memo::new(move |_| {
            let Some(search) = text.with(|text| LogSearch::parse(text))? else { return Ok(Vec::new()) };
            let mut places = Vec::new();
            of.all.with(|all| {
                for (line, text) in all.iter().map(|line| line.text()).enumerate() {
                    let here = search.places(&text).into_iter().map(|range| Place { line, range });
                    places.extend(here.take(MOST - places.len()));
                    if places.len() == MOST {
                        break;
                    }
                }
            });
            Ok(places)
        });
        Self { of, text, places, at: RwSignal::new(0) }
    }

    fn read<R: Default>(&self, read: impl FnOnce(&[Place]) -> R) -> R {
        self.places.with(|places| places.as_ref().map(|places| read(places)).unwrap_or_default())
    }

    /// The place that is looked at.
    pub(super) fn current(&self) -> Option<Place> {
        let at = self.at.get();
        self.read(|places| places.get(at).or(places.last()).cloned())
    }

    /// Those in a line.
    pub(super) fn marks(&self, line: usize, current: Option<&Place>) -> Vec<Mark> {
        self.read(|places| {
            let first = places.partition_point(|place| place.line < line);
            let here = places[first..].iter().take_while(|place| place.line == line);
            here.map(|it| Mark { place: it.range.clone(), is_current: Some(it) == current }).collect()
        })
    }

    /// Goes to another one, in a ring.
    fn go(&self, by: isize) {
        let count = untrack(|| self.read(<[Place]>::len));
        if count == 0 {
            return;
        }
        let at = self.at.get_untracked().min(count - 1);
        self.at.set((at + count).saturating_add_signed(by) % count);
        self.reveal();
    }

    fn look_for(&self, text: String) {
        self.text.set(text);
        self.at.set(0);
        self.reveal();
    }

    fn reveal(&self) {
        if let Some(place) = untrack(|| self.current()) {
            self.of.reveal_line(place.line);
        }
    }

    /// How many there are, and which one is looked at.
    fn count(&self) -> String {
        if let Err(error) = self.places.get() {
            return error;
        }
        let (count, at) = (self.read(<[Place]>::len), self.at.get());
        match self.text.with(String::is_empty) {
            true => String::new(),
            false if count == 0 => "None".into(),
            false => {
                let more = if count == MOST { "+" } else { "" };
                [&(at.min(count - 1) + 1).to_string(), " of ", &count.to_string(), more].concat()
            }
        }
    }
}

/// A text to look for, and how often it is there.
#[component]
pub(super) fn FindBox(
    /// What it looks in.
    found: Found,
) -> impl IntoView {
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => found.go(if event.shift_key() { -1 } else { 1 }),
        "Escape" => {
            event.prevent_default();
            event.stop_propagation();
            // What is found stays, for the keys of the panel.
            focus_by_id("object-panel");
        }
        _ => {}
    };
    let step = move |id: &'static str, title: &'static str, shape: Shape| {
        let by = match id {
            NEXT => 1,
            PREVIOUS => -1,
            _ => 0,
        };
        let act = move |_| if by == 0 { found.look_for(String::new()) } else { found.go(by) };
        let is_idle = move || match by {
            0 => found.text.with(String::is_empty),
            _ => found.read(<[Place]>::len) == 0,
        };
        view! {
            <button id=id class="yaml-step" aria-label=title title=title hidden=is_idle on:click=act>
                <Icon shape=shape />
            </button>
        }
    };
    view! {
        <div class="yaml-find" role="search">
            <Icon shape=Shape::Search />
            <input
                id="object-find"
                type="text"
                placeholder="Find"
                aria-label="Find in the YAML"
                aria-invalid=move || found.places.with(Result::is_err).then_some("true")
                title="Find in the YAML (/): words, or /an expression/"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || found.text.get()
                on:input:target=move |event| found.look_for(event.target().value())
                on:keydown=on_key
            />
            <span class="object-note yaml-found" role="status" data-testid="yaml-found" title=move || found.count()>
                {move || found.count()}
            </span>
            {step(PREVIOUS, "Previous place found (N, Shift+Enter)", Shape::Up)}
            {step(NEXT, "Next place found (n, Enter)", Shape::Down)}
            {step(CLEAR, "Look for nothing (Esc)", Shape::Close)}
        </div>
    }
}
