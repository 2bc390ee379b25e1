//! The queues between a reflector and a store: what all of them do, and what is particular to each.

mod contract;
mod delta_fifo;
mod fifo;
mod metrics;
mod properties;
mod real_fifo;
mod subject;
mod transform;

use std::cell::RefCell;
use std::rc::Rc;

use futures::FutureExt as _;
use indexmap::IndexMap;
use watchglass::api::Object;
use watchglass::cache::{
    DeletedObject, Delta, KeyError, KeyFunc, KeyedDelta, KnownObjects, Popped, Queue, ReflectorStore,
};

use super::fake_source::pod;

/// An object whose key is its name.
fn object(name: &str, version: u32) -> Object {
    let mut object = pod(name);
    object.metadata.namespace.clear();
    object.metadata.resource_version = version.to_string();
    object.into()
}

fn tombstone(name: &str, version: u32) -> DeletedObject {
    DeletedObject::FinalStateUnknown { key: name.into(), object: Some(object(name, version)) }
}

/// Knows names as they are; those that begin with `broken` have no key.
fn picky_key_func() -> KeyFunc {
    Rc::new(|object| match object.name() {
        name if name.starts_with("broken") => Err(KeyError::new(object, "it is broken")),
        name => Ok(name.to_owned()),
    })
}

/// One thing that a reflector does to a queue.
#[derive(Clone, Debug)]
enum Op {
    Add(&'static str, u32),
    Update(&'static str, u32),
    Delete(&'static str, u32),
    Tombstone(&'static str, u32),
    Replace(&'static [(&'static str, u32)]),
    Resync,
    Bookmark(&'static str),
}

impl Op {
    fn run(&self, queue: &dyn ReflectorStore) {
        match *self {
            Self::Add(name, version) => queue.add(object(name, version)),
            Self::Update(name, version) => queue.update(object(name, version)),
            Self::Delete(name, version) => queue.delete(object(name, version).into()),
            Self::Tombstone(name, version) => queue.delete(tombstone(name, version)),
            Self::Replace(list) => queue.replace(list.iter().map(|(name, at)| object(name, *at)).collect(), "7"),
            Self::Resync => queue.resync(),
            Self::Bookmark(version) => {
                queue.bookmark(version);
                Ok(())
            }
        }
        .expect("objects of tests have keys");
    }
}

fn run(queue: &dyn ReflectorStore, ops: &[Op]) {
    ops.iter().for_each(|op| op.run(queue));
}

/// A consumer's store; lists its keys in the order in which they came.
#[derive(Default)]
struct Known(RefCell<IndexMap<String, Object>>);

impl Known {
    fn of(objects: &[(&str, u32)]) -> Rc<Self> {
        let objects = objects.iter().map(|(name, version)| ((*name).to_owned(), object(name, *version)));
        Rc::new(Self(RefCell::new(objects.collect())))
    }

    /// Each object's name and version.
    fn content(&self) -> Vec<(String, String)> {
        let objects = self.0.borrow();
        objects.iter().map(|(key, object)| (key.clone(), object.resource_version().to_owned())).collect()
    }

    fn apply(&self, KeyedDelta { key, delta }: KeyedDelta) {
        let objects = &mut *self.0.borrow_mut();
        match delta {
            Delta::Added(new) | Delta::Updated(new) | Delta::Replaced(new) | Delta::Sync(new) => {
                objects.insert(key, new);
            }
            Delta::Deleted(_) => {
                objects.shift_remove(&key);
            }
            Delta::ReplacedAll { objects: new, .. } => {
                *objects = new.into_iter().map(|object| (object.name().to_owned(), object)).collect();
            }
            Delta::SyncAll | Delta::Bookmark { .. } => {}
        }
    }
}

impl KnownObjects for Known {
    fn known_keys(&self) -> Vec<String> {
        self.0.borrow().keys().cloned().collect()
    }

    fn known_object(&self, key: &str) -> Option<Object> {
        self.0.borrow().get(key).cloned()
    }
}

/// What the queue hands out without waiting.
fn pop(queue: &dyn Queue) -> Option<Popped> {
    queue.pop().now_or_never().expect("something is queued, or it is closed")
}

/// Pops until the queue waits; what came at once stands in one line.
fn drain(queue: &dyn Queue) -> Vec<String> {
    std::iter::from_fn(|| queue.pop().now_or_never().flatten()).map(|popped| describe(&popped)).collect()
}

/// As [`drain`], in batches.
fn drain_batches(queue: &dyn Queue) -> Vec<String> {
    std::iter::from_fn(|| queue.pop_batch().now_or_never().flatten()).map(|popped| describe(&popped)).collect()
}

/// Its changes in a line, an `initial:` before them if they are.
fn describe(popped: &Popped) -> String {
    let deltas: Vec<_> = popped.deltas.iter().map(describe_delta).collect();
    format!("{}{}", if popped.is_in_initial_list { "initial: " } else { "" }, deltas.join(", "))
}

fn describe_delta(KeyedDelta { key, delta }: &KeyedDelta) -> String {
    let (change, object) = match delta {
        Delta::Added(object) => ("added", Some(object)),
        Delta::Updated(object) => ("updated", Some(object)),
        Delta::Deleted(DeletedObject::Known(object)) => ("deleted", Some(object)),
        Delta::Deleted(DeletedObject::FinalStateUnknown { key: tombstone, object }) => {
            assert_eq!(key, tombstone);
            ("gone", object.as_ref())
        }
        Delta::Replaced(object) => ("replaced", Some(object)),
        Delta::Sync(object) => ("sync", Some(object)),
        Delta::ReplacedAll { resource_version, objects } => {
            let objects: Vec<_> = objects.iter().map(name_and_version).collect();
            return format!("{key}all at {resource_version} [{}]", objects.join(", "));
        }
        Delta::SyncAll => return format!("{key}sync all"),
        Delta::Bookmark { resource_version } => return format!("{key}bookmark {resource_version}"),
    };
    let Some(object) = object else { return format!("{change} {key} unknown") };
    assert_eq!(key, object.name());
    format!("{change} {}", name_and_version(object))
}

fn name_and_version(object: &Object) -> String {
    format!("{} {}", object.name(), object.resource_version())
}
