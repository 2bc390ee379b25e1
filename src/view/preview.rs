use std::hash::BuildHasher as _;

use jiff::Timestamp;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::values::Names;
use super::{Row, TableModel};

/// The rows that are shown before their list is whole, with the versions of their objects.
#[derive(Debug, Default)]
pub(super) struct Preview {
    /// A hash of each object's resourceVersion, by slot.
    versions: FxHashMap<u32, u64>,
}

impl Preview {
    pub(super) fn forget(&mut self, slot: u32) {
        if !self.versions.is_empty() {
            self.versions.remove(&slot);
        }
    }
}

/// A list that is still under way.
impl TableModel {
    /// Shows an object of a list that is not whole yet.
    pub fn preview(&mut self, row: &Row, resource_version: &str, now: Timestamp) {
        self.upsert(row, now);
        if let Some(slot) = self.rows.find_names(Names { namespace: &row.namespace, name: &row.name }) {
            self.preview.versions.insert(slot, FxBuildHasher.hash_one(resource_version));
        }
    }

    /// The informer tells of an object: whether it was previewed in this version, so that its row is as it is to be.
    pub fn confirm_preview(&mut self, namespace: &str, name: &str, resource_version: &str) -> bool {
        if !self.has_preview() {
            return false;
        }
        let slot = self.rows.find_names(Names { namespace, name });
        let version = slot.and_then(|slot| self.preview.versions.remove(&slot));
        if !self.has_preview() {
            self.preview = Preview::default();
        }
        version == Some(FxBuildHasher.hash_one(resource_version))
    }

    /// Rows are shown of whose objects the informer has not told yet.
    pub fn has_preview(&self) -> bool {
        !self.preview.versions.is_empty()
    }

    /// Takes the previewed rows away whose objects the list does not have; tells whether there were any.
    ///
    /// Nothing is kept after a list that failed: `is_kept` is given each key.
    pub fn keep_of_preview(&mut self, is_kept: impl Fn(&str) -> bool) -> bool {
        let mut gone: Vec<u32> = self.preview.versions.keys().copied().collect();
        gone.retain(|slot| !is_kept(&self.rows.key(*slot)));
        for slot in &gone {
            self.take_away(*slot);
        }
        !gone.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Cell;

    fn row(name: &str, restarts: i64) -> Row {
        let cells = [Cell::text(name), Cell::Restarts { count: restarts, last: None }];
        Row { uid: name.into(), name: name.into(), namespace: "a".into(), cells: cells.into(), ..Row::default() }
    }

    fn previewed(names: &[&str]) -> (TableModel, Timestamp) {
        let (mut table, now) = (TableModel::default(), Timestamp::from_second(1_796_000_000).unwrap());
        for name in names {
            table.preview(&row(name, 0), "7", now);
        }
        (table, now)
    }

    #[test]
    fn what_the_whole_list_has_stays_and_what_it_does_not_have_goes_at_once() {
        let (mut table, now) = previewed(&["1", "2", "3"]);
        assert_eq!((table.total(), table.rows()), (3, 3));
        assert!(table.keep_of_preview(|key| key != "a/2"));
        assert_eq!((table.total(), table.rows(), table.get("a/2")), (2, 2, None));
        assert!(table.confirm_preview("a", "1", "7"), "it stands as it is");
        assert!(!table.confirm_preview("a", "1", "7"), "and that is said once");
        assert!(!table.confirm_preview("a", "2", "7") && !table.confirm_preview("a", "3", "8"));
        assert!(!table.has_preview() && !table.keep_of_preview(|_| false));
        table.upsert(&row("1", 3), now);
        assert_eq!(table.get("a/1").unwrap().changed, 0b10);
        assert_eq!(table.total(), 2);
    }

    #[test]
    fn a_list_that_failed_leaves_nothing() {
        let (mut table, now) = previewed(&["1", "2"]);
        table.remove("a/2", now);
        table.keep_of_preview(|_| false);
        assert_eq!((table.total(), table.rows()), (0, 1), "one has its farewell");
        table.expire(now.saturating_add(std::time::Duration::from_secs(1)).unwrap());
        assert_eq!(table.rows(), 0);
        assert!(table.namespaces().is_empty());
    }
}
