//! The table of a kind.

mod page;
mod screens;

pub(crate) use page::ResourcePage;
pub(crate) use screens::NoSuchPage;
