//! How each field is merged, which server-side apply and strategic merge patch must know.
//!
//! The built-in kinds' rules are by field name: where one name has two rules in Kubernetes, the fields around it
//! decide (client-go: `applyconfigurations/internal/internal.go`). What stands nowhere is merged by field when it is a
//! map, and as one when it is a list.

use serde_json::{Map, Value};

/// How the value of a field is merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Rule<'a> {
    /// As one value.
    Atomic,
    /// A map, field by field.
    Granular,
    /// A list of plain values without an order of its own.
    Set,
    /// A list of maps that these fields tell apart.
    Keyed(Vec<&'a str>),
}

/// Where in an object a value lies, as far as merging it depends on that.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Schema<'a> {
    BuiltIn {
        kind: &'a str,
        parent: &'a str,
        /// Empty at the root; a list's items have the list's name.
        field: &'a str,
    },
    /// A CustomResourceDefinition's `openAPIV3Schema` or a part of it.
    Custom(&'a Value),
    /// What no schema describes.
    Unknown,
}

impl<'a> Schema<'a> {
    /// Of the objects of a built-in kind.
    pub(in super::super) const fn of_kind(kind: &'a str) -> Self {
        Self::BuiltIn { kind, parent: "", field: "" }
    }

    pub(in super::super) fn field(self, name: &'a str, at_root: bool) -> Self {
        match self {
            Self::BuiltIn { kind, field, .. } => Self::BuiltIn { kind, parent: field, field: name },
            // Metadata is the same in all kinds, whatever a schema says of it.
            Self::Custom(_) | Self::Unknown if at_root && name == "metadata" => {
                Self::BuiltIn { kind: "", parent: "", field: "metadata" }
            }
            Self::Custom(schema) => {
                let properties = schema.get("properties").and_then(|all| all.get(name));
                let found = properties.or_else(|| schema.get("additionalProperties").filter(|more| more.is_object()));
                found.map_or(Self::Unknown, Self::Custom)
            }
            Self::Unknown => Self::Unknown,
        }
    }

    pub(super) fn item(self) -> Self {
        match self {
            Self::Custom(schema) => schema.get("items").map_or(Self::Unknown, Self::Custom),
            other => other,
        }
    }

    /// Whether the field is one of a struct's and not any key of a map.
    pub(super) fn names_field(self, name: &str, at_root: bool) -> bool {
        match self {
            Self::BuiltIn { field, .. } => !["labels", "annotations", "data", "stringData"].contains(&field),
            Self::Custom(schema) => {
                (at_root && name == "metadata") || schema.get("properties").is_some_and(|all| all.get(name).is_some())
            }
            Self::Unknown => false,
        }
    }

    pub(in super::super) fn rule(self, value: &Value) -> Rule<'a> {
        match (self, value) {
            (Self::BuiltIn { kind, field, .. }, Value::Object(_)) => map_rule(kind, field),
            (Self::BuiltIn { kind, parent, field }, Value::Array(items)) => {
                let rule = list_rule(kind, parent, field);
                let fits = match rule {
                    Rule::Keyed(_) => items.iter().all(Value::is_object),
                    _ => !items.iter().any(Value::is_object),
                };
                if fits { rule } else { Rule::Atomic }
            }
            (Self::Custom(schema), Value::Object(_)) => match text(schema, "x-kubernetes-map-type") {
                "atomic" => Rule::Atomic,
                _ => Rule::Granular,
            },
            (Self::Custom(schema), Value::Array(_)) => match text(schema, "x-kubernetes-list-type") {
                "set" => Rule::Set,
                "map" => {
                    let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
                    Rule::Keyed(keys.into_iter().flatten().filter_map(Value::as_str).collect())
                }
                _ => Rule::Atomic,
            },
            (Self::Unknown, Value::Object(_)) => Rule::Granular,
            _ => Rule::Atomic,
        }
    }

    /// How a strategic merge patch treats a list: by one field where server-side apply may need several.
    pub(in super::super) fn merge_rule(self) -> Rule<'a> {
        match self {
            // Whoever wrote these lists down did not mark them for server-side apply.
            Self::BuiltIn { field: "conditions", .. } => Rule::Keyed(vec!["type"]),
            Self::BuiltIn { field: "imagePullSecrets", .. } => Rule::Keyed(vec!["name"]),
            Self::BuiltIn { kind, parent, field } => list_rule(kind, parent, field),
            _ => Rule::Atomic,
        }
    }

    /// The path element of a list's item.
    ///
    /// # Errors
    /// When the item has none of the fields that tell it apart.
    pub(super) fn edge(self, rule: &Rule<'_>, item: &Value) -> Result<String, String> {
        let Rule::Keyed(keys) = rule else { return Ok(format!("v:{item}")) };
        let mut values = Map::new();
        for key in keys {
            let sent = item.get(*key).filter(|value| !value.is_null()).cloned();
            // A field that is absent tells its item apart, too.
            values.extend(sent.or_else(|| self.default_of(key)).map(|value| ((*key).to_owned(), value)));
        }
        if values.is_empty() {
            let names: Vec<_> = keys.iter().map(|key| format!("\"{key}\"")).collect();
            let what =
                format!("associative list with keys has an element that omits all key fields [{}]", names.join(" "));
            return Err(format!("{what} (and doesn't have default values for any key fields)"));
        }
        Ok(format!("k:{}", Value::Object(values)))
    }

    fn default_of(self, key: &str) -> Option<Value> {
        match self {
            Self::BuiltIn { .. } => (key == "protocol").then(|| "TCP".into()),
            Self::Custom(schema) => schema.get("items")?.get("properties")?.get(key)?.get("default").cloned(),
            Self::Unknown => None,
        }
    }

    /// Whether Go's structs have a value here even when nothing is set: that it is there is never noted.
    pub(super) fn is_always_there(self, name: &str, at_root: bool) -> bool {
        const STRUCTS: [&str; 11] = [
            "containers",
            "metadata",
            "spec",
            "status",
            "template",
            "strategy",
            "updateStrategy",
            "jobTemplate",
            "loadBalancer",
            "nodeInfo",
            "daemonEndpoints",
        ];
        match self {
            Self::BuiltIn { kind, .. } => {
                let is_source = kind == "Event" && ["source", "involvedObject"].contains(&name);
                STRUCTS.contains(&name) || (at_root && is_source)
            }
            _ => at_root && name == "metadata",
        }
    }
}

fn text<'a>(schema: &'a Value, name: &str) -> &'a str {
    schema.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn map_rule(kind: &str, field: &str) -> Rule<'static> {
    match field {
        "selector"
        | "nodeSelector"
        | "labelSelector"
        | "namespaceSelector"
        | "podSelector"
        | "scopeSelector"
        | "configMapKeyRef"
        | "secretKeyRef"
        | "fileKeyRef"
        | "fieldRef"
        | "resourceFieldRef"
        | "secretRef"
        | "nodePublishSecretRef"
        | "nodeStageSecretRef"
        | "nodeExpandSecretRef"
        | "controllerPublishSecretRef"
        | "controllerExpandSecretRef"
        | "dataSource"
        | "preference"
        | "required"
        | "roleRef"
        | "targetRef"
        | "imagePullSecrets"
        | "secrets"
        | "ownerReferences"
        | "evictionResponders"
        | "involvedObject"
        | "related"
        | "requiredDuringSchedulingIgnoredDuringExecution" => Rule::Atomic,
        "port" | "resource" if kind == "Ingress" => Rule::Atomic,
        _ => Rule::Granular,
    }
}

fn list_rule(kind: &str, parent: &str, field: &str) -> Rule<'static> {
    let keys: &[&str] = match field {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "env"
        | "volumes"
        | "resourceClaims"
        | "resourceClaimStatuses"
        | "schedulingGates"
        | "claims"
        | "secrets"
        | "allocatedResourcesStatus"
        | "volumeHealth"
        | "evictionResponders"
        | "mapping" => &["name"],
        "imagePullSecrets" if parent == "spec" => &["name"],
        "ports" if parent.ends_with("containers") || parent.ends_with("Containers") => &["containerPort", "protocol"],
        "ports" if kind == "Service" => &["port", "protocol"],
        "volumeMounts" => &["mountPath"],
        "volumeDevices" => &["devicePath"],
        "conditions" if kind != "Job" => &["type"],
        "addresses" => &["type"],
        "hostAliases" | "podIPs" => &["ip"],
        "topologySpreadConstraints" => &["topologyKey", "whenUnsatisfiable"],
        "ownerReferences" => &["uid"],
        "resources" => &["resourceID"],
        "finalizers" if parent == "metadata" => return Rule::Set,
        "podCIDRs" | "bindMountOptions" | "failed" | "succeeded" => return Rule::Set,
        _ => return Rule::Atomic,
    };
    Rule::Keyed(keys.to_vec())
}
