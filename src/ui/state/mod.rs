//! Informers and the page's own state, as signals.

mod appearance;
mod columns;
mod definitions;
mod kinds;
mod link;
mod live_table;
mod namespaces;
mod navigation;
mod notices;
mod pace;
mod redraw;
mod rights;
mod scoping;
mod selection;
mod session;
mod sources;
mod tables;
mod worker;

pub(crate) use appearance::{Appearance, Density, Theme};
pub(crate) use columns::Columns;
pub(crate) use kinds::{Kind, Kinds, built_in_of_page};
pub(crate) use link::Link;
pub(crate) use live_table::LiveTable;
pub(crate) use namespaces::Namespaces;
pub(crate) use navigation::{Navigation, page_in_address};
pub(crate) use notices::{Notice, Notices};
pub(crate) use rights::Rights;
pub(crate) use selection::Selection;
pub use session::Options;
pub(crate) use session::Session;
pub(crate) use tables::Tables;
