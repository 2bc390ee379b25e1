use super::{Cell, Column, GroupVersionResource, Object, Row};

/// A kind of object that the page has a table for.
#[derive(Clone, Copy, Debug)]
pub struct Resource {
    /// `Pods`
    pub title: &'static str,
    /// `Pod`
    pub kind: &'static str,
    /// Plural, lower case: `pods`.
    pub name: &'static str,
    pub group: &'static str,
    pub version: &'static str,
    pub columns: &'static [Column],
    /// Instead of the columns' sources, where cells have much in common.
    print: Option<Print>,
}

type Print = fn(&Object) -> Box<[Cell]>;

impl Resource {
    pub(super) const fn of(
        title: &'static str,
        kind: &'static str,
        name: &'static str,
        group: &'static str,
        version: &'static str,
        columns: &'static [Column],
    ) -> Self {
        Self { title, kind, name, group, version, columns, print: None }
    }

    pub(super) const fn printed_by(self, print: Print) -> Self {
        Self { print: Some(print), ..self }
    }

    /// Columns that are printed as a test wants.
    #[cfg(test)]
    pub(in crate::view) const fn for_tests(columns: &'static [Column], print: Print) -> Self {
        Self::of("Things", "Thing", "things", "", "v1", columns).printed_by(print)
    }

    pub fn group_version_resource(&self) -> GroupVersionResource {
        GroupVersionResource::new(self.group, self.version, self.name)
    }

    /// Whether the objects are in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.columns.first().is_some_and(|column| column.name == "NAMESPACE")
    }

    /// Whether its columns are of this resource, in a version that has the fields they read.
    pub(super) fn is(&self, resource: &GroupVersionResource) -> bool {
        let version = resource.version.as_str();
        let has_others = match self.group {
            "autoscaling" => matches!(version, "v1" | "v2beta1"),
            "flowcontrol.apiserver.k8s.io" => matches!(version, "v1beta1" | "v1beta2"),
            _ => false,
        };
        let is_settled = !has_others && !version.contains("alpha");
        self.name == resource.resource && self.group == resource.group && is_settled
    }

    /// The object's row.
    pub fn row(&self, object: &Object) -> Row {
        self.row_of(object, self.cells(object))
    }

    /// One for each column.
    pub(in crate::view) fn cells(&self, object: &Object) -> Box<[Cell]> {
        match self.print {
            Some(print) => print(object),
            None => self.columns.iter().map(|column| column.source.cell(object)).collect(),
        }
    }

    /// The object's row with these cells.
    pub(in crate::view) fn row_of(&self, object: &Object, cells: Box<[Cell]>) -> Row {
        Row {
            uid: object.uid().into(),
            namespace: object.namespace().into(),
            name: object.name().into(),
            cells,
            ..Row::default()
        }
    }

    /// The place of a column by its name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}
