use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::time::deserialize_time;

/// What every Kubernetes object says of itself.
///
/// Whole, but for `managedFields`: who changed the object, and when, is kept in [`managed_by`](Self::managed_by);
/// which fields they changed is not, because it is often half of an object's bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate_name: Option<String>,
    /// Empty for cluster-scoped objects.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Opaque: compared for equality only.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_time")]
    pub creation_timestamp: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_time")]
    pub deletion_timestamp: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_grace_period_seconds: Option<i64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "null_as_default")]
    pub labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "null_as_default")]
    pub annotations: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub owner_references: Vec<OwnerReference>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub finalizers: Vec<String>,
    #[serde(rename = "managedFields", skip_serializing, deserialize_with = "null_as_default")]
    pub managed_by: Vec<ManagedBy>,
    /// The whole entries, which are most of many an object's text: a client drops them where it decodes, and only a
    /// server that writes objects has them.
    #[serde(rename = "managedFields", skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub managed_fields: Option<Arc<Value>>,
}

/// The object that owns another one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnerReference {
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub uid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_owner_deletion: Option<bool>,
}

/// Who changed an object last, and when; one entry for each field manager.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ManagedBy {
    pub manager: String,
    pub operation: String,
    pub subresource: String,
    #[serde(deserialize_with = "deserialize_time")]
    pub time: Option<Timestamp>,
}

impl ManagedBy {
    pub(super) fn to_value(&self) -> Value {
        let Self { manager, operation, subresource, time } = self;
        let time = time.map(|time| time.to_string()).unwrap_or_default();
        let fields = [("manager", manager), ("operation", operation), ("subresource", subresource), ("time", &time)];
        let fields = fields.into_iter().filter(|(_, text)| !text.is_empty());
        fields.map(|(name, text)| (name.to_owned(), Value::from(text.as_str()))).collect()
    }
}

/// Go encodes an empty map or slice without `omitempty` as `null`.
pub(super) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
