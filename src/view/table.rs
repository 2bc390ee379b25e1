use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustc_hash::FxBuildHasher;

use super::{Query, Row, SortedList};

/// How long a row stands struck after its object is gone.
const LEAVING: Duration = Duration::from_secs(1);

/// No screen shows more rows at once; those beyond go without a farewell.
const MOST_LEAVING: usize = 200;

/// The rows of one kind: sorted, filtered and counted, at a cost that does not grow with their number.
///
/// An update of one object compares O(log n) rows; only another sort or filter goes through all of them.
#[derive(Debug, Default)]
pub struct TableModel {
    slots: Vec<Option<Slot>>,
    free: Vec<u32>,
    by_key: HashMap<String, u32, FxBuildHasher>,
    /// Slots of the rows to be shown, the leaving ones among them.
    visible: SortedList,
    /// From the first to go to the last.
    leaving: VecDeque<(Timestamp, u32)>,
    leaving_visible: usize,
    namespaces: BTreeMap<String, usize>,
    sort: Sort,
    filter: Filter,
}

#[derive(Debug)]
struct Slot {
    row: Arc<Row>,
    leaving: Leaving,
    is_visible: bool,
}

/// Whether the row's object is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaving {
    #[default]
    No,
    /// The object is gone; the row goes within a second.
    Yes,
}

/// By a column, or by namespace and name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    pub column: Option<usize>,
    pub is_descending: bool,
}

/// Which rows are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Empty for all.
    pub namespaces: BTreeSet<String>,
    pub query: Query,
}

/// A row in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct VisibleRow {
    pub row: Arc<Row>,
    /// Its place in the list of what is shown.
    pub index: usize,
    pub leaving: Leaving,
}

impl Filter {
    pub fn matches(&self, row: &Row) -> bool {
        self.is_in_namespaces(row) && self.query.matches(row)
    }

    fn is_in_namespaces(&self, row: &Row) -> bool {
        self.namespaces.is_empty() || self.namespaces.contains(row.namespace.as_ref())
    }
}

/// Changes.
impl TableModel {
    /// Shows the newest state of an object.
    pub fn upsert(&mut self, mut row: Row, now: Timestamp) {
        let key = row.key();
        match self.by_key.get(&key).copied() {
            Some(id) if self.row(id).uid == row.uid => {
                row.succeed(self.row(id), now);
                self.hide(id);
                if let Some(slot) = self.slot_mut(id) {
                    slot.row = Arc::new(row);
                }
                self.show(id);
            }
            Some(_) => {
                self.remove(&key, now);
                self.insert(key, row);
            }
            None => self.insert(key, row),
        }
    }

    /// Strikes the row of an object that is gone; [`expire`](Self::expire) takes it away.
    pub fn remove(&mut self, key: &str, now: Timestamp) {
        let Some(id) = self.by_key.remove(key) else { return };
        self.count_namespace(id, false);
        let is_visible = self.slot(id).is_some_and(|slot| slot.is_visible);
        if !is_visible || self.leaving.len() >= MOST_LEAVING {
            self.hide(id);
            self.release(id);
            return;
        }
        if let Some(slot) = self.slot_mut(id) {
            slot.leaving = Leaving::Yes;
        }
        self.leaving_visible += 1;
        let until = now.saturating_add(LEAVING).unwrap_or(now);
        self.leaving.push_back((until, id));
    }

    /// Takes away the rows that have stood struck for long enough; tells whether there were any.
    pub fn expire(&mut self, now: Timestamp) -> bool {
        let mut any = false;
        while let Some((_, id)) = self.leaving.pop_front_if(|(until, _)| *until <= now) {
            self.hide(id);
            self.release(id);
            any = true;
        }
        any
    }

    /// Sorts anew.
    pub fn set_sort(&mut self, sort: Sort) {
        if self.sort != sort {
            self.sort = sort;
            self.rebuild();
        }
    }

    /// Filters anew.
    pub fn set_filter(&mut self, filter: Filter) {
        if self.filter != filter {
            self.filter = filter;
            self.rebuild();
        }
    }

    fn insert(&mut self, key: String, row: Row) {
        // The very object that was struck is back.
        if let Some(at) = self.leaving.iter().position(|(_, id)| self.row(*id).uid == row.uid)
            && let Some((_, id)) = self.leaving.remove(at)
        {
            self.hide(id);
            self.release(id);
        }
        let slot = Some(Slot { row: Arc::new(row), leaving: Leaving::No, is_visible: false });
        let id = match self.free.pop() {
            Some(id) => {
                self.slots[id as usize] = slot;
                id
            }
            None => {
                self.slots.push(slot);
                u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.by_key.insert(key, id);
        self.count_namespace(id, true);
        self.show(id);
    }

    fn count_namespace(&mut self, id: u32, is_added: bool) {
        let namespace = self.row(id).namespace.to_string();
        let count = self.namespaces.entry(namespace.clone()).or_default();
        *count = if is_added { *count + 1 } else { count.saturating_sub(1) };
        if *count == 0 {
            self.namespaces.remove(&namespace);
        }
    }

    fn release(&mut self, id: u32) {
        self.slots[id as usize] = None;
        self.free.push(id);
    }

    fn show(&mut self, id: u32) {
        if !self.filter.matches(self.row(id)) {
            return;
        }
        let (slots, sort) = (&self.slots, self.sort);
        self.visible.insert(id, |a, b| compare(slots, sort, a, b));
        self.mark(id, true);
    }

    fn hide(&mut self, id: u32) {
        if !self.slot(id).is_some_and(|slot| slot.is_visible) {
            return;
        }
        let (slots, sort) = (&self.slots, self.sort);
        self.visible.remove(|other| compare(slots, sort, other, id));
        self.mark(id, false);
    }

    fn mark(&mut self, id: u32, is_visible: bool) {
        let Some(slot) = self.slot_mut(id) else { return };
        if slot.is_visible == is_visible {
            return;
        }
        slot.is_visible = is_visible;
        if slot.leaving == Leaving::Yes {
            self.leaving_visible =
                if is_visible { self.leaving_visible + 1 } else { self.leaving_visible.saturating_sub(1) };
        }
    }

    fn rebuild(&mut self) {
        let mut shown = Vec::new();
        self.leaving_visible = 0;
        for (id, slot) in self.slots.iter_mut().enumerate() {
            let Some(slot) = slot else { continue };
            slot.is_visible = self.filter.matches(&slot.row);
            if slot.is_visible {
                shown.push(u32::try_from(id).unwrap_or(u32::MAX));
                self.leaving_visible += usize::from(slot.leaving == Leaving::Yes);
            }
        }
        let (slots, sort) = (&self.slots, self.sort);
        self.visible.rebuild(shown, |a, b| compare(slots, sort, a, b));
    }

    fn slot_mut(&mut self, id: u32) -> Option<&mut Slot> {
        self.slots.get_mut(id as usize)?.as_mut()
    }
}

/// Reads.
impl TableModel {
    pub const fn sort(&self) -> Sort {
        self.sort
    }

    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Objects there are.
    pub fn total(&self) -> usize {
        self.by_key.len()
    }

    /// Objects that the filter lets through.
    pub const fn shown(&self) -> usize {
        self.visible.len() - self.leaving_visible
    }

    /// Rows to be laid out: those shown and those that are leaving.
    pub const fn rows(&self) -> usize {
        self.visible.len()
    }

    /// The namespaces that objects are in, with how many are in each.
    pub const fn namespaces(&self) -> &BTreeMap<String, usize> {
        &self.namespaces
    }

    /// When the next leaving row is to go.
    pub fn next_expiry(&self) -> Option<Timestamp> {
        self.leaving.front().map(|(until, _)| *until)
    }

    /// The rows of a range of places; shorter when the list ends before.
    pub fn window(&self, range: std::ops::Range<usize>) -> Vec<VisibleRow> {
        let ids = self.visible.iter_from(range.start).take(range.len());
        let in_place = |(offset, id)| {
            let slot = self.slot(id)?;
            Some(VisibleRow { row: slot.row.clone(), index: range.start + offset, leaving: slot.leaving })
        };
        ids.enumerate().filter_map(in_place).collect()
    }

    /// The place of the object's row among those shown.
    pub fn index_of(&self, key: &str) -> Option<usize> {
        let id = *self.by_key.get(key)?;
        let (slots, sort) = (&self.slots, self.sort);
        self.visible.position(|other| compare(slots, sort, other, id))
    }

    pub fn get(&self, key: &str) -> Option<Arc<Row>> {
        let id = *self.by_key.get(key)?;
        Some(self.slot(id)?.row.clone())
    }

    fn slot(&self, id: u32) -> Option<&Slot> {
        self.slots.get(id as usize)?.as_ref()
    }

    fn row(&self, id: u32) -> &Row {
        &self.slots[id as usize].as_ref().expect("an id in use has its slot").row
    }
}

/// A total order: rows that are equal in the sorted column stand by namespace and name, and by uid at last.
fn compare(slots: &[Option<Slot>], sort: Sort, a: u32, b: u32) -> Ordering {
    let row = |id: u32| slots.get(id as usize).and_then(Option::as_ref).map(|slot| &slot.row);
    let (Some(a), Some(b)) = (row(a), row(b)) else { return a.cmp(&b) };
    let cells = sort.column.and_then(|column| Some((a.cells.get(column)?, b.cells.get(column)?)));
    let by_column = cells.map_or(Ordering::Equal, |(a, b)| a.compare(b));
    let by_column = if sort.is_descending { by_column.reverse() } else { by_column };
    by_column.then_with(|| (&a.namespace, &a.name, &a.uid).cmp(&(&b.namespace, &b.name, &b.uid)))
}

#[cfg(test)]
#[path = "table_test.rs"]
mod tests;
