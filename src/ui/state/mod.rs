//! Informers and the page's own state, as signals.

mod appearance;
mod definitions;
mod kinds;
mod link;
mod live_list;
mod live_survey;
mod live_table;
mod namespaces;
mod navigation;
mod notices;
mod pace;
mod redraw;
mod rights;
mod scoping;
mod session;
mod sources;
mod surveys;
mod tables;
mod worker;

pub(crate) use appearance::{Appearance, Density, Theme};
pub(crate) use kinds::{Kind, Kinds, built_in_of_page};
pub(crate) use link::Link;
pub(crate) use live_list::LiveList;
pub(crate) use live_survey::{Knowledge, LiveSurvey};
pub(crate) use live_table::LiveTable;
pub(crate) use namespaces::Namespaces;
pub(crate) use navigation::{GROUPED_EVENTS, Navigation, OVERVIEW, page_in_address};
pub(crate) use notices::{Notice, Notices};
pub(crate) use rights::Rights;
pub use session::Options;
pub(crate) use session::Session;
pub(crate) use surveys::Surveys;
pub(crate) use tables::Tables;
