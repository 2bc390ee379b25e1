use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use leptos::prelude::*;

use crate::ui::time::{grouped, local_date_time};
use crate::view::{Catalog, EventGroup, age_text};

/// One group; the row stays the same element while its numbers change.
pub(super) fn row(
    group: Memo<Arc<EventGroupRow>>,
    top: Signal<f64>,
    now: Signal<Timestamp>,
    links: Links,
    selected: RwSignal<Option<Arc<str>>>,
) -> AnyView {
    let text = move |read: fn(&EventGroup) -> String| move || group.with(|row| read(&row.group));
    let age = move |read: fn(&EventGroup) -> Option<Timestamp>| {
        let moment = Memo::new(move |_| group.with(|row| read(&row.group)));
        let text = Memo::new(move |_| age_text(moment.get(), now.get()));
        let title = move || moment.get().map(local_date_time);
        (text, title)
    };
    let (last, last_title) = age(|group| group.last_seen);
    let (first, first_title) = age(|group| group.first_seen);
    let hash = Memo::new(move |_| group.with(|row| links.to_object(&row.group)));
    let is_selected = move || group.with(|row| selected.with(|selected| selected.as_ref() == Some(&row.group.key)));
    view! {
        <div
            class="event"
            role="row"
            id=move || format!("event-{}", group.with(|row| row.index))
            data-testid="event"
            aria-rowindex=move || group.with(|row| row.index) + 2
            aria-selected=move || is_selected().to_string()
            style:transform=move || format!("translateY({}px)", top.get() as i64)
            on:click=move |_| selected.set(Some(group.with_untracked(|row| Arc::clone(&row.group.key))))
        >
            <span class="event-last" role="gridcell" title=last_title>{last}</span>
            <span class="event-type" role="gridcell">
                <span class=move || format!("status {}", group.with(|row| row.group.health().as_str()))>
                    {text(|group| group.kind_of_event.to_string())}
                </span>
            </span>
            <span class="event-reason" role="gridcell">{text(|group| group.reason.to_string())}</span>
            <span class="event-namespace" role="gridcell">{text(|group| group.namespace.to_string())}</span>
            <span class="event-object" role="gridcell" title=text(EventGroup::object)>
                {move || match hash.get() {
                    Some(hash) => view! { <a href=hash tabindex="-1">{text(EventGroup::object)}</a> }.into_any(),
                    None => text(EventGroup::object).into_any(),
                }}
            </span>
            <span class="event-count" role="gridcell">
                {move || grouped(group.with(|row| usize::try_from(row.group.count).unwrap_or(0)))}
            </span>
            <span class="event-first" role="gridcell" title=first_title>{first}</span>
            <span class="event-message" role="gridcell" title=text(|group| group.message.to_string())>
                {text(|group| group.message.to_string())}
            </span>
        </div>
    }
    .into_any()
}

/// A group and its place among those shown.
#[derive(Clone, Debug)]
pub(super) struct EventGroupRow {
    pub(super) group: Arc<EventGroup>,
    pub(super) index: usize,
}

impl PartialEq for EventGroupRow {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && Arc::ptr_eq(&self.group, &other.group)
    }
}

/// What links to objects are made of. A handle.
#[derive(Clone, Copy)]
pub(super) struct Links {
    pub(super) catalog: Signal<Option<Catalog>>,
    /// The chosen ones.
    pub(super) namespaces: Signal<BTreeSet<String>>,
}

impl Links {
    /// Leads to the object beside the table of its kind; none where its kind is not known.
    pub(super) fn to_object(self, group: &EventGroup) -> Option<String> {
        self.namespaces.with(|chosen| self.catalog.with(|catalog| group.object_hash(catalog.as_ref(), chosen)))
    }
}
