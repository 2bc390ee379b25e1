//! The table of pods.

mod page;
mod screens;

pub(crate) use page::PodsPage;
