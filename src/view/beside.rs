use super::columns::Column;
use super::{Cell, sorted_numbers};
use crate::api::Object;

/// Cells that are not in a table's objects but are told beside them: what the server prints of an object, what a pod
/// uses.
#[derive(Debug, Default)]
pub struct Beside {
    rows: Vec<RowBeside>,
    /// By namespace and name.
    order: Vec<u32>,
}

/// What is told beside one object.
#[derive(Clone, Debug, PartialEq)]
pub struct RowBeside {
    pub namespace: Box<str>,
    pub name: Box<str>,
    /// Empty where it is told of whichever object bears the names.
    pub uid: Box<str>,
    pub cells: Box<[Cell]>,
}

impl Beside {
    /// In any order; of several rows with the same names one counts.
    pub fn new(rows: Vec<RowBeside>) -> Self {
        let order = sorted_numbers(rows.len(), &mut |a, b| rows[a].names().cmp(&rows[b].names()));
        Self { rows, order }
    }

    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The cells of an object; empty where nothing is told of it.
    pub(super) fn cells(&self, object: &Object) -> &[Cell] {
        let names = (object.namespace(), object.name());
        let found = self.order.binary_search_by(|at| self.rows[*at as usize].names().cmp(&names));
        let row = found.ok().map(|at| &self.rows[self.order[at] as usize]);
        let row = row.filter(|row| row.uid.is_empty() || *row.uid == *object.uid());
        row.map(|row| &*row.cells).unwrap_or_default()
    }

    /// Puts the object's cells in the places of those of its columns that are told beside it.
    pub(super) fn fill(&self, columns: &[Column], object: &Object, cells: &mut [Cell]) {
        if self.is_empty() {
            return;
        }
        let told = self.cells(object);
        for (column, cell) in columns.iter().zip(cells) {
            if let Some(told) = column.beside().and_then(|(at, _)| told.get(at)) {
                cell.clone_from(told);
            }
        }
    }
}

impl RowBeside {
    fn names(&self) -> (&str, &str) {
        (&self.namespace, &self.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(namespace: &str, name: &str, uid: &str) -> RowBeside {
        RowBeside {
            namespace: namespace.into(),
            name: name.into(),
            uid: uid.into(),
            cells: [Cell::exact(&[namespace, name].concat())].into(),
        }
    }

    #[test]
    fn an_object_is_found_by_its_names_and_its_uid_where_that_is_told() {
        let beside = Beside::new(vec![row("b", "1", ""), row("a", "2", "u2"), row("", "n", ""), row("a", "1", "u1")]);
        for (namespace, name, uid, found) in [
            ("a", "1", "u1", Some("a1")),
            ("a", "1", "another", None),
            ("a", "2", "u2", Some("a2")),
            ("b", "1", "any", Some("b1")),
            ("", "n", "any", Some("n")),
            ("b", "2", "", None),
        ] {
            let metadata = json!({ "namespace": namespace, "name": name, "uid": uid });
            let object: Object = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
            let expected: Vec<_> = found.map(Cell::exact).into_iter().collect();
            assert_eq!(beside.cells(&object), expected, "{namespace}/{name} {uid}");
        }
    }
}
