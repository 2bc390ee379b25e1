//! View models: what the page shows, as pure values that tests can read without a browser.
//!
//! Rows keep values, not texts: an age is a moment and becomes text only for the `now` it is shown at.
//! A table keeps them column by column (`rows`, `values`, `texts`) beside the objects that they are read from, and makes
//! a [`Row`] for who looks at one.

mod advice;
mod age;
mod arena;
mod catalog;
mod cell;
pub mod columns;
mod custom_columns;
mod freshness;
mod health;
mod layout;
pub mod log;
mod marks;
mod name_list;
pub mod object;
mod preview;
mod quantity;
pub mod query;
mod rearrange;
mod reorder;
mod row;
mod rows;
mod search;
mod sort_numbers;
mod sorted_list;
mod table;
mod texts;
mod url_state;
mod values;
mod window;
mod yaml;

pub use advice::advice;
pub use age::{age_text, next_age_change};
pub use catalog::{Catalog, CatalogEntry, CatalogGroup};
pub use cell::{Cell, NONE, Span};
pub use columns::{Column, Resource};
pub use custom_columns::{CellType, CustomColumn, CustomColumns};
pub use freshness::{Contact, Freshness};
pub use health::Health;
pub use layout::column_tracks;
pub use quantity::quantity;
pub use query::{Query, QueryError, Subject, Term};
pub use reorder::staying;
pub use row::Row;
#[cfg(feature = "dashboard")]
pub(crate) use sort_numbers::sorted_numbers;
pub use sorted_list::SortedList;
pub use table::{Filter, Leaving, Sort, TableModel, VisibleRow};
pub use url_state::UrlState;
pub use window::{MAX_ROWS, Window};
pub use yaml::{YamlLine, YamlOptions, YamlSpan, YamlSpanKind, yaml_lines, yaml_text};

#[cfg(test)]
mod rows_of_tests;
#[cfg(test)]
mod size_test;
