use std::sync::Arc;

use leptos::prelude::*;

use super::LiveTable;
use crate::runtime::Task;
use crate::view::Picked;

/// The rows that somebody has marked, by their objects: they stay marked whatever the table shows. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Selection {
    pub(crate) marked: RwSignal<Arc<Picked>>,
    /// The key of the row that the keyboard is on.
    pub(crate) current: RwSignal<Option<String>>,
    /// The key of the row that was marked last: a range begins there.
    anchor: StoredValue<Option<String>>,
    /// Whose rows they are.
    page: StoredValue<String>,
    /// What is being done with marked objects goes on when one leaves the page.
    tasks: StoredValue<Vec<Task>, LocalStorage>,
}

impl Selection {
    pub(crate) fn new() -> Self {
        Self {
            marked: RwSignal::new(Arc::default()),
            current: RwSignal::new(None),
            anchor: StoredValue::new(None),
            page: StoredValue::new(String::new()),
            tasks: StoredValue::new_local(Vec::new()),
        }
    }

    /// Forgets what is marked on another page.
    pub(crate) fn enter(&self, page: String) {
        if self.page.with_value(|last| *last != page) {
            self.page.set_value(page);
            self.current.set(None);
            self.clear();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.marked.with_untracked(|marked| marked.is_empty())
    }

    /// Tells whether anything was marked.
    pub(crate) fn clear(&self) -> bool {
        let was_marked = !self.is_empty();
        if was_marked {
            self.marked.set(Arc::default());
        }
        self.anchor.set_value(None);
        was_marked
    }

    /// Marks a row, or no longer.
    pub(crate) fn toggle(&self, table: LiveTable, key: &str) {
        let picked = untrack(|| table.read(|model| model.index_of(key).map(|at| model.pick(at..at + 1))));
        self.anchor.set_value(Some(key.into()));
        self.marked.update(|marked| {
            let marked = Arc::make_mut(marked);
            for (uid, key) in picked.unwrap_or_default() {
                if marked.remove(&uid).is_none() {
                    marked.insert(uid, key);
                }
            }
        });
    }

    /// Marks the rows from the one that was marked last to this one; from `current` if none was.
    pub(crate) fn extend(&self, table: LiveTable, key: &str, current: Option<String>) {
        let from = self.anchor.get_value().or(current).unwrap_or_else(|| key.into());
        let picked = untrack(|| {
            table.read(|model| {
                let to = model.index_of(key)?;
                let from = model.index_of(&from).unwrap_or(to);
                Some(model.pick(from.min(to)..from.max(to) + 1))
            })
        });
        self.anchor.set_value(Some(key.into()));
        self.add(picked.unwrap_or_default());
    }

    /// Marks all rows that the filter lets through.
    pub(crate) fn mark_shown(&self, table: LiveTable) {
        self.add(untrack(|| table.read(|model| model.pick(0..model.rows()))));
    }

    /// Forgets the objects that are gone.
    pub(crate) fn settle(&self, table: LiveTable) {
        let is_there = |uid: &str, key: &str| untrack(|| table.read(|model| model.has(uid, key)));
        if !self.marked.with_untracked(|marked| marked.iter().all(|(uid, key)| is_there(uid, key))) {
            self.marked.update(|marked| Arc::make_mut(marked).retain(|uid, key| is_there(uid, key)));
        }
    }

    /// Keeps a task that works on objects.
    pub(crate) fn keep(&self, task: Task) {
        self.tasks.update_value(|tasks| tasks.push(task));
    }

    fn add(&self, picked: Picked) {
        self.marked.update(|marked| Arc::make_mut(marked).extend(picked));
    }
}
