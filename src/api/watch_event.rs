use super::{Object, Status};

/// One event of a watch.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent {
    Added(Object),
    Modified(Object),
    /// With the object's final state.
    Deleted(Object),
    /// Nothing changed up to this resourceVersion.
    Bookmark {
        resource_version: String,
        /// The annotation `k8s.io/initial-events-end` is exactly `"true"`.
        initial_events_end: bool,
    },
    Error(Status),
}
