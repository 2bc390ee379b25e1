use jiff::Timestamp;

use super::arena::small;
use super::natural::compare_values;
use super::search::Search;
use super::sort_numbers::{sort_numbers, sorted_numbers};
use super::values::{Kind, Values};
use super::{Beside, Filter, Row, Sort, SortedList, Subject, TableModel};
use crate::api::Object;

/// What goes through many rows.
impl TableModel {
    /// Sorts anew.
    pub fn set_sort(&mut self, sort: Sort) {
        if self.sort == sort {
            return;
        }
        self.sort = sort;
        self.read_if_needed();
        let kind = self.sort.column.and_then(|column| self.rows.columns().get(column)).map(Values::kind);
        if kind == Some(Kind::Name) {
            self.rows.list_names();
        }
        let visible: Vec<u32> = self.order.iter_from(0).filter(|slot| self.is_visible[*slot as usize]).collect();
        self.show_only(self.sorted(visible));
    }

    /// Filters anew; a filter that is narrower than the last looks only at what that one let through.
    ///
    /// A query that is [timed](super::Query::is_timed) is asked for the last moment that the table was told of: see
    /// [`filter_again`](Self::filter_again).
    pub fn set_filter(&mut self, filter: Filter) {
        if self.filter == filter {
            return;
        }
        let is_narrower = filter.narrows(&self.filter);
        self.filter = filter;
        self.filter_rows(is_narrower);
    }

    /// Filters anew for this moment if time may have changed what the query lets through; tells whether it has.
    pub fn filter_again(&mut self, now: Timestamp) -> bool {
        self.now = now;
        if !self.filter.query.is_timed() {
            return false;
        }
        let before = self.is_visible.clone();
        self.filter_rows(false);
        self.is_visible != before
    }

    /// Takes over what is told beside the objects, which [`show_beside`](Self::show_beside) shows; tells whether
    /// something was told before.
    pub fn set_beside(&mut self, beside: Beside) -> bool {
        self.rows.set_beside(beside)
    }

    /// Shows what is told beside the objects, in the order of the slots from one on, until it is enough; where to go
    /// on, none when all is shown.
    pub fn show_beside(
        &mut self,
        first: u32,
        now: Timestamp,
        is_lit: bool,
        is_enough: impl Fn() -> bool,
    ) -> Option<u32> {
        for slot in first..small(self.is_visible.len()) {
            if self.rows.is_as_told(slot) || self.is_leaving(slot) {
                continue;
            }
            if let Some(object) = self.rows.object(slot).cloned() {
                self.update(slot, &object, now, is_lit);
            }
            if is_enough() {
                return Some(slot + 1);
            }
        }
        None
    }

    /// The row of an object's state, whether or not it is the one that is shown.
    pub fn row_of(&self, object: &Object) -> Row {
        self.rows.row_of(object)
    }

    /// Whether the filter lets the row of an object through.
    pub(super) fn lets_through(&self, row: &Row, object: &Object) -> bool {
        let resource = self.rows.resource();
        self.filter.matches(&Subject { resource, row, object, hidden: self.filter.hidden, now: self.now })
    }

    /// A change of an object that changes no cell may change whether it is let through.
    pub(super) fn reads_objects(&self) -> bool {
        self.filter.query.reads_objects() || !self.rows.resource().members().is_empty()
    }

    fn filter_rows(&mut self, is_narrower: bool) {
        self.read_if_needed();
        if !self.filter.query.is_empty() {
            self.rows.list_names();
        }
        let mut search = Search::new(&self.rows, &self.filter, self.now);
        let candidates = if is_narrower { self.list() } else { &self.order };
        let found: Vec<u32> = candidates.iter_from(0).filter(|slot| search.matches(*slot)).collect();
        self.is_visible.fill(false);
        for slot in &found {
            self.is_visible[*slot as usize] = true;
        }
        let found = if is_narrower { found } else { self.sorted(found) };
        self.show_only(found);
    }

    /// A sorted column and a query look at the cells of all rows.
    fn read_if_needed(&mut self) {
        if self.needs_cells() {
            self.rows.read_from(0, || false);
        }
    }

    /// Takes over the list of what is visible, in its order.
    fn show_only(&mut self, slots: Vec<u32>) {
        let is_all = self.sort.column.is_none() && self.filter.is_empty();
        self.shown = (!is_all).then(|| SortedList::of_sorted(&slots));
        self.leaving_visible = self.leaving.iter().filter(|(_, slot)| self.is_visible[*slot as usize]).count();
    }

    /// As [`sorted`](Self::sorted) by the namespaces: those of one stand together already.
    fn by_namespace(&self, slots: &[u32]) -> Vec<u32> {
        let runs: Vec<_> = slots.chunk_by(|a, b| self.rows.namespace(*a) == self.rows.namespace(*b)).collect();
        let name = |run: usize| runs[run].first().map_or("", |slot| self.rows.namespace_text(*slot));
        let runs_in_order = sorted_numbers(runs.len(), &mut |a, b| self.sort.turned(compare_values(name(a), name(b))));
        runs_in_order.into_iter().flat_map(|run| runs[run as usize]).copied().collect()
    }

    /// As [`sorted`](Self::sorted) by the names; they stand in sorted runs already, one for each namespace.
    fn sorted_by_name(&self, slots: &[u32]) -> Vec<u32> {
        // Close to one another, they are compared in half the time.
        let list = self.rows.name_list();
        let name = |slot| list.and_then(|list| list.get(slot)).unwrap_or_else(|| self.rows.name(slot));
        let names: Vec<&str> = slots.iter().map(|slot| name(*slot)).collect();
        let sorted = sorted_numbers(names.len(), &mut |a, b| self.sort.turned(compare_values(names[a], names[b])));
        sorted.into_iter().map(|at| slots[at as usize]).collect()
    }

    /// Sorts slots that stand by namespace, name and uid; those whose cells are equal stay so.
    fn sorted(&self, mut slots: Vec<u32>) -> Vec<u32> {
        let Some(column) = self.sort.column else { return slots };
        let Some(values) = self.rows.columns().get(column) else { return slots };
        match values.kind() {
            Kind::Name if values.is_uniform() => return self.sorted_by_name(&slots),
            Kind::Namespace if values.is_uniform() => return self.by_namespace(&slots),
            _ => {}
        }
        let Some(key) = values.keys() else {
            sort_numbers(&mut slots, &mut |a, b| self.sort.turned(self.rows.compare_cells(column, a, b)));
            return slots;
        };
        let keys: Vec<u64> = slots.iter().map(|slot| key(*slot)).collect();
        let sorted = sorted_numbers(keys.len(), &mut |a, b| self.sort.turned(keys[a].cmp(&keys[b])));
        sorted.into_iter().map(|at| slots[at as usize]).collect()
    }
}
