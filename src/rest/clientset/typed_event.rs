use futures::StreamExt as _;
use futures::stream::LocalBoxStream;
use serde::Deserialize as _;
use serde_json::Value;

use super::Kind;
use crate::api::{Error, Manifest, Object, Status, WatchEvent};
use crate::cache::WatchStream;
use crate::rest::decode;

/// One event of a typed watch.
#[derive(Clone, Debug, PartialEq)]
pub enum TypedEvent<K> {
    /// The object is there.
    Added(K),
    /// The object has changed.
    Modified(K),
    /// The object is gone; this is its final state.
    Deleted(K),
    /// Nothing changed up to this resourceVersion.
    Bookmark {
        /// Where a watch may go on.
        resource_version: String,
        /// The initial state is complete.
        initial_events_end: bool,
    },
    /// The watch cannot go on.
    Error(Status),
}

/// The events of one typed watch. An error is the last item; the end without one is a clean close.
pub type TypedWatch<K> = LocalBoxStream<'static, Result<TypedEvent<K>, Error>>;

/// The object as its type.
///
/// # Errors
/// [`Error::Undecodable`] when it is of another kind, or a field is not as the type has it.
pub fn from_object<K: Kind>(object: &Object) -> Result<K, Error> {
    let undecodable = |error: serde_json::Error| Error::Undecodable {
        url: format!("{} {}/{}", K::URL_PATH_SEGMENT, object.namespace(), object.name()),
        reason: decode::reason(&error),
    };
    let mut value = serde_json::to_value(object).map_err(undecodable)?;
    if let Value::Object(fields) = &mut value {
        // Items of a list may leave them out.
        fields.entry("apiVersion").or_insert_with(|| K::API_VERSION.into());
        fields.entry("kind").or_insert_with(|| K::KIND.into());
    }
    K::deserialize(value).map_err(undecodable)
}

/// The object as one of any kind that can be written, without `managedFields`.
///
/// # Errors
/// [`Error::NotSent`] when the type cannot be written as JSON.
pub fn to_manifest<K: Kind>(object: &K) -> Result<Manifest, Error> {
    let value = serde_json::to_value(object).and_then(Manifest::deserialize);
    value.map_err(|error| Error::NotSent { reason: error.to_string() })
}

/// Ends with the first error, as a watch does.
pub(super) fn typed_events<K: Kind>(events: WatchStream) -> TypedWatch<K> {
    let typed = events.map(|event| {
        Ok(match event? {
            WatchEvent::Added(object) => TypedEvent::Added(from_object(&object)?),
            WatchEvent::Modified(object) => TypedEvent::Modified(from_object(&object)?),
            WatchEvent::Deleted(object) => TypedEvent::Deleted(from_object(&object)?),
            WatchEvent::Bookmark { resource_version, initial_events_end } => {
                TypedEvent::Bookmark { resource_version, initial_events_end }
            }
            WatchEvent::Error(status) => TypedEvent::Error(status),
        })
    });
    let ends_at_error = |over: &mut bool, event: Result<TypedEvent<K>, Error>| {
        let event = (!*over).then_some(event);
        *over |= matches!(event, Some(Err(_)));
        std::future::ready(event)
    };
    typed.scan(false, ends_at_error).boxed_local()
}
