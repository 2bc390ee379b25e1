use std::collections::BTreeSet;
use std::time::Duration;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;

use super::tabs::Shown;
use crate::api::Object;
use crate::ui::components::{Icon, Shape};
use crate::ui::hooks::{focus_by_id, use_height};
use crate::ui::state::{Notices, Session};
use crate::view::object::line_changes;
use crate::view::{Window, YamlLine, YamlOptions, YamlSpan, YamlSpanKind, yaml_lines, yaml_text};

/// A line's height in yaml.css, in CSS pixels.
const LINE_HEIGHT: f64 = 18.0;

/// Lines above and below those in view, so that a short scroll shows no gap.
const OVERSCAN: usize = 10;

/// How long a changed line is lit.
const LIT: Duration = Duration::from_millis(600);

/// The object as it is now, line by line. A handle.
#[derive(Clone, Copy)]
struct Lines {
    all: RwSignal<Vec<YamlLine>>,
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

    fn reveal_line(self, line: usize) {
        if let Some(scroller) = self.scroller.get_untracked() {
            let middle = f64::from(scroller.client_height()) / 2.0;
            scroller.set_scroll_top((line as f64 * LINE_HEIGHT - middle) as i32);
        }
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
    let height = use_height(lines.scroller);
    let range = Memo::new(move |_| {
        let rows = lines.all.with(Vec::len);
        let scroll_top = lines.scroll_top.get();
        Window { rows, row_height: LINE_HEIGHT, scroll_top, viewport: height.get() }.range(OVERSCAN)
    });
    let longest = Memo::new(move |_| {
        let length = |line: &YamlLine| line.indent + line.spans.iter().map(|it| it.text.chars().count()).sum::<usize>();
        lines.all.with(|all| all.iter().map(length).max().unwrap_or(0))
    });
    let visible = move || {
        let range = range.get();
        lines.all.with(|all| {
            let shown = all.get(range.clone()).unwrap_or_default();
            range.zip(shown.iter().cloned()).collect::<Vec<_>>()
        })
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
            <div
                class="yaml-lines"
                style:height=move || pixels(lines.all.with(Vec::len))
                // A button stands at the end of a Secret's lines.
                style:width=move || format!("{}ch", longest.get() + 12)
            >
                <For
                    each=visible
                    key=|(at, line)| (*at, line.text(), line.secret.is_some())
                    children=move |(at, line)| line_view(lines, found, at, line)
                />
            </div>
        </div>
    }
}

fn line_view(lines: Lines, found: Found, at: usize, line: YamlLine) -> AnyView {
    let is_lit = move || lines.lit.with(|lit| lit.binary_search(&at).is_ok());
    let is_found = move || found.lines.with(|found| found.binary_search(&at).is_ok());
    let is_current = move || found.current() == Some(at);
    let span = |YamlSpan { kind, text }: YamlSpan| view! { <span class=class_of(kind)>{text}</span> };
    let secret = line.secret.map(|key| secret_button(lines, key.into()));
    view! {
        <div
            class="yaml-line"
            class:lit=is_lit
            class:found=is_found
            class:current=is_current
            style:top=pixels(at)
        >
            {" ".repeat(line.indent)}
            {line.spans.into_iter().map(span).collect_view()}
            {secret}
        </div>
    }
    .into_any()
}

const fn class_of(kind: YamlSpanKind) -> &'static str {
    match kind {
        YamlSpanKind::Key => "yaml-key",
        YamlSpanKind::Text => "yaml-text",
        YamlSpanKind::Number | YamlSpanKind::Word => "yaml-value",
        YamlSpanKind::Mask | YamlSpanKind::Comment => "yaml-comment",
        YamlSpanKind::Punctuation => "yaml-sign",
    }
}

/// Shows or hides one value of a Secret.
fn secret_button(lines: Lines, key: String) -> AnyView {
    let is_shown = lines.revealed.with_untracked(|revealed| revealed.contains(&key));
    let word = if is_shown { "Hide" } else { "Reveal" };
    let label = format!("{word} {key}");
    let toggle = move |_| {
        lines.revealed.update(|revealed| {
            if !revealed.remove(&key) {
                revealed.insert(key.clone());
            }
        });
    };
    view! { <button class="yaml-reveal" aria-label=label on:click=toggle>{word}</button> }.into_any()
}

/// So many lines.
fn pixels(lines: usize) -> String {
    format!("{}px", lines * LINE_HEIGHT as usize)
}

/// Lines that are looked for. A handle.
#[derive(Clone, Copy)]
struct Found {
    of: Lines,
    text: RwSignal<String>,
    /// Ascending.
    lines: Memo<Vec<usize>>,
    /// Which of them is looked at.
    at: RwSignal<usize>,
}

impl Found {
    fn new(of: Lines) -> Self {
        let text = RwSignal::new(String::new());
        let lines = Memo::new(move |_| {
            let text = text.get().to_lowercase();
            if text.is_empty() {
                return Vec::new();
            }
            of.all.with(|all| {
                let has_text = |(_, line): &(usize, &YamlLine)| line.text().to_lowercase().contains(&text);
                all.iter().enumerate().filter(has_text).map(|(at, _)| at).collect()
            })
        });
        Self { of, text, lines, at: RwSignal::new(0) }
    }

    /// The line that is looked at.
    fn current(&self) -> Option<usize> {
        let at = self.at.get();
        self.lines.with(|lines| lines.get(at).or(lines.last()).copied())
    }

    /// Goes to another one, in a ring.
    fn go(&self, by: isize) {
        let count = self.lines.with_untracked(Vec::len);
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
        if let Some(line) = untrack(|| self.current()) {
            self.of.reveal_line(line);
        }
    }
}

/// A text to look for, and how often it is there.
#[component]
fn FindBox(
    /// What it looks in.
    found: Found,
) -> impl IntoView {
    let count = move || {
        let count = found.lines.with(Vec::len);
        match found.text.with(String::is_empty) {
            true => String::new(),
            false if count == 0 => "None".into(),
            false => format!("{} of {count}", found.at.get().min(count - 1) + 1),
        }
    };
    let on_key = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => found.go(if event.shift_key() { -1 } else { 1 }),
        "Escape" => {
            event.prevent_default();
            event.stop_propagation();
            if found.text.with_untracked(String::is_empty) {
                focus_by_id("object-panel");
            }
            found.look_for(String::new());
        }
        _ => {}
    };
    view! {
        <div class="yaml-find" role="search">
            <Icon shape=Shape::Search />
            <input
                id="object-find"
                type="text"
                placeholder="Find"
                aria-label="Find in the YAML"
                title="Find in the YAML (/); Enter and Shift+Enter go on"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || found.text.get()
                on:input:target=move |event| found.look_for(event.target().value())
                on:keydown=on_key
            />
            <span class="object-note" role="status" data-testid="yaml-found">{count}</span>
        </div>
    }
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
