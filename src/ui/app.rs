use std::collections::BTreeSet;

use leptos::prelude::*;

use super::components::{
    AppearanceMenu, ConnectionIndicator, Help, NamespaceChoice, NamespacePicker, NoticeList, Palette, PaletteButton,
    QueryBox, Rail, RailEntry, RailGroup, RailModel, TopBar,
};
use super::control_flow::{When, each};
use super::hooks::{focus_by_id, press_by_id, use_command_key, use_shortcuts, use_window_event};
use super::pages::grouped_events::{self, EventsPage};
use super::pages::informers::InformersPage;
use super::pages::object::ObjectPanel;
use super::pages::overview::{self, OverviewPage};
use super::pages::resource::{NoSuchPage, ResourcePage};
use super::state::{
    ACROSS, Across, Appearance, Columns, Commands, Count, Counts, Kind, Kinds, Link, LiveSurvey, LiveTable, Namespaces,
    Navigation, Notices, Options, RailChoices, Selection, Session, Surveys, Tables, built_in_of_page, page_in_address,
};
use crate::cache::Phase;
use crate::view::columns::NAMESPACES;
use crate::view::palette::PAGES;
use crate::view::{
    Catalog, CatalogEntry, CatalogGroup, EVENT_GROUPS, Freshness, MAX_ROWS, Query, has_namespace, is_pattern,
};

/// Puts the dashboard in the place of the element's content.
///
/// The page's list is asked for before the interface is built, so that the server works on it meanwhile.
pub fn mount(parent: web_sys::HtmlElement, options: Options) {
    let runtime = options.runtime.clone();
    let session = Session::new(options);
    let tables = Tables::new(session);
    if let Some(resource) = built_in_of_page(&page_in_address()) {
        tables.open(resource);
    }
    let mounting = runtime.clone().spawn(async move {
        // Lets the tasks of the informers come as far as to their requests.
        runtime.spawner.yield_now().await;
        parent.set_inner_html("");
        leptos::mount::mount_to(parent, move || view! { <App session=session tables=tables /> }).forget();
    });
    // It stands for as long as the page does.
    std::mem::forget(mounting);
}

#[component]
fn App(
    /// The cluster.
    session: Session,
    /// Its tables.
    tables: Tables,
) -> impl IntoView {
    tables.mounted();
    let navigation = Navigation::new();
    let appearance = Appearance::new(session);
    let notices = Notices::new();
    provide_context(session);
    provide_context(navigation);
    provide_context(appearance);
    provide_context(notices);
    let columns = Columns::new(session, navigation);
    provide_context(columns);
    provide_context(Selection::new());
    provide_context(tables.rights);
    provide_context(tables.namespaces);

    let kinds = Kinds::new();
    provide_context(kinds);
    let query = navigation.query();
    let across = Across::new(session, kinds, columns, tables, query);
    let page = page_of(navigation.page(), across);
    let kind = Memo::new(move |_| match page.with(|page| page == ACROSS) {
        true => across.kind(),
        false => page.with(|page| kinds.of_page(session, page)).map(|kind| columns.extend(kind)),
    });
    let (shown, namespaces) = (RwSignal::new(None::<LiveTable>), tables.namespaces);
    let namespace_table = RwSignal::new(None::<LiveTable>);
    let (surveys, survey) = (Surveys::new(session), RwSignal::new(None::<LiveSurvey>));
    let own_page = Memo::new(move |_| page.with(|page| OwnPage::named(page)));
    let link = Signal::derive(move || match survey.get() {
        Some(survey) => survey.link(session.now.get()),
        // A page without a table of its own stands with the server as the list of namespaces does.
        None => shown.get().or_else(|| namespace_table.get()).map(|table| table.link().get()).unwrap_or_default(),
    });
    Effect::new(move |_| {
        if kind.with(Option::is_none) {
            shown.set(None);
        }
    });
    Effect::new(move |_| {
        let title = kind.with(|kind| kind.as_ref().map_or("Watchglass", |kind| kind.resource.title));
        let title = own_page.get().map_or(title, OwnPage::title);
        document().set_title(&format!("{title} · {} · Watchglass", session.address()));
    });
    ask_version_when_connected(session, link);
    namespaces.choose(navigation.namespaces().get_untracked());
    let (rail, counts) = (RailChoices::new(session), Counts::new(session));
    start_after_first_rows(shown, kind, move || {
        kinds.start(session);
        let table = tables.hold(&NAMESPACES);
        namespace_table.set(Some(table));
        namespaces.follow(table, navigation.namespaces());
        counts.start();
    });
    let is_help_open = RwSignal::new(false);
    let is_rail_open = RwSignal::new(false);
    let is_palette_open = RwSignal::new(false);
    use_command_key("k", move || is_palette_open.update(|open| *open = !*open));
    use_shortcuts(move |key| match key {
        "?" => {
            is_help_open.set(true);
            true
        }
        "n" => {
            focus_by_id("namespaces");
            press_by_id("namespaces")
        }
        ":" => {
            is_palette_open.set(true);
            true
        }
        "/" if kind.with_untracked(Option::is_none) && page.with_untracked(|page| page == ACROSS) => {
            focus_by_id("query");
            true
        }
        "f" if page.with_untracked(|page| page != ACROSS) => {
            rail.toggle_favourite(&page.get_untracked());
            true
        }
        "b" => {
            rail.toggle_collapsed();
            true
        }
        _ => false,
    });
    // Somebody looks again: a wait that has grown meanwhile is of no use.
    use_window_event(leptos::ev::visibilitychange, move |_| {
        tables.retry_now();
        surveys.retry_now();
    });
    let catalog = kinds.catalog();
    let groups = Memo::new(move |_| catalog.with(|catalog| rail_groups(catalog.as_ref())));
    let note = Signal::derive(move || match (catalog.with(Option::is_some), kinds.error().get()) {
        (false, None) => Some("Asking for the kinds…".to_owned()),
        (_, error) => error,
    });
    let opened = navigation.object();
    let is_object_open = Memo::new(move |_| {
        let is_of = |key: &String| kind.with(|kind| kind.as_ref()?.resource.member_of_key(key)).is_some();
        opened.with(|opened| opened.as_ref().is_some_and(is_of))
    });
    let errors = Memo::new(move |_| {
        let query = query.with(|query| Query::parse(query));
        let resource = match own_page.get() {
            Some(OwnPage::Events) => Some(EVENT_GROUPS),
            _ => kind.with(|kind| kind.as_ref().map(|kind| kind.resource)),
        };
        let mut errors = across.named().errors;
        errors.extend(resource.map_or_else(|| query.errors().to_vec(), |resource| query.check(resource)));
        errors
    });
    let choices = namespace_choices(namespaces, shown, navigation.namespaces());
    let commands = Commands {
        session,
        navigation,
        tables,
        kinds,
        appearance,
        rail,
        columns,
        shown,
        page,
        namespaces: Signal::derive(move || choices.with(|all| all.iter().map(|it| it.name.clone()).collect())),
        chosen: navigation.namespaces(),
        is_help_open,
    };
    let rail_model = RailModel {
        groups: groups.into(),
        favourites: rail.favourites(),
        current: page,
        link: Callback::new(move |page: String| navigation.link_to(&page)),
        count: Callback::new(move |page: String| tables.count(&page).map(Count::Objects).or_else(|| counts.get(&page))),
        chosen: Callback::new(move |group: String| rail.is_open(&group)),
        on_group: Callback::new(move |(group, is_open): (String, bool)| rail.set_open(&group, is_open)),
        on_look: Callback::new(move |(pages, anew)| counts.look(pages, anew, tables, kinds)),
        on_star: Callback::new(move |page: String| rail.toggle_favourite(&page)),
        on_move: Callback::new(move |(page, by): (String, isize)| rail.move_favourite(&page, by)),
        note,
        is_open: is_rail_open,
        is_collapsed: rail.is_collapsed(),
        on_collapse: Callback::new(move |()| rail.toggle_collapsed()),
        on_help: Callback::new(move |()| is_help_open.set(true)),
    };
    let kind_page = move |kind| {
        let table = across.use_table(kind);
        shown.set(Some(table));
        view! {
            <ResourcePage table=table />
            <ObjectPanel table=table />
        }
        .into_any()
    };
    let page_of_its_own = move |page| {
        let topics: &[_] = match page {
            OwnPage::Overview => &overview::TOPICS,
            OwnPage::Events => &grouped_events::TOPICS,
            OwnPage::Informers => return view! { <InformersPage tables=tables /> }.into_any(),
        };
        let used = surveys.use_survey(topics);
        survey.set(Some(used));
        on_cleanup(move || {
            survey.try_update(|survey| *survey = survey.filter(|it| !std::ptr::eq(it.topics(), topics)));
        });
        match page {
            OwnPage::Events => view! { <EventsPage survey=used catalog=catalog /> }.into_any(),
            _ => view! { <OverviewPage survey=used catalog=catalog /> }.into_any(),
        }
    };
    view! {
        <div class="app" class:has-object=move || is_object_open.get()>
            <TopBar
                address=session.address()
                version=session.version
                is_demo=session.is_demo()
                on_rail=Callback::new(move |()| is_rail_open.update(|open| *open = !*open))
            >
                <NamespacePicker
                    choices=choices
                    chosen=navigation.namespaces()
                    note=Signal::derive(move || {
                        namespaces.may_be_more().then_some("You may not list namespaces: type the names of others")
                    })
                    on_change=Callback::new(move |chosen| navigation.set_namespaces(chosen))
                    on_add=Callback::new(move |name: String| namespaces.keep(&name))
                    on_forget=Callback::new(move |name: String| namespaces.forget(&name))
                />
                <QueryBox
                    value=query
                    errors=errors
                    is_off=Signal::derive(move || {
                        let is_overview = own_page.get() == Some(OwnPage::Overview);
                        is_overview.then_some("The overview is not filtered: choose namespaces, or follow a line")
                    })
                    on_change=Callback::new(move |text: String| {
                        let query = Query::parse(&text);
                        if page.with_untracked(|page| page != ACROSS) && untrack(|| across.named_by(&query)).has_any() {
                            navigation.turn(ACROSS, text, query.split_kinds().1);
                        } else {
                            navigation.set_query(text);
                        }
                    })
                />
                <PaletteButton on_open=Callback::new(move |()| is_palette_open.set(true)) />
                <ConnectionIndicator
                    link=link
                    now=session.now
                    last_contact=Callback::new(move |()| shown.get().and_then(|table| table.last_contact()))
                    on_retry=Callback::new(move |()| {
                        tables.go_on();
                        surveys.retry_now();
                    })
                    on_list_again=Callback::new(move |()| {
                        shown.get_untracked().iter().for_each(LiveTable::list_again);
                    })
                />
                <AppearanceMenu theme=appearance.theme density=appearance.density />
            </TopBar>
            <Rail model=rail_model head=&PAGES[..2] foot=&PAGES[2..] />
            {each(move || kind.get().into_iter().collect(), Kind::key, kind_page)}
            {each(move || own_page.get().into_iter().collect(), |page| *page, page_of_its_own)}
            <When when=move || kind.with(Option::is_none) && own_page.get().is_none()>
                <main class="page">
                    <NoSuchPage page=page across=across is_asking=kinds.is_asking(page) error=kinds.error() />
                </main>
            </When>
            <NoticeList list=notices.list() on_dismiss=Callback::new(move |id| notices.dismiss(id)) />
            <Help is_open=is_help_open />
            <Palette
                is_open=is_palette_open
                candidates=Callback::new(move |typed: String| commands.candidates(&typed))
                note=Callback::new(move |()| commands.searched())
                is_chosen=Callback::new(move |choice| commands.is_chosen(&choice))
                link=Callback::new(move |choice| commands.link(&choice))
                on_choose=Callback::new(move |(choice, adds)| commands.run(&choice, adds))
            />
        </div>
    }
}

/// The page that is shown: a query across kinds makes any page that has rows one of several kinds.
fn page_of(address: Signal<String>, across: Across) -> Signal<String> {
    let has_rows = move || address.with(|page| OwnPage::named(page) != Some(OwnPage::Overview));
    Memo::new(move |_| match has_rows() && across.named().has_any() {
        true => ACROSS.to_owned(),
        false => address.get(),
    })
    .into()
}

/// A page that is no kind's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum OwnPage {
    Overview,
    Events,
    Informers,
}

impl OwnPage {
    /// In the order of [`PAGES`].
    const ALL: [Self; PAGES.len()] = [Self::Overview, Self::Events, Self::Informers];

    fn named(page: &str) -> Option<Self> {
        PAGES.iter().position(|(name, _)| *name == page).map(|at| Self::ALL[at])
    }

    const fn title(self) -> &'static str {
        PAGES[self as usize].1
    }
}

/// The kinds as the rail shows them; before they are known, the one that is always there.
fn rail_groups(catalog: Option<&Catalog>) -> Vec<RailGroup> {
    let Some(catalog) = catalog else {
        let pods = RailEntry { title: "Pods".into(), page: "pods".into(), icon: "po".into() };
        return vec![RailGroup { title: "Workloads".into(), is_open: true, entries: vec![pods] }];
    };
    let group = |group: &CatalogGroup| {
        let entry = |it: &CatalogEntry| RailEntry { title: it.title.clone(), page: it.page(), icon: it.abbreviation() };
        let is_open = group.title == "Workloads";
        RailGroup { title: group.title.clone(), is_open, entries: group.entries.iter().map(entry).collect() }
    };
    catalog.groups.iter().map(group).collect()
}

/// The namespaces there are, and those that objects of the page were seen in; with how many are in each.
fn namespace_choices(
    namespaces: Namespaces,
    shown: RwSignal<Option<LiveTable>>,
    chosen: Signal<BTreeSet<String>>,
) -> Signal<Vec<NamespaceChoice>> {
    let known = Memo::new(move |_| namespaces.known());
    Signal::derive(move || {
        let is_counted = shown.with(Option::is_some);
        let mut counts = shown.get().map(|table| table.read(|model| model.namespaces().clone())).unwrap_or_default();
        // What is in no namespace.
        counts.remove("");
        known.with(|known| known.iter().for_each(|name| *counts.entry(name.clone()).or_default() += 0));
        for pattern in chosen.get().into_iter().filter(|name| is_pattern(name)) {
            let one = BTreeSet::from([pattern.clone()]);
            let count = counts.iter().filter(|(name, _)| has_namespace(&one, name)).map(|(_, count)| count).sum();
            counts.insert(pattern, count);
        }
        let choice = |(name, count): (String, usize)| {
            let count = Some(count).filter(|_| is_counted);
            NamespaceChoice { is_typed: namespaces.is_typed(&name), name, count }
        };
        counts.into_iter().map(choice).collect()
    })
}

/// Starts what can wait, once: the first rows come before it.
fn start_after_first_rows(shown: RwSignal<Option<LiveTable>>, kind: Memo<Option<Kind>>, start: impl Fn() + 'static) {
    let is_time = Memo::new(move |was_time: Option<&bool>| {
        let has_begun = |table: LiveTable| {
            let link = table.link();
            // Behind a first page the list itself is asked for, and connections are few.
            let is_coming = |phase: &Phase| matches!(phase, Phase::Listing { received, .. } if *received > MAX_ROWS);
            link.with(|link| {
                let connection = &link.connection;
                connection.synced || link.error.is_some() || is_coming(&connection.phase)
            })
        };
        // A page of a kind that only the server knows waits for nothing else.
        was_time == Some(&true) || kind.with(Option::is_none) || shown.get().is_some_and(has_begun)
    });
    Effect::new(move |_| {
        if is_time.get() {
            start();
        }
    });
}

/// A server that was away may have been upgraded.
fn ask_version_when_connected(session: Session, link: Signal<Link>) {
    let is_connected = Memo::new(move |_| {
        link.with(|link| link.contact()).freshness(session.now.get_untracked()) == Freshness::Connected
    });
    Effect::new(move |_| {
        if is_connected.get() || session.version.with_untracked(Option::is_none) {
            session.ask_version();
        }
    });
}
