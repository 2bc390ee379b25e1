//! The table of a kind.

mod actions;
mod deleting;
mod head;
mod page;
mod screens;

pub(crate) use page::ResourcePage;
pub(crate) use screens::NoSuchPage;
