//! View models: what the page shows, as pure values that tests can read without a browser.
//!
//! Rows keep values, not texts: an age is a moment and becomes text only for the `now` it is shown at.
//! A table keeps them column by column (`rows`, `values`, `texts`) beside the objects that they are read from, and makes
//! a [`Row`] for who looks at one.

mod across;
mod advice;
mod age;
mod arena;
mod beside;
mod catalog;
mod cell;
mod column_layout;
pub mod columns;
mod custom_columns;
mod deletion;
mod each_name;
mod event_groups;
mod export;
mod freshness;
mod health;
pub mod informers;
mod layout;
pub mod log;
mod marks;
mod measured;
mod name_list;
mod namespaces;
mod natural;
pub mod object;
pub mod overview;
pub mod palette;
mod pick;
mod preview;
mod quantity;
pub mod query;
pub mod queues;
mod rank;
mod rearrange;
mod reorder;
mod rights;
mod row;
mod rows;
mod scope;
mod search;
mod sort_numbers;
mod sorted_list;
mod table;
mod texts;
mod url_state;
mod values;
mod window;
mod yaml;

pub use across::{MOST_KINDS, named_kinds};
pub use advice::advice;
pub use age::{age_text, next_age_change};
pub use beside::{Beside, RowBeside};
use catalog::is_of_the_api;
pub use catalog::{Catalog, CatalogEntry, CatalogGroup, KindPage};
pub use cell::{Cell, NONE, Span};
pub use column_layout::{ColumnChoice, ColumnLayout, ColumnLine};
pub use columns::{Column, Member, Resource};
pub use custom_columns::{CellType, CustomColumn, CustomColumns};
pub use deletion::Deletion;
pub use event_groups::{EVENT_GROUPS, EventFilter, EventGroup, EventGroups};
pub use export::{csv, json, yaml};
pub use freshness::{Contact, Freshness};
pub use health::Health;
pub use layout::{card_height, column_tracks};
pub use measured::{measured, measured_columns};
pub use namespaces::{expand_namespaces, has_namespace, is_pattern, read_namespaces};
pub use pick::Picked;
pub use quantity::quantity;
pub use query::{KindName, Query, QueryError, Subject, Term};
pub use rank::Rank;
pub use reorder::staying;
pub use rights::{AccessQuestion, Rules};
pub use row::Row;
pub use scope::{Access, Scope};
pub(crate) use sort_numbers::sorted_numbers;
pub use sorted_list::SortedList;
pub use table::{Filter, Leaving, Sort, TableModel, VisibleRow};
pub use url_state::{UrlState, object_key};
pub use window::{MAX_ROWS, Window};
pub use yaml::{YamlLine, YamlOptions, YamlSpan, YamlSpanKind, yaml_lines, yaml_text};

#[cfg(test)]
mod palette_test;
#[cfg(test)]
mod rows_of_tests;
#[cfg(test)]
mod size_test;
