use super::TableModel;
use super::arena::small;
use crate::api::Object;

/// The rows that are shown before their list is whole.
#[derive(Debug, Default)]
pub(super) struct Preview {
    /// By slot: the informer has not told of the row's object yet.
    is_untold: Vec<bool>,
    untold: usize,
    /// The informer tells in the order of the list, which is that of the slots.
    next: u32,
    /// An object came twice: the list began anew.
    is_repeated: bool,
}

impl Preview {
    fn add(&mut self, slot: u32) {
        if self.is_untold.len() <= slot as usize {
            self.is_untold.resize(slot as usize + 1, false);
        }
        self.untold += usize::from(!std::mem::replace(&mut self.is_untold[slot as usize], true));
    }

    pub(super) fn forget(&mut self, slot: u32) {
        if self.is_untold.get_mut(slot as usize).is_some_and(std::mem::take) {
            self.untold -= 1;
            if self.untold == 0 {
                *self = Self::default();
            }
        }
    }
}

/// A list that is still under way.
impl TableModel {
    /// Shows an object of a list that is not whole yet.
    pub fn preview(&mut self, object: &Object) {
        let slot = match self.append(object) {
            Some(slot) => slot,
            None => {
                if let Some(known) = self.find_object(object) {
                    self.preview.is_repeated = true;
                    self.take_away(known);
                }
                self.insert(object)
            }
        };
        self.preview.add(slot);
    }

    /// The informer tells of an object: whether it is the one that was previewed, so that its row is as it is to be.
    pub fn confirm_preview(&mut self, object: &Object) -> bool {
        if !self.has_preview() {
            return false;
        }
        let is_it = |slot: &u32| self.rows.object(*slot).is_some_and(|held| Object::ptr_eq(held, object));
        let next = Some(self.preview.next).filter(is_it);
        let slot = next.or_else(|| self.find_object(object));
        let Some(slot) = slot else { return false };
        let is_same = is_it(&slot);
        self.preview.next = slot + 1;
        self.preview.forget(slot);
        is_same
    }

    /// Rows are shown of whose objects the informer has not told yet.
    pub fn has_preview(&self) -> bool {
        self.preview.untold > 0
    }

    /// Whether an object came twice: a list began anew on its way, and may have lost what came first.
    pub const fn has_repeated(&self) -> bool {
        self.preview.is_repeated
    }

    /// Whether rows may stand that the whole list of so many objects does not hold: it began anew on its way.
    pub fn has_more_than(&self, listed: usize) -> bool {
        self.preview.is_repeated || self.total() > listed
    }

    /// Takes the previewed rows away whose objects the list does not have; tells whether there were any.
    ///
    /// Nothing is kept after a list that failed: `is_kept` is given each key.
    pub fn keep_of_preview(&mut self, is_kept: impl Fn(&str) -> bool) -> bool {
        let untold = self.preview.is_untold.iter().enumerate().filter(|(_, is_untold)| **is_untold);
        let mut gone: Vec<u32> = untold.map(|(slot, _)| small(slot)).collect();
        gone.retain(|slot| !is_kept(&self.rows.key(*slot)));
        for slot in &gone {
            self.take_away(*slot);
        }
        !gone.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::view::rows_of_tests::{ANY, object};
    use crate::view::{Cell, Filter, Leaving, Query, Row, Sort};

    fn pod(name: &str, restarts: i64) -> Object {
        let cells = [Cell::text(name), Cell::Restarts { count: restarts, last: None }];
        let row = Row { uid: name.into(), name: name.into(), namespace: "a".into(), ..Row::default() };
        object(&Row { cells: cells.into(), ..row })
    }

    fn now() -> Timestamp {
        Timestamp::from_second(1_796_000_000).unwrap()
    }

    fn previewed(names: &[&str]) -> (TableModel, Vec<Object>) {
        let (mut table, pods) = (TableModel::new(&ANY), names.iter().map(|name| pod(name, 0)).collect::<Vec<_>>());
        pods.iter().for_each(|pod| table.preview(pod));
        (table, pods)
    }

    #[test]
    fn what_the_whole_list_has_stays_and_what_it_does_not_have_goes_at_once() {
        let (mut table, pods) = previewed(&["1", "2", "3"]);
        assert_eq!((table.total(), table.rows()), (3, 3));
        assert!(!table.has_more_than(3) && table.has_more_than(2));
        assert!(table.keep_of_preview(|key| key != "a/2"));
        assert_eq!((table.total(), table.rows(), table.get("a/2")), (2, 2, None));
        assert!(table.confirm_preview(&pods[0]), "it stands as it is");
        assert!(!table.confirm_preview(&pods[1]), "it was taken away");
        assert!(!table.confirm_preview(&pod("3", 0)), "another object of that name");
        assert!(!table.has_preview() && !table.keep_of_preview(|_| false));
        table.upsert(&pod("1", 3), now());
        assert_eq!(table.get("a/1").unwrap().lit, 0b10);
        assert_eq!(table.total(), 2);
    }

    #[test]
    fn a_list_that_failed_leaves_nothing() {
        let (mut table, _) = previewed(&["1", "2"]);
        table.remove("a/2", now());
        table.keep_of_preview(|_| false);
        assert_eq!((table.total(), table.rows()), (0, 1), "one has its farewell");
        table.expire(now().saturating_add(std::time::Duration::from_secs(1)).unwrap());
        assert_eq!(table.rows(), 0);
        assert!(table.namespaces().is_empty());
    }

    #[test]
    fn a_list_that_began_anew_may_have_lost_what_came_first() {
        let (mut table, _) = previewed(&["1", "2"]);
        assert!(!table.has_more_than(2));
        table.preview(&pod("2", 7));
        assert!(table.has_more_than(2));
        assert_eq!((table.total(), table.rows()), (2, 2));
        assert_eq!(table.get("a/2").unwrap().cells[1], Cell::Restarts { count: 7, last: None });
    }

    #[test]
    fn cells_are_read_when_they_are_asked_for() {
        let (mut table, pods) = previewed(&["1", "2", "3", "4"]);
        assert_eq!(table.window(1..3).len(), 2);
        assert_eq!(table.rows.unread(), 4, "those of a screen are read from the objects themselves");
        table.upsert(&pod("2", 5), now());
        assert_eq!((table.rows.unread(), table.get("a/2").unwrap().lit), (3, 0b10));
        table.read_ahead(|| true);
        assert_eq!(table.rows.unread(), 2);
        table.remove("a/3", now());
        table.expire(now().saturating_add(std::time::Duration::from_secs(1)).unwrap());
        table.read_ahead(|| false);
        assert_eq!(table.rows.unread(), 0);
        table.preview(&pods[2]);
        table.set_sort(Sort { column: Some(1), is_descending: true });
        assert_eq!(table.rows.unread(), 0, "a sort needs them all");
        table.preview(&pod("5", 9));
        let names: Vec<_> = table.window(0..9).into_iter().map(|it| (it.row.name, it.leaving)).collect();
        let names: Vec<_> = names.iter().map(|(name, leaving)| (name.as_ref(), *leaving)).collect();
        assert_eq!(names, ["5", "2", "1", "3", "4"].map(|name| (name, Leaving::No)));
    }

    #[test]
    fn a_list_that_comes_in_its_order_is_filtered_as_one_that_stands() {
        let (mut early, mut late) = (TableModel::new(&ANY), TableModel::new(&ANY));
        let filter = Filter { query: Query::parse("1 b-"), ..Filter::default() };
        early.set_filter(filter.clone());
        for number in 0..40 {
            let pod = pod(&format!("web-{number:02}"), number % 3);
            early.preview(&pod);
            late.preview(&pod);
        }
        late.set_filter(filter);
        assert!(early.shown() > 0 && early.shown() < 40);
        assert_eq!(early.window(0..99), late.window(0..99));
    }
}
