use leptos::prelude::*;
use web_sys::Node;

use super::parts::{Context, cell, content, note, table};
use super::tabs::Shown;
use crate::ui::dom::{age, element, status_word, text};
use crate::ui::state::LiveList;
use crate::view::object::{EventLine, Scope, event_scope, events_of};

/// What happened to the object, the newest first.
pub(super) fn view(shown: Shown) -> AnyView {
    let context = Context::new();
    let scope = untrack(|| shown.read(event_scope)).unwrap_or_default();
    let list = LiveList::new(context.session, &scope);
    content(
        "Events",
        "object-events",
        Box::new(move |_| list.retry_now()),
        Box::new(move || parts(context, list, &scope)),
    )
}

fn parts(context: Context, list: LiveList, scope: &Scope) -> Vec<Node> {
    let mut parts = context.list_state(list, 0, scope);
    let events = events_of(&list.objects());
    let row = |it: EventLine| {
        let happened = vec![
            element("b", "", vec![text(&it.reason)]),
            element("p", "", vec![text(&it.message)]),
            element("p", "object-note", vec![text(&it.source)]),
        ];
        vec![
            cell("", vec![status_word(&it.kind, it.health)]),
            cell("object-number", vec![age(it.last, context.now())]),
            cell("object-number", vec![text(&it.count.to_string())]),
            cell("", happened),
        ]
    };
    if !events.is_empty() {
        let rows = events.into_iter().map(row).collect();
        parts.push(table("Events", &["Type", "Last seen", "Count", "What happened"], rows));
    } else if parts.is_empty() {
        parts.push(note("No events. The server keeps them for an hour, mostly"));
    }
    parts
}
