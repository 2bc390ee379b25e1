//! Informers and the page's own state, as signals.

mod appearance;
mod commands;
mod counts;
mod informers;
mod kinds;
mod live_table;
mod navigation;
mod notices;
mod pace;
mod rail_choices;
mod redraw;
mod session;
mod tables;

pub(crate) use appearance::{Appearance, Density, Theme};
pub(crate) use commands::Commands;
pub(crate) use counts::{Count, Counts};
pub(crate) use informers::{InformerWatch, requests_text};
pub(crate) use kinds::{Kinds, built_in_of_page};
pub(crate) use live_table::{Link, LiveTable};
pub(crate) use navigation::{Navigation, page_in_address};
pub(crate) use notices::{Notice, Notices};
pub(crate) use rail_choices::RailChoices;
pub use session::Options;
pub(crate) use session::Session;
pub(crate) use tables::Tables;
