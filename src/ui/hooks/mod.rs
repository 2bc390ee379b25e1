//! Listeners and observers of the browser, undone with the component that asked for them.

mod copy;
mod dismiss;
mod download;
mod events;
mod menu;
mod modal;
mod shortcuts;
mod size;

pub(crate) use copy::copy_tab_separated;
pub(crate) use dismiss::{is_beside, use_dismiss};
pub(crate) use download::download;
pub(crate) use events::use_window_event;
pub(crate) use menu::use_menu;
pub(crate) use modal::use_modal;
pub(crate) use shortcuts::{focus_by_id, press_by_id, use_command_key, use_ctrl_shortcuts, use_shortcuts};
pub(crate) use size::{use_height, use_is_narrow, use_size};
