//! The columns of each kind, and how an object becomes a row of them, cell by cell as `kubectl get -o wide` prints it.

mod namespaces;
mod plain;
mod pods;

use super::{Cell, Row};
use crate::api::{GroupVersionResource, Object};

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// As `kubectl` heads it: `NAME`.
    pub name: &'static str,
    /// Stands at the right: numbers and ages.
    pub is_numeric: bool,
    /// What the values mean.
    pub description: &'static str,
}

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
    print: fn(&Object) -> Box<[Cell]>,
}

/// Pods with `kubectl`'s columns.
pub static PODS: Resource =
    Resource { title: "Pods", kind: "Pod", name: "pods", group: "", version: "v1", columns: &pods::COLUMNS, print: pods::print };

/// Namespaces with `kubectl`'s columns.
pub static NAMESPACES: Resource = Resource {
    title: "Namespaces",
    kind: "Namespace",
    name: "namespaces",
    group: "",
    version: "v1",
    columns: &namespaces::COLUMNS,
    print: namespaces::print,
};

/// The columns of a kind that are known without the server.
pub fn built_in(resource: &GroupVersionResource) -> Option<&'static Resource> {
    [&PODS, &NAMESPACES].into_iter().find(|it| it.group == resource.group && it.name == resource.resource)
}

impl Column {
    const fn new(name: &'static str, is_numeric: bool, description: &'static str) -> Self {
        Self { name, is_numeric, description }
    }
}

impl Resource {
    /// Its objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.column("NAMESPACE").is_some()
    }

    /// One of them in a sentence: `pod`, `StatefulSet`.
    pub fn noun(&self) -> String {
        in_a_sentence(self.kind)
    }

    /// Many of them in a sentence.
    pub fn nouns(&self) -> String {
        in_a_sentence(self.title)
    }

    pub fn group_version_resource(&self) -> GroupVersionResource {
        GroupVersionResource::new(self.group, self.version, self.name)
    }

    /// The object's row.
    pub fn row(&self, object: &Object) -> Row {
        self.row_of(object, self.cells(object))
    }

    /// One for each column.
    pub(super) fn cells(&self, object: &Object) -> Box<[Cell]> {
        (self.print)(object)
    }

    /// The object's row with these cells.
    pub(super) fn row_of(&self, object: &Object, cells: Box<[Cell]>) -> Row {
        Row {
            uid: object.uid().into(),
            namespace: object.namespace().into(),
            name: object.name().into(),
            cells,
            ..Row::default()
        }
    }

    /// Columns that are printed as a test wants.
    #[cfg(test)]
    pub(super) const fn for_tests(columns: &'static [Column], print: fn(&Object) -> Box<[Cell]>) -> Self {
        Self { title: "Things", kind: "Thing", name: "things", group: "", version: "v1", columns, print }
    }

    /// The place of a column by its name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// A name of one word is a plain word; `StatefulSet` stays as the API writes it.
fn in_a_sentence(name: &str) -> String {
    let is_plain = name.chars().filter(|letter| letter.is_uppercase()).count() == 1;
    if is_plain { name.to_lowercase() } else { name.into() }
}
