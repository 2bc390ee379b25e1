//! What client-go's stores do: what they hold, find and forget, and the listers over them.

mod expiration_cache;
mod heap;
mod identity;
mod index;
mod keys;
mod lazy;
mod listers;
mod mutation_cache;
mod mutation_detector;
mod own_store;
mod properties;
pub mod store;
mod thread_safe_store;
mod undelta_store;

use std::rc::Rc;

use watchglass::api::{Manifest, Object};
use watchglass::cache::{IndexFunc, KeyError, KeyFunc};

/// A cluster-scoped object, so that its key is its name, with a value for tests to look at.
pub fn object(name: &str, value: &str) -> Object {
    let mut object = Manifest::default();
    object.metadata.name = name.into();
    object.metadata.labels.insert("value".into(), value.into());
    object.into()
}

pub fn versioned(name: &str, resource_version: &str) -> Object {
    let mut object = Manifest::default();
    object.metadata.name = name.into();
    object.metadata.resource_version = resource_version.into();
    object.into()
}

/// The values of [`object`]s, sorted.
pub fn values(objects: &[Object]) -> Vec<String> {
    let mut values: Vec<_> =
        objects.iter().map(|object| object.label("value").expect("it has one").into_owned()).collect();
    values.sort();
    values
}

/// The names of objects, sorted.
pub fn names(objects: &[Object]) -> Vec<&str> {
    let mut names: Vec<_> = objects.iter().map(|object| object.name()).collect();
    names.sort_unstable();
    names
}

/// Lists an [`object`] under each of the words of its value.
pub fn by_word() -> IndexFunc {
    Rc::new(|object| object.label("value").expect("it has one").split(' ').map(str::to_owned).collect())
}

/// Gives no key to objects without a name.
pub fn name_func() -> KeyFunc {
    Rc::new(|object| match object.name() {
        "" => Err(KeyError::new(object, "it has no name")),
        name => Ok(name.to_owned()),
    })
}
