//! Informers and the page's own state, as signals.

mod appearance;
mod kinds;
mod live_survey;
mod live_table;
mod navigation;
mod notices;
mod pace;
mod redraw;
mod session;
mod surveys;
mod tables;

pub(crate) use appearance::{Appearance, Density, Theme};
pub(crate) use kinds::{Kinds, built_in_of_page};
pub(crate) use live_survey::{Knowledge, LiveSurvey};
pub(crate) use live_table::{Link, LiveTable};
pub(crate) use navigation::{GROUPED_EVENTS, Navigation, OVERVIEW, page_in_address};
pub(crate) use notices::{Notice, Notices};
pub use session::Options;
pub(crate) use session::Session;
pub(crate) use surveys::Surveys;
pub(crate) use tables::Tables;
