use super::{Column, GroupVersionResource, Resource, Source, ToldColumn};
use crate::view::{CustomColumn, CustomColumns};

static OF_THE_CLUSTER: [Column; 2] = [Column::NAME, Column::AGE];
static OF_NAMESPACES: [Column; 3] = [Column::NAMESPACE, Column::NAME, Column::AGE];

/// Kinds that only the server knows.
///
/// Such a table stays for as long as the program runs, as those of the built-in kinds do: keep it, and make each but
/// once.
impl Resource {
    /// A table of names and ages, for a kind whose columns nobody has told yet.
    pub fn plain(resource: &GroupVersionResource, title: &str, kind: &str, is_namespaced: bool) -> &'static Self {
        let columns: &'static [Column] = if is_namespaced { &OF_NAMESPACES } else { &OF_THE_CLUSTER };
        Box::leak(Box::new(Self::served(resource, title, kind, columns).as_served()))
    }

    /// This table, of which only the server knows the columns, with those that it has told.
    pub(super) fn with_told(&self, told: &[ToldColumn]) -> &'static Self {
        let columns: Box<[Column]> = told.iter().map(ToldColumn::kept).collect();
        Box::leak(Box::new(self.with_columns(Box::leak(columns))))
    }

    /// A table with the columns of a definition.
    pub fn custom(resource: &GroupVersionResource, title: &str, kind: &str, custom: CustomColumns) -> &'static Self {
        let custom: &'static CustomColumns = Box::leak(Box::new(custom));
        let columns: Box<[Column]> = custom.columns.iter().map(printed).collect();
        let resource = Self::served(resource, title, kind, Box::leak(columns)).with_custom_columns(custom);
        Box::leak(Box::new(resource))
    }

    /// This table with more columns behind its own.
    pub fn extended(&'static self, extras: Box<[CustomColumn]>) -> &'static Self {
        let extras: &'static [CustomColumn] = Box::leak(extras);
        let columns: Box<[Column]> = self.columns.iter().copied().chain(extras.iter().map(printed)).collect();
        Box::leak(Box::new(self.extended_by(Box::leak(columns), extras)))
    }

    fn served(resource: &GroupVersionResource, title: &str, kind: &str, columns: &'static [Column]) -> Self {
        let keep = |text: &str| -> &'static str { Box::leak(text.into()) };
        let GroupVersionResource { group, version, resource } = resource;
        Self::of(keep(title), keep(kind), keep(resource), keep(group), keep(version), columns)
    }
}

/// A column whose cells the resource prints.
fn printed(column: &'static CustomColumn) -> Column {
    Column {
        name: &column.name,
        description: &column.description,
        is_numeric: column.is_numeric,
        wide: column.is_wide,
        source: column.measured().map_or(Source::Printed, Source::Measured),
    }
}
