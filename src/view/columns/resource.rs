use super::{Cell, Column, GroupVersionResource, Member, Object, Row};
use crate::view::{CustomColumn, CustomColumns};

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
    print: Print,
}

/// How an object becomes its cells.
#[derive(Clone, Copy, Debug)]
enum Print {
    /// Each column by its own source.
    Columns,
    /// Where cells have much in common.
    Whole(fn(&Object) -> Box<[Cell]>),
    Custom(&'static CustomColumns),
    /// Each column by its own source; which there are is the server's to say.
    AsServed,
    /// As another table has it, and columns that a person asked for.
    Extended(&'static Resource, &'static [CustomColumn]),
    /// Each object as its kind has it.
    Across(&'static [Member]),
}

impl Resource {
    pub(super) const fn of(
        title: &'static str,
        kind: &'static str,
        name: &'static str,
        group: &'static str,
        version: &'static str,
        columns: &'static [Column],
    ) -> Self {
        Self { title, kind, name, group, version, columns, print: Print::Columns }
    }

    pub(super) const fn printed_by(self, print: fn(&Object) -> Box<[Cell]>) -> Self {
        Self { print: Print::Whole(print), ..self }
    }

    pub(super) const fn with_custom_columns(self, columns: &'static CustomColumns) -> Self {
        Self { print: Print::Custom(columns), ..self }
    }

    pub(super) const fn with_columns(&self, columns: &'static [Column]) -> Self {
        Self { columns, ..*self }
    }

    pub(super) const fn as_served(self) -> Self {
        Self { print: Print::AsServed, ..self }
    }

    pub(super) const fn extended_by(
        &'static self,
        columns: &'static [Column],
        extras: &'static [CustomColumn],
    ) -> Self {
        Self { columns, print: Print::Extended(self, extras), ..*self }
    }

    pub(super) const fn printed_of(self, members: &'static [Member]) -> Self {
        Self { print: Print::Across(members), ..self }
    }

    /// Columns that are printed as a test wants.
    #[cfg(test)]
    pub(in crate::view) const fn for_tests(columns: &'static [Column], print: fn(&Object) -> Box<[Cell]>) -> Self {
        Self::of("Things", "Thing", "things", "", "v1", columns).printed_by(print)
    }

    pub fn group_version_resource(&self) -> GroupVersionResource {
        GroupVersionResource::new(self.group, self.version, self.name)
    }

    /// One of them in a sentence: `pod`, `StatefulSet`.
    pub fn noun(&self) -> String {
        in_a_sentence(self.kind)
    }

    /// Many of them in a sentence.
    pub fn nouns(&self) -> String {
        in_a_sentence(self.title)
    }

    /// Whether the objects are in namespaces, or some of them in a table of several kinds.
    pub fn is_namespaced(&self) -> bool {
        match self.members() {
            [] => self.columns.first().is_some_and(|column| column.name == "NAMESPACE"),
            members => members.iter().any(|member| member.resource.is_namespaced()),
        }
    }

    /// The kinds of a table of several; none in a table of one kind.
    pub fn members(&self) -> &'static [Member] {
        match self.print {
            Print::Across(members) => members,
            Print::Extended(base, _) => base.members(),
            _ => &[],
        }
    }

    /// Whether only the server knows the columns: names and ages stand in for them until it has told.
    pub const fn asks_server(&self) -> bool {
        match self.print {
            Print::AsServed => true,
            Print::Extended(base, _) => base.asks_server(),
            _ => false,
        }
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
            Print::Whole(print) => print(object),
            Print::Custom(columns) => columns.cells(object),
            Print::Extended(base, extras) => {
                let mut cells = base.cells(object).into_vec();
                // Beyond the columns of the kind's own, whatever its printer gave.
                cells.resize(base.columns.len(), Cell::Text(None));
                cells.extend(extras.iter().map(|extra| extra.cell(object)));
                cells.into()
            }
            Print::Across(members) => {
                members.get(self.member_of(object)).map(|member| member.cells(object)).unwrap_or_default()
            }
            Print::Columns | Print::AsServed => self.columns.iter().map(|column| column.source.cell(object)).collect(),
        }
    }

    /// The object's row with these cells.
    pub(in crate::view) fn row_of(&self, object: &Object, cells: Box<[Cell]>) -> Row {
        Row {
            member: self.members().get(self.member_of(object)),
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

/// A name of one word is a plain word; `StatefulSet` stays as the API writes it.
fn in_a_sentence(name: &str) -> String {
    let is_plain = name.chars().filter(|letter| letter.is_uppercase()).count() == 1;
    if is_plain { name.to_lowercase() } else { name.into() }
}
