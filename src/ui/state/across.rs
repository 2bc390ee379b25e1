use leptos::prelude::*;

use super::{Columns, Kind, Kinds, LiveTable, Session, Tables};
use crate::api::GroupVersionResource;
use crate::view::{Query, QueryError, Resource, named_kinds, palette};

/// The name of the page of several kinds.
pub(crate) const ACROSS: &str = palette::ACROSS.0;

/// Kinds, and the resource that a table of all of them is of.
type Made = (Vec<Kind>, &'static Resource);

/// Tables of the kinds that a query names. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Across {
    session: Session,
    kinds: Kinds,
    columns: Columns,
    tables: Tables,
    query: Signal<String>,
    /// Each is made once, because it stays.
    made: StoredValue<Vec<Made>, LocalStorage>,
}

/// What a query says of kinds, as far as is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NamedKinds {
    /// Those that there are; all of them once their columns are known.
    pub(crate) kinds: Vec<Kind>,
    /// The server has not told yet which kinds it has, or which columns.
    pub(crate) is_asking: bool,
    pub(crate) errors: Vec<QueryError>,
}

impl NamedKinds {
    /// It is a query across kinds.
    pub(crate) fn has_any(&self) -> bool {
        !self.kinds.is_empty() || self.is_asking
    }
}

impl Across {
    /// Of the kinds that the page's query names.
    pub(crate) fn new(session: Session, kinds: Kinds, columns: Columns, tables: Tables, query: Signal<String>) -> Self {
        Self { session, kinds, columns, tables, query, made: StoredValue::new_local(Vec::new()) }
    }

    /// What the page's query says of kinds, followed where signals are.
    pub(crate) fn named(&self) -> NamedKinds {
        self.named_by(&self.query.with(|query| Query::parse(query)))
    }

    /// What a query says of kinds, followed where signals are.
    pub(crate) fn named_by(&self, query: &Query) -> NamedKinds {
        if query.kinds().is_empty() {
            return NamedKinds::default();
        }
        self.kinds.catalog().with(|catalog| {
            let Some(catalog) = catalog else { return NamedKinds { is_asking: true, ..NamedKinds::default() } };
            let (entries, errors) = named_kinds(query, catalog);
            let kinds: Vec<_> = entries.iter().map(|entry| self.kinds.of_page(self.session, &entry.page())).collect();
            let is_asking = kinds.iter().any(Option::is_none);
            NamedKinds { kinds: kinds.into_iter().flatten().collect(), is_asking, errors }
        })
    }

    /// The table of several kinds, as one of a kind; none where there are none, or not all of them are known yet.
    pub(crate) fn kind(&self) -> Option<Kind> {
        let named = self.named();
        if named.kinds.is_empty() || named.is_asking {
            return None;
        }
        let known = |made: &Vec<Made>| made.iter().find(|(kinds, _)| *kinds == named.kinds).map(|it| it.1);
        let resource = self.made.with_value(known).unwrap_or_else(|| {
            let members: Vec<_> = named.kinds.iter().map(|kind| kind.resource).collect();
            let made = Resource::across(&members);
            self.made.update_value(|all| all.push((named.kinds, made)));
            made
        });
        Some(self.columns.extend(Kind { resource, served: GroupVersionResource::new("", "", ACROSS) }))
    }

    /// The table of a kind, or of several, for as long as the caller's owner lives.
    pub(crate) fn use_table(&self, kind: Kind) -> LiveTable {
        let base = self.columns.base_of(kind.resource);
        let find = |made: &Vec<Made>| {
            made.iter().find(|(_, resource)| std::ptr::eq(*resource, base)).map(|(kinds, _)| kinds.clone())
        };
        match self.made.with_value(find) {
            None => self.tables.use_table(kind),
            Some(kinds) => {
                let tables = kinds.into_iter().map(|kind| self.tables.use_table(kind)).collect();
                LiveTable::across(self.session, &kind, self.tables.rights, tables)
            }
        }
    }
}
