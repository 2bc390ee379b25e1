use std::fmt;
use std::str::FromStr;

use super::keys::{DeletedObject, KeyFormatError, split_meta_namespace_key};
use crate::api::Object;

/// A key as the two parts that it is made of (client-go: `tools/cache/object-names.go`).
///
/// ```
/// use watchglass::cache::ObjectName;
///
/// let name: ObjectName = "shop/web-0".parse()?;
/// assert_eq!(name.parts(), ("shop", "web-0"));
/// assert_eq!(name.to_string(), "shop/web-0");
/// # Ok::<(), watchglass::cache::KeyFormatError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectName {
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// Never with a slash, if it was parsed.
    pub name: String,
}

impl ObjectName {
    /// Namespace and name.
    pub fn parts(&self) -> (&str, &str) {
        (&self.namespace, &self.name)
    }
}

/// client-go: `tools/cache/store.go`, `ObjectToName` and `MetaObjectToName`.
impl From<&Object> for ObjectName {
    fn from(object: &Object) -> Self {
        Self { namespace: object.namespace().into(), name: object.name().into() }
    }
}

/// client-go: `tools/cache/object-names.go`, `ParseObjectName`.
impl FromStr for ObjectName {
    type Err = KeyFormatError;

    fn from_str(key: &str) -> Result<Self, KeyFormatError> {
        let (namespace, name) = split_meta_namespace_key(key)?;
        Ok(Self { namespace: namespace.into(), name: name.into() })
    }
}

/// The same text as the key.
impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace.as_str() {
            "" => f.write_str(&self.name),
            namespace => write!(f, "{namespace}/{}", self.name),
        }
    }
}

/// A key that stands for an object which is not at hand (client-go: `tools/cache/store.go`, `ExplicitKey`).
///
/// It deletes from a store, as a tombstone without an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExplicitKey(pub String);

impl From<ExplicitKey> for DeletedObject {
    fn from(ExplicitKey(key): ExplicitKey) -> Self {
        Self::FinalStateUnknown { key, object: None }
    }
}
