use jiff::Timestamp;

use super::Cell;

/// One object as a table shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Tells two objects apart that bear the same name one after the other.
    pub uid: Box<str>,
    /// Empty for cluster-scoped objects.
    pub namespace: Box<str>,
    pub name: Box<str>,
    /// One for each column.
    pub cells: Box<[Cell]>,
    /// A bit for each cell that the last update changed.
    pub changed: u32,
    /// When that was.
    pub changed_at: Option<Timestamp>,
    /// How many updates changed a cell.
    pub generation: u32,
}

impl Row {
    /// The key of the object in an Indexer: `namespace/name`, or the name alone.
    pub fn key(&self) -> String {
        match self.namespace.as_ref() {
            "" => self.name.as_ref().into(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }

    /// Takes over what `old` knew, and marks the cells that differ from it.
    pub(super) fn succeed(&mut self, old: &Self, now: Timestamp) {
        let differs = |column: usize| self.cells.get(column) != old.cells.get(column);
        let changed = (0..self.cells.len().min(32))
            .filter(|column| differs(*column))
            .fold(0, |bits, column| bits | (1 << column));
        if changed == 0 {
            (self.changed, self.changed_at, self.generation) = (old.changed, old.changed_at, old.generation);
        } else {
            (self.changed, self.changed_at, self.generation) = (changed, Some(now), old.generation.wrapping_add(1));
        }
    }
}
