use std::cell::Cell;

use super::Session;
use super::kinds::definitions;
use crate::api::{ListOptions, Object, ResourcePath};
use crate::view::columns::Resource;
use crate::view::{CatalogEntry, CustomColumns};

/// Which state of a CustomResourceDefinition it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Definition {
    uid: String,
    /// Another one after each change of what was asked for.
    generation: i64,
}

impl Definition {
    pub(super) fn of(definition: &Object) -> Self {
        let generation = definition.int_at(&["metadata", "generation"]).unwrap_or_default();
        Self { uid: definition.uid().into_owned(), generation }
    }
}

/// The table of a kind that only the server knows: with the columns of its definition, where there is one that may be
/// read; and which one that is.
pub(super) async fn columns_of(session: Session, entry: &CatalogEntry) -> (&'static Resource, Definition) {
    let CatalogEntry { resource, kind, title, is_namespaced, .. } = entry;
    // By a list, because the page has what reads one anyway.
    let which = ListOptions { field_selector: format!("metadata.name={resource}"), ..ListOptions::default() };
    let custom = Cell::new(None);
    let which_one = Cell::new(Definition::default());
    let read = |definitions: &[Object]| {
        if let Some(definition) = definitions.first() {
            custom.set(CustomColumns::of_definition(definition, &resource.version));
            which_one.set(Definition::of(definition));
        }
    };
    // Who may not read it has a table all the same.
    let _ = session.client().list(&ResourcePath::all(definitions()), &which, &read).await;
    let made = match custom.into_inner() {
        Some(columns) => Resource::custom(resource, title, kind, columns),
        None => Resource::plain(resource, title, kind, *is_namespaced),
    };
    (made, which_one.into_inner())
}
