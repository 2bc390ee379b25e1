//! The side panel, which shows one object of the page's kind.

mod events;
mod logs;
mod owned;
mod panel;
mod parts;
mod related;
mod resize;
mod summary;
mod tabs;
mod yaml;
mod yaml_find;

pub(crate) use panel::{ObjectPanel, close_object, open_object};
pub(crate) use tabs::tab_of_key;
