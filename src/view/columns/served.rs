use super::source::Source;
use super::{Column, GroupVersionResource, Resource};
use crate::view::CustomColumns;

static OF_THE_CLUSTER: [Column; 2] = [Column::NAME, Column::AGE];
static OF_NAMESPACES: [Column; 3] = [Column::NAMESPACE, Column::NAME, Column::AGE];

/// Kinds that only the server knows.
///
/// Such a table stays for as long as the program runs, as those of the built-in kinds do: keep it, and make each but
/// once.
impl Resource {
    /// A table of names and ages, for a kind whose columns nobody tells.
    pub fn plain(resource: &GroupVersionResource, title: &str, kind: &str, is_namespaced: bool) -> &'static Self {
        let columns: &'static [Column] = if is_namespaced { &OF_NAMESPACES } else { &OF_THE_CLUSTER };
        Box::leak(Box::new(Self::served(resource, title, kind, columns)))
    }

    /// A table with the columns of a definition.
    pub fn custom(resource: &GroupVersionResource, title: &str, kind: &str, custom: CustomColumns) -> &'static Self {
        let custom: &'static CustomColumns = Box::leak(Box::new(custom));
        let columns = custom.columns.iter().map(|column| Column {
            name: &column.name,
            description: &column.description,
            is_numeric: column.is_numeric,
            wide: column.is_wide,
            source: Source::Printed,
        });
        let columns: Box<[Column]> = columns.collect();
        let resource = Self::served(resource, title, kind, Box::leak(columns)).with_custom_columns(custom);
        Box::leak(Box::new(resource))
    }

    fn served(resource: &GroupVersionResource, title: &str, kind: &str, columns: &'static [Column]) -> Self {
        let keep = |text: &str| -> &'static str { Box::leak(text.into()) };
        let GroupVersionResource { group, version, resource } = resource;
        Self::of(keep(title), keep(kind), keep(resource), keep(group), keep(version), columns)
    }
}
