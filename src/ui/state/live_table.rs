use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use jiff::Timestamp;
use leptos::prelude::*;

use super::first_list::{Preview, follow_connection};
use super::origin::{Listener, Listeners, Origin};
use super::pace::Pace;
use super::redraw::Redraw;
use super::scoping::follow_scope;
use super::sources::Sources;
use super::worker::Worker;
use super::{Kind, Link, Namespaces, Rights, Session};
use crate::api::{GroupVersionResource, Object};
use crate::cache::{DeletedObject, ObserverGuard, ResourceEventHandler, meta_namespace_key};
use crate::runtime::{Runtime, Task, Turn};
use crate::view::{Beside, Filter, Resource, Row, Scope, Sort, TableModel, VisibleRow};
use crate::workqueue::{MetricsProvider, Queue};

/// The rows of one kind, kept up to date by its informers; or those of several, by the tables of each. A handle.
///
/// Level-triggered: the handler only notes the key, and the worker shows what the Indexer holds by then.
#[derive(Clone, Copy)]
pub(crate) struct LiveTable {
    pub(crate) resource: &'static Resource,
    inner: StoredValue<Inner, LocalStorage>,
    revision: RwSignal<u64>,
    /// Counts the changes of the object that is followed.
    followed: RwSignal<u64>,
    link: RwSignal<Link>,
    scope: RwSignal<Scope>,
    /// Set whenever something was told beside the objects.
    told: RwSignal<Option<String>>,
}

impl PartialEq for LiveTable {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

struct Inner {
    kind: Kind,
    rights: Rights,
    model: Rc<RefCell<TableModel>>,
    /// The key of the object that somebody follows; else empty.
    followed_key: Rc<RefCell<String>>,
    changes: Rc<Cell<u32>>,
    queue: Queue<String>,
    listeners: Rc<Listeners>,
    /// Before the origin, which they know.
    _owned: (Vec<ObserverGuard>, Vec<Rc<Listener>>, Task),
    origin: Origin,
}

/// What a table is made of.
struct Parts {
    model: Rc<RefCell<TableModel>>,
    queue: Queue<String>,
    origin: Origin,
    listeners: Rc<Listeners>,
    guards: Vec<ObserverGuard>,
    /// What follows the tables that it is made of.
    followed: Vec<Rc<Listener>>,
}

struct KeyHandler {
    queue: Queue<String>,
    model: Rc<RefCell<TableModel>>,
}

impl ResourceEventHandler for KeyHandler {
    fn on_add(&self, object: &Object, _is_in_initial_list: bool) {
        // What was shown while the list came stands already.
        if !self.model.borrow_mut().confirm_preview(object) {
            self.queue.add(meta_namespace_key(object));
        }
    }

    fn on_update(&self, old: &Object, new: &Object) {
        // A list after a gap repeats what is known.
        if old.resource_version() == new.resource_version() {
            self.model.borrow_mut().replace(new);
        } else {
            self.queue.add(meta_namespace_key(new));
        }
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        self.queue.add(deleted.key());
    }
}

impl LiveTable {
    /// The table of a kind, whose informer runs from now on. It lives as long as the caller's owner.
    pub(super) fn new(session: Session, kind: &Kind, rights: Rights) -> Self {
        let (model, queue) = (Rc::new(RefCell::new(TableModel::new(kind.resource))), Queue::new());
        let handler = Rc::new(KeyHandler { queue: queue.clone(), model: Rc::clone(&model) });
        let (redraw, listeners) = (Redraw::new(RwSignal::new(0)), Rc::new(Listeners::default()));
        let pace = Rc::new(Pace::new(&session.runtime()));
        let preview = Preview { pace, redraw: redraw.clone(), listeners: Rc::clone(&listeners) };
        let sources = Rc::new(Sources::new(session, kind, &model, &queue, handler, preview.clone()));
        let signals = (sources.link, sources.scope);
        let origin = Origin::Informers(Rc::clone(&sources));
        let guards = vec![preview.of(sources.whole(), &model), follow_connection(&sources, &model, preview)];
        let parts = Parts { model, queue, origin, listeners, guards, followed: Vec::new() };
        Self::start(session, (kind.clone(), rights), signals, redraw, parts)
    }

    /// The table of several kinds, whose objects come from their tables. It lives as long as the caller's owner, where
    /// signals are followed.
    pub(super) fn across(session: Session, kind: &Kind, rights: Rights, tables: Rc<[Self]>) -> Self {
        let resource = kind.resource;
        let (model, queue) = (Rc::new(RefCell::new(TableModel::new(resource))), Queue::new());
        let followed = resource.members().iter().zip(tables.iter()).map(|(member, table)| {
            let listener = Listener { queue: queue.clone(), model: Rc::clone(&model), page: member.page };
            table.tell(Rc::new(listener))
        });
        let followed = followed.collect();
        let link = RwSignal::new(Link::default());
        let origin = Origin::Tables(resource, Rc::clone(&tables));
        Effect::new(move |_| {
            let links: Vec<_> = tables.iter().map(|table| table.link.get()).collect();
            link.set(Link::of_those_allowed(links));
        });
        let parts = Parts { model, queue, origin, listeners: Rc::default(), guards: Vec::new(), followed };
        let signals = (link, RwSignal::new(Scope::default()));
        Self::start(session, (kind.clone(), rights), signals, Redraw::new(RwSignal::new(0)), parts)
    }

    fn start(
        session: Session,
        (kind, rights): (Kind, Rights),
        (link, scope): (RwSignal<Link>, RwSignal<Scope>),
        redraw: Redraw,
        parts: Parts,
    ) -> Self {
        let (runtime, revision, resource) = (session.runtime(), redraw.revision(), kind.resource);
        let Parts { model, queue, origin, listeners, guards, followed: tables } = parts;
        let changes = Rc::new(Cell::default());
        let (followed, followed_key) = (RwSignal::new(0), Rc::new(RefCell::new(String::new())));
        let worker = Worker {
            runtime: runtime.clone(),
            origin: origin.clone(),
            model: Rc::clone(&model),
            queue: queue.clone(),
            redraw,
            has_changed: Cell::default(),
            changes: Rc::clone(&changes),
            followed_key: Rc::clone(&followed_key),
            followed,
            listeners: Rc::clone(&listeners),
        };
        let task = runtime.spawn(async move { worker.run().await });
        let _owned = (guards, tables, task);
        let inner = Inner { kind, rights, model, followed_key, changes, queue, listeners, _owned, origin };
        let told = RwSignal::new(None);
        Self { resource, inner: StoredValue::new_local(inner), revision, followed, link, scope, told }
    }

    /// Asks for single namespaces from now on where all are refused. It lives as long as the caller's owner.
    pub(super) fn follow_scope(&self, session: Session, namespaces: Namespaces) {
        self.inner.with_value(|inner| match &inner.origin {
            Origin::Informers(sources) if self.resource.is_namespaced() => {
                follow_scope(session, sources, inner.rights, namespaces);
            }
            _ => {}
        });
    }

    /// Tells of all objects now, and of each that changes for as long as the listener lives.
    fn tell(&self, listener: Rc<Listener>) -> Rc<Listener> {
        self.inner.with_value(|inner| {
            inner.listeners.add(&listener);
            listener.look_again(inner.model.borrow().keys().collect());
        });
        listener
    }

    /// The tables of the kinds of a table of several; itself where it is of one.
    pub(crate) fn parts(&self) -> Vec<Self> {
        self.inner.with_value(|inner| match &inner.origin {
            Origin::Informers(_) => vec![*self],
            Origin::Tables(_, tables) => tables.to_vec(),
        })
    }

    /// The table of the kind that a row is of, and the object's key there; none where the key names no kind of it.
    pub(crate) fn home(&self, key: &str) -> Option<(Self, String)> {
        let (member, key) = self.resource.member_of_key(key)?;
        self.inner.with_value(|inner| match &inner.origin {
            Origin::Informers(_) => Some((*self, key.to_owned())),
            Origin::Tables(_, tables) => Some((*tables.get(member)?, key.to_owned())),
        })
    }

    /// The newest state of an object that stands in the rows, not followed.
    pub(super) fn object(&self, key: &str) -> Option<Object> {
        self.inner.try_with_value(|inner| inner.model.borrow().object(key)).flatten()
    }

    /// The newest state of an object, whether it stands in the rows by now or not; not followed.
    pub(crate) fn newest(&self, key: &str) -> Option<Object> {
        self.inner.try_with_value(|inner| inner.origin.get(key)).flatten()
    }

    /// How many objects stand in the rows, not followed.
    pub(super) fn held(&self) -> usize {
        self.inner.try_with_value(|inner| inner.model.borrow().total()).unwrap_or_default()
    }

    /// Reads the rows, and again after each change when called where signals are followed.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&TableModel) -> R) -> R {
        self.revision.track();
        self.inner.with_value(|inner| read(&inner.model.borrow()))
    }

    /// The rows of a range of places, where somebody looks from now on, and again after each change in them.
    pub(crate) fn look_at(&self, range: Range<usize>) -> Vec<VisibleRow> {
        self.revision.track();
        self.inner.with_value(|inner| inner.model.borrow_mut().look_at(range))
    }

    /// The newest state of one object, whether it is among the rows that are shown or not, and again after each change
    /// when called where signals are followed. One object is followed at a time.
    pub(crate) fn follow(&self, key: &str) -> Option<Object> {
        self.revision.track();
        self.followed.track();
        self.inner.with_value(|inner| {
            key.clone_into(&mut inner.followed_key.borrow_mut());
            inner.model.borrow().object(key)
        })
    }

    /// Nobody follows an object any more.
    pub(crate) fn unfollow(&self) {
        self.inner.try_with_value(|inner| inner.followed_key.borrow_mut().clear());
    }

    pub(crate) fn link(&self) -> Signal<Link> {
        self.link.into()
    }

    /// What of the kind the user may list and watch, as far as is known.
    pub(crate) fn scope(&self) -> Signal<Scope> {
        self.scope.into()
    }

    /// Where the objects may be listed: in all namespaces, or in each of these.
    pub(crate) fn places(&self) -> Vec<Option<String>> {
        self.inner.with_value(|inner| inner.origin.places())
    }

    /// The first list is in the rows.
    pub(crate) async fn synced(&self) {
        let origin = self.inner.with_value(|inner| inner.origin.clone());
        origin.synced().await;
    }

    /// Another number after each change of an object, and when somebody has asked for a new list.
    pub(crate) fn changes(&self) -> u32 {
        self.inner.with_value(|inner| inner.changes.get())
    }

    /// Shows what is told beside the objects. What changed by it lights if `is_lit` says so, but not the first time.
    pub(crate) async fn tell_beside(&self, runtime: &Runtime, beside: Beside, is_lit: bool) {
        let model = self.inner.with_value(|inner| Rc::clone(&inner.model));
        let is_lit = model.borrow_mut().set_beside(beside) && is_lit;
        let mut turn = Turn::start(runtime);
        let mut next = Some(0);
        while let Some(first) = next {
            next = model.borrow_mut().show_beside(first, runtime.clock.wall(), is_lit, || turn.is_over());
            turn.pause_when_over().await;
        }
        self.revision.try_update(|revision| *revision += 1);
    }

    /// Says why not all is told beside the objects that could be, or that it is.
    pub(crate) fn set_told(&self, note: Option<String>) {
        self.told.try_set(note);
    }

    /// Why not all is told beside the objects that could be.
    pub(crate) fn told(&self) -> Signal<Option<String>> {
        self.told.into()
    }

    /// An object's row, and again after something was told beside the objects when called where signals are followed.
    pub(crate) fn row_of(&self, object: &Object) -> Row {
        self.told.track();
        self.inner.with_value(|inner| inner.model.borrow().row_of(object))
    }

    /// The resource in the version that is listed.
    pub(crate) fn served(&self) -> GroupVersionResource {
        self.inner.with_value(|inner| inner.kind.served.clone())
    }

    /// When the server was last heard of. Nobody is told of that: look when the clock ticks.
    pub(crate) fn last_contact(&self) -> Option<Timestamp> {
        self.inner.with_value(|inner| inner.origin.last_contact())
    }

    /// The informer holds objects that are not in the rows yet.
    pub(crate) fn is_behind(&self) -> bool {
        self.revision.track();
        self.inner.with_value(|inner| inner.origin.len() > inner.model.borrow().total())
    }

    pub(crate) fn set_filter(&self, filter: Filter, now: Timestamp) {
        self.change(|model| {
            model.filter_again(now);
            model.set_filter(filter);
        });
    }

    /// Time goes on: shows what a query for ages lets through now.
    pub(crate) fn filter_again(&self, now: Timestamp) {
        let has_changed = self.inner.with_value(|inner| inner.model.borrow_mut().filter_again(now));
        if has_changed {
            self.revision.update(|revision| *revision += 1);
        }
    }

    pub(crate) fn set_sort(&self, sort: Sort) {
        self.change(|model| model.set_sort(sort));
    }

    /// Whether it is of this page.
    pub(crate) fn is_of(&self, page: &str) -> bool {
        self.served().to_string() == page
    }

    /// Lets its informer go on if somebody has paused it.
    pub(super) fn resume(&self) {
        self.inner.with_value(|inner| {
            if let Origin::Informers(sources) = &inner.origin {
                sources.whole().resume();
            }
        });
    }

    /// How many changes wait to be shown.
    pub(crate) fn waiting(&self) -> usize {
        self.inner.with_value(|inner| inner.queue.len())
    }

    /// Has its queue measured, or no more.
    pub(super) fn observe(&self, runtime: &Runtime, provider: Option<&Rc<dyn MetricsProvider>>) {
        // It is gone when there is nothing to measure.
        self.inner.try_with_value(|inner| inner.queue.observe(runtime, &inner.kind.served.to_string(), provider));
    }

    /// How often its page was drawn anew.
    pub(crate) fn redraws(&self) -> u64 {
        self.revision.get_untracked()
    }

    /// Ends the wait before the next try.
    pub(crate) fn retry_now(&self) {
        self.inner.with_value(|inner| inner.origin.retry_now());
    }

    /// Lists anew, and asks anew what the user may list. The rows stay meanwhile.
    pub(crate) fn list_again(&self) {
        self.inner.with_value(|inner| {
            inner.rights.forget();
            inner.changes.set(inner.changes.get().wrapping_add(1));
            inner.origin.list_again();
        });
    }

    fn change(&self, change: impl FnOnce(&mut TableModel)) {
        self.inner.with_value(|inner| change(&mut inner.model.borrow_mut()));
        self.revision.update(|revision| *revision += 1);
    }
}
