use leptos::prelude::*;

use super::parts::{ListState, age, plain_table, status_word};
use super::tabs::Shown;
use crate::ui::state::{LiveList, Session};
use crate::view::object::{EventLine, Scope, event_scope, events_of};

/// What happened to the object, the newest first.
pub(super) fn view(shown: Shown) -> AnyView {
    let scope = untrack(|| shown.read(event_scope)).unwrap_or_default();
    let list = LiveList::new(expect_context::<Session>(), &scope);
    let lines = Memo::new(move |_| events_of(&list.objects()));
    let link = list.link();
    let is_empty = move || lines.with(Vec::is_empty) && link.with(|link| link.connection.synced);
    let Scope { namespace, resource, .. } = scope;
    view! {
        <div class="object-scroll object-summary" data-testid="object-events" tabindex="0" role="group" aria-label="Events">
            <ListState list=list resource=resource.to_string() namespace=namespace />
            <Show when=is_empty>
                <p class="object-note">"No events. The server keeps them for an hour, mostly"</p>
            </Show>
            {move || (!lines.with(Vec::is_empty)).then(|| table(lines))}
        </div>
    }
    .into_any()
}

fn table(lines: Memo<Vec<EventLine>>) -> AnyView {
    let row = |it: EventLine| {
        let EventLine { kind, health, reason, count, last, source, message, .. } = it;
        view! {
            <tr>
                <td>{status_word(&kind, health)}</td>
                <td class="object-number">{age(last)}</td>
                <td class="object-number">{count}</td>
                <td>
                    <b>{reason}</b>
                    <p>{message}</p>
                    <p class="object-note">{source}</p>
                </td>
            </tr>
        }
    };
    let rows = view! {
        <For
            each=move || lines.get()
            key=|it| (it.uid.clone(), it.count, it.last)
            children=row
        />
    }
    .into_any();
    plain_table("Events", &["Type", "Last seen", "Count", "What happened"], rows)
}
