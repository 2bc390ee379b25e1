use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use crate::runtime::{Clock, Moment, Runtime};
use crate::view::MAX_ROWS;

/// The least time between two looks at a list that still comes: its first rows stand, and the rest is below them.
///
/// Each is a layout and a frame that the list has to wait for.
const BETWEEN_PREVIEWS: Duration = Duration::from_millis(250);

/// No screen shows more: until there are so many rows, each piece of a list is shown as it comes.
const SCREEN: usize = MAX_ROWS;

/// How often the page looks at a list that comes: the count of what was received and the rows, both at once.
pub(super) struct Pace {
    clock: Rc<dyn Clock>,
    last: Cell<Option<Moment>>,
    is_due: Cell<bool>,
    has_unseen: Cell<bool>,
}

impl Pace {
    pub(super) fn new(runtime: &Runtime) -> Self {
        let clock = Rc::clone(&runtime.clock);
        Self { clock, last: Cell::default(), is_due: Cell::default(), has_unseen: Cell::default() }
    }

    /// A piece has come, to so many rows: whether it is shown.
    pub(super) fn is_due(&self, rows: usize) -> bool {
        let now = self.clock.now();
        let is_due = rows < SCREEN || self.last.get().is_none_or(|last| now.since(last) >= BETWEEN_PREVIEWS);
        if is_due {
            self.last.set(Some(now));
        }
        self.is_due.set(is_due);
        is_due
    }

    /// The rows of that piece stand: whether they are shown.
    pub(super) fn shows(&self) -> bool {
        self.has_unseen.set(!self.is_due.get());
        self.is_due.get()
    }

    /// Whether there are rows that were not shown; they are now.
    pub(super) fn has_unseen(&self) -> bool {
        self.has_unseen.take()
    }
}
