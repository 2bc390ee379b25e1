use serde::Deserialize;
use serde_json::Value;

use super::{Manifest, Object};

/// A list as the API server prints it (`meta.k8s.io/v1`, `Table`).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Table {
    pub column_definitions: Vec<TableColumn>,
    pub rows: Vec<TableRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct TableColumn {
    pub name: String,
    pub r#type: String,
    pub format: String,
    pub description: String,
    /// 0 is always shown; greater numbers only on wide tables.
    pub priority: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct TableRow {
    pub cells: Vec<Value>,
    /// The metadata, the object or nothing, as `includeObject` asked.
    pub object: Option<Manifest>,
}

impl Table {
    /// From an event of a watch of tables.
    ///
    /// # Errors
    /// When the object is no table.
    pub fn from_object(object: &Object) -> Result<Self, serde_json::Error> {
        if object.kind() != "Table" {
            return Err(serde::de::Error::custom(format!("expected a Table, got kind {:?}", object.kind())));
        }
        Self::deserialize(object.to_value())
    }

    /// The place of a column by its name, as `kubectl` prints it in capitals.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.column_definitions.iter().position(|column| column.name.eq_ignore_ascii_case(name))
    }
}
