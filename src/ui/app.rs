use leptos::prelude::*;

use super::components::{
    AppearanceMenu, ConnectionIndicator, Help, NamespaceChoice, NamespacePicker, NoticeList, Palette, PaletteButton,
    QueryBox, Rail, RailEntry, RailGroup, RailModel, TopBar,
};
use super::hooks::{focus_by_id, use_command_key, use_shortcuts, use_window_event};
use super::pages::informers::InformersPage;
use super::pages::resource::{NoSuchPage, ResourcePage};
use super::state::{
    Appearance, Commands, Count, Counts, Kinds, Link, LiveTable, Navigation, Notices, Options, RailChoices, Session,
    Tables, built_in_of_page, page_in_address,
};
use crate::view::columns::{NAMESPACES, Resource};
use crate::view::palette::PAGES;
use crate::view::{Catalog, CatalogEntry, CatalogGroup, Freshness, Query};

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
    let navigation = Navigation::new();
    let appearance = Appearance::new(session);
    let notices = Notices::new();
    provide_context(session);
    provide_context(navigation);
    provide_context(appearance);
    provide_context(notices);

    let kinds = Kinds::new();
    let page = navigation.page();
    let resource = Memo::new_with_compare(
        move |_| page.with(|page| kinds.of_page(session, page)),
        |old, new| old.copied().flatten().map(std::ptr::from_ref) != new.copied().flatten().map(std::ptr::from_ref),
    );
    let (shown, namespaces) = (RwSignal::new(None::<LiveTable>), RwSignal::new(None::<LiveTable>));
    // A page without a table of its own stands with the server as the list of namespaces does.
    let link = Signal::derive(move || {
        shown.get().or_else(|| namespaces.get()).map(|table| table.link().get()).unwrap_or_default()
    });
    Effect::new(move |_| {
        if resource.get().is_none() {
            shown.set(None);
        }
    });
    Effect::new(move |_| {
        let of_page = || page.with(|page| special_page(page)).unwrap_or("Watchglass");
        let title = resource.get().map_or_else(of_page, |resource: &Resource| resource.title);
        document().set_title(&format!("{title} · {} · Watchglass", session.address()));
    });
    ask_version_when_connected(session, link);
    let (rail, counts) = (RailChoices::new(session), Counts::new(session));
    start_after_first_rows(shown, resource, move || {
        kinds.start(session);
        namespaces.set(Some(tables.hold(&NAMESPACES)));
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
            let button = document().get_element_by_id("namespaces");
            if let Some(button) = button.and_then(|it| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(it).ok())
            {
                button.click();
            }
            true
        }
        ":" => {
            is_palette_open.set(true);
            true
        }
        "f" => {
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
    use_window_event(leptos::ev::visibilitychange, move |_| tables.retry_now());
    let catalog = kinds.catalog();
    let groups = Memo::new(move |_| catalog.with(|catalog| rail_groups(catalog.as_ref())));
    let note = Signal::derive(move || match (catalog.with(Option::is_some), kinds.error().get()) {
        (false, None) => Some("Asking for the kinds…".to_owned()),
        (_, error) => error,
    });
    let query = navigation.query();
    let errors = Memo::new(move |_| {
        let query = query.with(|query| Query::parse(query));
        resource.get().map_or_else(|| query.errors().to_vec(), |resource| query.check(resource))
    });
    let choices = namespace_choices(namespaces, shown);
    let commands = Commands {
        session,
        navigation,
        tables,
        kinds,
        appearance,
        rail,
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
    view! {
        <div class="app">
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
                        let error = namespaces.get().and_then(|table| table.link().with(|link| link.error.clone()));
                        error.is_some_and(|error| error.is_forbidden())
                            .then_some("You may not list namespaces: these are the ones with objects of this page")
                    })
                    on_change=Callback::new(move |chosen| navigation.set_namespaces(chosen))
                />
                <QueryBox
                    value=query
                    errors=errors
                    on_change=Callback::new(move |query| navigation.set_query(query))
                />
                <PaletteButton on_open=Callback::new(move |()| is_palette_open.set(true)) />
                <ConnectionIndicator link=link now=session.now on_retry=Callback::new(move |()| tables.go_on()) />
                <AppearanceMenu theme=appearance.theme density=appearance.density />
            </TopBar>
            <Rail model=rail_model pages=PAGES />
            <For
                each=move || resource.get()
                key=|resource| resource.group_version_resource()
                children=move |resource| {
                    let table = tables.use_table(resource);
                    shown.set(Some(table));
                    view! { <ResourcePage table=table /> }
                }
            />
            <Show when=move || page.with(|page| page == "informers")>
                <InformersPage tables=tables />
            </Show>
            <Show when=move || resource.get().is_none() && page.with(|page| special_page(page).is_none())>
                <main class="page">
                    <NoSuchPage page=page is_asking=kinds.is_asking() error=kinds.error() />
                </main>
            </Show>
            <NoticeList list=notices.list() on_dismiss=Callback::new(move |id| notices.dismiss(id)) />
            <Help is_open=is_help_open />
            <Palette
                is_open=is_palette_open
                candidates=Callback::new(move |typed: String| commands.candidates(&typed))
                note=Callback::new(move |()| commands.searched())
                is_chosen=Callback::new(move |choice| commands.is_chosen(&choice))
                on_choose=Callback::new(move |(choice, adds)| commands.run(&choice, adds))
            />
        </div>
    }
}

/// What a page is called that is of no kind.
fn special_page(page: &str) -> Option<&'static str> {
    PAGES.iter().find(|(name, _)| *name == page).map(|(_, title)| *title)
}

/// The kinds as the rail shows them; before they are known, the page that is always there.
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
    namespaces: RwSignal<Option<LiveTable>>,
    shown: RwSignal<Option<LiveTable>>,
) -> Signal<Vec<NamespaceChoice>> {
    let names = Memo::new(move |_| {
        let rows = |table: LiveTable| table.read(|model| model.window(0..model.rows()));
        let rows = namespaces.get().map(rows).unwrap_or_default();
        rows.iter().map(|it| it.row.name.to_string()).collect::<Vec<_>>()
    });
    Signal::derive(move || {
        let mut counts = shown.get().map(|table| table.read(|model| model.namespaces().clone())).unwrap_or_default();
        names.with(|names| {
            for name in names {
                counts.entry(name.clone()).or_default();
            }
        });
        counts.into_iter().map(|(name, count)| NamespaceChoice { name, count }).collect()
    })
}

/// Starts what can wait, once: the first rows come before it.
fn start_after_first_rows(
    shown: RwSignal<Option<LiveTable>>,
    resource: Memo<Option<&'static Resource>>,
    start: impl Fn() + 'static,
) {
    let is_time = Memo::new(move |was_time: Option<&bool>| {
        let has_rows = |table: LiveTable| {
            table.read(|model| model.total() > 0)
                || table.link().with(|link| link.connection.synced || link.error.is_some())
        };
        // A page of a kind that only the server knows waits for nothing else.
        was_time == Some(&true) || resource.get().is_none() || shown.get().is_some_and(has_rows)
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
