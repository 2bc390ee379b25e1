//! The table of a kind.

mod actions;
mod beside;
mod deleting;
mod head;
mod kind_strip;
mod page;
mod scope_line;
mod screens;

pub(crate) use page::ResourcePage;
pub(crate) use screens::NoSuchPage;
