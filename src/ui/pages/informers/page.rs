use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::memory::{script_bytes, wasm_bytes};
use crate::ui::hooks::use_shortcuts;
use crate::ui::state::{InformerWatch, Notices, Session, Tables, requests_text};
use crate::ui::time::{grouped, local_date_time};
use crate::view::informers::{INFORMER_COLUMNS, InformerColumn, InformerLine, bytes_text, informers_as_markdown};

/// What can be done with an informer.
#[derive(Clone, Copy)]
enum Wish {
    Pause,
    ListAgain,
    End,
}

type Looking = StoredValue<InformerWatch, LocalStorage>;

/// Each informer that the page runs, once a second while somebody sees it.
#[component]
pub(crate) fn InformersPage(
    /// The tables, which hold most of the informers.
    tables: Tables,
) -> impl IntoView {
    let session = expect_context::<Session>();
    let notices = expect_context::<Notices>();
    let watch: Looking = StoredValue::new_local(InformerWatch::new(session, tables));
    let lines = RwSignal::new(Vec::<InformerLine>::new());
    let look = move || watch.try_update_value(InformerWatch::look).into_iter().for_each(|now| lines.set(now));
    Effect::new(move |_| {
        session.now.track();
        if !document().hidden() {
            look();
        }
    });
    let act = Callback::new(move |(wish, key): (Wish, String)| {
        watch.with_value(|watch| match wish {
            Wish::Pause => watch.toggle_pause(&key),
            Wish::ListAgain => watch.list_again(&key),
            Wish::End => watch.end(&key),
        });
        look();
    });
    let facts = move || facts(session, &lines.read());
    let copy = move || {
        let report = informers_as_markdown(&facts(), &lines.get_untracked(), session.now.get_untracked());
        session.copy_as(report, "the report, without names of objects".into(), notices);
    };
    use_shortcuts(move |key| {
        let is_copy = key == "m";
        if is_copy {
            copy();
        }
        is_copy
    });
    let keys = move || lines.with(|lines| lines.iter().map(|line| line.key.clone()).collect::<Vec<_>>());
    let facts_view = move || {
        let fact = |(name, fact): (&'static str, String)| view! { <dt>{name}</dt><dd>{fact}</dd> };
        facts().into_iter().map(fact).collect_view()
    };
    let head = |column: &'static InformerColumn| {
        view! { <th scope="col" class:number=column.is_number>{column.title}</th> }
    };
    view! {
        <main class="page">
            <div class="page-head">
                <h1>"Informers"</h1>
                <span class="page-count" data-testid="count">{move || lines.with(Vec::len)}</span>
                <button class="button page-end" data-testid="copy-report" title="For a bug report: no object and no name of one is in it (m)" on:click=move |_| copy()>
                    "Copy as Markdown"
                </button>
            </div>
            <div class="informers" on:keydown=move |event| on_key(&event, act)>
                <table class="informers-table" data-testid="informers" aria-label="Informers">
                    <thead>
                        <tr>{INFORMER_COLUMNS.iter().map(head).collect_view()}<th scope="col"><span class="visually-hidden">"Actions"</span></th></tr>
                    </thead>
                    <tbody>
                        <For
                            each=keys
                            key=String::clone
                            children=move |key| view! { <Line of=key lines=lines.into() now=session.now on_wish=act /> }
                        />
                    </tbody>
                </table>
                <dl class="informers-facts" data-testid="facts">{facts_view}</dl>
                <p class="informers-note">
                    "A store's bytes are those of its objects and of what finds them. How long changes wait is not \
                     measured: it would cost each of them a look at the clock."
                </p>
            </div>
        </main>
    }
    .into_any()
}

#[component]
fn Line(
    /// Its key.
    of: String,
    /// All of them.
    lines: Signal<Vec<InformerLine>>,
    /// Ticks every second.
    now: Signal<jiff::Timestamp>,
    /// Takes what is to be done with it.
    on_wish: Callback<(Wish, String)>,
) -> impl IntoView {
    let key = of.clone();
    let line =
        Memo::new(move |_| lines.with(|lines| lines.iter().find(|line| line.key == key).cloned()).unwrap_or_default());
    let cell = move |column: &'static InformerColumn| {
        let text = Memo::new(move |_| line.with(|line| (column.text)(line, now.get())));
        view! {
            <td class:number=column.is_number data-column=column.title title=move || line.with(|line| full(column.title, line))>
                {move || text.get()}
            </td>
        }
    };
    let wish = |wish: Wish| {
        let of = of.clone();
        move |_| on_wish.run((wish, of.clone()))
    };
    let is_paused = move || line.with(|line| line.is_paused);
    let is_used = move || line.with(|line| line.ends_in.is_none());
    view! {
        <tr tabindex="0" data-informer=of.clone() data-state=move || line.with(|line| line.state.to_lowercase())>
            {INFORMER_COLUMNS.iter().map(cell).collect_view()}
            <td class="informers-actions">
                <button class="button" data-wish="pause" title="Ask for no more changes, or go on (p)" on:click=wish(Wish::Pause)>
                    {move || if is_paused() { "Go on" } else { "Pause" }}
                </button>
                <button class="button" data-wish="list" title="List again now (l)" on:click=wish(Wish::ListAgain)>"List again"</button>
                <button
                    class="button"
                    data-wish="end"
                    disabled=is_used
                    title=move || if is_used() { "It is in use: it ends with its last user" } else { "End it before its time (e)" }
                    on:click=wish(Wish::End)
                >
                    "End"
                </button>
            </td>
        </tr>
    }
}

/// What there is no room for in a cell.
fn full(title: &str, line: &InformerLine) -> Option<String> {
    match title {
        "Last error" => line.last_failure.as_ref().map(|(at, error)| format!("{error} ({})", local_date_time(*at))),
        "Heard" => {
            let at = |at: Option<jiff::Timestamp>| at.map_or_else(|| "never".into(), local_date_time);
            Some(format!("Last event {}, last bookmark {}", at(line.last_event), at(line.last_bookmark)))
        }
        "Waiting" => Some("Changes that handlers have not been told yet, and rows that wait to be drawn".into()),
        _ => None,
    }
}

fn facts(session: Session, lines: &[InformerLine]) -> Vec<(&'static str, String)> {
    let told = |bytes: Option<usize>| bytes.map_or_else(|| "this browser does not tell".into(), bytes_text);
    let objects = lines.iter().map(|line| line.objects).sum();
    let stores = lines.iter().filter_map(|line| line.heap_bytes).sum();
    vec![
        ("Kubernetes", session.version.get().unwrap_or_else(|| "not known".into())),
        ("Objects", format!("{} in {}", grouped(objects), bytes_text(stores))),
        ("WebAssembly memory", told(wasm_bytes())),
        ("JavaScript heap", told(script_bytes())),
        ("Long requests", requests_text(&session.open_requests())),
        ("Browser", window().navigator().user_agent().unwrap_or_default()),
    ]
}

/// The keys of the line that has the keyboard.
fn on_key(event: &KeyboardEvent, act: Callback<(Wish, String)>) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let row = target.and_then(|target| target.closest("tr[data-informer]").ok().flatten());
    let wish = |wish| {
        if let Some(key) = row.as_ref().and_then(|row| row.get_attribute("data-informer")) {
            act.run((wish, key));
        }
    };
    match event.key().as_str() {
        "p" => wish(Wish::Pause),
        "l" => wish(Wish::ListAgain),
        "e" if row
            .as_ref()
            .is_some_and(|row| row.query_selector("[data-wish=end]:enabled").ok().flatten().is_some()) =>
        {
            wish(Wish::End);
        }
        "j" | "ArrowDown" => focus(row.and_then(|row| row.next_element_sibling())),
        "k" | "ArrowUp" => focus(row.and_then(|row| row.previous_element_sibling())),
        _ => return,
    }
    event.prevent_default();
}

fn focus(element: Option<Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // Always possible: each line takes the keyboard.
        let _ = element.focus();
    }
}
