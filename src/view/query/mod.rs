//! The language of a table's query, a superset of k9s's: terms, all of which a row must match.
//!
//! | term | matches |
//! |---|---|
//! | `word`, `"some words"` | in some cell, whatever the case |
//! | `/regex/` | in some cell; it ends at a `/` before white space |
//! | `!term` | when the term does not |
//! | `!ready` | the `READY` cell is not full, or the `STATUS` cell is not `Ready`; `ready` itself is a word |
//! | `-f text` | the letters in this order in the name |
//! | `-l app=web,tier!=db` | a label selector, in quotes if it has white space |
//! | `column:value`, `column~value` | `value` in that column's cell; after `:` it may be `/regex/`, or the whole text with `*` and `?` |
//! | `column=value`, `column!=value` | the whole text is it, or is not; `""` is for nothing |
//! | `column:(a\|b)` | one of them, after any of these signs |
//! | `column>3`, `>=`, `<`, `<=` | numbers, quantities (`500Mi`), ages and durations (`2d3h`) by value |
//! | `label.app=web`, `annotation.x:y`, `.spec.nodeName=a` | the same of the object, of any item where a list is in the way; `label.app` alone: it is there |
//! | `image:nginx` | an image of any container |
//! | `kind:pod,deploy` | the kinds that a query across kinds asks for (`across`); any row |
//!
//! A column is named whatever the case and without regard to signs and spaces; `ns` is the namespace.

mod bound;
mod condition;
mod cursor;
mod object;
mod parse;
mod parsed;
mod pattern;

pub use condition::Subject;
pub(in crate::view) use condition::{Condition, Place, Test, is_shown};
pub use parsed::{KindName, Query, QueryError, Term};
pub(in crate::view) use pattern::globs;
pub(in crate::view) use pattern::occurs;

#[cfg(test)]
#[path = "query_test.rs"]
mod tests;
