use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;

use super::keys::{Rows, TYPES, use_keys};
use super::row::{EventGroupRow, Links, row};
use crate::ui::components::{Screen, ScreenKind};
use crate::ui::control_flow::each;
use crate::ui::hooks::use_height;
use crate::ui::state::{Appearance, Knowledge, LiveSurvey, Navigation, Session};
use crate::ui::time::grouped;
use crate::view::overview::{Survey, Topic};
use crate::view::{Catalog, EventFilter, Query, Window, advice};

/// Rows above and below those in view.
const OVERSCAN: usize = 6;

/// Of the header and of a card, in grouped_events.css.
const HEAD_HEIGHT: f64 = 28.0;
const CARD_HEIGHT: f64 = 88.0;

/// With so few pixels beside each other a row is a card.
const NARROW: f64 = 720.0;

const COLUMNS: [(&str, &str); 8] = [
    ("last", "LAST SEEN"),
    ("type", "TYPE"),
    ("reason", "REASON"),
    ("namespace", "NAMESPACE"),
    ("object", "OBJECT"),
    ("count", "COUNT"),
    ("first", "FIRST SEEN"),
    ("message", "MESSAGE"),
];

/// The events of the chosen namespaces that the query finds, grouped, what was seen last first.
#[component]
pub(crate) fn EventsPage(
    /// The events.
    survey: LiveSurvey,
    /// The kinds, for links to the objects.
    catalog: Signal<Option<Catalog>>,
) -> impl IntoView {
    let (session, navigation) = (expect_context::<Session>(), expect_context::<Navigation>());
    let appearance = expect_context::<Appearance>();
    let all = use_groups(survey, session, navigation);
    let (scroller, selected) = (NodeRef::<Div>::new(), RwSignal::new(None::<Arc<str>>));
    let (height, scroll_top) = (use_height(scroller), RwSignal::new(0.0));
    // The height is told anew whenever the width is.
    let is_narrow = Memo::new(move |_| {
        height.track();
        window().inner_width().ok().and_then(|it| it.as_f64()).is_some_and(|width| width <= NARROW)
    });
    let row_height =
        Memo::new(move |_| if is_narrow.get() { CARD_HEIGHT } else { appearance.density.get().row_height() });
    let window = Signal::derive(move || Window {
        rows: all.with(Vec::len),
        row_height: row_height.get(),
        scroll_top: scroll_top.get(),
        viewport: height.get() - if is_narrow.get() { 0.0 } else { HEAD_HEIGHT },
    });
    let scroll_to = Callback::new(move |top: f64| {
        if let Some(scroller) = scroller.get_untracked() {
            scroller.set_scroll_top(top as i32);
            scroll_top.set(f64::from(scroller.scroll_top()));
        }
    });
    keep_in_place(all, window, scroll_to);
    let links = Links { catalog, namespaces: navigation.namespaces() };
    let open = Callback::new(move |row: EventGroupRow| {
        if let Some(hash) = untrack(|| links.to_object(&row.group)) {
            navigation.follow(&hash);
        }
    });
    use_keys(Rows { all, window, selected, scroll_to, open }, navigation, move || survey.retry_now());

    let range = Memo::new(move |_| window.get().range(OVERSCAN));
    let shown = Memo::new(move |_| all.with(|all| all.get(range.get()).unwrap_or_default().to_vec()));
    let keys = move || shown.with(|shown| shown.iter().map(|row| Arc::clone(&row.group.key)).collect::<Vec<_>>());
    let show = move |key: Arc<str>| {
        let Some(first) = shown.with_untracked(|shown| shown.iter().find(|row| row.group.key == key).cloned()) else {
            return ().into_any();
        };
        let now = Memo::new(move |last: Option<&Arc<EventGroupRow>>| {
            let now = shown.with(|shown| shown.iter().find(|row| row.group.key == key).cloned());
            // A row that goes is shown for the last time.
            now.map(Arc::new).or_else(|| last.cloned()).unwrap_or_else(|| Arc::new(first.clone()))
        });
        let top = Signal::derive(move || now.with(|row| row.index as f64) * row_height.get());
        row(now, top, session.now, links, selected)
    };
    let active = move || {
        let selected = selected.get()?;
        let row = shown.with(|shown| shown.iter().find(|row| row.group.key == selected).map(|row| row.index))?;
        Some(format!("event-{row}"))
    };
    let head = COLUMNS.map(|(name, title)| {
        view! { <span class=format!("event-{name}") role="columnheader">{title}</span> }
    });
    view! {
        <main class="page">
            <Head all=all survey=survey />
            <div
                id="table"
                class="events"
                role="grid"
                tabindex="0"
                aria-label="Events"
                aria-rowcount=move || all.with(Vec::len) + 1
                aria-colcount=COLUMNS.len()
                aria-activedescendant=active
                on:dblclick=move |_| {
                    let row = shown.with_untracked(|shown| {
                        shown.iter().find(|row| Some(&row.group.key) == selected.get_untracked().as_ref()).cloned()
                    });
                    if let Some(row) = row {
                        open.run(row);
                    }
                }
            >
                <div
                    class="events-scroll"
                    role="presentation"
                    node_ref=scroller
                    on:scroll:target=move |event| scroll_top.set(f64::from(event.target().scroll_top()))
                >
                    <div class="events-head" role="row" aria-rowindex="1">{head}</div>
                    <div
                        class="events-body"
                        role="rowgroup"
                        style:height=move || format!("{}px", window.get().height() as i64)
                    >
                        {each(keys, Arc::clone, show)}
                    </div>
                </div>
                <EventsScreen all=all survey=survey />
            </div>
        </main>
    }
}

/// Those that are shown, in their order.
fn use_groups(survey: LiveSurvey, session: Session, navigation: Navigation) -> Memo<Vec<EventGroupRow>> {
    let (namespaces, only, query) = (navigation.namespaces(), navigation.only(), navigation.query());
    let query = Memo::new(move |_| query.with(|query| Query::parse(query)));
    Memo::new(move |_| {
        let query = query.get();
        let now = if query.is_timed() { session.now.get() } else { session.now.get_untracked() };
        let filter = EventFilter { namespaces: namespaces.get(), kind_of_event: only.get(), query };
        let groups = survey.read(|it| it.events().shown(&filter, now));
        groups.into_iter().enumerate().map(|(index, group)| EventGroupRow { group, index }).collect()
    })
}

/// What comes on top does not move what one reads below.
fn keep_in_place(all: Memo<Vec<EventGroupRow>>, window: Signal<Window>, scroll_to: Callback<f64>) {
    let anchor = StoredValue::new(None::<(Arc<str>, usize)>);
    Effect::new(move |_| {
        let Window { row_height, scroll_top, .. } = window.get();
        let first = (scroll_top / row_height.max(1.0)) as usize;
        let moved = anchor.get_value().and_then(|(key, at)| {
            let now = all.with(|all| all.iter().position(|row| row.group.key == key))?;
            (at == first && scroll_top > 0.0).then_some(now as f64 - at as f64)
        });
        let moved = moved.filter(|rows| *rows != 0.0);
        let first = (first as f64 + moved.unwrap_or(0.0)) as usize;
        anchor.set_value(all.with(|all| all.get(first).map(|row| (Arc::clone(&row.group.key), first))));
        if let Some(rows) = moved {
            scroll_to.run(scroll_top + rows * row_height);
        }
    });
}

#[component]
fn Head(
    /// Those that are shown.
    all: Memo<Vec<EventGroupRow>>,
    /// All there are.
    survey: LiveSurvey,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let only = navigation.only();
    let total = Memo::new(move |_| survey.read(|it: &Survey| it.events().len()));
    let count = move || match (all.with(Vec::len), total.get()) {
        (shown, total) if shown == total => grouped(total),
        (shown, total) => format!("{} of {}", grouped(shown), grouped(total)),
    };
    let choice = move |(name, title): (&'static str, &'static str)| {
        view! {
            <button
                aria-pressed=move || only.with(|only| only == name).to_string()
                data-type=title
                title="Next type (t)"
                on:click=move |_| navigation.set_only(name)
            >
                {title}
            </button>
        }
    };
    view! {
        <div class="page-head">
            <h1>"Events"</h1>
            <span class="page-count" data-testid="count">{count}</span>
            <div class="segments" role="group" aria-label="Type" data-testid="event-type">{TYPES.map(choice)}</div>
        </div>
    }
}

/// What stands in place of the rows; nothing where there are some.
#[component]
fn EventsScreen(
    /// Those that are shown.
    all: Memo<Vec<EventGroupRow>>,
    /// All there are.
    survey: LiveSurvey,
) -> impl IntoView {
    let navigation = expect_context::<Navigation>();
    let has_rows = Memo::new(move |_| !all.with(Vec::is_empty));
    let has_any = Memo::new(move |_| survey.read(|it: &Survey| !it.events().is_empty()));
    let knowledge = Memo::new(move |_| survey.knowledge(Topic::Events));
    let show_all = move |_| {
        navigation.set_query(String::new());
        navigation.set_only("");
        navigation.set_namespaces(Default::default());
    };
    let screen = |kind, title: &'static str, text: String, message, step: AnyView| {
        view! { <Screen kind=kind title=title text=text message=message>{step}</Screen> }.into_any()
    };
    let retry = move || {
        view! { <button class="button primary" on:click=move |_| survey.retry_now()>"Retry now"</button> }.into_any()
    };
    move || match (has_rows.get(), knowledge.get()) {
        (true, _) => ().into_any(),
        (_, Knowledge::Listing) => {
            let text = "They appear as soon as the list has come";
            screen(ScreenKind::Loading, "Listing events…", text.into(), None, ().into_any())
        }
        (_, Knowledge::Forbidden) => {
            let text = "Ask for a role that allows list and watch on events in all namespaces";
            screen(ScreenKind::Forbidden, "You may not list events", text.into(), None, retry())
        }
        (_, Knowledge::Failed(error)) => {
            let text = advice(&error).to_owned();
            screen(ScreenKind::Failed, "The events could not be listed", text, Some(error.to_string()), retry())
        }
        (_, Knowledge::Whole) if has_any.get() => {
            let button = view! { <button class="button primary" on:click=show_all>"Show all events"</button> };
            let text = "There are others, of other types, namespaces or words";
            screen(ScreenKind::Empty, "No event matches", text.into(), None, button.into_any())
        }
        (_, Knowledge::Whole) => {
            let text = "A server forgets an event after an hour, as a rule. New ones appear here at once";
            screen(ScreenKind::Empty, "No events in this cluster", text.into(), None, ().into_any())
        }
    }
}
