use leptos::prelude::*;

use super::{LiveTable, Session, Tables};
use crate::api::ResourcePath;
use crate::cache::{Activity, Connection, InformerInUse, Pause, Phase, Refused};
use crate::runtime::{OpenRequest, Traffic, Way};
use crate::view::Contact;
use crate::view::informers::{ALL_NAMESPACES, InformerLine, Rate};

/// An informer's name for who uses it by a table; see [`Tables`].
pub(super) const TABLE: &str = "table";

/// So many looks pass before a store that changes is measured again: that looks at each of its objects.
const BETWEEN_MEASURES: u32 = 5;

/// Looks at the page's informers. Nothing is kept of them between two looks but what a rate needs.
pub(crate) struct InformerWatch {
    session: Session,
    tables: Tables,
    seen: Vec<(String, Seen)>,
}

#[derive(Default)]
struct Seen {
    rate: Rate,
    measured: Option<(Activity, usize)>,
    looks: u32,
}

impl InformerWatch {
    pub(crate) fn new(session: Session, tables: Tables) -> Self {
        Self { session, tables, seen: Vec::new() }
    }

    /// How all of them are now.
    pub(crate) fn look(&mut self) -> Vec<InformerLine> {
        let (session, tables) = (self.session, untrack(|| self.tables.all()));
        let requests = session.open_requests();
        let lines: Vec<_> = session
            .informers()
            .into_iter()
            .map(|(it, is_metadata)| {
                let is_same = |table: &&LiveTable| table.served() == it.resource;
                let table = tables.iter().find(is_same).filter(|_| !is_metadata).copied();
                self.line(&it, is_metadata, table, &requests)
            })
            .collect();
        self.seen.retain(|(key, _)| lines.iter().any(|line| line.key == *key));
        lines
    }

    fn line(
        &mut self,
        it: &InformerInUse,
        is_metadata: bool,
        table: Option<LiveTable>,
        requests: &[OpenRequest],
    ) -> InformerLine {
        let (informer, key) = (&it.informer, key_of(it, is_metadata));
        let (activity, connection) = (informer.activity(), informer.connection());
        let now = self.session.runtime().clock.wall();
        let usage = table.map(|table| self.tables.usage(table));
        // What a table does is told once, though it may have an informer for each namespace too.
        let of_all = table.filter(|_| it.namespace.is_none());
        let at = self.seen.iter().position(|(other, _)| *other == key).unwrap_or_else(|| {
            self.seen.push((key.clone(), Seen::default()));
            self.seen.len() - 1
        });
        let seen = &mut self.seen[at].1;
        let is_used = usage.is_none_or(|(users, _)| users > 0);
        let users = it.users.iter().filter(|user| is_used || **user != TABLE);
        let users: Vec<_> = users.map(|user| if user.is_empty() { "page" } else { user }).collect();
        let users = users.join(", ");
        let ends_in = usage.filter(|_| users.is_empty()).map(|(_, left)| left.as_millis().div_ceil(1000) as u64);
        InformerLine {
            kind: it.resource.to_string(),
            scope: it.namespace.clone().unwrap_or_else(|| ALL_NAMESPACES.into()),
            is_metadata,
            state: state_of(&connection, &activity, now).into(),
            is_paused: informer.is_paused(),
            objects: informer.indexer().len(),
            heap_bytes: Some(seen.heap_bytes(&activity, || informer.indexer().heap_bytes())),
            in_ten_seconds: seen.rate.sample(activity.events, now),
            events: activity.events,
            lists: activity.lists,
            watches: activity.watches,
            restarts: activity.restarts,
            transport: transport_of(it, is_metadata, requests),
            waiting: informer.pending_notifications() + of_all.map_or(0, |table| table.waiting()),
            redraws: of_all.map(|table| table.redraws()),
            last_event: activity.last_event,
            last_bookmark: activity.last_bookmark,
            last_failure: activity.last_failure,
            users,
            ends_in,
            key,
        }
    }

    /// Pauses an informer, or lets it go on.
    pub(crate) fn toggle_pause(&self, key: &str) {
        if let Some(it) = self.find(key) {
            if it.informer.is_paused() { it.informer.resume() } else { it.informer.pause() }
        }
    }

    pub(crate) fn list_again(&self, key: &str) {
        if let Some(it) = self.find(key) {
            it.informer.list_again();
        }
    }

    /// Ends an informer that nobody uses.
    pub(crate) fn end(&self, key: &str) {
        let Some(it) = self.find(key) else { return };
        let tables = untrack(|| self.tables.all());
        let table = tables.iter().find(|table| table.served() == it.resource);
        if let Some(table) = table {
            self.tables.close_now(*table);
        }
    }

    fn find(&self, key: &str) -> Option<InformerInUse> {
        let found = |(it, is_metadata): (InformerInUse, bool)| (key_of(&it, is_metadata) == key).then_some(it);
        self.session.informers().into_iter().find_map(found)
    }
}

impl Seen {
    fn heap_bytes(&mut self, activity: &Activity, measure: impl FnOnce() -> usize) -> usize {
        self.looks += 1;
        match &self.measured {
            Some((then, bytes)) if then == activity || !self.looks.is_multiple_of(BETWEEN_MEASURES) => *bytes,
            _ => {
                let bytes = measure();
                self.measured = Some((activity.clone(), bytes));
                bytes
            }
        }
    }
}

fn key_of(it: &InformerInUse, is_metadata: bool) -> String {
    let scope = it.namespace.as_deref().unwrap_or_default();
    format!("{} {scope} {is_metadata}", ResourcePath::all(it.resource.clone()))
}

fn state_of(connection: &Connection, activity: &Activity, now: jiff::Timestamp) -> &'static str {
    let Connection { synced, last_contact, .. } = *connection;
    let failing_since = match connection.phase {
        Phase::Stopped => return "Stopped",
        Phase::Paused { pause: Pause::Asked } => return "Paused",
        Phase::Paused { pause: Pause::Offline } => return "Offline",
        Phase::Paused { .. } => return "Asleep",
        Phase::Reconnecting { .. } => last_contact.or(activity.last_failure.as_ref().map(|(at, _)| *at)),
        _ => None,
    };
    let is_unwatched = connection.refused == Some(Refused::Watch);
    Contact { synced, failing_since, is_paused: false, last: last_contact, is_unwatched }.freshness(now).word()
}

fn transport_of(it: &InformerInUse, is_metadata: bool, requests: &[OpenRequest]) -> &'static str {
    let mut path = ResourcePath::all(it.resource.clone());
    path.namespace.clone_from(&it.namespace);
    let path = path.to_string();
    let is_its_own = |request: &&OpenRequest| {
        request.traffic == Traffic::Watch && request.path.split('?').next() == Some(path.as_str())
    };
    // Names are never read over a socket; whole objects may be watched beside them.
    let mut ways = requests.iter().filter(is_its_own).map(|request| request.way);
    let way = if is_metadata { ways.find(|way| *way != Way::WebSocket) } else { ways.next() };
    match way {
        Some(Way::Fetch) => "fetch",
        Some(Way::WebSocket) => "WebSocket",
        Some(Way::Waiting) => "waits",
        None => "–",
    }
}

/// The lists, watches and streams that go on, in a sentence.
pub(crate) fn requests_text(requests: &[OpenRequest]) -> String {
    let count = |way| requests.iter().filter(|request| request.way == way).count();
    let (fetched, sockets, waiting) = (count(Way::Fetch), count(Way::WebSocket), count(Way::Waiting));
    format!("{fetched} by fetch, {sockets} over WebSockets, {waiting} waiting")
}
