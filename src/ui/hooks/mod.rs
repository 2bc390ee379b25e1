//! Listeners and observers of the browser, undone with the component that asked for them.

mod copy;
mod dismiss;
mod events;
mod save;
mod shortcuts;
mod size;

pub(crate) use copy::copy_tab_separated;
pub(crate) use dismiss::use_dismiss;
pub(crate) use events::use_window_event;
pub(crate) use save::save_text;
pub(crate) use shortcuts::{focus_by_id, use_shortcuts};
pub(crate) use size::{use_height, use_size};
