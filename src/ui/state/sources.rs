use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use event_listener::Event;
use futures::future::select;
use jiff::Timestamp;
use leptos::prelude::*;

use super::first_list::{Preview, has_failed};
use super::informers::TABLE;
use super::{Kind, Link, Session};
use crate::api::{GroupVersionResource, Object};
use crate::cache::{
    Connection, InformerLease, ObserverGuard, Phase, Refused, Registration, ResourceEventHandler, SharedInformer,
};
use crate::view::{Access, Scope, TableModel};
use crate::workqueue::Queue;

/// The informers that a table's rows come from: the one for all namespaces, or where that is refused one for each
/// namespace that may be read.
///
/// The one for all goes on trying, and takes over again as soon as it is allowed.
pub(super) struct Sources {
    session: Session,
    kind: Kind,
    model: Rc<RefCell<TableModel>>,
    queue: Queue<String>,
    handler: Rc<dyn ResourceEventHandler>,
    preview: Preview,
    whole: Source,
    /// None where there is nothing to ask for, as a review says.
    parts: RefCell<BTreeMap<String, Option<Source>>>,
    is_asking: Cell<bool>,
    unasked: Cell<usize>,
    /// What is refused has changed.
    turned: Event,
    pub(super) link: RwSignal<Link>,
    pub(super) scope: RwSignal<Scope>,
}

struct Source {
    informer: InformerLease,
    link: RefCell<Link>,
    is_refused: Cell<bool>,
    _owned: (Option<Registration>, Vec<ObserverGuard>),
}

impl Source {
    fn new(informer: InformerLease, handler: &Rc<dyn ResourceEventHandler>) -> Self {
        // Only a stopped informer refuses, and the factory gives none away.
        let registration = informer.add_event_handler(Rc::clone(handler)).ok();
        Self { informer, link: RefCell::default(), is_refused: Cell::default(), _owned: (registration, Vec::new()) }
    }

    /// Tells whether it is refused now and was not, or the other way round.
    fn follow(&self, connection: &Connection, now: Timestamp) -> bool {
        let mut link = self.link.borrow_mut();
        link.follow(connection, now);
        let is_refused = connection.refused == Some(Refused::List);
        self.is_refused.replace(is_refused) != is_refused
    }
}

/// Changes.
impl Sources {
    /// The informer for all namespaces runs from now on; see [`follow_whole`](Self::follow_whole).
    pub(super) fn new(
        session: Session,
        kind: &Kind,
        model: &Rc<RefCell<TableModel>>,
        queue: &Queue<String>,
        handler: Rc<dyn ResourceEventHandler>,
        preview: Preview,
    ) -> Self {
        Self {
            session,
            kind: kind.clone(),
            model: Rc::clone(model),
            queue: queue.clone(),
            whole: Source::new(session.factory().lease_for(&kind.served, TABLE), &handler),
            handler,
            preview,
            parts: RefCell::default(),
            is_asking: Cell::default(),
            unasked: Cell::default(),
            turned: Event::new(),
            link: RwSignal::default(),
            scope: RwSignal::default(),
        }
    }

    /// The informer for all namespaces stands so with the server.
    pub(super) fn follow_whole(&self, connection: &Connection) {
        if self.whole.follow(connection, self.now()) {
            self.is_asking.set(self.is_refused() && self.kind.resource.is_namespaced());
            self.look_again();
        }
        self.tell();
    }

    /// Whether a namespace may be listed, as far as is known beforehand: if so, it is.
    pub(super) fn put(self: &Rc<Self>, namespace: &str, is_allowed: bool) {
        let is_asked = self.parts.borrow().get(namespace).map(Option::is_some);
        if is_asked != Some(is_allowed) {
            let source = is_allowed.then(|| self.source_in(namespace));
            let before = self.parts.borrow_mut().insert(namespace.into(), source);
            if let Some(Some(before)) = before {
                drop(before);
                self.look_again();
            }
        }
        self.tell();
    }

    /// Asks for no others than these namespaces, of which there are so many more.
    pub(super) fn keep_only(&self, namespaces: &[String], unasked: usize) {
        let (kept, dropped) = std::mem::take(&mut *self.parts.borrow_mut())
            .into_iter()
            .partition::<BTreeMap<_, _>, _>(|(namespace, _)| namespaces.contains(namespace));
        self.parts.replace(kept);
        self.unasked.set(unasked);
        if !dropped.is_empty() {
            drop(dropped);
            self.look_again();
        }
        self.set_asking(namespaces.iter().any(|it| !self.parts.borrow().contains_key(it)));
    }

    pub(super) fn set_asking(&self, is_asking: bool) {
        if self.is_asking.replace(is_asking) != is_asking {
            self.look_again();
        }
        self.tell();
    }

    pub(super) fn retry_now(&self) {
        self.each_informer(SharedInformer::retry_now);
    }

    pub(super) fn list_again(&self) {
        self.each_informer(SharedInformer::list_again);
    }

    fn each_informer(&self, call: impl Fn(&SharedInformer)) {
        call(&self.whole.informer);
        let parts: Vec<SharedInformer> =
            self.parts.borrow().values().flatten().map(|source| (*source.informer).clone()).collect();
        parts.iter().for_each(call);
    }

    fn source_in(self: &Rc<Self>, namespace: &str) -> Source {
        let lease = self.session.factory_in(namespace).lease_for(&self.kind.served, TABLE);
        let mut source = Source::new(lease, &self.handler);
        let (this, name) = (Rc::downgrade(self), namespace.to_owned());
        let followed = source.informer.on_connection(Rc::new(move |connection: &Connection| {
            if let Some(this) = this.upgrade() {
                this.follow_part(&name, connection);
            }
        }));
        source._owned.1 = vec![followed, self.preview.of(&source.informer, &self.model)];
        source.follow(&source.informer.connection(), self.now());
        source
    }

    /// Takes rows away that were shown of a list, and that it does not hold now that it is whole, or has failed.
    fn settle_part(&self, namespace: &str, connection: &Connection) {
        let mut model = self.model.borrow_mut();
        if !model.has_preview() {
            return;
        }
        let is_elsewhere = |key: &str| key.split_once('/').is_none_or(|(it, _)| it != namespace);
        let is_changed = match self.parts.borrow().get(namespace).and_then(Option::as_ref) {
            Some(source) if connection.synced && model.has_repeated() => {
                let indexer = source.informer.indexer();
                model.keep_of_preview(|key| is_elsewhere(key) || indexer.get_by_key(key).is_some())
            }
            _ if connection.synced => false,
            _ => has_failed(connection) && model.keep_of_preview(is_elsewhere),
        };
        self.preview.settled(is_changed);
    }

    fn follow_part(&self, namespace: &str, connection: &Connection) {
        if matches!(connection.phase, Phase::Listing { received: 1.., .. }) {
            let total = self.model.borrow().total();
            if !self.preview.pace.is_due(total) {
                return;
            }
        } else {
            self.settle_part(namespace, connection);
        }
        let has_turned = match self.parts.borrow().get(namespace) {
            Some(Some(source)) => source.follow(connection, self.now()),
            _ => return,
        };
        if has_turned {
            self.look_again();
        }
        self.tell();
    }

    /// Each key there is may have come from another informer, or from none any more.
    fn look_again(&self) {
        let has_preview = self.model.borrow().has_preview();
        let mut keys: Vec<_> = self.model.borrow().keys().collect();
        // What is shown of a list that still comes is in no store yet.
        keys.retain(|key| !has_preview || !self.is_listing(key));
        self.each_open(|source| keys.append(&mut source.informer.indexer().list_keys()));
        keys.into_iter().for_each(|key| self.queue.add(key));
        self.turned.notify(usize::MAX);
    }

    fn tell(&self) {
        let (link, scope) = (self.link_now(), self.scope_now());
        // The table itself is gone when there is nothing to tell.
        if self.scope.try_with_untracked(|old| *old != scope) == Some(true) {
            self.scope.set(scope);
        }
        if self.link.try_with_untracked(|old| *old != link) == Some(true) {
            self.link.set(link);
        }
    }
}

/// Reads.
impl Sources {
    pub(super) fn resource(&self) -> GroupVersionResource {
        self.kind.served.clone()
    }

    pub(super) fn whole(&self) -> &SharedInformer {
        &self.whole.informer
    }

    pub(super) fn get(&self, key: &str) -> Option<Object> {
        let held = || self.whole.informer.indexer().get_by_key(key);
        if !self.is_refused() {
            return held();
        }
        let (namespace, _) = key.split_once('/')?;
        let parts = self.parts.borrow();
        match parts.get(namespace).and_then(Option::as_ref).filter(|source| !source.is_refused.get()) {
            Some(source) if source.informer.has_synced() => source.informer.indexer().get_by_key(key),
            Some(_) => held(),
            None => held().filter(|_| self.keeps_old()),
        }
    }

    /// Where the objects that are shown may be listed: in all namespaces, or in each of these.
    pub(super) fn places(&self) -> Vec<Option<String>> {
        if !self.is_refused() {
            return vec![None];
        }
        let is_open = |source: &Option<Source>| source.as_ref().is_some_and(|source| !source.is_refused.get());
        self.parts.borrow().iter().filter(|(_, source)| is_open(source)).map(|(name, _)| Some(name.clone())).collect()
    }

    /// A right that was taken away takes no row away while nothing better is known: they count as stale.
    fn keeps_old(&self) -> bool {
        let is_open = |source: &Source| !source.is_refused.get();
        self.is_asking.get() || !self.parts.borrow().values().flatten().any(is_open)
    }

    /// How many objects the informers hold.
    pub(super) fn len(&self) -> usize {
        let mut len = 0;
        self.each_open(|source| len += source.informer.indexer().len());
        len
    }

    /// When the server was last heard of, by the informer that has heard of it least.
    pub(super) fn last_contact(&self) -> Option<Timestamp> {
        let mut last = None;
        let mut is_first = true;
        self.each_open(|source| {
            let contact = source.informer.connection().last_contact;
            last = if is_first { contact } else { last.min(contact) };
            is_first = false;
        });
        last
    }

    /// Rows come one by one from now on, and not by a first list.
    pub(super) fn has_synced(&self) -> bool {
        self.is_refused() || self.whole.informer.has_synced()
    }

    /// Waits for [`has_synced`](Self::has_synced).
    pub(super) async fn synced(&self) {
        while !self.has_synced() {
            let turned = self.turned.listen();
            let synced = std::pin::pin!(self.whole.informer.synced());
            select(synced, turned).await;
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.whole.is_refused.get()
    }

    /// Whether the list of the namespace of a key is on its way.
    fn is_listing(&self, key: &str) -> bool {
        let namespace = key.split_once('/').map_or("", |(namespace, _)| namespace);
        let parts = self.parts.borrow();
        let part = parts.get(namespace).and_then(Option::as_ref);
        part.is_some_and(|source| !source.is_refused.get() && !source.informer.has_synced())
    }

    /// Calls with those whose objects are shown.
    fn each_open(&self, mut call: impl FnMut(&Source)) {
        if !self.is_refused() {
            return call(&self.whole);
        }
        let parts = self.parts.borrow();
        parts.values().flatten().filter(|source| !source.is_refused.get()).for_each(call);
    }

    fn link_now(&self) -> Link {
        let whole = self.whole.link.borrow().clone();
        if !self.is_refused() {
            return whole;
        }
        let mut links = Vec::new();
        self.each_open(|source| links.push(source.link.borrow().clone()));
        if let Some(link) = Link::of_several(&links) {
            return link;
        }
        let is_asking = self.is_asking.get();
        if !is_asking {
            return whole;
        }
        let connection = Connection { phase: Phase::Listing { received: 0, expected: None }, ..Connection::default() };
        Link { connection, failing_since: None, ..whole }
    }

    fn scope_now(&self) -> Scope {
        let whole = self.whole.link.borrow();
        let access = |source: &Option<Source>| match source {
            Some(source) => source.link.borrow().access(),
            None => Access::Refused,
        };
        let parts = self.parts.borrow();
        let words = || whole.error.as_ref().map(ToString::to_string).unwrap_or_default();
        Scope {
            refusal: (self.is_refused() && self.kind.resource.is_namespaced()).then(words),
            parts: parts.iter().map(|(name, source)| (name.clone(), access(source))).collect(),
            is_asking: self.is_asking.get(),
            unasked: self.unasked.get(),
            is_unwatched: whole.connection.refused == Some(Refused::Watch),
        }
    }

    fn now(&self) -> Timestamp {
        self.session.runtime().clock.wall()
    }
}
