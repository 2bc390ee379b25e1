use super::{Cell, Member};

/// One object as a table shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its kind in a table of several; else none.
    pub member: Option<&'static Member>,
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
    /// The key of the object in an Indexer: `namespace/name`, or the name alone. In a table of several kinds the page of
    /// its kind stands before it: `deployments.apps/namespace/name`.
    pub fn key(&self) -> String {
        key(self.member, &self.namespace, &self.name)
    }
}

/// See [`Row::key`].
pub(super) fn key(member: Option<&Member>, namespace: &str, name: &str) -> String {
    let page = member.map_or("", |member| member.page);
    let slash = |part: &str| if part.is_empty() { "" } else { "/" };
    [page, slash(page), namespace, slash(namespace), name].concat()
}
