//! Objects as they go over the wire: whole, as metadata alone, or as rows of a table, in the version asked for.

use std::rc::Rc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::accept::Form;
use super::kinds::Kind;
use super::table::{Column, Include, Printer, TableMeta};
use crate::api::{ListMeta, Manifest, ObjectMeta};

/// How one request has its objects written.
#[derive(Clone)]
pub(super) struct Rendering {
    pub(super) form: Form,
    pub(super) kind: Rc<Kind>,
    /// The version that objects are shown in.
    pub(super) version: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Table<'a> {
    kind: &'static str,
    api_version: &'static str,
    metadata: TableMeta<'a>,
    column_definitions: Option<&'a [Column]>,
    rows: [Row<'a>; 1],
}

#[derive(Serialize)]
struct Row<'a> {
    cells: Vec<Value>,
    object: Option<Beside<'a>>,
}

/// What stands in a row beside its cells.
#[derive(Serialize)]
#[serde(untagged)]
enum Beside<'a> {
    Metadata(Partial<'a>),
    Object(Box<Manifest>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Partial<'a> {
    kind: &'static str,
    api_version: &'static str,
    metadata: &'a ObjectMeta,
}

/// An object in a list, which does not repeat its kind.
#[derive(Serialize)]
struct Item<'a> {
    metadata: &'a ObjectMeta,
    #[serde(flatten)]
    fields: &'a serde_json::Map<String, Value>,
}

impl Rendering {
    /// One object by itself, as an answer or in an event. `with_columns` is whether a table names its columns.
    pub(super) fn object(&self, object: &Manifest, with_columns: bool, now: Timestamp) -> Vec<u8> {
        match &self.form {
            Form::Whole => self.whole(object),
            Form::Metadata { api_version, .. } => super::to_json(&partial(object, api_version)),
            Form::Table { include, api_version } => {
                let Some(printer) = self.printer() else { return self.whole(object) };
                // A bookmark says by its metadata what it marks.
                let include = if object.name().is_empty() { Include::Metadata } else { *include };
                let metadata = ListMeta { resource_version: object.resource_version().into(), ..ListMeta::default() };
                super::to_json(&Table {
                    kind: "Table",
                    api_version,
                    metadata: (&metadata).into(),
                    column_definitions: with_columns.then_some(&printer.columns),
                    rows: [self.row(&printer, object, include, api_version, now)],
                })
            }
        }
    }

    /// The start of a list, up to its first item.
    pub(super) fn list_head(&self, metadata: &ListMeta) -> Vec<u8> {
        let (kind, api_version) = match &self.form {
            Form::Whole => (self.kind.list_kind.as_str(), self.kind.api_version_of(&self.version)),
            Form::Metadata { api_version, .. } => ("PartialObjectMetadataList", (*api_version).to_owned()),
            Form::Table { api_version, .. } => ("Table", (*api_version).to_owned()),
        };
        let mut head = format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}","metadata":"#).into_bytes();
        match self.printer() {
            Some(printer) => {
                head.extend(super::to_json(&TableMeta::from(metadata)));
                head.extend(br#","columnDefinitions":"#);
                head.extend(super::to_json(&printer.columns));
                head.extend(br#","rows":["#);
            }
            None => {
                head.extend(super::to_json(metadata));
                head.extend(br#","items":["#);
            }
        }
        head
    }

    /// One object of a list.
    pub(super) fn item(&self, object: &Manifest, now: Timestamp) -> Vec<u8> {
        match &self.form {
            Form::Whole if self.kind.custom => self.whole(object),
            Form::Whole => super::to_json(&Item { metadata: &object.metadata, fields: &object.fields }),
            Form::Metadata { api_version, .. } => super::to_json(&partial(object, api_version)),
            Form::Table { include, api_version } => match self.printer() {
                Some(printer) => super::to_json(&self.row(&printer, object, *include, api_version, now)),
                None => self.whole(object),
            },
        }
    }

    fn printer(&self) -> Option<Printer<'_>> {
        if matches!(self.form, Form::Table { .. }) { Printer::of(&self.kind, &self.version) } else { None }
    }

    fn row<'a>(
        &self,
        printer: &Printer<'_>,
        object: &'a Manifest,
        include: Include,
        api_version: &'static str,
        now: Timestamp,
    ) -> Row<'a> {
        let beside = match include {
            Include::Nothing => None,
            Include::Metadata => Some(Beside::Metadata(partial(object, api_version))),
            Include::Object => Some(Beside::Object(Box::new(self.in_version(object)))),
        };
        Row { cells: printer.cells(object, now), object: beside }
    }

    fn whole(&self, object: &Manifest) -> Vec<u8> {
        // What was stored before a redefinition says an older version.
        if object.api_version == self.kind.api_version_of(&self.version) {
            super::to_json(object)
        } else {
            super::to_json(&self.in_version(object))
        }
    }

    /// The same object under the version asked for, which is all that versions here differ in.
    fn in_version(&self, object: &Manifest) -> Manifest {
        Manifest { api_version: self.kind.api_version_of(&self.version), ..object.clone() }
    }
}

fn partial<'a>(object: &'a Manifest, api_version: &'static str) -> Partial<'a> {
    Partial { kind: "PartialObjectMetadata", api_version, metadata: &object.metadata }
}
