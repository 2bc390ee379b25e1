use std::time::Duration;

use leptos::prelude::*;

use super::{LiveTable, Session};
use crate::runtime::{Moment, Task};
use crate::view::columns::Resource;

/// How long a table that nobody looks at is kept up to date, so that one can go back to it.
const LINGER: Duration = Duration::from_secs(60);

/// The tables that are kept up to date: those in use, and for a while those that were. A handle.
///
/// Each is made once, however many parts of the page use it.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    session: Session,
    owner: StoredValue<Owner, LocalStorage>,
    open: RwSignal<Vec<Open>>,
    closing: StoredValue<Option<Task>, LocalStorage>,
}

#[derive(Clone)]
struct Open {
    table: LiveTable,
    users: usize,
    unused_since: Option<Moment>,
}

impl Tables {
    /// Without a table yet. What it makes lives as long as the caller's owner, or less.
    pub(crate) fn new(session: Session) -> Self {
        let owner = StoredValue::new_local(Owner::current().unwrap_or_default());
        Self { session, owner, open: RwSignal::new(Vec::new()), closing: StoredValue::new_local(None) }
    }

    /// The table of a kind, for as long as the caller's owner lives.
    pub(crate) fn use_table(&self, resource: &'static Resource) -> LiveTable {
        let table = self.hold(resource);
        let this = *self;
        on_cleanup(move || this.release(resource));
        table
    }

    /// Has a table's list come, for who will use it soon.
    pub(crate) fn open(&self, resource: &'static Resource) {
        self.hold(resource);
        self.release(resource);
    }

    /// The table of a kind, for good.
    pub(crate) fn hold(&self, resource: &'static Resource) -> LiveTable {
        let is_same = |open: &Open| std::ptr::eq(open.table.resource, resource);
        let held = self.open.try_update_untracked(|all| {
            let open = all.iter_mut().find(|open| is_same(open))?;
            open.users += 1;
            open.unused_since = None;
            Some(open.table)
        });
        if let Some(table) = held.flatten() {
            return table;
        }
        let table = self.owner.with_value(|owner| owner.with(|| LiveTable::new(self.session, resource)));
        self.open.update(|all| all.push(Open { table, users: 1, unused_since: None }));
        table
    }

    /// How many objects of a kind there are, where its table is up to date.
    pub(crate) fn count(&self, page: &str) -> Option<usize> {
        let find = |all: &Vec<Open>| all.iter().map(|open| open.table).find(|table| table.is_of(page));
        let table = self.open.with(find)?;
        table.link().with(|link| link.connection.synced).then(|| table.read(|model| model.total()))
    }

    /// Those that are kept up to date.
    pub(crate) fn all(&self) -> Vec<LiveTable> {
        self.open.with(|all| all.iter().map(|open| open.table).collect())
    }

    /// How many parts of the page use a table now, and if none, for how much longer it is kept.
    pub(crate) fn usage(&self, resource: &'static Resource) -> (usize, Duration) {
        let now = self.session.runtime().clock.now();
        self.open.with_untracked(|all| {
            let open = all.iter().find(|open| std::ptr::eq(open.table.resource, resource));
            let unused_for = open.and_then(|open| open.unused_since).map(|since| now.since(since)).unwrap_or_default();
            (open.map_or(0, |open| open.users), LINGER.saturating_sub(unused_for))
        })
    }

    /// Lets those go on that somebody has paused, and ends the waits of all.
    pub(crate) fn go_on(&self) {
        self.open.with_untracked(|all| all.iter().for_each(|open| open.table.informer().resume()));
        self.retry_now();
    }

    /// Closes a table before its time, unless somebody uses it.
    pub(crate) fn close_now(&self, resource: &'static Resource) {
        self.close(|open| open.users == 0 && std::ptr::eq(open.table.resource, resource));
    }

    /// Ends the waits of all before their next tries.
    pub(crate) fn retry_now(&self) {
        let all: Vec<_> = self.open.with_untracked(|all| all.iter().map(|open| open.table).collect());
        all.iter().for_each(LiveTable::retry_now);
    }

    fn release(&self, resource: &'static Resource) {
        let now = self.session.runtime().clock.now();
        // The page itself is gone when there is nothing to update.
        self.open.try_update_untracked(|all| {
            if let Some(open) = all.iter_mut().find(|open| std::ptr::eq(open.table.resource, resource)) {
                open.users -= 1;
                open.unused_since = (open.users == 0).then_some(now);
            }
        });
        let this = *self;
        let runtime = self.session.runtime();
        let closing = runtime.clone().spawn(async move {
            while this.open.with_untracked(|all| all.iter().any(|open| open.unused_since.is_some())) {
                runtime.sleep(LINGER / 4).await;
                this.close_unused();
            }
        });
        self.closing.try_update_value(|task| *task = Some(closing));
    }

    fn close_unused(&self) {
        let now = self.session.runtime().clock.now();
        self.close(|open| open.unused_since.is_some_and(|since| now.since(since) >= LINGER));
    }

    fn close(&self, is_over: impl Fn(&Open) -> bool) {
        let over: Vec<_> =
            self.open.with_untracked(|all| all.iter().filter(|open| is_over(open)).map(|open| open.table).collect());
        if over.is_empty() {
            return;
        }
        self.open.update(|all| all.retain(|open| !is_over(open)));
        over.into_iter().for_each(LiveTable::close);
    }
}
