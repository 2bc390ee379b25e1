use std::borrow::Cow;

use super::{Cell, Column, Object, Resource, Source, ValueRef};
use crate::api::Found;
use crate::view::RowBeside;

/// A list as the API server prints it, of a kind whose columns only the server knows (`meta.k8s.io/v1`, `Table`).
///
/// What each object says of itself, its names and its age, is read from the object: it is never old there.
#[derive(Debug)]
pub struct ServedTable {
    columns: Vec<ToldColumn>,
    pub rows: Vec<RowBeside>,
    /// There are no more rows than these.
    pub is_whole: bool,
}

/// A column as the server tells it.
#[derive(Debug)]
pub(super) struct ToldColumn {
    name: String,
    description: String,
    is_numeric: bool,
    is_wide: bool,
    source: Source,
}

impl ServedTable {
    /// Reads what a server has answered; none where that is no table.
    pub fn read(answer: &Object, is_namespaced: bool) -> Option<Self> {
        let root = answer.get(&[]).filter(|_| answer.kind() == "Table")?;
        // The places of the cells that are told beside the objects.
        let mut places = Vec::new();
        let mut columns = Vec::new();
        if is_namespaced {
            columns.push(ToldColumn::own(&Column::NAMESPACE));
        }
        columns.push(ToldColumn::own(&Column::NAME));
        for (at, definition) in root.get("columnDefinitions").into_iter().flat_map(ValueRef::items).enumerate() {
            let name = text(definition, "name").to_uppercase();
            let is_known = name == Column::NAMESPACE.name || columns.iter().any(|it: &ToldColumn| it.name == name);
            let place = u8::try_from(places.len()).ok().filter(|_| !is_known && text(definition, "format") != "name");
            let Some(place) = place else { continue };
            let own = [Column::AGE, Column::CREATED_AT].into_iter().find(|own| own.name == name);
            columns.push(own.as_ref().map_or_else(
                || {
                    places.push(at);
                    ToldColumn::of(name, definition, place)
                },
                ToldColumn::own,
            ));
        }
        let rows = root.get("rows").into_iter().flat_map(ValueRef::items);
        let rows = rows.map(|row| row_beside(row, &places)).collect();
        let is_whole = answer.str_at(&["metadata", "continue"]).is_none_or(|token| token.is_empty());
        Some(Self { columns, rows, is_whole })
    }

    /// Whether a table has the columns that are told.
    pub fn fits(&self, resource: &Resource) -> bool {
        let is_same = |(told, has): (&ToldColumn, &Column)| told.name == has.name && told.is_wide == has.wide;
        self.columns.len() == resource.columns.len() && self.columns.iter().zip(resource.columns).all(is_same)
    }

    /// A kind's table with the columns that are told. It stays for as long as the program runs: make it once.
    pub fn resource(&self, resource: &Resource) -> &'static Resource {
        resource.with_told(&self.columns)
    }
}

impl ToldColumn {
    fn own(column: &Column) -> Self {
        let Column { name, description, is_numeric, wide, source } = *column;
        Self { name: name.into(), description: description.into(), is_numeric, is_wide: wide, source }
    }

    fn of(name: String, definition: ValueRef<'_>, place: u8) -> Self {
        Self {
            name,
            description: text(definition, "description").into_owned(),
            is_numeric: matches!(&*text(definition, "type"), "integer" | "number"),
            is_wide: definition.get("priority").and_then(ValueRef::as_i64).is_some_and(|priority| priority != 0),
            source: Source::Beside(place),
        }
    }

    /// For as long as the program runs.
    pub(super) fn kept(&self) -> Column {
        let keep = |text: &str| -> &'static str { Box::leak(text.into()) };
        Column {
            name: keep(&self.name),
            description: keep(&self.description),
            is_numeric: self.is_numeric,
            wide: self.is_wide,
            source: self.source,
        }
    }
}

fn row_beside(row: ValueRef<'_>, places: &[usize]) -> RowBeside {
    let mut told = vec![Cell::exact(""); places.len()];
    for (at, value) in row.get("cells").into_iter().flat_map(ValueRef::items).enumerate() {
        if let Some(place) = places.iter().position(|place| *place == at).filter(|_| !value.is_null()) {
            told[place] = Cell::exact(&Found::Value(value).text());
        }
    }
    let metadata = row.at(&["object", "metadata"]);
    let of_object = |key| metadata.map(|it| text(it, key)).unwrap_or_default().as_ref().into();
    RowBeside { namespace: of_object("namespace"), name: of_object("name"), uid: of_object("uid"), cells: told.into() }
}

fn text<'a>(value: ValueRef<'a>, key: &str) -> Cow<'a, str> {
    value.get(key).and_then(ValueRef::as_str).unwrap_or_default()
}
