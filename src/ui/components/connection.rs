use std::time::Duration;

use jiff::Timestamp;
use leptos::html::Div;
use leptos::prelude::*;

use crate::api::Error;
use crate::cache::{Pause, Phase, Refused};
use crate::ui::control_flow::When;
use crate::ui::hooks::use_dismiss;
use crate::ui::state::Link;
use crate::ui::time::local_time;
use crate::view::{Freshness, advice, age_text};

/// How the page stands with the server: a dot with a word; a press tells more.
#[component]
pub(crate) fn ConnectionIndicator(
    /// What the informer tells.
    #[prop(into)]
    link: Signal<Link>,
    /// Ticks every second.
    now: Signal<Timestamp>,
    /// When the server was last heard of, as of now.
    last_contact: Callback<(), Option<Timestamp>>,
    /// Ends the wait before the next try.
    on_retry: Callback<()>,
    /// Has the whole list come anew.
    on_list_again: Callback<()>,
) -> impl IntoView {
    let container = NodeRef::<Div>::new();
    let is_open = RwSignal::new(false);
    use_dismiss(container, is_open);
    let freshness = Memo::new(move |_| link.with(|link| link.contact()).freshness(now.get()));
    let word = move || match freshness.get() {
        Freshness::Reconnecting if link.with(Link::is_offline) => "Offline".to_owned(),
        Freshness::Stale { since } if link.with(Link::is_paused) => format!("Paused since {}", local_time(since)),
        Freshness::Stale { since } => format!("Stale since {}", local_time(since)),
        other => other.word().to_owned(),
    };
    let reason = move || link.with(|link| link.error.as_ref().map(ToString::to_string));
    let short_reason = move || link.with(|link| link.error.as_ref().map(|error| format!(" · {}", in_short(error))));
    view! {
        <div class="connection" node_ref=container>
            <button
                class="connection-button"
                data-testid="connection"
                data-state=move || freshness.get().as_str()
                aria-haspopup="dialog"
                aria-expanded=move || is_open.get().to_string()
                title=move || reason().unwrap_or_else(|| "How the page stands with the server".into())
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                <span class="connection-dot" aria-hidden="true"></span>
                <span class="connection-word" aria-live="polite">{word}</span>
                <span class="connection-reason">{short_reason}</span>
            </button>
            <When when=move || is_open.get()>
                <Details
                    link=link
                    now=now
                    freshness=freshness.into()
                    last_contact=last_contact
                    on_retry=on_retry
                    on_list_again=on_list_again
                />
            </When>
        </div>
    }
}

#[component]
fn Details(
    /// What the informer tells.
    link: Signal<Link>,
    /// Ticks every second.
    now: Signal<Timestamp>,
    /// What it comes to.
    freshness: Signal<Freshness>,
    /// When the server was last heard of, as of now.
    last_contact: Callback<(), Option<Timestamp>>,
    /// Ends the wait before the next try.
    on_retry: Callback<()>,
    /// Has the whole list come anew.
    on_list_again: Callback<()>,
) -> impl IntoView {
    let sentence = move || match freshness.get() {
        Freshness::Connecting => "Waiting for the first whole list".to_owned(),
        Freshness::Connected => "Changes are shown as they happen".to_owned(),
        Freshness::Unwatched => "You may list but not watch: the list comes anew from time to time".to_owned(),
        Freshness::Reconnecting if link.with(|link| !link.connection.synced) => "Nothing whole has come yet".to_owned(),
        Freshness::Reconnecting => "The connection was lost. Changes may be missing until it is back".to_owned(),
        Freshness::Stale { since } if link.with(Link::is_paused) => {
            format!("Somebody has paused this table. It shows how things were at {}", local_time(since))
        }
        Freshness::Stale { since } => {
            format!("The rows show how things were at {}, {} ago", local_time(since), age_text(Some(since), now.get()))
        }
    };
    let heard = move || {
        let now = now.get();
        let last = last_contact.run(());
        last.map_or("never".to_owned(), |last| format!("{}, {} ago", local_time(last), age_text(Some(last), now)))
    };
    let watch = move || link.with(watch_text);
    let next_try = Memo::new(move |_| match link.with(|link| link.connection.phase.clone()) {
        Phase::Reconnecting { retry_at, .. } => Some(wait_text(retry_at, now.get())),
        Phase::Listing { .. } if link.with(|link| link.error.is_some()) => Some("under way".into()),
        Phase::Paused { pause: Pause::Asked } => Some("when you let it go on".into()),
        Phase::Paused { .. } => Some("when this device is online".into()),
        _ => None,
    });
    let attempts = move || link.with(|link| link.attempts);
    view! {
        <div class="popover connection-details" data-testid="connection-details" role="dialog" aria-label="Connection">
            <p class="connection-sentence">{sentence}</p>
            <When when=move || link.with(|link| link.error.is_some())>
                <p class="connection-error">{move || link.with(|link| link.error.as_ref().map(ToString::to_string))}</p>
                <p class="connection-sentence">{move || link.with(|link| link.error.as_ref().map(advice))}</p>
            </When>
            <dl>
                <dt>"Watch"</dt>
                <dd data-testid="watch-state">{watch}</dd>
                <dt>"Last event or bookmark"</dt>
                <dd data-testid="last-contact">{heard}</dd>
                <When when=move || { attempts() > 0 }>
                    <dt>"Failed tries"</dt>
                    <dd>{attempts}</dd>
                </When>
                <When when=move || next_try.with(Option::is_some)>
                    <dt>"Next try"</dt>
                    <dd>{move || next_try.get()}</dd>
                </When>
            </dl>
            <div class="connection-actions">
                <When when=move || link.with(|link| link.error.is_some() || link.is_paused())>
                    <button class="button" data-testid="retry-now" title="Retry now (r)" on:click=move |_| on_retry.run(())>
                        {move || if link.with(Link::is_paused) { "Go on" } else { "Retry now" }}
                    </button>
                </When>
                <button class="button" title="List again now (R)" on:click=move |_| on_list_again.run(())>
                    "List again now"
                </button>
            </div>
        </div>
    }
}

/// What the watch does: `open since 12:03:11`.
pub(crate) fn watch_text(link: &Link) -> String {
    match &link.connection.phase {
        Phase::Connected { since } => format!("open since {}", local_time(*since)),
        Phase::Reconnecting { .. } if link.connection.refused == Some(Refused::Watch) => "not allowed".into(),
        Phase::Listing { .. } if link.connection.synced => "opens after the new list".into(),
        Phase::Idle | Phase::Listing { .. } => "opens after the first list".into(),
        Phase::Reconnecting { .. } => "closed, and opened again soon".into(),
        Phase::Paused { .. } => "closed while this device is offline".into(),
        Phase::Stopped => "closed".into(),
    }
}

/// Without the address that was asked for, which is long and always the same.
fn in_short(error: &Error) -> String {
    match error {
        Error::Unreachable { reason, .. } | Error::Undecodable { reason, .. } => reason.clone(),
        error => error.to_string(),
    }
}

/// `in 4 s`, or `now`.
pub(crate) fn wait_text(at: Timestamp, now: Timestamp) -> String {
    let wait = Duration::try_from(at.duration_since(now)).unwrap_or_default();
    match wait.as_millis().div_ceil(1000) {
        0 => "now".into(),
        seconds => format!("in {seconds} s"),
    }
}
