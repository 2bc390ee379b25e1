use std::rc::Rc;
use std::time::Duration;

use futures::future::select;
use leptos::prelude::*;

use super::Session;
use super::definitions::{Definition, columns_of};
use crate::api::{GroupVersionResource, Object};
use crate::cache::{InformerLease, Registration, ResourceEventHandlerFuncs};
use crate::rest::discovery::Invalidation;
use crate::runtime::Task;
use crate::view::columns::{Resource, built_in};
use crate::view::{Catalog, CatalogEntry};

/// Between two tries to learn what a server has.
const RETRY: Duration = Duration::from_secs(10);

/// Between two questions for the parts of an answer that were missing.
const RETRY_PARTS: Duration = Duration::from_secs(60);

/// A kind as the server has it: its columns, and the version to ask for.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// The columns are of all versions that have the fields.
    pub(crate) resource: &'static Resource,
    pub(crate) served: GroupVersionResource,
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.resource, other.resource) && self.served == other.served
    }
}

/// In the version that the columns are written for.
impl From<&'static Resource> for Kind {
    fn from(resource: &'static Resource) -> Self {
        Self { resource, served: resource.group_version_resource() }
    }
}

impl Kind {
    /// Another one for another table.
    pub(crate) fn key(&self) -> (usize, GroupVersionResource) {
        (std::ptr::from_ref(self.resource).addr(), self.served.clone())
    }
}

/// What the server has, kept up to date while definitions come and go. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Kinds {
    catalog: RwSignal<Option<Catalog>>,
    error: RwSignal<Option<String>>,
    /// Counts the kinds whose columns came, and those asked for.
    answers: RwSignal<u32>,
    inner: StoredValue<Inner, LocalStorage>,
}

#[derive(Default)]
struct Inner {
    /// Those that only the server knows and that were asked for.
    served: Vec<Served>,
    owned: Option<(Task, InformerLease, Option<Registration>)>,
}

struct Served {
    entry: CatalogEntry,
    /// The last that came.
    resource: Option<&'static Resource>,
    definition: Definition,
    /// None when nothing is asked.
    asking: Option<Task>,
    /// The definition changed while it was asked for.
    is_old: bool,
}

impl Kinds {
    /// Nothing is asked before [`start`](Self::start).
    pub(crate) fn new() -> Self {
        let inner = StoredValue::new_local(Inner::default());
        Self { catalog: RwSignal::new(None), error: RwSignal::new(None), answers: RwSignal::new(0), inner }
    }

    /// Asks the server, and follows what it has from now on.
    pub(crate) fn start(&self, session: Session) {
        let invalidation = session.discovery().invalidate_on(&session.names());
        let task = session.runtime().spawn(follow(session, self.catalog, self.error, invalidation));
        // The invalidation follows them too, so that this is no further informer.
        let definitions = session.names().lease_for(&definitions(), "kinds");
        let (this, again) = (*self, *self);
        let handler = ResourceEventHandlerFuncs::new()
            .on_add(move |definition, _| this.definition_changed(session, definition))
            .on_update(move |_, definition| again.definition_changed(session, definition));
        // A lease's informer runs, so that it takes handlers.
        let registration = definitions.add_event_handler(Rc::new(handler)).ok();
        self.inner.update_value(|inner| inner.owned = Some((task, definitions, registration)));
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
    pub(crate) fn of_page(&self, session: Session, page: &str) -> Option<Kind> {
        self.answers.track();
        let entry = self.catalog.with(|catalog| catalog.as_ref().and_then(|it| it.of_page(page)).cloned());
        let Some(entry) = entry else { return built_in_of_page(page).map(Kind::from) };
        let served = entry.resource.clone();
        let resource = built_in(&served).or_else(|| self.columns(session, entry))?;
        Some(Kind { resource, served })
    }

    /// What there is of a page is being asked for.
    pub(crate) fn is_asking(&self, page: Signal<String>) -> Signal<bool> {
        let this = *self;
        Signal::derive(move || {
            this.answers.track();
            let is_of_page = |served: &Served| page.with(|page| served.entry.page() == *page);
            let has_none = |served: &Served| is_of_page(served) && served.resource.is_none();
            this.catalog.with(Option::is_none) || this.inner.with_value(|inner| inner.served.iter().any(has_none))
        })
    }

    /// The columns of a kind that only the server knows; they are asked for once.
    fn columns(&self, session: Session, entry: CatalogEntry) -> Option<&'static Resource> {
        let find = |inner: &Inner| inner.served.iter().find(|it| it.entry == entry).map(|it| it.resource);
        if let Some(known) = self.inner.with_value(find) {
            return known;
        }
        let served = Served {
            entry: entry.clone(),
            resource: None,
            definition: Definition::default(),
            asking: None,
            is_old: false,
        };
        self.inner.update_value(|inner| {
            inner.served.retain(|it| it.entry.resource != entry.resource);
            inner.served.push(served);
        });
        self.ask(session, entry);
        None
    }

    /// The server has told which columns a kind has that only it knows.
    pub(crate) fn learn(&self, served: &GroupVersionResource, resource: &'static Resource) {
        let learnt = self.inner.try_update_value(|inner| {
            let kind = inner.served.iter_mut().find(|it| it.entry.resource == *served && it.asking.is_none());
            kind.map(|kind| kind.resource = Some(resource)).is_some()
        });
        if learnt == Some(true) {
            self.answers.update(|answers| *answers += 1);
        }
    }

    fn ask(&self, session: Session, entry: CatalogEntry) {
        let (this, asked) = (*self, entry.clone());
        let asking = session.runtime().spawn(async move {
            let (resource, definition) = columns_of(session, &asked).await;
            let answered = this.change(&asked, |served| {
                let is_old = std::mem::take(&mut served.is_old);
                (served.resource, served.definition, served.asking) = (Some(resource), definition, None);
                is_old
            });
            let Some(is_old) = answered else { return };
            this.answers.update(|answers| *answers += 1);
            if is_old {
                this.ask(session, asked);
            }
        });
        self.change(&entry, |served| served.asking = Some(asking));
    }

    /// The columns of the kind may be others now.
    fn definition_changed(&self, session: Session, definition: &Object) {
        let now = Definition::of(definition);
        let changed = self.inner.try_update_value(|inner| {
            let is_of_it = |served: &&mut Served| definition.name() == served.entry.resource.to_string();
            let served = inner.served.iter_mut().find(is_of_it)?;
            if served.asking.is_some() {
                served.is_old = true;
                return None;
            }
            (served.definition != now).then(|| served.entry.clone())
        });
        if let Some(entry) = changed.flatten() {
            self.ask(session, entry);
        }
    }

    /// None when the page is gone, or the kind is another one by now.
    fn change<R>(&self, entry: &CatalogEntry, change: impl FnOnce(&mut Served) -> R) -> Option<R> {
        let change = |inner: &mut Inner| inner.served.iter_mut().find(|served| served.entry == *entry).map(change);
        self.inner.try_update_value(change).flatten()
    }
}

pub(super) fn definitions() -> GroupVersionResource {
    GroupVersionResource::new("apiextensions.k8s.io", "v1", "customresourcedefinitions")
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
    invalidation: Invalidation,
) {
    let (runtime, discovery) = (session.runtime(), session.discovery());
    let mut is_confirmed = false;
    loop {
        let changed = invalidation.changed();
        let retry = match discovery.server_preferred_resources().await {
            Ok(found) => {
                let failure = found.failure();
                let retry = failure.is_some().then_some(RETRY_PARTS);
                error.set(failure);
                let now = Catalog::of(found.each_resource());
                if catalog.with_untracked(|catalog| catalog.as_ref() != Some(&now)) {
                    catalog.set(Some(now));
                }
                if !std::mem::replace(&mut is_confirmed, true) && !discovery.is_fresh() {
                    discovery.invalidate();
                    continue;
                }
                retry
            }
            Err(failure) => {
                error.set(Some(failure.to_string()));
                Some(RETRY)
            }
        };
        match retry {
            Some(wait) => drop(select(changed, runtime.sleep(wait)).await),
            None => changed.await,
        }
    }
}
