use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};
use jiff::Timestamp;
use leptos::prelude::*;

use super::Session;
use super::pace::Pace;
use super::redraw::{Redraw, next_frame};
use crate::api::{Error, Object};
use crate::cache::{
    Connection, DeletedObject, InformerLease, ObserverGuard, Pause, Phase, Registration, ResourceEventHandler,
    SharedInformer, meta_namespace_key,
};
use crate::runtime::{Runtime, Task, Turn};
use crate::view::{Contact, Filter, Resource, Sort, TableModel, VisibleRow};
use crate::workqueue::Queue;

/// The rows of one kind, kept up to date by its informer. A handle.
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
}

struct Inner {
    model: Rc<RefCell<TableModel>>,
    /// The key of the object that somebody follows; else empty.
    followed_key: Rc<RefCell<String>>,
    informer: InformerLease,
    _owned: (Option<Registration>, [ObserverGuard; 2], Task),
}

/// How an informer stands with its server, and since when it fails.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Link {
    pub(crate) connection: Connection,
    pub(crate) failing_since: Option<Timestamp>,
    /// The last failure, also while the next try is under way; none once it worked.
    pub(crate) error: Option<Error>,
    pub(crate) attempts: u32,
}

impl Link {
    pub(crate) fn contact(&self) -> Contact {
        let Connection { synced, last_contact, .. } = self.connection;
        Contact { synced, failing_since: self.failing_since, last: last_contact }
    }

    /// The device has no network, and nothing is tried before it has.
    pub(crate) fn is_offline(&self) -> bool {
        self.connection.phase == Phase::Paused { pause: Pause::Offline }
    }

    pub(super) fn follow(&mut self, connection: &Connection, now: Timestamp) {
        match &connection.phase {
            Phase::Reconnecting { error, attempts, .. } => {
                self.failing_since.get_or_insert(now);
                self.error = Some(error.clone());
                self.attempts = *attempts;
            }
            Phase::Connected { .. } => *self = Self::default(),
            Phase::Idle | Phase::Listing { .. } | Phase::Paused { .. } | Phase::Stopped => {}
        }
        self.connection = connection.clone();
    }
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
    /// The table of a resource, whose informer runs from now on.
    pub(crate) fn new(session: Session, resource: &'static Resource) -> Self {
        let runtime = session.runtime();
        let lease = session.factory().lease(&resource.group_version_resource());
        let informer: SharedInformer = (*lease).clone();
        let (revision, link) = (RwSignal::new(0), RwSignal::new(Link::default()));
        let (model, queue) = (Rc::new(RefCell::new(TableModel::new(resource))), Queue::new());
        let handler = KeyHandler { queue: queue.clone(), model: Rc::clone(&model) };
        // Only a stopped informer refuses, and the factory gives none away.
        let registration = informer.add_event_handler(Rc::new(handler)).ok();
        link.update(|link| link.follow(&informer.connection(), runtime.clock.wall()));
        let redraw = Redraw::new(revision);
        let pace = Rc::new(Pace::new(&runtime));
        let (previewed, objects, clock) = (Rc::clone(&model), informer.clone(), Rc::clone(&runtime.clock));
        let (shown, settled) = (Rc::clone(&pace), redraw.clone());
        let guard = informer.on_connection(Rc::new(move |connection: &Connection| {
            if matches!(connection.phase, Phase::Listing { received: 1.., .. }) {
                if shown.is_due(previewed.borrow().total()) {
                    link.update(|link| link.follow(connection, clock.wall()));
                }
                return;
            }
            if settle_preview(&previewed, &objects, connection) || shown.has_unseen() {
                settled.now();
            }
            link.update(|link| link.follow(connection, clock.wall()));
        }));
        let (previewed, listed) = (Rc::clone(&model), redraw.clone());
        let preview = informer.on_first_list(Rc::new(move |objects: &[Object]| {
            for object in objects {
                previewed.borrow_mut().preview(object);
            }
            if pace.shows() {
                listed.in_next_frame();
            }
        }));
        let (followed, followed_key) = (RwSignal::new(0), Rc::new(RefCell::new(String::new())));
        let worker = Worker {
            runtime: runtime.clone(),
            informer,
            model: Rc::clone(&model),
            queue,
            redraw,
            has_changed: Cell::default(),
            followed_key: Rc::clone(&followed_key),
            followed,
        };
        let task = runtime.spawn(async move { worker.run().await });
        let owned = (registration, [guard, preview], task);
        let inner = StoredValue::new_local(Inner { model, followed_key, informer: lease, _owned: owned });
        Self { resource, inner, revision, followed, link }
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

    /// The informer holds objects that are not in the rows yet.
    pub(crate) fn is_behind(&self) -> bool {
        self.revision.track();
        self.inner.with_value(|inner| inner.informer.indexer().len() > inner.model.borrow().total())
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

    /// Ends the wait before the next try.
    pub(crate) fn retry_now(&self) {
        let informer: SharedInformer = self.inner.with_value(|inner| (*inner.informer).clone());
        informer.retry_now();
    }

    /// Gives everything back; nobody may read it any more.
    pub(crate) fn close(self) {
        self.inner.dispose();
        self.revision.dispose();
        self.followed.dispose();
        self.link.dispose();
    }

    fn change(&self, change: impl FnOnce(&mut TableModel)) {
        self.inner.with_value(|inner| change(&mut inner.model.borrow_mut()));
        self.revision.update(|revision| *revision += 1);
    }
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

struct Worker {
    runtime: Runtime,
    informer: SharedInformer,
    model: Rc<RefCell<TableModel>>,
    queue: Queue<String>,
    redraw: Redraw,
    has_changed: Cell<bool>,
    followed_key: Rc<RefCell<String>>,
    followed: RwSignal<u64>,
}

impl Worker {
    /// What comes between two frames is shown together. Where nobody looks, nothing is drawn, and no frame is asked for.
    async fn run(&self) {
        loop {
            let first = self.next_key().await;
            self.work(first);
            if self.has_changed.take() {
                self.redraw.now();
                next_frame().await;
            } else {
                self.runtime.spawner.yield_now().await;
            }
        }
    }

    /// The next key to work on; none when there is other work: a row's time to leave has come, or cells are to be read.
    async fn next_key(&self) -> Option<String> {
        let is_unread = self.informer.has_synced() && self.model.borrow().has_unread();
        if is_unread {
            return None;
        }
        let (get, wait) = (std::pin::pin!(self.get_key()), std::pin::pin!(self.other_work()));
        match select(get, wait).await {
            Either::Left((key, _)) => key,
            Either::Right(_) => None,
        }
    }

    /// While the list comes, the one thread there is has better to do.
    async fn other_work(&self) {
        if !self.informer.has_synced() {
            return self.informer.synced().await;
        }
        let expiry = self.model.borrow().next_expiry();
        let Some(expiry) = expiry else { return std::future::pending().await };
        let wait = expiry.duration_since(self.runtime.clock.wall());
        self.runtime.sleep(Duration::try_from(wait).unwrap_or_default()).await;
    }

    async fn get_key(&self) -> Option<String> {
        match self.queue.get().await {
            Some(key) => Some(key),
            // Shut down: there will be no other.
            None => std::future::pending().await,
        }
    }

    /// Shows objects until there are none or the turn is over.
    fn work(&self, first: Option<String>) {
        let turn = Turn::start(&self.runtime);
        let now = self.runtime.clock.wall();
        let mut next = first.or_else(|| self.queue.try_get());
        while let Some(key) = next {
            self.show(&key, now);
            self.queue.done(&key);
            if turn.is_over() {
                return;
            }
            next = self.queue.try_get();
        }
        let mut model = self.model.borrow_mut();
        if model.expire(now) {
            self.has_changed.set(true);
        }
        model.read_ahead(|| turn.is_over());
    }

    fn show(&self, key: &str, now: Timestamp) {
        let object = self.informer.indexer().get_by_key(key);
        let mut model = self.model.borrow_mut();
        let is_seen = match object {
            Some(object) => model.upsert(&object, now),
            None => model.remove(key, now),
        };
        drop(model);
        if is_seen {
            self.has_changed.set(true);
        }
        if *self.followed_key.borrow() == key {
            self.followed.update(|changes| *changes += 1);
        }
    }
}
