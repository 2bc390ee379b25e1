use std::time::Duration;

use leptos::prelude::*;

use super::{Kind, LiveTable, Namespaces, Rights, Session};
use crate::runtime::{Moment, Task};

/// How long a table that nobody looks at is kept up to date, so that one can go back to it.
pub(super) const LINGER: Duration = Duration::from_secs(60);

/// The tables that are kept up to date: those in use, and for a while those that were. A handle.
///
/// Each is made once, however many parts of the page use it.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    session: Session,
    pub(crate) rights: Rights,
    pub(crate) namespaces: Namespaces,
    owner: StoredValue<Owner, LocalStorage>,
    open: RwSignal<Vec<Open>>,
    closing: StoredValue<Option<Task>, LocalStorage>,
    /// Before, there are no effects.
    is_mounted: StoredValue<bool>,
}

struct Open {
    kind: Kind,
    table: LiveTable,
    /// Of all that the table is made of.
    owner: Owner,
    users: usize,
    unused_since: Option<Moment>,
}

impl Tables {
    /// Without a table yet. What it makes lives as long as the caller's owner, or less.
    pub(crate) fn new(session: Session) -> Self {
        let owner = StoredValue::new_local(Owner::current().unwrap_or_default());
        let (rights, namespaces) = (Rights::new(session), Namespaces::new(session));
        Self {
            session,
            rights,
            namespaces,
            owner,
            open: RwSignal::new(Vec::new()),
            closing: StoredValue::new_local(None),
            is_mounted: StoredValue::new(false),
        }
    }

    /// The table of a kind, for as long as the caller's owner lives.
    pub(crate) fn use_table(&self, kind: impl Into<Kind>) -> LiveTable {
        let kind = kind.into();
        let table = self.hold(kind.clone());
        let this = *self;
        on_cleanup(move || this.release(&kind));
        table
    }

    /// The interface stands: effects work from now on.
    pub(crate) fn mounted(&self) {
        self.is_mounted.set_value(true);
        self.open.with_untracked(|all| {
            for open in all {
                open.owner.with(|| open.table.follow_scope(self.session, self.namespaces));
            }
        });
    }

    /// Has a table's list come, for who will use it soon.
    pub(crate) fn open(&self, kind: impl Into<Kind>) {
        let kind = kind.into();
        self.hold(kind.clone());
        self.release(&kind);
    }

    /// The table of a kind, for good.
    pub(crate) fn hold(&self, kind: impl Into<Kind>) -> LiveTable {
        let kind = kind.into();
        let held = self.open.try_update_untracked(|all| {
            let open = all.iter_mut().find(|open| open.kind == kind)?;
            open.users += 1;
            open.unused_since = None;
            Some(open.table)
        });
        if let Some(table) = held.flatten() {
            return table;
        }
        let owner = self.owner.with_value(|owner| owner.with(Owner::new));
        let table = owner.with(|| LiveTable::new(self.session, &kind, self.rights));
        if self.is_mounted.get_value() {
            owner.with(|| table.follow_scope(self.session, self.namespaces));
        }
        self.open.update(|all| all.push(Open { kind, table, owner, users: 1, unused_since: None }));
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
    pub(crate) fn usage(&self, table: LiveTable) -> (usize, Duration) {
        let now = self.session.runtime().clock.now();
        self.open.with_untracked(|all| {
            let open = all.iter().find(|open| open.table == table);
            let unused_for = open.and_then(|open| open.unused_since).map(|since| now.since(since)).unwrap_or_default();
            (open.map_or(0, |open| open.users), LINGER.saturating_sub(unused_for))
        })
    }

    /// Lets those go on that somebody has paused, and ends the waits of all.
    pub(crate) fn go_on(&self) {
        self.open.with_untracked(|all| all.iter().for_each(|open| open.table.resume()));
        self.retry_now();
    }

    /// Closes a table before its time, unless somebody uses it.
    pub(crate) fn close_now(&self, table: LiveTable) {
        self.close(|open| open.users == 0 && open.table == table);
    }

    /// Ends the waits of all before their next tries.
    pub(crate) fn retry_now(&self) {
        let all: Vec<_> = self.open.with_untracked(|all| all.iter().map(|open| open.table).collect());
        all.iter().for_each(LiveTable::retry_now);
    }

    fn release(&self, kind: &Kind) {
        let now = self.session.runtime().clock.now();
        // The page itself is gone when there is nothing to update.
        self.open.try_update_untracked(|all| {
            if let Some(open) = all.iter_mut().find(|open| open.kind == *kind) {
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
        if !self.open.with_untracked(|all| all.iter().any(&is_over)) {
            return;
        }
        let over = self.open.try_update(|all| all.extract_if(.., |open| is_over(open)).collect::<Vec<_>>());
        drop(over);
    }
}
