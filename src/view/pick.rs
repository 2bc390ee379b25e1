use std::collections::BTreeMap;
use std::ops::Range;

use super::sort_numbers::sorted_numbers;
use super::{Row, TableModel};
use crate::api::Object;

/// The objects that somebody has marked: their keys by their uids.
pub type Picked = BTreeMap<Box<str>, Box<str>>;

/// What is picked out of a table.
impl TableModel {
    /// The objects whose rows stand at these places; those that are gone are not among them.
    pub fn pick(&self, range: Range<usize>) -> Picked {
        let slots = self.list().iter_from(range.start).take(range.len()).filter(|slot| !self.is_leaving(*slot));
        let entry = |slot| Some((self.rows.object(slot)?.uid().into(), self.rows.key(slot).into()));
        slots.filter_map(entry).collect()
    }

    /// The very object is there: it may have come again under its name.
    pub fn has(&self, uid: &str, key: &str) -> bool {
        self.find_key(key).is_some_and(|slot| self.rows.has_uid(slot, uid))
    }

    /// Where somebody's place among the rows is; none for an object that the filter keeps back.
    fn place_of(&self, key: &str) -> Option<usize> {
        let slot = self.find_key(key)?;
        if self.is_visible[slot as usize] { self.index_of(key) } else { None }
    }

    /// The picked objects that are there, in the order of their rows; behind them those that the filter keeps back.
    pub fn picked(&self, picked: &Picked) -> Vec<(Row, Object)> {
        let keys: Vec<&str> = picked.iter().filter(|(uid, key)| self.has(uid, key)).map(|(_, key)| &**key).collect();
        let places: Vec<usize> = keys.iter().map(|key| self.place_of(key).unwrap_or(usize::MAX)).collect();
        let order = sorted_numbers(keys.len(), &mut |a, b| (places[a], keys[a]).cmp(&(places[b], keys[b])));
        let entry = |at: u32| {
            let slot = self.find_key(keys[at as usize])?;
            Some((self.rows.row(slot), self.rows.object(slot)?.clone()))
        };
        order.into_iter().filter_map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::view::columns::PODS;
    use crate::view::{Filter, Query, Sort};

    fn pod(name: &str, uid: &str) -> Object {
        serde_json::from_value(json!({"metadata": {"namespace": "shop", "name": name, "uid": uid}})).unwrap()
    }

    fn names(model: &TableModel, picked: &Picked) -> String {
        model.picked(picked).iter().map(|(row, _)| row.name.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn marks_survive_a_sort_a_filter_and_an_update_and_end_with_their_object() {
        let now = Timestamp::UNIX_EPOCH;
        let mut model = TableModel::new(&PODS);
        for (name, uid) in [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")] {
            model.upsert(&pod(name, uid), now);
        }
        let picked = model.pick(0..3);
        assert_eq!(names(&model, &picked), "a b c");
        model.set_sort(Sort { column: PODS.column("NAME"), is_descending: true });
        assert_eq!(names(&model, &picked), "c b a");
        model.set_filter(Filter { query: Query::parse("!b"), ..Filter::default() });
        assert_eq!(names(&model, &picked), "c a b", "what is kept back comes last");
        model.upsert(&pod("a", "9"), now);
        assert_eq!(names(&model, &picked), "c b", "another object under the same name is not marked");
        assert!(!model.has("1", "shop/a") && model.has("9", "shop/a"));
        model.remove("shop/c", now);
        assert_eq!(names(&model, &picked), "b");
        assert_eq!(model.pick(0..9).len(), 2, "what leaves cannot be marked");
    }
}
