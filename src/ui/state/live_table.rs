use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use jiff::Timestamp;
use leptos::prelude::*;

use super::pace::Pace;
use super::redraw::Redraw;
use super::scoping::follow_scope;
use super::sources::Sources;
use super::worker::Worker;
use super::{Kind, Link, Namespaces, Rights, Session};
use crate::api::{GroupVersionResource, Object};
use crate::cache::{
    Connection, DeletedObject, ObserverGuard, Phase, ResourceEventHandler, SharedInformer, meta_namespace_key,
};
use crate::runtime::{Runtime, Task, Turn};
use crate::view::{Beside, Filter, Resource, Row, Scope, Sort, TableModel, VisibleRow};
use crate::workqueue::Queue;

/// The rows of one kind, kept up to date by its informers. A handle.
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
    /// Before the sources, which they know.
    _owned: ([ObserverGuard; 2], Task),
    sources: Rc<Sources>,
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
        let (runtime, resource) = (session.runtime(), kind.resource);
        let revision = RwSignal::new(0);
        let (model, queue) = (Rc::new(RefCell::new(TableModel::new(resource))), Queue::new());
        let handler = Rc::new(KeyHandler { queue: queue.clone(), model: Rc::clone(&model) });
        let sources = Rc::new(Sources::new(session, kind, &model, &queue, handler));
        let (link, scope) = (sources.link, sources.scope);
        let redraw = Redraw::new(revision);
        let pace = Rc::new(Pace::new(&runtime));
        let guards = [follow_connection(&sources, &model, &pace, &redraw), preview(&sources, &model, &pace, &redraw)];
        let changes = Rc::new(Cell::default());
        let (followed, followed_key) = (RwSignal::new(0), Rc::new(RefCell::new(String::new())));
        let worker = Worker {
            runtime: runtime.clone(),
            sources: Rc::clone(&sources),
            model: Rc::clone(&model),
            queue: queue.clone(),
            redraw,
            has_changed: Cell::default(),
            changes: Rc::clone(&changes),
            followed_key: Rc::clone(&followed_key),
            followed,
        };
        let task = runtime.spawn(async move { worker.run().await });
        let kind = kind.clone();
        let inner = Inner { kind, rights, model, followed_key, changes, queue, _owned: (guards, task), sources };
        let told = RwSignal::new(None);
        Self { resource, inner: StoredValue::new_local(inner), revision, followed, link, scope, told }
    }

    /// Asks for single namespaces from now on where all are refused. It lives as long as the caller's owner.
    pub(super) fn follow_scope(&self, session: Session, namespaces: Namespaces) {
        if self.resource.is_namespaced() {
            self.inner.with_value(|inner| follow_scope(session, &inner.sources, inner.rights, namespaces));
        }
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
        self.inner.with_value(|inner| inner.sources.places())
    }

    /// The first list is in the rows.
    pub(crate) async fn synced(&self) {
        let sources = self.inner.with_value(|inner| Rc::clone(&inner.sources));
        sources.synced().await;
    }

    /// Another number after each change of an object, and when somebody has asked for a new list.
    pub(crate) fn changes(&self) -> u32 {
        self.inner.with_value(|inner| inner.changes.get())
    }

    /// Shows what is told beside the objects. What changed by it lights if `is_lit` says so, but not the first time.
    pub(crate) async fn tell(&self, runtime: &Runtime, beside: Beside, is_lit: bool) {
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
        self.inner.with_value(|inner| inner.sources.last_contact())
    }

    /// The informer holds objects that are not in the rows yet.
    pub(crate) fn is_behind(&self) -> bool {
        self.revision.track();
        self.inner.with_value(|inner| inner.sources.len() > inner.model.borrow().total())
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

    /// That of all namespaces.
    pub(crate) fn informer(&self) -> SharedInformer {
        self.inner.with_value(|inner| inner.sources.whole().clone())
    }

    /// How many changes wait to be shown.
    pub(crate) fn waiting(&self) -> usize {
        self.inner.with_value(|inner| inner.queue.len())
    }

    /// How often its page was drawn anew.
    pub(crate) fn redraws(&self) -> u64 {
        self.revision.get_untracked()
    }

    /// Ends the wait before the next try.
    pub(crate) fn retry_now(&self) {
        self.inner.with_value(|inner| inner.sources.retry_now());
    }

    /// Lists anew, and asks anew what the user may list. The rows stay meanwhile.
    pub(crate) fn list_again(&self) {
        self.inner.with_value(|inner| {
            inner.rights.forget();
            inner.changes.set(inner.changes.get().wrapping_add(1));
            inner.sources.list_again();
        });
    }

    fn change(&self, change: impl FnOnce(&mut TableModel)) {
        self.inner.with_value(|inner| change(&mut inner.model.borrow_mut()));
        self.revision.update(|revision| *revision += 1);
    }
}

/// Tells the sources how the informer for all stands, not more often than somebody could read it.
fn follow_connection(
    sources: &Rc<Sources>,
    model: &Rc<RefCell<TableModel>>,
    pace: &Rc<Pace>,
    redraw: &Redraw,
) -> ObserverGuard {
    sources.follow_whole(&sources.whole().connection());
    let (sources, model, pace, redraw) = (Rc::clone(sources), Rc::clone(model), Rc::clone(pace), redraw.clone());
    let informer = sources.whole().clone();
    informer.on_connection(Rc::new(move |connection: &Connection| {
        if matches!(connection.phase, Phase::Listing { received: 1.., .. }) {
            if pace.is_due(model.borrow().total()) {
                sources.follow_whole(connection);
            }
            return;
        }
        if settle_preview(&model, sources.whole(), connection) || pace.has_unseen() {
            redraw.now();
        }
        sources.follow_whole(connection);
    }))
}

/// Shows what has come of the first list.
fn preview(sources: &Rc<Sources>, model: &Rc<RefCell<TableModel>>, pace: &Rc<Pace>, redraw: &Redraw) -> ObserverGuard {
    let (model, pace, redraw) = (Rc::clone(model), Rc::clone(pace), redraw.clone());
    sources.whole().on_first_list(Rc::new(move |objects: &[Object]| {
        for object in objects {
            model.borrow_mut().preview(object);
        }
        if pace.shows() {
            redraw.in_next_frame();
        }
    }))
}

/// Takes previewed rows away that the whole list does not hold, or all when it failed; tells whether there were any.
fn settle_preview(model: &RefCell<TableModel>, informer: &SharedInformer, connection: &Connection) -> bool {
    let mut model = model.borrow_mut();
    if !model.has_preview() {
        return false;
    }
    if connection.synced {
        let indexer = informer.indexer();
        return model.has_more_than(indexer.len()) && model.keep_of_preview(|key| indexer.get_by_key(key).is_some());
    }
    matches!(connection.phase, Phase::Reconnecting { .. } | Phase::Stopped) && model.keep_of_preview(|_| false)
}
