use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::time::Duration;

use jiff::Timestamp;

use super::arena::push;
use super::marks::Marks;
use super::preview::Preview;
use super::rows::Rows;
use super::values::Names;
use super::{Query, Resource, Row, SortedList, Subject, has_namespace};
use crate::api::Object;

/// How long a row stands struck after its object is gone.
const LEAVING: Duration = Duration::from_secs(1);

/// No screen shows more rows at once; those beyond go without a farewell.
const MOST_LEAVING: usize = 200;

/// The rows of one kind: sorted, filtered and counted, at a cost that does not grow with their number.
///
/// An update of one object compares O(log n) rows, and none when no cell changes; only another sort or filter goes
/// through all of them.
#[derive(Debug)]
pub struct TableModel {
    pub(super) rows: Rows,
    /// By slot.
    pub(super) is_visible: Vec<bool>,
    /// Slots of all rows by namespace, name, kind and uid, the leaving ones among them.
    pub(super) order: SortedList,
    /// Slots of the rows to be shown; none when they are all there are, in that order.
    pub(super) shown: Option<SortedList>,
    /// From the first to go to the last.
    pub(super) leaving: VecDeque<(Timestamp, u32)>,
    pub(super) leaving_visible: usize,
    pub(super) sort: Sort,
    pub(super) filter: Filter,
    pub(super) preview: Preview,
    /// The last that was told.
    pub(super) now: Timestamp,
    namespaces: BTreeMap<String, usize>,
    marks: Marks,
    /// How far [`read_ahead`](Self::read_ahead) has come.
    read_to: u32,
    /// The places that somebody looks at.
    looked_at: Range<usize>,
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

impl Sort {
    /// What comes of an order from small to large.
    pub(super) const fn turned(self, order: Ordering) -> Ordering {
        if self.is_descending { order.reverse() } else { order }
    }
}

/// Which rows are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Names, and patterns with `*` for any letters; empty for all.
    pub namespaces: BTreeSet<String>,
    pub query: Query,
    /// The columns that are not shown, a bit for each place: no text is looked for in them.
    pub hidden: u64,
}

/// A row in its place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VisibleRow {
    pub row: Row,
    /// Its place in the list of what is shown.
    pub index: usize,
    pub leaving: Leaving,
}

impl Filter {
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        self.has_namespace(&subject.row.namespace) && self.query.matches(subject)
    }

    /// Every row matches.
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty() && self.query.is_empty()
    }

    /// Each row that this matches is one that the other matches too.
    pub(super) fn narrows(&self, other: &Self) -> bool {
        let is_inside = !self.namespaces.is_empty() && self.namespaces.is_subset(&other.namespaces);
        (other.namespaces.is_empty() || is_inside) && self.hidden == other.hidden && self.query.narrows(&other.query)
    }

    /// What is in no namespace is in all of them.
    pub(super) fn has_namespace(&self, namespace: &str) -> bool {
        self.namespaces.is_empty() || namespace.is_empty() || has_namespace(&self.namespaces, namespace)
    }
}

/// Changes.
impl TableModel {
    /// An empty table. `NAMESPACE` and `NAME` among the columns are taken to repeat the object's own.
    pub fn new(resource: &'static Resource) -> Self {
        Self {
            rows: Rows::new(resource),
            is_visible: Vec::new(),
            order: SortedList::default(),
            shown: None,
            leaving: VecDeque::new(),
            leaving_visible: 0,
            sort: Sort::default(),
            filter: Filter::default(),
            preview: Preview::default(),
            now: Timestamp::UNIX_EPOCH,
            namespaces: BTreeMap::new(),
            marks: Marks::default(),
            read_to: 0,
            looked_at: 0..usize::MAX,
        }
    }

    /// Shows the newest state of an object; tells whether anything changed by it that is shown where somebody looks.
    pub fn upsert(&mut self, object: &Object, now: Timestamp) -> bool {
        self.now = now;
        match self.find_object(object) {
            Some(slot) if self.rows.has_uid(slot, &object.uid()) => self.update(slot, object, now, true),
            Some(slot) => {
                self.leave(slot, now);
                self.insert(object);
                true
            }
            None => {
                self.insert(object);
                true
            }
        }
    }

    /// Takes over an object that says the same in all cells as the one before it, so that this one can go.
    pub fn replace(&mut self, object: &Object) {
        let slot = self.find_object(object).filter(|slot| self.rows.has_uid(*slot, &object.uid()));
        if let Some(slot) = slot {
            self.rows.replace(slot, object.clone());
            if self.reads_objects() {
                self.set_visible(slot, self.lets_through(&self.rows.row(slot), object));
            }
        }
    }

    /// Strikes the row of an object that is gone; [`expire`](Self::expire) takes it away. Tells whether there was one.
    pub fn remove(&mut self, key: &str, now: Timestamp) -> bool {
        let slot = self.find_key(key);
        if let Some(slot) = slot {
            self.leave(slot, now);
        }
        slot.is_some()
    }

    /// Reads cells that nobody has asked for yet, so that a sort or a query finds them, until it is enough.
    pub fn read_ahead(&mut self, is_enough: impl Fn() -> bool) {
        self.read_to = self.rows.read_from(self.read_to, is_enough);
        if self.rows.unread() == 0 || self.read_to as usize >= self.is_visible.len() {
            self.read_to = 0;
        }
    }

    /// Takes away the rows that have stood struck for long enough, and puts out the lights of changed cells; tells whether
    /// that is to be seen.
    pub fn expire(&mut self, now: Timestamp) -> bool {
        self.now = now;
        let mut any = self.marks.expire(now).into_iter().any(|slot| self.is_looked_at(slot));
        while let Some((_, slot)) = self.leaving.pop_front_if(|(until, _)| *until <= now) {
            self.end_leaving(slot);
            any = true;
        }
        any
    }

    /// Takes a row away at once.
    pub(super) fn take_away(&mut self, slot: u32) {
        self.count_namespace(slot, false);
        self.release(slot);
    }

    fn leave(&mut self, slot: u32, now: Timestamp) {
        if !self.is_visible[slot as usize] || self.leaving.len() >= MOST_LEAVING {
            self.take_away(slot);
            return;
        }
        self.count_namespace(slot, false);
        self.preview.forget(slot);
        self.leaving_visible += 1;
        let until = now.saturating_add(LEAVING).unwrap_or(now);
        self.leaving.push_back((until, slot));
    }

    /// The row is no longer among the leaving ones.
    fn end_leaving(&mut self, slot: u32) {
        self.leaving_visible -= usize::from(self.is_visible[slot as usize]);
        self.release(slot);
    }

    pub(super) fn update(&mut self, slot: u32, object: &Object, now: Timestamp, is_lit: bool) -> bool {
        self.rows.read(slot);
        let row = self.rows.row_of(object);
        self.rows.replace(slot, object.clone());
        let changed = self.rows.difference(slot, &row);
        let was_visible = self.is_visible[slot as usize];
        if changed == 0 {
            if self.reads_objects() {
                self.set_visible(slot, self.lets_through(&row, object));
            }
            return was_visible != self.is_visible[slot as usize];
        }
        let is_moved = self.sort.column.is_some_and(|column| changed >> column.min(63) & 1 == 1);
        let is_visible = self.lets_through(&row, object);
        if was_visible && (is_moved || !is_visible) {
            self.hide(slot);
        }
        self.rows.update(slot, &row);
        if is_visible && (is_moved || !was_visible) {
            self.show(slot);
        }
        if is_lit {
            self.marks.set(slot, changed as u32, now);
        }
        was_visible != is_visible || (is_visible && (is_moved || self.is_looked_at(slot)))
    }

    fn is_looked_at(&self, slot: u32) -> bool {
        let place = || self.list().position(|other| compare(&self.rows, self.sort, other, slot));
        self.looked_at == (0..usize::MAX) || place().is_some_and(|place| self.looked_at.contains(&place))
    }

    pub(super) fn insert(&mut self, object: &Object) -> u32 {
        self.unstrike(object);
        let slot = self.rows.insert(object.clone());
        let rows = &self.rows;
        self.order.insert(slot, |a, b| rows.compare(a, b));
        self.place(slot);
        slot
    }

    /// Inserts an object that is beyond all that are there, as each is while a list comes in its order.
    pub(super) fn append(&mut self, object: &Object) -> Option<u32> {
        let names = names_of(object);
        if self.order.last().is_some_and(|last| self.rows.compare_names(last, names).is_ge()) {
            return None;
        }
        let slot = self.rows.insert(object.clone());
        self.order.append(slot);
        self.place(slot);
        Some(slot)
    }

    /// Counts and shows what stands in the order.
    fn place(&mut self, slot: u32) {
        if self.is_visible.len() <= slot as usize {
            push(&mut self.is_visible, false);
        }
        self.count_namespace(slot, true);
        let is_visible = match self.needs_cells() {
            true => {
                self.rows.read(slot);
                self.rows.object(slot).is_some_and(|object| self.lets_through(&self.rows.row(slot), object))
            }
            false => self.filter.has_namespace(self.rows.namespace_text(slot)),
        };
        if is_visible {
            self.show(slot);
        }
    }

    /// Takes the row of this very object away if it was struck: it is back.
    fn unstrike(&mut self, object: &Object) {
        if self.leaving.is_empty() {
            return;
        }
        let struck = self.named(names_of(object)).find(|slot| self.rows.has_uid(*slot, &object.uid()));
        let at = self.leaving.iter().position(|(_, slot)| Some(*slot) == struck);
        if let Some((_, slot)) = at.and_then(|at| self.leaving.remove(at)) {
            self.end_leaving(slot);
        }
    }

    /// The slot of an object of this kind and these names that is not gone.
    pub(super) fn find_object(&self, object: &Object) -> Option<u32> {
        self.find(self.rows.resource().member_of(object), names_of(object))
    }

    fn find(&self, member: usize, names: Names<'_>) -> Option<u32> {
        self.named(names).find(|slot| self.rows.member(*slot) == member && !self.is_leaving(*slot))
    }

    /// The slots of all that bear or bore these names.
    fn named(&self, names: Names<'_>) -> impl Iterator<Item = u32> {
        let from = self.order.iter_at(move |slot| self.rows.compare_names(slot, names));
        from.take_while(move |slot| self.rows.compare_names(*slot, names).is_eq())
    }

    /// The slot of a key as [`Row::key`] makes it.
    pub(super) fn find_key(&self, key: &str) -> Option<u32> {
        let (member, key) = self.rows.resource().member_of_key(key)?;
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        self.find(member, Names { namespace, name })
    }

    fn count_namespace(&mut self, slot: u32, is_added: bool) {
        let namespace = self.rows.namespace_text(slot);
        match self.namespaces.get_mut(namespace) {
            Some(count) if is_added => *count += 1,
            Some(count) if *count > 1 => *count -= 1,
            Some(_) => {
                self.namespaces.remove(namespace);
            }
            None => {
                self.namespaces.insert(namespace.into(), 1);
            }
        }
    }

    fn release(&mut self, slot: u32) {
        if self.is_visible[slot as usize] {
            self.hide(slot);
        }
        let rows = &self.rows;
        self.order.remove(|other| rows.compare(other, slot));
        self.marks.forget(slot);
        self.preview.forget(slot);
        self.rows.release(slot);
    }

    fn set_visible(&mut self, slot: u32, is_visible: bool) {
        match self.is_visible[slot as usize] {
            was_visible if was_visible == is_visible => {}
            true => self.hide(slot),
            false => self.show(slot),
        }
    }

    fn show(&mut self, slot: u32) {
        if let Some(shown) = &mut self.shown {
            let (rows, sort) = (&self.rows, self.sort);
            shown.insert(slot, |a, b| compare(rows, sort, a, b));
        }
        self.is_visible[slot as usize] = true;
    }

    fn hide(&mut self, slot: u32) {
        if let Some(shown) = &mut self.shown {
            let (rows, sort) = (&self.rows, self.sort);
            shown.remove(|other| compare(rows, sort, other, slot));
        }
        self.is_visible[slot as usize] = false;
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
        self.order.len() - self.leaving.len()
    }

    /// There are cells that nobody has asked for yet; see [`read_ahead`](Self::read_ahead).
    pub fn has_unread(&self) -> bool {
        self.rows.unread() > 0
    }

    /// Objects that the filter lets through.
    pub fn shown(&self) -> usize {
        self.rows() - self.leaving_visible
    }

    /// Rows to be laid out: those shown and those that are leaving.
    pub fn rows(&self) -> usize {
        self.list().len()
    }

    /// Those of all rows, whether or not they are shown.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        self.order.iter_from(0).map(|slot| self.rows.key(slot))
    }

    /// The namespaces that objects are in, with how many are in each.
    pub const fn namespaces(&self) -> &BTreeMap<String, usize> {
        &self.namespaces
    }

    /// When the next leaving row is to go.
    pub fn next_expiry(&self) -> Option<Timestamp> {
        let leaving = self.leaving.front().map(|(until, _)| *until);
        leaving.into_iter().chain(self.marks.next_expiry()).min()
    }

    /// As [`window`](Self::window), where somebody looks from now on: cells that change elsewhere need no redraw.
    pub fn look_at(&mut self, range: Range<usize>) -> Vec<VisibleRow> {
        self.looked_at = range.clone();
        self.window(range)
    }

    /// The rows of a range of places; shorter when the list ends before.
    pub fn window(&self, range: Range<usize>) -> Vec<VisibleRow> {
        let slots = self.list().iter_from(range.start).take(range.len());
        let in_place = |(offset, slot)| VisibleRow {
            row: self.row(slot),
            index: range.start + offset,
            leaving: if self.is_leaving(slot) { Leaving::Yes } else { Leaving::No },
        };
        slots.enumerate().map(in_place).collect()
    }

    /// The place of the object's row among those shown.
    pub fn index_of(&self, key: &str) -> Option<usize> {
        let slot = self.find_key(key)?;
        let sort = if self.shown.is_some() { self.sort } else { Sort::default() };
        self.list().position(|other| compare(&self.rows, sort, other, slot))
    }

    pub fn get(&self, key: &str) -> Option<Row> {
        Some(self.row(self.find_key(key)?))
    }

    /// The object of a key, also where the filter hides it.
    pub fn object(&self, key: &str) -> Option<Object> {
        self.rows.object(self.find_key(key)?).cloned()
    }

    /// The memory that the table holds, of its own and for what it shows.
    pub fn heap_bytes(&self) -> usize {
        let shown = self.shown.as_ref().map_or(0, SortedList::heap_bytes);
        let lists = self.order.heap_bytes() + shown + self.is_visible.capacity();
        self.rows.heap_bytes() + lists + self.marks.heap_bytes()
    }

    pub(super) fn list(&self) -> &SortedList {
        self.shown.as_ref().unwrap_or(&self.order)
    }

    /// What is shown depends on more than the names.
    pub(super) fn needs_cells(&self) -> bool {
        self.sort.column.is_some() || !self.filter.query.is_empty()
    }

    pub(super) fn is_leaving(&self, slot: u32) -> bool {
        self.leaving.iter().any(|(_, other)| *other == slot)
    }

    fn row(&self, slot: u32) -> Row {
        Row { lit: self.marks.get(slot), ..self.rows.row(slot) }
    }
}

fn names_of(object: &Object) -> Names<'_> {
    Names { namespace: object.namespace(), name: object.name() }
}

/// A total order: rows that are equal in the sorted column stand by namespace and name, and by uid at last.
fn compare(rows: &Rows, sort: Sort, a: u32, b: u32) -> Ordering {
    let by_column = sort.column.map_or(Ordering::Equal, |column| rows.compare_cells(column, a, b));
    let by_column = sort.turned(by_column);
    by_column.then_with(|| rows.compare(a, b))
}

#[cfg(test)]
#[path = "table_test.rs"]
mod tests;
