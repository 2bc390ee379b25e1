use leptos::html::{Div, Tbody, Tr};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlElement};

use super::frames::FrameWatch;
use super::memory::{script_bytes, wasm_bytes};
use super::queues::queues_table;
use super::rows::{InformerRows, write_head};
use crate::ui::dom::fill;
use crate::ui::hooks::use_shortcuts;
use crate::ui::state::{InformerWatch, Notices, QueueWatch, Session, Tables, requests_text};
use crate::ui::time::grouped;
use crate::view::informers::{InformerLine, bytes_text, informers_as_markdown};
use crate::view::queues::{Frames, QueueLine};

/// Each informer that the page runs, once a second while somebody sees it.
#[component]
pub(crate) fn InformersPage(
    /// The tables, which hold most of the informers.
    tables: Tables,
) -> impl IntoView {
    let session = expect_context::<Session>();
    let notices = expect_context::<Notices>();
    let (head, body) = (NodeRef::<Tr>::new(), NodeRef::<Tbody>::new());
    let watch = StoredValue::new_local((InformerWatch::new(session, tables), InformerRows::default()));
    let lines = RwSignal::new(Vec::<InformerLine>::new());
    let (queue_watch, queues) = (StoredValue::new_local(QueueWatch::new(session, tables)), NodeRef::<Div>::new());
    let queue_lines = StoredValue::new(Vec::<QueueLine>::new());
    // Before the tables go with the page.
    on_cleanup(move || _ = queue_watch.try_update_value(QueueWatch::end));
    let frames = StoredValue::new_local(FrameWatch::new(session));
    let look = move || {
        let (Some(body), Some(queues)) = (body.get(), queues.get()) else { return };
        queue_lines.set_value(queue_watch.try_update_value(QueueWatch::look).unwrap_or_default());
        fill(&queues, vec![queue_lines.with_value(|lines| queues_table(lines))]);
        watch.update_value(|(watch, rows)| {
            let now = watch.look();
            rows.show(&body, &now, session.now.get_untracked());
            lines.set(now);
        });
    };
    Effect::new(move |_| {
        session.now.track();
        if !document().hidden() {
            look();
        }
    });
    Effect::new(move |_| head.get().into_iter().for_each(|head| write_head(&head)));
    let act = move |wish: &str, key: &str| {
        watch.with_value(|(watch, _)| match wish {
            "pause" => watch.toggle_pause(key),
            "list" => watch.list_again(key),
            _ => watch.end(key),
        });
        look();
    };
    let facts = move || facts(session, &lines.read(), frames.with_value(FrameWatch::frames));
    let copy = move || {
        let report = queue_lines.with_value(|queues| {
            informers_as_markdown(&facts(), &lines.get_untracked(), queues, session.now.get_untracked())
        });
        session.copy_as(report, "the report, without names of objects".into(), notices);
    };
    use_shortcuts(move |key| {
        let row = document().active_element().and_then(|it| it.closest("tr[data-informer]").ok().flatten());
        match (key, row) {
            ("m", _) => copy(),
            ("j" | "ArrowDown", Some(row)) => focus(row.next_element_sibling()),
            ("k" | "ArrowUp", Some(row)) => focus(row.previous_element_sibling()),
            ("j" | "k", None) => focus(document().query_selector("tr[data-informer]").ok().flatten()),
            ("p", Some(row)) => press(&row, "pause"),
            ("l", Some(row)) => press(&row, "list"),
            ("e", Some(row)) => press(&row, "end"),
            _ => return false,
        }
        true
    });
    let on_click = move |event: leptos::ev::MouseEvent| {
        if let Some((wish, key)) = wish_of(&event) {
            act(&wish, &key);
        }
    };
    let told = move || facts().into_iter().map(|(name, fact)| format!("{name}: {fact}")).collect::<Vec<_>>().join("\n");
    view! {
        <main class="page">
            <div class="page-head">
                <h1>"Informers"</h1>
                <span class="page-count" data-testid="count">{move || lines.with(Vec::len).to_string()}</span>
                <button
                    class="button page-end"
                    data-testid="copy-report"
                    title="For a bug report: no object and no name of one is in it (m)"
                    on:click=move |_| copy()
                >
                    "Copy as Markdown"
                </button>
            </div>
            <div class="informers">
                <table class="informers-table" data-testid="informers" aria-label="Informers">
                    <thead>
                        <tr node_ref=head></tr>
                    </thead>
                    <tbody node_ref=body on:click=on_click></tbody>
                </table>
                <h2 class="informers-title">"Work queues"</h2>
                <div data-testid="queues" node_ref=queues></div>
                <p class="informers-facts" data-testid="facts">{told}</p>
                <p class="informers-note">
                    "A store's bytes are those of its objects and of what finds them. Keys of changed objects wait in the \
                     work queue of their table until its rows are made; the queues are measured while this page is open, \
                     because it costs each key a look at the clock. A frame is long from 50 ms on."
                </p>
            </div>
        </main>
    }
    .into_any()
}

fn facts(session: Session, lines: &[InformerLine], frames: Option<Frames>) -> Vec<(&'static str, String)> {
    let or_not = |text: Option<String>| text.unwrap_or_else(|| "this browser does not tell".into());
    let told = |bytes: Option<usize>| or_not(bytes.map(bytes_text));
    let objects = lines.iter().map(|line| line.objects).sum();
    let stores = lines.iter().filter_map(|line| line.heap_bytes).sum();
    vec![
        ("Kubernetes", session.version.get().unwrap_or_else(|| "not known".into())),
        ("Objects", format!("{} in {}", grouped(objects), bytes_text(stores))),
        ("WebAssembly memory", told(wasm_bytes())),
        ("JavaScript heap", told(script_bytes())),
        ("Long frames", or_not(frames.map(|frames| frames.text(session.now.get_untracked())))),
        ("Long requests", requests_text(&session.open_requests())),
        ("Browser", window().navigator().user_agent().unwrap_or_default()),
    ]
}

/// What a press wants, and of which informer.
fn wish_of(event: &Event) -> Option<(String, String)> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let wish = target.closest("[data-wish]").ok()??.get_attribute("data-wish")?;
    Some((wish, target.closest("[data-informer]").ok()??.get_attribute("data-informer")?))
}

fn press(row: &Element, wish: &str) {
    let button = row.query_selector(&format!("[data-wish={wish}]")).ok().flatten();
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        button.click();
    }
}

fn focus(element: Option<Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // Always possible: each line takes the keyboard.
        let _ = element.focus();
    }
}
