use std::collections::BTreeSet;
use std::time::Duration;

use leptos::html::Div;
use leptos::prelude::*;
use leptos::tachys::renderer::Rndr;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Node};

use super::tabs::Shown;
use super::yaml_find::{FindBox, Found, Mark};
use crate::api::Object;
use crate::ui::components::{Icon, Shape};
use crate::ui::dom::{element, text, with};
use crate::ui::hooks::use_height;
use crate::ui::state::{Notices, Session};
use crate::view::object::line_changes;
use crate::view::{Window, YamlLine, YamlOptions, YamlSpanKind, yaml_lines, yaml_text};

/// A line's height in yaml.css, in CSS pixels.
const LINE_HEIGHT: f64 = 18.0;

/// Lines above and below those in view, so that a short scroll shows no gap.
const OVERSCAN: usize = 10;

/// How long a changed line is lit.
const LIT: Duration = Duration::from_millis(600);

/// The object as it is now, line by line. A handle.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) all: RwSignal<Vec<YamlLine>>,
    /// Those that changed a moment ago, ascending.
    lit: RwSignal<Vec<usize>>,
    /// The keys of a Secret's values that are shown.
    revealed: RwSignal<BTreeSet<String>>,
    scroll_top: RwSignal<f64>,
    scroller: NodeRef<Div>,
}

/// The object as kubectl writes it, without its managed fields.
pub(super) fn view(shown: Shown) -> AnyView {
    let lines = Lines {
        all: RwSignal::new(Vec::new()),
        lit: RwSignal::new(Vec::new()),
        revealed: RwSignal::new(BTreeSet::new()),
        scroll_top: RwSignal::new(0.0),
        scroller: NodeRef::new(),
    };
    follow(shown, lines);
    let found = Found::new(lines);
    view! {
        <div class="yaml">
            <div class="yaml-bar">
                <FindBox found=found />
                <CopyButton shown=shown />
            </div>
            <YamlText lines=lines found=found />
        </div>
    }
    .into_any()
}

/// Shows what changes, and lights it.
fn follow(shown: Shown, lines: Lines) {
    let last_revealed = StoredValue::new(BTreeSet::new());
    Effect::new(move |_| {
        let revealed = lines.revealed.get();
        let options = YamlOptions { managed_fields: false, revealed: &revealed };
        let Some(new) = shown.read(|object| yaml_lines(object, &options)) else { return };
        let changes = lines.all.with_untracked(|old| line_changes(old, &new));
        let is_first = lines.all.with_untracked(Vec::is_empty);
        let is_asked_for = last_revealed.with_value(|last| *last != revealed);
        last_revealed.set_value(revealed.clone());
        let top = (lines.scroll_top.get_untracked() / LINE_HEIGHT) as usize;
        let moved = changes.place_of(top) as f64 - top as f64;
        lines.all.set(new);
        if is_first || changes.changed.is_empty() && moved == 0.0 {
            return;
        }
        if top > 0 && moved != 0.0 {
            lines.scroll_by(moved);
        }
        if !is_asked_for {
            lines.light(changes.changed);
        }
    });
}

impl Lines {
    /// By so many lines, once they stand.
    fn scroll_by(self, count: f64) {
        request_animation_frame(move || {
            if let Some(scroller) = self.scroller.get_untracked() {
                scroller.set_scroll_top(scroller.scroll_top() + (count * LINE_HEIGHT) as i32);
            }
        });
    }

    fn light(self, changed: Vec<usize>) {
        self.lit.set(changed.clone());
        set_timeout(
            move || {
                // What changed since has a time of its own.
                if self.lit.try_with_untracked(|lit| *lit == changed) == Some(true) {
                    self.lit.set(Vec::new());
                }
            },
            LIT,
        );
    }

    /// Brings a line into view, and of its marks the current one once it stands.
    pub(super) fn reveal_line(self, line: usize) {
        let Some(scroller) = self.scroller.get_untracked() else { return };
        let middle = f64::from(scroller.client_height()) / 2.0;
        scroller.set_scroll_top((line as f64 * LINE_HEIGHT - middle) as i32);
        request_animation_frame(move || {
            let Some(mark) = scroller.query_selector("mark.current").ok().flatten() else { return };
            let (view, place) = (scroller.get_bounding_client_rect(), mark.get_bounding_client_rect());
            let is_seen = place.left() >= view.left() && place.right() <= view.right();
            let by = if is_seen { 0.0 } else { place.left() - view.left() - view.width() / 3.0 };
            scroller.set_scroll_left(scroller.scroll_left() + by as i32);
        });
    }
}

/// The lines in view, within the height of all.
#[component]
fn YamlText(
    /// The lines.
    lines: Lines,
    /// Those that are looked for.
    found: Found,
) -> impl IntoView {
    let body = NodeRef::<Div>::new();
    let height = use_height(lines.scroller);
    let range = Memo::new(move |_| {
        let rows = lines.all.with(Vec::len);
        let scroll_top = lines.scroll_top.get();
        Window { rows, row_height: LINE_HEIGHT, scroll_top, viewport: height.get() }.range(OVERSCAN)
    });
    Effect::new(move |_| {
        let Some(body) = body.get() else { return };
        let longest = lines.all.with(|all| all.iter().map(length).max().unwrap_or(0));
        let style = Rndr::style(&body);
        Rndr::set_css_property(&style, "height", &pixels(lines.all.with(Vec::len)));
        // A button stands at the end of a Secret's lines.
        Rndr::set_css_property(&style, "width", &format!("{}ch", longest + 12));
    });
    let elements = StoredValue::new_local(Vec::new());
    Effect::new(move |_| {
        let Some(body) = body.get() else { return };
        let current = found.current();
        let class = |at: usize| {
            let is_in = |lines: &Vec<usize>| lines.binary_search(&at).is_ok();
            let lit = if lines.lit.with(is_in) { " lit" } else { "" };
            let current = if current.as_ref().is_some_and(|it| it.line == at) { " current" } else { "" };
            ["yaml-line", lit, current].concat()
        };
        let look = Look { class: &class, marks: &|at| found.marks(at, current.as_ref()) };
        let range = range.get();
        lines.all.with(|all| {
            let shown = range.clone().zip(all.get(range).unwrap_or_default());
            elements.update_value(|elements| show(&body, elements, shown, look));
        });
    });
    let toggle = move |event: leptos::ev::MouseEvent| {
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        if let Some(key) = target.and_then(|it| it.get_attribute("data-reveal")) {
            lines.revealed.update(|revealed| {
                if !revealed.remove(&key) {
                    revealed.insert(key);
                }
            });
        }
    };
    view! {
        <div
            class="object-scroll yaml-scroll"
            data-testid="yaml"
            role="group"
            aria-label="YAML"
            tabindex="0"
            node_ref=lines.scroller
            on:scroll:target=move |event| lines.scroll_top.set(f64::from(event.target().scroll_top()))
        >
            <div class="yaml-lines" node_ref=body on:click=toggle></div>
        </div>
    }
}

/// A line that stands in the page.
struct LineElement {
    at: usize,
    line: YamlLine,
    marks: Vec<Mark>,
    class: String,
    root: Element,
}

/// How a line looks, by its number.
#[derive(Clone, Copy)]
struct Look<'a> {
    class: &'a dyn Fn(usize) -> String,
    marks: &'a dyn Fn(usize) -> Vec<Mark>,
}

/// Has these lines stand, and no others, in their order. One that stays keeps its element, and what is selected in it.
fn show<'a>(
    body: &Element,
    elements: &mut Vec<LineElement>,
    lines: impl Iterator<Item = (usize, &'a YamlLine)>,
    look: Look<'_>,
) {
    let mut old = std::mem::take(elements);
    for (at, line) in lines {
        let marks = (look.marks)(at);
        let place = old.iter().position(|it| it.at == at && it.marks == marks && it.line == *line);
        let mut element = match place {
            Some(place) => old.swap_remove(place),
            None => {
                let root = line_element(at, line, &marks);
                LineElement { at, line: line.clone(), marks, class: String::new(), root }
            }
        };
        let class = (look.class)(at);
        if element.class != class {
            Rndr::set_attribute(&element.root, "class", &class);
            element.class = class;
        }
        elements.push(element);
    }
    old.iter().for_each(|gone| gone.root.remove());
    let mut next = body.first_child();
    for element in elements {
        let root: &Node = &element.root;
        if next.as_ref() == Some(root) {
            next = root.next_sibling();
        } else {
            Rndr::insert_node(body, root, next.as_ref());
        }
    }
}

fn line_element(at: usize, line: &YamlLine, marks: &[Mark]) -> Element {
    let root = Rndr::create_element("div", None);
    Rndr::set_css_property(&Rndr::style(&root), "top", &pixels(at));
    Rndr::insert_node(&root, &text(&" ".repeat(line.indent)), None);
    let places: Vec<_> = marks.iter().map(|mark| mark.place.clone()).collect();
    for (kind, words, mark) in line.parts(&places) {
        let words = match mark.and_then(|mark| marks.get(mark)) {
            Some(mark) => element("mark", if mark.is_current { "current" } else { "" }, vec![text(words)]),
            None => text(words),
        };
        Rndr::insert_node(&root, &element("span", class_of(kind), vec![words]), None);
    }
    if let Some(key) = &line.secret {
        let is_masked = line.spans.iter().any(|span| span.kind == YamlSpanKind::Mask);
        let word = if is_masked { "Reveal" } else { "Hide" };
        let button = with(element("button", "yaml-reveal", vec![text(word)]), "data-reveal", key);
        Rndr::insert_node(&root, &with(button, "aria-label", &[word, " ", key].concat()), None);
    }
    root
}

fn length(line: &YamlLine) -> usize {
    line.indent + line.spans.iter().map(|span| span.text.chars().count()).sum::<usize>()
}

const fn class_of(kind: YamlSpanKind) -> &'static str {
    match kind {
        YamlSpanKind::Key => "yaml-key",
        YamlSpanKind::Text => "",
        YamlSpanKind::Number | YamlSpanKind::Word => "yaml-value",
        YamlSpanKind::Mask | YamlSpanKind::Comment => "yaml-comment",
        YamlSpanKind::Punctuation => "yaml-sign",
    }
}

/// So many lines.
fn pixels(lines: usize) -> String {
    format!("{}px", lines * LINE_HEIGHT as usize)
}

/// Copies the whole object.
#[component]
fn CopyButton(
    /// The object.
    shown: Shown,
) -> impl IntoView {
    let (session, notices) = (expect_context::<Session>(), expect_context::<Notices>());
    let is_secret = untrack(|| shown.read(|object| object.kind() == "Secret")).unwrap_or_default();
    let title = match is_secret {
        true => "Copies all of it as YAML without managed fields, the values included, as base64",
        false => "Copies all of it as YAML without managed fields",
    };
    let copy = move |_| {
        let text = |object: &Object| (yaml_text(object, false), format!("the YAML of {}", object.name()));
        if let Some((text, said)) = untrack(|| shown.read(text)) {
            session.copy_as(text, said, notices);
        }
    };
    view! {
        <button class="button" data-testid="yaml-copy" title=title on:click=copy>
            <Icon shape=Shape::Copy />
            {if is_secret { "Copy with values" } else { "Copy YAML" }}
        </button>
    }
}
