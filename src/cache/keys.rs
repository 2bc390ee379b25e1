use std::error::Error;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::object_name::ObjectName;
use crate::api::Object;

/// The key of an object in a store: `namespace/name`, or the name alone for cluster-scoped ones
/// (client-go: `tools/cache/store.go`, `MetaNamespaceKeyFunc`). The uid is no part of it.
#[doc(alias = "MetaNamespaceKeyFunc")]
pub fn meta_namespace_key(object: &Object) -> String {
    match object.namespace() {
        "" => object.name().to_owned(),
        // Made at once: a formatted text grows piece by piece.
        namespace => [namespace, "/", object.name()].concat(),
    }
}

/// Gives an object's key, or says why it has none (client-go: `tools/cache/store.go`, `KeyFunc`).
/// [`meta_namespace_key`] is the usual one and never fails.
pub type KeyFunc = Rc<dyn Fn(&Object) -> Result<String, KeyError>>;

/// [`meta_namespace_key`] as a [`KeyFunc`] (client-go: `tools/cache/store.go`, `MetaNamespaceKeyFunc`).
pub fn meta_namespace_key_func() -> KeyFunc {
    Rc::new(|object| Ok(meta_namespace_key(object)))
}

/// An object has no key (client-go: `tools/cache/store.go`, `KeyError`). Its source is the key function's own error.
#[derive(Clone, Debug)]
pub struct KeyError {
    /// `namespace/name` of the object, as far as it has them.
    pub object: String,
    source: Arc<dyn Error + Send + Sync>,
}

impl KeyError {
    /// Says why this object has no key.
    pub fn new(object: &Object, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { object: meta_namespace_key(object), source: Arc::from(source.into()) }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "couldn't create key for object {}: {}", self.object, self.source)
    }
}

impl Error for KeyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

/// A key with more than one slash
/// (client-go: `tools/cache/store.go`, the error of `SplitMetaNamespaceKey`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unexpected key format: {key:?}")]
pub struct KeyFormatError {
    /// The whole text that was taken for a key.
    pub key: String,
}

/// The namespace (empty for cluster-scoped objects) and the name that a key is made of
/// (client-go: `tools/cache/store.go`, `SplitMetaNamespaceKey`).
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

/// What a handler gets of an object that is gone (client-go: `tools/cache/controller.go`, `DeletedObject`, and
/// `tools/cache/delta_fifo.go`, `DeletedFinalStateUnknown`).
///
/// A tombstone's key says more than its object, which may be stale: name and namespace are read from the key.
#[derive(Clone, Debug, PartialEq)]
pub enum DeletedObject {
    /// The watch saw the deletion and brought the object's last state.
    Known(Object),
    /// The deletion was missed, and a list showed that the object is gone.
    /// The last known state may be stale, or absent.
    #[doc(alias = "tombstone")]
    #[doc(alias = "DeletedFinalStateUnknown")]
    FinalStateUnknown {
        /// The key under which a store or a queue knew the object.
        key: String,
        /// The last state that was seen; none when only the key is known.
        object: Option<Object>,
    },
}

impl From<Object> for DeletedObject {
    fn from(object: Object) -> Self {
        Self::Known(object)
    }
}

impl DeletedObject {
    /// The key by `namespace/name`; a tombstone has its own (client-go: `DeletionHandlingMetaNamespaceKeyFunc`).
    #[doc(alias = "DeletionHandlingMetaNamespaceKeyFunc")]
    pub fn key(&self) -> String {
        match self {
            Self::Known(object) => meta_namespace_key(object),
            Self::FinalStateUnknown { key, .. } => key.clone(),
        }
    }

    /// The key by a key function; a tombstone has its own.
    ///
    /// # Errors
    /// When the function gives none.
    pub fn key_by(&self, key_func: &KeyFunc) -> Result<String, KeyError> {
        match self {
            Self::Known(object) => key_func(object),
            Self::FinalStateUnknown { key, .. } => Ok(key.clone()),
        }
    }

    /// The newest state known.
    pub fn object(&self) -> Option<&Object> {
        match self {
            Self::Known(object) => Some(object),
            Self::FinalStateUnknown { object, .. } => object.as_ref(),
        }
    }

    /// The state in which the object was deleted; none of a tombstone.
    pub fn into_final_state(self) -> Option<Object> {
        match self {
            Self::Known(object) => Some(object),
            Self::FinalStateUnknown { .. } => None,
        }
    }

    /// Namespace and name. A key with several slashes is split at the first, and never an error.
    #[doc(alias = "DeletionHandlingObjectToName")]
    pub fn object_name(&self) -> ObjectName {
        ObjectName { namespace: self.namespace().into(), name: self.name().into() }
    }

    /// The name without the namespace.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(object) => object.name(),
            Self::FinalStateUnknown { key, .. } => key.split_once('/').map_or(key, |(_, name)| name),
        }
    }

    /// Empty for cluster-scoped objects.
    pub fn namespace(&self) -> &str {
        match self {
            Self::Known(object) => object.namespace(),
            Self::FinalStateUnknown { key, .. } => key.split_once('/').map_or("", |(namespace, _)| namespace),
        }
    }
}
