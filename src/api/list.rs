use serde::{Deserialize, Serialize};

use super::Object;

/// What a list says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListMeta {
    pub resource_version: String,
    /// The token that asks for the next page; empty on the last one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub r#continue: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_item_count: Option<i64>,
}

/// A list of objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct List {
    pub api_version: String,
    /// `PodList` for pods.
    pub kind: String,
    pub metadata: ListMeta,
    pub items: Vec<Object>,
}
