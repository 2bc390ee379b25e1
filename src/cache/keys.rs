use std::sync::Arc;

use crate::api::Object;

/// The key of an object in a store: `namespace/name`, or the name alone for cluster-scoped ones
/// (client-go: `MetaNamespaceKeyFunc`). The uid is no part of it.
#[doc(alias = "MetaNamespaceKeyFunc")]
pub fn meta_namespace_key(object: &Object) -> String {
    match object.namespace() {
        "" => object.name().to_owned(),
        namespace => format!("{namespace}/{}", object.name()),
    }
}

/// A key with more than one slash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unexpected key format: {key:?}")]
pub struct KeyFormatError {
    pub key: String,
}

/// The namespace (empty for cluster-scoped objects) and the name that a key is made of.
///
/// # Errors
/// When the key has more than one slash.
#[doc(alias = "SplitMetaNamespaceKey")]
pub fn split_meta_namespace_key(key: &str) -> Result<(&str, &str), KeyFormatError> {
    match key.split_once('/') {
        None => Ok(("", key)),
        Some((namespace, name)) if !name.contains('/') => Ok((namespace, name)),
        Some(_) => Err(KeyFormatError { key: key.into() }),
    }
}

/// What a handler gets of an object that is gone.
#[derive(Clone, Debug, PartialEq)]
pub enum DeletedObject {
    /// The watch saw the deletion and brought the object's last state.
    Known(Arc<Object>),
    /// The deletion was missed, and a list showed that the object is gone.
    /// The last known state may be stale, or absent.
    #[doc(alias = "tombstone")]
    FinalStateUnknown { key: String, object: Option<Arc<Object>> },
}

impl DeletedObject {
    /// client-go: `DeletionHandlingMetaNamespaceKeyFunc`.
    pub fn key(&self) -> String {
        match self {
            Self::Known(object) => meta_namespace_key(object),
            Self::FinalStateUnknown { key, .. } => key.clone(),
        }
    }

    /// The newest state known.
    pub fn object(&self) -> Option<&Arc<Object>> {
        match self {
            Self::Known(object) => Some(object),
            Self::FinalStateUnknown { object, .. } => object.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_split_as_they_were_made() {
        assert_eq!(split_meta_namespace_key("shop/web"), Ok(("shop", "web")));
        assert_eq!(split_meta_namespace_key("node-1"), Ok(("", "node-1")));
        assert_eq!(split_meta_namespace_key("a/b/c").unwrap_err().to_string(), r#"unexpected key format: "a/b/c""#);
    }
}
