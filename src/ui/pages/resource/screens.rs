use leptos::prelude::*;

use crate::api::Error;
use crate::cache::{Pause, Phase};
use crate::ui::components::{Screen, ScreenKind, wait_text};
use crate::ui::state::{ACROSS, Across, Link, LiveTable, Navigation, Notices, Session};
use crate::ui::time::grouped;
use crate::view::{Query, Scope, TableModel, advice, has_namespace, palette};

/// What stands in place of the rows.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Rows,
    Loading,
    Forbidden(Error),
    Failed(Error),
    NoObjects,
    NoneInNamespaces,
    /// The user may read nothing but namespaces without any.
    NoneInReach,
    NoneFound {
        hidden: usize,
    },
}

/// What stands in place of a kind's rows; nothing where there are some.
#[component]
pub(crate) fn ResourceScreen(
    /// The objects.
    table: LiveTable,
) -> impl IntoView {
    let (link, scope) = (table.link(), table.scope());
    let state = Memo::new(move |_| {
        if table.read(|model| model.rows()) > 0 {
            return State::Rows;
        }
        if table.read(|model| model.total()) == 0 {
            return link.with(|link| scope.with(|scope| state_without_objects(link, scope, table.is_behind())));
        }
        match table.read(in_chosen_namespaces) {
            0 => State::NoneInNamespaces,
            hidden => State::NoneFound { hidden },
        }
    });
    move || screen(table, state.get())
}

/// How many objects there are where the filter looks.
fn in_chosen_namespaces(model: &TableModel) -> usize {
    let chosen = &model.filter().namespaces;
    let counts = model.namespaces().iter().filter(|(name, _)| chosen.is_empty() || has_namespace(chosen, name));
    counts.map(|(_, count)| count).sum()
}

fn screen(table: LiveTable, state: State) -> AnyView {
    let (noun, nouns) = (table.resource.noun(), table.resource.nouns());
    let navigation = expect_context::<Navigation>();
    let is_across = !table.resource.members().is_empty();
    let chosen =
        || navigation.namespaces().with_untracked(|names| names.iter().cloned().collect::<Vec<_>>().join(", "));
    match state {
        State::Rows => ().into_any(),
        State::Loading => {
            let text = "The first rows appear as soon as they have come";
            plain(ScreenKind::Loading, format!("Listing {nouns}…"), text.into())
        }
        State::Forbidden(error) | State::Failed(error) if is_across => {
            let kind = if error.is_forbidden() { ScreenKind::Forbidden } else { ScreenKind::Failed };
            let text = advice(&error);
            let title = "None of the kinds could be listed";
            view! { <Screen kind=kind title=title text=text message=Some(error.to_string())>""</Screen> }.into_any()
        }
        State::Forbidden(error) => view! { <Forbidden table=table error=error /> }.into_any(),
        State::Failed(error) => view! { <Failed table=table error=error /> }.into_any(),
        State::NoObjects => {
            let text = "They appear here as soon as there are any";
            let which = if is_across { " of these kinds" } else { "" };
            plain(ScreenKind::Empty, format!("No {nouns}{which} in this cluster"), text.into())
        }
        State::NoneInReach => {
            let text = table.scope().with_untracked(|scope| scope.sentence(&nouns)).unwrap_or_default();
            plain(ScreenKind::Empty, format!("No {nouns} where you may list them"), text)
        }
        State::NoneInNamespaces => {
            let text = "Other namespaces have some".into();
            let action = move || navigation.set_namespaces(Default::default());
            with_action(format!("No {nouns} in {}", chosen()), text, "Show all namespaces", action)
        }
        State::NoneFound { hidden } => {
            let query = navigation.query().get();
            let others = if is_across { Query::parse(&query).split_kinds().1 } else { query };
            let text = format!("The filter hides {} {}", grouped(hidden), if hidden == 1 { &noun } else { &nouns });
            let action = move || navigation.set_query(navigation.query().with_untracked(|query| without_filter(query)));
            with_action(format!("No {noun} matches “{}”", others.trim()), text, "Clear the filter", action)
        }
    }
}

/// A screen that one can only wait at.
fn plain(kind: ScreenKind, title: String, text: String) -> AnyView {
    view! { <Screen kind=kind title=title text=text>"" </Screen> }.into_any()
}

/// An empty screen that one can leave by a press.
fn with_action(title: String, text: String, label: &'static str, action: impl Fn() + Send + Sync + 'static) -> AnyView {
    view! {
        <Screen kind=ScreenKind::Empty title=title text=text>
            <button class="button primary" on:click=move |_| action()>{label}</button>
        </Screen>
    }
    .into_any()
}

fn state_without_objects(link: &Link, scope: &Scope, is_behind: bool) -> State {
    if link.connection.synced {
        return match (is_behind, &scope.refusal) {
            (true, _) => State::Loading,
            (false, Some(_)) if !scope.is_refused() => State::NoneInReach,
            _ => State::NoObjects,
        };
    }
    match &link.connection.phase {
        // It is not known yet what else than all may be listed.
        _ if scope.is_asking => State::Loading,
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
    let is_namespaced = table.resource.is_namespaced();
    let place = if is_namespaced { table.scope().with(Scope::nowhere) } else { String::new() };
    let mut text = format!("Ask for a role that allows list and watch on {nouns}{place}");
    if is_namespaced {
        text.push_str(". If you may read single namespaces, type their names into the list of namespaces (n)");
    }
    // Asks the server in the person's name whether the list is allowed.
    let scope = if is_namespaced { " --all-namespaces" } else { "" };
    let can_i = format!("kubectl auth can-i list {}{scope}", table.served());
    view! {
        <Screen
            kind=ScreenKind::Forbidden
            title=format!("You may not list {nouns}{place}")
            text=text
            message=Some(error.to_string())
        >
            <code class="screen-command">{can_i.clone()}</code>
            <button class="button" on:click=move |_| session.copy(can_i.clone(), notices)>"Copy"</button>
            <button class="button primary" title="List again now (R)" on:click=move |_| table.list_again()>
                "Retry now"
            </button>
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
        <Screen
            kind=ScreenKind::Failed
            title=format!("The {} could not be listed", table.resource.nouns())
            text=advice(&error)
            message=Some(error.to_string())
        >
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

/// What stands in place of a page that the server has nothing for, or of one of several kinds that names none.
#[component]
pub(crate) fn NoSuchPage(
    /// The page's name.
    page: Signal<String>,
    /// What the query says of kinds.
    across: Across,
    /// What the server has is not known yet.
    is_asking: Signal<bool>,
    /// Why it is not known.
    error: Signal<Option<String>>,
) -> impl IntoView {
    let heading = move || page.with(|page| if page == ACROSS { palette::ACROSS.1.to_owned() } else { page.clone() });
    let screen = move || {
        let is_across = page.with(|page| page == ACROSS);
        let named = across.named();
        let is_asking = if is_across { named.is_asking } else { is_asking.get() };
        let (kind, title, text) = match (is_asking, error.with(Option::is_some)) {
            (true, false) => {
                let what = if is_across { "the kinds".to_owned() } else { page.get() };
                (ScreenKind::Loading, format!("Looking for {what}…"), "The server tells which kinds it has")
            }
            (true, true) => (
                ScreenKind::Failed,
                "The server did not tell which kinds it has".into(),
                "It is asked again every ten seconds",
            ),
            (false, _) if is_across => {
                let text = "Name the kinds in the filter (/), and behind them what else a row must have";
                let title = if named.errors.is_empty() { "No kind is named" } else { "None of the kinds is known" };
                (ScreenKind::Empty, title.into(), text)
            }
            (false, _) => (
                ScreenKind::Empty,
                format!("This server has no {}", page.get()),
                "Its definition may have been removed. Choose another kind at the left",
            ),
        };
        let wrong = named.errors.first().map(|error| error.message.clone()).filter(|_| is_across);
        let message = error.get().or(wrong).filter(|_| kind != ScreenKind::Loading);
        let leaves = kind == ScreenKind::Empty;
        let (href, label) = match is_across {
            true => ("#/across?query=kind:pod,deploy,svc", "Show pods, deployments and services"),
            false => ("#/pods", "Show pods"),
        };
        view! {
            <Screen kind=kind title=title text=text message=message>
                {leaves.then(|| view! { <a class="button primary" href=href>{label}</a> })}
            </Screen>
        }
    };
    view! {
        <div class="page-head">
            <h1>{heading}</h1>
        </div>
        {screen}
    }
}

/// What is left of a query when it filters no more: the kinds that a table of several is of.
pub(super) fn without_filter(query: &str) -> String {
    Query::parse(query).split_kinds().0
}
