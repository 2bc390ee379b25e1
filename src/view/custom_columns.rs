use std::borrow::Cow;

use super::measured::measured_column;
use super::{Cell, Resource};
use crate::api::{Found, JsonPath, JsonPathError, Object, Scalar, ValueRef, number_text, parse_time};

/// What the name of a column begins with that is of a label.
const LABEL: &str = "label:";

/// The columns of a custom resource, and how an object becomes a row of them, cell by cell as the API server prints it
/// (apiextensions-apiserver: `pkg/registry/customresource/tableconvertor`).
#[derive(Clone, Debug, Default)]
pub struct CustomColumns {
    pub columns: Box<[CustomColumn]>,
}

/// One column of a custom resource.
#[derive(Clone, Debug)]
pub struct CustomColumn {
    /// In capitals, as `kubectl` heads it.
    pub name: Box<str>,
    /// What the values mean; the path where the definition says nothing.
    pub description: Box<str>,
    /// Stands at the right: numbers and ages.
    pub is_numeric: bool,
    /// Only on wide tables.
    pub is_wide: bool,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Namespace,
    Name,
    /// `additionalPrinterColumns`
    Path(JsonPath, CellType),
    /// Of that key.
    Label(Box<str>),
    /// Told beside the object, in this place.
    Measured(u8),
}

/// How a value becomes a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellType {
    Integer,
    Number,
    Text,
    Boolean,
    /// Shown as an age.
    Date,
    /// A type that the API server does not know: its cells are empty.
    Unknown,
}

impl CustomColumns {
    /// Of a version that a CustomResourceDefinition has; none when it has no such version.
    ///
    /// A column whose path cannot be read is left out with all after it, as the API server does.
    pub fn of_definition(definition: &Object, version: &str) -> Option<Self> {
        let named = |it: &ValueRef<'_>| text_of(*it, "name") == version;
        let version = definition.list_at(&["spec", "versions"]).find(named)?;
        let mut columns = vec![CustomColumn::own("NAME", "The object's name", Source::Name)];
        if definition.str_at(&["spec", "scope"]).as_deref() == Some("Namespaced") {
            columns.insert(0, CustomColumn::own("NAMESPACE", "The namespace the object is in", Source::Namespace));
        }
        let mut additional = version.get("additionalPrinterColumns").into_iter().flat_map(ValueRef::items).peekable();
        if additional.peek().is_none() {
            columns.extend(CustomColumn::age());
        }
        columns.extend(additional.map_while(CustomColumn::of_definition));
        Some(Self { columns: columns.into() })
    }

    /// One for each column.
    pub fn cells(&self, object: &Object) -> Box<[Cell]> {
        self.columns.iter().map(|column| column.cell(object)).collect()
    }
}

impl CustomColumn {
    /// A column that a person asks for: `label:app`, or any JSONPath, `.spec.nodeName`, shown as text. Its name is what
    /// was written, in the one way that [`is_asked_for`](Self::is_asked_for) knows.
    ///
    /// # Errors
    /// When it is neither.
    pub fn asked_for(text: &str) -> Result<Self, JsonPathError> {
        let text = text.trim();
        let failure = |at, reason| Err(JsonPathError { path: text.into(), at, reason });
        match text.strip_prefix(LABEL).map(str::trim) {
            Some("") => return failure(text.len(), "the label's key is missing"),
            Some(key) if key.contains(|c: char| c.is_whitespace() || c == ',') => {
                return failure(LABEL.len(), "no label has such a key");
            }
            Some(key) => {
                let name = [LABEL, key].concat();
                return Ok(Self::own(&name, &["The label ", key].concat(), Source::Label(key.into())));
            }
            None if text.is_empty() => return failure(0, "a JSONPath or a label is missing"),
            None => {}
        }
        let inner = text.strip_prefix('{').and_then(|path| path.strip_suffix('}')).unwrap_or(text);
        let path = [if inner.starts_with(['.', '[', '$']) { "" } else { "." }, inner].concat();
        let source = Source::Path(JsonPath::parse(&path)?, CellType::Text);
        Ok(Self::own(&path, &["At ", &path].concat(), source))
    }

    /// A column that a person adds to a table: one that is [asked for](Self::asked_for), or of what is measured; none
    /// where it is neither.
    pub fn added(base: &Resource, name: &str) -> Option<Self> {
        match measured_column(base, name) {
            Some((at, description)) => {
                Some(Self { is_numeric: true, ..Self::own(name, description, Source::Measured(at)) })
            }
            None => Self::asked_for(name).ok(),
        }
    }

    /// The place of the cells where they are told beside the objects.
    pub(super) const fn measured(&self) -> Option<u8> {
        match self.source {
            Source::Measured(at) => Some(at),
            _ => None,
        }
    }

    /// Whether a column of this name is one that a person asked for.
    pub fn is_asked_for(name: &str) -> bool {
        name.starts_with(LABEL) || name.starts_with(['.', '[', '$'])
    }

    /// What stands above a column of this name; that of a label as `kubectl get -L` has it.
    pub fn heading(name: &str) -> Cow<'_, str> {
        match name.strip_prefix(LABEL) {
            Some(key) => key.rsplit('/').next().unwrap_or(key).to_uppercase().into(),
            None => name.into(),
        }
    }

    fn own(name: &str, description: &str, source: Source) -> Self {
        Self { name: name.into(), description: description.into(), is_numeric: false, is_wide: false, source }
    }

    fn new(name: &str, description: &str, cell_type: CellType, path: JsonPath) -> Self {
        let is_numeric = matches!(cell_type, CellType::Integer | CellType::Number | CellType::Date);
        let source = Source::Path(path, cell_type);
        Self { is_numeric, ..Self::own(&name.to_uppercase(), description, source) }
    }

    /// What a definition without columns has.
    fn age() -> Option<Self> {
        let path = JsonPath::parse(".metadata.creationTimestamp").ok()?;
        Some(Self::new("AGE", "Time since the object was created", CellType::Date, path))
    }

    fn of_definition(column: ValueRef<'_>) -> Option<Self> {
        let path = text_of(column, "jsonPath");
        let cell_type = match &*text_of(column, "type") {
            "integer" => CellType::Integer,
            "number" => CellType::Number,
            "string" => CellType::Text,
            "boolean" => CellType::Boolean,
            "date" => CellType::Date,
            _ => CellType::Unknown,
        };
        let description = match text_of(column, "description") {
            empty if empty.is_empty() => ["At ", &path].concat().into(),
            description => description,
        };
        let is_wide = column.get("priority").and_then(ValueRef::as_i64).is_some_and(|priority| priority != 0);
        let column = Self::new(&text_of(column, "name"), &description, cell_type, JsonPath::parse(&path).ok()?);
        Some(Self { is_wide, ..column })
    }

    /// The object's cell.
    pub fn cell(&self, object: &Object) -> Cell {
        match &self.source {
            Source::Namespace => Cell::text(object.namespace()),
            Source::Name => Cell::text(object.name()),
            Source::Measured(_) => Cell::Quantity("".into()),
            // Empty where there is none, as kubectl get -L has it.
            Source::Label(key) => text_cell(object.label(key).as_deref().unwrap_or_default()),
            Source::Path(path, cell_type) => path_cell(object, path, *cell_type).unwrap_or_else(|| text_cell("")),
        }
    }
}

/// What stands where the path leads to; none where that is nothing, or of another type.
fn path_cell(object: &Object, path: &JsonPath, cell_type: CellType) -> Option<Cell> {
    let first = *path.find(object.get(&[])?).ok()?.first()?;
    if cell_type == CellType::Text {
        return Some(text_cell(&as_on_one_line(first.text())));
    }
    let Found::Value(value) = first else { return None };
    match (cell_type, first.scalar()?) {
        (CellType::Integer, Scalar::Integer(number)) => Some(integer_cell(number)),
        (CellType::Integer, Scalar::Float(number)) => Some(integer_cell(number as i64)),
        (CellType::Number, Scalar::Integer(_) | Scalar::Float(_)) => Some(number_cell(value.as_f64()?)),
        (CellType::Boolean, flag @ Scalar::Bool(_)) => Some(text_cell(&flag.text())),
        (CellType::Date, Scalar::Text(text)) => Some(date_cell(&text)),
        _ => None,
    }
}

/// An empty text too is shown as it is: the API server's tables have nothing where a value is missing.
fn text_cell(text: &str) -> Cell {
    Cell::Text(Some(text.into()))
}

fn integer_cell(number: i64) -> Cell {
    text_cell(&number.to_string())
}

fn number_cell(number: f64) -> Cell {
    text_cell(&number_text(number))
}

fn date_cell(text: &str) -> Cell {
    match parse_time(text) {
        None if matches!(text, "" | "null") => Cell::Age(None),
        None => text_cell("<invalid>"),
        time => Cell::Age(time),
    }
}

/// Cut off at the first line's end, and with escape characters that a person can see (cli-runtime:
/// `pkg/printers/tableprinter.go`, `appendCellValue`).
fn as_on_one_line(text: Cow<'_, str>) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    match text.split_once(['\n', '\r', '\u{c}']) {
        Some((line, _)) => [&line.replace(ESCAPE, "^["), "..."].concat().into(),
        None if text.contains(ESCAPE) => text.replace(ESCAPE, "^[").into(),
        None => text,
    }
}

fn text_of<'a>(value: ValueRef<'a>, key: &str) -> Cow<'a, str> {
    value.get(key).and_then(ValueRef::as_str).unwrap_or_default()
}

#[cfg(test)]
#[path = "custom_columns_test.rs"]
mod tests;
