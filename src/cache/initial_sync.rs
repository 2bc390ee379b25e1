use std::cell::Cell;
use std::rc::Rc;

use super::latch::Latch;

/// Counts down the first list: a queue is synced when each of its entries was processed.
///
/// client-go signals this before the last entry's callback in one of its queues and after it in the others; here it is
/// after it in all.
#[derive(Debug, Default)]
pub(super) struct InitialSync {
    populated: Cell<bool>,
    /// Entries of the first list that were not handed out yet.
    queued: Cell<usize>,
    /// Entries of the first list that were not processed yet.
    unprocessed: Cell<usize>,
    done: Latch,
}

impl InitialSync {
    /// A list has come as so many entries, or a single change, after which there is nothing to wait for: zero.
    /// Only the first counts.
    pub(super) fn populated(&self, entries: usize) {
        if !self.populated.replace(true) {
            self.queued.set(entries);
            self.unprocessed.set(entries);
            self.see_whether_done();
        }
    }

    /// Entries of the first list that were not handed out yet.
    pub(super) fn queued(&self) -> usize {
        self.queued.get()
    }

    /// What is handed out next belongs to the first list, or comes before any list.
    pub(super) fn is_next(&self) -> bool {
        !self.populated.get() || self.queued.get() > 0
    }

    /// Takes entries out of the queue; dropping what it returns counts them as processed.
    pub(super) fn hand_out(self: &Rc<Self>, entries: usize) -> InitialEntries {
        let entries = entries.min(self.queued.get());
        self.queued.set(self.queued.get() - entries);
        InitialEntries { initial: Rc::clone(self), entries }
    }

    pub(super) fn is_done(&self) -> bool {
        self.done.is_set()
    }

    pub(super) async fn done(self: Rc<Self>) {
        self.done.wait().await;
    }

    fn see_whether_done(&self) {
        if self.populated.get() && self.unprocessed.get() == 0 {
            self.done.set();
        }
    }
}

/// Entries of the first list that were handed out and are not processed yet.
#[derive(Debug)]
pub(super) struct InitialEntries {
    initial: Rc<InitialSync>,
    entries: usize,
}

impl Drop for InitialEntries {
    fn drop(&mut self) {
        let initial = &self.initial;
        initial.unprocessed.set(initial.unprocessed.get() - self.entries);
        initial.see_whether_done();
    }
}
