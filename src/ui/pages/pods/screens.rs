use leptos::prelude::*;

use crate::api::Error;
use crate::cache::Phase;
use crate::ui::components::{Screen, ScreenKind, wait_text};
use crate::ui::state::{Link, LiveTable, Navigation, Notices, Session};
use crate::ui::time::grouped;
use crate::view::advice;

/// Asks the server in the person's name whether the list is allowed.
const CAN_I: &str = "kubectl auth can-i list pods --all-namespaces";

/// What stands in place of the rows.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Rows,
    Loading,
    Forbidden(Error),
    Failed(Error),
    NoPods,
    NoneInNamespaces,
    NoneFound { hidden: usize },
}

/// The screens of the pods page; nothing where there are rows.
#[component]
pub(crate) fn PodsScreen(
    /// The pods.
    pods: LiveTable,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let link = pods.link();
    let query = navigation.query();
    let namespaces = navigation.namespaces();
    let state = Memo::new(move |_| {
        let (rows, total, in_namespaces) = pods.read(|model| {
            let chosen = &model.filter().namespaces;
            let counts = model.namespaces();
            let in_namespaces = match chosen.is_empty() {
                true => model.total(),
                false => chosen.iter().filter_map(|name| counts.get(name)).sum(),
            };
            (model.rows(), model.total(), in_namespaces)
        });
        match rows {
            0 if total == 0 => link.with(|link| state_without_objects(link, pods.is_behind())),
            0 if in_namespaces == 0 => State::NoneInNamespaces,
            0 => State::NoneFound { hidden: in_namespaces },
            _ => State::Rows,
        }
    });
    let chosen = move || namespaces.with(|names| names.iter().cloned().collect::<Vec<_>>().join(", "));
    move || match state.get() {
        State::Rows => ().into_any(),
        State::Loading => view! {
            <Screen
                kind=ScreenKind::Loading
                title="Listing pods…"
                text="The first rows appear as soon as they have come"
            >
                ""
            </Screen>
        }
        .into_any(),
        State::Forbidden(error) => view! { <Forbidden pods=pods error=error /> }.into_any(),
        State::Failed(error) => view! { <Failed pods=pods error=error /> }.into_any(),
        State::NoPods => view! {
            <Screen
                kind=ScreenKind::Empty
                title="No pods in this cluster"
                text="They appear here as soon as there are any"
            >
                ""
            </Screen>
        }
        .into_any(),
        State::NoneInNamespaces => view! {
            <Screen kind=ScreenKind::Empty title=format!("No pods in {}", chosen()) text="Other namespaces have some">
                <button class="button primary" on:click=move |_| navigation.set_namespaces(Default::default())>
                    "Show all namespaces"
                </button>
            </Screen>
        }
        .into_any(),
        State::NoneFound { hidden } => view! {
            <Screen
                kind=ScreenKind::Empty
                title=format!("No pod matches “{}”", query.get().trim())
                text=format!("The filter hides {} {}", grouped(hidden), if hidden == 1 { "pod" } else { "pods" })
            >
                <button class="button primary" on:click=move |_| navigation.set_query(String::new())>
                    "Clear the filter"
                </button>
            </Screen>
        }
        .into_any(),
    }
}

fn state_without_objects(link: &Link, is_behind: bool) -> State {
    if link.connection.synced {
        return if is_behind { State::Loading } else { State::NoPods };
    }
    match &link.connection.phase {
        Phase::Idle | Phase::Stopped => State::Loading,
        // The next try: the reason of the last one stands until something comes.
        Phase::Listing { received, .. } if *received > 0 => State::Loading,
        _ => match &link.error {
            Some(error) if error.is_forbidden() => State::Forbidden(error.clone()),
            Some(error) => State::Failed(error.clone()),
            None => State::Loading,
        },
    }
}

#[component]
fn Forbidden(
    /// The pods.
    pods: LiveTable,
    /// The refusal.
    error: Error,
) -> impl IntoView {
    let session = expect_context::<Session>();
    let notices = expect_context::<Notices>();
    view! {
        <Screen
            kind=ScreenKind::Forbidden
            title="You may not list pods"
            text="Ask for a role that allows list and watch on pods in all namespaces. \
                  To see what the server allows you, run the command below"
            message=Some(error.to_string())
        >
            <code class="screen-command">{CAN_I}</code>
            <button class="button" on:click=move |_| session.copy(CAN_I.into(), notices)>"Copy"</button>
            <button class="button primary" on:click=move |_| pods.retry_now()>"Retry now"</button>
            <NextTry pods=pods />
        </Screen>
    }
}

#[component]
fn Failed(
    /// The pods.
    pods: LiveTable,
    /// What came instead of a list.
    error: Error,
) -> impl IntoView {
    view! {
        <Screen kind=ScreenKind::Failed title="The pods could not be listed" text=advice(&error) message=Some(error.to_string())>
            <button class="button primary" on:click=move |_| pods.retry_now()>"Retry now"</button>
            <NextTry pods=pods />
        </Screen>
    }
}

#[component]
fn NextTry(
    /// The pods.
    pods: LiveTable,
) -> impl IntoView {
    let now = expect_context::<Session>().now;
    let link = pods.link();
    let text = move || {
        link.with(|link| match &link.connection.phase {
            Phase::Reconnecting { retry_at, .. } => {
                format!("Next try {}", wait_text(*retry_at, now.get()))
            }
            Phase::Paused { .. } => "Next try when this device is online".into(),
            _ => "Trying…".into(),
        })
    };
    view! { <p class="screen-note">{text}</p> }
}
