use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;
use leptos::prelude::*;

use super::{Link, Session};
use crate::api::{Error, Object};
use crate::cache::{
    Connection, DeletedObject, InformerLease, ObserverGuard, Phase, Registration, ResourceEventHandler,
    meta_namespace_key,
};
use crate::runtime::{Runtime, Task, Turn};
use crate::view::Freshness;
use crate::view::overview::{Survey, Topic};

/// How often what has changed is taken over; sooner while the lists come.
const ROUND: Duration = Duration::from_secs(1);
const FIRST_ROUNDS: Duration = Duration::from_millis(100);

/// What is known of some kinds, kept up to date by their informers. A handle.
///
/// Level-triggered: a handler only notes the key, and once a second what the Indexer holds by then is taken over.
#[derive(Clone, Copy)]
pub(crate) struct LiveSurvey {
    topics: &'static [Topic],
    inner: StoredValue<Inner, LocalStorage>,
    /// Counts the rounds in which something changed.
    revision: RwSignal<u64>,
    /// One for each topic, as are the next.
    links: RwSignal<Vec<Link>>,
    is_whole: RwSignal<Vec<bool>>,
}

struct Inner {
    survey: Rc<RefCell<Survey>>,
    informers: Rc<Vec<InformerLease>>,
    _owned: (Rc<Vec<Option<Registration>>>, Vec<ObserverGuard>, Task),
}

/// How far the objects of a topic are known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Knowledge {
    /// The list is on its way.
    Listing,
    Whole,
    /// They may not be listed.
    Forbidden,
    /// The list does not come.
    Failed(Error),
}

type Changes = Rc<RefCell<Vec<(usize, String)>>>;

struct KeyHandler {
    topic: usize,
    changes: Changes,
}

impl KeyHandler {
    fn note(&self, key: String) {
        self.changes.borrow_mut().push((self.topic, key));
    }
}

impl ResourceEventHandler for KeyHandler {
    fn on_add(&self, object: &Object, _is_in_initial_list: bool) {
        self.note(meta_namespace_key(object));
    }

    fn on_update(&self, old: &Object, new: &Object) {
        if old.resource_version() != new.resource_version() {
            self.note(meta_namespace_key(new));
        }
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        self.note(deleted.key());
    }
}

impl LiveSurvey {
    /// A survey of these topics, whose informers run from now on; the first list that is asked for is the first one's.
    pub(super) fn new(session: Session, topics: &'static [Topic]) -> Self {
        let (runtime, factory) = (session.runtime(), session.factory());
        let links = RwSignal::new(vec![Link::default(); topics.len()]);
        let is_whole = RwSignal::new(vec![false; topics.len()]);
        let revision = RwSignal::new(0);
        let changes = Changes::default();
        let (mut informers, mut registrations, mut guards) = (Vec::new(), Vec::new(), Vec::new());
        for (at, topic) in topics.iter().enumerate() {
            let informer = factory.lease(&topic.resource());
            let handler = KeyHandler { topic: at, changes: Rc::clone(&changes) };
            // Only a stopped informer refuses, and the factory gives none away.
            registrations.push(informer.add_event_handler(Rc::new(handler)).ok());
            let clock = Rc::clone(&runtime.clock);
            let follow = move |connection: &Connection| {
                links.try_update(|links| links[at].follow(connection, clock.wall()));
            };
            follow(&informer.connection());
            guards.push(informer.on_connection(Rc::new(move |connection| {
                // How much of a list has come is not told here.
                if !matches!(connection.phase, Phase::Listing { received: 1.., .. }) {
                    follow(connection);
                }
            })));
            informers.push(informer);
        }
        let (informers, registrations) = (Rc::new(informers), Rc::new(registrations));
        let survey = Rc::<RefCell<Survey>>::default();
        let worker = Worker {
            runtime: runtime.clone(),
            topics,
            survey: Rc::clone(&survey),
            informers: Rc::clone(&informers),
            registrations: Rc::clone(&registrations),
            changes,
            revision,
            is_whole,
        };
        let task = runtime.spawn(async move { worker.run().await });
        let inner = StoredValue::new_local(Inner { survey, informers, _owned: (registrations, guards, task) });
        Self { topics, inner, revision, links, is_whole }
    }

    pub(crate) const fn topics(&self) -> &'static [Topic] {
        self.topics
    }

    /// Reads what is known, and again after each change when called where signals are followed.
    pub(crate) fn read<R: Default>(&self, read: impl FnOnce(&Survey) -> R) -> R {
        self.revision.track();
        self.inner.try_with_value(|inner| read(&inner.survey.borrow())).unwrap_or_default()
    }

    /// How far the objects of a topic are known.
    pub(crate) fn knowledge(&self, topic: Topic) -> Knowledge {
        let Some(at) = self.topics.iter().position(|it| *it == topic) else { return Knowledge::Listing };
        if self.is_whole.with(|all| all.get(at) == Some(&true)) {
            return Knowledge::Whole;
        }
        match self.links.with(|links| links.get(at).and_then(|link| link.error.clone())) {
            Some(error) if error.is_forbidden() => Knowledge::Forbidden,
            Some(error) => Knowledge::Failed(error),
            None => Knowledge::Listing,
        }
    }

    /// The worst of the ways to the server; what may not be listed is told elsewhere, unless it is all.
    pub(crate) fn link(&self, now: Timestamp) -> Link {
        let rank = |link: &Link| match link.contact().freshness(now) {
            Freshness::Connected => 1,
            Freshness::Unwatched => 2,
            Freshness::Connecting => 3,
            Freshness::Reconnecting => 4,
            Freshness::Stale { .. } => 5,
        };
        let is_refused = |link: &Link| link.error.as_ref().is_some_and(Error::is_forbidden);
        let rank = |link: &&Link| if is_refused(link) { 0 } else { rank(link) };
        self.links.with(|links| links.iter().max_by_key(rank).cloned().unwrap_or_default())
    }

    /// Ends the waits before the next tries.
    pub(crate) fn retry_now(&self) {
        let informers = self.inner.try_with_value(|inner| Rc::clone(&inner.informers));
        informers.iter().flat_map(|it| it.iter()).for_each(|informer| informer.retry_now());
    }

    /// Gives everything back; nobody may read it any more.
    pub(super) fn close(self) {
        self.inner.dispose();
        self.revision.dispose();
        self.links.dispose();
        self.is_whole.dispose();
    }
}

struct Worker {
    runtime: Runtime,
    topics: &'static [Topic],
    survey: Rc<RefCell<Survey>>,
    informers: Rc<Vec<InformerLease>>,
    registrations: Rc<Vec<Option<Registration>>>,
    changes: Changes,
    revision: RwSignal<u64>,
    is_whole: RwSignal<Vec<bool>>,
}

impl Worker {
    async fn run(&self) {
        loop {
            let is_listing = self.informers.iter().any(|informer| !informer.has_synced() && !is_failing(informer));
            self.runtime.sleep(if is_listing { FIRST_ROUNDS } else { ROUND }).await;
            // Before the changes are taken: what the handlers were told by now is among them.
            let told: Vec<_> =
                self.registrations.iter().map(|it| it.as_ref().is_some_and(Registration::has_synced)).collect();
            let changes = self.changes.take();
            let has_changed = !changes.is_empty();
            self.take_over(changes).await;
            if self.is_whole.try_with_untracked(|known| *known != told) == Some(true) {
                self.is_whole.try_set(told);
            }
            if has_changed {
                self.revision.try_update(|revision| *revision += 1);
            }
        }
    }

    async fn take_over(&self, changes: Vec<(usize, String)>) {
        let mut turn = Turn::start(&self.runtime);
        for (at, key) in changes {
            let (topic, object) = (self.topics[at], self.informers[at].indexer().get_by_key(&key));
            match object {
                Some(object) => self.survey.borrow_mut().upsert(topic, &key, &object),
                None => self.survey.borrow_mut().remove(topic, &key),
            }
            turn.pause_when_over().await;
        }
    }
}

fn is_failing(informer: &InformerLease) -> bool {
    matches!(informer.connection().phase, Phase::Reconnecting { .. } | Phase::Paused { .. })
}
