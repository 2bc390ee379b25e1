use std::borrow::Cow;

use super::base64::decode;
use crate::api::{Object, ValueRef};

/// kubectl keeps here what was applied, a Secret's values among it.
pub(in crate::view) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

pub(in crate::view) fn is_secret(object: &Object) -> bool {
    object.kind() == "Secret" && object.api_version() == "v1"
}

/// How many bytes a value has, decoded if it is in base64.
pub(in crate::view) fn secret_size(value: ValueRef<'_>, is_encoded: bool) -> usize {
    let text = value.as_str().unwrap_or_default();
    match is_encoded {
        true => decode(&text).map_or(text.len(), |bytes| bytes.len()),
        false => text.len(),
    }
}

/// Where in an object its writer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Root,
    Metadata,
    Annotations,
    /// A Secret's values in base64.
    Data,
    /// A Secret's values as they are.
    StringData,
    Elsewhere,
}

impl Place {
    pub(super) fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Root, "metadata") => Self::Metadata,
            (Self::Root, "data") => Self::Data,
            (Self::Root, "stringData") => Self::StringData,
            (Self::Metadata, "annotations") => Self::Annotations,
            (Self::Data | Self::StringData, _) => self,
            _ => Self::Elsewhere,
        }
    }

    /// Whether a Secret's value at this key is to be masked.
    pub(super) fn is_secret(self, key: &str) -> bool {
        match self {
            Self::Data | Self::StringData => true,
            Self::Annotations => key == LAST_APPLIED,
            Self::Root | Self::Metadata | Self::Elsewhere => false,
        }
    }

    /// What is shown when the value is revealed: decoded if that is text.
    pub(super) fn revealed(self, value: ValueRef<'_>) -> Option<Cow<'_, str>> {
        let text = value.as_str()?;
        match self {
            Self::Data => match decode(&text).map(String::from_utf8) {
                Some(Ok(decoded)) => Some(decoded.into()),
                _ => Some(text),
            },
            _ => Some(text),
        }
    }

    /// How many bytes the value has.
    pub(super) fn size(self, value: ValueRef<'_>) -> usize {
        secret_size(value, self == Self::Data)
    }
}
