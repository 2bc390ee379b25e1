use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;

use super::Session;
use crate::api::{GroupVersionResource, ListOptions, Object, ResourcePath};
use crate::cache::{InformerLease, Registration, ResourceEventHandlerFuncs};
use crate::runtime::Task;
use crate::view::columns::{Resource, built_in};
use crate::view::{Catalog, CatalogEntry, CustomColumns};
use crate::workqueue::Queue;

/// How long after a definition changes the server may still say what it said before.
const SETTLE: Duration = Duration::from_secs(2);

/// Between two tries to learn what a server has.
const RETRY: Duration = Duration::from_secs(10);

/// What the server has, kept up to date while definitions come and go. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Kinds {
    catalog: RwSignal<Option<Catalog>>,
    error: RwSignal<Option<String>>,
    /// Counts the kinds whose columns came.
    answers: RwSignal<u32>,
    inner: StoredValue<Inner, LocalStorage>,
}

#[derive(Default)]
struct Inner {
    /// Those that only the server knows and that were asked for; none while their columns are.
    served: Vec<(GroupVersionResource, Option<&'static Resource>)>,
    asking: Vec<Task>,
    owned: Option<(Task, Vec<InformerLease>, Vec<Registration>)>,
}

impl Kinds {
    /// Nothing is asked before [`start`](Self::start).
    pub(crate) fn new() -> Self {
        let inner = StoredValue::new_local(Inner::default());
        Self { catalog: RwSignal::new(None), error: RwSignal::new(None), answers: RwSignal::new(0), inner }
    }

    /// Asks the server, and follows what it has from now on.
    pub(crate) fn start(&self, session: Session) {
        let changes = Queue::new();
        let task = session.runtime().spawn(follow(session, self.catalog, self.error, changes.clone()));
        let watched = [
            GroupVersionResource::new("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
            GroupVersionResource::new("apiregistration.k8s.io", "v1", "apiservices"),
        ];
        let leases: Vec<_> = watched.iter().map(|resource| session.names().lease_for(resource, "kinds")).collect();
        let (added, updated, deleted) = (changes.clone(), changes.clone(), changes);
        let handler = ResourceEventHandlerFuncs::new()
            .on_add(move |_, is_in_initial_list| {
                if !is_in_initial_list {
                    added.add(());
                }
            })
            .on_update(move |_, _| updated.add(()))
            .on_delete(move |_| deleted.add(()));
        let handler = Rc::new(handler);
        // A lease's informer runs, so that it takes handlers.
        let registrations = leases.iter().filter_map(|lease| lease.add_event_handler(handler.clone()).ok()).collect();
        self.inner.update_value(|inner| inner.owned = Some((task, leases, registrations)));
    }

    /// None before the server has told.
    pub(crate) fn catalog(&self) -> Signal<Option<Catalog>> {
        self.catalog.into()
    }

    /// Why the server has not told.
    pub(crate) fn error(&self) -> Signal<Option<String>> {
        self.error.into()
    }

    /// The kind of a page, at once where its columns are built in; none when the server has none such, as far as is
    /// known, and while it is asked for the columns.
    pub(crate) fn of_page(&self, session: Session, page: &str) -> Option<&'static Resource> {
        self.answers.track();
        let entry = self.catalog.with(|catalog| catalog.as_ref().and_then(|it| it.of_page(page)).cloned());
        match entry {
            Some(entry) => built_in(&entry.resource).or_else(|| self.served(session, entry)),
            None => built_in_of_page(page),
        }
    }

    /// The columns of a kind are being asked for.
    pub(crate) fn is_asking(&self) -> Signal<bool> {
        let this = *self;
        Signal::derive(move || {
            this.answers.track();
            this.catalog.with(Option::is_none)
                || this.inner.with_value(|inner| inner.served.iter().any(|(_, resource)| resource.is_none()))
        })
    }

    fn served(&self, session: Session, entry: CatalogEntry) -> Option<&'static Resource> {
        let known = self.inner.with_value(|inner| inner.served.iter().find(|(it, _)| *it == entry.resource).cloned());
        if let Some((_, resource)) = known {
            return resource;
        }
        let this = *self;
        let resource = entry.resource.clone();
        let asking = session.runtime().spawn(async move {
            let made = columns_of(session, entry).await;
            let answered = this.inner.try_update_value(|inner| {
                let served = inner.served.iter_mut().find(|(resource, _)| *resource == made.group_version_resource());
                served.into_iter().for_each(|(_, resource)| *resource = Some(made));
            });
            if answered.is_some() {
                this.answers.update(|answers| *answers += 1);
            }
        });
        self.inner.update_value(|inner| {
            inner.served.push((resource, None));
            inner.asking.push(asking);
        });
        None
    }
}

/// The table of a kind that only the server knows: with the columns of its definition, where there is one that may be
/// read.
async fn columns_of(session: Session, entry: CatalogEntry) -> &'static Resource {
    let CatalogEntry { resource, kind, title, is_namespaced, .. } = entry;
    let definitions = GroupVersionResource::new("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    // By a list, because the page has what reads one anyway.
    let which = ListOptions { field_selector: format!("metadata.name={resource}"), ..ListOptions::default() };
    let custom = Cell::new(None);
    let read = |definitions: &[Object]| {
        let columns = |definition| CustomColumns::of_definition(definition, &resource.version);
        custom.set(definitions.first().and_then(columns));
    };
    // Who may not read it has a table all the same.
    let _ = session.client().list(&ResourcePath::all(definitions), &which, &read).await;
    match custom.into_inner() {
        Some(columns) => Resource::custom(&resource, &title, &kind, columns),
        None => Resource::plain(&resource, &title, &kind, is_namespaced),
    }
}

/// A kind whose columns are known without the server.
pub(crate) fn built_in_of_page(page: &str) -> Option<&'static Resource> {
    let (name, group) = page.split_once('.').unwrap_or((page, ""));
    built_in(&GroupVersionResource::new(group, "v1", name))
}

/// Learns what the server has: what an earlier visit kept first, then what it says now, and again after each change.
async fn follow(
    session: Session,
    catalog: RwSignal<Option<Catalog>>,
    error: RwSignal<Option<String>>,
    changes: Queue<()>,
) {
    let (runtime, discovery) = (session.runtime(), session.discovery());
    loop {
        match discovery.server_preferred_resources().await {
            Ok(found) => {
                error.set(found.failure());
                let now = Catalog::of(found.each_resource());
                if catalog.with_untracked(|catalog| catalog.as_ref() != Some(&now)) {
                    catalog.set(Some(now));
                }
            }
            Err(failure) => {
                error.set(Some(failure.to_string()));
                runtime.sleep(RETRY).await;
                continue;
            }
        }
        if discovery.is_fresh() {
            if changes.get().await.is_none() {
                return;
            }
            runtime.sleep(SETTLE).await;
            changes.done(&());
        }
        discovery.invalidate();
    }
}
