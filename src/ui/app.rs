use leptos::prelude::*;

use super::components::{
    AppearanceMenu, ConnectionIndicator, Help, NamespaceChoice, NamespacePicker, NoticeList, QueryBox, Rail, RailEntry,
    Shape, TopBar,
};
use super::hooks::{focus_by_id, use_shortcuts, use_window_event};
use super::pages::pods::PodsPage;
use super::state::{Appearance, LiveTable, Navigation, Notices, Options, Session};
use crate::view::Freshness;
use crate::view::columns::{NAMESPACES, PODS};

/// Puts the dashboard in the place of the element's content.
///
/// The pods are asked for before the interface is built, so that the server works on them meanwhile.
pub fn mount(parent: web_sys::HtmlElement, options: Options) {
    let runtime = options.runtime.clone();
    let cluster = Cluster::open(options);
    let mounting = runtime.clone().spawn(async move {
        // Lets the tasks of the informers come as far as to their requests.
        runtime.spawner.yield_now().await;
        parent.set_inner_html("");
        leptos::mount::mount_to(parent, move || view! { <App cluster=cluster /> }).forget();
    });
    // It stands for as long as the page does.
    std::mem::forget(mounting);
}

/// What the page shows of one cluster. A handle.
#[derive(Clone, Copy)]
struct Cluster {
    session: Session,
    pods: LiveTable,
    namespaces: LiveTable,
}

impl Cluster {
    fn open(options: Options) -> Self {
        let session = Session::new(options);
        let pods = LiveTable::new(session, &PODS);
        session.factory().start();
        Self { session, pods, namespaces: LiveTable::new(session, &NAMESPACES) }
    }
}

#[component]
fn App(
    /// What the page is opened on.
    cluster: Cluster,
) -> impl IntoView {
    let Cluster { session, pods, namespaces } = cluster;
    let navigation = Navigation::new();
    let appearance = Appearance::new(session);
    let notices = Notices::new();
    provide_context(session);
    provide_context(navigation);
    provide_context(appearance);
    provide_context(notices);

    document().set_title(&format!("{} · {} · Watchglass", PODS.title, session.address()));
    ask_version_when_connected(session, pods);
    start_after_first_rows(session, pods);
    let is_help_open = RwSignal::new(false);
    let is_rail_open = RwSignal::new(false);
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
        _ => false,
    });
    let entry = RailEntry {
        title: PODS.title,
        shape: Shape::Pods,
        href: "#/pods",
        count: Signal::derive(move || {
            pods.link().with(|link| link.connection.synced).then(|| pods.read(|model| model.total()))
        }),
        is_current: true,
    };
    let retry = move || {
        pods.retry_now();
        namespaces.retry_now();
    };
    // Somebody looks again: a wait that has grown meanwhile is of no use.
    use_window_event(leptos::ev::visibilitychange, move |_| retry());
    view! {
        <div class="app">
            <TopBar
                address=session.address()
                version=session.version
                is_demo=session.is_demo()
                on_rail=Callback::new(move |()| is_rail_open.update(|open| *open = !*open))
            >
                <NamespacePicker
                    choices=namespace_choices(namespaces, pods)
                    chosen=navigation.namespaces()
                    note=Signal::derive(move || namespaces.link().with(|link| {
                        link.error.as_ref().is_some_and(|error| error.is_forbidden())
                            .then_some("You may not list namespaces: these are the ones with pods")
                    }))
                    on_change=Callback::new(move |chosen| navigation.set_namespaces(chosen))
                />
                <QueryBox value=navigation.query() on_change=Callback::new(move |query| navigation.set_query(query)) />
                <ConnectionIndicator link=pods.link() now=session.now on_retry=Callback::new(move |()| retry()) />
                <AppearanceMenu theme=appearance.theme density=appearance.density />
            </TopBar>
            <Rail entries=vec![entry] is_open=is_rail_open on_help=Callback::new(move |()| is_help_open.set(true)) />
            <PodsPage pods=pods />
            <NoticeList list=notices.list() on_dismiss=Callback::new(move |id| notices.dismiss(id)) />
            <Help is_open=is_help_open />
        </div>
    }
}

/// The namespaces there are, and those that pods were seen in; with how many pods are in each.
fn namespace_choices(namespaces: LiveTable, pods: LiveTable) -> Signal<Vec<NamespaceChoice>> {
    let names = Memo::new(move |_| {
        namespaces
            .read(|model| model.window(0..model.rows()).iter().map(|it| it.row.name.to_string()).collect::<Vec<_>>())
    });
    Signal::derive(move || {
        let mut counts = pods.read(|model| model.namespaces().clone());
        names.with(|names| {
            for name in names {
                counts.entry(name.clone()).or_default();
            }
        });
        counts.into_iter().map(|(name, count)| NamespaceChoice { name, count }).collect()
    })
}

/// Starts what is shown at a press only: the first rows of the pods come before it.
fn start_after_first_rows(session: Session, pods: LiveTable) {
    let link = pods.link();
    let is_time = Memo::new(move |_| {
        pods.read(|model| model.total() > 0) || link.with(|link| link.connection.synced || link.error.is_some())
    });
    Effect::new(move |_| {
        if is_time.get() {
            session.factory().start();
        }
    });
}

/// A server that was away may have been upgraded.
fn ask_version_when_connected(session: Session, pods: LiveTable) {
    let link = pods.link();
    let is_connected = Memo::new(move |_| {
        link.with(|link| link.contact()).freshness(session.now.get_untracked()) == Freshness::Connected
    });
    Effect::new(move |_| {
        if is_connected.get() || session.version.with_untracked(Option::is_none) {
            session.ask_version();
        }
    });
}
