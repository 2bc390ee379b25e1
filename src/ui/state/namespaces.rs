use std::collections::BTreeSet;

use leptos::prelude::*;

use super::{LiveTable, Session};
use crate::view::{expand_namespaces, is_pattern};

/// So many names that were typed are kept.
const MOST_TYPED: usize = 100;

/// The namespaces that the page knows, listed or typed by hand, and which of them are chosen. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Namespaces {
    session: Session,
    /// The list of namespaces, once somebody asks for it.
    table: RwSignal<Option<LiveTable>>,
    listed: RwSignal<BTreeSet<String>>,
    typed: RwSignal<BTreeSet<String>>,
    chosen: RwSignal<BTreeSet<String>>,
    is_settled: RwSignal<bool>,
}

impl Namespaces {
    /// Those that earlier visits kept.
    pub(crate) fn new(session: Session) -> Self {
        let kept = session.storage().get(&key(session)).unwrap_or_default();
        let typed: BTreeSet<_> = kept.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Self {
            session,
            table: RwSignal::new(None),
            listed: RwSignal::default(),
            typed: RwSignal::new(typed),
            chosen: RwSignal::default(),
            is_settled: RwSignal::new(false),
        }
    }

    /// Takes the names from the table of namespaces from now on, and what is chosen.
    pub(crate) fn follow(&self, table: LiveTable, chosen: Signal<BTreeSet<String>>) {
        let this = *self;
        this.table.set(Some(table));
        Effect::new(move |_| {
            let rows = table.read(|model| model.keys().collect::<BTreeSet<_>>());
            if this.listed.with_untracked(|listed| *listed != rows) {
                this.listed.set(rows);
            }
        });
        Effect::new(move |_| {
            let is_settled = table.link().with(|link| link.connection.synced || link.error.is_some());
            if is_settled && !this.is_settled.get_untracked() {
                this.is_settled.set(true);
            }
        });
        Effect::new(move |_| this.choose(chosen.get()));
    }

    /// What a table shows is of these; empty for all.
    pub(crate) fn choose(&self, chosen: BTreeSet<String>) {
        if self.chosen.with_untracked(|old| *old != chosen) {
            self.chosen.set(chosen);
        }
    }

    /// All that are known, chosen ones among them.
    pub(crate) fn known(&self) -> BTreeSet<String> {
        let mut known = self.listed.get();
        self.typed.with(|typed| known.extend(typed.iter().cloned()));
        self.chosen.with(|chosen| known.extend(chosen.iter().filter(|it| !is_pattern(it)).cloned()));
        known
    }

    /// The names that are meant by chosen names and patterns.
    pub(crate) fn meant_by(&self, chosen: &BTreeSet<String>) -> BTreeSet<String> {
        expand_namespaces(chosen, &self.known())
    }

    /// Those to ask for one by one where not all may be listed at once; none while they are not known.
    pub(super) fn wanted(&self) -> Option<Vec<String>> {
        let chosen = self.chosen.get();
        let wanted = if chosen.is_empty() { self.known() } else { self.meant_by(&chosen) };
        (!wanted.is_empty() || self.is_settled.get()).then(|| wanted.into_iter().collect())
    }

    /// The list of namespaces is forbidden, so that there may be more of them.
    pub(crate) fn may_be_more(&self) -> bool {
        let error = self.table.get().and_then(|table| table.link().with(|link| link.error.clone()));
        error.is_some_and(|error| error.is_forbidden())
    }

    /// It was typed by hand and is in no list.
    pub(crate) fn is_typed(&self, name: &str) -> bool {
        self.typed.with(|typed| typed.contains(name)) && !self.listed.with(|listed| listed.contains(name))
    }

    /// Keeps a name that was typed by hand, also for later visits.
    pub(crate) fn keep(&self, name: &str) {
        if is_pattern(name) || self.listed.with_untracked(|listed| listed.contains(name)) {
            return;
        }
        self.typed.update(|typed| {
            if typed.len() < MOST_TYPED {
                typed.insert(name.into());
            }
        });
        self.store();
    }

    /// Keeps a name no longer.
    pub(crate) fn forget(&self, name: &str) {
        self.typed.update(|typed| drop(typed.take(name)));
        self.store();
    }

    fn store(&self) {
        let names = self.typed.with_untracked(|typed| typed.iter().cloned().collect::<Vec<_>>().join(","));
        self.session.storage().set(&key(self.session), &names);
    }
}

fn key(session: Session) -> String {
    format!("watchglass.namespaces.{}", session.address())
}
