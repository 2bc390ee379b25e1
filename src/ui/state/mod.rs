//! Informers and the page's own state, as signals.

mod appearance;
mod kinds;
mod live_list;
mod live_table;
mod log_stream;
mod navigation;
mod notices;
mod pace;
mod redraw;
mod session;
mod tables;

pub(crate) use appearance::{Appearance, Density, Theme};
pub(crate) use kinds::{Kinds, built_in_of_page};
pub(crate) use live_list::LiveList;
pub(crate) use live_table::{Link, LiveTable};
pub(crate) use log_stream::LogStream;
pub(crate) use navigation::{Navigation, page_in_address};
pub(crate) use notices::{Notice, Notices};
pub use session::Options;
pub(crate) use session::Session;
pub(crate) use tables::Tables;
