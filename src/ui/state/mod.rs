//! Informers and the page's own state, as signals.

mod appearance;
mod live_table;
mod navigation;
mod notices;
mod pace;
mod redraw;
mod session;

pub(crate) use appearance::{Appearance, Density, Theme};
pub(crate) use live_table::{Link, LiveTable};
pub(crate) use navigation::Navigation;
pub(crate) use notices::{Notice, Notices};
pub use session::Options;
pub(crate) use session::Session;
