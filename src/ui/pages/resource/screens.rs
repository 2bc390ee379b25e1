use leptos::prelude::*;

use crate::api::Error;
use crate::cache::{Pause, Phase};
use crate::ui::components::{Screen, ScreenKind, wait_text};
use crate::ui::state::{Link, LiveTable, Navigation, Notices, Session};
use crate::ui::time::grouped;
use crate::view::advice;

/// What stands in place of the rows.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Rows,
    Loading,
    Forbidden(Error),
    Failed(Error),
    NoObjects,
    NoneInNamespaces,
    NoneFound { hidden: usize },
}

/// What stands in place of a kind's rows; nothing where there are some.
#[component]
pub(crate) fn ResourceScreen(
    /// The objects.
    table: LiveTable,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let link = table.link();
    let query = navigation.query();
    let namespaces = navigation.namespaces();
    let state = Memo::new(move |_| {
        let (rows, total, in_namespaces) = table.read(|model| {
            let chosen = &model.filter().namespaces;
            let counts = model.namespaces();
            let in_namespaces = match chosen.is_empty() {
                true => model.total(),
                false => chosen.iter().filter_map(|name| counts.get(name)).sum(),
            };
            (model.rows(), model.total(), in_namespaces)
        });
        match rows {
            0 if total == 0 => link.with(|link| state_without_objects(link, table.is_behind())),
            0 if in_namespaces == 0 => State::NoneInNamespaces,
            0 => State::NoneFound { hidden: in_namespaces },
            _ => State::Rows,
        }
    });
    let chosen = move || namespaces.with(|names| names.iter().cloned().collect::<Vec<_>>().join(", "));
    let (noun, nouns) = (table.resource.noun(), table.resource.nouns());
    move || {
        match state.get() {
        State::Rows => ().into_any(),
        State::Loading => view! {
            <Screen
                kind=ScreenKind::Loading
                title=format!("Listing {nouns}…")
                text="The first rows appear as soon as they have come"
            >
                ""
            </Screen>
        }
        .into_any(),
        State::Forbidden(error) => view! { <Forbidden table=table error=error /> }.into_any(),
        State::Failed(error) => view! { <Failed table=table error=error /> }.into_any(),
        State::NoObjects => view! {
            <Screen
                kind=ScreenKind::Empty
                title=format!("No {nouns} in this cluster")
                text="They appear here as soon as there are any"
            >
                ""
            </Screen>
        }
        .into_any(),
        State::NoneInNamespaces => view! {
            <Screen kind=ScreenKind::Empty title=format!("No {nouns} in {}", chosen()) text="Other namespaces have some">
                <button class="button primary" on:click=move |_| navigation.set_namespaces(Default::default())>
                    "Show all namespaces"
                </button>
            </Screen>
        }
        .into_any(),
        State::NoneFound { hidden } => view! {
            <Screen
                kind=ScreenKind::Empty
                title=format!("No {noun} matches “{}”", query.get().trim())
                text=format!("The filter hides {} {}", grouped(hidden), if hidden == 1 { &noun } else { &nouns })
            >
                <button class="button primary" on:click=move |_| navigation.set_query(String::new())>
                    "Clear the filter"
                </button>
            </Screen>
        }
        .into_any(),
    }
    }
}

fn state_without_objects(link: &Link, is_behind: bool) -> State {
    if link.connection.synced {
        return if is_behind { State::Loading } else { State::NoObjects };
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
    /// The objects.
    table: LiveTable,
    /// The refusal.
    error: Error,
) -> impl IntoView {
    let session = expect_context::<Session>();
    let notices = expect_context::<Notices>();
    let nouns = table.resource.nouns();
    // Asks the server in the person's name whether the list is allowed.
    let scope = if table.resource.is_namespaced() { " --all-namespaces" } else { "" };
    let can_i = format!("kubectl auth can-i list {}{scope}", table.resource.group_version_resource());
    view! {
        <Screen
            kind=ScreenKind::Forbidden
            title=format!("You may not list {nouns}")
            text=format!(
                "Ask for a role that allows list and watch on {nouns}{}. \
                 To see what the server allows you, run the command below",
                if table.resource.is_namespaced() { " in all namespaces" } else { "" },
            )
            message=Some(error.to_string())
        >
            <code class="screen-command">{can_i.clone()}</code>
            <button class="button" on:click=move |_| session.copy(can_i.clone(), notices)>"Copy"</button>
            <button class="button primary" on:click=move |_| table.retry_now()>"Retry now"</button>
            <NextTry table=table />
        </Screen>
    }
}

#[component]
fn Failed(
    /// The objects.
    table: LiveTable,
    /// What came instead of a list.
    error: Error,
) -> impl IntoView {
    view! {
        <Screen kind=ScreenKind::Failed title=format!("The {} could not be listed", table.resource.nouns()) text=advice(&error) message=Some(error.to_string())>
            <button class="button primary" on:click=move |_| table.retry_now()>"Retry now"</button>
            <NextTry table=table />
        </Screen>
    }
}

#[component]
fn NextTry(
    /// The objects.
    table: LiveTable,
) -> impl IntoView {
    let now = expect_context::<Session>().now;
    let link = table.link();
    let text = move || {
        link.with(|link| match &link.connection.phase {
            Phase::Reconnecting { retry_at, .. } => {
                format!("Next try {}", wait_text(*retry_at, now.get()))
            }
            Phase::Paused { pause: Pause::Asked } => "Paused on the page of informers".into(),
            Phase::Paused { .. } => "Next try when this device is online".into(),
            _ => "Trying…".into(),
        })
    };
    view! { <p class="screen-note">{text}</p> }
}

/// What stands in place of a page that the server has nothing for.
#[component]
pub(crate) fn NoSuchPage(
    /// The page's name.
    page: Signal<String>,
    /// What the server has is not known yet.
    is_asking: Signal<bool>,
    /// Why it is not known.
    error: Signal<Option<String>>,
) -> impl IntoView {
    move || {
        match (is_asking.get(), error.get()) {
        (true, None) => view! {
            <Screen kind=ScreenKind::Loading title=format!("Looking for {}…", page.get()) text="The server tells which kinds it has">
                ""
            </Screen>
        }
        .into_any(),
        (true, Some(error)) => view! {
            <Screen
                kind=ScreenKind::Failed
                title="The server did not tell which kinds it has"
                text="It is asked again every ten seconds"
                message=Some(error)
            >
                ""
            </Screen>
        }
        .into_any(),
        (false, message) => view! {
            <Screen
                kind=ScreenKind::Empty
                title=format!("This server has no {}", page.get())
                text="Its definition may have been removed. Choose another kind at the left"
                message=message
            >
                <a class="button primary" href="#/pods">"Show pods"</a>
            </Screen>
        }
        .into_any(),
    }
    }
}
