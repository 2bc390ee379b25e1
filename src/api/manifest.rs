use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{GroupVersionKind, ObjectMeta};

/// One Kubernetes object of any kind as it is written: decoded, and open to changes.
///
/// Clients send it and give it back; what lists, watches and stores hold is an [`Object`](super::Object).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Group and version, `apps/v1`; the core group has the version alone, `v1`.
    pub api_version: String,
    pub kind: String,
    pub metadata: ObjectMeta,
    /// `spec`, `status`, `data` and whatever else the kind has at its top level.
    pub fields: Map<String, Value>,
}

impl Manifest {
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Empty for cluster-scoped objects.
    pub fn namespace(&self) -> &str {
        &self.metadata.namespace
    }

    pub fn uid(&self) -> &str {
        &self.metadata.uid
    }

    pub fn resource_version(&self) -> &str {
        &self.metadata.resource_version
    }

    pub fn group_version_kind(&self) -> GroupVersionKind {
        GroupVersionKind::from_api_version(&self.api_version, &self.kind)
    }

    /// The value at a path of field names below the object, `metadata` excepted.
    pub fn get(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.fields.get(*first)?, |value, name| value.get(name))
    }

    /// The string at a path; none when it is absent or of another type.
    pub fn str_at(&self, path: &[&str]) -> Option<&str> {
        self.get(path)?.as_str()
    }

    /// The integer at a path; none when it is absent or of another type.
    pub fn int_at(&self, path: &[&str]) -> Option<i64> {
        self.get(path)?.as_i64()
    }

    /// The list at a path; empty when it is absent or of another type.
    pub fn list_at(&self, path: &[&str]) -> &[Value] {
        self.get(path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

impl<'de> Deserialize<'de> for Manifest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ManifestVisitor)
    }
}

struct ManifestVisitor;

impl<'de> Visitor<'de> for ManifestVisitor {
    type Value = Manifest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a Kubernetes object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Manifest, A::Error> {
        let mut object = Manifest::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "apiVersion" => object.api_version = map.next_value()?,
                "kind" => object.kind = map.next_value()?,
                "metadata" => object.metadata = map.next_value()?,
                _ => {
                    object.fields.insert(key, map.next_value()?);
                }
            }
        }
        Ok(object)
    }
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.api_version.is_empty() {
            map.serialize_entry("apiVersion", &self.api_version)?;
        }
        if !self.kind.is_empty() {
            map.serialize_entry("kind", &self.kind)?;
        }
        map.serialize_entry("metadata", &self.metadata)?;
        for (name, value) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"shop","uid":"u1",
        "resourceVersion":"7","creationTimestamp":"2026-11-29T10:00:00Z","labels":null,
        "managedFields":[{"manager":"kubectl","operation":"Update","time":"2026-11-29T10:00:01Z","fieldsV1":{"f:spec":{}}}]},
        "spec":{"nodeName":"n1","containers":[{"name":"c"}]},"status":{"phase":"Running"}}"#;

    #[test]
    fn an_object_keeps_everything_but_the_managed_fields() {
        let pod: Manifest = serde_json::from_str(POD).unwrap();
        assert_eq!(pod.metadata.managed_by[0].manager, "kubectl");
        assert!(pod.metadata.labels.is_empty());
        let mut expected: Value = serde_json::from_str(POD).unwrap();
        let metadata = expected["metadata"].as_object_mut().unwrap();
        metadata.remove("managedFields");
        metadata.remove("labels");
        assert_eq!(serde_json::to_value(&pod).unwrap(), expected);
    }

    #[test]
    fn accessors_answer_none_for_what_is_absent_or_of_another_type() {
        let pod: Manifest = serde_json::from_str(POD).unwrap();
        assert_eq!(pod.str_at(&["spec", "nodeName"]), Some("n1"));
        assert_eq!(pod.str_at(&["spec", "containers"]), None);
        assert_eq!(pod.str_at(&["spec", "nodeName", "deeper"]), None);
        assert_eq!(pod.list_at(&["spec", "containers"]).len(), 1);
        assert!(pod.list_at(&["status", "containerStatuses"]).is_empty());
    }
}
