//! What the side panel shows of one object, as values.

mod changes;
mod events;
mod life;
mod related;
mod status;
mod summary;

pub use changes::{LineChanges, line_changes};
pub use events::{EventLine, event_scope, events_of};
pub use life::Life;
pub use related::{Related, Relation, Scope, is_custom, ownable, related, relations};
pub(in crate::view) use status::status_by;
pub use status::status_of;
pub use summary::{Annotation, Condition, Container, annotations, conditions, containers, data_sizes, labels};
