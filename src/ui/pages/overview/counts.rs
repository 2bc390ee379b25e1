use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use leptos::prelude::*;

use super::super::until_seen;
use crate::api::{Error, GroupVersionResource, ListOptions, ResourcePath};
use crate::rest::Accept;
use crate::runtime::Task;
use crate::ui::state::{Knowledge, LiveSurvey, Namespaces, Navigation, Session};
use crate::ui::time::grouped;
use crate::view::overview::Topic;
use crate::view::{Catalog, CatalogEntry};

/// Between two looks at kinds that no informer follows here.
const BETWEEN_LOOKS: Duration = Duration::from_secs(60);

/// So many namespaces are asked one by one; with more, what no informer follows is not counted.
const MOST_NAMESPACES: usize = 8;

/// By the page's name; none where they may not be listed.
type Counts = BTreeMap<String, Option<usize>>;

/// How many objects there are of each kind, with links to their tables.
#[component]
pub(super) fn CountsByKind(
    /// Those that it follows are counted live.
    survey: LiveSurvey,
    /// The kinds.
    catalog: Signal<Option<Catalog>>,
) -> impl IntoView {
    let (session, navigation) = (expect_context::<Session>(), expect_context::<Navigation>());
    let (namespaces, known) = (navigation.namespaces(), expect_context::<Namespaces>());
    let chosen = Memo::new(move |_| namespaces.with(|it| (!it.is_empty()).then(|| known.meant_by(it))));
    let asked = RwSignal::new(Counts::new());
    let asking = StoredValue::new_local(None::<Task>);
    // What is wrong is told first.
    let is_listing = Memo::new(move |_| survey.topics().iter().any(|it| survey.knowledge(*it) == Knowledge::Listing));
    Effect::new(move |_| {
        if is_listing.get() {
            return;
        }
        let entries = entries(catalog.get().as_ref());
        asked.set(Counts::new());
        let task = session.runtime().spawn(count_now_and_then(session, entries, chosen.get(), asked));
        asking.set_value(Some(task));
    });
    let counts = Memo::new(move |_| {
        let mut counts = asked.get();
        for topic in survey.topics() {
            if survey.knowledge(*topic) == Knowledge::Whole {
                let count = survey.read(|it| namespaces.with(|namespaces| it.count(*topic, namespaces)));
                counts.insert(topic.resource().to_string(), Some(count));
            }
        }
        counts
    });
    let group = move |title: String, entries: Vec<(String, String)>| {
        let item = move |(title, page): (String, String)| {
            let (href, counted) = (page.clone(), page.clone());
            let count = Memo::new(move |_| counts.with(|counts| counts.get(&counted).copied().flatten()));
            let is_there = move || count.get().is_some_and(|count| count > 0);
            view! {
                <li class="counts-item" class:none=move || !is_there() data-page=page>
                    <a href=move || navigation.link_to(&href)>{title}</a>
                    <span class="counts-number">{move || count.get().map(grouped)}</span>
                </li>
            }
        };
        view! {
            <section class="counts-group">
                <h3>{title}</h3>
                <ul>{entries.into_iter().map(item).collect_view()}</ul>
            </section>
        }
        .into_any()
    };
    let groups = Memo::new(move |_| {
        let group = |it: &crate::view::CatalogGroup| {
            (it.title.clone(), it.entries.iter().map(|it| (it.title.clone(), it.page())).collect::<Vec<_>>())
        };
        catalog.with(|catalog| catalog.iter().flat_map(|it| it.groups.iter().map(group)).collect::<Vec<_>>())
    });
    let refused = move || {
        let title = |page: &String| catalog.with(|it| Some(it.as_ref()?.of_page(page)?.title.clone()));
        let refused = |counts: &Counts| {
            counts.iter().filter(|(_, it)| it.is_none()).filter_map(|(page, _)| title(page)).collect::<Vec<_>>()
        };
        let names = counts.with(refused).join(", ");
        (!names.is_empty()).then(|| view! { <p class="overview-note">"You may not list " {names}</p> })
    };
    view! {
        <div class="counts" data-testid="counts">
            {move || groups.get().into_iter().map(|(title, entries)| group(title, entries)).collect_view()}
        </div>
        {refused}
    }
}

/// Those that the survey does not count, without the events' second group, which has the same.
fn entries(catalog: Option<&Catalog>) -> Vec<CatalogEntry> {
    let is_counted = |entry: &CatalogEntry| {
        Topic::ALL.iter().any(|topic| topic.resource().to_string() == entry.page())
            || entry.resource.group == "events.k8s.io"
    };
    catalog.into_iter().flat_map(Catalog::entries).filter(|entry| !is_counted(entry)).cloned().collect()
}

/// One request after another: nobody waits for these.
async fn count_now_and_then(
    session: Session,
    mut entries: Vec<CatalogEntry>,
    namespaces: Option<BTreeSet<String>>,
    counts: RwSignal<Counts>,
) {
    let is_asked = namespaces.as_ref().is_none_or(|it| it.len() <= MOST_NAMESPACES);
    entries.retain(|entry| !entry.is_namespaced || is_asked);
    loop {
        for entry in &entries {
            until_seen(session).await;
            match count(session, entry, namespaces.as_ref()).await {
                Ok(count) => counts.try_update(|counts| counts.insert(entry.page(), Some(count))),
                Err(error) if error.is_forbidden() => counts.try_update(|counts| counts.insert(entry.page(), None)),
                // What is not known is not told.
                Err(_) => counts.try_update(|counts| counts.remove(&entry.page())),
            };
        }
        session.runtime().sleep(BETWEEN_LOOKS).await;
    }
}

/// In these namespaces, or in all.
async fn count(session: Session, entry: &CatalogEntry, namespaces: Option<&BTreeSet<String>>) -> Result<usize, Error> {
    let Some(namespaces) = namespaces.filter(|_| entry.is_namespaced) else {
        return count_in(session, &entry.resource, None).await;
    };
    let mut sum = 0;
    for namespace in namespaces {
        sum += count_in(session, &entry.resource, Some(namespace)).await?;
    }
    Ok(sum)
}

/// The metadata of the first one, and how many more there are.
async fn count_in(
    session: Session,
    resource: &GroupVersionResource,
    namespace: Option<&String>,
) -> Result<usize, Error> {
    let path = ResourcePath { namespace: namespace.cloned(), ..ResourcePath::all(resource.clone()) };
    let options = ListOptions { limit: Some(1), ..ListOptions::default() };
    let list = session.client().list_as(&path, &options, Accept::Metadata, &|_| {}).await?;
    let more = list.metadata.remaining_item_count.and_then(|it| usize::try_from(it).ok());
    Ok(list.items.len() + more.unwrap_or(0))
}
