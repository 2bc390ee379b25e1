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
    /// A bit for each cell that is lit, because an update changed it lately.
    pub lit: u32,
}

impl Row {
    /// The key of the object in an Indexer: `namespace/name`, or the name alone.
    pub fn key(&self) -> String {
        match self.namespace.as_ref() {
            "" => self.name.as_ref().into(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }
}
