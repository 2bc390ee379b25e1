use leptos::prelude::*;

use crate::ui::components::{Icon, Shape, watch_text};
use crate::ui::state::{LiveTable, Navigation, Session};
use crate::ui::time::{grouped, local_time};
use crate::view::{Freshness, Query, Scope, advice};

/// The kinds of a table of several: how many of each are shown, how each stands with the server, and what is missing.
/// Each leads to its own page, where the rest of the query is asked.
#[component]
pub(super) fn KindStrip(
    /// The table of several kinds.
    table: LiveTable,
) -> impl IntoView {
    let counts = Memo::new(move |_| table.read(|model| model.shown_by_kind()));
    let parts = table.parts();
    let lines = parts.iter().map(|part| missing(*part)).collect_view();
    let entries = parts.into_iter().enumerate().map(|(at, part)| {
        let shown = move || counts.with(|counts| counts.get(at).copied().unwrap_or_default());
        entry(part, Memo::new(move |_| shown()))
    });
    view! {
        <ul class="kind-strip" aria-label="Kinds" data-testid="kinds">{entries.collect_view()}</ul>
        {lines}
    }
    .into_any()
}

fn entry(part: LiveTable, shown: Memo<usize>) -> AnyView {
    let navigation = expect_context::<Navigation>();
    let now = expect_context::<Session>().now;
    let (page, link, query) = (part.served().to_string(), part.link(), navigation.query());
    let href = {
        let page = page.clone();
        move || navigation.link_to_query(&page, query.with(|query| Query::parse(query).split_kinds().1))
    };
    let state = Memo::new(move |_| match is_refused(part) {
        true => None,
        false => Some(link.with(|link| link.contact()).freshness(now.get())),
    });
    let word = move || match state.get() {
        None => "not allowed",
        Some(Freshness::Connected) => "",
        Some(Freshness::Connecting) => "listing…",
        Some(Freshness::Unwatched) => "not live",
        Some(Freshness::Reconnecting) => "reconnecting…",
        Some(Freshness::Stale { .. }) => "stale",
    };
    let count = move || {
        let total = part.read(|model| model.total());
        match shown.get() {
            _ if total == 0 && !link.with(|link| link.connection.synced) => String::new(),
            shown if shown == total => grouped(total),
            shown => [&grouped(shown), " of ", &grouped(total)].concat(),
        }
    };
    // Read when somebody points at it: it must not be written each second.
    let title = RwSignal::new(String::new());
    let tell = move || {
        let heard = part.last_contact().map_or_else(|| "never".into(), local_time);
        let watch = link.with_untracked(watch_text);
        title.set(["The watch is ", &watch, "\nLast event or bookmark: ", &heard].concat());
    };
    view! {
        <li>
            <a
                class="kind-entry"
                data-kind=page
                data-state=move || state.get().map_or("refused", Freshness::as_str)
                href=href
                title=title
                on:pointerenter=move |_| tell()
                on:focus=move |_| tell()
            >
                <span class="kind-name">{part.resource.title}</span>
                <span class="kind-count">{count}</span>
                <span class="kind-state">{word}</span>
            </a>
        </li>
    }
    .into_any()
}

/// The kind may not be listed at all.
fn is_refused(part: LiveTable) -> bool {
    let is_forbidden = || part.link().with(|link| link.error.as_ref().is_some_and(|error| error.is_forbidden()));
    let has_no_part = part.scope().with(|scope| scope.refusal.is_none() || scope.is_refused());
    has_no_part && is_forbidden() && !part.link().with(|link| link.connection.synced)
}

/// That a kind is missing as a whole, and why.
fn missing(part: LiveTable) -> AnyView {
    let (link, scope, nouns) = (part.link(), part.scope(), part.resource.nouns());
    let sentence = Memo::new(move |_| {
        if is_refused(part) {
            let place = if part.resource.is_namespaced() { scope.with(Scope::nowhere) } else { String::new() };
            return Some(["You may not list ", &nouns, &place].concat());
        }
        let (is_there, failure) = link.with(|link| (link.connection.synced, link.error.as_ref().map(advice)));
        let failure = failure.filter(|_| !is_there)?;
        Some(["The ", &nouns, " could not be listed. ", &failure].concat())
    });
    let reason = move || link.with(|link| link.error.as_ref().map(ToString::to_string));
    view! {
        <Show when=move || sentence.with(Option::is_some)>
            <p class="scope-line" role="status" data-testid="missing-kind" title=reason>
                <Icon shape=Shape::Lock />
                <span class="scope-line-text">{move || sentence.get()}</span>
            </p>
        </Show>
    }
    .into_any()
}
