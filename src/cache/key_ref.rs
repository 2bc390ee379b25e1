use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _};

use rustc_hash::FxBuildHasher;

use super::keys::DeletedObject;
use crate::api::Object;

/// A key as the two parts that an object holds anyway, so that no text need be made or kept to find one by it.
///
/// Two keys are equal if and only if their texts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyRef<'a> {
    namespace: &'a str,
    name: &'a str,
}

impl<'a> KeyRef<'a> {
    /// What [`meta_namespace_key`](super::meta_namespace_key) says as a text.
    pub(super) fn of(object: &'a Object) -> Self {
        match object.namespace() {
            "" => Self::from(object.name()),
            namespace => Self { namespace, name: object.name() },
        }
    }

    pub(super) fn of_deleted(deleted: &'a DeletedObject) -> Self {
        match deleted {
            DeletedObject::Known(object) => Self::of(object),
            DeletedObject::FinalStateUnknown { key, .. } => Self::from(key.as_str()),
        }
    }

    pub(super) fn hash(self) -> u64 {
        let mut hasher = FxBuildHasher.build_hasher();
        for part in [self.namespace, self.name] {
            hasher.write(part.as_bytes());
            hasher.write_u8(0xff);
        }
        hasher.finish()
    }
}

impl<'a> From<&'a str> for KeyRef<'a> {
    fn from(key: &'a str) -> Self {
        match key.split_once('/') {
            Some((namespace, name)) if !namespace.is_empty() => Self { namespace, name },
            _ => Self { namespace: "", name: key },
        }
    }
}

impl fmt::Display for KeyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace {
            "" => f.write_str(self.name),
            namespace => write!(f, "{namespace}/{}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_and_its_text_say_the_same() {
        for text in ["shop/web-0", "node-1", "a/b/c", "/a", "a/", "/", ""] {
            assert_eq!(KeyRef::from(text).to_string(), text);
        }
        assert_ne!(KeyRef::from("/a"), KeyRef::from("a"));
    }
}
