use jiff::Timestamp;
use leptos::html::Ul;
use leptos::prelude::*;
use web_sys::Node;

use super::scope_line::is_refused;
use crate::ui::components::watch_text;
use crate::ui::dom::{element, with};
use crate::ui::state::{LiveTable, Navigation, Session};
use crate::ui::time::{grouped, local_time};
use crate::view::{Freshness, Query};

/// The kinds of a table of several: how many of each are shown, and how each stands with the server. Each leads to its
/// own page, where the rest of the query is asked.
#[component]
pub(super) fn KindStrip(
    /// The table of several kinds.
    table: LiveTable,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let now = expect_context::<Session>().now;
    let (query, list) = (navigation.query(), NodeRef::<Ul>::new());
    let entries: Vec<_> = table.parts().into_iter().map(Entry::new).collect();
    Effect::new(move |was_made: Option<bool>| {
        let Some(list) = list.get() else { return false };
        if was_made != Some(true) {
            entries.iter().for_each(|entry| drop(list.append_child(&entry.item)));
        }
        let rest = query.with(|query| Query::parse(query).split_kinds().1);
        let (shown, now) = (table.read(|model| model.shown_by_kind()), now.get());
        for (entry, shown) in entries.iter().zip(shown) {
            let href = navigation.link_to_query(&entry.table.served().to_string(), rest.clone());
            entry.tell(shown, entry.state(now), &href);
        }
        true
    });
    view! { <ul class="kind-strip" aria-label="Kinds" data-testid="kinds" node_ref=list></ul> }.into_any()
}

/// A kind's elements, which stay: somebody may have the keyboard there.
struct Entry {
    table: LiveTable,
    item: Node,
    link: Node,
    count: Node,
    word: Node,
}

impl Entry {
    fn new(table: LiveTable) -> Self {
        let part = |class| element("span", class, Vec::new());
        let (name, count, word) = (part("kind-name"), part("kind-count"), part("kind-state"));
        name.set_text_content(Some(table.resource.title));
        let link = element("a", "kind-entry", vec![name, count.clone(), word.clone()]);
        let link = with(link, "data-kind", &table.served().to_string());
        Self { item: element("li", "", vec![link.clone()]), table, link, count, word }
    }

    /// What it is called for tests and styles, and for people.
    fn state(&self, now: Timestamp) -> (&'static str, &'static str) {
        if is_refused(self.table) {
            return ("refused", "not allowed");
        }
        let freshness = self.table.link().with(|link| link.contact()).freshness(now);
        let word = match freshness {
            Freshness::Connected => "",
            Freshness::Connecting => "listing…",
            Freshness::Unwatched => "not live",
            Freshness::Reconnecting => "reconnecting…",
            Freshness::Stale { .. } => "stale",
        };
        (freshness.as_str(), word)
    }

    fn tell(&self, shown: usize, (state, word): (&str, &str), href: &str) {
        let link = self.table.link();
        let total = self.table.read(|model| model.total());
        let count = match total {
            0 if !link.with(|link| link.connection.synced) => String::new(),
            total if shown == total => grouped(total),
            total => [&grouped(shown), " of ", &grouped(total)].concat(),
        };
        let heard = self.table.last_contact().map_or_else(|| "never".into(), local_time);
        let title = ["The watch is ", &link.with(watch_text), "\nLast event or bookmark: ", &heard].concat();
        for (node, text) in [(&self.count, &*count), (&self.word, word)] {
            if node.text_content().as_deref() != Some(text) {
                node.set_text_content(Some(text));
            }
        }
        for (name, value) in [("data-state", state), ("href", href), ("title", &title)] {
            with(self.link.clone(), name, value);
        }
    }
}
