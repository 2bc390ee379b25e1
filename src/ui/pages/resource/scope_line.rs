use leptos::prelude::*;

use crate::cache::Phase;
use crate::ui::components::{Icon, Shape, wait_text, watch_text};
use crate::ui::control_flow::When;
use crate::ui::state::{LiveTable, Session};
use crate::ui::time::local_time;
use crate::view::{Scope, advice, age_text};

/// What of the kind the table misses, and that it is not live, above the rows; nothing where all is there.
#[component]
pub(crate) fn ScopeLine(
    /// The objects.
    table: LiveTable,
    /// Whether the kind is one of several, so that a line here has to say that it is missing as a whole.
    is_part: bool,
) -> impl IntoView {
    let (scope, link, now) = (table.scope(), table.link(), expect_context::<Session>().now);
    let nouns = table.resource.nouns();
    let refusal = move || link.with(|link| link.error.as_ref().map(ToString::to_string));
    let refusal = move || scope.with(|scope| scope.refusal.clone()).or_else(refusal);
    let named = nouns.clone();
    // Columns that a person has asked for are missed; those that a server does not tell, in a tooltip only.
    let unmeasured = move || table.told().get().filter(|_| !table.resource.asks_server());
    let sentence = Memo::new(move |_| {
        let missing = || if is_part { missing(table, &named) } else { None };
        scope.with(|scope| scope.sentence(&named)).or_else(missing).or_else(unmeasured)
    });
    let unwatched = Memo::new(move |_| scope.with(|scope| scope.unwatched(&nouns)));
    let listed = move || {
        let now = now.get();
        let ago = table.last_contact().map(|last| format!(". Listed {} ago", age_text(Some(last), now)));
        let again = link.with(|link| match &link.connection.phase {
            Phase::Reconnecting { retry_at, .. } => Some(format!(", again {}", wait_text(*retry_at, now))),
            _ => None,
        });
        [ago.unwrap_or_default(), again.unwrap_or_default()].concat()
    };
    view! {
        <When when=move || sentence.with(Option::is_some)>
            <p class="scope-line" role="status" data-testid="scope" title=refusal>
                <Icon shape=Shape::Lock />
                <span class="scope-line-text">{move || sentence.get()}</span>
            </p>
        </When>
        <When when=move || unwatched.with(Option::is_some)>
            <p class="scope-line warn" data-testid="not-live">
                <Icon shape=Shape::Again />
                <span class="scope-line-text">
                    <span role="status">{move || unwatched.get()}</span>
                    {listed}
                    " "
                    <button class="link" title="List again now (R)" on:click=move |_| table.list_again()>
                        "List again now"
                    </button>
                </span>
            </p>
        </When>
    }
    .into_any()
}

/// The kind may not be listed at all.
pub(super) fn is_refused(table: LiveTable) -> bool {
    let is_forbidden = table
        .link()
        .with(|link| !link.connection.synced && link.error.as_ref().is_some_and(|error| error.is_forbidden()));
    is_forbidden && table.scope().with(|scope| scope.refusal.is_none() || scope.is_refused())
}

/// That a kind is missing as a whole, and why.
fn missing(table: LiveTable, nouns: &str) -> Option<String> {
    if is_refused(table) {
        let is_namespaced = table.resource.is_namespaced();
        let place = if is_namespaced { table.scope().with(Scope::nowhere) } else { String::new() };
        return Some(["You may not list ", nouns, &place].concat());
    }
    let (is_there, failure) = table.link().with(|link| (link.connection.synced, link.error.as_ref().map(advice)));
    let failure = failure.filter(|_| !is_there)?;
    Some(["The ", nouns, " could not be listed. ", failure].concat())
}

/// Has the whole list come anew; its tooltip tells how old the rows may be.
#[component]
pub(crate) fn ListAgain(
    /// The objects.
    table: LiveTable,
) -> impl IntoView {
    let link = table.link();
    // Read when somebody points at it: it must not be written each second.
    let title = RwSignal::new("List again now (R)".to_owned());
    let tell = move || {
        let heard = table.last_contact().map_or_else(|| "never".into(), local_time);
        let watch = link.with_untracked(watch_text);
        let told = table.told().get_untracked().map(|told| ["\n", &told].concat()).unwrap_or_default();
        title.set(format!("List again now (R)\nThe watch is {watch}\nLast event or bookmark: {heard}{told}"));
    };
    view! {
        <button
            class="button page-again"
            data-testid="list-again"
            aria-label="List again now"
            title=title
            on:pointerenter=move |_| tell()
            on:focus=move |_| tell()
            on:click=move |_| table.list_again()
        >
            <Icon shape=Shape::Again />
        </button>
    }
    .into_any()
}
