//! Who set which field of an object: server-side apply (apimachinery: `pkg/util/managedfields`).
//!
//! All of it is pure: an object before and after, who changed it, and the note that results.
//! `entries` is that note, `change` makes it from updates and applications, `schema` says how each field is merged,
//! `tree` compares and merges values, `set` holds paths.

mod change;
mod entries;
mod schema;
mod set;
mod tree;

pub(super) use change::{ApplyError, LAST_APPLIED, Writer};
pub(super) use entries::ManagedFields;
pub(super) use schema::{Rule, Schema};
