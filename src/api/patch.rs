use serde_json::Value;

/// A change of an object, in one of the forms that the server takes (client-go: `types.PatchType`).
#[doc(alias = "PatchType")]
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// A JSON merge patch (RFC 7396): `null` removes a field, a list is replaced whole.
    Merge(Value),
    /// A list of operations (RFC 6902); each must be possible, or none is carried out.
    Json(Value),
    /// As a merge patch, but lists are merged by their keys. For built-in kinds only.
    Strategic(Value),
    /// The fields that its manager wants to own, with `apiVersion` and `kind`: server-side apply.
    Apply(Value),
}

impl Patch {
    /// What is sent.
    pub fn body(&self) -> &Value {
        match self {
            Self::Merge(body) | Self::Json(body) | Self::Strategic(body) | Self::Apply(body) => body,
        }
    }

    /// How the server knows the form.
    pub const fn content_type(&self) -> &'static str {
        match self {
            Self::Merge(_) => "application/merge-patch+json",
            Self::Json(_) => "application/json-patch+json",
            Self::Strategic(_) => "application/strategic-merge-patch+json",
            // JSON is YAML, and this name is older than the one for JSON.
            Self::Apply(_) => "application/apply-patch+yaml",
        }
    }
}
